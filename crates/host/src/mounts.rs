//! Where providers stand in the Worldspace, and the way between their paths and the Worldspace's.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use worldspace_model::{EntryPath, InterfaceList, InterfaceReference, Ref, Segment};

use crate::erased::DynProvider;
use crate::failure::ProviderError;
use crate::local::{LocalPath, LocalReference};
use crate::published::{Identity, Interfaces};

/// One provider and its place.
pub(crate) struct MountPoint {
    path: EntryPath,
    /// Mounts below this one: their entries are not this provider's, whatever it has there.
    below: Vec<EntryPath>,
    provider: DynProvider,
    /// Set before identities where several providers could use one for different Objects.
    ref_prefix: Option<String>,
    /// Interface lists already translated, by the address of the provider's list, which is kept so that no other list
    /// can take its address.
    lists: Mutex<HashMap<usize, (Interfaces, InterfaceList)>>,
}

/// How many translated lists a mount remembers; a provider with more makes them per Object, and gains nothing.
const LISTS: usize = 256;

/// All mounts.
pub(crate) struct Mounts {
    /// In the order in which they were mounted.
    mounts: Vec<Arc<MountPoint>>,
    /// For every entry above a mount, the names that lead down to one, in the order of the mounts.
    leading: HashMap<EntryPath, Vec<Segment>>,
}

/// What an entry is to the mounts.
pub(crate) enum Place<'a> {
    /// A provider's.
    Mounted(&'a Arc<MountPoint>, LocalPath),
    /// Above a mount, and no provider's.
    Between,
}

impl Mounts {
    /// Fails with the entry that two providers want.
    pub(crate) fn new(providers: Vec<(EntryPath, DynProvider)>) -> Result<Self, EntryPath> {
        let paths: Vec<EntryPath> = providers.iter().map(|(path, _)| path.clone()).collect();
        if let Some(at) = (1..paths.len()).find(|at| paths[..*at].contains(&paths[*at])) {
            return Err(paths[at].clone());
        }
        let mut leading: HashMap<EntryPath, Vec<Segment>> = HashMap::new();
        for path in &paths {
            let mut below = path.clone();
            while let (Some(above), Ok(name)) = (below.parent(), Segment::parse(below.name())) {
                let names = leading.entry(above.clone()).or_default();
                if !names.contains(&name) {
                    names.push(name);
                }
                below = above;
            }
        }
        let alone = paths.len() == 1;
        let mounts = providers
            .into_iter()
            .map(|(path, provider)| {
                let below = paths.iter().filter(|other| path != **other && path.contains(other));
                let digest = blake3::hash(path.as_str().as_bytes()).to_hex();
                Arc::new(MountPoint {
                    below: below.cloned().collect(),
                    provider,
                    ref_prefix: (!alone).then(|| format!("{}.", &digest[..12])),
                    lists: Mutex::default(),
                    path,
                })
            })
            .collect();
        Ok(Self { mounts, leading })
    }

    /// What stands at an entry, if the mounts reach there at all.
    pub(crate) fn place(&self, entry: &EntryPath) -> Option<Place<'_>> {
        let nearest = self
            .mounts
            .iter()
            .filter_map(|mount| Some((mount, mount.path.relative(entry)?)))
            .max_by_key(|(mount, _)| mount.path.as_str().len());
        match nearest {
            Some((mount, local)) => Some(Place::Mounted(mount, LocalPath::new(local))),
            None => self.leads_down(entry).then_some(Place::Between),
        }
    }

    /// The names at an entry that lead down to mounts; they come before whatever else is there.
    pub(crate) fn leading(&self, entry: &EntryPath) -> &[Segment] {
        self.leading.get(entry).map_or(&[], Vec::as_slice)
    }

    /// Whether an entry stands above a mount.
    pub(crate) fn leads_down(&self, entry: &EntryPath) -> bool {
        self.leading.contains_key(entry)
    }
}

impl MountPoint {
    pub(crate) fn path(&self) -> &EntryPath {
        &self.path
    }

    pub(crate) fn provider(&self) -> &DynProvider {
        &self.provider
    }

    pub(crate) fn entry(&self, local: &LocalPath) -> EntryPath {
        self.path.descend(local.as_entry())
    }

    pub(crate) fn local(&self, entry: &EntryPath) -> Option<LocalPath> {
        if self.below.iter().any(|mount| mount.contains(entry)) {
            return None;
        }
        self.path.relative(entry).map(LocalPath::new)
    }

    pub(crate) fn reference(&self, local: &LocalReference) -> InterfaceReference {
        InterfaceReference::new(self.entry(&local.scope), local.name.clone())
    }

    pub(crate) fn local_reference(&self, reference: &InterfaceReference) -> Option<LocalReference> {
        let scope = self.local(reference.scope())?;
        Some(LocalReference { scope, name: reference.name().clone() })
    }

    pub(crate) fn r#ref(&self, identity: &Identity) -> Ref {
        match &self.ref_prefix {
            None => Ref::new(identity.0.clone()),
            Some(prefix) => Ref::new([prefix, &*identity.0].concat()),
        }
    }

    pub(crate) fn interfaces(&self, local: &Interfaces) -> Result<InterfaceList, ProviderError> {
        let Some(list) = &local.0 else { return Ok(InterfaceList::EMPTY) };
        let address = list.as_ptr().addr();
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = lists.get(&address) {
            return Ok(known.clone());
        }
        let references: Vec<_> = list.iter().map(|local| self.reference(local)).collect();
        let translated = InterfaceList::new(references)?;
        if lists.len() < LISTS {
            lists.insert(address, (local.clone(), translated.clone()));
        }
        Ok(translated)
    }
}

impl fmt::Debug for MountPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MountPoint").field("path", &self.path).finish_non_exhaustive()
    }
}
