//! Lines as rustfmt lays them out.

/// The columns of a line.
const WIDTH: usize = 100;

/// What stands between the brackets of an attribute before it is spread over lines.
const ATTRIBUTE: usize = 70;

/// What an array or the arguments of a call hold before they are spread over lines, and how long a chain of calls is.
const NARROW: usize = 60;

/// Text of several lines that grows downwards.
#[derive(Debug, Default)]
pub(super) struct Lines(String);

impl Lines {
    /// A line, indented by so many steps.
    pub(super) fn line(&mut self, steps: usize, text: &str) {
        if !text.is_empty() {
            self.0.extend(std::iter::repeat_n("    ", steps));
            self.0.push_str(text);
        }
        self.0.push('\n');
    }

    pub(super) fn all(&mut self, steps: usize, lines: &[String]) {
        lines.iter().for_each(|line| self.line(steps, line));
    }

    /// `#[name(part, part)]`
    pub(super) fn attribute(&mut self, steps: usize, name: &str, parts: &[String]) {
        let joined = parts.join(", ");
        if columns(&joined) + columns(name) + 2 <= ATTRIBUTE {
            return self.line(steps, &format!("#[{name}({joined})]"));
        }
        self.line(steps, &format!("#[{name}("));
        self.items(steps + 1, parts, false);
        self.line(steps, ")]");
    }

    /// `head(item, item)tail`
    pub(super) fn signature(&mut self, steps: usize, head: &str, items: &[String], tail: &str) {
        let joined = format!("{head}({}){tail}", items.join(", "));
        if steps * 4 + columns(&joined) <= WIDTH && !joined.contains('\n') {
            return self.line(steps, &joined);
        }
        self.line(steps, &format!("{head}("));
        for item in items {
            for line in format!("{item},").lines() {
                self.line(steps + 1, line);
            }
        }
        self.line(steps, &format!("){tail}"));
    }

    /// `let name = [item, item];`
    pub(super) fn array(&mut self, steps: usize, name: &str, items: &[String]) {
        let joined = items.join(", ");
        if columns(&joined) <= NARROW {
            return self.line(steps, &format!("let {name} = [{joined}];"));
        }
        self.line(steps, &format!("let {name} = ["));
        self.items(steps + 1, items, true);
        self.line(steps, "];");
    }

    /// `object.method(arguments).await`
    pub(super) fn awaited(&mut self, steps: usize, object: &str, method: &str, arguments: &[String]) {
        let joined = arguments.join(", ");
        let chain = format!("{object}.{method}({joined}).await");
        if columns(&chain) <= NARROW {
            return self.line(steps, &chain);
        }
        self.line(steps, object);
        if columns(&joined) <= NARROW {
            self.line(steps + 1, &format!(".{method}({joined})"));
        } else {
            self.line(steps + 1, &format!(".{method}("));
            self.items(steps + 2, arguments, true);
            self.line(steps + 1, ")");
        }
        self.line(steps + 1, ".await");
    }

    fn items(&mut self, steps: usize, items: &[String], closed: bool) {
        for (at, item) in items.iter().enumerate() {
            let comma = if closed || at + 1 < items.len() { "," } else { "" };
            self.line(steps, &format!("{item}{comma}"));
        }
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }
}

fn columns(text: &str) -> usize {
    text.chars().count()
}

/// `use path::{a, b};`, nothing where nothing is used.
pub(super) fn import(path: &str, names: &[&str]) -> Option<String> {
    match names {
        [] => None,
        [name] => Some(format!("use {path}::{name};")),
        names => Some(format!("use {path}::{{{}}};", names.join(", "))),
    }
}
