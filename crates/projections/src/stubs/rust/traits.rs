//! Traits: what an author begins with who has the IDL.

use std::collections::HashSet;

use super::super::Source;
use super::super::names::{Names, upper_camel};
use super::super::plan::{Plan, PlannedInterface, PlannedOperation};
use super::comment;
use super::layout::{Lines, import};
use super::types::{Types, said};
use super::words::{Members, TYPES, Word, literal};
use worldspace_model::Effect;

pub(super) fn module(sources: &[Source]) -> String {
    let plan = Plan::new(sources, &reserved(sources).iter().map(String::as_str).collect::<Vec<_>>());
    let types = Types::new(&plan);
    let mut lines = Lines::default();
    if let Some(line) = import("worldspace_host::model", &types.vocabulary()) {
        lines.line(0, &line);
    }
    let operations = || plan.interfaces.iter().flat_map(|interface| &interface.operations);
    let mut names = Vec::new();
    if operations().any(|operation| !is_read(operation)) {
        names.extend(["Call", "Done"]);
    }
    if operations().any(|operation| plan.holds_entry(&operation.returns)) {
        names.insert(usize::from(names.contains(&"Call")), "Context");
    }
    if operations().next().is_some() {
        names.push("Refusal");
    }
    if !plan.types.is_empty() {
        names.push("WipType");
    }
    names.push("interface");
    lines.all(0, import("worldspace_host", &names).as_slice());
    types.write(&mut lines);
    plan.interfaces.iter().for_each(|interface| declaration(&mut lines, &plan, &types, interface));
    lines.into_text()
}

/// What generated code calls by plain names, and what the macro makes of each trait.
fn reserved(sources: &[Source]) -> Vec<String> {
    let mut reserved: Vec<String> =
        TYPES.iter().chain(&["Done", "Refusal"]).map(|name| (*name).to_owned()).collect();
    // A trait that is called another name for it, with a number behind, makes other names; these never end in a number.
    loop {
        let mut names = Names::without(&reserved.iter().map(String::as_str).collect::<Vec<_>>());
        let known: HashSet<&String> = reserved.iter().collect();
        let made: Vec<String> = sources
            .iter()
            .map(|source| names.claim([upper_camel(source.called())]))
            .flat_map(|name| [format!("{name}Interface"), format!("{name}Client")])
            .filter(|made| !known.contains(made))
            .collect();
        if made.is_empty() {
            return reserved;
        }
        reserved.extend(made);
    }
}

fn is_read(operation: &PlannedOperation) -> bool {
    operation.effects.has(Effect::Read)
}

fn declaration(lines: &mut Lines, plan: &Plan, types: &Types<'_>, interface: &PlannedInterface) {
    lines.line(0, "");
    lines.all(0, &comment::exact(interface.documentation.as_ref(), 0));
    let mut said = vec![format!("name = {}", literal(interface.declared.as_str()))];
    // The trait declares what it meets, as it meets it; another order is to be said.
    if types.met(interface).is_none_or(|met| met != interface.types) {
        let listed: Vec<&str> =
            interface.types.iter().filter_map(|at| plan.types.get(*at)).map(|ty| ty.name.as_str()).collect();
        said.push(format!("types({})", listed.join(", ")));
    }
    lines.attribute(0, "interface", &said);
    if interface.operations.is_empty() {
        return lines.line(0, &format!("pub trait {} {{}}", interface.name));
    }
    lines.line(0, &format!("pub trait {} {{", interface.name));
    let mut methods = Members::new();
    for (at, operation) in interface.operations.iter().enumerate() {
        if at > 0 {
            lines.line(0, "");
        }
        method(lines, plan, types, &methods.word(&operation.name), operation);
    }
    lines.line(0, "}");
}

fn method(lines: &mut Lines, plan: &Plan, types: &Types<'_>, method: &Word, operation: &PlannedOperation) {
    lines.all(1, &comment::exact(operation.documentation.as_ref(), 4));
    for effect in operation.effects.iter() {
        lines.line(1, &format!("#[{}]", effect.name()));
    }
    if let Some(documentation) = &operation.returns_documentation {
        lines.line(1, &format!("#[returns({})]", literal(&comment::attribute(documentation))));
    }
    said(lines, 1, method.name.as_deref());
    let mut words = Members::new();
    let mut parameters: Vec<String> = Vec::new();
    for field in &operation.parameters {
        let mut parts = comment::exact(field.documentation.as_ref(), 8);
        let Word { ident, name } = words.word(&field.name);
        parts.extend(name.map(|name| format!("#[wip(name = {})]", literal(&name))));
        parts.push(format!("{ident}: {}", types.member(field)));
        parameters.push(parts.join("\n"));
    }
    let returns = types.used(&operation.returns);
    let (call, tail) = if is_read(operation) {
        (None, format!(" -> Result<{returns}, Refusal>;"))
    } else {
        // What the Host gives stands first, and gets what name is left.
        (
            Some(format!("{}: Call", words.word("call").ident)),
            format!(" -> Result<Done<{returns}>, Refusal>;"),
        )
    };
    // The way from a provider's own paths to entries leads through the context.
    let context =
        plan.holds_entry(&operation.returns).then(|| format!("{}: &Context", words.word("context").ident));
    let given = call.into_iter().chain(context);
    let items: Vec<String> = std::iter::once("&self".to_owned()).chain(given).chain(parameters).collect();
    lines.signature(1, &format!("async fn {}", method.ident), &items, &tail);
}
