//! SOURCE: what `wip` can offer as a Worldspace, and under which name.

use std::io;
use std::path::{Path, PathBuf};

use worldspace_model::Segment;
use worldspace_providers::sql::is_sqlite;

use crate::config;
use crate::failure::Failure;

/// A source as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// The name of the mount below `/`.
    pub(crate) name: Segment,
    pub(crate) kind: SourceKind,
}

/// What a source is, told by looking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SourceKind {
    Directory(PathBuf),
    /// A file that begins as SQLite databases do.
    Sqlite(PathBuf),
}

/// Looks what is there; nothing where it is of no kind that can be offered.
pub(crate) fn kind_of(path: PathBuf) -> io::Result<Option<SourceKind>> {
    let metadata = std::fs::metadata(&path)?;
    if metadata.is_dir() {
        return Ok(Some(SourceKind::Directory(path)));
    }
    // Whoever opens a pipe waits for what is at its other end.
    let is_database = metadata.is_file() && is_sqlite(&path)?;
    Ok(is_database.then_some(SourceKind::Sqlite(path)))
}

/// Why a file is no SQLite database, where that can be told, and what would be one.
pub(crate) fn instead_of(path: &Path) -> Option<String> {
    let name = path.to_string_lossy();
    // SQLite keeps them beside the file, and some of them are empty most of the time.
    let of = ["-wal", "-shm", "-journal"].iter().find_map(|end| name.strip_suffix(end));
    if let Some(of) = of.filter(|of| Path::new(of).is_file()) {
        return Some(format!("it belongs to the database beside it; name that one: {of}"));
    }
    let metadata = std::fs::metadata(path).ok()?;
    if metadata.is_file() && metadata.len() == 0 {
        return Some(
            "an empty file is no database yet; it becomes one with the first table that is made in it"
                .to_owned(),
        );
    }
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    matches!(&*ending, "db" | "db3" | "sqlite" | "sqlite3").then(|| {
        "by its name it is a database, but it does not begin as those of SQLite 3 do: it may be encrypted, damaged, \
         or of another program"
            .to_owned()
    })
}

/// Looks at all sources, in their order.
pub(crate) fn open_all(texts: &[String]) -> Result<Vec<Source>, Failure> {
    let mut sources: Vec<Source> = Vec::with_capacity(texts.len());
    for text in texts {
        let source = open(text)?;
        if sources.iter().any(|known| known.name == source.name) {
            let name = source.name.as_str();
            let hint = format!("give one of them another name: NAME={}", path_of(text));
            return Err(Failure::usage(format!("two sources are named {name:?}")).hint(hint));
        }
        sources.push(source);
    }
    Ok(sources)
}

fn path_of(text: &str) -> &str {
    split(text).map_or(text, |(_, path)| path)
}

/// The given name, if any. What holds a slash before the `=` is a path with a `=` in it.
fn split(text: &str) -> Option<(&str, &str)> {
    text.split_once('=').filter(|(name, _)| !name.contains('/'))
}

/// What may have been meant by a source that is not there.
fn misread(text: &str, named: bool, path: &str) -> Option<String> {
    let first = path.split('/').next().unwrap_or_default();
    if let Some(inner) = of_uri(text).or_else(|| of_uri(path)) {
        Some(format!("the path alone is enough: {inner}"))
    } else if named && Path::new(text).exists() {
        Some(format!("NAME=PATH was read; for the path with a `=` in it write ./{text}"))
    } else if config::is_endpoint(path) {
        Some(format!("a source is a directory or a SQLite database; to look at an endpoint: --at {path}"))
    } else if matches!(first, "http:" | "https:") {
        Some(format!("an endpoint is written {first}//HOST:PORT/"))
    } else if path.contains("://") {
        Some("an endpoint is written http://HOST:PORT/ or https://HOST/".to_owned())
    } else if first.contains(':') && !named {
        Some(format!("an endpoint is written http://{}/", path.trim_end_matches('/')))
    } else {
        None
    }
}

/// The path in the URI of a database, as other programs take them.
fn of_uri(text: &str) -> Option<&str> {
    let rest = ["sqlite3:", "sqlite:", "file:"].iter().find_map(|scheme| text.strip_prefix(scheme))?;
    let path = rest.split('?').next().unwrap_or_default();
    let path = path.strip_prefix("//").unwrap_or(path);
    (!path.is_empty()).then_some(path)
}

fn open(text: &str) -> Result<Source, Failure> {
    let (given, path) = match split(text) {
        Some((name, path)) => (Some(name), path),
        None => (None, text),
    };
    if path.is_empty() {
        return Err(Failure::usage(format!("{text:?} names no path")).hint("a source is [NAME=]PATH"));
    }
    let full = std::fs::canonicalize(path).map_err(|error| {
        let failure = Failure::io(format!("cannot open {path}"), &error);
        match misread(text, given.is_some(), path) {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })?;
    let kind = kind_of(full.clone());
    let Some(kind) = kind.map_err(|error| Failure::io(format!("cannot open {path}"), &error))? else {
        let failure = Failure::usage(format!("{path} is neither a directory nor a SQLite database"));
        return Err(failure.hint(instead_of(Path::new(path)).unwrap_or_else(|| {
            "to offer files of other kinds, name the directory that holds them".to_owned()
        })));
    };
    let name = match given {
        Some(name) => name.to_owned(),
        None => default_name(&full, matches!(kind, SourceKind::Directory(_)), path)?,
    };
    let name =
        Segment::parse(&name).map_err(|fault| Failure::usage(format!("the name of {text}: {fault}")))?;
    Ok(Source { name, kind })
}

/// The last part of the path with its links resolved, without extension for a file.
fn default_name(full: &Path, directory: bool, path: &str) -> Result<String, Failure> {
    let last = if directory { full.file_name() } else { full.file_stem() };
    match last.map(|last| last.to_str()) {
        Some(Some(name)) => Ok(name.to_owned()),
        Some(None) => Err(Failure::usage(format!("the name of {path} is not valid UTF-8"))
            .hint(format!("give it one: NAME={path}"))),
        None => Err(Failure::usage(format!("{path} has no name")).hint(format!("give it one: NAME={path}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[String]) -> Result<Vec<String>, String> {
        let sources = open_all(texts).map_err(|failure| failure.message)?;
        Ok(sources.iter().map(|source| source.name.as_str().to_owned()).collect())
    }

    #[test]
    fn sources_are_named_after_their_last_part_or_as_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = |below: &str| dir.path().join(below).to_str().unwrap().to_owned();
        for name in ["a", "b/a", "x=y", "x=y/a=b"] {
            std::fs::create_dir_all(path(name)).unwrap();
        }
        std::fs::write(path("file.txt"), "").unwrap();
        for name in ["shop.db", "b/shop.2026.db"] {
            std::fs::write(path(name), "SQLite format 3\0").unwrap();
        }
        let ok = |names: &[&str]| Ok(names.iter().map(ToString::to_string).collect());
        assert_eq!(names(&[path("a"), format!("other={}", path("b/a/"))]), ok(&["a", "other"]));
        assert_eq!(names(&[path("a/../b/a/.")]), ok(&["a"]));
        assert_eq!(names(&[path("x=y")]), ok(&["x=y"]));
        assert_eq!(names(&[path("x=y/a=b"), format!("n={}", path("x=y/a=b"))]), ok(&["a=b", "n"]));
        assert_eq!(names(&[path("a"), path("b/a")]), Err("two sources are named \"a\"".to_owned()));
        assert_eq!(
            names(&[path("shop.db"), path("a"), path("b/shop.2026.db")]),
            ok(&["shop", "a", "shop.2026"])
        );
        assert_eq!(
            names(&[path("shop.db"), format!("shop={}", path("a"))]),
            Err("two sources are named \"shop\"".to_owned())
        );
        assert!(names(&[path("gone")]).unwrap_err().contains("cannot open"));
        assert!(names(&["name=".to_owned()]).unwrap_err().contains("names no path"));
        assert!(names(&["/".to_owned()]).unwrap_err().contains("has no name"));
        assert!(names(&[format!("..={}", path("a"))]).unwrap_err().contains("cannot be a segment"));
    }

    #[test]
    fn a_file_that_cannot_be_offered_is_told_what_it_may_be() {
        let dir = tempfile::tempdir().unwrap();
        for (name, content, hint) in [
            ("notes.txt", "SQLite format 3", "name the directory that holds them"),
            ("empty", "", "an empty file is no database yet"),
            ("empty.db", "", "an empty file is no database yet"),
            ("shop.db", "SQLite format 2\0", "it may be encrypted, damaged, or of another program"),
            ("shop.SQLITE", "** This file", "it may be encrypted, damaged, or of another program"),
            ("shop.db-wal", "7\u{7f}\u{6}", "/shop.db"),
            ("shop.db-journal", "", "/shop.db"),
            ("gone.db-journal", "x", "name the directory that holds them"),
        ] {
            let path = dir.path().join(name);
            std::fs::write(&path, content).unwrap();
            let failure = open(path.to_str().unwrap()).unwrap_err();
            assert!(failure.message.ends_with("is neither a directory nor a SQLite database"), "{name}");
            assert!(failure.hints[0].ends_with(hint) || failure.hints[0].starts_with(hint), "{failure:?}");
        }
    }

    /// Whoever opened it would wait for whoever writes into it.
    #[test]
    #[cfg(unix)]
    fn a_pipe_is_not_opened() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe.db");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(kind_of(pipe).unwrap(), None);
    }

    #[test]
    fn what_is_no_source_is_said_to_be_perhaps_another_thing() {
        for (text, hint) in [
            ("localhost:8420", Some("an endpoint is written http://localhost:8420/")),
            ("127.0.0.1:8420/", Some("an endpoint is written http://127.0.0.1:8420/")),
            ("http:/localhost", Some("an endpoint is written http://HOST:PORT/")),
            ("ftp://localhost", Some("an endpoint is written http://HOST:PORT/ or https://HOST/")),
            (
                "http://localhost/",
                Some(
                    "a source is a directory or a SQLite database; to look at an endpoint: --at http://localhost/",
                ),
            ),
            (
                "n=http://localhost/",
                Some(
                    "a source is a directory or a SQLite database; to look at an endpoint: --at http://localhost/",
                ),
            ),
            ("sqlite:shop.db", Some("the path alone is enough: shop.db")),
            ("n=sqlite:///a/shop.db", Some("the path alone is enough: /a/shop.db")),
            ("file:shop.db?mode=ro", Some("the path alone is enough: shop.db")),
            ("file:a/shop.db?mode=ro", Some("the path alone is enough: a/shop.db")),
            ("gone", None),
            ("n=gone:1", None),
        ] {
            let failure = open(text).unwrap_err();
            assert_eq!(failure.hints.first().map(String::as_str), hint, "{text}");
        }
    }
}
