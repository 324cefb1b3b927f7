//! Interfaces as classes with a method for each operation.

use worldspace_model::Effect;

use super::text::{docstring, item, literal, paragraphs};
use super::types::class;
use super::{Module, line};
use crate::stubs::plan::{PlannedInterface, PlannedOperation};

impl Module<'_> {
    /// The client of an interface, and what its operations take and give.
    pub(super) fn interface(
        &self,
        interface: &PlannedInterface,
        name: &str,
        out: &mut String,
        codecs: &mut String,
    ) {
        let about = paragraphs(interface.documentation.as_ref());
        class(out, &format!("class {name}(InterfaceClient):"), &about, false);
        line(out, format_args!("    _declared_name = {}", literal(interface.declared.as_str())));
        let members = self.names.operations(interface.operations.iter().map(|one| &*one.name));
        for (member, operation) in members.iter().zip(&interface.operations) {
            self.operation(name, member, operation, &members, out, codecs);
        }
    }

    fn operation(
        &self,
        interface: &str,
        name: &str,
        operation: &PlannedOperation,
        members: &[String],
        out: &mut String,
        codecs: &mut String,
    ) {
        let names = self.names.parameters(operation.parameters.iter().map(|one| &*one.name));
        let parameters: Vec<_> = names.iter().zip(&operation.parameters).collect();
        let declared: Vec<String> =
            parameters.iter().map(|(name, one)| self.declared(name, one, members)).collect();
        let given: Vec<String> = names.iter().map(|name| format!(", {name}={name}")).collect();
        let returns = self.annotation(&operation.returns, members);
        let head = match declared.len() {
            0 => format!("    def {name}(self) -> {returns}:"),
            1 | 2 => format!("    def {name}(self, *, {}) -> {returns}:", declared.join(", ")),
            _ => {
                let lines: Vec<String> = declared.iter().map(|one| format!("        {one},\n")).collect();
                format!("    def {name}(\n        self,\n        *,\n{}    ) -> {returns}:", lines.concat())
            }
        };
        line(out, format_args!("\n{head}"));
        out.push_str(&docstring("        ", &described(operation, &names)));
        line(out, format_args!("        return self._call(_op_{interface}_{name}{})", given.concat()));
        let fields: Vec<String> =
            parameters.iter().map(|(name, one)| format!("{}, ", self.field(name, one))).collect();
        let read = if operation.effects.has(Effect::Read) { ", read=True" } else { "" };
        let bound = if operation.bound { ", bound=True" } else { "" };
        let (wire, result) = (literal(&operation.name), self.codec(&operation.returns));
        line(
            codecs,
            format_args!(
                "_op_{interface}_{name} = _w.Operation({wire}, ({}), {result}{read}{bound})",
                fields.concat().trim_end()
            ),
        );
    }
}

fn described(operation: &PlannedOperation, names: &[String]) -> Vec<String> {
    let mut described = paragraphs(operation.documentation.as_ref());
    let section = |title: &str, items: Vec<String>| {
        (!items.is_empty()).then(|| format!("{title}:\n{}", items.join("\n")))
    };
    let of = names.iter().zip(&operation.parameters);
    let arguments = of.filter_map(|(name, one)| item(name, one.documentation.as_ref())).collect();
    described.extend(section("Args", arguments));
    let returns = paragraphs(operation.returns_documentation.as_ref()).join("\n\n");
    if !returns.trim().is_empty() {
        described.push(format!("Returns:\n    {}", returns.replace('\n', "\n    ")));
    }
    let effects: Vec<&str> = operation.effects.iter().map(|effect| effect.name()).collect();
    if !effects.is_empty() {
        described.push(format!("Effects: {}.", effects.join(", ")));
    }
    described
}
