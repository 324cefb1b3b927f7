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
}

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
    for (what, command) in notes {
        out.push_str(&format!("{}\n  {command}\n", styled(style::FAINT, what + ":")));
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
            let description = text::line(description);
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
        Some(_) => text::line(node.object.name.as_str()),
    };
    let slash = if node.expansion == Expansion::Leaf || path.is_root() { "" } else { "/" };
    format!("{name}{slash}")
}

/// What is not shown and why, and the command that shows it.
fn notes(tree: &Tree, paths: &[EntryPath], asked: Asked<'_>, commands: &Commands) -> Vec<(String, String)> {
    let below = |at: usize| paths[at].depth() - asked.entry.depth();
    let at_depth = |at: &usize| below(*at) >= asked.depth as usize;
    let open = |expansion| move |at: &usize| tree.nodes()[*at].expansion == expansion;
    let all = || 0..tree.nodes().len();
    let partial = all().find(open(Expansion::Partial));
    let unexplored = all().filter(open(Expansion::Unexplored)).find(|at| !at_depth(at));
    // The rest of a node that was begun, else what is below one that was not.
    let go_on = || match partial.or(unexplored) {
        Some(at) => match (partial, tree.children(&tree.nodes()[at]).last()) {
            (Some(_), Some(last)) => {
                commands.command(&["tree", paths[at].as_str(), "--after", last.object.name.as_str()])
            }
            _ => commands.command(&["tree", paths[at].as_str()]),
        },
        None => commands.command(&["tree", asked.entry.as_str()]),
    };
    let entry = asked.entry.as_str();
    let note = |cause| match cause {
        Cause::Depth => {
            let count = all().filter(open(Expansion::Unexplored)).filter(at_depth).count();
            let what = format!(
                "not shown: what {} deeper than {} below",
                text::count(count, "entry has", "entries have"),
                asked.depth
            );
            let deeper = asked.depth.saturating_add(1).to_string();
            (what, commands.command(&["tree", entry, "--depth", &deeper]))
        }
        Cause::Limit => {
            let what = format!(
                "not shown: what is behind the limit of {}",
                text::count(asked.limit as usize, "entry", "entries")
            );
            let more = asked.limit.saturating_mul(4).to_string();
            let depth = asked.depth.to_string();
            (what, commands.command(&["tree", entry, "--depth", &depth, "--limit", &more]))
        }
        Cause::HostLimit => ("not shown: what the Host does not give at once".to_owned(), go_on()),
        Cause::Deadline => ("not shown: what the Host had no time for".to_owned(), go_on()),
        Cause::Unavailable => ("not shown: what could not be read just now".to_owned(), go_on()),
    };
    tree.truncated_by().iter().map(note).collect()
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
        let asked = Asked { entry: &entry, depth: 2, limit: 5 };
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
  wip tree / --depth 3
not shown: what is behind the limit of 5 entries:
  wip tree / --depth 2 --limit 20
not shown: what the Host does not give at once:
  wip tree / --after c
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
├── x └── fake  A description that is lon…
└── \\u202edm.a  \\u001b[2J
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
