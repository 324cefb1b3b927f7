//! What a thing is, in a few words that no write changes: from its kind and name alone, nothing is opened for it.

use super::stat::Kind;
use super::state::Count;

/// The words for files, by the part of the name behind the last dot.
const BY_EXTENSION: &[(&str, &[&str])] = &[
    ("archive", &["7z", "bz2", "gz", "rar", "tar", "tgz", "xz", "zip", "zst"]),
    ("audio", &["flac", "m4a", "mp3", "ogg", "opus", "wav"]),
    ("C header", &["h"]),
    ("C source", &["c"]),
    ("C++ source", &["cc", "cpp", "cxx", "hh", "hpp"]),
    ("C# source", &["cs"]),
    ("certificate or key", &["crt", "key", "pem"]),
    ("configuration", &["cfg", "conf", "ini"]),
    ("CSS style sheet", &["css", "less", "scss"]),
    ("CSV table", &["csv", "tsv"]),
    ("database", &["db", "sqlite", "sqlite3"]),
    ("font", &["otf", "ttf", "woff", "woff2"]),
    ("Go source", &["go"]),
    ("HTML page", &["htm", "html"]),
    ("image", &["avif", "bmp", "gif", "ico", "jpeg", "jpg", "png", "svg", "tiff", "webp"]),
    ("Java source", &["java"]),
    ("JavaScript source", &["cjs", "js", "jsx", "mjs"]),
    ("JSON document", &["json", "jsonc"]),
    ("JSON lines", &["jsonl", "ndjson"]),
    ("Kotlin source", &["kt", "kts"]),
    ("lock file", &["lock"]),
    ("log", &["log"]),
    ("Lua source", &["lua"]),
    ("Markdown text", &["markdown", "md"]),
    ("notebook", &["ipynb"]),
    ("office document", &["doc", "docx", "odp", "ods", "odt", "ppt", "pptx", "xls", "xlsx"]),
    ("patch", &["diff", "patch"]),
    ("PDF document", &["pdf"]),
    ("Perl source", &["pl", "pm"]),
    ("PHP source", &["php"]),
    ("program or library", &["a", "bin", "dll", "dylib", "exe", "o", "so", "wasm"]),
    ("protocol buffers", &["proto"]),
    ("Python source", &["py", "pyi"]),
    ("reStructuredText", &["rst"]),
    ("Ruby source", &["rb"]),
    ("Rust source", &["rs"]),
    ("shell script", &["bash", "fish", "sh", "zsh"]),
    ("SQL script", &["sql"]),
    ("Swift source", &["swift"]),
    ("text", &["text", "txt"]),
    ("TOML document", &["toml"]),
    ("TypeScript source", &["ts", "tsx"]),
    ("video", &["avi", "mkv", "mov", "mp4", "webm"]),
    ("WIP interface", &["wip"]),
    ("XML document", &["xml", "xsd", "xsl"]),
    ("YAML document", &["yaml", "yml"]),
];

/// The words for files that are known by their whole name.
const BY_NAME: &[(&str, &[&str])] = &[
    ("build script", &["CMakeLists.txt", "GNUmakefile", "Justfile", "Makefile", "justfile", "makefile"]),
    ("container build", &["Containerfile", "Dockerfile"]),
    ("licence", &["COPYING", "LICENCE", "LICENSE", "LICENSE-APACHE", "LICENSE-MIT"]),
    ("read me", &["README"]),
];

/// Of what is no directory.
pub(super) fn thing(name: &str, kind: Kind) -> &'static str {
    match kind {
        Kind::Directory => "directory",
        Kind::Link => "symbolic link, not followed",
        Kind::Other => "device, pipe or socket, never opened",
        Kind::File => file(name),
    }
}

fn file(name: &str) -> &'static str {
    if let Some((words, _)) = BY_NAME.iter().find(|(_, names)| names.contains(&name)) {
        return words;
    }
    let extension =
        name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
    let Some(extension) = extension.map(str::to_ascii_lowercase) else { return "file" };
    let found = BY_EXTENSION.iter().find(|(_, extensions)| extensions.contains(&extension.as_str()));
    found.map_or("file", |(words, _)| words)
}

/// Of a directory.
pub(super) fn directory(names: Count, indexable: usize) -> String {
    match names {
        Count::None | Count::Indexable { unnamed: 0 } => "directory".to_owned(),
        Count::Indexable { unnamed: 1 } => {
            "directory; 1 name is not UTF-8 and has no entry (`list` counts such names)".to_owned()
        }
        Count::Indexable { unnamed } => format!(
            "directory; {} names are not UTF-8 and have no entry (`list` counts such names)",
            grouped(unnamed)
        ),
        Count::TooMany => {
            format!("directory with more than {} names; use `list` or `find`", grouped(indexable))
        }
    }
}

/// Of a directory that the Host may not read.
pub(super) const UNREADABLE: &str = "directory that the Host may not read";

/// `1000` as `1,000`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_from_the_name_alone() {
        for (name, words) in [
            ("main.rs", "Rust source"),
            ("A.PNG", "image"),
            ("Makefile", "build script"),
            ("archive.tar.gz", "archive"),
            (".rs", "file"),
            ("rs", "file"),
            ("a.", "file"),
            ("日本.md", "Markdown text"),
        ] {
            assert_eq!(thing(name, Kind::File), words, "{name}");
        }
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
