//! What users and agents read, whole, as the IDL prints it. `WIP_UPDATE_GOLDEN=1` writes it anew.

use std::path::Path;
use std::sync::Arc;

use worldspace_client::{Client, Settings};
use worldspace_example_tracker::interfaces::{
    CommentableInterface, LifecycleInterface, ProjectIssuesInterface, TrackerSearchInterface,
};
use worldspace_host::{Host, TypedInterface};
use worldspace_idl::{DeclaredName, NoFiles, check, source_view};
use worldspace_model::{EntryPath, InterfaceName};
use worldspace_testkit::Way;

use crate::world::World;

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

/// One description, four ways to have it: the macros, their print, the file that a person may write, and a Client over HTTP.
#[tokio::test]
async fn macros_idl_and_wire_say_the_same() {
    let file = check("interfaces.wip", include_str!("interfaces.wip"), &mut NoFiles);
    assert!(file.diagnostics.is_empty());
    let made = [
        (TrackerSearchInterface::NAME, TrackerSearchInterface::interface()),
        (ProjectIssuesInterface::NAME, ProjectIssuesInterface::interface()),
        (LifecycleInterface::NAME, LifecycleInterface::interface()),
        (CommentableInterface::NAME, CommentableInterface::interface()),
    ];
    let world = World::small();
    let host = Host::builder().mount(EntryPath::root(), world.tracker().provider().unwrap()).build().unwrap();
    let http = Way::Http.to(Arc::new(host)).await.unwrap();
    let client = Client::new(http.transport(), Settings::default());
    let mut seen = Vec::new();
    for entry in ["/", "/garden", "/garden/1"] {
        let shown = client.fetch(&EntryPath::parse(entry).unwrap()).await.unwrap();
        for interface in client.interfaces_of(&shown).await {
            let interface = interface.unwrap();
            let name = interface.reference().name().as_str();
            let (_, made) = made.iter().find(|(made, _)| *made == name).unwrap();
            let made = made.as_ref().unwrap();
            assert_eq!(interface.descriptor(), made.descriptor(), "{name}");
            assert_eq!(interface.effects(), Some(made.effects()), "{name}");
            let bare = DeclaredName::Bare(InterfaceName::parse(name).unwrap());
            let written = file.interfaces.iter().find(|declared| declared.name == bare).unwrap();
            assert_eq!(written.descriptor, *made.descriptor(), "{name}");
            assert_eq!(written.effects, *made.effects(), "{name}");
            seen.push(name.to_owned());
        }
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), made.len(), "{seen:?}");
}
