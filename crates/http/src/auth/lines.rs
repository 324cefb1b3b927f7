//! The text of a file of tokens: one line per token, the name of its principal and the hash of the token.

use std::collections::HashMap;

use worldspace_model::Principal;

use super::token::Hash;

/// What a new file begins with.
pub(super) const HEAD: &str = "\
# Tokens of a WIP Host: one line per token, with the name of its principal and the SHA-256 hash of the token, as in
#     alice sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
# `wip token new` adds a line. Take a line out and its token is worth nothing from the next request on. Blank lines and
# lines that begin with # say nothing. A file that others than its owner may write is refused, and so is one that belongs
# to somebody else than the user that the server runs as, or root.
";

const SCHEME: &str = "sha256:";

/// What is wrong with a line. It never holds the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineFault {
    /// It is not made of a name and a hash.
    #[error("a line is the name of a principal, a space, and `sha256:` with 64 hexadecimal digits")]
    Shape,
    /// The name is none.
    #[error("{}", NAME_RULE)]
    Name,
    /// The same token stands in an earlier line.
    #[error("its token is already that of line {first}; take one of the two out")]
    Repeated {
        /// The earlier one.
        first: usize,
    },
}

/// What the name of a principal is.
pub(super) const NAME_RULE: &str = "the name of a principal is 1 to 64 ASCII letters, digits or any of . _ - @, \
                                    begins with a letter or digit, and is not `anonymous`";

/// Whose tokens are good.
pub(super) type Table = HashMap<Hash, Principal>;

/// Reads a file, or says at which line, counted from 1, it goes wrong.
pub(super) fn read(octets: &[u8]) -> Result<Table, (usize, LineFault)> {
    let mut found: HashMap<Hash, (usize, Principal)> = HashMap::new();
    for (index, line) in octets.split(|byte| *byte == b'\n').enumerate() {
        let number = index + 1;
        if line.starts_with(b"#") {
            continue;
        }
        let line = std::str::from_utf8(line).map_err(|_| (number, LineFault::Shape))?;
        let mut fields = line.split_ascii_whitespace();
        let Some(name) = fields.next() else { continue };
        let hash = fields.next().and_then(|text| unhex(text.strip_prefix(SCHEME)?));
        let Some(hash) = hash.filter(|_| fields.next().is_none()) else {
            return Err((number, LineFault::Shape));
        };
        if !is_name(name) {
            return Err((number, LineFault::Name));
        }
        if let Some((first, _)) = found.insert(hash, (number, Principal::new(name))) {
            return Err((number, LineFault::Repeated { first }));
        }
    }
    Ok(found.into_iter().map(|(hash, (_, principal))| (hash, principal)).collect())
}

/// The line of a token.
pub(super) fn line(name: &str, hash: &Hash) -> String {
    let digits: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{name} {SCHEME}{digits}\n")
}

/// Whether a principal may be called so: nothing that could be taken for another field, a comment or nobody.
pub(super) fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@".contains(&byte);
    (1..=64).contains(&text.len())
        && text.bytes().all(fits)
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !text.eq_ignore_ascii_case("anonymous")
}

fn unhex(text: &str) -> Option<Hash> {
    let mut hash = Hash::default();
    if text.len() != 2 * hash.len() || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (index, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_is_written() {
        let (one, other) = ([0x0f; 32], [0xa5; 32]);
        let text = format!("{HEAD}\n{} \t\r\n#{}", line("alice", &one), line("x", &other))
            + &line("alice", &other).to_uppercase().replace("SHA256", "sha256");
        let table = read(text.as_bytes()).unwrap();
        assert_eq!(table[&one].name(), Some("alice"));
        assert_eq!(table[&other].name(), Some("ALICE"));
        assert_eq!(read(HEAD.as_bytes()), Ok(Table::new()));
    }

    #[test]
    fn a_wrong_line_is_told_by_its_number() {
        let hash = line("", &[7; 32]);
        let hash = hash.trim();
        for (wrong, fault) in [
            ("alice".to_owned(), LineFault::Shape),
            (format!("alice {hash} more"), LineFault::Shape),
            (format!("alice {hash}0"), LineFault::Shape),
            (format!("alice {}", &hash[..70]), LineFault::Shape),
            (format!("alice {}", &hash[7..]), LineFault::Shape),
            (format!("alice {}\u{e9}", &hash[..69]), LineFault::Shape),
            (format!("alice {}+7", &hash[..69]), LineFault::Shape),
            (hash.to_owned(), LineFault::Shape),
            (format!("Anonymous {hash}"), LineFault::Name),
            (format!("-a {hash}"), LineFault::Name),
            (format!("al\u{e9} {hash}"), LineFault::Name),
            (format!("{} {hash}", "a".repeat(65)), LineFault::Name),
            (format!("bob {}", line("", &[1; 32]).trim()), LineFault::Repeated { first: 1 }),
        ] {
            let text = format!("{}\n{wrong}\n", line("alice", &[1; 32]));
            assert_eq!(read(text.as_bytes()), Err((3, fault)), "{wrong}");
        }
        assert_eq!(read(b"\xff alice"), Err((1, LineFault::Shape)));
    }
}
