//! Clients: a struct for each interface, with a method for each operation.

use super::super::Source;
use super::super::plan::{Plan, PlannedInterface, PlannedOperation};
use super::comment;
use super::layout::{Lines, import};
use super::types::Types;
use super::words::{Members, TYPES, Word, literal};

/// What names of others may bring about, and no reader of generated code has any use for.
const ALLOWED: &str = "clippy::all, dead_code, missing_docs, nonstandard_style, unreachable_pub";

pub(super) fn module(sources: &[Source]) -> String {
    let plan = Plan::new(sources, &TYPES);
    let types = Types::new(&plan);
    let mut lines = Lines::default();
    lines.line(
        0,
        "//! Clients of interfaces of a Worldspace, for a crate that depends on `worldspace-client`.",
    );
    lines.line(0, "");
    lines.line(0, &format!("#![allow({ALLOWED})]"));
    lines.line(0, "");
    let takes = plan.interfaces.iter().flat_map(|interface| &interface.operations);
    let mut vocabulary = types.vocabulary();
    if takes.clone().any(|operation| !operation.parameters.is_empty()) {
        vocabulary.push("WipField");
    }
    if takes.count() > 0 {
        lines.line(0, "use worldspace_client::model::typed::expand;");
    }
    if let Some(line) = import("worldspace_client::model", &vocabulary) {
        lines.line(0, &line);
    }
    let mut names = vec!["TypedClient"];
    if plan.interfaces.iter().any(|interface| !interface.operations.is_empty()) {
        names.push("TypedFailure");
    }
    names.push("TypedObject");
    if !plan.types.is_empty() {
        names.push("WipType");
    }
    lines.all(0, import("worldspace_client", &names).as_slice());
    types.write(&mut lines);
    plan.interfaces.iter().for_each(|interface| client(&mut lines, &types, interface));
    lines.into_text()
}

fn client(lines: &mut Lines, types: &Types<'_>, interface: &PlannedInterface) {
    let PlannedInterface { name, declared, .. } = interface;
    lines.line(0, "");
    let documentation = comment::shown(interface.documentation.as_ref(), 0);
    if documentation.is_empty() {
        lines.all(0, &comment::paragraph("An Object through one of its interfaces.", "", 0));
    } else {
        lines.all(0, &documentation);
    }
    lines.line(0, "#[derive(Debug, Clone)]");
    lines.line(0, &format!("pub struct {name}(TypedObject);"));
    lines.line(0, "");
    lines.line(0, &format!("impl TypedClient for {name} {{"));
    lines.line(1, &format!("const INTERFACE: &'static str = {};", literal(declared.as_str())));
    lines.line(0, "");
    lines.line(1, "fn of(object: TypedObject) -> Self {");
    lines.line(2, "Self(object)");
    lines.line(1, "}");
    lines.line(0, "");
    lines.line(1, "fn object(&self) -> &TypedObject {");
    lines.line(2, "&self.0");
    lines.line(1, "}");
    lines.line(0, "}");
    if interface.operations.is_empty() {
        return;
    }
    lines.line(0, "");
    lines.line(0, &format!("impl {name} {{"));
    let mut methods = Members::new();
    for (at, operation) in interface.operations.iter().enumerate() {
        if at > 0 {
            lines.line(0, "");
        }
        let Word { ident, .. } = methods.word(&operation.name);
        method(lines, types, &ident, operation);
    }
    lines.line(0, "}");
}

fn method(lines: &mut Lines, types: &Types<'_>, ident: &str, operation: &PlannedOperation) {
    let mut words = Members::new();
    let words: Vec<Word> = operation.parameters.iter().map(|field| words.word(&field.name)).collect();
    lines.all(1, &documentation(operation, &words));
    let parameters = operation.parameters.iter().zip(&words);
    let items: Vec<String> = std::iter::once("&self".to_owned())
        .chain(parameters.clone().map(|(field, word)| format!("{}: {}", word.ident, types.member(field))))
        .collect();
    let returns = types.used(&operation.returns);
    lines.signature(
        1,
        &format!("pub async fn {ident}"),
        &items,
        &format!(" -> Result<{returns}, TypedFailure> {{"),
    );
    let given: Vec<String> = parameters
        .map(|(field, word)| format!("({}, WipField::into_field({}))", literal(&field.name), word.ident))
        .collect();
    lines.array(2, "arguments", &given);
    let call = [literal(&operation.name), "expand::record(arguments)".to_owned()];
    lines.awaited(2, "self.0", "call", &call);
    lines.line(1, "}");
}

fn documentation(operation: &PlannedOperation, words: &[Word]) -> Vec<String> {
    let mut parts = vec![comment::shown(operation.documentation.as_ref(), 4)];
    let mut parameters = Vec::new();
    for (field, word) in operation.parameters.iter().zip(words) {
        if let Some(documentation) = &field.documentation {
            let begin = format!("- `{}`: ", word.ident);
            let said = said(documentation);
            parameters.extend(comment::paragraph(&said, &begin, 4));
        }
    }
    parts.push(parameters);
    if let Some(documentation) = &operation.returns_documentation {
        parts.push(comment::paragraph(&said(documentation), "Gives: ", 4));
    }
    let effects: Vec<&str> = operation.effects.iter().map(|effect| effect.name()).collect();
    if !effects.is_empty() {
        parts.push(comment::paragraph(&format!("Effects: {}.", effects.join(", ")), "", 4));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(&"///".to_owned())
}

fn said(documentation: &worldspace_model::Documentation) -> String {
    match &documentation.details {
        Some(details) => format!("{} {details}", documentation.summary),
        None => documentation.summary.clone(),
    }
}
