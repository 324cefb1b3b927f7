//! What stands at an entry: the provider's Object, translated into the Worldspace.

use std::sync::Arc;

use worldspace_model::{EntryPath, InterfaceReference, Object, ObjectName, Ref};

use crate::context::{Context, Request};
use crate::failure::ProviderError;
use crate::host::Inner;
use crate::interface::Interface;
use crate::mounts::{MountPoint, Place};
use crate::provider::Provider as _;
use crate::published::Published;
use crate::tree::in_time;

/// A description is a short text; what is longer is clipped, so that no Object can fill an answer.
const DESCRIPTION_BYTES: usize = 4 * 1024;

/// An Object of the Worldspace.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) object: Arc<Object>,
    /// Whether it is known to have no indexable children.
    pub(crate) leaf: bool,
    /// Whether it stands in for one that could not be read, and why. It can be looked at, but nothing can be said of
    /// what it publishes.
    pub(crate) stand_in: Option<Unread>,
}

/// Why an Object could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unread {
    Late,
    /// A limit of the provider, in its words.
    Limit(String),
    Failed,
}

/// An interface, and the identity of its scope Object.
pub(crate) struct FoundInterface {
    pub(crate) interface: Interface,
    pub(crate) scope_ref: Option<Ref>,
}

impl Found {
    fn bare(entry: &EntryPath, stand_in: Option<Unread>) -> Self {
        Self { object: Arc::new(Object::bare(ObjectName::of(entry))), leaf: false, stand_in }
    }
}

impl Inner {
    /// The Object at an entry, as the principal sees it. A mount point and what leads to one always have one.
    pub(crate) async fn find(
        &self,
        request: &Arc<Request>,
        entry: &EntryPath,
    ) -> Result<Found, ProviderError> {
        let found = self.find_any(request, entry).await;
        self.visibility.object(&request.principal, entry, found)
    }

    /// As [`Inner::find`], but what could not be read is an error: for those who rely on what it publishes.
    pub(crate) async fn find_readable(
        &self,
        request: &Arc<Request>,
        entry: &EntryPath,
    ) -> Result<Found, ProviderError> {
        let found = self.find(request, entry).await?;
        match found.stand_in {
            None => Ok(found),
            Some(Unread::Late) => Err(ProviderError::Late),
            Some(Unread::Limit(text)) => Err(ProviderError::Limit(text)),
            Some(Unread::Failed) => Err(ProviderError::failed("it could not be read")),
        }
    }

    async fn find_any(&self, request: &Arc<Request>, entry: &EntryPath) -> Result<Found, ProviderError> {
        let (mount, local) = match self.mounts.place(entry) {
            None => return Err(ProviderError::NotFound),
            Some(Place::Between) => return Ok(Found::bare(entry, None)),
            Some(Place::Mounted(mount, local)) => (mount, local),
        };
        let always_there = local.is_root() || self.mounts.leads_down(entry);
        let context = Context::new(request, mount);
        let reading = mount.provider().object(&context, &local);
        let read = if always_there {
            // A provider that hangs must not hide the others' mount points.
            in_time(request.part_of_time(4), reading).await.unwrap_or(Err(ProviderError::Late))
        } else {
            reading.await
        };
        let read = read.map_err(ProviderError::without_place);
        let found = read.and_then(|published| self.translate(request, mount, entry, published));
        let found = found.inspect_err(|error| log_failure(mount, entry, error));
        match found {
            Err(ProviderError::NotFound) if always_there => Ok(Found::bare(entry, None)),
            Err(ProviderError::Late) if always_there => Ok(Found::bare(entry, Some(Unread::Late))),
            Err(ProviderError::Limit(text)) if always_there => {
                Ok(Found::bare(entry, Some(Unread::Limit(text))))
            }
            Err(_) if always_there => Ok(Found::bare(entry, Some(Unread::Failed))),
            found => found,
        }
    }

    /// Gives a provider's Object its name, scopes, ref and validator.
    pub(crate) fn translate(
        &self,
        request: &Request,
        mount: &MountPoint,
        entry: &EntryPath,
        published: Published,
    ) -> Result<Found, ProviderError> {
        let interfaces = mount.interfaces(&published.interfaces)?;
        let mut object = Object {
            name: ObjectName::of(entry),
            description: published.description.map(clipped),
            interfaces: self.visibility.interfaces(&request.principal, interfaces),
            r#ref: published.identity.map(|identity| mount.r#ref(&identity)),
            validator: None,
        };
        object.check_place(entry)?;
        if let Some(state) = &published.state {
            object.validator = Some(self.validators.object(&request.principal, &object, state));
        }
        let leaf = published.leaf && !self.mounts.leads_down(entry);
        Ok(Found { object: Arc::new(object), leaf, stand_in: None })
    }

    /// An interface, as the principal sees it: its scope Object must be visible too.
    pub(crate) async fn find_interface(
        &self,
        request: &Arc<Request>,
        reference: &InterfaceReference,
    ) -> Result<FoundInterface, ProviderError> {
        let scope = self.find_readable(request, reference.scope()).await?;
        let Some(Place::Mounted(mount, _)) = self.mounts.place(reference.scope()) else {
            return Err(ProviderError::NotFound);
        };
        let local = mount.local_reference(reference).ok_or(ProviderError::NotFound)?;
        let context = Context::new(request, mount);
        let read = mount.provider().interface(&context, &local).await.map_err(ProviderError::without_place);
        let read = read.inspect_err(|error| log_failure(mount, reference.scope(), error));
        let interface = self.visibility.interface(&request.principal, reference, read)?;
        Ok(FoundInterface { interface, scope_ref: scope.object.r#ref.clone() })
    }
}

fn clipped(description: Arc<str>) -> Arc<str> {
    if description.len() <= DESCRIPTION_BYTES {
        return description;
    }
    let end = description.floor_char_boundary(DESCRIPTION_BYTES - '…'.len_utf8());
    [&description[..end], "…"].concat().into()
}

/// Notes a failure with where it happened, once. What is merely absent is no failure.
pub(crate) fn log_failure(mount: &MountPoint, entry: &EntryPath, error: &ProviderError) {
    match error {
        ProviderError::Failed(source) => {
            tracing::error!(mount = %mount.path(), %entry, error = %Chain(&**source), "the provider failed");
        }
        ProviderError::Late => {
            tracing::warn!(mount = %mount.path(), %entry, "the provider did not answer in time");
        }
        _ => {}
    }
}

/// An error and its causes in one line.
pub(crate) struct Chain<'a>(pub(crate) &'a (dyn std::error::Error + 'static));

impl std::fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}
