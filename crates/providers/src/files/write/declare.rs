//! The interfaces that change something, as they are declared to people and models.

use worldspace_host::Interface;
use worldspace_model::{Effect, Fault, OperationDeclaration, Type, UnionCase};

use super::content::EDITED;
use crate::files::interfaces::{optional, required};

const DURABLE: &str = "It happens in one step, and is on the disk when it is answered.";

pub(in crate::files) fn directory() -> Result<Interface, Fault> {
    Interface::builder()
        .documented("A directory: new things in it, and its place.")
        .write(create_file())
        .write(create_directory())
        .operation(move_to(), [Effect::Guarded])
        .operation(delete_directory(), [Effect::Destructive, Effect::Guarded])
        .build()
}

pub(in crate::files) fn file() -> Result<Interface, Fault> {
    Interface::builder()
        .documented("A file: its content, and its place.")
        .operation(write(), [Effect::Destructive, Effect::Guarded])
        .operation(append(), [Effect::Guarded])
        .operation(replace_text(), [Effect::Guarded])
        .operation(move_to(), [Effect::Guarded])
        .operation(delete_file(), [Effect::Destructive, Effect::Guarded])
        .build()
}

fn create_file() -> OperationDeclaration {
    OperationDeclaration::new("create_file")
        .documented("Creates a file in the directory, unless something has that name already.")
        .detailed(DURABLE)
        .takes([
            new_name("The name of the file."),
            optional("text", Type::STRING, "What stands in it, as UTF-8; nothing unless given."),
            optional("data", Type::BYTES, "What stands in it, instead of `text`."),
        ])
        .returns(created())
}

fn create_directory() -> OperationDeclaration {
    OperationDeclaration::new("create_directory")
        .documented("Creates an empty directory in the directory, unless something has that name already.")
        .takes([new_name("The name of the directory.")])
        .returns(created())
}

fn new_name(words: &str) -> worldspace_model::Field {
    required("name", Type::STRING, words)
        .detailed("A name that is not offered here, as hidden ones are not by default, is refused.")
}

fn created() -> Type {
    Type::union([
        UnionCase::carrying("created", Type::ENTRY).documented("It is there now."),
        UnionCase::carrying("exists", Type::ENTRY)
            .documented("Something has that name already; nothing was done."),
    ])
}

fn move_to() -> OperationDeclaration {
    OperationDeclaration::new("move")
        .documented("Moves it into another directory, under its own name or a new one.")
        .detailed(format!(
            "{DURABLE} Both directories are of the same mount, and of the same filesystem. It stays the same thing."
        ))
        .takes([
            required("to", Type::ENTRY, "The directory into which it goes; its own one to rename it."),
            optional("name", Type::STRING, "Its new name; the one that it has unless given."),
        ])
        .returns(Type::union([
            UnionCase::carrying("moved", Type::ENTRY).documented("It stands there now."),
            UnionCase::carrying("exists", Type::ENTRY)
                .documented("Something has that name there already; nothing was done."),
        ]))
}

fn delete_directory() -> OperationDeclaration {
    OperationDeclaration::new("delete")
        .documented("Deletes the directory.")
        .detailed(
            "With `recursive` everything in it goes too, hidden and ignored names included, whatever became of it since \
             it was looked at: the state of a directory stands for the names in it alone. It leaves its place in one \
             step; then what is in it is removed.",
        )
        .takes([optional("recursive", Type::BOOLEAN, "Whether it may hold something; false unless given.")])
        .returns(Type::union([
            UnionCase::bare("deleted").documented("It is gone."),
            UnionCase::bare("not_empty")
                .documented("Something is in it, be it hidden; nothing was done."),
        ]))
}

fn delete_file() -> OperationDeclaration {
    OperationDeclaration::new("delete")
        .documented("Deletes the file.")
        .returns(Type::union([UnionCase::bare("deleted").documented("It is gone.")]))
}

fn write() -> OperationDeclaration {
    OperationDeclaration::new("write")
        .documented("Replaces the whole content of the file. Give either `text` or `data`.")
        .detailed(format!(
            "{DURABLE} Owner, permissions and attributes stay. Where the file has several names, this one alone gets \
             the new content."
        ))
        .takes([
            optional("text", Type::STRING, "The new content, as UTF-8; empty to empty the file."),
            optional("data", Type::BYTES, "The new content, instead of `text`."),
        ])
}

fn append() -> OperationDeclaration {
    OperationDeclaration::new("append")
        .documented("Adds a text at the end of the file.")
        .detailed(format!("{DURABLE} No line end is added; the file is copied for it, however long it is."))
        .takes([required("text", Type::STRING, "What is added, as UTF-8.")])
}

fn replace_text() -> OperationDeclaration {
    OperationDeclaration::new("replace_text")
        .documented("Replaces a text in the file by another, if it stands there as often as expected.")
        .detailed(format!(
            "{DURABLE} The match is exact, to the byte, line ends included; what has been found is not searched again. \
             Files up to {} MiB.",
            EDITED >> 20
        ))
        .takes([
            required("old", Type::STRING, "What stands there now; with enough around it to be found once."),
            required("new", Type::STRING, "What stands there then."),
            optional("count", Type::INTEGER, "How often `old` is expected, from 1; 1 unless given."),
        ])
        .returns(Type::union([
            UnionCase::carrying("replaced", Type::INTEGER).documented("So many times, as expected."),
            UnionCase::carrying("found", Type::INTEGER)
                .documented("It stands there so many times; nothing was done."),
        ]))
}
