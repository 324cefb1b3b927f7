//! What the right answer is, and what a message must be.
//!
//! The vectors record which inputs are bad; which code a Host answers follows from the order of checks (SPEC 2.2) and
//! the meaning of the codes (SPEC 3). The first row that fits counts:
//!
//! | what is wrong | answer |
//! | --- | --- |
//! | the path, method, media types or coding of the HTTP request | a plain 404, 405, 415, 406, as the vector says |
//! | the body is larger than the limit | a plain 413 |
//! | the body is no JSON, or too deep, anywhere in it, the arguments included (`invalid_json`, `nesting_too_deep`) | `invalid_request` |
//! | a member of the request is missing, unknown, null, of another kind, no base64 | `invalid_request` |
//! | a path or a reference of the request is ill formed, whether or not anything is there | `invalid_request` |
//! | ... in the list of `fetch` | `invalid_request` in the place of that entry alone |
//! | the entry or the target is not there | `not_found` |
//! | the interface that is fetched is not there | `interface_not_found` |
//! | a target validator that does not match | `validator_mismatch` |
//! | an interface that the Object does not publish, a scope that is not above it, another `scope_ref` | `interface_mismatch` |
//! | no interface validator where there is one, or another one | `interface_validator_required`, `interface_validator_mismatch` |
//! | an operation that is not declared | `operation_not_found` |
//! | an argument that is missing, unknown, null, of another type, out of range, no base64, no path | `invalid_arguments` |

use crate::live::Reply;

/// What a message says only by mistake: the machine's paths, source files, text made for debugging, and what the worlds
/// of these tests keep to themselves.
const FOREIGN: [&str; 17] = [
    env!("CARGO_MANIFEST_DIR"),
    "/root/",
    "/home/",
    "/tmp/",
    "/usr/",
    ".cargo",
    ".rs",
    "src/",
    "Fault {",
    "Some(",
    "None",
    "Err(",
    "Ok(",
    "panicked",
    "worldspace_",
    "::<",
    SECRET,
];

/// Stands where only others may see it: in descriptions, in the causes of failures, in names beside those asked for.
pub(crate) const SECRET: &str = "confidential";

/// The members of requests.
const MEMBERS: [&str; 10] =
    ["path", "depth", "entry", "entries", "limit", "after", "interface", "target", "operation", "arguments"];

/// Checks what a message is, whatever it is about. What the request itself held may be repeated.
pub(crate) fn check_message(message: &str, request: &[u8]) -> Result<(), String> {
    let request = String::from_utf8_lossy(request);
    let foreign = FOREIGN.iter().find(|text| message.contains(**text) && !request.contains(**text));
    if message.trim().is_empty() {
        Err("an empty message".to_owned())
    } else if message.len() > 1024 {
        Err(format!("a message of {} bytes", message.len()))
    } else if let Some(text) = foreign {
        Err(format!("a message that holds {text:?}: {message}"))
    } else if let Some(control) = message.chars().find(|c| c.is_control()) {
        Err(format!("a message that holds {control:?}: {message:?}"))
    } else {
        Ok(())
    }
}

/// Whether the message about a malformed request says where in it: at a byte, below a member, or at the outside.
fn places(message: &str) -> bool {
    let member = message.strip_prefix("the request is invalid: ").is_some_and(|said| {
        let first = said.split(['.', ':', '[']).next();
        first.is_some_and(|first| MEMBERS.contains(&first))
    });
    member
        || message.starts_with("the request is invalid at its outermost level: ")
        || message.contains("(byte ")
}

/// Checks that an answer is this error, and its message one for people. `named` is what the message must name.
pub(crate) fn expect_error(reply: &Reply, code: &str, named: &[&str], request: &[u8]) -> Result<(), String> {
    let Some((actual, message)) = reply.error() else {
        return Err(format!("{code} was expected: {reply:?}"));
    };
    if actual != code {
        return Err(format!("{code} was expected: {actual}: {message}"));
    }
    if code == "invalid_request" && !places(&message) {
        return Err(format!("the message does not say where: {message}"));
    }
    if let Some(unnamed) = named.iter().find(|name| !message.contains(**name)) {
        return Err(format!("the message does not name {unnamed}: {message}"));
    }
    check_message(&message, request)
}

/// Checks that an answer is a plain failure: a line of text for people.
pub(crate) fn expect_plain(reply: &Reply, status: u16, request: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(&reply.body);
    if reply.status != status || reply.json {
        return Err(format!("a plain {status} was expected: {reply:?}"));
    }
    let text = text.strip_suffix('\n').unwrap_or(&text);
    if text.is_empty() || text.len() > 1024 || text.contains('\n') {
        return Err(format!("no line of text: {reply:?}"));
    }
    match FOREIGN
        .iter()
        .find(|foreign| text.contains(**foreign) && !String::from_utf8_lossy(request).contains(**foreign))
    {
        Some(foreign) => Err(format!("a text that holds {foreign:?}: {text}")),
        None => Ok(()),
    }
}

/// Gathers what went wrong, so that one run shows all of it.
#[derive(Default)]
pub(crate) struct Report {
    checked: usize,
    wrong: Vec<String>,
}

impl Report {
    pub(crate) fn add(&mut self, id: &str, result: Result<(), String>) {
        self.checked += 1;
        self.wrong.extend(result.err().map(|reason| format!("{id}: {reason}")));
    }

    /// Fails unless all is right and at least that much was checked.
    pub(crate) fn end(self, least: usize) {
        assert!(
            self.wrong.is_empty(),
            "{} of {} are wrong:\n{}",
            self.wrong.len(),
            self.checked,
            self.wrong.join("\n")
        );
        assert!(self.checked >= least, "only {} were checked", self.checked);
    }
}
