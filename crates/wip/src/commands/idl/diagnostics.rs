//! What is wrong with files, to people as rustc shows it, to programs as JSON.

use std::collections::HashSet;

use worldspace_idl::{Checked, Diagnostic, Sources, diagnostic};

use super::files::{Files, Unread};
use crate::failure::Failure;
use crate::json;
use crate::screen::Screen;
use crate::show::style::{self, styled};
use crate::show::text;

/// So many errors are shown to people, who mend some and look again.
const SHOWN: usize = 500;

/// What is wrong, each thing once, however many files lead to it.
#[derive(Debug, Default)]
pub(in crate::commands) struct Wrong {
    told: HashSet<String>,
    texts: Vec<String>,
    documents: Vec<String>,
}

impl Wrong {
    pub(in crate::commands) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// A file that cannot be read is wrong as a whole.
    pub(in crate::commands) fn unread(&mut self, file: &str, unread: &Unread) {
        let help = unread.help.as_deref();
        let mut text = format!("error: {}\n", text::prose(&unread.message));
        if let Some(help) = help {
            text.push_str(&format!(" = help: {help}\n"));
        }
        self.add(|| text, document(file, (1, 1), &unread.message, help));
    }

    pub(in crate::commands) fn all(&mut self, sources: &Sources, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            let span = diagnostic.span;
            let at = sources.position(span.file, span.start);
            let document = document(
                sources.name(span.file),
                (at.line, at.column),
                &diagnostic.message,
                diagnostic.help.as_deref(),
            );
            self.add(|| diagnostic::render(sources, diagnostic), document);
        }
    }

    fn add(&mut self, text: impl FnOnce() -> String, document: String) {
        if self.told.insert(document.clone()) {
            if self.texts.len() < SHOWN {
                self.texts.push(text());
            }
            self.documents.push(document);
        }
    }

    /// `[{"file","line","column","message","help"?}]`
    pub(in crate::commands) fn document(&self) -> String {
        format!("[{}]", self.documents.join(","))
    }

    /// To people, on stderr.
    pub(in crate::commands) fn complain(&self, screen: &Screen) {
        for text in &self.texts {
            // Texts of the files stand escaped in it.
            let coloured = match text.strip_prefix("error") {
                Some(rest) => format!("{}{rest}", styled(style::ERROR, "error")),
                None => text.clone(),
            };
            screen.aside(&format!("{}\n\n", coloured.trim_end_matches('\n')));
        }
        let all = self.documents.len();
        if all > SHOWN {
            screen
                .aside(&format!("{all} errors, of which the first {SHOWN} are shown; `-o json` tells all\n"));
        } else if all > 0 {
            screen.aside(&format!("{}\n", text::count(all, "error", "errors")));
        }
    }

    /// To whoever asked, where nothing else can be told.
    pub(in crate::commands) fn tell(&self, screen: &Screen) -> Result<(), Failure> {
        if screen.is_json() {
            return screen.json(format!("{{\"diagnostics\":{}}}", self.document()).as_bytes());
        }
        self.complain(screen);
        Ok(())
    }
}

fn document(file: &str, (line, column): (usize, usize), message: &str, help: Option<&str>) -> String {
    let help = help.map_or(String::new(), |help| format!(",\"help\":{}", json::string(help)));
    let (file, message) = (json::string(file), json::string(message));
    format!("{{\"file\":{file},\"line\":{line},\"column\":{column},\"message\":{message}{help}}}")
}

/// Reads and checks a file, noting what is wrong; none where it cannot be read.
pub(in crate::commands) fn checked(files: &mut Files, wrong: &mut Wrong, given: &str) -> Option<Checked> {
    let (name, text) = match files.read(given) {
        Ok(read) => read,
        Err(unread) => {
            wrong.unread(given, &unread);
            return None;
        }
    };
    let checked = worldspace_idl::check(&name, &text, files);
    wrong.all(&checked.sources, &checked.diagnostics);
    Some(checked)
}
