//! The children of an entry, in publication order: first the names that lead to mounts, then the provider's own that
//! no mount shadows. Pulled page by page; what the principal does not see is never counted.

use std::sync::Arc;

use worldspace_model::{EntryPath, Segment};

use crate::context::{Context, Request};
use crate::failure::ProviderError;
use crate::host::Inner;
use crate::local::LocalPath;
use crate::mount::{Found, log_failure};
use crate::mounts::{MountPoint, Place};
use crate::provider::Order;

/// Goes through the children of one entry.
pub(crate) struct Lister<'h> {
    host: &'h Inner,
    request: Arc<Request>,
    entry: EntryPath,
    /// Names that lead to mounts and are yet to come.
    leading: &'h [Segment],
    own: Option<(&'h Arc<MountPoint>, LocalPath)>,
    after: Option<Segment>,
    /// Whether `after` was named by the caller, who may not see it.
    named: bool,
}

/// A part of the children.
pub(crate) struct Listed {
    pub(crate) children: Vec<(EntryPath, Found)>,
    /// Whether the last child is among them.
    pub(crate) end: bool,
}

impl<'h> Lister<'h> {
    pub(crate) fn new(
        host: &'h Inner,
        request: &Arc<Request>,
        entry: &EntryPath,
        after: Option<&Segment>,
    ) -> Result<Self, ProviderError> {
        let own = match host.mounts.place(entry) {
            Some(Place::Mounted(mount, local)) => Some((mount, local)),
            Some(Place::Between) => None,
            None => return Err(ProviderError::NotFound),
        };
        let mut lister = Self {
            host,
            request: request.clone(),
            entry: entry.clone(),
            leading: host.mounts.leading(entry),
            own,
            after: None,
            named: false,
        };
        if let Some(after) = after {
            lister.go_on_behind(after)?;
        }
        Ok(lister)
    }

    fn go_on_behind(&mut self, after: &Segment) -> Result<(), ProviderError> {
        let leads = self.leading.iter().position(|name| name == after);
        match leads {
            Some(at) if self.sees(&self.entry.child(after)) => self.leading = &self.leading[at + 1..],
            None if self.own.is_some() => {
                self.leading = &[];
                self.after = Some(after.clone());
                self.named = true;
            }
            _ => return Err(ProviderError::Gone),
        }
        Ok(())
    }

    fn sees(&self, entry: &EntryPath) -> bool {
        self.host.visibility.child(&self.request.principal, entry)
    }

    /// Up to `most` further children that the principal sees; fewer mean nothing unless `end` is set.
    pub(crate) async fn next(&mut self, most: usize) -> Result<Listed, ProviderError> {
        let mut children = Vec::new();
        while let Some((name, rest)) = self.leading.split_first() {
            if children.len() == most {
                return Ok(Listed { children, end: false });
            }
            let entry = self.entry.child(name);
            // A mount point always has an Object, so this fails only for what the principal does not see.
            if let Ok(found) = self.host.find(&self.request, &entry).await {
                children.push((entry, found));
            }
            self.leading = rest;
        }
        while children.is_empty() && self.own.is_some() {
            self.next_own(most, &mut children).await?;
        }
        Ok(Listed { children, end: self.own.is_none() })
    }

    async fn next_own(
        &mut self,
        most: usize,
        children: &mut Vec<(EntryPath, Found)>,
    ) -> Result<(), ProviderError> {
        let Some((mount, local)) = &self.own else { return Ok(()) };
        let context = Context::new(&self.request, mount);
        let read = mount.provider().children(&context, local, self.after.as_ref(), most).await;
        let page = match read {
            Ok(page) => page,
            // The provider need not have what only leads to a mount.
            Err(ProviderError::NotFound) if self.host.mounts.leads_down(&self.entry) => {
                self.own = None;
                return Ok(());
            }
            Err(error) => {
                log_failure(mount, &self.entry, &error);
                return Err(error);
            }
        };
        if let (Some(after), true, Order::Own) = (&self.after, self.named, page.order)
            && !self.sees(&self.entry.child(after))
        {
            return Err(ProviderError::Gone);
        }
        let last = page.children.last().map(|(name, _)| name.clone());
        let shadowing = self.host.mounts.leading(&self.entry);
        for (name, published) in page.children {
            let entry = self.entry.child(&name);
            if !shadowing.contains(&name) && self.sees(&entry) {
                let found = self.host.translate(&self.request, mount, &entry, published);
                let found = found.inspect_err(|error| log_failure(mount, &entry, error))?;
                children.push((entry, found));
            }
        }
        match last {
            Some(last) if page.more => {
                self.after = Some(last);
                self.named = false;
            }
            _ => self.own = None,
        }
        Ok(())
    }
}
