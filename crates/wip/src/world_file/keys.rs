//! Every option that `world.toml` knows. The reader can read no other, and the documentation is held to these.

/// A table of the file and what may stand in it.
#[derive(Debug)]
pub(super) struct Keys {
    /// As its head is written.
    pub(super) head: &'static str,
    pub(super) known: &'static [&'static str],
}

pub(super) const TOP: Keys = Keys { head: "", known: &["mount", "listen", "limits"] };

pub(super) const MOUNT: Keys = Keys {
    head: "[[mount]]",
    known: &[
        "at",
        "files",
        "sqlite",
        "writable",
        "hidden",
        "gitignore",
        "indexable_names",
        "statement_time",
        "exact_integers",
    ],
};

/// What can be mounted, of which each mount has one, and the options that are of that kind alone.
pub(super) const KINDS: [(&str, &[&str]); 2] = [
    ("files", &["hidden", "gitignore", "indexable_names"]),
    ("sqlite", &["statement_time", "exact_integers"]),
];

pub(super) const LISTEN: Keys = Keys {
    head: "[[listen]]",
    known: &[
        "address",
        "base_path",
        "title",
        "hosts",
        "origins",
        "tls",
        "tokens",
        "allow_plain_http",
        "allow_anonymous",
    ],
};

pub(super) const TLS: Keys = Keys { head: "tls", known: &["certificate", "key"] };

pub(super) const LIMITS: Keys = Keys { head: "[limits]", known: &["host", "http", "wire"] };

pub(super) const HOST: Keys =
    Keys { head: "[limits.host]", known: &["fetch_entries", "tree_nodes", "tree_depth", "calls", "time"] };

pub(super) const HTTP: Keys = Keys {
    head: "[limits.http]",
    known: &[
        "connections",
        "streams",
        "requests",
        "in_flight_bytes",
        "header_bytes",
        "headers",
        "header_timeout",
        "body_timeout",
        "idle_timeout",
        "write_timeout",
        "total_timeout",
        "default_deadline",
        "max_deadline",
        "drain_timeout",
    ],
};

pub(super) const WIRE: Keys =
    Keys { head: "[limits.wire]", known: &["request_bytes", "response_bytes", "nesting", "fetch_entries"] };

/// All of them, in the order in which people read of them.
pub(super) const ALL: [&Keys; 8] = [&TOP, &MOUNT, &LISTEN, &TLS, &LIMITS, &HOST, &HTTP, &WIRE];

/// What another product, or the command line, calls an option. Where it may be several, it is the first that is not there
/// already.
const OTHER_NAMES: [(&str, &str); 17] = [
    ("path", "files"),
    ("path", "at"),
    ("dir", "files"),
    ("directory", "files"),
    ("source", "files"),
    ("database", "sqlite"),
    ("db", "sqlite"),
    ("name", "at"),
    ("no_ignore", "gitignore"),
    ("port", "address"),
    ("listen", "address"),
    ("bind", "address"),
    ("token_file", "tokens"),
    ("tls_cert", "tls"),
    ("tls_key", "tls"),
    ("cert", "certificate"),
    ("mounts", "mount"),
];

impl Keys {
    /// What was probably meant by a key that is not known here, beside those that were given.
    pub(super) fn instead_of(&self, unknown: &str, is_given: impl Fn(&str) -> bool) -> String {
        let spelled = spelled(unknown);
        let mut near = self.meant(&spelled, is_given);
        near.truncate(3);
        if near.is_empty()
            && let Some(home) =
                ALL.iter().find(|keys| keys.head.starts_with('[') && keys.known.contains(&&*spelled))
        {
            return format!("`{spelled}` stands in {}", home.head);
        }
        let all = listed(self.known, "and");
        match near.as_slice() {
            [] if self.head.is_empty() => "the file has [[mount]], [[listen]] and [limits]".to_owned(),
            [] => format!("{} has {all}", self.head),
            near => format!("did you mean {}?", listed(near, "or")),
        }
    }

    /// Whether an unknown key stands where this one is missing.
    pub(super) fn is_meant_by(&self, known: &str, unknown: &str, is_given: impl Fn(&str) -> bool) -> bool {
        !self.known.contains(&unknown) && self.meant(&spelled(unknown), is_given).contains(&known)
    }

    fn meant(&self, spelled: &str, is_given: impl Fn(&str) -> bool) -> Vec<&'static str> {
        let others = OTHER_NAMES.iter().filter(|(other, _)| *other == spelled).map(|(_, name)| *name);
        let others: Vec<&str> = others.filter(|name| self.known.contains(name)).collect();
        // Of what can be mounted, one is enough.
        let is_kind = |name: &str| KINDS.iter().any(|(kind, _)| *kind == name);
        let has_kind = KINDS.iter().any(|(kind, _)| is_given(kind));
        let is_given = |name: &str| is_given(name) || (is_kind(name) && has_kind);
        match others.iter().find(|name| !is_given(name)).or(others.first()) {
            Some(name) => vec![name],
            None => self.near(spelled),
        }
    }

    /// The known names that are spelled nearly so, the nearest first.
    fn near(&self, spelled: &str) -> Vec<&'static str> {
        let mut near: Vec<(usize, &str)> = self
            .known
            .iter()
            .map(|name| (strsim::osa_distance(name, spelled), *name))
            .filter(|(distance, name)| *distance <= 1.max(name.len().min(spelled.len()) / 3))
            .collect();
        near.sort();
        near.into_iter().map(|(_, name)| name).collect()
    }
}

fn spelled(unknown: &str) -> String {
    unknown.to_ascii_lowercase().replace('-', "_")
}

/// `a`, `b` and `c`.
pub(super) fn listed(names: &[&str], last: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((end, [])) => end.clone(),
        Some((end, first)) => format!("{} {last} {end}", first.join(", ")),
        None => String::new(),
    }
}
