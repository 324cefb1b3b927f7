//! The suite passes a provider that keeps every rule, and catches each one that breaks one.

use std::collections::{BTreeSet, HashSet};

use worldspace_host::*;
use worldspace_model::*;
use worldspace_testkit::suite::{self, Outcome, Report, Sample, Subject};

use crate::notes::{Misdeed, subject};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_provider_in_memory_holds_to_everything_and_everything_applies() {
    let report = suite::run(&subject(Misdeed::None)).await;
    let lacking: Vec<_> = report
        .checks()
        .iter()
        .filter(|check| matches!(check.outcome, Outcome::NotApplicable { .. }))
        .map(|check| &*check.name)
        .filter(|name| *name != "writers that are not guarded lose no effect")
        .collect();
    assert!(lacking.is_empty(), "not tried: {lacking:?}");
    assert_every_pair(&report);
    report.assert();
}

/// A counter without guards, identities or states.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_without_guards_are_counted_too() {
    let counter = Subject::new("a counter in memory", || async {
        let memory = Memory::new();
        let interface = Interface::builder()
            .read(OperationDeclaration::new("count").returns(Type::INTEGER))
            .write(OperationDeclaration::new("bump"))
            .build()
            .unwrap();
        let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let reference = LocalReference::at_root("counter").unwrap();
        memory.serve(reference.clone(), interface, move |_, call| {
            let count = count.clone();
            async move {
                if call.operation() == "count" {
                    let now = count.load(std::sync::atomic::Ordering::SeqCst);
                    return Ok(call.done(Value::count(now as u64)));
                }
                call.fence_blocking(None, || {
                    count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    Fate::Done { result: Value::Unit, after: After::Unchanged }
                })
            }
        });
        let at = LocalPath::parse("/counter").unwrap();
        memory.put(&at, MemoryNode::new().publishing(&Interfaces::new([reference])));
        (memory, ())
    })
    .leaf("/counter")
    .absent("/other")
    .identities()
    .states()
    .adding(
        Sample::of("/counter", "counter", "bump"),
        Sample::of("/counter", "counter", "count"),
        |count| count.as_integer().and_then(|count| usize::try_from(count).ok()).unwrap_or_default(),
    );
    let names = [
        "writers that are not guarded lose no effect",
        "a write that succeeds is seen",
        "a caller who leaves during a write leaves its whole effect or none",
        "a call with little time has its whole effect or none, and tells the truth",
        "a call whose caller left before the fence has no effect",
    ];
    let report = suite::run_only(&counter, &names).await;
    assert_eq!(report.counts(), (names.len() * 4, 0, 0), "{report}");
}

/// The check that is meant for it catches each misdeed.
const CAUGHT: &[(Misdeed, &str)] = &[
    (Misdeed::OrderChanges, "siblings keep their order while nothing changes"),
    (Misdeed::ChildTwice, "the whole tree can be read, each child once"),
    (Misdeed::PageLosesOne, "children come the same however few are asked for at a time"),
    (
        Misdeed::GoneBeginsAgain,
        "a child to go on behind that is gone is passed over by name, or told to be gone",
    ),
    (Misdeed::LeafWithChildren, "trees show the indexable Objects and no others"),
    (Misdeed::ChildDiffers, "what a tree shows is what a fetch gives"),
    (Misdeed::StateIgnoresChange, "a write changes the validator, and tells the new one or none"),
    (Misdeed::StateChangesByItself, "a validator stays while nothing changes"),
    (Misdeed::TellsAnotherState, "a write changes the validator, and tells the new one or none"),
    (Misdeed::IdentityIsThePath, "another Object in the same place has another ref"),
    (Misdeed::MovingMakesNew, "an Object that somebody moves keeps its ref, and so does all below it"),
    (Misdeed::IdentityOfAll, "no two Objects share a ref"),
    (
        Misdeed::EffectBeforeGuard,
        "a state that changes behind the Host's checks is compared once more, and nothing happens",
    ),
    (Misdeed::EffectBeforeFence, "a call whose caller left before the fence has no effect"),
    (Misdeed::ComparesEarly, "of guarded writers with one observation exactly one has its effect"),
    (Misdeed::ReadWrites, "an operation that is declared `read` changes nothing"),
    (Misdeed::EntryOutside, "entries in results are the provider's own or another mount's"),
    (
        Misdeed::TakesAnyEntry,
        "an entry of another mount as an argument is invalid_arguments, and nothing happens",
    ),
    (Misdeed::FoldsCase, "a name that only looks like another is absent"),
    (Misdeed::PanicsOnNames, "hostile names are absent like any other"),
    (Misdeed::HiddenFails, "what is hidden answers as what is absent"),
    (Misdeed::UnusableFails, "arguments that are unusable are refused and nothing happens"),
    (Misdeed::UnusableHasEffect, "arguments that are unusable are refused and nothing happens"),
    (Misdeed::InterfaceChanges, "each published interface is there, and the same each time"),
    (Misdeed::DoesNothing, "a write that succeeds is seen"),
    (Misdeed::LosesUpdates, "guarded writers that look again lose no effect"),
    (Misdeed::IdentityIsTheText, "an Object that changes keeps its ref"),
    (Misdeed::IdentityIsTheText, "an Object that an operation changes keeps its ref"),
    (Misdeed::MovingMakesNew, "an Object that an operation moves keeps its ref"),
    (Misdeed::Invents, "what is absent is not_found, in the same words wherever it is asked for"),
    (Misdeed::PermitsAll, "what is not permitted is denied and nothing happens"),
    (Misdeed::AnyInterface, "hostile names of interfaces are absent like any other"),
    (Misdeed::PageLosesOne, "children are resumed behind any of them"),
    (Misdeed::StateIgnoresChange, "a stale validator is refused and nothing happens"),
    (Misdeed::StateIgnoresChange, "what somebody else changes changes the validator"),
    (Misdeed::StateChangesByItself, "looking changes nothing"),
    (Misdeed::TellsAnotherState, "the validator that a write tells is good for the next call"),
    (Misdeed::LosesOne, "each declared Object is at its entry"),
    (Misdeed::NoIdentity, "each declared Object has a ref"),
    (Misdeed::IdentityOfEachLook, "a ref stays while nothing changes"),
    (Misdeed::NoState, "each declared Object has a validator"),
    (Misdeed::ListsUnlisted, "a leaf has no indexable children"),
    (
        Misdeed::GivesOneTooFew,
        "a tree of any depth and limit is the breadth-first prefix, and says what it leaves out",
    ),
    (Misdeed::OrderChanges, "observe is the whole subtree to its depth"),
    (Misdeed::ListsWhatIsGone, "what vanishes while a tree is read is left out"),
    (Misdeed::GoneIsEmpty, "what vanishes before its children are read is unexplored, and no leaf"),
    (Misdeed::ReadsDisturb, "a fetch of many answers each entry as if it were fetched alone"),
    (Misdeed::InterfaceWrites, "a refused call has no effect"),
    (Misdeed::EffectBeforeFence, "a call whose time ran out before the fence has no effect"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_misdeed_is_caught_by_the_check_that_is_meant_for_it() {
    let mut escaped = Vec::new();
    for (misdeed, name) in CAUGHT {
        let report = suite::run_only(&subject(*misdeed), &[name]).await;
        assert!(!report.checks().is_empty(), "there is no check {name:?}");
        // Where it applies it is caught each way.
        let ways = report.failed().map(|check| check.way).collect::<HashSet<_>>();
        if ways.len() < 2 {
            escaped.push(format!("{misdeed:?}: {report}"));
        }
    }
    assert!(escaped.is_empty(), "{}", escaped.join("\n\n"));
}

/// A report for an author: what was expected by which section, what came, what is missing, and how much that leaves.
#[tokio::test]
async fn a_report_tells_its_reader_what_to_do() {
    let name = "siblings keep their order while nothing changes";
    let text = suite::run_only(&subject(Misdeed::OrderChanges), &[name]).await.to_string();
    for part in ["FAILED", name, "in process, mounted at the root", "over HTTP", "(SPEC 2.1)", "came: "] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let bare = Subject::new("nothing", || async { (Memory::new(), ()) });
    let report =
        suite::run_only(&bare, &["each declared Object is at its entry", "no two Objects share a ref"]).await;
    let text = report.to_string();
    for part in ["TOO LITTLE APPLIED", "not applicable without `identities`", "an `object`"] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| report.assert()));
    assert!(refused.is_err(), "a run that shows nothing passes for a good one");
}

/// A run in which nothing was tried is none that went well, and a check that is not there is no check.
#[tokio::test]
async fn nothing_tried_is_no_success() {
    let notes = subject(Misdeed::None);
    let asserts =
        |report: Report| std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| report.assert())).is_ok();
    let known = "each declared Object is at its entry";
    assert!(asserts(suite::run_only(&notes, &[known]).await));
    assert!(!asserts(suite::run_only(&notes, &[]).await), "no check at all");
    assert!(!asserts(suite::run_only(&notes, &["writers that are not guarded lose no effect"]).await));
    let report = suite::run_only(&notes, &[known, "a typo"]).await;
    assert!(report.to_string().contains("there is no check \"a typo\""), "{report}");
    assert!(!asserts(report), "one of the names is none");
}

/// What the suite was not told of is not silently left unchecked.
#[tokio::test]
async fn what_is_published_and_not_declared_is_told() {
    let plain = Subject::new("notes, and no word of refs", || async { (Memory::new(), ()) }).object("/");
    let report = suite::run_only(&plain, &["no more is published than was declared"]).await;
    assert_eq!(report.counts(), (0, 4, 0));
    assert!(report.to_string().contains("`identities` was not declared: declare it"), "{report}");
}

#[tokio::test]
async fn a_declaration_that_makes_no_sense_is_told_as_such() {
    let notes = subject(Misdeed::None).object("no path").reading(Sample::of("/today", "", "read"));
    let text = suite::run_only(&notes, &[]).await.to_string();
    assert!(text.contains("\"no path\" is no path of a provider"), "{text}");
    assert!(text.contains("the name of an interface is not empty"), "{text}");
}

/// Every answer that the table of the protocol allows is provoked or has its reason, and none besides.
fn assert_every_pair(report: &Report) {
    let table: serde_json::Value =
        serde_json::from_str(include_str!("../../../../conformance/error_codes.json")).unwrap();
    let mut pairs = BTreeSet::new();
    for row in table.as_array().unwrap() {
        let code = row["code"].as_str().unwrap();
        for interaction in row["interactions"].as_array().unwrap() {
            let interaction = interaction.as_str().unwrap();
            pairs.insert((interaction.to_owned(), code.to_owned()));
            if interaction == "observe" {
                pairs.insert(("fetch".to_owned(), code.to_owned()));
                pairs.insert(("fetch_tree".to_owned(), code.to_owned()));
            }
        }
    }
    for code in ["invalid_request", "resource_limit_exceeded", "internal"] {
        pairs.insert(("call_outcome".to_owned(), code.to_owned()));
    }
    let passed = report.checks().iter().filter(|check| check.outcome == Outcome::Passed);
    let provoked = passed.filter_map(|check| {
        let (interaction, rest) = check.name.strip_prefix('`')?.split_once("` answers `")?;
        Some((interaction.to_owned(), rest.split_once('`')?.0.to_owned()))
    });
    let reasons =
        report.unprovoked().iter().map(|(with, code, _)| (with.name().to_owned(), code.name().to_owned()));
    assert_eq!(provoked.chain(reasons).collect::<BTreeSet<_>>(), pairs);
    assert_eq!(report.unprovoked().len(), 3, "those that nothing provokes: {:?}", report.unprovoked());
}
