//! Which names are published: not hidden ones, and not those that `.gitignore` files leave out.
//!
//! What is left out is not there at all, neither in lists nor by its path, so that the configuration decides one set.
//! As in git, what stands in a directory that is left out is left out, a deeper file decides before one above it, and
//! links are no directories. Only files within the root count, whether or not there is a repository: nothing is read
//! of the user's own configuration.

use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use lru::LruCache;
use worldspace_model::Segment;

use super::grain::Grain;
use super::open;
use super::stat::{Kind, Place, Stat};
use super::write::staging;

/// Ignore files that are kept compiled.
const KEPT: usize = 256;
/// The part of an ignore file that counts. Real ones are a thousandth of it.
const LONGEST: u64 = 1 << 20;

/// The rules of one root: what is configured, and compiled ignore files, each for as long as it stays in its state.
pub(super) struct RuleBook {
    gitignore: bool,
    hidden: bool,
    grain: Grain,
    compiled: Mutex<LruCache<Place, Compiled>>,
}

struct Compiled {
    stamp: Vec<u8>,
    rules: Arc<Gitignore>,
}

/// The rules that hold for the names in one directory.
#[derive(Clone)]
pub(super) struct Rules {
    hidden: bool,
    /// Ignore files from the root down, each with the way from its directory to this one.
    chain: Vec<(Arc<Gitignore>, String)>,
}

impl RuleBook {
    pub(super) fn new(gitignore: bool, hidden: bool, grain: Grain) -> Self {
        let kept = NonZeroUsize::MIN.saturating_add(KEPT - 1);
        Self { gitignore, hidden, grain, compiled: Mutex::new(LruCache::new(kept)) }
    }

    /// The rules in the root.
    pub(super) fn at_root(&self, root: &Dir) -> io::Result<Rules> {
        let mut rules = Rules { hidden: self.hidden, chain: Vec::new() };
        rules.chain.extend(self.own(root)?.map(|own| (own, String::new())));
        Ok(rules)
    }

    /// The rules in a directory, from those in the one that it stands in.
    pub(super) fn below(&self, above: &Rules, name: &Segment, directory: &Dir) -> io::Result<Rules> {
        let mut chain = Vec::with_capacity(above.chain.len() + 1);
        let down = |way: &str| [way, name.as_str(), "/"].concat();
        chain.extend(above.chain.iter().map(|(rules, way)| (rules.clone(), down(way))));
        chain.extend(self.own(directory)?.map(|own| (own, String::new())));
        Ok(Rules { hidden: self.hidden, chain })
    }

    /// The rules of the directory's own ignore file, if it has one.
    fn own(&self, directory: &Dir) -> io::Result<Option<Arc<Gitignore>>> {
        if !self.gitignore {
            return Ok(None);
        }
        let name = Segment::parse(".gitignore").map_err(io::Error::other)?;
        let found = match Stat::at(directory, &name) {
            Ok(found) if found.kind == Kind::File => found,
            // A directory that cannot be looked into says so by itself, wherever it is read.
            _ => return Ok(None),
        };
        if let Some(known) = self.lock().get(&found.place)
            && known.stamp == found.stamp()
        {
            return Ok(Some(known.rules.clone()));
        }
        let (file, stat) = match open::file(directory, &name) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                tracing::debug!(%error, "a .gitignore cannot be read and leaves nothing out");
                return Ok(None);
            }
        };
        let rules = Arc::new(compile(file)?);
        // What may change again and look the same is read anew each time, until it cannot any more.
        if !self.grain.is_young(stat.changed) {
            self.lock().put(stat.place, Compiled { stamp: stat.stamp(), rules: rules.clone() });
        }
        Ok(Some(rules))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, LruCache<Place, Compiled>> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a name asks to be left out.
pub(super) fn is_hidden(name: &[u8]) -> bool {
    name.starts_with(b".")
}

fn compile(file: std::fs::File) -> io::Result<Gitignore> {
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new("");
    for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
        // As git does, a line that is no pattern leaves nothing out, and the others count.
        if let Err(error) = builder.add_line(None, line) {
            tracing::debug!(%error, "a line of a .gitignore is no pattern");
        }
    }
    builder.build().map_err(io::Error::other)
}

impl Rules {
    /// Whether a name is left out whatever it stands for, which is known without looking at it.
    pub(super) fn hides(&self, name: &[u8]) -> bool {
        name == staging::NAME.as_bytes() || (!self.hidden && is_hidden(name))
    }

    /// Whether a name is left out.
    pub(super) fn leaves_out(&self, name: &str, kind: Kind) -> bool {
        if self.hides(name.as_bytes()) {
            return true;
        }
        for (rules, way) in self.chain.iter().rev() {
            let path = [way, name].concat();
            match rules.matched(Path::new(&path), kind == Kind::Directory) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}
