//! The types of a plan as structs and enums.

use super::super::plan::{
    Definition, Plan, PlannedCase, PlannedField, PlannedInterface, PlannedOperation, PlannedType, TypeUse,
};
use super::comment;
use super::layout::Lines;
use super::words::{Cases, Members, Word, literal};

/// A plan as Rust sees it.
pub(super) struct Types<'a> {
    plan: &'a Plan,
    /// Records without a name that stand in one case of one union, and are written there.
    within: Vec<bool>,
}

impl<'a> Types<'a> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        let mut uses = vec![0_usize; plan.types.len()];
        for ty in everywhere(plan) {
            if let Some(uses) = innermost(ty).and_then(|at| uses.get_mut(at)) {
                *uses += 1;
            }
        }
        let mut within = vec![false; plan.types.len()];
        for ty in &plan.types {
            let Definition::Union(cases) = &ty.definition else { continue };
            for payload in cases.iter().filter_map(|case| case.payload.as_ref()) {
                if let TypeUse::Named(at) = payload
                    && let Some(PlannedType {
                        declared: None, definition: Definition::Record(fields), ..
                    }) = plan.types.get(*at)
                    && !fields.is_empty()
                {
                    within[*at] = uses[*at] == 1;
                }
            }
        }
        Self { plan, within }
    }

    /// A type where it is used.
    pub(super) fn used(&self, ty: &TypeUse) -> String {
        match ty {
            TypeUse::Unit => "()".to_owned(),
            TypeUse::Boolean => "bool".to_owned(),
            TypeUse::Integer => "i64".to_owned(),
            TypeUse::Number => "f64".to_owned(),
            TypeUse::String => "String".to_owned(),
            TypeUse::Bytes => "Bytes".to_owned(),
            TypeUse::Json => "Json".to_owned(),
            TypeUse::Entry => "EntryPath".to_owned(),
            TypeUse::List(items) => format!("Vec<{}>", self.used(items)),
            TypeUse::Named(at) => self.plan.types.get(*at).map_or("()".to_owned(), |ty| ty.name.clone()),
        }
    }

    /// The type of a field or parameter.
    pub(super) fn member(&self, field: &PlannedField) -> String {
        let ty = self.used(&field.ty);
        if field.required { ty } else { format!("Option<{ty}>") }
    }

    /// Those of the vocabulary's types that are spoken of.
    pub(super) fn vocabulary(&self) -> Vec<&'static str> {
        let mut found = [false; 3];
        for ty in everywhere(self.plan) {
            let mut ty = ty;
            while let TypeUse::List(items) = ty {
                ty = items;
            }
            match ty {
                TypeUse::Bytes => found[0] = true,
                TypeUse::Entry => found[1] = true,
                TypeUse::Json => found[2] = true,
                _ => {}
            }
        }
        let names = ["Bytes", "EntryPath", "Json"];
        names.into_iter().zip(found).filter(|(_, found)| *found).map(|(name, _)| name).collect()
    }

    /// All types.
    pub(super) fn write(&self, lines: &mut Lines) {
        for (at, ty) in self.plan.types.iter().enumerate() {
            if !self.within[at] {
                lines.line(0, "");
                self.declaration(lines, ty);
            }
        }
    }

    fn declaration(&self, lines: &mut Lines, ty: &PlannedType) {
        lines.all(0, &comment::exact(ty.documentation.as_ref(), 0));
        let copied = matches!(ty.definition, Definition::Enum(_));
        let traits = if copied { "Debug, Clone, Copy, PartialEq, Eq" } else { "Debug, Clone, PartialEq" };
        lines.line(0, &format!("#[derive({traits}, WipType)]"));
        match &ty.declared {
            None => lines.line(0, "#[wip(inline)]"),
            Some(declared) if **declared != *ty.name => said(lines, 0, Some(declared)),
            Some(_) => {}
        }
        let name = &ty.name;
        match &ty.definition {
            Definition::Record(fields) if fields.is_empty() => {
                lines.line(0, &format!("pub struct {name} {{}}"))
            }
            Definition::Record(fields) => {
                lines.line(0, &format!("pub struct {name} {{"));
                self.fields(lines, 1, "pub ", fields);
                lines.line(0, "}");
            }
            Definition::Alias(target) => {
                lines.line(0, &format!("pub struct {name}(pub {});", self.used(target)));
            }
            Definition::Enum(cases) if cases.is_empty() => lines.line(0, &format!("pub enum {name} {{}}")),
            Definition::Enum(cases) => {
                lines.line(0, &format!("pub enum {name} {{"));
                let mut words = Cases::new();
                for case in cases {
                    lines.all(1, &comment::exact(case.documentation.as_ref(), 4));
                    let Word { ident, name } = words.word(&case.name);
                    said(lines, 1, name.as_deref());
                    lines.line(1, &format!("{ident},"));
                }
                lines.line(0, "}");
            }
            Definition::Union(cases) => self.union(lines, name, cases),
        }
    }

    fn union(&self, lines: &mut Lines, name: &str, cases: &[PlannedCase]) {
        if cases.iter().all(|case| case.payload.is_none()) {
            lines.line(0, "#[wip(union)]");
        }
        if cases.is_empty() {
            return lines.line(0, &format!("pub enum {name} {{}}"));
        }
        lines.line(0, &format!("pub enum {name} {{"));
        let mut words = Cases::new();
        for case in cases {
            lines.all(1, &comment::exact(case.documentation.as_ref(), 4));
            let Word { ident, name } = words.word(&case.name);
            said(lines, 1, name.as_deref());
            match &case.payload {
                None => lines.line(1, &format!("{ident},")),
                Some(payload) => match self.fields_within(payload) {
                    Some(fields) => {
                        lines.line(1, &format!("{ident} {{"));
                        self.fields(lines, 2, "", fields);
                        lines.line(1, "},");
                    }
                    None => lines.line(1, &format!("{ident}({}),", self.used(payload))),
                },
            }
        }
        lines.line(0, "}");
    }

    fn fields_within(&self, payload: &TypeUse) -> Option<&[PlannedField]> {
        let TypeUse::Named(at) = payload else { return None };
        match &self.plan.types.get(*at)?.definition {
            Definition::Record(fields) if self.within[*at] => Some(fields),
            _ => None,
        }
    }

    fn fields(&self, lines: &mut Lines, steps: usize, visible: &str, fields: &[PlannedField]) {
        let mut words = Members::new();
        for field in fields {
            lines.all(steps, &comment::exact(field.documentation.as_ref(), steps * 4));
            let Word { ident, name } = words.word(&field.name);
            said(lines, steps, name.as_deref());
            lines.line(steps, &format!("{visible}{ident}: {},", self.member(field)));
        }
    }

    /// The declared types of an interface in the order in which its trait would declare them unasked; none where that cannot be
    /// told, since they refer to each other more deeply than a stack should be asked to follow.
    pub(super) fn met(&self, interface: &PlannedInterface) -> Option<Vec<usize>> {
        let mut met =
            Meeting { plan: self.plan, known: vec![false; self.plan.types.len()], order: Vec::new() };
        for PlannedOperation { parameters, returns, .. } in &interface.operations {
            for ty in parameters.iter().map(|parameter| &parameter.ty).chain([returns]) {
                met.meet(ty, 0)?;
            }
        }
        Some(met.order)
    }
}

/// `#[wip(name = "…")]`, where there is one to be said.
pub(super) fn said(lines: &mut Lines, steps: usize, name: Option<&str>) {
    if let Some(name) = name {
        lines.line(steps, &format!("#[wip(name = {})]", literal(name)));
    }
}

/// How deep types are followed.
const DEEP: usize = 400;

struct Meeting<'a> {
    plan: &'a Plan,
    known: Vec<bool>,
    order: Vec<usize>,
}

impl Meeting<'_> {
    fn meet(&mut self, ty: &TypeUse, depth: usize) -> Option<()> {
        let Some(at) = innermost(ty) else { return Some(()) };
        let planned = self.plan.types.get(at)?;
        if depth > DEEP {
            return None;
        }
        let is_named = planned.declared.is_some();
        // What has no name is met wherever it stands, but holds nothing new the second time.
        if std::mem::replace(&mut self.known[at], true) {
            return Some(());
        }
        for ty in inside(&planned.definition) {
            self.meet(ty, depth + 1)?;
        }
        if is_named {
            self.order.push(at);
        }
        Some(())
    }
}

fn innermost(ty: &TypeUse) -> Option<usize> {
    match ty {
        TypeUse::List(items) => innermost(items),
        TypeUse::Named(at) => Some(*at),
        _ => None,
    }
}

fn inside(definition: &Definition) -> Vec<&TypeUse> {
    match definition {
        Definition::Record(fields) => fields.iter().map(|field| &field.ty).collect(),
        Definition::Union(cases) => cases.iter().filter_map(|case| case.payload.as_ref()).collect(),
        Definition::Alias(target) => vec![target],
        Definition::Enum(_) => Vec::new(),
    }
}

/// Every type where it is used.
fn everywhere(plan: &Plan) -> impl Iterator<Item = &TypeUse> {
    let operations = plan.interfaces.iter().flat_map(|interface| &interface.operations);
    let used = operations.flat_map(|operation| {
        operation.parameters.iter().map(|parameter| &parameter.ty).chain([&operation.returns])
    });
    plan.types.iter().flat_map(|ty| inside(&ty.definition)).chain(used)
}
