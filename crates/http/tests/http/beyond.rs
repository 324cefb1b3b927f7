//! Addresses that other machines reach: what they take, and by which names a server there goes.

use std::sync::Arc;

use worldspace_http::auth::{Authentication, Token};
use worldspace_http::tls::{ServerTls, self_signed};
use worldspace_http::{BeyondLoopback, Missing, ServeError, Server, ServerConfig};
use worldspace_model::Principal;

use crate::raw::Running;
use crate::world::World;

fn tls() -> ServerTls {
    self_signed(&["127.0.0.1".to_owned()]).unwrap().tls().unwrap()
}

fn token() -> Authentication {
    Authentication::One { token: Token::generate().unwrap(), principal: Principal::new("owner") }
}

/// Allows all that a test needs.
fn open(config: &mut ServerConfig) {
    config.listen = "0.0.0.0:0".parse().unwrap();
    config.beyond_loopback = BeyondLoopback { plain: true, anonymous: true };
}

#[tokio::test]
async fn what_is_missing_is_named_unless_it_is_allowed() {
    let allow = |plain, anonymous| BeyondLoopback { plain, anonymous };
    let all = ["0.0.0.0:0", "[::]:0", "[::ffff:0.0.0.0]:0"];
    for (tls, authentication, allowed, missing) in [
        (None, Authentication::Anonymous, allow(false, false), Some(Missing::Both)),
        (Some(tls()), Authentication::Anonymous, allow(false, false), Some(Missing::Tokens)),
        (None, token(), allow(false, false), Some(Missing::Tls)),
        (None, Authentication::Anonymous, allow(true, false), Some(Missing::Tokens)),
        (None, Authentication::Anonymous, allow(false, true), Some(Missing::Tls)),
        (Some(tls()), Authentication::Anonymous, allow(true, false), Some(Missing::Tokens)),
        (None, token(), allow(false, true), Some(Missing::Tls)),
        (Some(tls()), token(), allow(false, false), None),
        (None, token(), allow(true, false), None),
        (Some(tls()), Authentication::Anonymous, allow(false, true), None),
        (None, Authentication::Anonymous, allow(true, true), None),
    ] {
        for listen in all {
            let config = ServerConfig {
                listen: listen.parse().unwrap(),
                tls: tls.clone(),
                authentication: authentication.clone(),
                beyond_loopback: allowed,
                ..ServerConfig::default()
            };
            let bound = Server::bind(config, Arc::new(World::default())).await;
            match (bound, missing) {
                (Ok(_), None) => {}
                (Err(ServeError::BeyondLoopback { missing: found, .. }), Some(missing)) => {
                    assert_eq!(found, missing, "{listen}")
                }
                // A machine without IPv6.
                (Err(ServeError::Bind { .. }), None) if listen.starts_with('[') => {}
                (bound, missing) => panic!("{listen} {missing:?}: {:?}", bound.map(|_| "bound")),
            }
        }
    }
}

#[tokio::test]
async fn a_server_answers_at_the_url_that_it_tells() {
    // As a machine without IPv6 has none of the others.
    let mut served = 0;
    for listen in ["127.0.0.1:0", "127.9.9.9:0", "[::1]:0", "[::ffff:127.0.0.1]:0"] {
        let listen = listen.parse().unwrap();
        if tokio::net::TcpListener::bind::<std::net::SocketAddr>(listen).await.is_err() {
            continue;
        }
        let server = Running::with(|config| config.listen = listen).await;
        assert_eq!(server.send(&server.request("GET /v1", "", "")).await.status, 200, "{listen}");
        served += 1;
    }
    assert!(served > 0);
}

#[tokio::test]
async fn a_server_at_all_addresses_goes_by_each_of_them_and_by_no_foreign_name() {
    let server = Running::with(|config| {
        open(config);
        config.hosts = vec!["127.0.0.1:9".to_owned()];
    })
    .await;
    assert_eq!(server.endpoint.as_str(), "http://127.0.0.1:9/", "the first name that it was given");

    let server = Running::with(|config| {
        open(config);
        config.hosts = vec!["no host".to_owned()];
    })
    .await;
    let port = server.address.port();
    assert_eq!(server.endpoint.as_str(), format!("http://127.0.0.1:{port}/"));
    for (host, status) in [
        (format!("127.0.0.1:{port}"), 200),
        (format!("localhost:{port}"), 200),
        (format!("192.0.2.7:{port}"), 200),
        (format!("[2001:db8::7]:{port}"), 200),
        (format!("192.0.2.7:{}", port ^ 1), 421),
        ("192.0.2.7".to_owned(), 421),
        (format!("192.0.2.7.evil.test:{port}"), 421),
        (format!("3221225991:{port}"), 421),
        (format!("evil.test:{port}"), 421),
        (format!("me@192.0.2.7:{port}"), 421),
    ] {
        let reply = server.send(&server.request("GET /v1", &format!("Host: {host}\r\n"), "")).await;
        assert_eq!(reply.status, status, "{host}: {reply:?}");
    }
    let elsewhere = format!("Host: 192.0.2.7:{port}\r\nOrigin: http://192.0.2.8:{port}\r\n");
    assert_eq!(server.send(&server.request("GET /v1", &elsewhere, "")).await.status, 403);
    let at_one = Running::new().await;
    let host = format!("Host: 192.0.2.7:{}\r\n", at_one.address.port());
    assert_eq!(at_one.send(&at_one.request("GET /v1", &host, "")).await.status, 421);
}
