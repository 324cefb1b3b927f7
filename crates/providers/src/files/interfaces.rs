//! The interfaces of a directory of files, as they are declared to people and models.

use worldspace_host::{Interface, Interfaces, LocalReference};
use worldspace_model::{EnumCase, Fault, Field, OperationDeclaration, Type};

use super::read::{bytes, find, list, text};
use super::stat::Kind;

/// What directories publish.
pub(super) const DIRECTORY: &str = "files.directory";
/// What files publish.
pub(super) const FILE: &str = "files.file";
/// What links, devices, pipes and sockets publish.
pub(super) const OTHER: &str = "files.other";

/// The interfaces, and the lists of them that Objects share.
pub(super) struct Catalog {
    pub(super) directory: Interfaces,
    pub(super) file: Interfaces,
    pub(super) other: Interfaces,
    declared: [(LocalReference, Interface); 3],
}

impl Catalog {
    pub(super) fn new() -> Result<Self, Fault> {
        let references = [
            LocalReference::at_root(DIRECTORY)?,
            LocalReference::at_root(FILE)?,
            LocalReference::at_root(OTHER)?,
        ];
        let [directory, file, other] = references;
        Ok(Self {
            directory: Interfaces::new([directory.clone()]),
            file: Interfaces::new([file.clone()]),
            other: Interfaces::new([other.clone()]),
            declared: [(directory, declare_directory()?), (file, declare_file()?), (other, declare_other()?)],
        })
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
    let limit = format!(
        "Items per page at most, from 1: {} unless given, {} at most. A page may hold fewer, or none, and still \
         not be the last.",
        list::USUAL,
        list::MOST
    );
    let item = Type::record([
        required("entry", Type::ENTRY, "Where it stands."),
        Field::required("kind", kind()),
        optional("size", Type::INTEGER, "Bytes; of files alone."),
        optional("modified", Type::STRING, "When its content last changed: RFC 3339, UTC."),
    ]);
    OperationDeclaration::new("list")
        .documented(
            "Lists what stands in the directory itself, page by page, in the filesystem's order, however much it \
             is. Names that the Host leaves out (hidden or ignored ones) are not listed. What comes or goes while \
             pages are read may be missed; what stays is listed once.",
        )
        .takes([
            optional(
                "cursor",
                Type::STRING,
                "`next_cursor` of the page before; leave it out for the first page.",
            ),
            optional("limit", Type::INTEGER, limit),
        ])
        .returns(Type::record([
            required("items", Type::list(item), "The page."),
            optional(
                "next_cursor",
                Type::STRING,
                "Goes into `cursor` for the next page; absent on the last page.",
            ),
            optional(
                "unnamed",
                Type::INTEGER,
                "How many names were passed over on this page because they are not UTF-8 and so have no entry; \
                 absent if none.",
            ),
        ]))
}

fn find() -> OperationDeclaration {
    let limit = format!("Matches at most, from 1: {} unless given, {} at most.", find::USUAL, find::MOST);
    let found = Type::record([
        required("entry", Type::ENTRY, "The file."),
        optional("line", Type::INTEGER, "The number of the line, from 1; with `text`."),
        optional(
            "text",
            Type::STRING,
            "The line; of a long one the part around the match, with … where it is cut.",
        ),
    ]);
    OperationDeclaration::new("find")
        .documented(
            "Finds files below the directory, at any depth: by name, by text in them, or both; with neither, all \
             of them. Sorted by path (in a directory of more than 20,000 names, a part at a time). Links are not \
             followed. Binary files are not searched: a zero byte near the beginning rules a file out, one \
             further on ends its search.",
        )
        .takes([
            optional(
                "glob",
                Type::STRING,
                "Which files, relative to the directory, as ripgrep's `-g`: `*.rs` at any depth, `src/**` below \
                 src, `{a,b}` either, a leading `/` for the directory itself, a leading `!` for all but these.",
            ),
            optional(
                "text",
                Type::STRING,
                "What stands in a line of them: exactly this, upper and lower case told apart. Each line with it \
                 is a match.",
            ),
            optional(
                "regex",
                Type::BOOLEAN,
                "Whether `text` is a regular expression (Rust's syntax; `(?i)` for any case); false unless given.",
            ),
            optional("limit", Type::INTEGER, limit),
        ])
        .returns(Type::record([
            Field::required("matches", Type::list(found)),
            required(
                "truncated",
                Type::BOOLEAN,
                "Whether the search stopped early: `limit` was reached, the answer was full, or the time ran \
                 out. Narrow it, or search a directory further down.",
            ),
            optional(
                "unread",
                Type::INTEGER,
                "How many files and directories were passed over: not permitted to the Host, failing, nested too \
                 deep, with a line too long, or with a name that is not UTF-8; absent if none.",
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
                "When it was created: RFC 3339, UTC; absent where the filesystem does not keep it.",
            ),
            required("executable", Type::BOOLEAN, "Whether somebody may run it."),
            required(
                "links",
                Type::INTEGER,
                "How many names the file has; with more than one it has no identity of its own.",
            ),
            optional(
                "target",
                Type::ENTRY,
                "What a link names, where that is in this directory tree; whether it is there is not said.",
            ),
        ],
    ))
}

fn read_text() -> OperationDeclaration {
    let lines = format!(
        "How many lines, from 1. Unless given, all to the end, of which one answer holds {} at most.",
        text::USUAL
    );
    let longest = format!("The lines: {} KiB at most, cut at a character.", text::LONGEST >> 10);
    OperationDeclaration::new("read_text")
        .documented(
            "Reads lines of a UTF-8 text, line ends kept as they are. It reads the whole file to count its lines; \
             `read_bytes` reads a part alone, and what is not UTF-8.",
        )
        .takes([
            optional(
                "start_line",
                Type::INTEGER,
                "The first line to read, from 1; 1 unless given. Behind the last line the text is empty.",
            ),
            optional("lines", Type::INTEGER, lines),
        ])
        .returns(Type::record([
            required("text", Type::STRING, longest),
            required("start_line", Type::INTEGER, "The number of its first line, from 1."),
            required(
                "total_lines",
                Type::INTEGER,
                "How many lines the file has; a last one without a line end counts.",
            ),
            required(
                "truncated",
                Type::BOOLEAN,
                "Whether it is less than what was asked for; go on with a later `start_line`.",
            ),
        ]))
}

fn read_bytes() -> OperationDeclaration {
    let length = format!("Bytes at most, from 1: {} unless given, {} at most.", bytes::USUAL, bytes::MOST);
    OperationDeclaration::new("read_bytes")
        .documented("Reads bytes from anywhere in the file, of any size.")
        .takes([
            optional(
                "offset",
                Type::INTEGER,
                "The first byte, from 0; 0 unless given. Behind the end there is no data.",
            ),
            optional("length", Type::INTEGER, length),
        ])
        .returns(Type::record([
            required("data", Type::BYTES, "Fewer than asked for where the file ends or the answer is full."),
            required("size", Type::INTEGER, "Bytes in the whole file."),
        ]))
}

fn required(name: &str, ty: Type, words: impl Into<String>) -> Field {
    Field::required(name, ty).documented(words)
}

fn optional(name: &str, ty: Type, words: impl Into<String>) -> Field {
    Field::optional(name, ty).documented(words)
}
