-- The words of titles and bodies, by their stems, so that `crashes` is found by `crash`.

CREATE VIRTUAL TABLE words USING fts5 (
    title, body, content = 'issues', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO words (words) VALUES ('rebuild');

CREATE TRIGGER words_added AFTER INSERT ON issues BEGIN
    INSERT INTO words (rowid, title, body) VALUES (NEW.id, NEW.title, NEW.body);
END;
CREATE TRIGGER words_removed AFTER DELETE ON issues BEGIN
    INSERT INTO words (words, rowid, title, body) VALUES ('delete', OLD.id, OLD.title, OLD.body);
END;
CREATE TRIGGER words_changed AFTER UPDATE OF title, body ON issues BEGIN
    INSERT INTO words (words, rowid, title, body) VALUES ('delete', OLD.id, OLD.title, OLD.body);
    INSERT INTO words (rowid, title, body) VALUES (NEW.id, NEW.title, NEW.body);
END;
