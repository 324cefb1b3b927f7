//! The Text View: Objects and Interfaces as one reads them, without what only programs need (refs, validators,
//! documentation beyond the summary).
//!
//! Nothing is left out or shortened; who has little room chooses what to print.

use worldspace_model::{Descriptor, EffectTable, Effects, Field, InterfaceReference, Object, Operation};

use crate::print::{Form, Ink, Printer, Role};
use crate::{quote, reference};

/// How a view differs from the plain Text View.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// The effects of the operations, as attributes before `operation`.
    pub effects: Option<&'a EffectTable>,
    /// Leaves out all documentation, where room for the bare signature is all there is.
    pub undocumented: bool,
}

impl Options<'_> {
    fn form(&self) -> Form<'static> {
        if self.undocumented { Form::Bare } else { Form::View }
    }
}

/// An Object.
///
/// ```
/// use worldspace_idl::text_view;
/// use worldspace_model::{Object, ObjectName};
/// let object = Object::bare(ObjectName::parse("notes.md")?);
/// assert_eq!(text_view::object(&object), "object {\n  name: \"notes.md\";\n  interfaces: [];\n}\n");
/// # Ok::<(), worldspace_model::Fault>(())
/// ```
pub fn object(object: &Object) -> String {
    let mut text = String::new();
    write_object(&mut text, object);
    text
}

/// An Interface.
///
/// ```
/// use worldspace_idl::text_view;
/// use worldspace_model::{Declaration, Descriptor, InterfaceReference};
/// let descriptor = Descriptor::new(Declaration::default())?;
/// let reference = InterfaceReference::parse("/", "i")?;
/// assert_eq!(text_view::interface(&reference, &descriptor), "interface \"/::i\" {\n}\n");
/// # Ok::<(), worldspace_model::Fault>(())
/// ```
pub fn interface(reference: &InterfaceReference, descriptor: &Descriptor) -> String {
    interface_with(reference, descriptor, Options::default())
}

/// An Interface, with what the options add.
pub fn interface_with(
    reference: &InterfaceReference,
    descriptor: &Descriptor,
    options: Options<'_>,
) -> String {
    let mut text = String::new();
    write_interface(&mut text, reference, descriptor, options);
    text
}

/// One operation by itself.
pub fn operation(operation: &Operation, options: Options<'_>) -> String {
    let effects = options.effects.map_or(Effects::WRITE, |effects| effects.at(operation));
    let mut printer = Printer::new(options.form());
    printer.operation(operation.declaration(), effects);
    finished(printer)
}

/// One parameter or field by itself, its documentation above it.
///
/// ```
/// use worldspace_idl::text_view::{self, Options};
/// use worldspace_model::{Field, Type};
/// let field = Field::optional("limit", Type::INTEGER).documented("How many at most.");
/// assert_eq!(text_view::field(&field, Options::default()), "/// \"How many at most.\"\nlimit?: integer");
/// ```
pub fn field(field: &Field, options: Options<'_>) -> String {
    let mut printer = Printer::new(options.form());
    printer.field(field);
    finished(printer)
}

fn finished(printer: Printer<'_, '_>) -> String {
    let mut text = String::new();
    printer.finish(&mut text);
    text
}

/// As [`object`], piece by piece.
pub fn write_object(ink: &mut dyn Ink, object: &Object) {
    let mut printer = Printer::new(Form::View);
    printer.object(object);
    printer.finish(ink);
}

/// As [`interface_with`], piece by piece.
pub fn write_interface(
    ink: &mut dyn Ink,
    reference: &InterfaceReference,
    descriptor: &Descriptor,
    options: Options<'_>,
) {
    let name = quote::string(&reference::write(reference));
    let mut printer = Printer::new(options.form());
    printer.interface((Role::Text, name), descriptor, options.effects);
    printer.finish(ink);
}
