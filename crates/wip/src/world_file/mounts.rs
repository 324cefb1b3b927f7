//! `[[mount]]`: what is offered where.

use std::path::{Path, PathBuf};

use worldspace_model::EntryPath;
use worldspace_providers::{files, sql};

use super::keys::{KINDS, MOUNT, listed};
use super::limits::SOME_TIME;
use super::section::{Placed, Section};
use super::values::{boolean, count, string, time};
use crate::json;
use crate::source::{self, SourceKind};
use crate::world::{APART, Mount, Mounted};

/// Reads all mounts, and whether anything there can be changed, as far as that is clear; paths are seen from `base`.
pub(super) fn read(top: &Section<'_, '_>, base: &Path) -> (Vec<Mount>, bool) {
    let mut mounts: Vec<Mount> = Vec::new();
    let mut writable = false;
    let sections = top.sections("mount", &MOUNT);
    if top.raw("mount").is_none() {
        top.missing(
            "nothing is offered: the file has no [[mount]]",
            "[[mount]] with `at` and `files` or `sqlite` below it",
        );
    }
    for section in &sections {
        let at = section.required("at", "at = \"/docs\"", string).and_then(|at| entry(section, at));
        let what = mounted(section, base);
        writable |= what.is_writable() || section.is_unclear("writable", boolean);
        let key = if matches!(what, Mounted::Sqlite(..)) { "sqlite" } else { "files" };
        if let Some(why) = mounts.iter().find_map(|other| what.clash(&other.what))
            && let Some(given) = section.raw(key)
        {
            section.note(&given.span(), format!("`{key}`: {why}"), APART);
        }
        let Some(Placed { value: at, span }) = at else { continue };
        if mounts.iter().any(|known| known.at == at) {
            let what = format!("`at`: something is mounted at {at} already");
            section.note(&span, what, "give one of them another place");
            continue;
        }
        mounts.push(Mount { at, what });
    }
    (mounts, writable)
}

/// What is mounted, with the options of its kind. What could not be read is a mistake by now; the place is kept, so that
/// another one there is noticed.
fn mounted(section: &Section<'_, '_>, base: &Path) -> Mounted {
    check_kind(section);
    let files = section.placed("files", string).and_then(|path| directory_at(section, base, path));
    let sqlite = section.placed("sqlite", string).and_then(|path| database_at(section, base, path));
    let (mut of_files, mut of_database) = (files::Settings::default(), sql::Settings::default());
    section.set("writable", &mut of_files.writable, boolean);
    of_database.writable = of_files.writable;
    if section.raw("sqlite").is_some() {
        section.set("statement_time", &mut of_database.statement_time, time(SOME_TIME));
        section.set("exact_integers", &mut of_database.exact_integers, boolean);
        return Mounted::Sqlite(sqlite.unwrap_or_default(), of_database);
    }
    section.set("hidden", &mut of_files.hidden, boolean);
    section.set("gitignore", &mut of_files.gitignore, boolean);
    section.set("indexable_names", &mut of_files.indexable_names, count(0));
    Mounted::Directory(files.unwrap_or_default(), of_files)
}

/// Notes where it is not one thing that is mounted, or options are of another kind.
fn check_kind(section: &Section<'_, '_>) {
    let given: Vec<&str> =
        KINDS.iter().filter(|(kind, _)| section.raw(kind).is_some()).map(|(kind, _)| *kind).collect();
    match given[..] {
        [] if KINDS.iter().any(|(kind, _)| section.is_misspelt(kind)) => {}
        [] => section.missing(
            "`files` or `sqlite` is missing",
            "add a line such as files = \"docs\" or sqlite = \"shop.db\"",
        ),
        [given] => {
            for (kind, options) in KINDS.iter().filter(|(kind, _)| *kind != given) {
                for option in *options {
                    let Some(span) = section.key_span(option) else { continue };
                    let what = format!("`{option}` says nothing of what is mounted by `{given}`");
                    section.note(&span, what, format!("leave it out; it stands beside `{kind}`"));
                }
            }
        }
        _ => {
            let spans = given.iter().filter_map(|kind| section.key_span(kind));
            if let Some(second) = spans.max_by_key(|span| span.start) {
                let what = format!("a [[mount]] has one of {}", listed(&given, "and"));
                section.note(&second, what, "leave one of them out, or write a [[mount]] for each");
            }
        }
    }
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
    match source::kind_of(path.clone()) {
        Ok(Some(SourceKind::Directory(path))) => return Some(path),
        Ok(Some(SourceKind::Sqlite(_))) => {
            let what = format!("`files`: {} is a SQLite database and no directory", path.display());
            section.note(&span, what, format!("write sqlite = {}", json::string(&text)));
        }
        Ok(None) => section.note(&span, format!("`files`: {} is no directory", path.display()), right),
        Err(error) => section.note(&span, format!("`files`: cannot open {}: {error}", path.display()), right),
    }
    None
}

fn database_at(
    section: &Section<'_, '_>,
    base: &Path,
    Placed { value: text, span }: Placed<String>,
) -> Option<PathBuf> {
    let path = base.join(&text);
    let right = "name a SQLite database; a path that does not begin with / is seen from where this file is";
    match source::kind_of(path.clone()) {
        Ok(Some(SourceKind::Sqlite(path))) => return Some(path),
        Ok(Some(SourceKind::Directory(_))) => {
            let what = format!("`sqlite`: {} is a directory and no SQLite database", path.display());
            section.note(&span, what, format!("write files = {}", json::string(&text)));
        }
        Ok(None) => {
            let what = format!("`sqlite`: {} is no SQLite database", path.display());
            section.note(&span, what, source::instead_of(&path).unwrap_or_else(|| right.to_owned()));
        }
        Err(error) => {
            section.note(&span, format!("`sqlite`: cannot open {}: {error}", path.display()), right)
        }
    }
    None
}
