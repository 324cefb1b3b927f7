//! Clients of what `wip serve` offers, and of the example of an application.

use super::project::Project;
use crate::live::{files_and_tables, shown, tracker};

#[test]
fn files_and_tables_are_read_and_changed() {
    let (world, served, sources) = files_and_tables();
    let Some(project) = Project::new("world", &sources) else { return };
    project.add("files.ts", include_str!("files.ts"));
    project.add("tables.ts", include_str!("tables.ts"));
    project.compiles();
    project.runs("files", &[&served.url, &served.token, world.path().join("docs").to_str().unwrap()]);
    project.runs("tables", &[&served.url, &served.token]);
}

#[test]
fn the_tracker_is_used_from_entry_to_entry() {
    let directory = tempfile::tempdir().unwrap();
    let (url, token, sources) = tracker(directory.path());
    let Some(project) = Project::new("tracker", &sources) else { return };
    project.add("issues.ts", include_str!("issues.ts"));
    for (at, program) in shown("ts").iter().enumerate() {
        project.add(&format!("shown{at}.ts"), program);
    }
    project.compiles();
    project.runs("issues", &[&url, &token]);
    assert_eq!(shown("ts").len(), 2);
}
