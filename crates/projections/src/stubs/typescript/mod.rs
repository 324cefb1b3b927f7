//! Clients in TypeScript: a class for each interface, and the types that it speaks of.
//!
//! The text holds for compilers that look for modules as Node does and for those that bundle. Fields, parameters and
//! cases keep their names, since they are what is on the wire; methods are named as the language does. Every type that
//! an operation reaches stands there a second time as a value, by which the runtime checks what is sent and received.

mod text;

use text::{comment, identifier, literal, member, paragraphs};

use super::names::{Names, lower_camel};
use super::{
    Definition, GENERATED, GeneratedFile, Plan, PlannedCase, PlannedField, PlannedInterface,
    PlannedOperation, PlannedType, RUNTIME, Source, TypeUse,
};

/// What generated clients share.
const RUNTIME_TEXT: &str = include_str!("runtime.ts");

/// Names of types that mean something else in the generated text, or that no module may give.
const TYPES: &[&str] = &["Object", "Promise", "Uint8Array"];

/// What clients have besides operations, and what JavaScript asks objects for by itself.
const MEMBERS: &[&str] = &[
    "constructor",
    "entry",
    "hasOwnProperty",
    "isPrototypeOf",
    "object",
    "propertyIsEnumerable",
    "refresh",
    "then",
    "toJSON",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// The files of a module that calls these interfaces.
pub fn client(sources: &[Source], module: &str) -> Vec<GeneratedFile> {
    let file = |name: &str, text: &str| GeneratedFile {
        name: format!("{name}.ts"),
        text: format!("// {GENERATED}\n/* eslint-disable */\n{text}"),
    };
    vec![file(module, &Module::new(Plan::new(sources, TYPES)).text()), file(RUNTIME, RUNTIME_TEXT)]
}

struct Module {
    plan: Plan,
    /// The names of the types and of the interfaces in this language.
    types: Vec<String>,
    interfaces: Vec<String>,
}

impl Module {
    fn new(plan: Plan) -> Self {
        let mut names = Names::without(TYPES);
        let interfaces = plan.interfaces.iter().map(|one| names.claim([identifier(&one.name)])).collect();
        let types = plan.types.iter().map(|ty| names.claim([identifier(&ty.name)])).collect();
        Self { plan, types, interfaces }
    }

    fn text(&self) -> String {
        if self.plan.interfaces.is_empty() {
            return "export {};\n".to_owned();
        }
        let mut out = format!("import * as wip from \"./{RUNTIME}.js\";\n");
        for (ty, name) in self.plan.types.iter().zip(&self.types) {
            out.push('\n');
            out.push_str(&self.declared(ty, name));
        }
        for (interface, name) in self.plan.interfaces.iter().zip(&self.interfaces) {
            out.push('\n');
            out.push_str(&self.class(interface, name));
        }
        let reached = self.reached();
        let types = self.plan.types.iter().zip(&self.types).zip(reached);
        let shapes: String = types
            .filter(|(_, reached)| *reached)
            .map(|((ty, name), _)| format!("const ${name}: wip.Shape = {};\n", self.defined(&ty.definition)))
            .collect();
        if !shapes.is_empty() {
            // Methods use them when they are called, which is after all of this was read.
            out.push_str(&format!("\n// The same types, for the runtime.\n\n{shapes}"));
        }
        out
    }

    /// Which types the operations use. Constants that nobody uses would be refused by a strict compiler.
    fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.types.len()];
        let mark = |ty: &TypeUse, reached: &mut [bool]| {
            if let Some(at) = named(ty) {
                reached[at] = true;
            }
        };
        for operation in self.plan.interfaces.iter().flat_map(|interface| &interface.operations) {
            operation.parameters.iter().for_each(|parameter| mark(&parameter.ty, &mut reached));
            mark(&operation.returns, &mut reached);
        }
        // Types stand behind those that they use.
        for at in (0..reached.len()).rev() {
            if !reached[at] {
                continue;
            }
            match &self.plan.types[at].definition {
                Definition::Record(fields) => fields.iter().for_each(|field| mark(&field.ty, &mut reached)),
                Definition::Union(cases) => {
                    cases
                        .iter()
                        .filter_map(|case| case.payload.as_ref())
                        .for_each(|ty| mark(ty, &mut reached));
                }
                Definition::Alias(ty) => mark(ty, &mut reached),
                Definition::Enum(_) => {}
            }
        }
        reached
    }

    // ---- types

    fn declared(&self, ty: &PlannedType, name: &str) -> String {
        let doc = comment(&paragraphs(ty.documentation.as_ref()), "");
        match &ty.definition {
            Definition::Record(fields) => {
                format!("{doc}export interface {name} {{\n{}}}\n", self.members(fields, "  ", ""))
            }
            Definition::Enum(cases) => {
                let cases = cases.iter().map(|case| {
                    let doc = comment(&paragraphs(case.documentation.as_ref()), "  ");
                    format!("\n{doc}  | {}", literal(&case.name))
                });
                format!("{doc}export type {name} ={};\n", or_never(cases.collect()))
            }
            Definition::Union(cases) => {
                let cases = cases.iter().map(|case| self.case(case));
                format!("{doc}export type {name} ={};\n", or_never(cases.collect()))
            }
            Definition::Alias(ty) => format!("{doc}export type {name} = {};\n", self.used(ty)),
        }
    }

    fn case(&self, case: &PlannedCase) -> String {
        let doc = comment(&paragraphs(case.documentation.as_ref()), "  ");
        let value = case.payload.as_ref().map(|ty| format!("; readonly value: {}", self.used(ty)));
        format!("\n{doc}  | {{ readonly $case: {}{} }}", literal(&case.name), value.unwrap_or_default())
    }

    /// Fields or parameters. `or` is what may stand for one that is absent.
    fn members(&self, fields: &[PlannedField], indent: &str, or: &str) -> String {
        let line = |field: &PlannedField| {
            let doc = comment(&paragraphs(field.documentation.as_ref()), indent);
            let (mark, or) = if field.required { ("", "") } else { ("?", or) };
            format!("{doc}{indent}readonly {}{mark}: {}{or};\n", member(&field.name), self.used(&field.ty))
        };
        fields.iter().map(line).collect()
    }

    fn used(&self, ty: &TypeUse) -> String {
        match ty {
            TypeUse::Unit => "null".to_owned(),
            TypeUse::Boolean => "boolean".to_owned(),
            TypeUse::Integer | TypeUse::Number => "number".to_owned(),
            TypeUse::String => "string".to_owned(),
            TypeUse::Bytes => "Uint8Array".to_owned(),
            TypeUse::Json => "wip.Json".to_owned(),
            TypeUse::Entry => "wip.Entry".to_owned(),
            TypeUse::List(items) => match **items {
                TypeUse::List(_) => format!("readonly ({})[]", self.used(items)),
                _ => format!("readonly {}[]", self.used(items)),
            },
            TypeUse::Named(at) => self.name(*at).to_owned(),
        }
    }

    fn name(&self, at: usize) -> &str {
        self.types.get(at).map_or("never", String::as_str)
    }

    // ---- interfaces

    fn class(&self, interface: &PlannedInterface, name: &str) -> String {
        let doc = comment(&paragraphs(interface.documentation.as_ref()), "");
        let declared = literal(interface.declared.as_str());
        let mut names = Names::without(MEMBERS);
        let methods: String = interface
            .operations
            .iter()
            .map(|operation| {
                let name = identifier(&lower_camel(&operation.name));
                self.method(operation, &names.claim([name.clone(), name + "_"]))
            })
            .collect();
        format!(
            "{doc}export class {name} extends wip.InterfaceClient {{\n  static readonly interfaceName = {declared};\n{methods}}}\n"
        )
    }

    fn method(&self, operation: &PlannedOperation, name: &str) -> String {
        let mut said = paragraphs(operation.documentation.as_ref());
        let effects: Vec<_> = operation.effects.iter().map(|effect| format!("`{}`", effect.name())).collect();
        if !effects.is_empty() {
            said.push(format!("The Host declares it {}.", effects.join(", ")));
        }
        for result in &paragraphs(operation.returns_documentation.as_ref()) {
            said.push(format!("Result: {result}"));
        }
        let doc = comment(&said, "  ");
        let returns = match &operation.returns {
            TypeUse::Unit => "void".to_owned(),
            ty => self.used(ty),
        };
        let parameters = &operation.parameters;
        let (takes, given) = if parameters.is_empty() {
            (String::new(), "undefined")
        } else {
            let mark = if parameters.iter().any(|parameter| parameter.required) { "" } else { "?" };
            let members = self.members(parameters, "    ", " | undefined");
            (format!("args{mark}: {{\n{members}  }}, "), "args")
        };
        let read = operation.effects.has(worldspace_model::Effect::Read);
        let bound = operation.bound;
        format!(
            "\n{doc}  {name}({takes}patience?: wip.Patience): Promise<{returns}> {{\n    \
             return this.$call({{ name: {}, read: {read}, bound: {bound}, takes: {}, gives: {} }}, {given}, patience);\n  }}\n",
            literal(&operation.name),
            self.fields(parameters),
            self.shape(&operation.returns),
        )
    }

    // ---- types as values

    fn defined(&self, definition: &Definition) -> String {
        match definition {
            Definition::Record(fields) => format!("{{ record: {} }}", self.fields(fields)),
            Definition::Enum(cases) => {
                let cases: Vec<_> = cases.iter().map(|case| literal(&case.name)).collect();
                format!("{{ enum: [{}] }}", cases.join(", "))
            }
            Definition::Union(cases) => {
                let case = |case: &PlannedCase| {
                    let payload = case.payload.as_ref().map(|ty| format!(", {}", self.shape(ty)));
                    format!("[{}{}]", literal(&case.name), payload.unwrap_or_default())
                };
                format!("{{ union: [{}] }}", cases.iter().map(case).collect::<Vec<_>>().join(", "))
            }
            Definition::Alias(ty) => self.shape(ty),
        }
    }

    fn fields(&self, fields: &[PlannedField]) -> String {
        let field = |field: &PlannedField| {
            let optional = if field.required { "" } else { ", \"optional\"" };
            format!("[{}, {}{optional}]", literal(&field.name), self.shape(&field.ty))
        };
        format!("[{}]", fields.iter().map(field).collect::<Vec<_>>().join(", "))
    }

    fn shape(&self, ty: &TypeUse) -> String {
        match ty {
            TypeUse::Unit => "\"unit\"".to_owned(),
            TypeUse::Boolean => "\"boolean\"".to_owned(),
            TypeUse::Integer => "\"integer\"".to_owned(),
            TypeUse::Number => "\"number\"".to_owned(),
            TypeUse::String => "\"string\"".to_owned(),
            TypeUse::Bytes => "\"bytes\"".to_owned(),
            TypeUse::Json => "\"json\"".to_owned(),
            TypeUse::Entry => "\"entry\"".to_owned(),
            TypeUse::List(items) => format!("{{ list: {} }}", self.shape(items)),
            TypeUse::Named(at) => format!("${}", self.name(*at)),
        }
    }
}

fn named(ty: &TypeUse) -> Option<usize> {
    match ty {
        TypeUse::List(items) => named(items),
        TypeUse::Named(at) => Some(*at),
        _ => None,
    }
}

fn or_never(cases: String) -> String {
    if cases.is_empty() { " never".to_owned() } else { cases }
}
