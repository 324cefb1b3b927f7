//! The only place that prints. Whoever reads stdout may go away at any time; that is not an error.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is where the program prints")]

use std::io::{self, ErrorKind, Write};

use worldspace_model::{Shape, TypeRef, Value};

use crate::args::Format;
use crate::config;
use crate::failure::Failure;
use crate::json;
use crate::show::command::Commands;
use crate::show::result;
use crate::show::style::{self, styled};
use crate::show::text;

/// Where answers and errors go.
#[derive(Debug)]
pub(crate) struct Screen {
    pub(crate) format: Format,
    /// The cells of a line; none where stdout is no terminal.
    pub(crate) width: Option<usize>,
    /// How to name the next command.
    pub(crate) commands: Commands,
}

impl Screen {
    pub(crate) fn new(format: Format, commands: Commands) -> Self {
        let width = config::stdout_is_terminal().then(|| config::width().unwrap_or(80));
        Self { format, width, commands }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Prints styled text; the styles go where they are seen.
    pub(crate) fn text(&self, text: &str) -> Result<(), Failure> {
        let mut stdout = anstream::stdout();
        told(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
    }

    /// Prints bytes that nobody may change.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        told(stdout.write_all(bytes).and_then(|()| stdout.flush()))
    }

    /// Prints one JSON document.
    pub(crate) fn json(&self, document: &[u8]) -> Result<(), Failure> {
        self.raw(&[document, b"\n"].concat())
    }

    /// Prints a result. Text goes into a pipe as it is, so that nothing is lost on the way to a program.
    pub(crate) fn result(&self, value: &Value, ty: TypeRef<'_>) -> Result<(), Failure> {
        match value {
            Value::String(text) if self.width.is_none() && matches!(ty.shape(), Shape::String) => {
                self.raw(text.as_bytes())
            }
            value => self.text(&result::render(value, ty, self.width)),
        }
    }

    /// Says on stderr what people should know beside the answer.
    pub(crate) fn aside(&self, text: &str) {
        // There is nobody left to tell that this could not be told.
        let _ = anstream::stderr().write_all(text.as_bytes());
    }

    /// Says on stderr what was logged.
    pub(crate) fn log(&self, lines: &[String]) {
        for line in lines {
            self.aside(&format!("{}: {line}\n", styled(style::FAINT, "log")));
        }
    }

    /// Says what failed: to people on stderr, to programs on stdout. A message may be a Host's, so it cannot begin a
    /// line of its own; hints are this program's.
    pub(crate) fn failure(&self, failure: &Failure) {
        if !self.is_json() {
            return self.complain(failure);
        }
        if let Err(unwritten) = self.json(format!("{{\"error\":{}}}", json::error(failure)).as_bytes()) {
            self.complain(failure);
            // Often it is the same, met a second time.
            if unwritten.message != failure.message {
                self.complain(&unwritten);
            }
        }
    }

    fn complain(&self, failure: &Failure) {
        let mut said = format!("{}: {}\n", styled(style::ERROR, "error"), text::prose(&failure.message));
        if let Some(spot) = &failure.spot {
            said.push_str(&format!("{}{}\n{}", styled(style::FAINT, "at "), spot.name, spot.excerpt));
        }
        for hint in &failure.hints {
            said.push_str(&format!("{}: {}\n", styled(style::HINT, "hint"), text::block(hint)));
        }
        self.aside(&said);
        for other in &failure.others {
            self.aside("\n");
            self.complain(other);
        }
    }
}

fn told(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::io("cannot write to stdout", &error)),
        Ok(()) => Ok(()),
    }
}
