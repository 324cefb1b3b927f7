//! Hostile and misleading names: each is merely absent (SPEC 1).

use worldspace_model::{EntryPath, ErrorCode, FetchRequest, Interaction, InterfaceReference, TransportError};

use crate::Way;
use crate::suite::bench::Bench;
use crate::suite::check::{Check, Verdict, code_of, expect, expect_code, expect_same, expect_success, told};
use crate::suite::raw;
use crate::suite::world::World;

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new("what is no canonical path is invalid_request", "SPEC 1", no_paths),
        Check::new("hostile names are absent like any other", "SPEC 1", hostile),
        Check::new("a name that only looks like another is absent", "SPEC 1", look_alikes),
        Check::new("hostile names of interfaces are absent like any other", "SPEC 1", interfaces),
    ]
}

/// Segments that mean something elsewhere, and nothing here.
fn segments() -> Vec<String> {
    let mut segments: Vec<String> = [
        "...",
        "%2e%2e",
        "..%2f..%2fetc",
        "%2F",
        "..\\..",
        "C:",
        "c:\\windows",
        "CON",
        "nul.txt",
        "~",
        "~root",
        "\0",
        "a\0b",
        "\n",
        "\r\n",
        "\u{1b}[2J",
        "\u{7f}",
        " ",
        "\u{a0}",
        "\u{200b}",
        "\u{202e}cod.exe",
        "．．",
        "‥",
        "∕etc∕passwd",
        "*",
        "?",
        "$HOME",
        "`id`",
        "'; DROP TABLE notes; --",
        "<script>",
        "{{7*7}}",
        "\u{feff}",
        "\u{10ffff}",
        "e\u{301}",
        "𝒶",
        ".git",
        "-rf",
        "-",
        "#",
        "a:b",
        "suite.stream::$DATA",
    ]
    .map(str::to_owned)
    .to_vec();
    segments.extend(["a".repeat(255), "a".repeat(256), "é".repeat(4_000), "..".repeat(2_000)]);
    segments
}

async fn no_paths(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let below = if world.mount.is_root() { "" } else { world.mount.as_str() };
    let wrong: Vec<String> =
        ["", "/..", "/../..", "/.", "//", "//a", "/a/", "/a//b", "/a/../a", "/./a", "/a/.."]
            .iter()
            .map(|rest| format!("{below}{rest}"))
            // Without a mount before it, nothing at all is no path, and with one it is the mount.
            .filter(|text| text != below || below.is_empty())
            .chain(["suite".to_owned(), "..".to_owned(), "C:\\".to_owned()])
            .collect();
    if bench.way == Way::Http {
        // No Transport sends these.
        let quoted: Vec<_> = wrong.iter().map(|text| raw::quoted(text)).collect();
        let body = format!(r#"{{"entries":[{}]}}"#, quoted.join(","));
        let answer = raw::post(&world, Interaction::Fetch, &body).await?;
        let expected = vec![ErrorCode::InvalidRequest.name(); wrong.len()];
        return expect_same(&expected, &raw::codes(&answer), format!("for each of {wrong:?}"));
    }
    let entries = wrong.iter().map(|text| EntryPath::parse(text)).collect();
    let answer = expect_success(world.fetch(FetchRequest { entries }).await, "a fetch of what is no path")?;
    for (text, result) in wrong.iter().zip(answer.results) {
        let result = result.map_err(TransportError::Refused);
        expect_code(&result, ErrorCode::InvalidRequest, format!("{text:?}"))?;
    }
    Ok(())
}

/// Fails unless all of these are absent, for every interaction that takes an entry.
async fn all_absent(world: &World, entries: Vec<EntryPath>) -> Verdict {
    for some in entries.chunks(32) {
        let asked = FetchRequest { entries: some.iter().cloned().map(Ok).collect() };
        let answer = expect_success(world.fetch(asked).await, "a fetch of hostile names")?;
        for (entry, result) in some.iter().zip(answer.results) {
            let result = result.map_err(TransportError::Refused);
            expect_code(&result, ErrorCode::NotFound, format!("{:?}", clipped(entry)))?;
        }
    }
    let call = match world.any_sample() {
        Ok(sample) => Some(world.prepare(sample).await?.call),
        Err(_) => None,
    };
    for entry in entries {
        let answer = world.tree(&entry, 1, 5, None).await;
        expect_code(&answer, ErrorCode::NotFound, format!("the tree below {:?}", clipped(&entry)))?;
        let answer = world.observe(&entry, 0).await;
        expect_code(&answer, ErrorCode::NotFound, format!("observe {:?}", clipped(&entry)))?;
        if let Some(mut call) = call.clone() {
            call.target.path = entry.clone();
            let answer = world.call(call).await;
            expect_code(&answer, ErrorCode::NotFound, format!("a call on {:?}", clipped(&entry)))?;
        }
    }
    Ok(())
}

fn clipped(entry: &EntryPath) -> &str {
    &entry.as_str()[..entry.as_str().floor_char_boundary(200)]
}

async fn hostile(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let parents = bench.declared.objects.iter().filter(|path| !path.is_root()).take(1);
    let parents: Vec<EntryPath> =
        [EntryPath::root()].iter().chain(parents).map(|path| world.entry(path)).collect();
    let known: Vec<&EntryPath> = bench.declared.objects.iter().chain(&bench.declared.unlisted).collect();
    let mut entries = Vec::new();
    for parent in &parents {
        for segment in segments() {
            let entry = worldspace_model::Segment::parse(&segment).map(|segment| parent.child(&segment));
            entries
                .extend(entry.ok().filter(|entry| !known.iter().any(|known| world.entry(known) == *entry)));
        }
    }
    let deep = format!("{}{}", parents[0].as_str().trim_end_matches('/'), "/suite".repeat(500));
    entries.extend(EntryPath::parse(&deep));
    all_absent(&world, entries).await?;
    for parent in &parents {
        for segment in segments() {
            // To go on behind such a name gives children or says that it is gone.
            let answer = world.tree(parent, 1, 5, Some(&segment)).await;
            let fine = answer.is_ok() || code_of(&answer) == Some(ErrorCode::InvalidRequest);
            expect(fine, "children, or invalid_request for a child that is gone", told(&answer))?;
        }
    }
    Ok(())
}

async fn look_alikes(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let Some(path) = bench.declared.objects.iter().find(|path| !path.is_root()) else {
        world.inner_object()?;
        return Ok(());
    };
    let entry = world.entry(path);
    let text = entry.as_str();
    let above = entry.parent().unwrap_or_else(EntryPath::root);
    let above = above.as_str().trim_end_matches('/');
    let name = entry.name();
    let alike = [
        format!("{text} "),
        format!("{text}."),
        format!("{text}\0"),
        format!("{text}\u{200b}"),
        format!("{text}%20"),
        format!("{text}::$DATA"),
        format!("{above}/ {name}"),
        format!("{above}/{}", name.to_uppercase()),
        format!("{above}/{}", name.to_lowercase()),
        format!("{above}/%{:02x}{}", name.as_bytes()[0], &name[name.ceil_char_boundary(1)..]),
        format!("{above}\\{name}"),
        format!("{above}/{name}\\.."),
    ];
    let known = |entry: &EntryPath| {
        let declared = bench.declared.objects.iter().chain(&bench.declared.unlisted);
        declared.map(|path| world.entry(path)).any(|known| known == *entry)
    };
    let entries = alike.iter().filter_map(|text| EntryPath::parse(text).ok()).filter(|entry| !known(entry));
    all_absent(&world, entries.collect()).await
}

async fn interfaces(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let scope = world.mount.as_str();
    for segment in segments() {
        for (scope, name) in
            [(scope, &*segment), (&*format!("{}/{segment}", scope.trim_end_matches('/')), "suite")]
        {
            let Ok(reference) = InterfaceReference::parse(scope, name) else { continue };
            let answer = world.interface(&reference).await;
            expect_code(
                &answer,
                ErrorCode::InterfaceNotFound,
                format!("the interface {:.200?}", reference.to_string()),
            )?;
        }
    }
    Ok(())
}
