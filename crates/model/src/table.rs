//! An ordered list of named things that is looked up by name at a cost that does not grow with its width.

use crate::Name;

/// Up to this many names are compared one by one, which is faster than a search.
const FEW: usize = 8;

/// The positions of names, sorted by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    names: Box<[Name]>,
    /// Positions in the order of their names; empty for few names.
    sorted: Box<[u32]>,
}

impl Table {
    /// The table of these names, or the position of one that stood there before.
    pub(crate) fn new(names: impl IntoIterator<Item = Name>) -> Result<Self, usize> {
        let names: Box<[Name]> = names.into_iter().collect();
        if names.len() <= FEW {
            for (position, name) in names.iter().enumerate() {
                if names[..position].contains(name) {
                    return Err(position);
                }
            }
            return Ok(Self { names, sorted: Box::default() });
        }
        let mut sorted: Box<[u32]> = (0u32..).zip(names.iter()).map(|(position, _)| position).collect();
        sorted.sort_by(|a, b| names[*a as usize].cmp(&names[*b as usize]).then(a.cmp(b)));
        let repeated = sorted
            .windows(2)
            .filter(|pair| names[pair[0] as usize] == names[pair[1] as usize])
            .map(|pair| pair[1] as usize)
            .min();
        match repeated {
            Some(position) => Err(position),
            None => Ok(Self { names, sorted }),
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        if self.sorted.is_empty() {
            return self.names.iter().position(|known| **known == *name);
        }
        self.sorted
            .binary_search_by(|position| (*self.names[*position as usize]).cmp(name))
            .ok()
            .map(|index| self.sorted[index] as usize)
    }

    pub(crate) fn names(&self) -> &[Name] {
        &self.names
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn nearest(&self, wanted: &str) -> Option<Name> {
        crate::nearest(wanted, self.names.iter().map(|name| &**name)).map(Name::from)
    }
}
