//! The truth about outcomes (SPEC 2.3), for every point and fault, in-process and over HTTP; that a lie about them is
//! caught, and cases that came to nothing too.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use worldspace_client::{CallFailure, CallOptions, Client, ErrorKind, Settings};
use worldspace_host::{Host, HostLimits};
use worldspace_model::{EntryPath, ErrorCode, Record, Value};
use worldspace_testkit::Way;
use worldspace_testkit::oracle::*;

use crate::oracle_liar::{Liar, Lie};

/// All cases have to come to their point.
const ALL: f64 = 1.0;

#[tokio::test(flavor = "multi_thread")]
async fn whatever_fails_and_wherever_the_caller_is_told_the_truth() {
    let logs = tempfile::tempdir().unwrap();
    let report = Trial::new().run(logs.path()).await.unwrap();
    if let Err(failure) = report.verdict(ALL) {
        panic!("{failure}\n{report}");
    }
    let (run, cannot_be) = (report.outcomes.len(), report.impossible.len());
    assert_eq!(run + cannot_be, Case::all().count(), "every combination is run or has its reason");
    let ran: HashSet<Group> = report.outcomes.iter().map(|outcome| outcome.case.group()).collect();
    for way in Way::ALL {
        let ran = |is: &dyn Fn(Point, Fault) -> bool| {
            ran.iter().any(|group| group.2 == way && is(group.0, group.1))
        };
        for point in Point::ALL {
            assert!(ran(&|at, _| at == point), "{point:?} {way:?}");
        }
        for fault in Fault::ALL {
            assert!(ran(&|_, what| what == fault), "{fault:?} {way:?}");
        }
    }
}

type Is = fn(&Flaw) -> bool;

/// Runs these cases with a liar before the Host: each of the flaws is found, each way.
async fn caught(lie: Lie, flaws: &[Is], patience: Duration, cases: fn(&Case) -> bool) {
    let logs = tempfile::tempdir().unwrap();
    let trial = Trial::new().only(cases).patience(patience);
    let report = trial.through(move |host| Arc::new(Liar::new(host, lie))).run(logs.path()).await.unwrap();
    for way in Way::ALL {
        for is in flaws {
            let caught = report.flawed().filter(|outcome| outcome.case.way == way);
            let caught = caught.flat_map(|outcome| &outcome.flaws).filter(|flaw| is(flaw)).count();
            let lines: Vec<_> = report.flawed().map(ToString::to_string).collect();
            assert!(caught > 0, "{lie:?} {way:?}\n{}\n{report}", lines.join("\n"));
        }
    }
    assert!(report.verdict(ALL).is_err(), "{lie:?}");
}

/// As long as it takes on a slow machine.
const LONG: Duration = Duration::from_secs(20);
/// Where it is known that nothing comes.
const SHORT: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread")]
async fn every_lie_about_an_outcome_is_caught() {
    let lies: [(Lie, &[Is]); 7] = [
        (
            Lie::UnknownIsInternal,
            &[
                |flaw| matches!(flaw, Flaw::HidesEffect(Net::Once)),
                |flaw| matches!(flaw, Flaw::Guesses(ErrorCode::Internal)),
            ],
        ),
        (Lie::SuccessIsInternal, &[|flaw| matches!(flaw, Flaw::HidesSuccess)]),
        (Lie::SuccessIsUnknown, &[|flaw| matches!(flaw, Flaw::UnknownWithoutNeed)]),
        (Lie::RefusedIsUnknown, &[|flaw| matches!(flaw, Flaw::UnknownWithoutNeed)]),
        (Lie::RunsTwice, &[|flaw| matches!(flaw, Flaw::Repeats)]),
        (Lie::ResultDiffers, &[|flaw| matches!(flaw, Flaw::WrongResult)]),
        (Lie::RefusesSecond, &[|flaw| matches!(flaw, Flaw::LosesPlace)]),
    ];
    for (lie, flaws) in lies {
        caught(lie, flaws, LONG, |case| {
            case.kind == Kind::Unguarded
                && matches!(case.script.point, Point::Called | Point::AfterEffect)
                && matches!(
                    case.script.fault,
                    Fault::Nothing | Fault::GivesUp | Fault::Refuses(Reason::Failed)
                )
        })
        .await;
    }
    caught(Lie::ValidatorDiffers, &[|flaw| matches!(flaw, Flaw::WrongValidator)], LONG, |case| {
        case.kind == Kind::Guarded && case.script.fault == Fault::Nothing
    })
    .await;
}

/// What keeps a call from its provider is held against the answer too.
#[tokio::test(flavor = "multi_thread")]
async fn lies_about_what_was_found_on_the_way_to_a_call_are_caught() {
    let on_the_way = |case: &Case| {
        case.caller == Caller::Waits
            && matches!(case.script.point, Point::Object | Point::Scope | Point::Interface)
            && matches!(case.script.fault, Fault::Panics | Fault::Refuses(_))
    };
    let claims: Is = |flaw| matches!(flaw, Flaw::ClaimsSuccess(Net::None));
    let reason: Is = |flaw| matches!(flaw, Flaw::WrongReason(ErrorCode::NotFound));
    caught(Lie::RefusedIsSuccess, &[claims, reason], LONG, on_the_way).await;
    caught(Lie::NotFoundIsInternal, &[reason], LONG, on_the_way).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_does_not_notice_or_does_not_go_on_is_caught() {
    let looks: Is = |flaw| matches!(flaw, Flaw::LeavesOthersWaiting(Told::Refused(ErrorCode::Internal)));
    caught(Lie::RefusesLooks, &[looks], LONG, |case| {
        case.caller == Caller::Waits
            && case.script.point == Point::Called
            && case.script.fault == Fault::HangsUntilReleased
    })
    .await;
    let hides: Is = |flaw| matches!(flaw, Flaw::HidesTruncation);
    caught(Lie::HidesTruncation, &[hides], LONG, |case| case.script.point == Point::Children).await;
    let never: Is = |flaw| matches!(flaw, Flaw::NeverNotices);
    let nobody: Is = |flaw| matches!(flaw, Flaw::RunsForNobody);
    caught(Lie::NeverNotices, &[never, nobody], SHORT, |case| {
        case.caller == Caller::GoesAway
            && case.kind == Kind::Unguarded
            && case.script.point == Point::Called
            && case.script.fault == Fault::HangsUntilReleased
    })
    .await;
    let ends: Is = |flaw| matches!(flaw, Flaw::NeverEnds);
    let drains: Is = |flaw| matches!(flaw, Flaw::CannotDrain);
    let place: Is = |flaw| matches!(flaw, Flaw::LosesPlace);
    caught(Lie::KeepsRunning, &[ends, drains, place], SHORT, |case| {
        case.caller == Caller::RunsOutOfTime
            && case.kind == Kind::Read
            && case.script.point == Point::Called
            && case.script.fault == Fault::HangsForEver
    })
    .await;
}

/// What a call was told, and what became of it: what is wrong, if it is that.
#[test]
fn the_judgement_is_of_what_was_told_and_what_happened() {
    use Handed::{RolledBack, Unknown};
    let ended = |crossed, handed| {
        let mut progress = Progress::default();
        (progress.reached, progress.crossed, progress.handed) = (true, crossed, handed);
        progress
    };
    let done = ended(true, Some(Handed::Result));
    let refused = Told::Refused(ErrorCode::ResourceLimitExceeded);
    let unknown = Told::Refused(ErrorCode::OperationOutcomeUnknown);
    let goes_on = Script::new(Point::AfterEffect, Fault::Nothing);
    let early = Script::new(Point::Called, Fault::Refuses(Reason::Limit));
    let gives_up = Script::new(Point::MidEffect, Fault::GivesUp);
    let rolls_back = Script::new(Point::MidEffect, Fault::Refuses(Reason::Limit));
    let limit = Handed::Refused(ErrorCode::ResourceLimitExceeded);
    let undone = RolledBack(ErrorCode::ResourceLimitExceeded);
    let cases = [
        (Told::Success, goes_on, done.clone(), Net::Once, vec![]),
        (
            Told::Success,
            goes_on,
            done.clone(),
            Net::Half,
            vec![Flaw::ClaimsSuccess(Net::Half), Flaw::StopsBehindFence(Net::Half)],
        ),
        (
            Told::Success,
            goes_on,
            done.clone(),
            Net::Repeated,
            vec![Flaw::Repeats, Flaw::ClaimsSuccess(Net::Repeated), Flaw::StopsBehindFence(Net::Repeated)],
        ),
        (unknown, goes_on, done.clone(), Net::Once, vec![Flaw::UnknownWithoutNeed, Flaw::HidesSuccess]),
        (Told::NoAnswer, goes_on, done, Net::Once, vec![Flaw::GivesNoAnswer, Flaw::HidesSuccess]),
        (refused, early, ended(false, Some(limit)), Net::None, vec![]),
        (
            unknown,
            early,
            ended(false, Some(limit)),
            Net::None,
            vec![Flaw::UnknownWithoutNeed, Flaw::WrongReason(ErrorCode::ResourceLimitExceeded)],
        ),
        (
            Told::Refused(ErrorCode::Internal),
            early,
            ended(false, Some(limit)),
            Net::None,
            vec![Flaw::WrongReason(ErrorCode::ResourceLimitExceeded)],
        ),
        (unknown, gives_up, ended(true, Some(Unknown)), Net::Half, vec![]),
        (
            refused,
            gives_up,
            ended(true, Some(Unknown)),
            Net::Half,
            vec![Flaw::HidesEffect(Net::Half), Flaw::Guesses(ErrorCode::ResourceLimitExceeded)],
        ),
        (refused, rolls_back, ended(true, Some(undone)), Net::None, vec![]),
        (
            unknown,
            rolls_back,
            ended(true, Some(undone)),
            Net::None,
            vec![Flaw::UnknownWithoutNeed, Flaw::WrongReason(ErrorCode::ResourceLimitExceeded)],
        ),
    ];
    let not_there = Script::new(Point::Object, Fault::Refuses(Reason::NotFound));
    let another = Script::new(Point::Interface, Fault::WrongType);
    let nowhere = ended(false, None);
    let on_the_way = [
        (Told::Refused(ErrorCode::NotFound), not_there, nowhere.clone(), Net::None, vec![]),
        (
            Told::Refused(ErrorCode::Internal),
            not_there,
            nowhere.clone(),
            Net::None,
            vec![Flaw::WrongReason(ErrorCode::NotFound)],
        ),
        (
            Told::Success,
            not_there,
            nowhere.clone(),
            Net::None,
            vec![Flaw::ClaimsSuccess(Net::None), Flaw::WrongReason(ErrorCode::NotFound)],
        ),
        (
            Told::Success,
            not_there,
            ended(true, Some(Handed::Result)),
            Net::Once,
            vec![Flaw::WrongReason(ErrorCode::NotFound), Flaw::RunsUnseen],
        ),
        (
            Told::Refused(ErrorCode::InterfaceValidatorMismatch),
            another,
            ended(false, Some(Handed::Result)),
            Net::None,
            vec![Flaw::HidesSuccess, Flaw::RunsUnseen],
        ),
    ];
    for (told, script, progress, net, flaws) in cases.into_iter().chain(on_the_way) {
        let facts = Facts {
            script,
            kind: Kind::Unguarded,
            caller: Caller::Waits,
            encoded: true,
            at_answer: progress.clone(),
            at_end: progress,
            net,
        };
        assert_eq!(judge(told, &facts), flaws, "{told:?} {facts:?}");
    }
    let mut stopped = ended(true, Some(Unknown));
    stopped.called_off = true;
    let ran = ended(true, Some(Handed::Result));
    for (script, progress, net, flaw) in [
        (gives_up, stopped, Net::Half, Flaw::StopsBehindFence(Net::Half)),
        (Script::new(Point::Called, Fault::HangsUntilReleased), ran, Net::Once, Flaw::RunsForNobody),
    ] {
        let (kind, caller, at_end) = (Kind::Guarded, Caller::GoesAway, progress.clone());
        let facts = Facts { script, kind, caller, encoded: false, at_answer: progress, at_end, net };
        assert_eq!(judge(Told::Gone, &facts), [flaw], "{facts:?}");
    }
}

#[test]
fn cases_that_do_not_come_to_their_point_are_no_success() {
    let case = Case::all().find(|case| case.impossible().is_none()).unwrap();
    let outcome = |reached| Outcome { case, told: Told::Success, reached, flaws: Vec::new() };
    let report =
        |reached: [bool; 4]| Report { outcomes: reached.map(outcome).into(), impossible: Vec::new() };
    assert!(report([true; 4]).verdict(ALL).is_ok());
    assert!(report([true, true, true, false]).verdict(ALL).is_err());
    assert!(report([true, true, true, false]).verdict(0.7).is_ok());
    assert!(report([true, true, false, false]).verdict(0.7).is_err());
    assert!(Report::default().verdict(ALL).is_err(), "no case at all is no success either");
}

/// A world with the oracle in it and room for so many calls, and the way there.
async fn world(
    way: Way,
    calls: usize,
    logs: &std::path::Path,
) -> (Oracle, Host, worldspace_testkit::Loopback) {
    let oracle = Oracle::new(logs.join(format!("{way:?}.log"))).unwrap();
    let limits = HostLimits { calls, ..HostLimits::default() };
    let mount = EntryPath::parse("/oracle").unwrap();
    let host = Host::builder().mount(mount, oracle.clone()).limits(limits).build().unwrap();
    let there = way.to(Arc::new(host.clone())).await.unwrap();
    (oracle, host, there)
}

/// Calls the oracle's Object as a Client does, on what it has just seen.
async fn call(client: &Client, operation: &str, id: &str) -> Result<(), CallFailure> {
    let thing = client.fetch(&EntryPath::parse("/oracle/thing").unwrap()).await.unwrap();
    let interface = client.interface(&thing.object().interfaces[0]).await.unwrap();
    let arguments = Record::new(vec![("id".into(), Value::string(id))]).unwrap();
    client.call(&thing, &interface, operation, arguments, CallOptions::default()).await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_keeps_its_place_until_it_ends_whoever_has_left() {
    const PLACES: usize = 5;
    for way in Way::ALL {
        let logs = tempfile::tempdir().unwrap();
        let (oracle, host, there) = world(way, PLACES, logs.path()).await;
        let client = Client::new(there.transport(), Settings::default());
        // Twice, so that every place has been given back once.
        for round in 0..2 {
            let script = Script::new(Point::HandingOver, Fault::HangsUntilReleased).on_thread();
            let plays: Vec<Play> =
                (0..PLACES).map(|at| oracle.play(format!("{round}-{at}"), script)).collect();
            let mut calling = JoinSet::new();
            for play in &plays {
                let (client, id) = (client.clone(), play.id().to_owned());
                calling.spawn(async move { call(&client, "add", &id).await });
                play.reached().await;
            }
            calling.shutdown().await;
            let surplus = format!("{round}-surplus");
            let refused = call(&client, "add", &surplus).await.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Protocol(ErrorCode::ResourceLimitExceeded), "{way:?}");
            assert_eq!(oracle.log().net(&surplus).unwrap(), Net::None);
            assert!(!host.drain(Duration::ZERO).await, "they run on without their callers");
            for play in &plays {
                play.release();
                play.ended().await;
                assert_eq!(oracle.log().net(play.id()).unwrap(), Net::Once);
            }
            assert!(host.drain(Duration::from_secs(20)).await);
        }
        call(&client, "add", "behind").await.unwrap();
    }
}
