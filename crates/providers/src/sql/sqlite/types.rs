//! What a declared type says of a column's values (<https://www.sqlite.org/datatype3.html>, section 3.1), and what people
//! mean by it where SQLite knows no such type.

use crate::sql::catalog::ColumnKind;

/// What SQLite tries to make of a value before it stores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Affinity {
    Integer,
    Text,
    None,
    Real,
    Numeric,
}

/// What a column's values are to callers, and whether text that looks like a number becomes one.
pub(super) fn kind_of(declared: &str, strict: bool, exact_integers: bool) -> (ColumnKind, bool) {
    let upper = declared.trim().to_ascii_uppercase();
    let affinity = if strict && upper == "ANY" { Affinity::None } else { affinity(&upper) };
    let numeric = matches!(affinity, Affinity::Integer | Affinity::Numeric | Affinity::Real);
    let integer = if exact_integers { ColumnKind::Digits } else { ColumnKind::Integer };
    let kind = match (word(&upper), affinity) {
        // In a strict table the few types are what they say.
        ("" | "ANY", _) => ColumnKind::Any,
        ("BOOL" | "BOOLEAN", _) => ColumnKind::Boolean,
        (_, Affinity::Integer) => integer,
        (_, Affinity::Text) => ColumnKind::Text,
        (_, Affinity::None) => ColumnKind::Bytes,
        (_, Affinity::Real) => ColumnKind::Number,
        (word, Affinity::Numeric) if word.starts_with("DATE") || word.starts_with("TIME") => ColumnKind::Time,
        (
            "NUM" | "NUMERIC" | "NUMBER" | "DECIMAL" | "DEC" | "FIXED" | "MONEY" | "SMALLMONEY" | "CURRENCY",
            _,
        ) => ColumnKind::Number,
        // Such as JSON, UUID and STRING, which SQLite does not know: mostly text, but for what looks like a number.
        (_, Affinity::Numeric) => ColumnKind::Any,
    };
    (kind, numeric)
}

/// Whether every number is stored as a real one.
pub(super) fn is_real(declared: &str) -> bool {
    affinity(&declared.trim().to_ascii_uppercase()) == Affinity::Real
}

/// The first word of a type, without its size.
fn word(declared: &str) -> &str {
    declared.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default()
}

fn affinity(upper: &str) -> Affinity {
    let has = |parts: &[&str]| parts.iter().any(|part| upper.contains(part));
    if has(&["INT"]) {
        Affinity::Integer
    } else if has(&["CHAR", "CLOB", "TEXT"]) {
        Affinity::Text
    } else if upper.is_empty() || has(&["BLOB"]) {
        Affinity::None
    } else if has(&["REAL", "FLOA", "DOUB"]) {
        Affinity::Real
    } else {
        Affinity::Numeric
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::catalog::ColumnKind::*;

    #[test]
    fn declared_types_mean_what_sqlite_and_people_take_them_for() {
        for (declared, kind, numeric) in [
            ("INTEGER", Integer, true),
            ("bigint unsigned", Integer, true),
            ("FLOATING POINT", Integer, true),
            ("VARCHAR(255)", Text, false),
            ("nvarchar(9)", Text, false),
            ("CLOB", Text, false),
            ("", Any, false),
            ("ANY", Any, true),
            ("BLOB", Bytes, false),
            ("LONGBLOB", Bytes, false),
            ("DOUBLE PRECISION", Number, true),
            ("float", Number, true),
            ("DECIMAL(10,2)", Number, true),
            ("numeric", Number, true),
            ("Boolean", Boolean, true),
            ("DATE", Time, true),
            ("datetime(6)", Time, true),
            ("TIMESTAMP WITH TIME ZONE", Time, true),
            ("DATETEXT", Text, false),
            ("UUID", Any, true),
            ("STRING", Any, true),
            ("ÄÖ", Any, true),
        ] {
            assert_eq!(kind_of(declared, false, false), (kind, numeric), "{declared}");
        }
        assert_eq!(kind_of("ANY", true, false), (Any, false));
        assert_eq!(kind_of("INT", true, true), (Digits, true));
        assert_eq!(kind_of("REAL", true, true), (Number, true));
    }
}
