//! Types as classes, and how their values look in JSON.
//!
//! Inside of a class its own members hide the names around it. So an annotation there says `_b.list` instead of `list`
//! where a member has that name; names of the module are none of any member's, and no member begins with an underscore and a
//! letter.

use super::text::{docstring, literal, paragraphs};
use super::{Module, line};
use crate::stubs::plan::{Definition, Plan, PlannedField, TypeUse};

/// Of all types, whether `None` is a value: absence then needs another sign.
pub(super) fn nullable(plan: &Plan) -> Vec<bool> {
    let mut nullable = Vec::with_capacity(plan.types.len());
    for ty in &plan.types {
        let is = matches!(&ty.definition, Definition::Alias(target) if takes_none(target, &nullable));
        nullable.push(is);
    }
    nullable
}

fn takes_none(ty: &TypeUse, nullable: &[bool]) -> bool {
    match ty {
        TypeUse::Unit | TypeUse::Json => true,
        TypeUse::Named(at) => nullable.get(*at).copied().unwrap_or_default(),
        _ => false,
    }
}

impl Module<'_> {
    /// A type where it is annotated, in a class with these members.
    pub(super) fn annotation(&self, ty: &TypeUse, members: &[String]) -> String {
        let builtin = |name: &str| {
            if members.iter().any(|member| member == name) { format!("_b.{name}") } else { name.to_owned() }
        };
        match ty {
            TypeUse::Unit => "None".to_owned(),
            TypeUse::Boolean => builtin("bool"),
            TypeUse::Integer => builtin("int"),
            TypeUse::Number => builtin("float"),
            TypeUse::String => builtin("str"),
            TypeUse::Bytes => builtin("bytes"),
            TypeUse::Json => "Json".to_owned(),
            TypeUse::Entry => "Entry".to_owned(),
            TypeUse::List(items) => format!("{}[{}]", builtin("list"), self.annotation(items, members)),
            TypeUse::Named(at) => self.names.types[*at].clone(),
        }
    }

    /// A field or parameter as it is declared, its default included.
    pub(super) fn declared(&self, name: &str, field: &PlannedField, members: &[String]) -> String {
        let ty = self.annotation(&field.ty, members);
        match (field.required, takes_none(&field.ty, &self.nullable)) {
            (true, _) => format!("{name}: {ty}"),
            (false, true) => format!("{name}: {ty} | Absent = ABSENT"),
            (false, false) => format!("{name}: {ty} | None = None"),
        }
    }

    /// The codec of a type.
    pub(super) fn codec(&self, ty: &TypeUse) -> String {
        match ty {
            TypeUse::Unit => "_w.UNIT".to_owned(),
            TypeUse::Boolean => "_w.BOOLEAN".to_owned(),
            TypeUse::Integer => "_w.INTEGER".to_owned(),
            TypeUse::Number => "_w.NUMBER".to_owned(),
            TypeUse::String => "_w.STRING".to_owned(),
            TypeUse::Bytes => "_w.BYTES".to_owned(),
            TypeUse::Json => "_w.JSON".to_owned(),
            TypeUse::Entry => "_w.ENTRY".to_owned(),
            TypeUse::List(items) => format!("_w.ListOf({})", self.codec(items)),
            TypeUse::Named(at) => format!("_type_{}", self.names.types[*at]),
        }
    }

    /// The runtime's description of a field or parameter.
    pub(super) fn field(&self, attribute: &str, field: &PlannedField) -> String {
        let optional = if field.required { "" } else { ", required=False" };
        let (name, attribute) = (literal(&field.name), literal(attribute));
        format!("_w.Field({name}, {attribute}, {}{optional})", self.codec(&field.ty))
    }

    /// A type of the plan: its class or alias, and its codec.
    pub(super) fn definition(&self, at: usize, out: &mut String, codecs: &mut String) {
        let (ty, name) = (&self.plan.types[at], &self.names.types[at]);
        let about = paragraphs(ty.documentation.as_ref());
        let codec = match &ty.definition {
            Definition::Record(fields) => self.record(name, &about, fields, out),
            Definition::Enum(cases) => {
                let members = self.names.constants(cases.iter().map(|case| &*case.name));
                class(out, &format!("class {name}(_e.StrEnum):"), &about, cases.is_empty());
                for (member, case) in members.iter().zip(cases) {
                    line(out, format_args!("    {member} = {}", literal(&case.name)));
                    out.push_str(&docstring("    ", &paragraphs(case.documentation.as_ref())));
                }
                format!("_w.EnumOf({name})")
            }
            Definition::Union(_) => self.union(at, &about, out),
            Definition::Alias(target) => {
                alias(out, name, &self.annotation(target, &[]), &about);
                self.codec(target)
            }
        };
        line(codecs, format_args!("_type_{name}: _w.Codec[{name}] = {codec}"));
    }

    fn record(&self, name: &str, about: &[String], fields: &[PlannedField], out: &mut String) -> String {
        let members = self.names.fields(fields.iter().map(|field| &*field.name));
        out.push_str("\n\n@_d.dataclass(frozen=True, slots=True, kw_only=True)");
        class(out, &format!("class {name}:"), about, fields.is_empty());
        let mut codec = format!("_w.Record(\n    {name},\n");
        for (member, field) in members.iter().zip(fields) {
            line(out, format_args!("    {}", self.declared(member, field, &members)));
            out.push_str(&docstring("    ", &paragraphs(field.documentation.as_ref())));
            line(&mut codec, format_args!("    {},", self.field(member, field)));
        }
        codec + ")"
    }

    fn union(&self, at: usize, about: &[String], out: &mut String) -> String {
        let (ty, names) = (&self.plan.types[at], &self.names.cases[at]);
        let Definition::Union(cases) = &ty.definition else { return String::new() };
        let mut codec = String::from("_w.UnionOf(\n");
        for (case, name) in cases.iter().zip(names) {
            out.push_str("\n\n@_d.dataclass(frozen=True, slots=True)");
            let about = paragraphs(case.documentation.as_ref());
            class(out, &format!("class {name}:"), &about, case.payload.is_none());
            let payload = case.payload.as_ref().map(|payload| {
                line(out, format_args!("    value: {}", self.annotation(payload, &[])));
                format!(", {}", self.codec(payload))
            });
            let payload = payload.unwrap_or_default();
            line(&mut codec, format_args!("    _w.Case({}, {name}{payload}),", literal(&case.name)));
        }
        let either = if names.is_empty() { "_t.Never".to_owned() } else { names.join(" | ") };
        alias(out, &self.names.types[at], &either, about);
        codec + ")"
    }
}

fn alias(out: &mut String, name: &str, target: &str, about: &[String]) {
    line(out, format_args!("\n\n{name}: _t.TypeAlias = {target}"));
    out.push_str(&docstring("", about));
}

/// The head of a class; `bare` if nothing but a docstring follows.
pub(super) fn class(out: &mut String, head: &str, about: &[String], bare: bool) {
    let decorated = out.ends_with(')');
    line(out, format_args!("{}{head}", if decorated { "\n" } else { "\n\n" }));
    let about = docstring("    ", about);
    if about.is_empty() && bare {
        out.push_str("    pass\n");
    }
    out.push_str(&about);
    if !about.is_empty() && !bare {
        out.push('\n');
    }
}
