//! TLS as the server speaks it: versions, protocols, handshakes that go nowhere, and certificates that are renewed.

use std::sync::Arc;
use std::time::Duration;

use http::{Request, StatusCode};
use http_body_util::Full;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::version::{TLS12, TLS13};
use rustls::{ProtocolVersion, SupportedProtocolVersion};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use worldspace_http::ServerLimits;
use worldspace_http::tls::{SelfSigned, ServerTls, TlsError, self_signed};

use crate::raw::{LONG, Reply, Running, until_closed};

const BODY: &str = r#"{"path":"/","depth":0}"#;
const SHORT: Duration = Duration::from_millis(300);

pub(crate) fn certificate(name: &str) -> SelfSigned {
    self_signed(&[name.to_owned(), "127.0.0.1".to_owned()]).unwrap()
}

async fn secure(set: impl FnOnce(&mut ServerLimits)) -> (Running, SelfSigned) {
    let shown = certificate("localhost");
    let server = Running::with(|config| {
        config.tls = Some(shown.tls().unwrap());
        for limit in [&mut config.limits.header_timeout, &mut config.limits.idle_timeout] {
            *limit = LONG * 10;
        }
        set(&mut config.limits);
    })
    .await;
    (server, shown)
}

/// A client that trusts that certificate, and speaks nothing else.
async fn connect(
    server: &Running,
    trusted: &SelfSigned,
    versions: &[&'static SupportedProtocolVersion],
    protocols: &[&str],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = rustls::RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(trusted.certificate_pem.as_bytes()) {
        roots.add(certificate.unwrap()).unwrap();
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    let name = ServerName::try_from("localhost").unwrap();
    tokio_rustls::TlsConnector::from(Arc::new(config)).connect(name, server.connect().await).await
}

#[tokio::test]
async fn versions_and_protocols_are_agreed_on() {
    let (server, shown) = secure(|_| {}).await;
    assert_eq!(server.endpoint.as_str(), format!("https://{}/", server.address));
    for (version, spoken) in [(&TLS12, ProtocolVersion::TLSv1_2), (&TLS13, ProtocolVersion::TLSv1_3)] {
        for (protocols, agreed) in [
            (&["h2", "http/1.1"][..], Some("h2")),
            (&["http/1.1"], Some("http/1.1")),
            (&["http/1.0", "http/1.1"], Some("http/1.1")),
            (&[], None),
        ] {
            let mut stream = connect(&server, &shown, &[version], protocols).await.unwrap();
            assert_eq!(stream.get_ref().1.protocol_version(), Some(spoken));
            assert_eq!(stream.get_ref().1.alpn_protocol(), agreed.map(str::as_bytes));
            if agreed == Some("h2") {
                let io = TokioIo::new(stream);
                let (mut sender, connection) =
                    hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await.unwrap();
                tokio::spawn(connection);
                let request = Request::post(format!("https://{}/v1/observe", server.address))
                    .header("content-type", "application/json")
                    .body(Full::new(BODY.as_bytes()));
                let answer = sender.send_request(request.unwrap()).await.unwrap();
                assert_eq!(answer.status(), StatusCode::OK);
            } else {
                let request = server.request("GET /v1", "", "");
                stream.write_all(request.as_bytes()).await.unwrap();
                assert_eq!(Reply::read(&mut stream).await.status, 200);
            }
        }
        let other = connect(&server, &shown, &[version], &["spdy/3"]).await;
        assert!(other.is_err(), "nothing else is spoken");
    }
}

#[tokio::test]
async fn a_page_of_this_server_comes_by_https() {
    let (server, shown) = secure(|_| {}).await;
    for (scheme, status) in [("https", 200), ("http", 403)] {
        let mut stream = connect(&server, &shown, &[&TLS13], &[]).await.unwrap();
        let origin = format!("Origin: {scheme}://{}\r\n", server.address);
        stream.write_all(server.request("GET /v1", &origin, "").as_bytes()).await.unwrap();
        assert_eq!(Reply::read(&mut stream).await.status, status, "{scheme}");
    }
}

/// The hello of a client that knows no version beyond that one, and one way to encrypt.
fn hello(version: [u8; 2]) -> Vec<u8> {
    let groups = [0, 10, 0, 4, 0, 2, 0, 23];
    let points = [0, 11, 0, 2, 1, 0];
    let signatures = [0, 13, 0, 4, 0, 2, 4, 3];
    let extensions = [&[0, 22][..], &groups, &points, &signatures].concat();
    let body = [&version[..], &[7; 32], &[0], &[0, 2, 0xc0, 0x2b], &[1, 0], &extensions].concat();
    let length = u8::try_from(body.len()).unwrap();
    let handshake = [&[1, 0, 0, length][..], &body].concat();
    [&[22, 3, 1, 0, length + 4][..], &handshake].concat()
}

#[tokio::test]
async fn what_is_no_hello_is_cut_off_and_old_versions_are_refused() {
    let (server, shown) = secure(|limits| limits.handshake_timeout = LONG * 10).await;
    for version in [[3, 0], [3, 1], [3, 2]] {
        let mut stream = server.connect().await;
        stream.write_all(&hello(version)).await.unwrap();
        let mut answer = Vec::new();
        tokio::time::timeout(LONG, stream.read_to_end(&mut answer)).await.unwrap().unwrap();
        assert_eq!((answer[0], &answer[5..]), (21, &[2, 70][..]), "a fatal alert: protocol_version");
    }
    let mut stream = server.connect().await;
    stream.write_all(&hello([3, 3])).await.unwrap();
    assert_eq!(stream.read_u8().await.unwrap(), 22, "the same hello goes on with TLS 1.2");
    let plain = server.request("GET /v1", "", "");
    for garbage in
        [plain.as_bytes(), &[0; 64], &[22, 3, 1, 0xff, 0xff, 1], b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
    {
        let mut stream = server.connect().await;
        stream.write_all(garbage).await.unwrap();
        let answer = until_closed(&mut stream).await;
        assert!(!answer.contains("HTTP"), "{answer}");
    }
    assert!(connect(&server, &shown, &[&TLS13], &[]).await.is_ok(), "others are served");
}

#[tokio::test]
async fn a_handshake_that_goes_nowhere_is_not_waited_for() {
    let (server, shown) = secure(|limits| {
        limits.handshake_timeout = SHORT;
        limits.connections = 3;
    })
    .await;
    let half = &hello([3, 3])[..20];
    let mut stalled = Vec::new();
    for begin in [&b""[..], half, &[22]] {
        let mut stream = server.connect().await;
        stream.write_all(begin).await.unwrap();
        stalled.push(stream);
    }
    // It waits for a place, which those who stall do not keep.
    let mut stream = connect(&server, &shown, &[&TLS13], &[]).await.unwrap();
    stream.write_all(server.request("GET /v1", "", "").as_bytes()).await.unwrap();
    assert_eq!(Reply::read(&mut stream).await.status, 200);
    for mut stream in stalled {
        until_closed(&mut stream).await;
    }
}

#[tokio::test]
async fn others_do_not_wait_for_a_handshake_nor_does_the_end() {
    let (server, shown) = secure(|limits| limits.handshake_timeout = LONG * 10).await;
    let mut silent = server.connect().await;
    silent.write_all(&hello([3, 3])[..20]).await.unwrap();
    let mut stream = connect(&server, &shown, &[&TLS12], &[]).await.unwrap();
    stream.write_all(server.request("GET /v1", "", "").as_bytes()).await.unwrap();
    assert_eq!(Reply::read(&mut stream).await.status, 200);
    tokio::time::timeout(LONG, server.stop()).await.expect("the server ends").unwrap();
    until_closed(&mut silent).await;
}

#[tokio::test]
async fn a_request_that_does_not_come_after_the_handshake_is_not_waited_for() {
    let (server, shown) = secure(|limits| limits.header_timeout = SHORT).await;
    for begin in ["", "GET /v1 HT"] {
        let mut stream = connect(&server, &shown, &[&TLS13], &["http/1.1"]).await.unwrap();
        stream.write_all(begin.as_bytes()).await.unwrap();
        assert_eq!(until_closed(&mut stream).await, "", "{begin}");
    }
}

#[tokio::test]
async fn an_answer_that_nobody_takes_is_given_up_over_tls_too() {
    let (server, shown) = secure(|limits| {
        limits.write_timeout = SHORT;
        limits.idle_timeout = SHORT;
    })
    .await;
    let mut stream = connect(&server, &shown, &[&TLS13], &["http/1.1"]).await.unwrap();
    let json = "Content-Type: application/json\r\n";
    let request = server.request("POST /v1/observe", json, r#"{"path":"/large","depth":0}"#);
    let request = request.replace("Connection: close\r\n", "");
    // Far more answers than the buffers between can hold, and then whatever shows the end.
    let asking =
        async { while stream.write_all(request.as_bytes()).await.is_ok() && stream.flush().await.is_ok() {} };
    tokio::time::timeout(LONG, asking).await.expect("the connection is closed");
}

#[tokio::test]
async fn a_renewed_certificate_is_shown_without_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let (certificate_file, key_file) = (directory.path().join("cert.pem"), directory.path().join("key.pem"));
    let write = |shown: &SelfSigned| {
        std::fs::write(&certificate_file, &shown.certificate_pem).unwrap();
        std::fs::write(&key_file, shown.key_pem.reveal()).unwrap();
    };
    let (old, new) = (certificate("localhost"), certificate("localhost"));
    write(&old);
    let tls = ServerTls::from_files(&certificate_file, &key_file).unwrap();
    let server = Running::with(|config| config.tls = Some(tls)).await;
    assert!(connect(&server, &new, &[&TLS13], &[]).await.is_err(), "not yet");
    let mut open = connect(&server, &old, &[&TLS13], &["http/1.1"]).await.unwrap();
    write(&new);
    let renewed = async {
        while connect(&server, &new, &[&TLS13], &[]).await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(LONG, renewed).await.expect("the new one is shown");
    assert!(connect(&server, &old, &[&TLS13], &[]).await.is_err(), "the old one is gone");
    open.write_all(server.request("GET /v1", "", "").as_bytes()).await.unwrap();
    assert_eq!(Reply::read(&mut open).await.status, 200, "connections that are open go on");
}

#[tokio::test]
async fn no_request_fails_while_a_certificate_is_renewed() {
    let directory = tempfile::tempdir().unwrap();
    let (certificate_file, key_file) = (directory.path().join("cert.pem"), directory.path().join("key.pem"));
    let (old, new) = (certificate("localhost"), certificate("localhost"));
    let both = SelfSigned {
        certificate_pem: format!("{}{}", old.certificate_pem, new.certificate_pem),
        key_pem: old.key_pem.clone(),
    };
    std::fs::write(&certificate_file, &old.certificate_pem).unwrap();
    std::fs::write(&key_file, old.key_pem.reveal()).unwrap();
    let tls = ServerTls::from_files(&certificate_file, &key_file).unwrap();
    let server = Running::with(|config| config.tls = Some(tls)).await;
    let renewed = CertificateDer::from_pem_slice(new.certificate_pem.as_bytes()).unwrap();
    let ask = async || {
        let mut stream = connect(&server, &both, &[&TLS13], &[]).await.unwrap();
        stream.write_all(server.request("GET /v1", "", "").as_bytes()).await.unwrap();
        assert_eq!(Reply::read(&mut stream).await.status, 200);
        stream.get_ref().1.peer_certificates().unwrap()[0] == renewed
    };
    assert!(!ask().await, "the old one is shown");
    // In between, the key does not fit.
    std::fs::write(&certificate_file, &new.certificate_pem).unwrap();
    for _ in 0..20 {
        assert!(!ask().await);
    }
    std::fs::write(&key_file, new.key_pem.reveal()).unwrap();
    let asking = async { while !ask().await {} };
    tokio::time::timeout(LONG, asking).await.expect("the new one is shown");
}

#[test]
fn what_makes_no_tls_says_what_is_wrong_with_which_part() {
    let (shown, other) = (certificate("localhost"), certificate("localhost"));
    let (certificate, key) = (shown.certificate_pem.as_str(), shown.key_pem.reveal());
    let secret: Vec<&str> = key.lines().filter(|line| !line.starts_with('-')).collect();
    let encrypted = key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    let old =
        key.replace("PRIVATE KEY-----\n", "EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES\n\n");
    let unknown = key.replacen(secret[0], &secret[0].replace('M', "N"), 1);
    let cut = &key[..key.len() / 2];
    let torn = key.replacen(secret[0], &format!("{}***", secret[0]), 1);
    let no_der = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (certificate, key, expected) in [
        ("", key, "the certificate is no PEM"),
        ("hello", key, "the certificate is no PEM"),
        (key, key, "the certificate holds no certificate"),
        (no_der, key, "the first certificate in the certificate cannot be read"),
        (certificate, "", "the private key is no PEM"),
        (certificate, certificate, "the private key holds no private key"),
        (certificate, cut, "the private key is no PEM"),
        (certificate, &torn, "the private key is no PEM"),
        (certificate, &unknown, "the private key cannot be used"),
        (certificate, &encrypted, "the private key is encrypted"),
        (certificate, &old, "the private key is encrypted"),
        (certificate, other.key_pem.reveal(), "the private key does not fit the first certificate"),
    ] {
        let error = ServerTls::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{expected}: {error}");
        let shown = format!("{error} {error:?}");
        assert!(!secret.iter().any(|line| shown.contains(&line[..20])), "{shown}");
    }
    let directory = tempfile::tempdir().unwrap();
    let (certificate_file, key_file) = (directory.path().join("cert.pem"), directory.path().join("key.pem"));
    std::fs::write(&certificate_file, certificate).unwrap();
    let error = ServerTls::from_files(&certificate_file, &key_file).unwrap_err();
    assert!(matches!(&error, TlsError::Read { part, .. } if part.path() == Some(&key_file)), "{error}");
    assert!(error.to_string().contains("key.pem"), "{error}");
    std::fs::write(&key_file, other.key_pem.reveal()).unwrap();
    let error = ServerTls::from_files(&certificate_file, &key_file).unwrap_err().to_string();
    assert!(error.contains("key.pem") && error.contains("cert.pem"), "{error}");
}

#[test]
fn a_certificate_is_made_for_names_and_addresses_only() {
    for name in ["", " ", "a b", "http://a", "a/b", "a:1", "*"] {
        let error = self_signed(&[name.to_owned()]).unwrap_err();
        assert!(matches!(error, TlsError::Name { .. }), "{name}: {error}");
    }
    assert!(matches!(self_signed(&[]), Err(TlsError::Name { .. })));
    for name in ["localhost", "wip.example", "192.0.2.1", "2001:db8::1"] {
        self_signed(&[name.to_owned()]).unwrap().tls().unwrap();
    }
}
