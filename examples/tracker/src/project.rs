//! The operations of projects.

use rusqlite::params;
use worldspace_host::{Call, Done, Refusal};
use worldspace_model::EntryPath;

use crate::interfaces::{IssuePage, ProjectIssues, State};
use crate::part::Part;
use crate::search::search;
use crate::target::Target;
use crate::{rows, text};

/// A project.
pub(crate) struct Project(pub(crate) Target);

impl ProjectIssues for Project {
    async fn search(
        &self,
        call: &Call,
        text: String,
        state: Option<State>,
        limit: Option<u32>,
        cursor: Option<String>,
    ) -> Result<IssuePage, Refusal> {
        let part = Part::of(call, limit, cursor)?;
        search(&self.0, call, &text, state, part).await
    }

    async fn list(
        &self,
        call: &Call,
        state: Option<State>,
        assignee: Option<String>,
        label: Option<String>,
        limit: Option<u32>,
        cursor: Option<String>,
    ) -> Result<IssuePage, Refusal> {
        let part = Part::of(call, limit, cursor)?;
        let (before, most) = (part.after.unwrap_or(i64::MAX), part.to_look_for());
        let found = self.0.read(call, move |db, project| {
            let rest = "issues JOIN projects ON projects.id = issues.project_id
                WHERE project_id = ?1 AND number < ?2 AND ?3 IS NOT (closed_as IS NOT NULL)
                AND (?4 IS NULL OR assignee = ?4)
                AND (?5 IS NULL OR EXISTS (SELECT 1 FROM labels WHERE issue_id = issues.id AND label = ?5))
                ORDER BY number DESC LIMIT ?6";
            let other = state.map(|state| state == State::Open);
            rows::issues(db, "number", rest, params![project.project, before, other, assignee, label, most])
        });
        let (issues, next_cursor) = part.cut(call, found.await?)?;
        Ok(IssuePage { issues, next_cursor })
    }

    async fn create(
        &self,
        call: Call,
        title: String,
        body: String,
        labels: Option<Vec<String>>,
    ) -> Result<Done<EntryPath>, Refusal> {
        let labels = labels.unwrap_or_default();
        text::title("title", &title)?;
        text::body("body", &body)?;
        text::labels("labels", &labels)?;
        let change = self.0.change(call, move |db, project| {
            let (name, number): (String, i64) = db.query_one(
                "UPDATE projects SET last_number = last_number + 1 WHERE id = ?1 RETURNING name, last_number",
                [project.project],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            db.execute(
                "INSERT INTO issues (project_id, number, title, body, author) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![project.project, number, title, body, db.principal()],
            )?;
            let issue = db.last_insert_rowid();
            for label in labels {
                db.execute("INSERT OR IGNORE INTO labels VALUES (?1, ?2)", params![issue, label])?;
            }
            db.entry(&name, number)
        });
        change.await
    }
}
