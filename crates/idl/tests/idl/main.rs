//! What the conformance vectors do not show: effects, and pieces instead of text.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod arbitrary;
mod diff;
mod format;
mod golden;
mod properties;
mod scale;
mod source_view;
mod vectors;

use worldspace_idl::text_view::{self, Options};
use worldspace_idl::{Ink, Role};
use worldspace_model::{
    Declaration, Descriptor, Effect, EffectTable, Effects, Field, InterfaceReference, OperationDeclaration,
    Type,
};

fn lifecycle() -> (InterfaceReference, Descriptor, EffectTable) {
    let close = OperationDeclaration::new("close")
        .documented("Closes the issue.")
        .takes([Field::optional("note", Type::STRING)]);
    let read = OperationDeclaration::new("read_body").returns(Type::STRING);
    let declaration = Declaration { operations: vec![close, read], ..Declaration::default() };
    let descriptor = Descriptor::new(declaration).unwrap();
    let effects = vec![
        ("close".into(), Effects::new([Effect::Guarded, Effect::Destructive]).unwrap()),
        ("read_body".into(), Effects::READ),
    ];
    let effects = EffectTable::new(&descriptor, effects).unwrap();
    (InterfaceReference::parse("/", "issue.lifecycle").unwrap(), descriptor, effects)
}

#[test]
fn effects_stand_between_documentation_and_operation() {
    let (reference, descriptor, effects) = lifecycle();
    let options = Options { effects: Some(&effects), ..Options::default() };
    let text = text_view::interface_with(&reference, &descriptor, options);
    let wanted = r#"interface "/::issue.lifecycle" {
  /// "Closes the issue."
  @destructive
  @guarded
  operation close(
    note?: string,
  ) -> unit;
  @read
  operation read_body() -> string;
}
"#;
    assert_eq!(text, wanted);
}

#[test]
fn without_effects_the_text_view_is_that_of_v1() {
    let (reference, descriptor, effects) = lifecycle();
    let with = text_view::interface_with(
        &reference,
        &descriptor,
        Options { effects: Some(&effects), ..Options::default() },
    );
    let plain: String =
        with.lines().filter(|line| !line.trim().starts_with('@')).map(|line| format!("{line}\n")).collect();
    assert_eq!(text_view::interface(&reference, &descriptor), plain);
}

#[test]
fn one_operation_is_shown_without_its_interface() {
    let (_, descriptor, effects) = lifecycle();
    let read = descriptor.operation("read_body").unwrap();
    let text = text_view::operation(&read, Options { effects: Some(&effects), ..Options::default() });
    assert_eq!(text, "@read\noperation read_body() -> string;");
}

#[test]
fn a_bare_signature_has_no_documentation() {
    let (reference, descriptor, _) = lifecycle();
    let text = text_view::interface(&reference, &descriptor);
    let bare: String =
        text.lines().filter(|line| !line.trim().starts_with("///")).map(|line| format!("{line}\n")).collect();
    assert_ne!(text, bare);
    let options = Options { undocumented: true, ..Options::default() };
    assert_eq!(text_view::interface_with(&reference, &descriptor, options), bare);
}

#[test]
fn names_reach_the_ink_in_their_role() {
    struct Names(Vec<(Role, String)>);
    impl Ink for Names {
        fn put(&mut self, role: Role, text: &str) {
            if !matches!(role, Role::Layout | Role::Keyword) {
                self.0.push((role, text.to_owned()));
            }
        }
    }
    let (reference, descriptor, _) = lifecycle();
    let mut names = Names(Vec::new());
    text_view::write_interface(&mut names, &reference, &descriptor, Options::default());
    let wanted = [
        (Role::Text, "\"/::issue.lifecycle\""),
        (Role::Documentation, "/// \"Closes the issue.\""),
        (Role::Operation, "close"),
        (Role::Member, "note"),
        (Role::Operation, "read_body"),
    ];
    assert_eq!(names.0, wanted.map(|(role, text)| (role, text.to_owned())));
}
