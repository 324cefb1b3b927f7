//! Whom the client trusts, and to whom it shows its token.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpListener;
use worldspace_http::auth::{Authentication, Token};
use worldspace_http::tls::ServerTls;
use worldspace_http::{ClientConfig, Endpoint, HttpTransport, SetupError, Trust, TrustError, UnknownIssuer};
use worldspace_model::{
    Arguments, CallAnswer, Interaction, InterfaceTarget, NotSent, ObserveRequest, OutgoingCall, Principal,
    Record, RequestContext, Target, Transport, TransportError, Unanswered, Value,
};

use crate::raw::{LONG, Running};
use crate::tls::certificate;
use crate::world::{descriptor, path, reference};

fn context() -> RequestContext {
    RequestContext { deadline: Some(Instant::now() + LONG), ..RequestContext::of(Principal::anonymous()) }
}

fn call(text: String) -> OutgoingCall {
    let operation = descriptor().operation("echo").unwrap();
    let record = Record::new(vec![("text".into(), Value::string(text))]).unwrap();
    OutgoingCall {
        target: Target { path: path("/t"), validator: None },
        interface: InterfaceTarget { reference: reference(), scope_ref: None, validator: None },
        arguments: Arguments::check(&operation, record).unwrap(),
        operation,
        key: None,
        read: false,
    }
}

fn transport(endpoint: &str, trust: Trust, token: Option<&Token>) -> HttpTransport {
    let config = ClientConfig { trust, token: token.cloned(), ..ClientConfig::default() };
    HttpTransport::new(Endpoint::parse(endpoint).unwrap(), config).unwrap()
}

fn trusting(pem: &str) -> Trust {
    Trust::Certificates(pem.as_bytes().to_vec())
}

async fn server(certificate: &str, key: &str) -> Running {
    let tls = ServerTls::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap();
    Running::with(|config| config.tls = Some(tls)).await
}

/// Why a call was not sent.
async fn refused(endpoint: &str, trust: Trust) -> String {
    match transport(endpoint, trust, None).call_operation(context(), call("hello".to_owned())).await {
        Err(TransportError::NotSent(NotSent::Unreachable { detail, source })) => {
            let unknown = source.is_some_and(|source| source.is::<UnknownIssuer>());
            assert_eq!(unknown, detail.contains("CA file"), "{detail}");
            detail
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_call_goes_over_tls_with_a_token() {
    let shown = certificate("localhost");
    let token = Token::generate().unwrap();
    let principal = Principal::new("owner");
    let server = Running::with(|config| {
        config.tls = Some(shown.tls().unwrap());
        config.authentication = Authentication::One { token: token.clone(), principal };
        config.base_path = "/wip".to_owned();
    })
    .await;
    let trust = trusting(&shown.certificate_pem);
    let good = transport(server.endpoint.as_str(), trust.clone(), Some(&token));
    assert!(good.capabilities(context()).await.unwrap().speaks(Interaction::Observe));
    let answer = good.call_operation(context(), call("hello".to_owned())).await.unwrap();
    assert_eq!(answer.result, Value::string("hello"));
    assert_eq!(server.world.seen().principal, "owner");
    assert!(good.observe(context(), ObserveRequest { path: path("/a"), depth: 0 }).await.is_ok());

    let arrived = server.world.arrived.load(Ordering::SeqCst);
    let wrong = Token::generate().unwrap();
    for token in [None, Some(&wrong)] {
        let bad = transport(server.endpoint.as_str(), trust.clone(), token);
        for text in ["hello".to_owned(), "x".repeat(1_000_000)] {
            expect_401(bad.call_operation(context(), call(text)).await);
        }
        let capabilities = bad.capabilities(context()).await;
        let rejected =
            matches!(capabilities, Err(TransportError::NotSent(NotSent::Rejected { status: 401, .. })));
        assert!(rejected, "{capabilities:?}");
    }
    assert_eq!(server.world.arrived.load(Ordering::SeqCst), arrived);
    let installed = rustls::crypto::CryptoProvider::get_default();
    assert!(installed.is_none(), "the choice for the whole process is left to the program");
}

fn expect_401(answer: Result<CallAnswer, TransportError>) {
    let Err(TransportError::NotSent(NotSent::Rejected { status: 401, detail })) = &answer else {
        panic!("{answer:?}")
    };
    assert!(detail.contains("a token is needed"), "{detail}");
}

/// That it was not run is told even to whoever is still sending.
#[tokio::test]
async fn a_large_call_without_a_token_was_not_run_for_certain() {
    let token = Token::generate().unwrap();
    let authentication = Authentication::One { token, principal: Principal::new("owner") };
    let server = Running::with(|config| config.authentication = authentication).await;
    for _ in 0..20 {
        let bad = transport(server.endpoint.as_str(), Trust::System, None);
        expect_401(bad.call_operation(context(), call("x".repeat(1_000_000))).await);
    }
}

#[tokio::test]
async fn http2_is_what_is_spoken_where_it_can_be() {
    let shown = certificate("localhost");
    let chain = vec![CertificateDer::from_pem_slice(shown.certificate_pem.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(shown.key_pem.reveal().as_bytes()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    for (offered, agreed) in [(&["h2", "http/1.1"][..], "h2"), (&["http/1.1"], "http/1.1")] {
        config.alpn_protocols = offered.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config.clone()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("https://{}/", listener.local_addr().unwrap());
        let transport = transport(&endpoint, trusting(&shown.certificate_pem), None);
        tokio::spawn(async move { transport.call_operation(context(), call("hello".to_owned())).await });
        let accepted = acceptor.accept(listener.accept().await.unwrap().0).await.unwrap();
        assert_eq!(accepted.get_ref().1.alpn_protocol(), Some(agreed.as_bytes()));
    }
}

#[tokio::test]
async fn certificates_that_are_not_trusted_say_why() {
    let (known, other) = (certificate("localhost"), certificate("localhost"));
    let here = server(&known.certificate_pem, known.key_pem.reveal()).await;
    for trust in [trusting(&other.certificate_pem), Trust::System] {
        // A machine without any certificates cannot even be asked.
        let config = ClientConfig { trust: trust.clone(), ..ClientConfig::default() };
        if let Err(SetupError::Trust(TrustError::System { .. })) =
            HttpTransport::new(here.endpoint.clone(), config)
        {
            continue;
        }
        let detail = refused(here.endpoint.as_str(), trust).await;
        assert!(detail.contains("nobody who is trusted here") && detail.contains("CA file"), "{detail}");
    }
    let named = worldspace_http::tls::self_signed(&["wip.example".to_owned()]).unwrap();
    let elsewhere = server(&named.certificate_pem, named.key_pem.reveal()).await;
    let by_name = format!("https://localhost:{}/", elsewhere.address.port());
    for (endpoint, name) in [(elsewhere.endpoint.as_str(), "127.0.0.1"), (&by_name, "localhost")] {
        let detail = refused(endpoint, trusting(&named.certificate_pem)).await;
        let expected = format!("is for wip.example, not for {name}");
        assert!(detail.contains(&expected), "{detail}");
    }
    for (from, until, expected) in [(2000, 2010, "expired"), (3000, 3010, "not be valid")] {
        let mut parameters = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        parameters.not_before = date_time_ymd(from, 1, 1);
        parameters.not_after = date_time_ymd(until, 1, 1);
        let key = KeyPair::generate().unwrap();
        let pem = parameters.self_signed(&key).unwrap().pem();
        let server = server(&pem, &key.serialize_pem()).await;
        let detail = refused(server.endpoint.as_str(), trusting(&pem)).await;
        let expected = expected.replace("not be valid", "becomes valid in");
        assert!(detail.contains(&expected) && detail.contains("days"), "{detail}");
    }
    let plain = Running::new().await;
    let detail = refused(&format!("https://{}/", plain.address), trusting(&known.certificate_pem)).await;
    assert!(detail.contains("http://"), "{detail}");
}

#[tokio::test]
async fn who_does_not_answer_as_expected_is_told_by_what_may_be_wrong() {
    let shown = certificate("localhost");
    let secure = server(&shown.certificate_pem, shown.key_pem.reveal()).await;
    let plain = transport(&format!("http://{}/", secure.address), Trust::System, None);
    let answer = plain.observe(context(), ObserveRequest { path: path("/"), depth: 0 }).await;
    let Err(TransportError::Unanswered(Unanswered::Lost { detail, .. })) = &answer else {
        panic!("{answer:?}")
    };
    assert!(detail.contains("https://"), "{detail}");

    // It takes connections, and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let config = ClientConfig {
        trust: trusting(&shown.certificate_pem),
        connect_timeout: Duration::from_millis(200),
        ..ClientConfig::default()
    };
    let endpoint = Endpoint::parse(&format!("https://{}/", silent.local_addr().unwrap())).unwrap();
    let transport = HttpTransport::new(endpoint, config).unwrap();
    let answer = transport.call_operation(context(), call("hello".to_owned())).await;
    assert!(matches!(answer, Err(TransportError::NotSent(NotSent::Unreachable { .. }))), "{answer:?}");
}

#[tokio::test]
async fn an_authority_vouches_for_its_hosts_and_is_none_itself() {
    let authority_key = KeyPair::generate().unwrap();
    let mut parameters = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = parameters.self_signed(&authority_key).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    let leaf = leaf.signed_by(&key, &Issuer::new(parameters, &authority_key)).unwrap();
    let good = server(&leaf.pem(), &key.serialize_pem()).await;
    let transport = transport(good.endpoint.as_str(), trusting(&authority.pem()), None);
    assert!(transport.call_operation(context(), call("hello".to_owned())).await.is_ok());

    let itself = server(&authority.pem(), &authority_key.serialize_pem()).await;
    let detail = refused(itself.endpoint.as_str(), trusting(&authority.pem())).await;
    assert!(detail.contains("CA:FALSE"), "{detail}");
}

#[test]
fn a_token_goes_out_only_where_nobody_else_can_read_it() {
    let token = Token::generate().unwrap();
    for (endpoint, token, allowed, sent) in [
        ("http://127.0.0.1:1/", Some(&token), false, true),
        ("http://127.9.9.9:1/", Some(&token), false, true),
        ("http://[::1]:1/", Some(&token), false, true),
        ("http://[::ffff:127.0.0.1]:1/", Some(&token), false, true),
        ("http://LocalHost:1/", Some(&token), false, true),
        ("http://localhost.evil.test/", Some(&token), false, false),
        ("http://wip.example/", Some(&token), false, false),
        ("http://192.0.2.1/", Some(&token), false, false),
        ("http://[2001:db8::1]/", Some(&token), false, false),
        ("http://192.0.2.1/", Some(&token), true, true),
        ("http://192.0.2.1/", None, false, true),
        ("https://192.0.2.1/", Some(&token), false, true),
    ] {
        let config = ClientConfig {
            token: token.cloned(),
            trust: trusting(&certificate("localhost").certificate_pem),
            plain_token_beyond_loopback: allowed,
            ..ClientConfig::default()
        };
        match HttpTransport::new(Endpoint::parse(endpoint).unwrap(), config) {
            Ok(_) => assert!(sent, "{endpoint}"),
            Err(SetupError::PlainToken { .. }) => assert!(!sent, "{endpoint}"),
            Err(error) => panic!("{endpoint}: {error}"),
        }
    }
}

#[test]
fn a_name_or_password_in_a_url_goes_nowhere() {
    for url in ["http://me:secret@127.0.0.1:1/", "https://secret@host/", "http://:secret@127.0.0.1:1/"] {
        let endpoint = Endpoint::parse(url).unwrap();
        let Err(error) = HttpTransport::new(endpoint, ClientConfig::default()) else { panic!("{url}") };
        assert!(matches!(error, SetupError::UserInformation { .. }), "{error}");
        assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
    }
}

#[test]
fn files_of_trusted_certificates_that_are_none_say_so() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ca.pem");
    let known = certificate("localhost");
    let error = Trust::from_file(&path).unwrap_err();
    assert!(matches!(error, TrustError::Read { .. }) && error.to_string().contains("ca.pem"), "{error}");
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (text, expected) in [
        (String::new(), "no PEM"),
        (known.key_pem.reveal().to_owned(), "no certificate"),
        (format!("{}{broken}", known.certificate_pem), "number 2"),
    ] {
        std::fs::write(&path, &text).unwrap();
        let error = Trust::from_file(&path).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("ca.pem"), "{error}");
        let config = ClientConfig { trust: trusting(&text), ..ClientConfig::default() };
        let endpoint = Endpoint::parse("https://wip.example/").unwrap();
        assert!(matches!(HttpTransport::new(endpoint, config), Err(SetupError::Trust(_))));
    }
    std::fs::write(
        &path,
        format!("# ours\n{}{}", known.certificate_pem, certificate("other").certificate_pem),
    )
    .unwrap();
    assert!(Trust::from_file(&path).is_ok());
}
