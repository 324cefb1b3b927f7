//! The reader against serde_json, on texts that are nearly JSON: it never accepts more, and refuses more only where the
//! protocol does.

use proptest::collection::vec;
use proptest::prelude::*;
use worldspace_model::{CallAnswer, Settled, Type};

use crate::support::{echo, json, roomy};

/// Pieces whose sequences are now and then JSON.
const PIECES: [&str; 40] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "\"a\"",
    "\"b\"",
    "\"\\u0061\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud83d\"",
    "\"\\udE00\"",
    "\"\\x\"",
    "\"",
    "\\",
    "\"a\":",
    "\"b\":",
    "{\"a\":",
    "[1,",
    "null",
    "true",
    "false",
    "nul",
    "0",
    "-0",
    "01",
    "-",
    "1",
    "1.5",
    "1.",
    ".5",
    "1e5",
    "1E+05",
    "1e",
    "1e400",
    "é",
    "\u{feff}",
    "\u{0}",
];

fn soup() -> impl Strategy<Value = Vec<u8>> {
    vec(prop::sample::select(PIECES.to_vec()), 0..9).prop_map(|pieces| pieces.concat().into_bytes())
}

/// A JSON text with one byte taken out, put in or replaced.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![any::<u8>(), prop::sample::select(b"{}[],:\"\\ue-+.019 \n".to_vec())];
    (json(), any::<prop::sample::Index>(), byte, 0..3).prop_map(|(value, at, byte, how)| {
        let answer = CallAnswer { result: value, validator: None, settled: Settled::BeforeFence };
        let body = roomy().write_call_answer(&answer).unwrap();
        let mut text = body[b"{\"result\":".len()..body.len() - 1].to_vec();
        let at = at.index(text.len());
        match how {
            0 => drop(text.remove(at)),
            1 => text.insert(at, byte),
            _ => text[at] = byte,
        }
        text
    })
}

fn compare(text: &[u8]) -> Result<(), TestCaseError> {
    let body = [b"{\"result\":", text, b"}"].concat();
    let reference: Result<serde_json::Value, _> = serde_json::from_slice(&body);
    let read = roomy().read_call_answer(&body, &echo(vec![], Type::JSON));
    let shown = String::from_utf8_lossy(&body);
    match (reference, read) {
        (Err(error), Ok(_)) => prop_assert!(false, "{shown}: accepted, but {error}"),
        (Ok(_), Err(error)) => {
            let said = error.to_string();
            // Another member beside the result, a name that stands twice, an integer that would be rounded.
            let ours = ["there is no field", "stands twice", "binary64 cannot hold"];
            let ours = ours.iter().any(|known| said.contains(known));
            prop_assert!(ours, "{shown}: {said}");
        }
        _ => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_of_json(text in soup()) {
        compare(&text)?;
    }

    #[test]
    fn json_with_one_byte_damaged(text in damaged()) {
        compare(&text)?;
    }
}
