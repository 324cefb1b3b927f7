//! The operations of issues.

use rusqlite::params;
use worldspace_host::{Call, Done, Refusal};

use crate::comments;
use crate::interfaces::{
    AssignResult, Body, CloseResult, IssueLine, Lifecycle, Metadata, Reason, RelatedItems, ReopenResult,
    State,
};
use crate::store::Db;
use crate::target::{Standing, Target};
use crate::{rows, text};

/// So many issues of each kind are told as related.
const RELATED: u16 = 50;

/// An issue.
pub(crate) struct Issue(pub(crate) Target);

impl Lifecycle for Issue {
    async fn read_body(&self, call: &Call) -> Result<Body, Refusal> {
        let read = self.0.read(call, |db, issue| {
            db.query_one("SELECT title, body FROM issues WHERE id = ?1", [issue.issue], |row| {
                Ok(Body { title: row.get(0)?, body: row.get(1)? })
            })
        });
        read.await
    }

    async fn get_metadata(&self, call: &Call) -> Result<Metadata, Refusal> {
        let read = self.0.read(call, |db, issue| {
            db.query_one(
                "SELECT closed_as, author, assignee, created_at, updated_at,
                    (SELECT group_concat(label, ' ' ORDER BY label) FROM labels WHERE issue_id = issues.id),
                    (SELECT count(*) FROM comments WHERE project_id = issues.project_id AND issue_id = issues.id)
                 FROM issues WHERE id = ?1",
                [issue.issue],
                |row| {
                    let closed_as: Option<Reason> = row.get(0)?;
                    Ok(Metadata {
                        state: State::of(closed_as.is_none()),
                        closed_as,
                        author: row.get(1)?,
                        assignee: row.get(2)?,
                        labels: rows::split(row.get(5)?),
                        created_at: row.get(3)?,
                        updated_at: row.get(4)?,
                        comments: row.get(6)?,
                    })
                },
            )
        });
        read.await
    }

    async fn get_related_items(&self, call: &Call) -> Result<RelatedItems, Refusal> {
        let read = self.0.read(call, |db, issue| {
            let mut truncated = false;
            let mut related = |kind, ends| {
                let mut lines = related(db, issue, kind, ends)?;
                truncated |= lines.len() > usize::from(RELATED);
                lines.truncate(RELATED.into());
                Ok::<_, rusqlite::Error>(lines)
            };
            Ok(RelatedItems {
                blocked_by: related("blocked_by", FROM)?,
                blocks: related("blocked_by", TO)?,
                duplicate_of: related("duplicate_of", FROM)?,
                duplicates: related("duplicate_of", TO)?,
                relates_to: related("relates_to", BOTH)?,
                truncated,
            })
        });
        read.await
    }

    async fn edit(
        &self,
        call: Call,
        title: Option<String>,
        body: Option<String>,
    ) -> Result<Done<()>, Refusal> {
        if title.is_none() && body.is_none() {
            return Err(Refusal::argument("title", "and `body` are both absent; give at least one of them"));
        }
        title.iter().try_for_each(|title| text::title("title", title))?;
        body.iter().try_for_each(|body| text::body("body", body))?;
        let change = self.0.change(call, move |db, issue| {
            let sql =
                "UPDATE issues SET title = coalesce(?2, title), body = coalesce(?3, body) WHERE id = ?1";
            db.execute(sql, params![issue.issue, title, body])?;
            Ok(())
        });
        change.await
    }

    async fn assign(&self, call: Call, to: Option<String>) -> Result<Done<AssignResult>, Refusal> {
        let change = self.0.change(call, move |db, issue| {
            let mut people = db.prepare_cached("SELECT name FROM people ORDER BY name")?;
            let people: Vec<String> = people.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            if to.as_ref().is_some_and(|to| !people.contains(to)) {
                return Ok(AssignResult::UnknownPerson { people });
            }
            db.execute("UPDATE issues SET assignee = ?2 WHERE id = ?1", params![issue.issue, to])?;
            Ok(AssignResult::Assigned)
        });
        change.await
    }

    async fn close(
        &self,
        call: Call,
        reason: Reason,
        note: Option<String>,
    ) -> Result<Done<CloseResult>, Refusal> {
        note.iter().try_for_each(|note| text::text("note", note))?;
        let change = self.0.change(call, move |db, issue| {
            if let Some(closed_as) = closed_as(db, issue.issue)? {
                return Ok(CloseResult::AlreadyClosed { closed_as });
            }
            let dependencies = related(db, issue, "blocked_by", OPEN)?;
            if reason == Reason::Done && !dependencies.is_empty() {
                let dependencies =
                    dependencies.into_iter().take(RELATED.into()).map(|line| line.issue).collect();
                return Ok(CloseResult::Blocked { dependencies });
            }
            db.execute("UPDATE issues SET closed_as = ?2 WHERE id = ?1", params![issue.issue, reason])?;
            if let Some(note) = note {
                comments::add(db, issue, &note)?;
            }
            Ok(CloseResult::Closed)
        });
        change.await
    }

    async fn reopen(&self, call: Call) -> Result<Done<ReopenResult>, Refusal> {
        let change = self.0.change(call, |db, issue| {
            if closed_as(db, issue.issue)?.is_none() {
                return Ok(ReopenResult::AlreadyOpen);
            }
            db.execute("UPDATE issues SET closed_as = NULL WHERE id = ?1", [issue.issue])?;
            Ok(ReopenResult::Reopened)
        });
        change.await
    }
}

fn closed_as(db: &Db<'_>, issue: Option<i64>) -> rusqlite::Result<Option<Reason>> {
    db.query_one("SELECT closed_as FROM issues WHERE id = ?1", [issue], |row| row.get(0))
}

/// The other ends of relations from an issue, of those of them that are open, of relations to it, and of both.
const FROM: &str = "SELECT other_id FROM relations WHERE issue_id = ?1 AND kind = ?2";
const OPEN: &str = "SELECT other_id FROM relations JOIN issues ON id = other_id WHERE issue_id = ?1 AND kind = ?2 AND closed_as IS NULL";
const TO: &str = "SELECT issue_id FROM relations WHERE other_id = ?1 AND kind = ?2";
const BOTH: &str = "SELECT other_id FROM relations WHERE issue_id = ?1 AND kind = ?2
    UNION SELECT issue_id FROM relations WHERE other_id = ?1 AND kind = ?2";

/// Related issues by their numbers; one more than are told at most.
fn related(db: &Db<'_>, issue: &Standing, kind: &str, ends: &str) -> rusqlite::Result<Vec<IssueLine>> {
    let rest = format!(
        "issues JOIN projects ON projects.id = issues.project_id WHERE issues.id IN ({ends})
         ORDER BY projects.name, number LIMIT ?3"
    );
    let found = rows::issues(db, "number", &rest, params![issue.issue, kind, RELATED + 1])?;
    Ok(found.into_iter().map(|(_, line)| line).collect())
}
