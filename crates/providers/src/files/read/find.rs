//! `find`: files below a directory, by name and by what stands in them.

use ignore::overrides::{Override, OverrideBuilder};
use worldspace_host::{Call, Refusal};
use worldspace_model::{EntryPath, Value};

use super::search::Search;
use crate::budget::Budget;
use crate::files::failure::refused;
use crate::files::open;
use crate::files::task::Task;
use crate::files::walk::{Met, Walk};

/// Matches in an answer unless the caller says otherwise.
pub(in crate::files) const USUAL: usize = 200;
/// Matches in an answer at most.
pub(in crate::files) const MOST: usize = 2_000;

pub(super) fn run(task: &Task<'_>, call: &Call) -> Result<Value, Refusal> {
    let mut matches = Matches::new(call.count("limit", USUAL, MOST)?, Budget::of(task.context));
    let globs = globs(call.text("glob"))?;
    let mut search = match (call.text("text"), call.flag("regex").unwrap_or(false)) {
        (None, false) => None,
        (None, true) => return Err(Refusal::argument("regex", "says how to read `text`, which is missing")),
        (Some(text), regex) => Some(Search::new(text, regex)?),
    };
    let inside = task.look_into(call)?;
    let mut walk = Walk::new(task.root, task.context, task.patience, globs, call.path().clone(), inside)
        .map_err(refused)?;
    while !matches.full
        && let Some(met) = walk.next_file()
    {
        match &mut search {
            None => matches.push(&met.entry, None)?,
            Some(search) => look_into(task, search, &mut walk, &met, &mut matches)?,
        }
    }
    Ok(Value::record([
        ("matches", Some(Value::list(matches.rows)?)),
        ("truncated", Some(Value::from(matches.full || walk.stopped))),
        ("unread", (walk.unread > 0).then(|| Value::count(walk.unread))),
    ])?)
}

fn look_into(
    task: &Task<'_>,
    search: &mut Search,
    walk: &mut Walk<'_>,
    met: &Met,
    matches: &mut Matches,
) -> Result<(), Refusal> {
    let Some(here) = walk.here() else { return Ok(()) };
    let searched = open::file(&here.directory, &met.name).and_then(|(file, _)| {
        let mut refusal = None;
        let found = search.run(task.patience.watch(file), |line, text| {
            refusal = matches.push(&met.entry, Some((line, text))).err();
            refusal.is_none() && !matches.full
        });
        found.map(|()| refusal)
    });
    match searched {
        Ok(None) => Ok(()),
        Ok(Some(refusal)) => Err(refusal),
        // The walk sees for itself that it is time to stop.
        Err(_) if task.patience.is_over() => Ok(()),
        Err(error) => {
            walk.miss(&error);
            Ok(())
        }
    }
}

fn globs(glob: Option<&str>) -> Result<Override, Refusal> {
    let wrong = |error: ignore::Error| Refusal::argument("glob", format!("is no glob: {error}"));
    let mut builder = OverrideBuilder::new("");
    if let Some(glob) = glob {
        builder.add(glob).map_err(wrong)?;
    }
    builder.build().map_err(wrong)
}

/// What was found, as long as there is room for it.
struct Matches {
    rows: Vec<Value>,
    limit: usize,
    budget: Budget,
    /// Whether there is more than there is room for.
    full: bool,
}

impl Matches {
    fn new(limit: usize, budget: Budget) -> Self {
        Self { rows: Vec::new(), limit, budget, full: false }
    }

    fn push(&mut self, entry: &EntryPath, line: Option<(u64, String)>) -> Result<(), Refusal> {
        let text = line.as_ref().map_or("", |(_, text)| text);
        if self.rows.len() == self.limit || !self.budget.take(&[entry.as_str(), text]) {
            self.full = true;
            return Ok(());
        }
        let (number, text) = line.map_or((None, None), |(number, text)| (Some(number), Some(text)));
        self.rows.push(Value::record([
            ("entry", Some(Value::Entry(entry.clone()))),
            ("line", number.map(Value::count)),
            ("text", text.map(Value::from)),
        ])?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::files::read;
    use crate::files::testing::call_instead;
    use crate::pool::Patience;

    use super::*;

    /// What a search for text finds that ends when the time was looked at so many times: the numbers of the files, and
    /// whether it says that there is more.
    fn check(directory: &std::path::Path, looks: u64) -> (Vec<usize>, bool) {
        let arguments = vec![("text", Value::from("needle"))];
        let found = call_instead(directory, "find", arguments, move |root, context, call| {
            read::run(&Task { root, context, patience: &Patience::of_looks(context, looks) }, call)
        });
        let found = found.unwrap();
        let truncated = found.as_record().unwrap().get("truncated").unwrap().as_bool().unwrap();
        let number = |entry: &EntryPath| entry.as_str()["/w/".len()..].parse().unwrap();
        (found.entries().into_iter().map(number).collect(), truncated)
    }

    #[test]
    fn a_search_that_has_no_more_time_gives_what_comes_first_and_says_so() {
        let directory = tempfile::tempdir().unwrap();
        for at in 10..30 {
            std::fs::write(directory.path().join(at.to_string()), "needle\n").unwrap();
        }
        let mut counts = Vec::new();
        for looks in 0..200 {
            let (rows, truncated) = check(directory.path(), looks);
            assert!(rows.iter().copied().eq(10..10 + rows.len()), "{looks}: {rows:?}");
            assert!(rows.len() == 20 || truncated, "{looks}: {rows:?}");
            counts.push(rows.len());
            if !truncated {
                break;
            }
        }
        // However early it ends, it ends with more or less, and in the end with everything.
        assert!(counts.is_sorted() && counts.first() == Some(&0) && counts.last() == Some(&20), "{counts:?}");
        assert!((0..=20).all(|count| counts.contains(&count)), "{counts:?}");
        assert!(!check(directory.path(), 200).1);
    }
}
