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
        .ty("Kind", kind())
        .read(
            OperationDeclaration::new("list")
                .documented(
                    "Lists what stands in the directory itself, page by page, in the filesystem's order, however \
                     much it is. Names that the Host leaves out (hidden or ignored ones) are not listed. What \
                     comes or goes while pages are read may be missed; what stays is listed once.",
                )
                .takes([
                    Field::optional("cursor", Type::STRING)
                        .documented("`next_cursor` of the page before; leave it out for the first page."),
                    Field::optional("limit", Type::INTEGER).documented(format!(
                        "Items per page at most, from 1: {} unless given, {} at most. A page may hold fewer, or \
                         none, and still not be the last.",
                        list::USUAL,
                        list::MOST
                    )),
                ])
                .returns(Type::record([
                    Field::required("items", Type::list(Type::record([
                        Field::required("entry", Type::ENTRY).documented("Where it stands."),
                        Field::required("kind", Type::named("Kind")),
                        Field::optional("size", Type::INTEGER).documented("Bytes; of files alone."),
                        Field::optional("modified", Type::STRING)
                            .documented("When its content last changed: RFC 3339, UTC."),
                    ])))
                    .documented("The page."),
                    Field::optional("next_cursor", Type::STRING)
                        .documented("Goes into `cursor` for the next page; absent on the last page."),
                    Field::optional("unnamed", Type::INTEGER).documented(
                        "How many names were passed over on this page because they are not UTF-8 and so have no \
                         entry; absent if none.",
                    ),
                ])),
        )
        .read(
            OperationDeclaration::new("find")
                .documented(
                    "Finds files below the directory, at any depth: by name, by text in them, or both; with neither, \
                     all of them. Sorted by path. Links are not followed. Binary files are not searched: a zero byte \
                     near the beginning rules a file out, one further on ends its search.",
                )
                .takes([
                    Field::optional("glob", Type::STRING).documented(
                        "Which files, relative to the directory, as ripgrep's `-g`: `*.rs` at any depth, `src/**` \
                         below src, `{a,b}` either, a leading `/` for the directory itself, a leading `!` for all \
                         but these.",
                    ),
                    Field::optional("text", Type::STRING).documented(
                        "What stands in a line of them: exactly this, upper and lower case told apart. Each line \
                         with it is a match.",
                    ),
                    Field::optional("regex", Type::BOOLEAN).documented(
                        "Whether `text` is a regular expression (Rust's syntax; `(?i)` for any case); false unless given.",
                    ),
                    Field::optional("limit", Type::INTEGER).documented(format!(
                        "Matches at most, from 1: {} unless given, {} at most.",
                        find::USUAL,
                        find::MOST
                    )),
                ])
                .returns(Type::record([
                    Field::required("matches", Type::list(Type::record([
                        Field::required("entry", Type::ENTRY).documented("The file."),
                        Field::optional("line", Type::INTEGER).documented("The number of the line, from 1; with `text`."),
                        Field::optional("text", Type::STRING)
                            .documented("The line; of a long one the part around the match, with … where it is cut."),
                    ]))),
                    Field::required("truncated", Type::BOOLEAN).documented(
                        "Whether the search stopped early: `limit` was reached, the answer was full, or the time ran \
                         out. Narrow it, or search a directory further down.",
                    ),
                    Field::optional("unread", Type::INTEGER).documented(
                        "How many files and directories could not be searched: not permitted to the Host, failing, \
                         nested too deep, or with a line too long; absent if none.",
                    ),
                ])),
        )
        .build()
}

fn declare_file() -> Result<Interface, Fault> {
    Interface::builder()
        .documented("A file: what it is, and what stands in it.")
        .ty("Kind", kind())
        .read(metadata())
        .read(
            OperationDeclaration::new("read_text")
                .documented(
                    "Reads lines of a UTF-8 text, line ends kept as they are. It reads the whole file to count its \
                     lines; `read_bytes` reads a part alone, and what is not UTF-8.",
                )
                .takes([
                    Field::optional("start_line", Type::INTEGER)
                        .documented("The first line to read, from 1; 1 unless given. Behind the last line the text is empty."),
                    Field::optional("lines", Type::INTEGER).documented(format!(
                        "How many lines, from 1. Unless given, all to the end, of which one answer holds {}.",
                        text::USUAL
                    )),
                ])
                .returns(Type::record([
                    Field::required("text", Type::STRING)
                        .documented(format!("The lines: {} KiB at most, cut at a character.", text::LONGEST >> 10)),
                    Field::required("start_line", Type::INTEGER).documented("The number of its first line, from 1."),
                    Field::required("total_lines", Type::INTEGER)
                        .documented("How many lines the file has; a last one without a line end counts."),
                    Field::required("truncated", Type::BOOLEAN)
                        .documented("Whether it is less than what was asked for; go on with a later `start_line`."),
                ])),
        )
        .read(
            OperationDeclaration::new("read_bytes")
                .documented("Reads bytes from anywhere in the file, of any size.")
                .takes([
                    Field::optional("offset", Type::INTEGER)
                        .documented("The first byte, from 0; 0 unless given. Behind the end there is no data."),
                    Field::optional("length", Type::INTEGER).documented(format!(
                        "Bytes at most, from 1: {} unless given, {} at most.",
                        bytes::USUAL,
                        bytes::MOST
                    )),
                ])
                .returns(Type::record([
                    Field::required("data", Type::BYTES).documented("Fewer than asked for where the file ends."),
                    Field::required("size", Type::INTEGER).documented("Bytes in the whole file."),
                ])),
        )
        .build()
}

fn declare_other() -> Result<Interface, Fault> {
    Interface::builder()
        .documented("A link, a device, a pipe or a socket: it is neither followed nor opened.")
        .ty("Kind", kind())
        .read(metadata())
        .build()
}

fn metadata() -> OperationDeclaration {
    OperationDeclaration::new("metadata").documented("What the filesystem says of it.").returns(Type::record(
        [
            Field::required("kind", Type::named("Kind")),
            Field::required("size", Type::INTEGER).documented("Bytes; of a link, those of its text."),
            Field::required("modified", Type::STRING)
                .documented("When the content last changed: RFC 3339, UTC."),
            Field::optional("created", Type::STRING).documented(
                "When it was created: RFC 3339, UTC; absent where the filesystem does not keep it.",
            ),
            Field::required("executable", Type::BOOLEAN).documented("Whether somebody may run it."),
            Field::required("links", Type::INTEGER)
                .documented("How many names the file has; with more than one it has no identity of its own."),
            Field::optional("target", Type::ENTRY).documented(
                "What a link names, where that is in this directory tree; whether it is there is not said.",
            ),
        ],
    ))
}

fn kind() -> Type {
    let documentation = |kind| match kind {
        Kind::Directory => "Holds names.",
        Kind::File => "Holds bytes.",
        Kind::Link => "Names another place; not followed.",
        Kind::Other => "A device, pipe or socket; never opened.",
    };
    Type::cases(
        Kind::ALL.into_iter().map(|kind| EnumCase::documented(kind.name(), documentation(kind))).collect(),
    )
}
