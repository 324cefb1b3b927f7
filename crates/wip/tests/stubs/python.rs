//! Python: programs beside generated clients, checked by mypy and run by Python.

mod project;

use worldspace_projections::stubs::python;

use crate::live::{files_and_tables, shown, tracker};
use crate::nasty;
use crate::typescript::{lifecycle, source};
use project::Project;

/// Less than elsewhere: mypy takes twice the time for each list within a list.
const CHAIN: usize = 80;

#[test]
#[allow(clippy::disallowed_methods, reason = "whoever runs the test says whether to write anew")]
fn the_text_of_a_client() {
    let files = python::client(&[source("issue.lifecycle", &lifecycle())], "issue");
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["issue.py", "wip_runtime.py"]);
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stubs/python/issue.golden.py");
    if std::env::var_os("WIP_UPDATE_GOLDEN").is_some() {
        std::fs::write(golden, &files[0].text).unwrap();
    }
    let kept = std::fs::read_to_string(golden).unwrap_or_default();
    assert_eq!(kept, files[0].text, "WIP_UPDATE_GOLDEN=1 writes it anew");
    assert!(files.iter().all(|file| worldspace_projections::stubs::is_generated(&file.text)));
}

#[test]
fn any_name_text_and_value_goes_there_and_back() {
    let Some(project) = Project::new("nasty_client", &[source("Nasty", &nasty::interface(CHAIN))]) else {
        return;
    };
    project.add("nasty.py", include_str!("python/nasty.py"));
    project.is_typed(&["nasty_client.py", "wip_runtime.py", "nasty.py"]);
    project.runs("nasty", &[&nasty::serve(CHAIN)]);
}

#[test]
fn a_caller_is_told_what_happened_whatever_a_peer_does() {
    let Some(project) = Project::new("issue", &[source("issue.lifecycle", &lifecycle())]) else { return };
    project.add("lies.py", include_str!("python/lies.py"));
    project.is_typed(&["issue.py", "lies.py"]);
    project.runs("lies", &[]);
}

/// mypy tells of each marked line that has no error.
#[test]
fn wrong_programs_are_told() {
    let Some(project) = Project::new("issue", &[source("issue.lifecycle", &lifecycle())]) else { return };
    project.add("refused.py", include_str!("python/refused.py"));
    project.is_typed(&["refused.py"]);
}

#[test]
fn what_is_generated_is_typed_wherever_it_is_taken_to() {
    let Some(project) = Project::new("empty", &[]) else { return };
    let twice = [source("issue.lifecycle", &lifecycle()), source("issue.lifecycle", &lifecycle())];
    project.generate("issue", &twice);
    project.is_typed(&["empty.py", "issue.py"]);
}

#[test]
fn files_and_tables_are_read_and_changed() {
    let (world, served, sources) = files_and_tables();
    let Some(project) = Project::new("world", &sources) else { return };
    project.add("things.py", include_str!("python/things.py"));
    project.is_typed(&["things.py"]);
    project.runs("things", &[&served.url, &served.token, world.path().join("docs").to_str().unwrap()]);
}

#[test]
fn the_tracker_is_used_from_entry_to_entry() {
    let directory = tempfile::tempdir().unwrap();
    let (url, token, sources) = tracker(directory.path());
    let Some(project) = Project::new("tracker", &sources) else { return };
    project.add("issues.py", include_str!("python/issues.py"));
    let shown = shown("python");
    assert_eq!(shown.len(), 1);
    project.add("shown.py", shown[0]);
    project.is_typed(&["issues.py", "shown.py"]);
    project.runs("issues", &[&url, &token]);
}
