//! The children of an entry, in publication order: first the names that lead to mounts, then the provider's own that
//! no mount shadows. Pulled page by page; what the principal does not see is never counted.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream;
use worldspace_model::{EntryPath, Segment};

use crate::context::{Context, Request};
use crate::failure::ProviderError;
use crate::host::Inner;
use crate::local::LocalPath;
use crate::mount::{Found, log_failure};
use crate::mounts::{MountPoint, Place};
use crate::provider::{Order, Page, Provider as _};

/// Mount points read at one time.
const WINDOW: usize = 8;

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
    /// The names that came, where their order does not tell whether one comes twice.
    came: HashSet<Segment>,
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
            came: HashSet::new(),
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
        let mut children = self.next_leading(most).await;
        while children.is_empty() && self.own.is_some() {
            self.next_own(most, &mut children).await?;
            // Pages may come without ever waiting and hold nothing to show.
            tokio::task::consume_budget().await;
            if children.is_empty() && self.request.is_late() {
                return Err(ProviderError::Late);
            }
        }
        Ok(Listed { children, end: self.leading.is_empty() && self.own.is_none() })
    }

    async fn next_leading(&mut self, most: usize) -> Vec<(EntryPath, Found)> {
        let mut children = Vec::new();
        while children.is_empty() && !self.leading.is_empty() {
            let (now, rest) = self.leading.split_at(most.min(self.leading.len()));
            let entries: Vec<EntryPath> = now.iter().map(|name| self.entry.child(name)).collect();
            let (host, request) = (self.host, &self.request);
            let reads = entries
                .into_iter()
                .map(|entry| async move { host.find(request, &entry).await.map(|found| (entry, found)) });
            let read: Vec<_> = stream::iter(reads).buffered(WINDOW).collect().await;
            // A mount point always has an Object, so this passes over only what the principal does not see.
            children.extend(read.into_iter().flatten());
            self.leading = rest;
        }
        children
    }

    async fn next_own(
        &mut self,
        most: usize,
        children: &mut Vec<(EntryPath, Found)>,
    ) -> Result<(), ProviderError> {
        let Some((mount, local)) = self.own.clone() else { return Ok(()) };
        let context = Context::new(&self.request, mount);
        let read = mount.provider().children(&context, &local, self.after.as_ref(), most).await;
        let page = match read {
            Ok(page) => page,
            // The provider need not have what only leads to a mount.
            Err(ProviderError::NotFound) if self.host.mounts.leads_down(&self.entry) => {
                self.own = None;
                return if self.named { Err(ProviderError::Gone) } else { Ok(()) };
            }
            Err(error) => {
                let error = if self.after.is_none() { error.without_place() } else { error };
                log_failure(mount, &self.entry, &error);
                return Err(error);
            }
        };
        if let (Some(after), true, Order::Own) = (&self.after, self.named, page.order)
            && !self.sees(&self.entry.child(after))
        {
            return Err(ProviderError::Gone);
        }
        let Page { children: own, more, order } = page;
        let go_on = more && !own.is_empty();
        for (name, published) in own {
            if !self.is_new(&name, order) {
                let error = ProviderError::failed(format!("the child {name:?} came twice or out of order"));
                log_failure(mount, &self.entry, &error);
                return Err(error);
            }
            let entry = self.entry.child(&name);
            let shadowed = self.host.mounts.leading(&self.entry).contains(&name);
            self.after = Some(name);
            if !shadowed && self.sees(&entry) {
                let found = self.host.translate(&self.request, mount, &entry, published);
                let found = found.inspect_err(|error| log_failure(mount, &entry, error))?;
                children.push((entry, found));
            }
        }
        self.named = false;
        if !go_on {
            self.own = None;
        }
        Ok(())
    }

    fn is_new(&mut self, name: &Segment, order: Order) -> bool {
        match order {
            Order::ByName => self.after.as_ref().is_none_or(|before| before < name),
            Order::Own => self.after.as_ref() != Some(name) && self.came.insert(name.clone()),
        }
    }
}
