//! `http_metadata.jsonl`: every method, target and set of headers, octet by octet.

use std::collections::BTreeMap;

use worldspace_host::{Host, Memory};
use worldspace_model::EntryPath;

use super::vector::{Vector, accepts, vectors};
use super::verdict::{Report, expect_error, expect_plain};
use crate::live::{Live, Reply, panics};

const BODY: &str = r#"{"path":"/","depth":0}"#;

/// The path of an endpoint as it is written, whatever its scheme and authority are.
fn base_path(endpoint: &str) -> String {
    let rest = endpoint.split_once("://").unwrap().1;
    rest.find('/').map_or("/", |at| &rest[at..]).to_owned()
}

#[tokio::test]
async fn every_head_is_let_through_or_refused() {
    let before = panics();
    let mut servers: BTreeMap<String, Live> = BTreeMap::new();
    let mut report = Report::default();
    for vector in vectors("http_metadata") {
        let base = base_path(vector.text("endpoint"));
        if !servers.contains_key(&base) {
            let host = Host::builder().mount(EntryPath::root(), Memory::new()).build().unwrap();
            let live = Live::configured(host, |config| config.base_path = base.clone()).await;
            servers.insert(base.clone(), live);
        }
        let live = &servers[&base];
        let (head, reply) = live.send(&request(live, &vector)).await;
        report.add(vector.id(), judge(live, &vector, &head, &reply));
    }
    report.end(170);
    for live in servers.values() {
        live.expect_alive().await;
    }
    assert_eq!(panics(), before);
}

fn request(live: &Live, vector: &Vector) -> Vec<u8> {
    let mut request =
        format!("{} {} HTTP/1.1\r\nHost: {}\r\n", vector.text("method"), vector.text("target"), live.address);
    for header in vector.0["headers"].as_array().unwrap() {
        let (name, value) = (header[0].as_str().unwrap(), header[1].as_str().unwrap());
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("Connection: close\r\nContent-Length: {}\r\n\r\n{BODY}", BODY.len()));
    request.into_bytes()
}

fn judge(live: &Live, vector: &Vector, head: &str, reply: &Reply) -> Result<(), String> {
    let expected = &vector.0["expect"];
    // A live server has the other routes too, and these answer for themselves.
    let (route, elsewhere) = routes(live, vector.text("target"), vector.text("route"));
    if accepts(expected) || elsewhere {
        return match route.as_str() {
            "observe" if reply.status == 200 && reply.json => Ok(()),
            "observe" => Err(format!("no answer: {reply:?}")),
            _ => expect_error(reply, "invalid_request", &["level"], BODY.as_bytes()),
        };
    }
    let status = expected["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap();
    if let Some(allow) = expected["allow"].as_str() {
        let stated = format!("\r\nallow: {}", allow.to_lowercase());
        if !head.contains(&stated) {
            return Err(format!("no Allow: {allow}: {head}"));
        }
    }
    if vector.text("method") == "HEAD" {
        return if reply.status == status { Ok(()) } else { Err(format!("{reply:?}")) };
    }
    expect_plain(reply, status, vector.0.to_string().as_bytes())
}

/// The route that a target names, and whether it is another one than the vector is about.
fn routes(live: &Live, target: &str, route: &str) -> (String, bool) {
    let path = live.url.splitn(4, '/').nth(3).unwrap();
    let named = ["observe", "fetch_interface", "call_operation"]
        .into_iter()
        .find(|name| target == format!("/{path}v1/{name}"))
        .unwrap_or(route);
    (named.to_owned(), named != route)
}
