//! Clients in Python 3.11: a module of types and interfaces, and beside it the runtime that speaks to Hosts.

mod interfaces;
mod names;
mod text;
mod types;

use std::fmt::Write;

use self::names::{IMPORTED, ModuleNames};
use self::text::{docstring, literal};
use super::{GENERATED, GeneratedFile, Plan, RUNTIME, Source};

const RUNTIME_TEXT: &str = include_str!("runtime.py");

/// The files of a module that calls these interfaces.
pub fn client(sources: &[Source], module: &str) -> Vec<GeneratedFile> {
    let runtime = format!("# {GENERATED}\n{RUNTIME_TEXT}");
    vec![
        GeneratedFile { name: format!("{module}.py"), text: module_text(sources) },
        GeneratedFile { name: format!("{RUNTIME}.py"), text: runtime },
    ]
}

fn module_text(sources: &[Source]) -> String {
    // Which names are free in Python is settled here, so none is reserved in the plan.
    let plan = Plan::new(sources, &[]);
    let names = ModuleNames::new(&plan);
    let mut out = format!("# {GENERATED}\n");
    let listed: Vec<String> = sources.iter().map(|source| literal(source.name.as_str())).collect();
    let about = format!("Typed clients of the interfaces {}.", listed.join(", "));
    out.push_str(&docstring("", &[about]));
    out.push_str("from __future__ import annotations\n\n");
    out.push_str("import builtins as _b\nimport dataclasses as _d\nimport enum as _e\nimport typing as _t\n");
    line(&mut out, format_args!("\nimport {RUNTIME} as _w"));
    line(&mut out, format_args!("from {RUNTIME} import {}", IMPORTED.join(", ")));
    out.push_str("\n__all__: _b.list[_b.str] = [\n");
    for name in names.interfaces.iter().chain(&names.types).chain(names.cases.iter().flatten()) {
        line(&mut out, format_args!("    {},", literal(name)));
    }
    out.push_str("]\n");
    let module = Module { plan: &plan, names: &names, nullable: types::nullable(&plan) };
    let mut codecs = String::new();
    for at in 0..plan.types.len() {
        module.definition(at, &mut out, &mut codecs);
    }
    for (at, interface) in plan.interfaces.iter().enumerate() {
        module.interface(interface, &names.interfaces[at], &mut out, &mut codecs);
    }
    if !codecs.is_empty() {
        out.push_str("\n\n# How all of these look in JSON\n\n");
        out.push_str(&codecs);
    }
    out
}

/// What a module is made of.
struct Module<'a> {
    plan: &'a Plan,
    names: &'a ModuleNames,
    /// Of the types of the plan, whether `None` is a value.
    nullable: Vec<bool>,
}

/// A line of it; a String takes whatever it is given.
fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let written = writeln!(out, "{text}");
    debug_assert!(written.is_ok());
}
