//! Arguments from the command line: words coerced by their declared type into one JSON document, which the codec then
//! reads along the declaration as it would read a request's.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use worldspace_idl::text_view::{self, Options};
use worldspace_model::{ErrorCode, Fault, Location, Namespace, Operation, Rule, Shape, Step, TypeRef};
use worldspace_wire::DecodeError;

use crate::example;
use crate::failure::{Failure, Kind};
use crate::show::{command, text};

/// So much of what was written is repeated when it is wrong.
const REPEATED: usize = 60;

/// One `name=value`, `name:=json` or `name=@file`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Given {
    /// As it was written, for messages.
    word: String,
    name: String,
    value: Word,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    Text(String),
    Json(String),
    /// A file that is yet to be read, or stdin for `-`.
    File(String),
    Content(Vec<u8>),
}

impl Given {
    pub(crate) fn parse(word: &str) -> Result<Self, Failure> {
        let Some((name, value)) = word.split_once('=') else {
            let failure = Failure::usage(format!("{:?} is no argument", clipped(word)));
            return Err(failure.hint("arguments are name=value, name:=JSON or name=@FILE"));
        };
        let (name, value) = match (name.strip_suffix(':'), value.strip_prefix('@')) {
            (Some(name), _) => (name, Word::Json(value.to_owned())),
            (None, Some(file)) => (name, Word::File(file.to_owned())),
            (None, None) => (name, Word::Text(value.to_owned())),
        };
        Ok(Self { word: clipped(word).into_owned(), name: name.to_owned(), value })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The file that the value stands in, or `-` for stdin.
    pub(crate) fn file(&self) -> Option<&str> {
        if let Word::File(file) = &self.value { Some(file) } else { None }
    }

    /// With what its file holds.
    pub(crate) fn fill(&mut self, content: Vec<u8>) {
        self.value = Word::Content(content);
    }
}

/// The arguments object as JSON: the members of `input` and what was given by name.
pub(crate) fn document(
    operation: &Operation,
    input: Option<&[u8]>,
    given: Vec<Given>,
) -> Result<Vec<u8>, Failure> {
    let input = input.map(|input| object(input).map_err(|why| Failure::usage(format!("--input: {why}"))));
    let input = input.transpose()?;
    let mut members: Vec<(String, Member)> = Vec::with_capacity(given.len());
    for Given { word, name, value } in given {
        let misfit = |why: String| about(operation, &name, format!("{name}: {why}"));
        let parameter = operation.parameters().find(&name).ok_or_else(|| {
            let nearest = operation.parameters().nearest(&name);
            invalid(operation, &Fault::new(Rule::UnknownParameter { name: name.as_str().into(), nearest }))
        })?;
        if input.as_ref().is_some_and(|input| input.names.contains(&name)) {
            return Err(Failure::usage(format!("{name}: given twice (by --input and by {word})")));
        }
        let member = match value {
            Word::Json(text) => Member::Whole(structured(&text, parameter.ty).map_err(misfit)?.to_owned()),
            Word::Text(text) => coerce(&text, parameter.ty).map_err(misfit)?,
            Word::Content(content) => from_file(content, parameter.ty).map_err(misfit)?,
            Word::File(file) => return Err(misfit(format!("{file} has not been read"))),
        };
        match (members.iter_mut().find(|(known, _)| *known == name), member) {
            (None, member) => members.push((name, member)),
            // The items of a list may be given one by one.
            (Some((_, Member::Items(items))), Member::Items(more)) => items.extend(more),
            (Some(_), _) => return Err(Failure::usage(format!("{name}: given twice"))),
        }
    }
    let written = |(name, member): (String, Member)| match member {
        Member::Whole(text) => format!("{}:{text}", string(&name)),
        Member::Items(items) => format!("{}:[{}]", string(&name), items.join(",")),
    };
    let members = members.into_iter().map(written).collect::<Vec<String>>().join(",");
    Ok(match input {
        None => format!("{{{members}}}"),
        Some(input) => input.with(&members),
    }
    .into_bytes())
}

/// A coerced argument.
enum Member {
    Whole(String),
    Items(Vec<String>),
}

/// The object of `--input`. Its own text stays as it is, so that the codec sees what was written and where.
struct Input<'a> {
    text: &'a str,
    names: HashSet<String>,
}

impl Input<'_> {
    /// The object with further members behind its own.
    fn with(&self, members: &str) -> String {
        let text = self.text.trim_end();
        let open = text.strip_suffix('}').unwrap_or(text);
        let comma = if members.is_empty() || self.names.is_empty() { "" } else { "," };
        format!("{open}{comma}{members}}}")
    }
}

fn object(input: &[u8]) -> Result<Input<'_>, String> {
    let text = std::str::from_utf8(input).map_err(|_| "not valid UTF-8".to_owned())?;
    if !json(text)?.trim_start().starts_with('{') {
        return Err("expected an object with an argument for each member".to_owned());
    }
    let Names(names) = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    Ok(Input { text, names })
}

/// The names of an object's members.
struct Names(HashSet<String>);

impl<'de> serde::Deserialize<'de> for Names {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Names(HashSet::new()))
    }
}

impl<'de> serde::de::Visitor<'de> for Names {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some((name, serde::de::IgnoredAny)) = map.next_entry()? {
            self.0.insert(name);
        }
        Ok(self)
    }
}

/// The text, if it is JSON. What it means, the codec says along the declaration.
fn json(text: &str) -> Result<&str, String> {
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Ok(_) => Ok(text),
        Err(error) => Err(format!("not JSON: {error}")),
    }
}

fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn coerce(text: &str, ty: TypeRef<'_>) -> Result<Member, String> {
    if let Shape::List(items) = ty.shape()
        && !text.trim_start().starts_with('[')
    {
        return match coerce(text, items)? {
            Member::Whole(item) => Ok(Member::Items(vec![item])),
            Member::Items(items) => Ok(Member::Items(vec![format!("[{}]", items.join(","))])),
        };
    }
    scalar(text, ty).map(Member::Whole)
}

fn scalar(text: &str, ty: TypeRef<'_>) -> Result<String, String> {
    let expected = |what: &str| expected(what, text);
    match ty.shape() {
        Shape::String | Shape::Entry => Ok(string(text)),
        Shape::Enum(cases) => match cases.find(text) {
            Some(case) => Ok(string(case)),
            None => Err(cases.unknown(text).to_string()),
        },
        Shape::Integer => match text.parse::<i64>() {
            Ok(value) => Ok(value.to_string()),
            Err(_) => Err(expected("an integer")),
        },
        Shape::Number => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(format!("{value:?}")),
            _ => Err(expected("a number")),
        },
        Shape::Boolean if matches!(text, "true" | "false") => Ok(text.to_owned()),
        Shape::Boolean => Err(expected("`true` or `false`")),
        Shape::Unit if matches!(text, "" | "null") => Ok("null".to_owned()),
        Shape::Unit => Err(expected("nothing")),
        Shape::Bytes => Ok(string(&STANDARD.encode(text))),
        // A case that carries nothing may be given by its name alone.
        Shape::Union(cases) if !text.trim_start().starts_with('{') => match cases.find(text) {
            Some(case) => Ok(format!("{{\"$case\":{}}}", string(case.name))),
            None => Err(cases.unknown(text).to_string()),
        },
        Shape::Json => match json(text) {
            Ok(text) => Ok(text.to_owned()),
            Err(why) => {
                Err(format!("{why}; a string is written in quotation marks: {}", string(&clipped(text))))
            }
        },
        Shape::Record(_) | Shape::List(_) | Shape::Union(_) => structured(text, ty).map(str::to_owned),
    }
}

fn expected(what: &str, text: &str) -> String {
    format!("expected {what}, found {:?}", clipped(text))
}

/// The text, if it is JSON. What is wrong with it as JSON helps who meant to write some.
fn structured<'t>(text: &'t str, ty: TypeRef<'_>) -> Result<&'t str, String> {
    let is_structured = matches!(ty.shape(), Shape::Record(_) | Shape::List(_) | Shape::Union(_));
    json(text).map_err(|why| match is_structured && !text.trim_start().starts_with(['{', '[']) {
        true => expected(&format!("a {} as JSON", ty.kind()), text),
        false => why,
    })
}

/// A file's bytes, its text, or its JSON, as the type has it.
fn from_file(content: Vec<u8>, ty: TypeRef<'_>) -> Result<Member, String> {
    if let Shape::Bytes = ty.shape() {
        return Ok(Member::Whole(string(&STANDARD.encode(content))));
    }
    let text = String::from_utf8(content)
        .map_err(|_| format!("the file is not valid UTF-8, and {} is expected", ty.kind()))?;
    match ty.shape() {
        Shape::String => Ok(Member::Whole(string(&text))),
        Shape::Record(_) | Shape::List(_) | Shape::Union(_) | Shape::Json => {
            json(&text).map(|text| Member::Whole(text.to_owned()))
        }
        // Such a file was made with an editor, which ends the line.
        _ => coerce(text.trim_end_matches(['\r', '\n']), ty),
    }
}

/// Arguments that do not fit their declaration.
pub(crate) fn invalid(operation: &Operation, fault: &Fault) -> Failure {
    misfit(operation, fault.location(), Some(fault.rule()), fault.to_string())
}

/// As [`invalid`], found by the codec. It counts the bytes of a document that is partly this program's own.
pub(crate) fn unreadable(operation: &Operation, error: &DecodeError, written: bool) -> Failure {
    let mut message = error.to_string();
    if let Some(offset) = error.offset().filter(|_| !written) {
        message.truncate(message.trim_end_matches(&format!(" (byte {offset})")).len());
    }
    misfit(operation, error.location(), error.broken_rule(), message)
}

/// What the Host said of the arguments. It may begin with where they stand in the request, which is not where its
/// user wrote them.
pub(crate) fn refused_by_host(operation: &Operation, message: &str) -> Failure {
    let message = message.strip_prefix("arguments.").unwrap_or(message);
    let name = message.split(['.', ':', '[']).next().unwrap_or_default();
    let kind = Kind::Protocol(ErrorCode::InvalidArguments);
    Failure { kind, ..about(operation, name, message.to_owned()) }
}

fn misfit(operation: &Operation, at: &Location, rule: Option<&Rule>, message: String) -> Failure {
    let outermost = at.steps().next();
    match (outermost, rule) {
        (Some(Step::Named(Namespace::Parameter, name)), _) => about(operation, name, message),
        (None, Some(Rule::MissingParameter { name })) => about(operation, name, message),
        (None, Some(Rule::UnknownParameter { nearest: Some(nearest), .. })) => {
            about(operation, nearest, message)
        }
        (None, Some(Rule::UnknownParameter { .. })) => {
            let names: Vec<Cow<'_, str>> =
                operation.parameters().iter().map(|p| text::name(p.name)).collect();
            match names.as_slice() {
                [] => Failure::usage(message)
                    .hint(format!("`{}` takes no arguments", text::name(operation.name()))),
                names => Failure::usage(message).hint(format!("it takes {}", names.join(", "))),
            }
        }
        _ => Failure::usage(message),
    }
}

/// A failure over one parameter, with its declaration if there is such a one, and how it is written where that is more
/// than a word.
fn about(operation: &Operation, name: &str, message: String) -> Failure {
    let parameters = &operation.declaration().parameters;
    let declared = parameters.iter().find(|parameter| &*parameter.name == name);
    let Some((declared, parameter)) = declared.zip(operation.parameters().find(name)) else {
        return Failure::usage(message);
    };
    let declared = text_view::field(declared, Options::default());
    let failure = Failure::usage(message).hint(format!("it is declared as\n{declared}"));
    let failure = match example::word(name, parameter.ty) {
        Some(word) => failure.hint(format!("it is written as in {}", command::quote(&word))),
        None => failure,
    };
    match example::of_cases(parameter.ty) {
        Some(cases) => failure.hint(cases),
        None => failure,
    }
}

fn clipped(text: &str) -> Cow<'_, str> {
    text::clip(text, REPEATED)
}

#[cfg(test)]
mod tests {
    use worldspace_model::{Declaration, Descriptor, Field, OperationDeclaration, Type, UnionCase};

    use super::*;

    fn operation() -> Operation {
        let reason = Type::union([
            UnionCase::bare("done"),
            UnionCase::carrying("other", Type::record([Field::required("why", Type::STRING)])),
        ]);
        let parameters = [
            ("string", Type::STRING),
            ("integer", Type::INTEGER),
            ("number", Type::NUMBER),
            ("boolean", Type::BOOLEAN),
            ("unit", Type::UNIT),
            ("bytes", Type::BYTES),
            ("entry", Type::ENTRY),
            ("json", Type::JSON),
            ("kind", Type::one_of(["file", "link"])),
            ("reason", reason),
            ("record", Type::record([Field::required("a", Type::INTEGER)])),
            ("tags", Type::list(Type::STRING)),
            ("grid", Type::list(Type::list(Type::INTEGER))),
        ];
        let fields = parameters.map(|(name, ty)| Field::optional(name, ty));
        let declared = OperationDeclaration::new("op").takes(fields);
        let declaration = Declaration { operations: vec![declared], ..Declaration::default() };
        Descriptor::new(declaration).unwrap().operation("op").unwrap()
    }

    fn made(input: Option<&str>, words: &[&str]) -> Result<String, String> {
        let read = |file: &str| match file {
            "text" => b"line\n".to_vec(),
            "number" => b"12\r\n".to_vec(),
            "json" => b"[\"a\"]".to_vec(),
            _ => vec![0xff, 0],
        };
        let given = |word: &&str| {
            let mut given = Given::parse(word)?;
            if let Some(content) = given.file().map(read) {
                given.fill(content);
            }
            Ok(given)
        };
        let given = words.iter().map(given).collect::<Result<Vec<_>, Failure>>();
        let document = given
            .and_then(|given| document(&operation(), input.map(str::as_bytes), given))
            .map_err(|failure| failure.message)?;
        Ok(String::from_utf8(document).unwrap())
    }

    #[test]
    fn words_are_coerced_by_the_declared_type() {
        for (word, document) in [
            ("string=5", r#"{"string":"5"}"#),
            ("string=", r#"{"string":""}"#),
            ("string=a=b \"c\"", r#"{"string":"a=b \"c\""}"#),
            ("string:=\"@x\"", r#"{"string":"@x"}"#),
            ("string=@text", r#"{"string":"line\n"}"#),
            ("integer=007", r#"{"integer":7}"#),
            ("integer=-9007199254740991", r#"{"integer":-9007199254740991}"#),
            ("integer=@number", r#"{"integer":12}"#),
            ("number=1e3", r#"{"number":1000.0}"#),
            ("number=-0.5", r#"{"number":-0.5}"#),
            ("boolean=true", r#"{"boolean":true}"#),
            ("unit=", r#"{"unit":null}"#),
            ("bytes=hé", r#"{"bytes":"aMOp"}"#),
            ("bytes=@binary", r#"{"bytes":"/wA="}"#),
            ("entry=/a b", r#"{"entry":"/a b"}"#),
            ("json={\"a\": 1.0}", r#"{"json":{"a": 1.0}}"#),
            ("kind=file", r#"{"kind":"file"}"#),
            ("reason=done", r#"{"reason":{"$case":"done"}}"#),
            ("reason={\"$case\":\"done\"}", r#"{"reason":{"$case":"done"}}"#),
            ("record={\"a\":1}", r#"{"record":{"a":1}}"#),
            ("tags=a", r#"{"tags":["a"]}"#),
            ("tags=[\"a\",\"b\"]", r#"{"tags":["a","b"]}"#),
            ("tags=@json", r#"{"tags":["a"]}"#),
            ("grid=1", r#"{"grid":[[1]]}"#),
        ] {
            assert_eq!(made(None, &[word]).as_deref(), Ok(document), "{word}");
        }
    }

    #[test]
    fn items_of_a_list_may_be_given_one_by_one() {
        assert_eq!(
            made(None, &["tags=a", "string=x", "tags=b"]).as_deref(),
            Ok(r#"{"tags":["a","b"],"string":"x"}"#)
        );
    }

    #[test]
    fn named_arguments_are_added_to_the_input() {
        for (input, words, document) in [
            ("{}", vec![], "{}"),
            (" { } ", vec!["integer=1"], r#" { "integer":1}"#),
            (r#"{"string":"s"}"#, vec!["integer=1", "unit="], r#"{"string":"s","integer":1,"unit":null}"#),
            (r#"{"record":{"a":1}}"#, vec!["integer=1"], r#"{"record":{"a":1},"integer":1}"#),
            (r#"{"a":1,"a":1}"#, vec![], r#"{"a":1,"a":1}"#),
        ] {
            assert_eq!(made(Some(input), &words).as_deref(), Ok(document), "{input}");
        }
    }

    #[test]
    fn what_does_not_fit_is_told_by_its_name() {
        for (words, message) in [
            (vec!["integer=1.5"], "integer: expected an integer, found \"1.5\""),
            (vec!["number=inf"], "number: expected a number, found \"inf\""),
            (vec!["boolean=yes"], "boolean: expected `true` or `false`, found \"yes\""),
            (vec!["kind=fil"], "kind: there is no case `fil`; did you mean `file`?"),
            (vec!["reason=don"], "reason: there is no case `don`; did you mean `done`?"),
            (vec!["strin=x"], "there is no parameter `strin`; did you mean `string`?"),
            (vec!["integer=1", "integer=2"], "integer: given twice"),
            (vec!["string=@binary"], "string: the file is not valid UTF-8, and string is expected"),
            (vec!["string"], "\"string\" is no argument"),
        ] {
            assert_eq!(made(None, &words), Err(message.to_owned()));
        }
        for (words, part) in [
            (vec!["record:={"], "record: not JSON: "),
            (vec!["json=hello"], "a string is written in quotation marks: \"hello\""),
        ] {
            let message = made(None, &words).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
        assert!(made(Some("{"), &[]).unwrap_err().starts_with("--input: not JSON: "));
        assert!(made(Some("[]"), &[]).unwrap_err().starts_with("--input: expected an object"));
    }
}
