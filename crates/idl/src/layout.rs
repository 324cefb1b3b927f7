//! Lines: what is printed stands in groups, and a group stands on one line where it fits, else with one member to a line.
//!
//! Both the printer and the formatter lay out with this, so that what is printed is formatted already. The work is
//! linear: whether a group fits is told by sums made beforehand.

use std::borrow::Cow;

use crate::print::{Ink, Role};

/// The columns of a line.
pub(crate) const WIDTH: usize = 100;

/// Text yet to be broken into lines.
#[derive(Default)]
pub(crate) struct Layout<'a> {
    items: Vec<Item<'a>>,
    /// The groups that are not closed yet.
    open: Vec<usize>,
}

enum Item<'a> {
    Text(Role, Cow<'a, str>),
    /// The beginning of a group, and where its end is.
    Open {
        end: usize,
        broken: bool,
    },
    Close,
    Indent,
    Dedent,
    /// A line end where the group is broken, else this text.
    Break {
        flat: &'static str,
        blank: bool,
    },
    /// A comma where the group is broken.
    Comma,
    Line {
        blank: bool,
    },
    /// Ends its line. It stands behind what it was written behind, or on a line of its own.
    Comment {
        text: Cow<'a, str>,
        own: bool,
    },
}

impl<'a> Layout<'a> {
    pub(crate) fn text(&mut self, role: Role, text: impl Into<Cow<'a, str>>) {
        self.items.push(Item::Text(role, text.into()));
    }

    pub(crate) fn open(&mut self) {
        self.open.push(self.items.len());
        self.items.push(Item::Open { end: usize::MAX, broken: false });
    }

    pub(crate) fn close(&mut self) {
        let Some(begin) = self.open.pop() else { return };
        let here = self.items.len();
        if let Some(Item::Open { end, broken }) = self.items.get_mut(begin) {
            *end = here;
            if *broken {
                self.breaks();
            }
        }
        self.items.push(Item::Close);
    }

    /// The group in hand, and so all around it, does not stand on one line.
    pub(crate) fn breaks(&mut self) {
        let innermost = self.open.last().and_then(|begin| self.items.get_mut(*begin));
        if let Some(Item::Open { broken, .. }) = innermost {
            *broken = true;
        }
    }

    pub(crate) fn indent(&mut self) {
        self.items.push(Item::Indent);
    }

    pub(crate) fn dedent(&mut self) {
        self.items.push(Item::Dedent);
    }

    /// A line end where the group is broken, behind an empty line if `blank`.
    pub(crate) fn break_or(&mut self, flat: &'static str, blank: bool) {
        self.items.push(Item::Break { flat, blank });
    }

    /// A comma where the group is broken.
    pub(crate) fn comma(&mut self) {
        self.items.push(Item::Comma);
    }

    /// A line end, behind an empty line if `blank`.
    pub(crate) fn line(&mut self, blank: bool) {
        self.breaks();
        self.items.push(Item::Line { blank });
    }

    /// A comment, on a line of its own or behind what stands there.
    pub(crate) fn comment(&mut self, text: impl Into<Cow<'a, str>>, own: bool) {
        self.breaks();
        self.items.push(Item::Comment { text: text.into(), own });
    }

    /// Writes it in lines.
    pub(crate) fn render(&self, ink: &mut dyn Ink) {
        let (before, behind) = self.widths();
        let mut lines = Lines { ink, column: 0, level: 0, at: At::Start, blank: false };
        // Whether each group around is broken; outside of all, lines end where they may.
        let mut modes = Vec::new();
        for (at, item) in self.items.iter().enumerate() {
            let is_broken = modes.last().copied().unwrap_or(true);
            match item {
                Item::Text(role, text) => lines.text(*role, text),
                Item::Open { end, broken } => {
                    let width = |at: usize| before.get(at).copied().unwrap_or_default();
                    let width = width(*end) - width(at) + behind.get(*end).copied().unwrap_or_default();
                    modes.push(is_broken && (*broken || lines.begin() + width > WIDTH));
                }
                Item::Close => {
                    modes.pop();
                }
                Item::Indent => lines.level += 1,
                Item::Dedent => lines.level -= 1,
                Item::Break { blank, .. } if is_broken => lines.end(*blank),
                Item::Break { flat: "", .. } => {}
                Item::Break { flat, .. } => lines.text(Role::Layout, flat),
                Item::Comma if is_broken => lines.text(Role::Layout, ","),
                Item::Comma => {}
                Item::Line { blank } => lines.end(*blank),
                Item::Comment { text, own } => lines.comment(text, *own),
            }
        }
    }

    /// Before each item, the width of all up to it on one line; and from it on, up to where a line may end.
    fn widths(&self) -> (Vec<usize>, Vec<usize>) {
        let mut before = Vec::with_capacity(self.items.len());
        let mut sum = 0;
        for item in &self.items {
            before.push(sum);
            sum += match item {
                Item::Text(_, text) => columns(text),
                Item::Break { flat, .. } => flat.len(),
                _ => 0,
            };
        }
        let mut behind = vec![0; self.items.len()];
        let mut sum = 0;
        for (item, behind) in self.items.iter().zip(&mut behind).rev() {
            sum = match item {
                Item::Text(_, text) => sum + columns(text),
                Item::Comma => sum + 1,
                Item::Break { .. } | Item::Line { .. } | Item::Comment { .. } => 0,
                _ => sum,
            };
            *behind = sum;
        }
        (before, behind)
    }
}

fn columns(text: &str) -> usize {
    text.chars().count()
}

/// Where the last line stands.
#[derive(Clone, Copy, PartialEq)]
enum At {
    /// Nothing is on it yet.
    Start,
    Within,
    /// Behind a comment that stands before a member.
    Comment,
    /// Behind a comment in the middle of something, which goes on further in.
    Interrupted,
}

struct Lines<'i> {
    ink: &'i mut dyn Ink,
    column: usize,
    level: usize,
    at: At,
    /// An empty line goes before what comes next.
    blank: bool,
}

impl Lines<'_> {
    fn text(&mut self, role: Role, text: &str) {
        self.begin();
        self.column += columns(text);
        self.ink.put(role, text);
    }

    fn end(&mut self, blank: bool) {
        if self.at != At::Start {
            self.ink.put(Role::Layout, "\n");
            self.at = At::Start;
            self.column = 0;
        }
        self.blank |= blank;
    }

    /// Brings the line to where text may stand, which is the column that it gives.
    fn begin(&mut self) -> usize {
        let further = match self.at {
            At::Within => return self.column,
            At::Start | At::Comment => 0,
            At::Interrupted => 1,
        };
        self.end(false);
        if std::mem::take(&mut self.blank) {
            self.ink.put(Role::Layout, "\n");
        }
        for _ in 0..self.level + further {
            self.ink.put(Role::Layout, "  ");
        }
        self.at = At::Within;
        self.column = 2 * (self.level + further);
        self.column
    }

    fn comment(&mut self, text: &str, own: bool) {
        let behind = match self.at {
            At::Within if own => {
                self.at = At::Interrupted;
                At::Interrupted
            }
            At::Within => {
                self.ink.put(Role::Layout, " ");
                At::Interrupted
            }
            At::Interrupted => At::Interrupted,
            At::Start | At::Comment => At::Comment,
        };
        self.begin();
        self.ink.put(Role::Documentation, text);
        self.at = behind;
    }
}
