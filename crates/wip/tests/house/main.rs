//! The invariants of ARCHITECTURE.md that no compiler checks: which crate may use which.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests stop at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// The crates of the project that each of them may use when it runs; tests may use more.
const EDGES: &[(&str, &[&str])] = &[
    ("worldspace-model", &[]),
    ("worldspace-idl", &["worldspace-model"]),
    ("worldspace-wire", &["worldspace-model"]),
    ("worldspace-macros", &[]),
    ("worldspace-host", &["worldspace-model", "worldspace-macros"]),
    ("worldspace-client", &["worldspace-model", "worldspace-macros"]),
    ("worldspace-http", &["worldspace-model", "worldspace-wire"]),
    ("worldspace-providers", &["worldspace-model", "worldspace-host", "worldspace-client"]),
    ("worldspace-projections", &["worldspace-model", "worldspace-client", "worldspace-idl"]),
    ("worldspace-example-shop", &[]),
    ("worldspace-example-tracker", &["worldspace-model", "worldspace-host", "worldspace-http"]),
    (
        "worldspace-testkit",
        &["worldspace-model", "worldspace-wire", "worldspace-host", "worldspace-client", "worldspace-http"],
    ),
    (
        "worldspace-cli",
        &[
            "worldspace-model",
            "worldspace-idl",
            "worldspace-wire",
            "worldspace-host",
            "worldspace-client",
            "worldspace-http",
            "worldspace-providers",
            "worldspace-projections",
        ],
    ),
];

/// What a crate must not use, though its neighbours do.
const FORBIDDEN: &[(&str, &[&str], &str)] = &[
    ("worldspace-model", &["*"], "the model needs neither an encoding nor a runtime"),
    (
        "worldspace-wire",
        &["serde", "serde_json", "tokio"],
        "the wire reads with a reader of its own, and does no I/O",
    ),
    ("worldspace-host", &["serde", "serde_json", "bytes", "http", "hyper"], "the Host never sees bytes"),
    ("worldspace-client", &["serde", "serde_json", "bytes", "http", "hyper"], "the Client never sees bytes"),
    ("worldspace-idl", &["tokio"], "the IDL does no I/O"),
    ("worldspace-macros", &["tokio", "serde"], "macros run in the compiler"),
];

/// Each crate of the project, and the crates that it uses when it runs.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let cargo = option_env!("CARGO").unwrap_or("cargo");
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let uses = |package: &Value| {
        package["dependencies"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|dependency| dependency["kind"].as_str() != Some("dev"))
            .map(|dependency| dependency["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let packages = metadata["packages"].as_array().unwrap();
    packages.iter().map(|package| (package["name"].as_str().unwrap().to_owned(), uses(package))).collect()
}

#[test]
fn crates_use_each_other_only_along_the_allowed_edges() {
    let found = dependencies();
    let known: BTreeSet<&str> = EDGES.iter().map(|(name, _)| *name).collect();
    for (name, uses) in &found {
        let allowed = EDGES.iter().find(|(known, _)| known == name);
        let (_, allowed) =
            allowed.unwrap_or_else(|| panic!("{name} has no line in EDGES; say what it may use"));
        for used in uses.iter().filter(|used| found.contains_key(*used)) {
            assert!(allowed.contains(&used.as_str()), "{name} must not use {used}");
        }
    }
    let missing: Vec<_> = known.iter().filter(|name| !found.contains_key(**name)).collect();
    assert!(missing.is_empty(), "EDGES speaks of crates that are not there: {missing:?}");
}

#[test]
fn no_crate_uses_what_its_room_forbids() {
    let found = dependencies();
    for (name, forbidden, why) in FORBIDDEN {
        for used in &found[*name] {
            let hit = forbidden.contains(&"*") || forbidden.contains(&used.as_str());
            assert!(!hit, "{name} must not use {used}: {why}");
        }
    }
}
