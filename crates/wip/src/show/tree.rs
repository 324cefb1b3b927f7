//! A tree: one line for each node, descriptions in a column, and below it what is not shown.

use worldspace_model::{Cause, EntryPath, Expansion, Tree, TreeNode};

use super::command::Commands;
use super::style::{self, styled};
use super::text;

/// What was asked for, so that the next command can ask for more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) entry: &'a EntryPath,
    pub(crate) depth: u32,
    pub(crate) limit: u32,
    pub(crate) after: Option<&'a str>,
}

/// What is asked for unless something else is.
pub(crate) const DEPTH: u32 = 2;
pub(crate) const LIMIT: u32 = 200;

/// Names wider than this do not push the descriptions of all others to the right.
const WIDEST: usize = 40;
/// Descriptions get at least so many cells, however narrow the terminal is.
const LEAST: usize = 20;

/// A line before its column is known.
struct Line<'a> {
    guides: String,
    name: String,
    mark: &'static str,
    description: Option<&'a str>,
}

pub(crate) fn render(tree: &Tree, asked: Asked<'_>, commands: &Commands, width: Option<usize>) -> String {
    let paths = tree.paths(asked.entry);
    let mut out = String::new();
    let lines = lines(tree, &paths);
    let widest = lines
        .iter()
        .filter(|line| line.description.is_some())
        .map(Line::width)
        .filter(|width| *width <= WIDEST)
        .max()
        .unwrap_or(0);
    for line in &lines {
        line.write(&mut out, widest, width);
    }
    let notes = notes(tree, &paths, asked, commands);
    if !notes.is_empty() {
        out.push('\n');
    }
    for Note { what, commands } in notes {
        let end = if commands.is_empty() { "" } else { ":" };
        out.push_str(&format!("{}\n", styled(style::FAINT, what + end)));
        commands.iter().for_each(|command| out.push_str(&format!("  {command}\n")));
    }
    out
}

impl Line<'_> {
    fn width(&self) -> usize {
        text::width(&self.guides) + text::width(&self.name) + text::width(self.mark)
    }

    fn write(&self, out: &mut String, column: usize, width: Option<usize>) {
        out.push_str(&styled(style::FAINT, &self.guides));
        out.push_str(&styled(style::NAME, &self.name));
        out.push_str(&styled(style::FAINT, self.mark));
        if let Some(description) = self.description {
            let taken = self.width();
            let column = column.max(taken) + 2;
            let description = text::prose(description);
            let description = match width {
                Some(width) => text::clip(&description, width.saturating_sub(column).max(LEAST)),
                None => description,
            };
            out.push_str(&text::padding(taken, column));
            out.push_str(&description);
        }
        out.push('\n');
    }
}

/// What is yet to be written below the line at hand.
enum Open {
    Node {
        at: usize,
        guides: String,
        below: String,
    },
    /// The rest of a node's children.
    Rest {
        guides: String,
    },
}

/// Depth first, with an own stack: a tree is as deep as was asked for.
fn lines<'a>(tree: &'a Tree, paths: &[EntryPath]) -> Vec<Line<'a>> {
    let nodes = tree.nodes();
    let mut lines = Vec::with_capacity(nodes.len());
    let mut open = vec![Open::Node { at: 0, guides: String::new(), below: String::new() }];
    while let Some(next) = open.pop() {
        let (at, guides, below) = match next {
            Open::Node { at, guides, below } => (at, guides, below),
            Open::Rest { guides } => {
                lines.push(Line { guides, name: String::new(), mark: "…", description: None });
                continue;
            }
        };
        let node = &nodes[at];
        lines.push(Line {
            guides,
            name: shown_name(node, &paths[at]),
            mark: if node.expansion == Expansion::Unexplored { " …" } else { "" },
            description: node.object.description.as_deref(),
        });
        let partial = node.expansion == Expansion::Partial;
        if partial {
            open.push(Open::Rest { guides: format!("{below}└── ") });
        }
        for child in node.children.clone().rev() {
            let last = child + 1 == node.children.end && !partial;
            let (branch, rest) = if last { ("└── ", "    ") } else { ("├── ", "│   ") };
            let (guides, below) = (format!("{below}{branch}"), format!("{below}{rest}"));
            open.push(Open::Node { at: child as usize, guides, below });
        }
    }
    lines
}

/// The first node by its path, the others by their name; a slash behind those that have or may have children.
fn shown_name(node: &TreeNode, path: &EntryPath) -> String {
    let name = match node.parent {
        None => super::path(path),
        Some(_) => text::name(node.object.name.as_str()),
    };
    let slash = if node.expansion == Expansion::Leaf || path.is_root() { "" } else { "/" };
    format!("{name}{slash}")
}

/// What is not shown and why, and the commands that show more of it.
struct Note {
    what: String,
    commands: Vec<String>,
}

fn notes(tree: &Tree, paths: &[EntryPath], asked: Asked<'_>, commands: &Commands) -> Vec<Note> {
    let cut = Cut { tree, paths, asked, commands };
    cut.deeper().into_iter().chain(cut.within()).collect()
}

/// An answer that is not the whole tree.
struct Cut<'a> {
    tree: &'a Tree,
    paths: &'a [EntryPath],
    asked: Asked<'a>,
    commands: &'a Commands,
}

impl Cut<'_> {
    fn is_by(&self, cause: Cause) -> bool {
        self.tree.truncated_by().has(cause)
    }

    fn nodes_that_are(&self, expansion: Expansion) -> impl Iterator<Item = usize> {
        let nodes = self.tree.nodes().iter().enumerate();
        nodes.filter(move |(_, node)| node.expansion == expansion).map(|(at, _)| at)
    }

    fn is_at_depth(&self, at: usize) -> bool {
        self.paths[at].depth() - self.asked.entry.depth() >= self.asked.depth as usize
    }

    /// What lies below the depth that was asked for.
    fn deeper(&self) -> Option<Note> {
        let asked = self.asked;
        let ends: Vec<usize> =
            self.nodes_that_are(Expansion::Unexplored).filter(|at| self.is_at_depth(*at)).collect();
        let first = *ends.first().filter(|_| self.is_by(Cause::Depth))?;
        let what = format!(
            "not shown: what {} deeper than {} below",
            text::count(ends.len(), "entry has", "entries have"),
            asked.depth
        );
        // Where the limit is used up, more depth shows nothing more.
        let room = self.tree.nodes().len() < asked.limit as usize && !self.is_by(Cause::HostLimit);
        let command = match room {
            true => self.command(asked.entry, asked.depth.saturating_add(1), asked.limit, asked.after),
            false => self.below(first),
        };
        Some(Note { what, commands: vec![command] })
    }

    /// What is missing above that depth.
    fn within(&self) -> Option<Note> {
        let asked = self.asked;
        let why = |cause| match cause {
            Cause::Depth => None,
            Cause::Limit => Some(format!(
                "what is behind the limit of {}",
                text::count(asked.limit as usize, "entry", "entries")
            )),
            Cause::HostLimit => Some("what the Host does not give at once".to_owned()),
            Cause::Deadline => Some("what the Host had no time for".to_owned()),
            Cause::Unavailable => Some("what could not be read just now".to_owned()),
        };
        let why: Vec<String> = self.tree.truncated_by().iter().filter_map(why).collect();
        if why.is_empty() {
            return None;
        }
        let partial = self.nodes_that_are(Expansion::Partial).next();
        let unexplored = self.nodes_that_are(Expansion::Unexplored).filter(|at| !self.is_at_depth(*at));
        let unexplored: Vec<usize> = unexplored.collect();
        let places = match usize::from(partial.is_some()) + unexplored.len() {
            0 | 1 => String::new(),
            places => format!(", at {places} places"),
        };
        let what = format!("not shown: {}{places}", why.join(" and "));
        let rest = partial.and_then(|at| self.rest(at));
        let below = unexplored.first().and_then(|at| match at {
            0 => self.again(),
            at => Some(self.below(*at)),
        });
        Some(Note { what, commands: rest.into_iter().chain(below).collect() })
    }

    /// The children of a node behind those that are shown.
    fn rest(&self, at: usize) -> Option<String> {
        let last = self.tree.children(&self.tree.nodes()[at]).last()?;
        let Asked { depth, limit, .. } = self.asked;
        Some(self.command(&self.paths[at], depth.max(1), self.enough(limit), Some(last.object.name.as_str())))
    }

    fn below(&self, at: usize) -> String {
        self.command(&self.paths[at], self.asked.depth.max(1), self.enough(self.asked.limit), None)
    }

    /// What was asked for, where nothing of it came but its beginning: with room for more, or once more if it failed
    /// for a reason that passes.
    fn again(&self) -> Option<String> {
        let Asked { entry, depth, limit, after } = self.asked;
        let passes = self.is_by(Cause::Deadline) || self.is_by(Cause::Unavailable);
        let more = self.enough(limit);
        (more > limit || passes).then(|| self.command(entry, depth, more, after))
    }

    /// A limit that leaves room for something below the first.
    fn enough(&self, limit: u32) -> u32 {
        if limit < 2 { LIMIT } else { limit }
    }

    fn command(&self, entry: &EntryPath, depth: u32, limit: u32, after: Option<&str>) -> String {
        let mut words = vec!["tree".to_owned(), entry.as_str().to_owned()];
        if depth != DEPTH {
            words.extend(["--depth".to_owned(), depth.to_string()]);
        }
        if limit != LIMIT {
            words.extend(["--limit".to_owned(), limit.to_string()]);
        }
        match after {
            None => {}
            Some(name) if name.starts_with('-') => words.push(format!("--after={name}")),
            Some(name) => words.extend(["--after".to_owned(), name.to_owned()]),
        }
        self.commands.command(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use worldspace_model::{Causes, Object, ObjectName};

    use super::*;

    type Node = (&'static str, &'static str, Option<u32>, Expansion);

    fn shown(nodes: &[Node], causes: &[Cause], width: Option<usize>) -> String {
        let node = |(name, description, parent, expansion): &Node| {
            let mut object = Object::bare(ObjectName::parse(name).unwrap());
            object.description = (!description.is_empty()).then(|| Arc::from(*description));
            (Arc::new(object), *parent, *expansion)
        };
        let tree =
            Tree::new(nodes.iter().map(node).collect(), causes.iter().copied().collect::<Causes>()).unwrap();
        let entry = EntryPath::root();
        let asked = Asked { entry: &entry, depth: 2, limit: 5, after: None };
        let text = render(&tree, asked, &Commands::default(), width);
        anstream::adapter::strip_str(&text).to_string()
    }

    use Expansion::{Complete, Leaf, Partial, Unexplored};

    #[test]
    fn descriptions_stand_in_a_column_of_cells() {
        let nodes = [
            ("", "All there is", None, Complete),
            ("a", "An a", Some(0), Complete),
            ("日本", "Two cells a character", Some(0), Leaf),
            ("👩‍💻.md", "", Some(1), Leaf),
            ("b", "Under a", Some(1), Leaf),
        ];
        let wanted = "\
/          All there is
├── a/     An a
│   ├── 👩‍💻.md
│   └── b  Under a
└── 日本   Two cells a character
";
        assert_eq!(shown(&nodes, &[], None), wanted);
    }

    #[test]
    fn what_is_not_shown_is_said_with_its_command() {
        let nodes = [
            ("", "", None, Partial),
            ("a b", "", Some(0), Complete),
            ("c", "", Some(0), Unexplored),
            ("d", "", Some(1), Unexplored),
            ("e", "", Some(1), Leaf),
        ];
        let wanted = "\
/
├── a b/
│   ├── d/ …
│   └── e
├── c/ …
└── …

not shown: what 1 entry has deeper than 2 below:
  wip tree '/a b/d' --limit 5
not shown: what is behind the limit of 5 entries and what the Host does not give at once, at 2 places:
  wip tree / --limit 5 --after c
  wip tree /c --limit 5
";
        assert_eq!(shown(&nodes, &[Cause::Depth, Cause::Limit, Cause::HostLimit], None), wanted);
    }

    #[test]
    fn foreign_text_cannot_forge_lines_and_is_clipped() {
        let nodes = [
            ("", "", None, Complete),
            ("x\n└── fake", "A description that\nis longer than the terminal is wide", Some(0), Leaf),
            ("\u{202e}dm.a", "\u{1b}[2J", Some(0), Leaf),
        ];
        let wanted = "\
/
├── x\\n└── fake  A description that is lo…
└── \\u202edm.a   \\u001b[2J
";
        assert_eq!(shown(&nodes, &[], Some(42)), wanted);
    }

    #[test]
    fn a_name_too_wide_for_the_column_moves_itself_only() {
        let wide = "a-very-long-name-that-nobody-should-have-given";
        let nodes = [("", "", None, Complete), (wide, "one", Some(0), Leaf), ("b", "two", Some(0), Leaf)];
        let wanted = format!("/\n├── {wide}  one\n└── b  two\n");
        assert_eq!(shown(&nodes, &[], None), wanted);
    }
}
