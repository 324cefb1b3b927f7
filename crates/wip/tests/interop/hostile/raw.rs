//! Bodies that no vector holds: requests cut off at every byte, requests with bytes damaged, and bodies made to be
//! expensive.

use serde_json::json;
use worldspace_host::{Host, Interfaces, LocalPath, LocalReference, Memory, MemoryNode};
use worldspace_model::EntryPath;

use super::vector::{echo, interface};
use super::verdict::{Report, SECRET, check_message, expect_error, expect_plain};
use crate::live::{Live, Reply, panics};

async fn serve() -> Live {
    let memory = Memory::new();
    let reference = LocalReference::at_root("i").unwrap();
    let any = interface(&echo(&json!([]), &json!({"kind": "json"})).to_string()).unwrap();
    memory.serve(reference.clone(), any, |_, call| async move {
        let value = call.argument("value").cloned().unwrap();
        Ok(call.done(value))
    });
    memory.put(&LocalPath::parse("/t").unwrap(), MemoryNode::new().publishing(&Interfaces::new([reference])));
    memory.put(&LocalPath::parse("/neighbour").unwrap(), MemoryNode::new().described(SECRET));
    Live::serve(Host::builder().mount(EntryPath::root(), memory).build().unwrap()).await
}

/// A call with these arguments, as text.
async fn call(live: &Live, arguments: &str) -> String {
    let validator = live.interface_validator("/", "i").await;
    let interface = json!({"reference": {"scope": "/", "name": "i"}, "validator": validator});
    format!(
        r#"{{"target":{{"path":"/t"}},"interface":{interface},"operation":"op","arguments":{arguments}}}"#
    )
}

/// A request on every route, with a bit of everything.
async fn requests(live: &Live) -> [(&'static str, String); 5] {
    [
        ("observe", r#"{"path":"/t","depth":0}"#.to_owned()),
        ("fetch", r#"{"entries":["/t","/nowhere","/"]}"#.to_owned()),
        ("fetch_tree", r#"{"entry":"/t","depth":2,"limit":5,"after":"x"}"#.to_owned()),
        ("fetch_interface", r#"{"interface":{"scope":"/","name":"i"}}"#.to_owned()),
        ("call_operation", call(live, r#"{"value":[1,-2.5e3,"é\u0000\ud83d\ude00",null,{"a":true}]}"#).await),
    ]
}

/// Whether an answer is one that bad requests may get: a success, or a refusal before anything happened.
fn expect_orderly(reply: &Reply, request: &[u8]) -> Result<(), String> {
    if reply.status == 200 {
        reply.parsed();
        return Ok(());
    }
    match reply.error() {
        Some((code, message)) if !matches!(code.as_str(), "internal" | "operation_outcome_unknown") => {
            check_message(&message, request)
        }
        _ => Err(format!("{reply:?}")),
    }
}

#[tokio::test]
async fn requests_cut_off_at_every_byte_are_refused() {
    let before = panics();
    let live = serve().await;
    let mut report = Report::default();
    for (route, body) in requests(&live).await {
        report.add(route, expect_orderly(&live.post(route, body.clone()).await, body.as_bytes()));
        for end in 0..body.len() {
            let cut = &body.as_bytes()[..end];
            let reply = live.post(route, cut).await;
            report.add(&format!("{route} cut at {end}"), expect_error(&reply, "invalid_request", &[], cut));
        }
    }
    report.end(300);
    live.expect_alive().await;
    assert_eq!(panics(), before);
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }
}

#[tokio::test]
async fn requests_with_damaged_bytes_are_answered_in_order() {
    let before = panics();
    let live = serve().await;
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut report = Report::default();
    for (route, body) in requests(&live).await {
        for round in 0..300 {
            let mut damaged = body.clone().into_bytes();
            for _ in 0..=numbers.below(3) {
                let at = numbers.below(damaged.len());
                match numbers.below(3) {
                    0 => damaged[at] ^= 1 << numbers.below(8),
                    1 => damaged[at] = b"\"\\{}[]:,0-e\x00\x80\xff/."[numbers.below(16)],
                    _ => drop(damaged.remove(at)),
                }
            }
            let reply = live.post(route, damaged.clone()).await;
            let id = format!("{route} {round}: {:?}", String::from_utf8_lossy(&damaged));
            report.add(&id, expect_orderly(&reply, &damaged));
        }
    }
    report.end(1500);
    live.expect_alive().await;
    assert_eq!(panics(), before);
}

#[tokio::test]
async fn bodies_made_to_be_expensive_are_cheap_to_refuse() {
    let before = panics();
    let live = serve().await;
    let started = std::time::Instant::now();
    let mut report = Report::default();
    let deep = |open: &str, count: usize| open.repeat(count);
    let members = |count: usize| {
        let members: Vec<String> = (0..count).map(|at| format!(r#""m{at}":0"#)).collect();
        format!("{{{}}}", members.join(","))
    };
    let repeated = format!("{{{}}}", vec![r#""m":0"#; 100_000].join(","));
    let closed = |depth: usize| format!(r#"{{"value":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let entries = |count: usize| format!(r#"{{"entries":[{}]}}"#, vec![r#""/t""#; count].join(","));
    let long = "x".repeat(900_000);
    let cases = [
        ("lists without end", "observe", deep("[", 1_000_000), "invalid_request"),
        ("objects without end", "observe", deep(r#"{"path":"#, 100_000), "invalid_request"),
        (
            "deep in a path",
            "observe",
            format!(r#"{{"depth":0,"path":{}"#, deep("[", 900_000)),
            "invalid_request",
        ),
        (
            "deep in an unknown member",
            "fetch_tree",
            format!(r#"{{"x":{}"#, deep("[", 900_000)),
            "invalid_request",
        ),
        ("deep in arguments", "call_operation", call(&live, &closed(64)).await, "invalid_request"),
        ("deeper in arguments", "call_operation", call(&live, &closed(400_000)).await, "invalid_request"),
        ("many members", "observe", members(70_000), "invalid_request"),
        ("one member many times", "observe", repeated.clone(), "invalid_request"),
        ("many arguments", "call_operation", call(&live, &members(70_000)).await, "invalid_arguments"),
        ("one argument many times", "call_operation", call(&live, &repeated).await, "invalid_request"),
        ("many entries", "fetch", entries(200_000), "resource_limit_exceeded"),
        ("a long path", "observe", format!(r#"{{"depth":0,"path":"/{long}"}}"#), "not_found"),
        ("a long bad path", "observe", format!(r#"{{"depth":0,"path":"{long}"}}"#), "invalid_request"),
        ("a long member", "observe", format!(r#"{{"{long}":0}}"#), "invalid_request"),
        (
            "a long argument",
            "call_operation",
            call(&live, &format!(r#"{{"{long}":0}}"#)).await,
            "invalid_arguments",
        ),
        (
            "a long number",
            "observe",
            format!(r#"{{"path":"/","depth":{}}}"#, "9".repeat(900_000)),
            "invalid_request",
        ),
        (
            "many segments",
            "observe",
            format!(r#"{{"depth":0,"path":"{}"}}"#, "/a".repeat(400_000)),
            "not_found",
        ),
        (
            "a long interface",
            "fetch_interface",
            format!(r#"{{"interface":{{"scope":"/","name":"{long}"}}}}"#),
            "interface_not_found",
        ),
        (
            "a long operation",
            "call_operation",
            call(&live, "{}").await.replace(r#""op""#, &format!(r#""{long}""#)),
            "operation_not_found",
        ),
    ];
    for (id, route, body, code) in cases {
        let reply = live.post(route, body.clone()).await;
        report.add(id, expect_error(&reply, code, &[], body.as_bytes()));
    }
    // As large, and in order.
    let body = call(&live, &format!(r#"{{"value":{}}}"#, members(70_000))).await;
    let reply = live.post("call_operation", body).await;
    let count = reply.parsed()["result"].as_object().map(serde_json::Map::len);
    report.add(
        "many members, in order",
        if count == Some(70_000) { Ok(()) } else { Err(format!("{reply:?}")) },
    );
    let spaces = |count: usize| format!(r#"{{"path":"/","depth":0}}{}"#, " ".repeat(count));
    let room = (1 << 20) - spaces(0).len();
    let reply = live.post("observe", spaces(room)).await;
    report.add(
        "just as large as allowed",
        if reply.status == 200 { Ok(()) } else { Err(format!("{reply:?}")) },
    );
    report.add("a byte larger", expect_plain(&live.post("observe", spaces(room + 1)).await, 413, b""));
    report.end(22);
    live.expect_alive().await;
    assert_eq!(panics(), before);
    // Whatever grows faster than its body would take minutes.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
