//! One vector, and how results are compared with what it expects.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value as Json;

/// One line of a file of vectors.
pub(crate) struct Vector {
    json: Json,
}

/// What the implementation made of an input.
pub(crate) enum Verdict {
    /// It was accepted; the text is what it is when written again.
    Accept(Option<Vec<u8>>),
    /// It was rejected, for this reason.
    Reject(String),
}

impl Vector {
    pub(crate) fn parse(line: &str) -> Result<Self, String> {
        let json: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
        for member in ["id", "area"] {
            json.get(member).and_then(Json::as_str).ok_or_else(|| format!("no string `{member}`"))?;
        }
        Ok(Self { json })
    }

    pub(crate) fn id(&self) -> &str {
        self.json["id"].as_str().unwrap_or_default()
    }

    pub(crate) fn area(&self) -> &str {
        self.json["area"].as_str().unwrap_or_default()
    }

    pub(crate) fn note(&self) -> &str {
        self.json["note"].as_str().unwrap_or_default()
    }

    pub(crate) fn advisory(&self) -> Option<&str> {
        self.json.get("advisory")?.as_str()
    }

    pub(crate) fn get(&self, member: &str) -> Option<&Json> {
        self.json.get(member)
    }

    pub(crate) fn json(&self, member: &str) -> Result<&Json, String> {
        self.get(member).ok_or_else(|| format!("the vector has no `{member}`"))
    }

    pub(crate) fn text(&self, member: &str) -> Result<&str, String> {
        text(self.json(member)?)
    }

    /// The bytes of the body.
    pub(crate) fn body(&self) -> Result<Vec<u8>, String> {
        match self.get("body_base64") {
            Some(encoded) => STANDARD.decode(text(encoded)?).map_err(|error| error.to_string()),
            None => Ok(self.text("body")?.as_bytes().to_vec()),
        }
    }

    /// Compares with the verdict in `expect` itself.
    pub(crate) fn expect(&self, verdict: &Verdict) -> Result<(), String> {
        expect(self.json("expect")?, verdict)
    }
}

pub(crate) fn text(json: &Json) -> Result<&str, String> {
    json.as_str().ok_or_else(|| format!("{json} is no string"))
}

impl<T, E: ToString> From<Result<T, E>> for Verdict {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(_) => Self::Accept(None),
            Err(error) => Self::Reject(error.to_string()),
        }
    }
}

/// Compares with a verdict; the text counts where the vector has one.
pub(crate) fn expect(expected: &Json, verdict: &Verdict) -> Result<(), String> {
    match (expected["verdict"].as_str(), verdict) {
        (Some("accept"), Verdict::Accept(written)) => match (expected.get("canonical"), written) {
            (Some(canonical), Some(written)) => same_text(text(canonical)?, written),
            (Some(_), None) => Err("the vector has a text, and nothing was written".to_owned()),
            (None, _) => Ok(()),
        },
        (Some("reject"), Verdict::Reject(_)) => Ok(()),
        (Some("accept"), Verdict::Reject(reason)) => Err(format!("rejected: {reason}")),
        (Some("reject"), Verdict::Accept(_)) => Err(format!("accepted, where {expected} is expected")),
        _ => Err(format!("no known verdict: {expected}")),
    }
}

pub(crate) fn same_text(expected: &str, written: &[u8]) -> Result<(), String> {
    let parse = |text: &[u8]| serde_json::from_slice(text).map_err(|error| format!("{error} in the text"));
    let (left, right): (Json, Json) = (parse(expected.as_bytes())?, parse(written)?);
    same(&left, &right)
}

/// Equality by the rules for canonical texts.
pub(crate) fn same(expected: &Json, actual: &Json) -> Result<(), String> {
    let equal = match (expected, actual) {
        (Json::Number(left), Json::Number(right)) => {
            let spelled = |number: &serde_json::Number| number.is_i64() || number.is_u64();
            left.as_f64() == right.as_f64() && (!spelled(left) || spelled(right))
        }
        (Json::Array(left), Json::Array(right)) => {
            for (left, right) in left.iter().zip(right) {
                same(left, right)?;
            }
            left.len() == right.len()
        }
        (Json::Object(left), Json::Object(right)) => {
            for (name, value) in left {
                same(value, right.get(name).ok_or_else(|| format!("no member `{name}` was written"))?)?;
            }
            left.len() == right.len()
        }
        _ => expected == actual,
    };
    if equal { Ok(()) } else { Err(format!("expected {expected}, found {actual}")) }
}
