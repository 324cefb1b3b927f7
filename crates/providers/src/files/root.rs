//! A directory that is served: the way from a path to what stands there, and to what is published of it.

use std::io;
use std::sync::Arc;

use cap_std::fs::Dir;
use worldspace_host::{Identity, LocalPath, Page, ProviderError, Published, StateToken};
use worldspace_model::Segment;

use super::Settings;
use super::describe;
use super::failure::observed;
use super::grain::Grain;
use super::identity::Identities;
use super::interfaces::Catalog;
use super::names::Names;
use super::open;
use super::rules::{RuleBook, Rules};
use super::stat::{Kind, Stat};
use super::state::{Count, State, States};
use super::write::Writer;
use crate::pool::Patience;

/// The root, opened once. Everything else is reached from it, name by name.
pub(super) struct Root {
    directory: Arc<Dir>,
    indexable: usize,
    grain: Grain,
    rules: RuleBook,
    pub(super) states: States,
    pub(super) identities: Identities,
    pub(super) interfaces: Arc<Catalog>,
    /// There where the settings offer writing.
    pub(super) writer: Option<Writer>,
}

/// What a path leads to.
pub(super) struct Found {
    pub(super) stat: Stat,
    /// The directory that it stands in, and its name there; none for the root.
    pub(super) above: Option<(Arc<Dir>, Segment)>,
    /// The rules in the directory that it stands in; at the root, those in it.
    rules: Rules,
}

/// A directory that is open to be looked into.
pub(super) struct Inside {
    pub(super) directory: Arc<Dir>,
    pub(super) rules: Rules,
}

impl Root {
    pub(super) fn new(directory: Dir, settings: &Settings, interfaces: &Arc<Catalog>) -> io::Result<Self> {
        let grain = Grain::of(&directory);
        let mount = Stat::of(&directory)?.mount;
        let directory = Arc::new(directory);
        Ok(Self {
            writer: settings.writable.then(|| Writer::new(&directory)),
            directory,
            indexable: settings.indexable_names,
            grain,
            rules: RuleBook::new(settings.gitignore, settings.hidden, grain),
            states: States::new(grain, mount, settings)?,
            identities: Identities::new(grain, mount),
            interfaces: interfaces.clone(),
        })
    }

    pub(super) fn directory(&self) -> &Dir {
        &self.directory
    }

    /// What is published at a path. What the rules leave out is as absent as what is not there.
    pub(super) fn find(&self, path: &LocalPath) -> io::Result<Found> {
        let mut inside =
            Inside { directory: self.directory.clone(), rules: self.rules.at_root(&self.directory)? };
        let mut names = path.segments().peekable();
        while let Some(name) = names.next() {
            let name = Segment::parse(name).map_err(io::Error::other)?;
            let stat = self.look_up(&inside, &name)?;
            if names.peek().is_none() {
                let Inside { directory, rules } = inside;
                return Ok(Found { stat, above: Some((directory, name)), rules });
            }
            if stat.kind != Kind::Directory {
                return Err(absent());
            }
            inside = self.enter(&inside, &name)?;
        }
        Ok(Found { stat: Stat::of(&self.directory)?, above: None, rules: inside.rules })
    }

    /// What stands under a name as a caller gave it.
    fn look_up(&self, inside: &Inside, name: &Segment) -> io::Result<Stat> {
        if inside.rules.hides(name.as_str().as_bytes()) {
            return Err(absent());
        }
        let stat = Stat::at(&inside.directory, name)?;
        if inside.rules.leaves_out(name.as_str(), stat.kind)
            || !open::is_spelled(&inside.directory, name, stat.place, self.grain.folds)?
        {
            return Err(absent());
        }
        Ok(stat)
    }

    /// Goes into a directory that stands in another.
    pub(super) fn enter(&self, above: &Inside, name: &Segment) -> io::Result<Inside> {
        let directory = open::directory(&above.directory, name)?;
        let rules = self.rules.below(&above.rules, name, &directory)?;
        Ok(Inside { directory: Arc::new(directory), rules })
    }

    /// Opens a directory that was found.
    pub(super) fn look_into(&self, found: Found) -> io::Result<Inside> {
        match found.above {
            None => Ok(Inside { directory: self.directory.clone(), rules: found.rules }),
            Some((directory, name)) => self.enter(&Inside { directory, rules: found.rules }, &name),
        }
    }

    /// Opens a file that was found.
    pub(super) fn read_file(&self, found: &Found) -> io::Result<(std::fs::File, Stat)> {
        match &found.above {
            Some((directory, name)) if found.stat.kind == Kind::File => open::file(directory, name),
            _ => Err(absent()),
        }
    }

    /// What a link that was found says it leads to; invalid input if another thing has taken its place.
    pub(super) fn read_link(&self, found: &Found) -> io::Result<Option<String>> {
        match &found.above {
            Some((directory, name)) if found.stat.kind == Kind::Link => {
                let target = directory.read_link_contents(name.as_str())?;
                // A link never changes, so that this one's text is the one that was read if it is still there.
                if Stat::at(directory, name)?.stamp() != found.stat.stamp() {
                    return Err(io::Error::from(io::ErrorKind::InvalidInput));
                }
                Ok(target.into_os_string().into_string().ok())
            }
            _ => Ok(None),
        }
    }

    /// How many bytes stand at a path.
    pub(super) fn size(&self, path: &LocalPath) -> Result<u64, ProviderError> {
        Ok(self.find(path).map_err(observed)?.stat.size)
    }

    /// The state of what was found.
    pub(super) fn state(&self, found: &Found) -> io::Result<StateToken> {
        let stat = &found.stat;
        let state = match (&found.above, stat.kind) {
            (Some((parent, name)), Kind::Directory) => {
                self.directory_state(stat, || open::directory(parent, name))?.0
            }
            (Some((parent, name)), _) => self.states.of_file(stat, || open::file(parent, name)),
            (None, _) => self.directory_state(stat, || self.directory.try_clone())?.0,
        };
        Ok(state.token)
    }

    /// The state of a directory and the number of its names, which is not known where the Host may not read it.
    fn directory_state(
        &self,
        stat: &Stat,
        open: impl FnOnce() -> io::Result<Dir>,
    ) -> io::Result<(State, Option<Count>)> {
        match self.states.of_directory(stat, open) {
            Ok(found) => Ok((found.state, Some(found.names))),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Ok((self.states.unread(stat), None))
            }
            Err(error) => Err(error),
        }
    }

    /// The Object at a path.
    pub(super) fn object(&self, path: &LocalPath, patience: &Patience) -> Result<Published, ProviderError> {
        let seen = self.see(path, patience).map_err(observed)?;
        // Whoever asks for one thing that just changed and is too large to be read mostly wants to call it: a moment's
        // wait gives a state that a call can be bound to. What changes all the time has none, however long one waits.
        match self.states.patience(&seen.stat).filter(|_| !seen.lasts) {
            None => Ok(seen.published),
            Some(wait) => {
                std::thread::sleep(wait);
                Ok(self.see(path, patience).map_err(observed)?.published)
            }
        }
    }

    fn see(&self, path: &LocalPath, patience: &Patience) -> io::Result<Seen> {
        let found = self.find(path)?;
        match &found.above {
            Some((directory, name)) => self.publish(directory, name, found.stat, patience),
            None => {
                let hold = || Ok(self.directory.try_clone()?.into());
                let identity = self.identities.of(&found.stat, patience, hold);
                self.publish_directory(found.stat, identity, || self.directory.try_clone())
            }
        }
    }

    /// The indexable children of a path.
    pub(super) fn children(
        &self,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
        patience: &Patience,
    ) -> Result<Page, ProviderError> {
        let found = self.find(path).map_err(observed)?;
        if found.stat.kind != Kind::Directory {
            return Ok(Page::empty());
        }
        let read = self.look_into(found).and_then(|inside| Ok((self.indexable_names(&inside)?, inside)));
        let (names, inside) = match read {
            Ok(read) => read,
            // It says of itself that it cannot be read, and so has no indexable children.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(Page::empty()),
            Err(error) => return Err(observed(error)),
        };
        let from = after.map_or(0, |after| names.partition_point(|name| name <= after));
        let mut children = Vec::new();
        let mut more = false;
        for name in &names[from..] {
            more = children.len() == most;
            if more {
                break;
            }
            patience.check_caller()?;
            let read = Stat::at(&inside.directory, name).and_then(|stat| {
                let left_out = inside.rules.leaves_out(name.as_str(), stat.kind);
                if left_out {
                    Ok(None)
                } else {
                    self.publish(&inside.directory, name, stat, patience).map(Some)
                }
            });
            match read.map_err(observed) {
                Ok(Some(seen)) => children.push((name.clone(), seen.published)),
                // Left out, or gone since the names were read.
                Ok(None) | Err(ProviderError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Page::by_name(children, more))
    }

    /// The names that may be indexable children, in their order; none where there are too many.
    fn indexable_names(&self, inside: &Inside) -> io::Result<Vec<Segment>> {
        let mut names = Vec::new();
        for (count, name) in Names::read(&inside.directory)?.enumerate() {
            if count == self.indexable {
                return Ok(Vec::new());
            }
            names.extend(name?.segment().filter(|name| !inside.rules.hides(name.as_str().as_bytes())));
        }
        names.sort_unstable();
        Ok(names)
    }

    fn publish(&self, parent: &Dir, name: &Segment, stat: Stat, patience: &Patience) -> io::Result<Seen> {
        let identity = self.identities.of(&stat, patience, || open::hold(parent, name));
        if stat.kind == Kind::Directory {
            return self.publish_directory(stat, identity, || open::directory(parent, name));
        }
        let interfaces = self.interfaces.of(stat.kind);
        let state = self.states.of_file(&stat, || open::file(parent, name));
        let words = Published::new().described(describe::thing(name.as_str(), stat.kind));
        Ok(Seen::new(stat, words.publishing(interfaces).leaf(), identity, state))
    }

    fn publish_directory(
        &self,
        stat: Stat,
        identity: Option<Identity>,
        open: impl FnOnce() -> io::Result<Dir>,
    ) -> io::Result<Seen> {
        let (state, names) = self.directory_state(&stat, open)?;
        let words = match names {
            Some(names) => describe::directory(names, self.indexable),
            None => describe::UNREADABLE.to_owned(),
        };
        let leaf = !matches!(names, Some(Count::Indexable { .. }));
        let published = Published::new().described(words).publishing(self.interfaces.of(Kind::Directory));
        let published = if leaf { published.leaf() } else { published };
        Ok(Seen::new(stat, published, identity, state))
    }
}

/// What is published of one thing, and whether its state lasts.
struct Seen {
    stat: Stat,
    published: Published,
    lasts: bool,
}

impl Seen {
    fn new(stat: Stat, published: Published, identity: Option<Identity>, state: State) -> Self {
        let published = published.in_state(state.token);
        let published = match identity {
            Some(identity) => published.identified(identity),
            None => published,
        };
        Self { stat, published, lasts: state.lasts }
    }
}

/// What every path that leads to nothing is answered with.
fn absent() -> io::Error {
    io::Error::from(io::ErrorKind::NotFound)
}
