//! Help, versions and completions; `docs/cli.md` is what the program says of itself.

use std::path::Path;

use crate::run::{finished, program, wip};

const COMMANDS: [&str; 14] = [
    "serve",
    "tree",
    "inspect",
    "invoke",
    "idl",
    "idl check",
    "idl fmt",
    "idl show",
    "idl diff",
    "idl rust",
    "gen",
    "token",
    "token new",
    "completions",
];

/// What asks for the help of a command.
fn asking(command: &'static str) -> Vec<&'static str> {
    command.split(' ').chain(["--help"]).collect()
}

/// Where the reference ends and what else there is to say begins.
const BY_HAND: &str = "<!-- From here on written by hand. -->";

/// `WIP_UPDATE_DOCS=1` writes the file anew, down to what is written by hand.
#[test]
#[allow(clippy::disallowed_methods, reason = "whoever runs the tests says so there")]
fn the_reference_is_what_the_program_says() {
    let mut text = String::from(
        "# The commands of `wip`\n\n<!-- Made by the program: `WIP_UPDATE_DOCS=1 cargo test -p worldspace-cli --test cli` writes it anew. -->\n",
    );
    for command in std::iter::once(None).chain(COMMANDS.map(Some)) {
        let (title, words) = match command {
            None => ("wip".to_owned(), vec!["--help"]),
            Some(command) => (format!("wip {command}"), asking(command)),
        };
        let help = wip(&words).ok();
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        text.push_str(&format!("\n## `{title}`\n\n```text\n{}\n```\n", help.join("\n").trim_end()));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let (_, by_hand) =
        written.split_once(BY_HAND).unwrap_or_else(|| panic!("docs/cli.md has no line {BY_HAND}"));
    text.push_str(&format!("\n{BY_HAND}{by_hand}"));
    if std::env::var_os("WIP_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written, text, "docs/cli.md is out of date; WIP_UPDATE_DOCS=1 writes it anew");
}

#[test]
fn help_lists_nothing_that_a_command_has_no_use_for() {
    for command in ["serve", "idl", "idl check", "idl rust", "token", "token new", "completions"] {
        let help = wip(&asking(command)).ok();
        for option in ["--at", "--token-file", "--ca "] {
            assert!(!help.contains(option), "{command} {option}");
        }
    }
    for command in ["idl", "idl fmt", "idl diff", "idl rust", "token", "token new", "completions"] {
        let help = wip(&asking(command)).ok();
        for option in ["--hidden", "--no-ignore", "--writable", "--allow-plain-http"] {
            assert!(!help.contains(option), "{command} {option}");
        }
    }
}

#[test]
fn help_of_help_is_help() {
    assert_eq!(wip(&["help", "--help"]).ok(), wip(&["--help"]).ok());
    assert_eq!(wip(&["help", "tree", "-h"]).ok(), wip(&["tree", "--help"]).ok());
}

#[test]
fn help_is_as_wide_as_the_terminal_up_to_a_hundred() {
    for (columns, widest) in [("60", 60), ("80", 80), ("200", 100)] {
        let help = finished(program().arg("--help").env("COLUMNS", columns), b"").ok();
        let lines: Vec<usize> = help.lines().map(|line| line.chars().count()).collect();
        assert!(lines.iter().all(|line| *line <= widest), "{columns}: {help}");
        // Running text is broken once, by the width.
        let status: Vec<&str> = help.lines().skip_while(|line| !line.starts_with("Exit status")).collect();
        assert!(status[..status.len() - 1].iter().all(|line| line.chars().count() > widest - 15), "{help}");
    }
}

#[test]
fn help_fits_a_screen() {
    for words in std::iter::once(vec!["--help"]).chain(COMMANDS.map(asking)) {
        let help = wip(&words).ok();
        let (lines, widest) = (help.lines().count(), help.lines().map(|line| line.chars().count()).max());
        assert!(lines <= 32 && widest <= Some(100), "{lines} lines, {widest:?} wide:\n{help}");
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(wip(&["--version"]).ok(), concat!("wip ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn completions_are_scripts() {
    for (shell, part) in [("bash", "complete"), ("zsh", "#compdef wip"), ("fish", "complete -c wip")] {
        assert!(wip(&["completions", shell]).ok().contains(part), "{shell}");
        let told = wip(&["completions", shell, "-o", "json"]).json();
        assert!(told["script"].as_str().unwrap().contains(part), "{shell}");
    }
    let fish = wip(&["completions", "fish"]).ok();
    assert!(
        fish.contains("using_subcommand completions\" -f -a \"bash elvish fish powershell zsh\""),
        "{fish}"
    );
}

#[test]
fn a_wrong_command_line_is_a_usage_error_in_both_forms() {
    for (words, message) in [
        (vec![], "a command is missing"),
        (vec!["tre"], "unrecognized subcommand 'tre'; a similar subcommand exists: 'tree'"),
        (vec!["tree", "--nonsense"], "unexpected argument '--nonsense' found"),
        (vec!["inspect"], "the following required arguments were not provided: <PATH>..."),
        (vec!["tree", "--depth", "many"], "invalid value 'many' for '--depth <N>'"),
        (vec!["tree", "--limit", "0"], "0 is not in 1.."),
        (vec!["tree", "a", "b"], "unexpected argument 'b' found"),
        (vec!["completions", "dos"], "invalid value 'dos'"),
        (vec!["tree", "--at", "name=", "/"], "names no path; a source is [NAME=]PATH"),
        (vec!["tree", "a/b", "--at", "/"], "NAME="),
        (vec!["serve", "--at", "/", "."], "not with --at"),
    ] {
        let said = wip(&words).failed(2);
        assert!(!said.is_empty());
        for words in [[vec!["-o", "json"], words.clone()].concat(), [words, vec!["-vo", "json"]].concat()] {
            let ran = wip(&words);
            let (code, told) = ran.json_error(2);
            assert_eq!(code, "usage");
            assert!(told.contains(message) && !told.contains('\n'), "{told}");
            assert_eq!(ran.stdout.lines().count(), 1);
        }
    }
}
