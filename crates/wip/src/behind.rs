//! What goes wrong within one command, told behind its answer in the words of the answer, instead of before it as a log has it.

use std::fmt::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use crate::show::text;

/// So many different lines are kept; the first ones say what began it.
const LINES: usize = 20;

/// A log that is kept until the command has answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Behind(Arc<Mutex<Vec<String>>>);

impl Behind {
    /// What was logged since the last time, a line for each.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() < LINES && !lines.contains(&line) {
            lines.push(line);
        }
    }
}

impl<S: Subscriber> Layer<S> for Behind {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line::default();
        event.record(&mut line);
        let Line { entry, message, cause, others } = line;
        let parts = [entry, message, cause, others].into_iter().filter(|part| !part.is_empty());
        let line = parts.collect::<Vec<String>>().join(": ");
        self.keep(text::prose(&line).into());
    }
}

/// The parts of an event in the order in which they are said.
#[derive(Default)]
struct Line {
    entry: String,
    message: String,
    cause: String,
    others: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "entry" | "target_entry" => self.entry = format!("{value:?}"),
            "error" | "cause" => self.cause = format!("{value:?}"),
            // Whoever gave the command knows them.
            "mount" | "operation" => {}
            name => {
                let space = if self.others.is_empty() { "" } else { " " };
                // A string takes whatever is written to it.
                let _ = write!(self.others, "{space}{name}={value:?}");
            }
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::prelude::*;

    use super::*;

    #[test]
    fn an_event_is_said_in_the_order_of_an_answer() {
        let behind = Behind::default();
        tracing::subscriber::with_default(tracing_subscriber::registry().with(behind.clone()), || {
            for _ in 0..2 {
                tracing::error!(target_entry = %"/a", operation = %"b", error = %"why\n", "the call failed");
            }
            tracing::error!(place = %"/p", cause = "so", "lost");
            tracing::error!("alone");
            (0..2 * LINES).for_each(|n| tracing::error!("{n}"));
        });
        let lines = behind.take();
        assert_eq!(lines[..3], ["/a: the call failed: why ", "lost: so: place=/p", "alone"]);
        assert_eq!((lines.len(), behind.take()), (LINES, vec![]));
    }
}
