//! What stands where, and the two ways in which an operation is run on it.

use rusqlite::{Row, params};
use worldspace_host::{After, Call, Context, Done, Identity, LocalPath, Published, Refusal, StateToken};
use worldspace_model::IntoResult;

use crate::store::{Db, Store, told};

/// A position in the tracker: `/`, `/<project>` or `/<project>/<number>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Tracker,
    Project(String),
    Issue(String, i64),
}

/// What the database says of what stands there.
pub(crate) struct Standing {
    /// The row of the project; 0 for the whole tracker.
    pub(crate) project: i64,
    /// The row of the issue, where it is one.
    pub(crate) issue: Option<i64>,
    description: String,
    uid: [u8; 16],
    state: StateToken,
}

/// The Object that a call is made on.
pub(crate) struct Target {
    pub(crate) store: Store,
    pub(crate) context: Context,
    pub(crate) place: Place,
}

impl Place {
    pub(crate) fn of(path: &LocalPath) -> Option<Self> {
        let mut segments = path.segments();
        match (segments.next(), segments.next(), segments.next()) {
            (None, ..) => Some(Self::Tracker),
            (Some(project), None, _) => Some(Self::Project(project.to_owned())),
            (Some(project), Some(number), None) => {
                // One number has one name: `007` is none.
                let parsed: i64 = number.parse().ok()?;
                (parsed.to_string() == number).then(|| Self::Issue(project.to_owned(), parsed))
            }
            _ => None,
        }
    }

    /// What stands here.
    ///
    /// # Errors
    /// [`rusqlite::Error::QueryReturnedNoRows`] where nothing does.
    pub(crate) fn standing(&self, db: &Db<'_>) -> rusqlite::Result<Standing> {
        let (sql, project, number) = match self {
            // Nothing of the tracker itself changes, so that it is always in one state.
            Self::Tracker => (
                "SELECT 0, NULL, 'Issues of all projects.', uid, uid FROM tracker WHERE ?1 = '' AND ?2 = 0",
                "",
                0,
            ),
            Self::Project(name) => (
                "SELECT id, NULL, description, uid, revision FROM projects WHERE name = ?1 AND ?2 = 0",
                name.as_str(),
                0,
            ),
            Self::Issue(project, number) => (
                "SELECT projects.id, issues.id, title, issues.uid, issues.revision
                 FROM projects JOIN issues ON project_id = projects.id WHERE name = ?1 AND number = ?2",
                project.as_str(),
                *number,
            ),
        };
        db.prepare_cached(sql)?.query_one(params![project, number], Standing::of)
    }
}

/// Up to so many projects behind that name, by their names.
pub(crate) fn projects(db: &Db<'_>, after: &str, most: usize) -> rusqlite::Result<Vec<(String, Standing)>> {
    let sql = "SELECT id, NULL, description, uid, revision, name FROM projects WHERE name > ?1 ORDER BY name";
    let mut statement = db.prepare_cached(sql)?;
    let projects = statement.query_map([after], |row| Ok((row.get(5)?, Standing::of(row)?)))?;
    projects.take(most).collect()
}

impl Standing {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            project: row.get(0)?,
            issue: row.get(1)?,
            description: row.get(2)?,
            uid: row.get(3)?,
            state: StateToken::new(row.get::<_, Vec<u8>>(4)?),
        })
    }

    /// What is published of it, but for its interfaces.
    pub(crate) fn published(self) -> Published {
        let identity = Identity::new(format!("{:032x}", u128::from_be_bytes(self.uid)));
        Published::new().described(self.description).identified(identity).in_state(self.state)
    }
}

impl Target {
    /// Reads, in the state that the caller saw, where he bound the call to one.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        call: &Call,
        work: impl FnOnce(&Db<'_>, &Standing) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Refusal> {
        let place = self.place.clone();
        let work = move |db: &Db<'_>| {
            let standing = place.standing(db)?;
            let read = work(db, &standing)?;
            Ok((standing.state, read))
        };
        let (state, read) = self.store.read(&self.context, work).await?;
        call.compare(&state)?;
        Ok(read)
    }

    /// Changes something, in one transaction with the comparison of states. Where nothing was written, nothing happened:
    /// then the result says why.
    pub(crate) async fn change<R: IntoResult + Send + 'static>(
        &self,
        call: Call,
        work: impl FnOnce(&Db<'_>, &Standing) -> rusqlite::Result<R> + Send + 'static,
    ) -> Result<Done<R>, Refusal> {
        let place = self.place.clone();
        let work = move |db: Db<'_>| {
            let before = place.standing(&db).map_err(told)?;
            call.compare(&before.state)?;
            let result = work(&db, &before).map_err(told)?;
            if !db.has_written() {
                return Ok(call.done(result));
            }
            let after = place.standing(&db).map_err(told)?;
            let after = match after.description == before.description {
                true => After::State(after.state),
                false => After::Changed,
            };
            call.fence_blocking(Some(&before.state), || db.commit(result, after))
        };
        self.store.change(&self.context, work).await
    }
}
