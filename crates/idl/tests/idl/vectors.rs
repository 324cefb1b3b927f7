//! Text Views of the conformance vectors read back to what they show, details aside.

use std::path::Path;

use serde_json::Value as Json;
use worldspace_idl::{DeclaredName, NoFiles, check, diagnostic, text_view};
use worldspace_model::{
    Declaration, Descriptor, Documentation, FetchInterfaceRequest, Field, InterfaceReference, Type, TypeKind,
};
use worldspace_wire::{Codec, FetchedInterface, Limits};

/// The descriptor in full, put together where it is given in parts.
fn descriptor(vector: &Json) -> String {
    if let Some(json) = vector.get("descriptor") {
        return json.to_string();
    }
    let mut whole = String::new();
    for part in vector["descriptor_parts"].as_array().unwrap() {
        match part {
            Json::String(text) => whole.push_str(text),
            part => {
                let repeat = part["repeat"].as_str().unwrap();
                let copies =
                    (0..part["count"].as_u64().unwrap()).map(|copy| repeat.replace("%i", &copy.to_string()));
                whole.push_str(&copies.collect::<Vec<_>>().join(part["join"].as_str().unwrap()));
            }
        }
    }
    whole
}

fn published(vector: &Json) -> (InterfaceReference, Descriptor) {
    let reference = &vector["reference"];
    let text = |member: &str| reference[member].as_str().unwrap().to_owned();
    let interface = InterfaceReference::parse(&text("scope"), &text("name")).unwrap();
    let codec = Codec::json(Limits::new(usize::MAX, usize::MAX, Limits::MAX_NESTING).unwrap());
    let body = format!("{{\"interface\":{reference},\"descriptor\":{}}}", descriptor(vector));
    let request = FetchInterfaceRequest { interface: interface.clone(), effects: false };
    match codec.read_interface_response(body.as_bytes(), &request).unwrap() {
        FetchedInterface::Known(answer) => (interface, answer.descriptor),
        FetchedInterface::UnknownFormat(format) => panic!("{format}"),
    }
}

/// What is left of documentation in a Text View.
fn summary(documentation: &mut Option<Documentation>) {
    if let Some(documentation) = documentation {
        documentation.details = None;
    }
}

fn without_details(descriptor: &Descriptor) -> Declaration {
    let mut declaration = descriptor.declaration().clone();
    summary(&mut declaration.documentation);
    for ty in &mut declaration.types {
        summary(&mut ty.documentation);
        ty.definition = plain(&ty.definition);
    }
    for operation in &mut declaration.operations {
        summary(&mut operation.documentation);
        summary(&mut operation.returns_documentation);
        operation.parameters = operation.parameters.iter().map(field).collect();
        operation.returns = plain(&operation.returns);
    }
    declaration
}

fn field(field: &Field) -> Field {
    let mut field = field.clone();
    summary(&mut field.documentation);
    field.ty = plain(&field.ty);
    field
}

fn plain(ty: &Type) -> Type {
    match ty.kind() {
        TypeKind::Record(fields) => Type::record(fields.iter().map(field)),
        TypeKind::List(items) => Type::list(plain(items)),
        TypeKind::Enum(cases) => Type::cases(
            cases
                .iter()
                .cloned()
                .map(|mut case| {
                    summary(&mut case.documentation);
                    case
                })
                .collect(),
        ),
        TypeKind::Union(cases) => Type::union(cases.iter().cloned().map(|mut case| {
            summary(&mut case.documentation);
            case.payload = case.payload.as_ref().map(plain);
            case
        })),
        _ => ty.clone(),
    }
}

#[test]
fn text_views_read_back_to_their_descriptors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/text_view.jsonl");
    let vectors = std::fs::read_to_string(path).unwrap();
    let vectors = vectors.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let mut read = 0;
    for vector in
        vectors.filter(|vector| vector["kind"] == "interface" && vector["expect"]["verdict"] == "accept")
    {
        let id = vector["id"].as_str().unwrap();
        let (reference, descriptor) = published(&vector);
        // The text itself where it is given; that of the others is held to their digest elsewhere.
        let text = match vector["expect"]["text"].as_str() {
            Some(text) => text.to_owned(),
            None => text_view::interface(&reference, &descriptor),
        };
        let checked = check(id, &text, &mut NoFiles);
        let said: String =
            checked.diagnostics.iter().map(|each| diagnostic::render(&checked.sources, each)).collect();
        assert_eq!(said, "", "{id}");
        let [interface] = &checked.interfaces[..] else {
            panic!("{id}: {} interfaces", checked.interfaces.len())
        };
        assert_eq!(interface.name, DeclaredName::Full(reference), "{id}");
        assert_eq!(interface.descriptor.declaration(), &without_details(&descriptor), "{id}");
        read += 1;
    }
    assert!(read > 50, "only {read} vectors were found");
}
