//! What other languages call the things of the IDL, so that who comes from there is told the way.

/// The built-in type that other languages have this name for, or what WIP has in place of it.
pub(crate) fn type_hint(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "int" | "int8" | "int16" | "int32" | "int64" | "i8" | "i16" | "i32" | "i64" | "uint" | "uint8"
        | "uint16" | "uint32" | "uint64" | "u8" | "u16" | "u32" | "u64" | "long" | "short" | "usize"
        | "isize" | "bigint" => "WIP has `integer`, which lies within ±(2^53−1)",
        "str" | "text" | "char" | "varchar" | "cstring" => "WIP has `string`",
        "bool" => "WIP has `boolean`",
        "float" | "double" | "f32" | "f64" | "float32" | "float64" | "real" | "decimal" | "numeric" => {
            "WIP has `number`, a binary64"
        }
        "void" | "none" | "null" | "nil" | "nothing" | "undefined" | "never" | "empty" => {
            "WIP has `unit` for nothing"
        }
        "any" | "object" | "unknown" | "value" | "dynamic" | "mixed" => {
            "WIP has `json` for any JSON value, and `{ … }` for a record with fields"
        }
        "blob" | "binary" | "buffer" | "bytearray" | "byte" | "bytestring" | "uint8array" => {
            "WIP has `bytes`"
        }
        "path" | "link" | "ref" | "reference" | "uri" => {
            "WIP has `entry` for a place in the Worldspace; all else of the kind is a `string`"
        }
        "date" | "time" | "datetime" | "timestamp" | "instant" | "duration" | "uuid" | "url" | "email" => {
            "WIP has no such type: use `string`, and say in the documentation how it is written"
        }
        "list" | "array" | "vec" | "vector" | "seq" | "sequence" | "slice" | "set" | "iterable"
        | "iterator" => "a list is written `[string]`",
        "map" | "dict" | "dictionary" | "hashmap" | "record" | "struct" | "hash" | "table" => {
            "WIP has no maps: use a record `{ name: string }`, a list of records, or `json`"
        }
        "tuple" | "pair" => "WIP has no tuples: use a record `{ name: string }`",
        "option" | "optional" | "maybe" | "nullable" => {
            "what may be absent is marked at its name: `note?: string`"
        }
        "result" | "either" | "oneof" | "variant" | "choice" => {
            "a choice is a union: `union { done, blocked(string) }`"
        }
        _ => return None,
    })
}

/// What a type with arguments is meant as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Generic {
    List,
    Optional,
    Other,
}

pub(super) fn generic(name: &str) -> Generic {
    match type_hint(name) {
        Some("a list is written `[string]`") => Generic::List,
        Some(hint) if hint.contains("`note?: string`") => Generic::Optional,
        _ => Generic::Other,
    }
}

/// The word that begins a declaration, given what other languages or a slip put in its place.
pub(super) fn keyword(word: &str, among: &[&'static str]) -> Option<&'static str> {
    let meant = match word.to_ascii_lowercase().as_str() {
        "import" | "include" | "require" | "from" | "using" | "load" => "use",
        "fn" | "func" | "function" | "def" | "method" | "rpc" | "op" | "sub" | "proc" | "async" | "query"
        | "mutation" | "resource" => "operation",
        "service" | "trait" | "class" | "protocol" | "contract" => "interface",
        "typedef" | "alias" | "newtype" | "struct" | "record" | "message" | "enum" | "union" | "variant"
        | "input" => "type",
        _ => worldspace_model::nearest(word, among.iter().copied())?,
    };
    among.iter().copied().find(|keyword| *keyword == meant)
}

/// Words that other languages put before the name of a field.
pub(super) fn is_modifier(word: &str) -> bool {
    matches!(
        word,
        "optional"
            | "required"
            | "readonly"
            | "mut"
            | "const"
            | "let"
            | "var"
            | "val"
            | "pub"
            | "public"
            | "in"
            | "out"
            | "nullable"
            | "field"
            | "param"
    )
}
