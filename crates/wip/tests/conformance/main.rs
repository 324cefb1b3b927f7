//! Runs the conformance vectors: those of the repository, or of `WIP_VECTORS=DIR`. What a vector asks, the README
//! beside the vectors says. One test for each area; a difference on an advisory vector is reported and not counted.

#![allow(clippy::print_stdout, reason = "the counts are what it is run for")]
#![allow(clippy::disallowed_methods, reason = "the directory of the vectors is named in the environment")]

mod http;
mod model;
mod text_view;
mod vector;
mod wire;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::vector::Vector;

type Check = fn(&Vector) -> Result<(), String>;

/// Every area and what runs its vectors. A vector of any other area fails, so that none is passed over.
const AREAS: [(&str, Check); 13] = [
    ("path", model::path),
    ("reference", model::reference),
    ("object_consistency", model::object_consistency),
    ("logical_value", model::logical_value),
    ("descriptor", wire::descriptor),
    ("value", wire::value),
    ("request", wire::request),
    ("response", wire::response),
    ("observe_shape", wire::observe_shape),
    ("limits", wire::limits),
    ("text_view", text_view::text_view),
    ("http_metadata", http::http_metadata),
    ("endpoint", http::endpoint),
];

/// How many failures of one area are shown in full.
const SHOWN: usize = 20;

fn main() {
    let arguments = Arguments::from_args();
    let trials = match directory().and_then(|directory| trials(&directory, arguments.list)) {
        Ok(trials) => trials,
        Err(reason) => vec![Trial::test("vectors", move || Err(Failed::from(reason)))],
    };
    libtest_mimic::run(&arguments, trials).exit();
}

/// Where the vectors are. Tests run in the folder of their package, so a relative path is looked for where the command
/// was given, and then at the root of the workspace.
fn directory() -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Some(wanted) = env::var_os("WIP_VECTORS") else { return Ok(root.join("conformance")) };
    let invoked = env::var_os("PWD").map(PathBuf::from).unwrap_or_default();
    let candidates = [invoked.join(&wanted), root.join(&wanted)];
    candidates.iter().find(|directory| directory.is_dir()).cloned().ok_or_else(|| {
        format!(
            "WIP_VECTORS: there is no directory {} or {}",
            candidates[0].display(),
            candidates[1].display()
        )
    })
}

/// One trial for each area that has vectors. What is missing is said, except in a listing, which programs read.
fn trials(directory: &Path, quiet: bool) -> Result<Vec<Trial>, String> {
    let shown = |error: std::io::Error| format!("{}: {error}", directory.display());
    let mut areas: BTreeMap<String, Vec<Vector>> = BTreeMap::new();
    let mut trials = Vec::new();
    for file in fs::read_dir(directory).map_err(shown)? {
        let path = file.map_err(shown)?.path();
        if path.file_name().is_some_and(|name| name == "error_codes.json") {
            trials.push(Trial::test("error_codes", move || {
                wire::error_codes(&fs::read_to_string(&path)?).map_err(Failed::from)
            }));
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            for (number, line) in text.lines().enumerate() {
                let vector = Vector::parse(line)
                    .map_err(|reason| format!("{}:{}: {reason}", path.display(), number + 1))?;
                areas.entry(vector.area().to_owned()).or_default().push(vector);
            }
        }
    }
    if areas.is_empty() && trials.is_empty() {
        return Err(format!("there are no vectors in {}", directory.display()));
    }
    let missing = AREAS.iter().map(|(area, _)| *area).filter(|area| !areas.contains_key(*area));
    let missing: Vec<_> = missing.chain(trials.is_empty().then_some("error_codes")).collect();
    for area in missing {
        let text = format!("{area}: there are no vectors of this area in {}", directory.display());
        if env::var_os("WIP_VECTORS").is_none() {
            // The project's own vectors are complete.
            trials.push(Trial::test(area, move || Err(text.into())));
        } else if !quiet {
            println!("{text}");
        }
    }
    trials.extend(areas.into_iter().map(|(area, vectors)| {
        let name = area.clone();
        Trial::test(name, move || run(&area, &vectors).map_err(Failed::from))
    }));
    Ok(trials)
}

/// Runs the vectors of one area and says how many of them agree.
fn run(area: &str, vectors: &[Vector]) -> Result<(), String> {
    let check = match AREAS.iter().find(|(known, _)| *known == area) {
        Some((_, check)) => check,
        None => return Err(format!("{area} is no known area; {} vectors were not run", vectors.len())),
    };
    let (mut failed, mut advisory) = (Vec::new(), Vec::new());
    for vector in vectors {
        if let Err(reason) = check(vector) {
            let line = format!("  {}: {reason}\n    ({})", vector.id(), vector.note());
            match vector.advisory() {
                Some(why) => advisory.push(format!("{line}\n    advisory: {why}")),
                None => failed.push(line),
            }
        }
    }
    let passed = vectors.len() - failed.len() - advisory.len();
    let mut report = format!(
        "{area}: {passed} agree, {} differ, {} differ where that is advisory",
        failed.len(),
        advisory.len()
    );
    for line in &advisory {
        report.push('\n');
        report.push_str(line);
    }
    println!("{report}");
    if failed.is_empty() {
        return Ok(());
    }
    let more = failed.len().saturating_sub(SHOWN);
    let mut reason = failed.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("\n");
    if more > 0 {
        reason.push_str(&format!("\n  and {more} more"));
    }
    Err(format!("{} of {} vectors differ:\n{reason}", failed.len(), vectors.len()))
}
