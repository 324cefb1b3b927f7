//! `[[mount]]`: what is offered where.

use std::path::{Path, PathBuf};

use worldspace_model::EntryPath;
use worldspace_providers::files;

use super::keys::MOUNT;
use super::section::{Placed, Section};
use super::values::{boolean, count, string};
use crate::world::Mount;

/// Reads all mounts, and whether anything there can be changed, as far as that is clear; paths are seen from `base`.
pub(super) fn read(top: &Section<'_, '_>, base: &Path) -> (Vec<Mount>, bool) {
    let mut mounts: Vec<Mount> = Vec::new();
    let mut writable = false;
    let sections = top.sections("mount", &MOUNT);
    if top.raw("mount").is_none() {
        top.missing(
            "nothing is offered: the file has no [[mount]]",
            "[[mount]] with `at` and `files` below it",
        );
    }
    for section in &sections {
        let at = section.required("at", "at = \"/docs\"", string).and_then(|at| entry(section, at));
        let directory = section.required("files", "files = \"docs\"", string);
        let directory = directory.and_then(|path| directory_at(section, base, path));
        let mut settings = files::Settings::default();
        section.set("writable", &mut settings.writable, boolean);
        section.set("hidden", &mut settings.hidden, boolean);
        section.set("gitignore", &mut settings.gitignore, boolean);
        section.set("indexable_names", &mut settings.indexable_names, count(0));
        writable |= settings.writable || section.is_unclear("writable", boolean);
        let Some(Placed { value: at, span }) = at else { continue };
        if mounts.iter().any(|known| known.at == at) {
            let what = format!("`at`: something is mounted at {at} already");
            section.note(&span, what, "give one of them another place");
            continue;
        }
        // What could not be read is a mistake by now; the place is kept, so that another one there is noticed.
        mounts.push(Mount { at, directory: directory.unwrap_or_default(), settings });
    }
    (mounts, writable)
}

fn entry(
    section: &Section<'_, '_>,
    Placed { value: text, span }: Placed<String>,
) -> Option<Placed<EntryPath>> {
    let fault = match EntryPath::parse(&text) {
        Ok(value) => return Some(Placed { value, span }),
        Err(fault) => fault,
    };
    let right = match text.trim_matches('/') {
        "" => "the top is \"/\"".to_owned(),
        inner => match EntryPath::parse(&format!("/{inner}")) {
            Ok(path) => format!("did you mean {:?}?", path.as_str()),
            Err(_) => "a path is written \"/docs\" or \"/team/docs\"".to_owned(),
        },
    };
    section.note(&span, format!("`at`: {text:?} is no path in a Worldspace: {fault}"), right);
    None
}

fn directory_at(
    section: &Section<'_, '_>,
    base: &Path,
    Placed { value: text, span }: Placed<String>,
) -> Option<PathBuf> {
    let path = base.join(&text);
    let right = "name a directory; a path that does not begin with / is seen from where this file is";
    match std::fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => return Some(path),
        Ok(_) => section.note(&span, format!("`files`: {} is no directory", path.display()), right),
        Err(error) => section.note(&span, format!("`files`: cannot open {}: {error}", path.display()), right),
    }
    None
}
