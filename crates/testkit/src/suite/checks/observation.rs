//! What is there is found, what is not there is not, and looking changes nothing (SPEC 1, 2).

use worldspace_model::{EntryPath, ErrorCode, Expansion, FetchRequest, Object, TransportError};

use crate::Way;
use crate::suite::bench::Bench;
use crate::suite::check::{
    Check, Verdict, code_of, expect, expect_code, expect_same, expect_success, failed, need_some, told,
};
use crate::suite::world::World;

/// Entries in one fetch, below the limit of every Host.
const AT_ONCE: usize = 64;

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new("each declared Object is at its entry", "SPEC 1", declared_objects),
        Check::new("trees show the indexable Objects and no others", "SPEC 1", listed),
        Check::new("a leaf has no indexable children", "SPEC 2.1", leaves),
        Check::new(
            "what is absent is not_found, in the same words wherever it is asked for",
            "SPEC 3",
            absent,
        ),
        Check::new("what is hidden answers as what is absent", "SPEC 3", hidden),
        Check::new("a fetch of many answers each entry as if it were fetched alone", "SPEC 2", many),
        Check::new("what a tree shows is what a fetch gives", "SPEC 2.1", tree_and_fetch),
        Check::new("looking changes nothing", "SPEC 2", looking),
        Check::new("each published interface is there, and the same each time", "SPEC 4", interfaces),
        Check::new("no more is published than was declared", "SPEC 4", undeclared),
    ]
}

async fn declared_objects(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let declared = &bench.declared;
    need_some(&declared.objects, "an `object`")?;
    for path in declared.objects.iter().chain(&declared.unlisted) {
        let object = world.found(path).await?;
        let placed = object.check_place(&world.entry(path));
        expect(placed.is_ok(), format!("an Object that fits {path}"), format!("{object:?}"))?;
    }
    Ok(())
}

async fn listed(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    need_some(&bench.declared.objects, "an `object`")?;
    let paths = world.whole(&world.mount).await?.paths(&world.mount);
    for path in &bench.declared.objects {
        let shown = paths.contains(&world.entry(path));
        expect(shown, format!("{path} in the tree"), format!("a tree of {paths:?}"))?;
    }
    for path in bench.declared.unlisted.iter().chain(&bench.declared.hidden) {
        let shown = paths.contains(&world.entry(path));
        expect(!shown, format!("no {path} in the tree"), format!("a tree of {paths:?}"))?;
    }
    Ok(())
}

async fn leaves(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    for path in need_some(&bench.declared.leaves, "a `leaf`")? {
        let tree = world.tree(&world.entry(path), 1, 10, None).await;
        let tree = expect_success(tree, format!("the tree below {path}"))?;
        expect_same(&Expansion::Leaf, &tree.first().expansion, format!("the expansion of {path}"))?;
    }
    Ok(())
}

/// The words for what is not there, with its path taken out.
fn words<T: std::fmt::Debug>(answer: &Result<T, TransportError>, entry: &EntryPath) -> Verdict<String> {
    match answer {
        Err(TransportError::Refused(error)) if error.code == ErrorCode::NotFound => {
            Ok(error.message.as_str().replace(entry.as_str(), "…"))
        }
        answer => failed(format!("not_found for {entry}"), told(answer)),
    }
}

/// What each interaction says of an entry where nothing is to be seen.
async fn words_everywhere(world: &World, path: &EntryPath) -> Verdict<Vec<String>> {
    let entry = world.entry(path);
    let mut all = vec![
        words(&world.object(&entry).await, &entry)?,
        words(&world.tree(&entry, 1, 10, None).await, &entry)?,
        words(&world.observe(&entry, 1).await, &entry)?,
    ];
    if let Ok(sample) = world.any_sample() {
        let mut call = world.prepare(sample).await?.call;
        call.target.path = entry.clone();
        call.target.validator = None;
        all.push(words(&world.call(call).await, &entry)?);
    }
    Ok(all)
}

async fn absent(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    for path in need_some(&bench.declared.absent, "an `absent` path")? {
        let all = words_everywhere(&world, path).await?;
        let same = all.iter().all(|words| *words == all[0]);
        expect(same, "one form of words for not_found", format!("{all:?}"))?;
    }
    Ok(())
}

async fn hidden(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let hidden = need_some(&bench.declared.hidden, "a `hidden` path")?;
    let absent = need_some(&bench.declared.absent, "an `absent` path")?;
    let expected = words_everywhere(&world, &absent[0]).await?;
    for path in hidden {
        let came = words_everywhere(&world, path).await?;
        expect_same(&expected, &came, format!("{path} answers as what is absent"))?;
    }
    Ok(())
}

async fn many(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let declared = &bench.declared;
    let paths = declared.objects.iter().chain(&declared.absent).chain(&declared.objects);
    let mut entries: Vec<EntryPath> = paths.take(AT_ONCE).map(|path| world.entry(path)).collect();
    entries.push(EntryPath::root());
    entries.extend(world.neighbour.clone());
    let asked: Vec<_> = entries.iter().cloned().map(Ok).collect();
    // What is no path stands among them, and is wrong for itself alone. No Transport sends it over HTTP.
    let wrong = (bench.way == Way::InProcess).then_some(asked.len() / 2);
    let mut asked_with_wrong = asked;
    if let Some(at) = wrong {
        asked_with_wrong.insert(at, EntryPath::parse("no/path/../at all"));
    }
    let count = asked_with_wrong.len();
    let answer = world.fetch(FetchRequest { entries: asked_with_wrong }).await;
    let mut results = expect_success(answer, "a fetch of many entries")?.results;
    expect_same(&count, &results.len(), "a result per entry")?;
    if let Some(at) = wrong {
        let of_wrong = results.remove(at).map_err(TransportError::Refused);
        expect_code(&of_wrong, ErrorCode::InvalidRequest, "what is no path")?;
    }
    for (entry, result) in entries.iter().zip(results) {
        let alone = world.object(entry).await;
        let same = match (&alone, &result) {
            (Ok(alone), Ok(result)) => alone == result,
            (Err(TransportError::Refused(alone)), Err(result)) => alone == result,
            _ => false,
        };
        let result = result.map_err(TransportError::Refused);
        expect(same, format!("for {entry} among others what it is alone: {}", told(&alone)), told(&result))?;
    }
    let none = expect_success(world.fetch(FetchRequest { entries: Vec::new() }).await, "a fetch of none")?;
    expect(none.results.is_empty(), "no result for no entry", format!("{:?}", none.results))
}

async fn tree_and_fetch(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let tree = world.whole(&world.mount).await?;
    let shown: Vec<(EntryPath, &Object)> =
        tree.paths(&world.mount).into_iter().zip(tree.nodes().iter().map(|node| &*node.object)).collect();
    for some in shown.chunks(AT_ONCE) {
        let entries = some.iter().map(|(entry, _)| Ok(entry.clone())).collect();
        let answer =
            expect_success(world.fetch(FetchRequest { entries }).await, "a fetch of the tree's entries")?;
        for ((entry, in_tree), alone) in some.iter().zip(answer.results) {
            let alone = alone.map_err(TransportError::Refused);
            let same = alone.as_ref().is_ok_and(|alone| **alone == **in_tree);
            expect(same, format!("at {entry} the Object of the tree, {in_tree:?}"), told(&alone))?;
        }
    }
    Ok(())
}

async fn looking(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let before = world.snapshot().await?;
    for path in &bench.declared.absent {
        let entry = world.entry(path);
        expect_code(&world.object(&entry).await, ErrorCode::NotFound, format!("the absent {path}"))?;
    }
    for path in &bench.declared.objects {
        world.found(path).await?;
    }
    world.unchanged_since(&before, "everything was only looked at").await
}

async fn interfaces(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let tree = world.whole(&world.mount).await?;
    let mut published = Vec::new();
    for node in tree.nodes() {
        for reference in node.object.interfaces.iter() {
            if !published.contains(reference) {
                published.push(reference.clone());
            }
        }
    }
    need_some(&published, "an Object that publishes an interface")?;
    for reference in &published {
        let what = format!("the published interface {reference}");
        let first = expect_success(world.interface(reference).await, &what)?;
        let second = expect_success(world.interface(reference).await, &what)?;
        expect_same(&first, &second, format!("{what}, fetched twice"))?;
        let scope = expect_success(world.object(reference.scope()).await, format!("the scope of {what}"))?;
        expect_same(&scope.r#ref, &first.scope_ref, format!("the ref of the scope Object of {what}"))?;
        let other = worldspace_model::InterfaceReference::parse(
            reference.scope().as_str(),
            &format!("{} ", reference.name().as_str()),
        );
        if let Ok(other) = other {
            let answer = world.interface(&other).await;
            let code = code_of(&answer);
            let expected = format!("interface_not_found for {other}, whose name is another one");
            expect(code == Some(ErrorCode::InterfaceNotFound), expected, told(&answer))?;
        }
    }
    Ok(())
}

async fn undeclared(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let tree = world.whole(&world.mount).await?;
    let declared = &bench.declared;
    let ref_seen = tree.nodes().iter().find(|node| node.object.r#ref.is_some());
    if let Some(node) = ref_seen.filter(|_| !declared.identities) {
        let expected = "no refs, since `identities` was not declared: declare it, so that they are checked";
        return failed(expected, format!("{:?}", node.object));
    }
    let state_seen = tree.nodes().iter().find(|node| node.object.validator.is_some());
    if let Some(node) = state_seen.filter(|_| !declared.states) {
        let expected = "no validators, since `states` was not declared: declare it, so that they are checked";
        return failed(expected, format!("{:?}", node.object));
    }
    Ok(())
}
