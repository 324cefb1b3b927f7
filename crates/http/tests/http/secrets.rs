//! Secrets stay secret: not in logs down to the last detail, not in errors, not where a setting is printed.

use std::fmt::Write as _;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tracing_subscriber::filter::LevelFilter;
use worldspace_http::auth::{Authentication, Token, TokenFile, Verified};
use worldspace_http::{ClientConfig, Endpoint, HttpTransport, ServerConfig, Trust};
use worldspace_model::{ObserveRequest, Principal, RequestContext, Transport as _};

use crate::raw::{LONG, Running};
use crate::tls::certificate;
use crate::world::path;

/// All that is logged, by whichever way.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(octets);
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl log::Log for Log {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let line = format!("{} {}\n", record.target(), record.args());
        self.0.lock().unwrap().extend_from_slice(line.as_bytes());
    }

    fn flush(&self) {}
}

async fn ask(endpoint: &Endpoint, config: ClientConfig, said: &mut String) -> bool {
    writeln!(said, "{config:?}").unwrap();
    let transport = HttpTransport::new(endpoint.clone(), config).unwrap();
    let context = RequestContext {
        deadline: Some(Instant::now() + LONG),
        ..RequestContext::of(Principal::anonymous())
    };
    let answer = transport.observe(context, ObserveRequest { path: path("/"), depth: 0 }).await;
    writeln!(said, "{:?} {answer:?}", transport.endpoint()).unwrap();
    if let Err(error) = &answer {
        writeln!(said, "{error}").unwrap();
    }
    answer.is_ok()
}

#[tokio::test]
async fn no_secret_is_logged_or_printed() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    // For the whole process: what another thread meets first would not be logged by a subscriber of this one.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    log::set_boxed_logger(Box::new(log.clone())).unwrap();
    log::set_max_level(log::LevelFilter::Trace);

    let shown = certificate("localhost");
    let directory = tempfile::tempdir().unwrap();
    let tokens = directory.path().join("tokens");
    let good = TokenFile::add(&tokens, "alice").unwrap();
    let (bad, one) = (Token::generate().unwrap(), Token::generate().unwrap());
    let mut said = String::new();
    for secure in [true, false] {
        let file = Arc::new(TokenFile::open(&tokens).unwrap());
        for (authentication, good) in [
            (Authentication::Tokens(file), &good),
            (Authentication::One { token: one.clone(), principal: Principal::new("owner") }, &one),
        ] {
            let further = axum::Router::new().route(
                "/view",
                axum::routing::get(|request: axum::extract::Request| async move {
                    format!("{:?} {:?}", request.extensions().get::<Verified>().is_some(), request.headers())
                }),
            );
            let configure = |config: &mut ServerConfig| {
                config.tls = secure.then(|| shown.tls().unwrap());
                config.authentication = authentication;
                writeln!(said, "{config:?}").unwrap();
            };
            let server = Running::routed(configure, further).await;
            for (token, is_let_in) in [(Some(good), true), (Some(&bad), false), (None, false)] {
                let config = ClientConfig {
                    token: token.cloned(),
                    trust: Trust::Certificates(shown.certificate_pem.clone().into_bytes()),
                    ..ClientConfig::default()
                };
                assert_eq!(ask(&server.endpoint, config, &mut said).await, is_let_in);
            }
            if !secure {
                let bearer = format!("Authorization: Bearer {}\r\n", good.reveal());
                for line in ["GET /v1", "GET /view", "GET /none", "PUT /v1/observe", "GET /v1/x?token=y"] {
                    for headers in [bearer.clone(), bearer.repeat(2)] {
                        let reply = server.send(&server.request(line, &headers, "")).await;
                        writeln!(said, "{reply:?}").unwrap();
                    }
                }
            }
            server.stop().await.unwrap();
        }
    }
    let with_tokens = log.0.lock().unwrap().len();
    let open = Running::new().await;
    assert!(ask(&open.endpoint, ClientConfig::default(), &mut said).await);
    open.stop().await.unwrap();
    std::fs::write(&tokens, format!("alice {}\n", good.reveal())).unwrap();
    let wrong = TokenFile::open(&tokens).unwrap_err();
    writeln!(said, "{wrong} {wrong:?}").unwrap();
    let mixed =
        worldspace_http::tls::ServerTls::from_pem(shown.key_pem.reveal().as_bytes(), b"").unwrap_err();
    writeln!(said, "{mixed} {mixed:?} {shown:?}").unwrap();
    let refused = ClientConfig { token: Some(good.clone()), ..ClientConfig::default() };
    let refused = HttpTransport::new(Endpoint::parse("http://192.0.2.1/").unwrap(), refused).err().unwrap();
    writeln!(said, "{refused} {refused:?}").unwrap();

    let logged = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    for part in ["answered", "hyper", "h2::", "reqwest"] {
        assert!(logged.contains(part), "{part} is logged, or this tests nothing");
    }
    // Who asked is said of those alone who were let in by a name.
    let answered = |part: &str| -> Vec<String> {
        let all = part.lines().filter(|line| line.contains("answered")).map(str::to_owned);
        all.filter(|line| line.contains("interaction=\"observe\"")).collect()
    };
    let named = answered(&logged[..with_tokens]);
    for line in &named {
        let names = ["alice", "owner"].map(|name| line.contains(&format!(" principal=\"{name}\"")));
        assert_eq!(names.contains(&true), line.contains(" status=200"), "{line}");
        assert_eq!(line.contains("principal"), line.contains(" status=200"), "{line}");
    }
    let let_in = |name| named.iter().any(|line| line.contains(&format!(" principal=\"{name}\"")));
    assert!(let_in("alice") && let_in("owner"), "{named:?}");
    let nameless = answered(&logged[with_tokens..]);
    assert!(!nameless.is_empty() && !nameless.concat().contains("principal"), "{nameless:?}");
    let key = shown.key_pem.reveal().lines().nth(1).unwrap();
    for secret in [&good.reveal()[4..], &bad.reveal()[4..], &one.reveal()[4..], key] {
        for text in [&logged, &said] {
            let found = text.find(secret).map(|at| &text[at.saturating_sub(300)..at]);
            assert_eq!(found, None, "a secret follows");
        }
    }
}
