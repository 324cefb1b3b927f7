//! Commands as a person can paste them: hints name the exact next one.

use std::borrow::Cow;

use crate::args::{EndpointArgs, SourceOptions, WorldArgs};

/// A word as a shell reads it back.
pub(crate) fn quote(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:,@%=".contains(c);
    if !word.is_empty() && word.chars().all(plain) && !word.starts_with(['=', '-']) {
        return Cow::Borrowed(word);
    }
    let shown = super::text::line(word);
    if shown == word {
        return Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")));
    }
    // What cannot be shown is written as an escape, which shells read within `$'…'`.
    let mut out = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ if !super::text::is_hidden(c) => out.push(c),
            _ if u32::from(c) > 0xffff => out.push_str(&format!("\\U{:08x}", u32::from(c))),
            _ => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    out.push('\'');
    Cow::Owned(out)
}

/// Builds commands of this program that look at the same Worldspace as the present one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Commands {
    /// The `--at` of the present command.
    at: Vec<String>,
    endpoint: EndpointArgs,
    options: SourceOptions,
}

impl Commands {
    pub(crate) fn looking(world: &WorldArgs) -> Self {
        Self { at: world.at.clone(), endpoint: world.endpoint.clone(), options: world.options }
    }

    /// Whether the present command says where to look.
    pub(crate) fn say_where(&self) -> bool {
        !self.at.is_empty()
    }

    /// `wip WORD…`, quoted.
    pub(crate) fn command(&self, words: &[&str]) -> String {
        let at = self.at.iter().flat_map(|at| ["--at", at.as_str()]);
        let endpoint = self.endpoint.given().into_iter();
        let endpoint = endpoint.flat_map(|(option, value)| std::iter::once(option).chain(value));
        let words = words.iter().copied().chain(at).chain(endpoint).chain(self.options.given());
        words.fold(String::from("wip"), |command, word| command + " " + &option_or_quoted(word))
    }
}

fn option_or_quoted(word: &str) -> Cow<'_, str> {
    match word.strip_prefix("--") {
        Some(name) if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') => {
            Cow::Borrowed(word)
        }
        _ => quote(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_when_a_shell_would_change_it() {
        for (word, quoted) in [
            ("/notes/a.md", "/notes/a.md"),
            ("/日本", "/日本"),
            ("", "''"),
            ("/two words", "'/two words'"),
            ("/it's", r"'/it'\''s'"),
            ("/$HOME", "'/$HOME'"),
            ("-x", "'-x'"),
            ("/~", "'/~'"),
            ("/a\nb", r"$'/a\nb'"),
            ("/a\u{202e}'", r"$'/a\u202e\''"),
        ] {
            assert_eq!(quote(word), quoted);
        }
    }

    #[test]
    fn commands_look_at_the_same_worldspace() {
        let options = SourceOptions { writable: true, hidden: true, no_ignore: true };
        let at = vec!["my docs".into(), "b=/c".into()];
        let here = Commands { at, endpoint: EndpointArgs::default(), options };
        assert_eq!(
            here.command(&["tree", "/", "--depth", "3"]),
            "wip tree / --depth 3 --at 'my docs' --at b=/c --writable --hidden --no-ignore"
        );
        let endpoint = EndpointArgs {
            token_file: Some("my token".into()),
            ca: Some("ca.pem".into()),
            allow_plain_http: true,
        };
        let there = Commands { endpoint, ..Commands::default() };
        assert_eq!(
            there.command(&["tree"]),
            "wip tree --token-file 'my token' --ca ca.pem --allow-plain-http"
        );
        assert_eq!(Commands::default().command(&["inspect", "/a b"]), "wip inspect '/a b'");
    }
}
