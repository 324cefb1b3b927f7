//! Examples: people, projects and issues that look like those of a team, the same ones each time.
//!
//! What is told apart by chance alone, identities and states, is another each time.

mod words;

use rusqlite::{Transaction, params};

use words::{
    ANNOUNCEMENTS, COMMENTS, DETAILS, ERRORS, EXTRA_LABELS, KINDS, Kind, OWNER, PEOPLE, PLATFORMS, PROJECTS,
    Project, WHENS,
};

/// The times of the first issue and of the last: 2024-01-08 and 2026-06-30.
const FIRST: i64 = 1_704_697_200;
const LAST: i64 = 1_782_828_000;

/// An issue that is there already.
struct Made {
    id: i64,
    project: usize,
    topic: Topic,
    is_open: bool,
}

/// What an issue speaks of. One that says the same has the same topic and other words.
#[derive(Clone, Copy)]
struct Topic {
    kind: usize,
    part: &'static str,
    when: &'static str,
}

/// Fills a tracker without projects with so many issues.
pub(crate) fn fill(tracker: &Transaction<'_>, issues: usize) -> rusqlite::Result<()> {
    if tracker.query_one("SELECT EXISTS (SELECT 1 FROM projects)", [], |row| row.get(0))? {
        return Ok(());
    }
    for person in PEOPLE.iter().chain([&OWNER]) {
        tracker.execute("INSERT OR IGNORE INTO people VALUES (?1)", [person])?;
    }
    let mut dice = Dice(20_240_108);
    for (id, project) in (1_i64..).zip(&PROJECTS) {
        tracker.execute(
            "INSERT INTO projects (id, name, description) VALUES (?1, ?2, ?3)",
            params![id, project.name, project.description],
        )?;
        for text in ANNOUNCEMENTS {
            let written = FIRST + dice.below(LAST - FIRST);
            let text = dice.words(text, project.parts[0], project.whens[0]);
            comment(tracker, id, None, dice.one_of(&PEOPLE), &text, written)?;
        }
    }
    let mut made: Vec<Made> = Vec::with_capacity(issues);
    for at in 0..issues {
        let created = FIRST + (LAST - FIRST) * at as i64 / issues as i64 + dice.below(3600);
        let issue = issue(tracker, &mut dice, &made, created)?;
        made.push(issue);
    }
    tracker.execute_batch(
        "UPDATE projects SET last_number = (SELECT coalesce(max(number), 0) FROM issues WHERE project_id = projects.id)",
    )
}

/// Makes one issue, with what is said of it and how it hangs together with earlier ones.
fn issue(
    tracker: &Transaction<'_>,
    dice: &mut Dice,
    earlier: &[Made],
    created: i64,
) -> rusqlite::Result<Made> {
    // Some projects have more to do than others.
    let project = dice.below(6).min(dice.below(8)) as usize;
    let same = (dice.below(12) == 0).then(|| dice.recent(earlier, project)).flatten();
    let topic = same.map_or_else(|| dice.topic(&PROJECTS[project]), |same| same.topic);
    let kind = &KINDS[topic.kind];
    let title = dice.one_of(kind.titles);
    let title = dice.words(title, topic.part, topic.when);
    let body = dice.body(kind, topic);
    let closed_as = match same {
        Some(_) => Some("duplicate"),
        // What is old is mostly done.
        None if dice.below(LAST - FIRST) > created - FIRST || dice.below(4) == 0 => {
            Some(if dice.below(6) == 0 { "wont_fix" } else { "done" })
        }
        None => None,
    };
    let assignee = (dice.below(5) > 1).then(|| dice.one_of(&PEOPLE));
    let ended = (created + dice.below(60 * 86_400)).min(LAST);
    let author = dice.one_of(&PEOPLE);
    tracker
        .prepare_cached(
            "INSERT INTO issues (project_id, number, title, body, author, assignee, closed_as, created_at, updated_at)
             SELECT ?1, 1 + count(*), ?2, ?3, ?4, ?5, ?6,
                strftime('%Y-%m-%dT%H:%M:%SZ', ?7, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%SZ', ?8, 'unixepoch')
             FROM issues WHERE project_id = ?1",
        )?
        .execute(params![project as i64 + 1, title, body, author, assignee, closed_as, created, ended])?;
    let id = tracker.last_insert_rowid();
    let is_open = closed_as.is_none();
    label(tracker, id, kind.label)?;
    for _ in 0..dice.below(3).min(dice.below(3)) {
        label(tracker, id, dice.one_of(&EXTRA_LABELS))?;
    }
    if let Some(same) = same {
        relate(tracker, id, "duplicate_of", same.id)?;
    }
    for _ in 0..(dice.below(9) - 5).max(0) {
        let elsewhere = dice.below(6) as usize;
        let Some(other) = dice.recent(earlier, elsewhere) else { continue };
        match dice.below(3) {
            0 => relate(tracker, id, "relates_to", other.id)?,
            // Whatever is done has no open dependency.
            _ if other.is_open && closed_as == Some("done") => {}
            _ => relate(tracker, id, "blocked_by", other.id)?,
        }
    }
    let mut written = created;
    for _ in 0..dice.below(7).min(dice.below(9)) {
        written += (ended - written) / (2 + dice.below(4));
        let text = dice.one_of(&COMMENTS);
        let text = dice.words(text, topic.part, topic.when);
        comment(tracker, project as i64 + 1, Some(id), dice.one_of(&PEOPLE), &text, written)?;
    }
    Ok(Made { id, project, topic, is_open })
}

fn label(tracker: &Transaction<'_>, issue: i64, label: &str) -> rusqlite::Result<()> {
    tracker.prepare_cached("INSERT OR IGNORE INTO labels VALUES (?1, ?2)")?.execute(params![issue, label])?;
    Ok(())
}

fn relate(tracker: &Transaction<'_>, issue: i64, kind: &str, other: i64) -> rusqlite::Result<()> {
    let mut insert = tracker.prepare_cached("INSERT OR IGNORE INTO relations VALUES (?1, ?2, ?3)")?;
    insert.execute(params![issue, kind, other])?;
    Ok(())
}

fn comment(
    tracker: &Transaction<'_>,
    project: i64,
    issue: Option<i64>,
    author: &str,
    text: &str,
    written: i64,
) -> rusqlite::Result<()> {
    tracker
        .prepare_cached(
            "INSERT INTO comments (project_id, issue_id, author, text, written_at)
             VALUES (?1, ?2, ?3, ?4, strftime('%Y-%m-%dT%H:%M:%SZ', ?5, 'unixepoch'))",
        )?
        .execute(params![project, issue, author, text, written])?;
    Ok(())
}

/// Numbers that look random and are the same ones each time.
struct Dice(u64);

impl Dice {
    /// One of the numbers from 0 below that.
    fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The lower bits repeat soon.
        (self.0 >> 33).cast_signed() % bound
    }

    fn one_of<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.below(things.len() as i64) as usize]
    }

    /// One of the latest issues of a project.
    fn recent<'m>(&mut self, made: &'m [Made], project: usize) -> Option<&'m Made> {
        let back = self.below(40) as usize;
        made.iter().rev().filter(|made| made.project == project).nth(back)
    }

    fn topic(&mut self, project: &Project) -> Topic {
        let mut left = self.below(KINDS.iter().map(|kind| kind.share).sum());
        let kind = KINDS.iter().position(|kind| {
            left -= kind.share;
            left < 0
        });
        let part = self.one_of(&project.parts);
        let when = if self.below(3) == 0 { self.one_of(&project.whens) } else { self.one_of(&WHENS) };
        Topic { kind: kind.unwrap_or(0), part, when }
    }

    fn body(&mut self, kind: &Kind, topic: Topic) -> String {
        let mut paragraphs = vec![self.one_of(kind.openings)];
        for _ in 0..1 + self.below(3) {
            let detail = self.one_of(&DETAILS);
            if !paragraphs.contains(&detail) {
                paragraphs.push(detail);
            }
        }
        self.words(&paragraphs.join("\n\n"), topic.part, topic.when)
    }

    /// The text with everything put in where it belongs.
    fn words(&mut self, text: &str, part: &str, when: &str) -> String {
        let mut words = text.replace("{when}", when).replace("{part}", part);
        while let Some((before, rest)) = words.split_once('{') {
            let Some((name, after)) = rest.split_once('}') else { break };
            let word = match name {
                "version" => format!("{}.{}.{}", 2 + self.below(3), self.below(10), self.below(5)),
                "count" => (2 + self.below(48)).to_string(),
                "platform" => self.one_of(&PLATFORMS).to_owned(),
                "error" => self.one_of(&ERRORS).to_owned(),
                _ => self.one_of(&PEOPLE).to_owned(),
            };
            words = format!("{before}{word}{after}");
        }
        capitalised(&words)
    }
}

fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}
