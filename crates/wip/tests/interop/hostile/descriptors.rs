//! `descriptor.jsonl`: what is accepted is served by our Host, canonical and readable to the published crates. What is
//! not cannot be served by it; a Host that answers it to our Client is told from one that answers rightly.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpListener;
use wip_http::DecodedResponse;
use worldspace_host::{Host, LocalReference, Memory};
use worldspace_http::{ClientConfig, Endpoint, HttpTransport};
use worldspace_model::{
    EntryPath, FetchInterfaceRequest, InterfaceReference, Principal, RequestContext, Transport as _,
    TransportError,
};

use super::vector::{interface, parsed, same, vectors};
use super::verdict::Report;
use crate::live::{Live, panics, recorded_limits};

#[tokio::test]
async fn accepted_descriptors_are_served_as_they_are() {
    let before = panics();
    let memory = Memory::new();
    let accepted: Vec<_> = vectors("descriptor")
        .into_iter()
        .filter(|vector| vector.0["expect"]["verdict"] == "accept")
        .collect();
    for (at, vector) in accepted.iter().enumerate() {
        let interface =
            interface(vector.text("descriptor_text")).unwrap_or_else(|| panic!("{}", vector.id()));
        let reference = LocalReference::at_root(&format!("i{at}")).unwrap();
        memory.serve(
            reference,
            interface,
            |_, call| async move { Ok(call.done(worldspace_model::Value::Unit)) },
        );
    }
    let live = Live::serve(Host::builder().mount(EntryPath::root(), memory).build().unwrap()).await;
    let mut report = Report::default();
    for (at, vector) in accepted.iter().enumerate() {
        let reference = json!({"scope": "/", "name": format!("i{at}")});
        let reply = live.post("fetch_interface", json!({"interface": reference}).to_string()).await;
        let canonical = parsed(&vector.0["expect"]["canonical"]);
        let served = reply.status == 200 && same(&canonical, &reply.parsed()["descriptor"]);
        report.add(
            vector.id(),
            if served { Ok(()) } else { Err(format!("{canonical} was expected: {reply:?}")) },
        );

        let interface =
            wip_http::wip_protocol::InterfaceReference { scope: "/".to_owned(), name: format!("i{at}") };
        let request = wip_http::wip_protocol::FetchInterfaceRequest { interface };
        let response = wip_http::http::Response::builder().header(CONTENT_TYPE, "application/json");
        let response = response.body(reply.body).unwrap();
        let limits = wip_http::Limits::new(1 << 20, 1 << 20, 64).unwrap();
        report.add(
            vector.id(),
            match wip_http::decode_fetch_interface_response(&request, &response, limits) {
                Ok(DecodedResponse::Success(_)) => Ok(()),
                other => Err(format!("the published crate makes of it: {other:?}")),
            },
        );
    }
    report.end(2 * 61);
    live.expect_alive().await;
    assert_eq!(panics(), before);
}

/// A Host that answers everything with one body.
async fn answering(body: Arc<Mutex<Vec<u8>>>) -> Endpoint {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let endpoint = Endpoint::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let body = body.clone();
            let service = service_fn(move |_| {
                let body = Full::new(Bytes::from(body.lock().unwrap().clone()));
                let response = http::Response::builder().header(CONTENT_TYPE, "application/json");
                std::future::ready(response.body(body))
            });
            tokio::spawn(
                hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service),
            );
        }
    });
    endpoint
}

#[tokio::test]
async fn rejected_descriptors_are_invalid_answers_to_our_client() {
    let before = panics();
    let body = Arc::new(Mutex::new(Vec::new()));
    let config = ClientConfig { wire: recorded_limits(), ..ClientConfig::default() };
    let transport = HttpTransport::new(answering(body.clone()).await, config).unwrap();
    let mut report = Report::default();
    for vector in vectors("descriptor") {
        let descriptor = vector.text("descriptor_text");
        *body.lock().unwrap() =
            format!(r#"{{"interface":{{"scope":"/","name":"i"}},"descriptor":{descriptor}}}"#).into_bytes();
        let interface = InterfaceReference::parse("/", "i").unwrap();
        let request = FetchInterfaceRequest { interface, effects: false };
        let answer = transport.fetch_interface(RequestContext::of(Principal::anonymous()), request).await;
        let accepted = vector.0["expect"]["verdict"] == "accept";
        report.add(
            vector.id(),
            match answer {
                Ok(_) if accepted => Ok(()),
                Err(TransportError::InvalidAnswer { detail }) if !accepted => {
                    let format = vector.0["expect"]["format"].as_str().filter(|format| !format.is_empty());
                    match format.is_none_or(|format| detail.contains(format))
                        && !detail.is_empty()
                        && detail.len() <= 1024
                    {
                        true => Ok(()),
                        false => Err(format!("it does not say what is wrong: {detail}")),
                    }
                }
                other => Err(format!("{other:?}")),
            },
        );
    }
    report.end(242);
    assert_eq!(panics(), before);
}
