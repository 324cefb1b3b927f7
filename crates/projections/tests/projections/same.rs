//! What was generated says what the file says.

use std::path::Path;

use worldspace_host::TypedInterface;
use worldspace_idl::{DeclaredInterface, DeclaredName, NoFiles, check};
use worldspace_model::{Type, TypeDeclarations, WipType};
use worldspace_projections::stubs::{Source, is_generated, rust};

use crate::made::{nasty_client, nasty_traits, tracker_client, tracker_traits};

const FILES: [(&str, &str); 2] = [
    ("tracker", include_str!("../../../../examples/tracker/tests/tracker/interfaces.wip")),
    ("nasty", include_str!("nasty.wip")),
];

pub(crate) fn declared(file: &str) -> Vec<DeclaredInterface> {
    let (name, text) = FILES.iter().find(|(name, _)| *name == file).unwrap();
    let checked = check(name, text, &mut NoFiles);
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    checked.interfaces
}

fn bare(name: &DeclaredName) -> &worldspace_model::InterfaceName {
    let DeclaredName::Bare(name) = name else { panic!("{name:?}") };
    name
}

#[test]
#[allow(clippy::disallowed_methods, reason = "whoever runs the test says whether to write anew")]
fn what_is_compiled_here_is_what_is_generated() {
    for (name, _) in FILES {
        let source = |interface: DeclaredInterface| {
            Source::new(bare(&interface.name).clone(), interface.descriptor, interface.effects)
        };
        let sources: Vec<Source> = declared(name).into_iter().map(source).collect();
        let client = rust::client(&sources, "client").remove(0);
        assert_eq!(client.name, "client.rs");
        assert!(is_generated(&client.text));
        for (kind, text) in [("client", client.text), ("traits", rust::traits(&sources))] {
            let file = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(format!("tests/projections/made/{name}_{kind}.rs"));
            if std::env::var_os("WIP_UPDATE_GOLDEN").is_some() {
                std::fs::write(&file, &text).unwrap();
            }
            let kept = std::fs::read_to_string(&file).unwrap_or_default();
            assert_eq!(kept, text, "{name} {kind}: WIP_UPDATE_GOLDEN=1 writes it anew");
        }
    }
}

#[track_caller]
fn same<I: TypedInterface>(file: &str, _: I) {
    let made = I::interface().unwrap();
    let declared = declared(file);
    let written = declared.iter().find(|interface| bare(&interface.name).as_str() == I::NAME).unwrap();
    assert_eq!(*made.descriptor(), written.descriptor);
    assert_eq!(*made.effects(), written.effects);
}

#[test]
fn traits_give_back_the_interfaces_that_they_were_made_of() {
    same("tracker", tracker_traits::TrackerSearchInterface);
    same("tracker", tracker_traits::ProjectIssuesInterface);
    same("tracker", tracker_traits::IssueLifecycleInterface);
    same("tracker", tracker_traits::CommentableInterface);
    same("nasty", nasty_traits::NastyOneInterface);
    same("nasty", nasty_traits::OtherInterface);
}

/// The declaration that a Rust type gives is the one in the file, with all that it reaches.
#[track_caller]
fn described<T: WipType>(file: &str, interface: usize) {
    let mut types = TypeDeclarations::default();
    let ty = T::describe(&mut types);
    let found = types.finish(&[]).unwrap();
    let declared = declared(file);
    let declaration = declared[interface].descriptor.declaration();
    assert!(found.iter().any(|one| Type::named(one.name.clone()) == ty), "{ty:?}");
    for one in found {
        let written = declaration.types.iter().find(|written| written.name == one.name);
        assert_eq!(written, Some(&one));
    }
}

/// What has no name is written where it stands, as in the file.
#[track_caller]
fn stands<T: WipType>(operation: &str, parameter: Option<&str>) {
    let declared = declared("nasty");
    let operations = &declared[0].descriptor.declaration().operations;
    let operation = operations.iter().find(|declared| &*declared.name == operation).unwrap();
    let written = match parameter {
        Some(name) => &operation.parameters.iter().find(|declared| &*declared.name == name).unwrap().ty,
        None => &operation.returns,
    };
    assert_eq!(T::describe(&mut TypeDeclarations::default()), *written);
}

#[test]
fn types_of_clients_are_those_of_the_file() {
    use {nasty_client as nasty, tracker_client as tracker};

    described::<tracker::State>("tracker", 0);
    described::<tracker::IssueLine>("tracker", 0);
    described::<tracker::IssuePage>("tracker", 0);
    described::<tracker::IssuePage>("tracker", 1);
    described::<tracker::Body>("tracker", 2);
    described::<tracker::Reason>("tracker", 2);
    described::<tracker::Metadata>("tracker", 2);
    described::<tracker::RelatedItems>("tracker", 2);
    described::<tracker::AssignResult>("tracker", 2);
    described::<tracker::CloseResult>("tracker", 2);
    described::<tracker::ReopenResult>("tracker", 2);
    described::<tracker::Comment>("tracker", 3);
    described::<tracker::CommentPage>("tracker", 3);
    described::<nasty::Unreached>("nasty", 0);
    described::<nasty::Outer>("nasty", 0);
    described::<nasty::Inner>("nasty", 0);
    described::<nasty::Kind>("nasty", 0);
    described::<nasty::NastyOneString>("nasty", 0);
    described::<nasty::NastyOneOption>("nasty", 0);
    described::<nasty::Option2>("nasty", 0);
    described::<nasty::NastyOneResult>("nasty", 0);
    described::<nasty::NastyOneVec>("nasty", 0);
    described::<nasty::NastyOneTypedObject>("nasty", 0);
    described::<nasty::Bare>("nasty", 0);
    described::<nasty::TypeA>("nasty", 0);
    described::<nasty::AType>("nasty", 0);
    described::<nasty::OtherKind>("nasty", 1);
    stands::<nasty::EchoResult>("echo", None);
    stands::<nasty::TypeRecord>("type", Some("record"));
    stands::<Vec<nasty::TypeResultItem>>("type", None);
    stands::<nasty::ObjectResult>("object", None);
}
