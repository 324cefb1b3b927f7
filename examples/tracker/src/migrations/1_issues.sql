-- Projects, their issues, and what is said of both.
--
-- `uid` tells a thing from every other one, also from one that took its place after a backup was restored. `revision`
-- stands for the state that a caller saw: it is new with every change, and made by chance, so that no state is ever taken
-- for another one. Triggers see to it, whoever changes a row and however.

CREATE TABLE tracker (
    uid BLOB NOT NULL DEFAULT (randomblob(16))
);
INSERT INTO tracker DEFAULT VALUES;

CREATE TABLE people (
    name TEXT PRIMARY KEY
) WITHOUT ROWID;

CREATE TABLE projects (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid BLOB NOT NULL DEFAULT (randomblob(16)),
    revision BLOB NOT NULL DEFAULT (randomblob(16)),
    name TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    last_number INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE issues (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid BLOB NOT NULL DEFAULT (randomblob(16)),
    revision BLOB NOT NULL DEFAULT (randomblob(16)),
    project_id INTEGER NOT NULL REFERENCES projects (id),
    number INTEGER NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    author TEXT NOT NULL,
    assignee TEXT REFERENCES people (name),
    closed_as TEXT CHECK (closed_as IN ('done', 'duplicate', 'wont_fix')),
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    UNIQUE (project_id, number)
);

CREATE TABLE labels (
    issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    PRIMARY KEY (issue_id, label)
) WITHOUT ROWID;

CREATE TABLE relations (
    issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('blocked_by', 'duplicate_of', 'relates_to')),
    other_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    PRIMARY KEY (issue_id, kind, other_id)
) WITHOUT ROWID;
CREATE INDEX relations_other ON relations (other_id);

-- Of an issue, or of the project itself.
CREATE TABLE comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    issue_id INTEGER REFERENCES issues (id) ON DELETE CASCADE,
    author TEXT NOT NULL,
    text TEXT NOT NULL,
    written_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
);
CREATE INDEX comments_about ON comments (project_id, issue_id);

CREATE TRIGGER project_changed AFTER UPDATE OF name, description ON projects BEGIN
    UPDATE projects SET revision = randomblob(16) WHERE id = NEW.id;
END;
CREATE TRIGGER issue_changed AFTER UPDATE OF title, body, assignee, closed_as ON issues BEGIN
    UPDATE issues SET revision = randomblob(16), updated_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now') WHERE id = NEW.id;
END;
CREATE TRIGGER label_added AFTER INSERT ON labels BEGIN
    UPDATE issues SET revision = randomblob(16) WHERE id = NEW.issue_id;
END;
CREATE TRIGGER label_removed AFTER DELETE ON labels BEGIN
    UPDATE issues SET revision = randomblob(16) WHERE id = OLD.issue_id;
END;
CREATE TRIGGER relation_added AFTER INSERT ON relations BEGIN
    UPDATE issues SET revision = randomblob(16) WHERE id IN (NEW.issue_id, NEW.other_id);
END;
CREATE TRIGGER relation_removed AFTER DELETE ON relations BEGIN
    UPDATE issues SET revision = randomblob(16) WHERE id IN (OLD.issue_id, OLD.other_id);
END;
