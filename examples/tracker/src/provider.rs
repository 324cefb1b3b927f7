//! What stands where, and what is published of it.

use worldspace_host::{
    Call, Context, Done, Interface, LocalPath, LocalReference, Offers, Page, Provider, ProviderError,
    Published, Refusal,
};
use worldspace_model::{DeclarationError, Segment};

use crate::interfaces::{
    CommentableInterface, LifecycleInterface, ProjectIssuesInterface, TrackerSearchInterface,
};
use crate::issue::Issue;
use crate::project::Project;
use crate::search::Tracker;
use crate::store::Store;
use crate::target::{self, Place, Standing, Target};

/// A tracker: projects in the tree, and their issues at `/<project>/<number>`, which are found by operations alone.
pub(crate) struct Objects {
    store: Store,
    tracker: Offers<Tracker>,
    projects: Offers<Project>,
    issues: Offers<Issue>,
}

impl Objects {
    pub(crate) fn new(store: Store) -> Result<Self, DeclarationError> {
        Ok(Self {
            store,
            tracker: Offers::new().with(TrackerSearchInterface)?,
            projects: Offers::new().with(ProjectIssuesInterface)?.with(CommentableInterface)?,
            issues: Offers::new().with(LifecycleInterface)?.with(CommentableInterface)?,
        })
    }
}

impl Provider for Objects {
    async fn object(&self, context: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        let place = Place::of(path).ok_or(ProviderError::NotFound)?;
        let interfaces = match place {
            Place::Tracker => self.tracker.interfaces(),
            Place::Project(_) => self.projects.interfaces(),
            Place::Issue(..) => self.issues.interfaces(),
        };
        let is_leaf = place != Place::Tracker;
        let standing = self.store.read(context, move |db| place.standing(db)).await?;
        let published = standing.published().publishing(interfaces);
        Ok(if is_leaf { published.leaf() } else { published })
    }

    async fn children(
        &self,
        context: &Context,
        path: &LocalPath,
        after: Option<&Segment>,
        most: usize,
    ) -> Result<Page, ProviderError> {
        if !path.is_root() {
            self.object(context, path).await?;
            return Ok(Page::empty());
        }
        let after = after.map_or("", Segment::as_str).to_owned();
        let projects = self.store.read(context, move |db| target::projects(db, &after, most)).await?;
        let more = projects.len() == most;
        let child = |(name, standing): (String, Standing)| {
            let published = standing.published().publishing(self.projects.interfaces()).leaf();
            Ok((Segment::parse(&name)?, published))
        };
        Ok(Page::by_name(projects.into_iter().map(child).collect::<Result<_, ProviderError>>()?, more))
    }

    async fn interface(&self, _: &Context, reference: &LocalReference) -> Result<Interface, ProviderError> {
        let known = self.tracker.interface(reference).or_else(|| self.projects.interface(reference));
        known.or_else(|| self.issues.interface(reference)).ok_or(ProviderError::NotFound)
    }

    async fn call(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
        let place = Place::of(call.path()).ok_or(Refusal::NotFound)?;
        let target = Target { store: self.store.clone(), context: context.clone(), place };
        match target.place {
            Place::Tracker => self.tracker.call(Tracker(target), context, call).await,
            Place::Project(_) => self.projects.call(Project(target), context, call).await,
            Place::Issue(..) => self.issues.call(Issue(target), context, call).await,
        }
    }
}
