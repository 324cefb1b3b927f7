//! About how many bytes things take in memory, rather too many than too few. What several share is counted for each.

use worldspace_model::{
    Descriptor, Documentation, EntryPath, FetchInterfaceResponse, Field, Object, Type, TypeKind,
};

use crate::handle::Observation;
use crate::identity::Change;

/// What the maps and the fixed parts of a thing take.
const ITEM: usize = 256;
/// What a name, a type or a text takes besides its bytes.
const PART: usize = 64;

/// A path as a key.
pub(crate) fn path(entry: &EntryPath) -> usize {
    ITEM + entry.as_str().len()
}

/// An Object at a path.
pub(crate) fn object(entry: &EntryPath, object: &Object) -> usize {
    path(entry) + object.weight()
}

/// An observation, with the Objects that it tells the change from.
pub(crate) fn observation(observation: &Observation) -> usize {
    let before = match observation.change() {
        Change::Moved { from, before, displaced } => {
            object(from, before) + displaced.as_ref().map_or(0, |displaced| displaced.weight())
        }
        change => change.before().map_or(0, |before| before.weight()),
    };
    object(observation.entry(), observation.object()) + before
}

/// An interface.
pub(crate) fn interface(answer: &FetchInterfaceResponse) -> usize {
    let scope_ref = answer.scope_ref.as_ref().map_or(0, |r#ref| r#ref.as_str().len());
    let validator = answer.validator.as_ref().map_or(0, |validator| validator.as_bytes().len());
    let effects = answer.effects.as_ref().map_or(0, |effects| effects.iter().count() * PART);
    path(answer.interface.scope())
        + text(answer.interface.name().as_str())
        + scope_ref
        + validator
        + effects
        + descriptor(&answer.descriptor)
}

/// The declaration, and once more for what is compiled from it.
fn descriptor(descriptor: &Descriptor) -> usize {
    let declaration = descriptor.declaration();
    let types = declaration
        .types
        .iter()
        .map(|declared| named(&declared.name, declared.documentation.as_ref()) + ty(&declared.definition));
    let operations = declaration.operations.iter().map(|operation| {
        named(&operation.name, operation.documentation.as_ref())
            + fields(&operation.parameters)
            + ty(&operation.returns)
            + operation.returns_documentation.as_ref().map_or(0, documentation)
    });
    let documentation = declaration.documentation.as_ref().map_or(0, documentation);
    2 * (documentation + types.sum::<usize>() + operations.sum::<usize>())
}

/// None can be built that is too deep for this.
fn ty(expression: &Type) -> usize {
    PART + match expression.kind() {
        TypeKind::Named(name) => text(name),
        TypeKind::List(items) => ty(items),
        TypeKind::Record(members) => fields(members),
        TypeKind::Enum(cases) => {
            cases.iter().map(|case| named(&case.name, case.documentation.as_ref())).sum()
        }
        TypeKind::Union(cases) => cases
            .iter()
            .map(|case| named(&case.name, case.documentation.as_ref()) + case.payload.as_ref().map_or(0, ty))
            .sum(),
        _ => 0,
    }
}

fn fields(fields: &[Field]) -> usize {
    fields.iter().map(|field| named(&field.name, field.documentation.as_ref()) + ty(&field.ty)).sum()
}

fn named(name: &str, documented: Option<&Documentation>) -> usize {
    text(name) + documented.map_or(0, documentation)
}

fn documentation(documentation: &Documentation) -> usize {
    text(&documentation.summary) + documentation.details.as_deref().map_or(0, text)
}

fn text(text: &str) -> usize {
    PART + text.len()
}
