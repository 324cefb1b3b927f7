//! What people say: one interface, of issues and of projects.

use rusqlite::params;
use worldspace_host::{Call, Done, Refusal};

use crate::interfaces::{Comment, CommentPage, Commentable};
use crate::issue::Issue;
use crate::part::Part;
use crate::project::Project;
use crate::store::Db;
use crate::target::{Standing, Target};
use crate::text;

/// What people talk about.
trait Subject {
    fn target(&self) -> &Target;
}

impl Subject for Issue {
    fn target(&self) -> &Target {
        &self.0
    }
}

impl Subject for Project {
    fn target(&self) -> &Target {
        &self.0
    }
}

impl<T: Subject + Send + Sync> Commentable for T {
    async fn comment(&self, call: Call, text: String) -> Result<Done<()>, Refusal> {
        text::text("text", &text)?;
        self.target().change(call, move |db, about| add(db, about, &text)).await
    }

    async fn comments(
        &self,
        call: &Call,
        limit: Option<u32>,
        cursor: Option<String>,
    ) -> Result<CommentPage, Refusal> {
        let part = Part::of(call, limit, cursor)?;
        let (after, most) = (part.after.unwrap_or(0), part.to_look_for());
        let read = self.target().read(call, move |db, about| {
            let sql = "SELECT id, author, written_at, text FROM comments
                WHERE project_id = ?1 AND issue_id IS ?2 AND id > ?3 ORDER BY id LIMIT ?4";
            let mut statement = db.prepare_cached(sql)?;
            let comments = statement.query_map(params![about.project, about.issue, after, most], |row| {
                Ok((row.get(0)?, Comment { author: row.get(1)?, written_at: row.get(2)?, text: row.get(3)? }))
            })?;
            comments.collect()
        });
        let (comments, next_cursor) = part.cut(call, read.await?)?;
        Ok(CommentPage { comments, next_cursor })
    }
}

/// Adds a comment of whoever asks.
pub(crate) fn add(db: &Db<'_>, about: &Standing, text: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO comments (project_id, issue_id, author, text) VALUES (?1, ?2, ?3, ?4)";
    db.execute(sql, params![about.project, about.issue, db.principal(), text])?;
    Ok(())
}
