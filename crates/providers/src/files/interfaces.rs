//! The interfaces of a directory of files, as they are declared to people and models.

use worldspace_host::{Interface, Interfaces, LocalReference};
use worldspace_model::{EnumCase, Fault, Field, OperationDeclaration, Type};

use super::read::{bytes, find, list, text};
use super::stat::Kind;
use super::write::declare;

/// What directories publish.
pub(super) const DIRECTORY: &str = "files.directory";
/// What files publish.
pub(super) const FILE: &str = "files.file";
/// What links, devices, pipes and sockets publish.
pub(super) const OTHER: &str = "files.other";
/// What directories publish as well where writing is offered.
pub(super) const DIRECTORY_WRITE: &str = "files.directory.write";
/// What files publish as well where writing is offered.
pub(super) const FILE_WRITE: &str = "files.file.write";

/// The interfaces, and the lists of them that Objects share.
pub(super) struct Catalog {
    directory: Interfaces,
    file: Interfaces,
    other: Interfaces,
    declared: Vec<(LocalReference, Interface)>,
}

impl Catalog {
    pub(super) fn new(writable: bool) -> Result<Self, Fault> {
        let mut declared = vec![
            (LocalReference::at_root(DIRECTORY)?, declare_directory()?),
            (LocalReference::at_root(FILE)?, declare_file()?),
            (LocalReference::at_root(OTHER)?, declare_other()?),
        ];
        if writable {
            declared.push((LocalReference::at_root(DIRECTORY_WRITE)?, declare::directory()?));
            declared.push((LocalReference::at_root(FILE_WRITE)?, declare::file()?));
        }
        let list = |names: &[&str]| {
            let listed = declared.iter().filter(|(known, _)| names.contains(&known.name.as_str()));
            Interfaces::new(listed.map(|(reference, _)| reference.clone()))
        };
        Ok(Self {
            directory: list(&[DIRECTORY, DIRECTORY_WRITE]),
            file: list(&[FILE, FILE_WRITE]),
            other: list(&[OTHER]),
            declared,
        })
    }

    /// What a thing of that kind publishes.
    pub(super) fn of(&self, kind: Kind) -> &Interfaces {
        match kind {
            Kind::Directory => &self.directory,
            Kind::File => &self.file,
            Kind::Link | Kind::Other => &self.other,
        }
    }

    pub(super) fn find(&self, reference: &LocalReference) -> Option<&Interface> {
        let found = self.declared.iter().find(|(known, _)| known == reference);
        found.map(|(_, interface)| interface)
    }
}

fn declare_directory() -> Result<Interface, Fault> {
    Interface::builder()
        .documented("A directory: the names in it, and the files below it by name or by what stands in them.")
        .read(list())
        .read(find())
        .build()
}

fn declare_file() -> Result<Interface, Fault> {
    Interface::builder()
        .documented("A file: what it is, and what stands in it.")
        .read(metadata())
        .read(read_text())
        .read(read_bytes())
        .build()
}

fn declare_other() -> Result<Interface, Fault> {
    Interface::builder()
        .documented("A link, a device, a pipe or a socket: it is neither followed nor opened.")
        .read(metadata())
        .build()
}

fn kind() -> Type {
    Type::cases(vec![
        EnumCase::documented(Kind::Directory.name(), "Holds names."),
        EnumCase::documented(Kind::File.name(), "Holds bytes."),
        EnumCase::documented(Kind::Link.name(), "Names another place; not followed."),
        EnumCase::documented(Kind::Other.name(), "A device, pipe or socket; never opened."),
    ])
}

fn list() -> OperationDeclaration {
    let limit = format!("Items per page, from 1: {} unless given, {} at most.", list::USUAL, list::MOST);
    let item = Type::record([
        required("entry", Type::ENTRY, "Where it stands."),
        Field::required("kind", kind()),
        optional("size", Type::INTEGER, "Bytes; of files alone."),
        optional("modified", Type::STRING, "When its content last changed: RFC 3339, UTC."),
    ]);
    OperationDeclaration::new("list")
        .documented("Lists what stands in the directory itself, page by page, however much it is.")
        .detailed(
            "The order is the filesystem's. Names that the Host leaves out (hidden or ignored ones) are not listed. \
             What comes or goes while pages are read may be missed; what stays is listed once. What cannot be looked at, \
             as on a bad disk, is listed without size and time, as `other` unless its kind is known. A page may hold fewer \
             items than asked for, or none, and still not be the last: only one without `next_cursor` is.",
        )
        .takes([
            optional("cursor", Type::STRING, "`next_cursor` of the page before; none for the first page."),
            optional("limit", Type::INTEGER, limit),
        ])
        .returns(Type::record([
            required("items", Type::list(item), "The page."),
            optional("next_cursor", Type::STRING, "The `cursor` of the next page; absent on the last one."),
            optional("unnamed", Type::INTEGER, "How many names are not UTF-8 and so have no entry, if any.")
                .detailed("They are counted on the page on which they would stand."),
        ]))
}

fn find() -> OperationDeclaration {
    let limit = format!("Matches, from 1: {} unless given, {} at most.", find::USUAL, find::MOST);
    let found = Type::record([
        required("entry", Type::ENTRY, "The file."),
        optional("line", Type::INTEGER, "The number of the line, from 1; with `text`."),
        optional("text", Type::STRING, "The line, or the part of a long one around the match.")
            .detailed("It is marked with … where it is cut, and with \u{fffd} where it is not UTF-8."),
    ]);
    OperationDeclaration::new("find")
        .documented("Finds files below the directory, at any depth, by name, by text in them, or both.")
        .detailed(
            "With neither, it finds all files. They are sorted by path (in a directory of more than 20,000 names, a \
             part at a time). Links are not followed. Binary files are not searched for text: a zero byte near the \
             beginning, as in UTF-16, rules a file out, one further on ends its search.",
        )
        .takes([
            optional("glob", Type::STRING, "Which files: a glob as in ripgrep's `-g`, such as `*.rs` or `src/**`.")
                .detailed(
                    "It is relative to the directory: `*.rs` at any depth, `src/**` below src, `{a,b}` either, a \
                     leading `/` for the directory itself, a leading `!` for all but these.",
                ),
            optional("text", Type::STRING, "What stands in a line of them, exactly so; each such line is a match."),
            optional("regex", Type::BOOLEAN, "Whether `text` is a regular expression (Rust's syntax); false unless given.").detailed(
                "`^` and `$` are the borders of a line, `(?i)` is for any case.",
            ),
            optional("limit", Type::INTEGER, limit),
        ])
        .returns(Type::record([
            Field::required("matches", Type::list(found)),
            required("truncated", Type::BOOLEAN, "Whether there may be more: narrow the search, or go further down.")
                .detailed("The search stopped at `limit`, at the room that an answer has, or at the end of its time."),
            optional("unread", Type::INTEGER, "How many files and directories were passed over unread, if any.")
                .detailed(
                    "They are not permitted to the Host, failing, nested too deep, with a line too long, or with a \
                     name that is not UTF-8.",
                ),
        ]))
}

fn metadata() -> OperationDeclaration {
    OperationDeclaration::new("metadata").documented("What the filesystem says of it.").returns(Type::record(
        [
            Field::required("kind", kind()),
            required("size", Type::INTEGER, "Bytes; of a link, those of its text."),
            required("modified", Type::STRING, "When the content last changed: RFC 3339, UTC."),
            optional(
                "created",
                Type::STRING,
                "When it was created: RFC 3339, UTC; where the filesystem keeps that.",
            ),
            required("executable", Type::BOOLEAN, "Whether somebody may run it."),
            required("links", Type::INTEGER, "How many names the file has.")
                .detailed("With more than one it has no identity of its own."),
            optional("target", Type::ENTRY, "What a link names, where that is in this directory tree.")
                .detailed("Whether anything is there is not said."),
        ],
    ))
}

fn read_text() -> OperationDeclaration {
    let lines =
        format!("How many lines, from 1; unless given, all, of which one answer holds {}.", text::USUAL);
    let whole = format!(
        "Whole lines, {} KiB at most; a longer line is cut (`read_bytes` reads such a one).",
        text::LONGEST >> 10
    );
    OperationDeclaration::new("read_text")
        .documented("Reads lines of a UTF-8 text, line ends kept as they are.")
        .detailed(
            "An answer that is full ends behind a whole line, so that `start_line` plus the number of lines in it goes \
             on exactly there. Only a line that is longer than an answer by itself is cut, at a character; \
             `read_bytes` reads such a line, as it reads what is not UTF-8. The whole file is read to count its lines.",
        )
        .takes([
            optional("start_line", Type::INTEGER, "The first line to read, from 1; 1 unless given.")
                .detailed("Behind the last line the text is empty."),
            optional("lines", Type::INTEGER, lines),
        ])
        .returns(Type::record([
            required("text", Type::STRING, whole),
            required("start_line", Type::INTEGER, "The number of its first line, from 1."),
            required("total_lines", Type::INTEGER, "How many lines the file has.")
                .detailed("A last one without a line end counts."),
            required(
                "truncated",
                Type::BOOLEAN,
                "Whether it is less than was asked for; go on at `start_line` plus the lines in it.",
            ),
        ]))
}

fn read_bytes() -> OperationDeclaration {
    let length = format!("How many bytes, from 1: {} unless given, {} at most.", bytes::USUAL, bytes::MOST);
    OperationDeclaration::new("read_bytes")
        .documented("Reads bytes from anywhere in the file, of any size.")
        .takes([
            optional("offset", Type::INTEGER, "The first byte, from 0; 0 unless given.")
                .detailed("Behind the end there is no data."),
            optional("length", Type::INTEGER, length),
        ])
        .returns(Type::record([
            required("data", Type::BYTES, "Fewer than asked for where the file ends or the answer is full."),
            required("size", Type::INTEGER, "Bytes in the whole file."),
        ]))
}

pub(super) fn required(name: &str, ty: Type, words: impl Into<String>) -> Field {
    Field::required(name, ty).documented(words)
}

pub(super) fn optional(name: &str, ty: Type, words: impl Into<String>) -> Field {
    Field::optional(name, ty).documented(words)
}
