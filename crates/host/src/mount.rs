//! What stands at an entry: the provider's Object, translated into the Worldspace.

use std::sync::Arc;

use worldspace_model::{EntryPath, Object, ObjectName};

use crate::context::{Context, Request};
use crate::failure::ProviderError;
use crate::host::Inner;
use crate::mounts::{MountPoint, Place};
use crate::published::Published;

/// An Object of the Worldspace, and whether it is known to have no indexable children.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) object: Arc<Object>,
    pub(crate) leaf: bool,
}

impl Inner {
    /// The Object at an entry, as the principal sees it.
    pub(crate) async fn find(
        &self,
        request: &Arc<Request>,
        entry: &EntryPath,
    ) -> Result<Found, ProviderError> {
        let found = self.find_any(request, entry).await;
        self.visibility.entry(&request.principal, entry, found)
    }

    async fn find_any(&self, request: &Arc<Request>, entry: &EntryPath) -> Result<Found, ProviderError> {
        let bare = || Found { object: Arc::new(Object::bare(ObjectName::of(entry))), leaf: false };
        match self.mounts.place(entry) {
            None => Err(ProviderError::NotFound),
            Some(Place::Between) => Ok(bare()),
            Some(Place::Mounted(mount, local)) => {
                let context = Context::new(request, mount);
                let found = match mount.provider().object(&context, &local).await {
                    Ok(published) => self.translate(request, mount, entry, published),
                    Err(error) => Err(error),
                };
                match found {
                    // A mount point is there whatever its provider says, and so is every entry on the way to one.
                    Err(error) if local.is_root() || self.mounts.leads_down(entry) => {
                        log_failure(mount, entry, &error);
                        Ok(bare())
                    }
                    Err(error) => {
                        log_failure(mount, entry, &error);
                        Err(error)
                    }
                    found => found,
                }
            }
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
        let mut object = Object {
            name: ObjectName::of(entry),
            description: published.description,
            interfaces: mount.interfaces(&published.interfaces)?,
            r#ref: published.identity.map(|identity| mount.r#ref(&identity)),
            validator: None,
        };
        object.check_place(entry)?;
        if let Some(state) = &published.state {
            object.validator = Some(self.validators.object(&request.principal, &object, state));
        }
        let leaf = published.leaf && !self.mounts.leads_down(entry);
        Ok(Found { object: Arc::new(object), leaf })
    }
}

/// Notes a failure with where it happened, once. What is merely absent is no failure.
pub(crate) fn log_failure(mount: &MountPoint, entry: &EntryPath, error: &ProviderError) {
    if let ProviderError::Failed(source) = error {
        tracing::error!(mount = %mount.path(), %entry, error = %Chain(&**source), "the provider failed");
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
