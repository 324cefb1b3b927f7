//! What users and agents read, whole, as the IDL prints it. `WIP_UPDATE_GOLDEN=1` writes it anew.

use std::path::Path;

use worldspace_example_tracker::interfaces::{
    CommentableInterface, LifecycleInterface, ProjectIssuesInterface, TrackerSearchInterface,
};
use worldspace_host::TypedInterface;
use worldspace_idl::{DeclaredName, NoFiles, check, source_view};
use worldspace_model::InterfaceName;

fn printed<I: TypedInterface>(_: I) -> String {
    let interface = I::interface().unwrap();
    let name = DeclaredName::Bare(InterfaceName::parse(I::NAME).unwrap());
    let text = source_view::interface(&name, interface.descriptor(), interface.effects());
    let read = check(I::NAME, &text, &mut NoFiles);
    assert!(read.diagnostics.is_empty(), "{text}");
    assert_eq!(read.interfaces[0].descriptor, *interface.descriptor());
    assert_eq!(read.interfaces[0].effects, *interface.effects());
    text
}

#[test]
#[allow(clippy::disallowed_methods, reason = "whoever runs the test says whether to write anew")]
fn every_word_of_the_interfaces_is_meant() {
    let parts = [
        printed(TrackerSearchInterface),
        printed(ProjectIssuesInterface),
        printed(LifecycleInterface),
        printed(CommentableInterface),
    ];
    let now = parts.join("\n");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tracker/interfaces.wip");
    if std::env::var_os("WIP_UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, &now).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), now, "WIP_UPDATE_GOLDEN=1 writes it anew");
}
