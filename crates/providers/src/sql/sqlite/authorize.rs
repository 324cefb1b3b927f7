//! What a connection may do, asked by SQLite for every part of a statement.
//!
//! A connection that is opened read-only writes nothing whatever it is told; this is the second lock, and it also refuses what
//! reads other files, what shows paths, and what changes how the connection behaves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

/// Whether what runs on a connection was written by a caller.
#[derive(Clone, Default)]
pub(super) struct Strict(Arc<AtomicBool>);

impl Strict {
    pub(super) fn set(&self, strict: bool) {
        self.0.store(strict, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The authorizer of a connection.
pub(super) fn authorizer(strict: Strict) -> impl FnMut(AuthContext<'_>) -> Authorization + Send + 'static {
    move |asked| {
        let may = if strict.is_set() { foreign(&asked.action) } else { own(&asked.action) };
        if may { Authorization::Allow } else { Authorization::Deny }
    }
}

/// Statements that were made here, and what triggers and views of the file make of them.
fn own(action: &AuthAction<'_>) -> bool {
    match action {
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => false,
        AuthAction::Function { function_name } => may_call(function_name),
        _ => true,
    }
}

/// Statements that a caller wrote.
fn foreign(action: &AuthAction<'_>) -> bool {
    match action {
        AuthAction::Select | AuthAction::Recursive => true,
        AuthAction::Read { table_name, .. } => may_read(table_name),
        AuthAction::Function { function_name } => may_call(function_name) && is_quick(function_name),
        AuthAction::Pragma { pragma_name, pragma_value } => may_ask(pragma_name, pragma_value.is_some()),
        _ => false,
    }
}

/// Tables that show the file's pages, or the insides of the library, instead of what the database says.
fn may_read(table: &str) -> bool {
    const REFUSED: &[&str] = &[
        "dbstat",
        "sqlite_dbpage",
        "sqlite_stmt",
        "sqlite_memstat",
        "bytecode",
        "tables_used",
        "fsdir",
        "zipfile",
    ];
    !REFUSED.iter().any(|name| table.eq_ignore_ascii_case(name))
}

/// Functions that no view, trigger or generated column of a database needs, and that show or do what is none of its business.
fn may_call(function: &str) -> bool {
    let function = function.to_ascii_lowercase();
    // Of the library's own, most are for tests and tools: one writes the log of this process, others tell of its files.
    if function.starts_with("sqlite_") {
        return matches!(function.as_str(), "sqlite_version" | "sqlite_source_id");
    }
    !matches!(
        function.as_str(),
        // Runs code from a file.
        "load_extension"
        // Takes and gives addresses of this process.
        | "fts3_tokenizer" | "fts5"
        // Rewrites a full-text index.
        | "optimize"
        // Begins a transaction of its own.
        | "rtreecheck"
        // Read and write files, or start programs, where they are built in.
        | "readfile" | "writefile" | "lsmode" | "edit" | "zipfile" | "zipfile_cds"
    )
}

/// Not those whose single call takes time by the square of what they are given, and asks nobody meanwhile.
fn is_quick(function: &str) -> bool {
    // Each member of the one is looked for among all members of the other.
    !["json_patch", "jsonb_patch"].iter().any(|name| function.eq_ignore_ascii_case(name))
}

/// PRAGMAs that tell of the schema, and take at most the name of what they tell of; and those that are set by a value,
/// without one.
fn may_ask(pragma: &str, valued: bool) -> bool {
    match pragma.to_ascii_lowercase().as_str() {
        "table_info" | "table_xinfo" | "table_list" | "index_list" | "index_info" | "index_xinfo"
        | "foreign_key_list" => true,
        // Full-text indexes ask for the last two themselves.
        "schema_version" | "user_version" | "application_id" | "encoding" | "page_size" | "data_version" => {
            !valued
        }
        _ => false,
    }
}
