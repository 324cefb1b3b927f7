//! An Object as `wip inspect` shows it: its Text View, and those of its interfaces.

use worldspace_idl::text_view::{self, Options};
use worldspace_idl::{DeclaredName, Ink, Role, source_view};
use worldspace_model::{Descriptor, EffectTable, EntryPath, InterfaceReference, Object};

use super::style::{self, styled};
use super::text;

/// An interface of the Object, or why it cannot be shown.
pub(crate) struct Shown<'a> {
    pub(crate) reference: &'a InterfaceReference,
    pub(crate) descriptor: Result<(&'a Descriptor, Option<&'a EffectTable>), String>,
}

/// A line that is no part of the Text View.
fn comment(out: &mut String, line: &str) {
    out.push_str(&styled(style::FAINT, format!("// {line}")));
    out.push('\n');
}

pub(crate) fn render(
    entry: &EntryPath,
    state: Option<&str>,
    object: &Object,
    interfaces: &[Shown<'_>],
) -> String {
    let mut ink = Colours(String::new());
    comment(&mut ink.0, &super::path(entry));
    if let Some(state) = state {
        comment(&mut ink.0, &format!("state {state}"));
    }
    text_view::write_object(&mut ink, object);
    for Shown { reference, descriptor } in interfaces {
        ink.0.push('\n');
        match descriptor {
            Ok((descriptor, effects)) => {
                text_view::write_interface(
                    &mut ink,
                    reference,
                    descriptor,
                    Options { effects: *effects, ..Options::default() },
                );
            }
            Err(why) => ink.0.push_str(&missing(reference, why)),
        }
    }
    ink.0
}

/// An interface as a file of the IDL declares it.
pub(crate) fn source(name: &DeclaredName, descriptor: &Descriptor, effects: Option<&EffectTable>) -> String {
    let mut ink = Colours(String::new());
    // An escape is read as what it stands for only between quotation marks.
    source_view::write_interface(&mut ink, name, descriptor, effects, &|line| text::line(line) == line);
    ink.0
}

/// An interface that cannot be shown, as a comment.
pub(crate) fn missing(reference: &InterfaceReference, why: &str) -> String {
    let mut out = String::new();
    let reference = worldspace_idl::reference::write(reference);
    comment(&mut out, &format!("{} cannot be shown: {}", text::name(&reference), text::prose(why)));
    out
}

/// Colours by role; what cannot be seen is escaped, which the Text View leaves to those who show it.
struct Colours(String);

impl Ink for Colours {
    fn put(&mut self, role: Role, piece: &str) {
        let style = match role {
            Role::Layout => return self.0.push_str(piece),
            Role::Keyword => style::KEYWORD,
            Role::Operation => style::STRONG,
            Role::Text => style::TEXT,
            Role::Documentation => style::FAINT,
            Role::Attribute => style::ATTRIBUTE,
            _ => return self.0.push_str(&text::line(piece)),
        };
        self.0.push_str(&styled(style, text::line(piece)));
    }
}

#[cfg(test)]
mod tests {
    use worldspace_model::{Declaration, ObjectName, OperationDeclaration};

    use super::*;

    #[test]
    fn an_object_stands_above_its_interfaces() {
        let entry = EntryPath::parse("/a\u{200b}").unwrap();
        let mut object = Object::bare(ObjectName::of(&entry));
        let (first, second) =
            (InterfaceReference::parse("/", "i").unwrap(), InterfaceReference::parse("/", "gone").unwrap());
        object.interfaces =
            worldspace_model::InterfaceList::new(vec![first.clone(), second.clone()]).unwrap();
        let declaration =
            Declaration { operations: vec![OperationDeclaration::new("op")], ..Declaration::default() };
        let descriptor = Descriptor::new(declaration).unwrap();
        let interfaces = [
            Shown { reference: &first, descriptor: Ok((&descriptor, None)) },
            Shown { reference: &second, descriptor: Err("interface_not_found: it\nwent".to_owned()) },
        ];
        let text = render(&entry, Some("3f9a"), &object, &interfaces);
        let wanted = r#"// /a\u200b
// state 3f9a
object {
  name: "a\u200b";
  interfaces: ["/::i", "/::gone"];
}

interface "/::i" {
  operation op() -> unit;
}

// /::gone cannot be shown: interface_not_found: it went
"#;
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), wanted);
    }

    /// Text that cannot be seen is shown as escapes, and these are read as what they stand for.
    #[test]
    fn what_is_shown_as_a_file_reads_back_whatever_it_holds() {
        let hostile = [
            "a\u{200b}b",
            "\u{202e}",
            "\u{1b}[2J",
            "a\u{e0041}",
            "\\u200b",
            "👩\u{200d}💻",
            "\u{ad}\n\u{feff}",
            "`\"\\",
        ];
        let operation = |text: &str| {
            OperationDeclaration::new(text).documented(text).detailed(format!("{text}\n\n{text}"))
        };
        let operations = hostile.iter().map(|text| operation(text)).collect();
        let descriptor = Descriptor::new(Declaration { operations, ..Declaration::default() }).unwrap();
        for text in hostile {
            let name = DeclaredName::Full(InterfaceReference::parse(&format!("/{text}"), text).unwrap());
            let shown = anstream::adapter::strip_str(&source(&name, &descriptor, None)).to_string();
            assert!(shown.lines().all(|line| text::line(line) == line), "{shown}");
            let checked = worldspace_idl::check("a.wip", &shown, &mut worldspace_idl::NoFiles);
            let [declared] = &checked.interfaces[..] else { panic!("{shown}\n{:?}", checked.diagnostics) };
            assert_eq!((&declared.name, &declared.descriptor), (&name, &descriptor), "{shown}");
        }
    }
}
