//! Published validators: what they stand for, and when they change (SPEC 4).

use std::sync::Arc;

use worldspace_client::InProcess;
use worldspace_model::{
    ErrorCode, FetchInterfaceRequest, FetchRequest, Principal, RequestContext, Transport, TransportError,
};

use crate::Way;
use crate::suite::bench::Bench;
use crate::suite::check::{
    Check, Stop, Verdict, expect, expect_code, expect_same, expect_success, need_some,
};

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new("each declared Object has a validator", "SPEC 4", each),
        Check::new("a validator stays while nothing changes", "SPEC 4", stays),
        Check::new("a write changes the validator, and tells the new one or none", "SPEC 4", written),
        Check::new("the validator that a write tells is good for the next call", "SPEC 4", told_one),
        Check::new("what somebody else changes changes the validator", "SPEC 4", disturbed),
        Check::new("two principals share no validator", "SPEC 4", principals).only_by(Way::InProcess),
        Check::new(
            "equal ref and validator mean an equal Object, in all that was seen",
            "SPEC 1",
            consistent,
        )
        .at_last(),
    ]
}

fn declared(bench: &Bench) -> Verdict {
    if bench.declared.states { Ok(()) } else { Err(Stop::Lacking("`states`".to_owned())) }
}

async fn each(bench: Bench) -> Verdict {
    declared(&bench)?;
    bench.world().await?.each_has("validator", "states", |object| &object.validator).await
}

async fn stays(bench: Bench) -> Verdict {
    declared(&bench)?;
    bench.world().await?.each_keeps("validator", |object| &object.validator).await
}

async fn written(bench: Bench) -> Verdict {
    declared(&bench)?;
    let world = bench.world().await?;
    let write = &world.adding()?.write;
    let mut known = vec![world.found(&write.path).await?.validator.clone()];
    for _ in 0..5 {
        let answer = world.run(write).await?;
        let now = world.found(&write.path).await?.validator.clone();
        let is_new = !known.contains(&now);
        expect(
            is_new,
            format!("another validator of {} after each {write}", write.path),
            format!("{now:?} again"),
        )?;
        let fits = answer.validator.is_none() || answer.validator == now;
        let expected =
            format!("no validator in the answer of {write}, or the one that a fetch gives, {now:?}");
        expect(fits, expected, format!("{:?}", answer.validator))?;
        known.push(now);
    }
    Ok(())
}

async fn told_one(bench: Bench) -> Verdict {
    declared(&bench)?;
    let world = bench.world().await?;
    let write = &world.adding()?.write;
    let before = world.count().await?;
    let mut call = world.prepare(write).await?.call;
    for done in 0..4 {
        let answer = expect_success(world.call(call.clone()).await, format!("{write}, {done} times before"))?;
        let Some(validator) = answer.validator else {
            // The state is compared nowhere, or more changed than it: the caller has to look again.
            return Ok(());
        };
        call.target.validator = Some(validator);
    }
    expect_same(&(before + 4), &world.count().await?, format!("effects of {write} called four times"))
}

async fn disturbed(bench: Bench) -> Verdict {
    declared(&bench)?;
    for (path, deed) in need_some(&bench.declared.disturbed, "a `disturbing`")? {
        let world = bench.world().await?;
        let before = world.found(path).await?;
        world.by_hand(deed).await;
        let after = world.found(path).await?;
        let changed = before.validator != after.validator;
        expect(
            changed,
            format!("another validator of {path}, which changed"),
            format!("{:?} again", after.validator),
        )?;
    }
    Ok(())
}

async fn principals(bench: Bench) -> Verdict {
    declared(&bench)?;
    let world = bench.world().await?;
    let as_one = |name: &str| InProcess::new(Arc::new(world.host.clone()), Principal::new(name));
    let (ann, bob) = (as_one("ann"), as_one("bob"));
    let context = || RequestContext::of(Principal::anonymous());
    for path in need_some(&bench.declared.objects, "an `object`")? {
        let request = FetchRequest { entries: vec![Ok(world.entry(path))] };
        let mut validators = Vec::new();
        for transport in [&ann, &bob] {
            let answer = transport.fetch(context(), request.clone()).await;
            let mut answer = expect_success(answer, format!("{path}, as a named principal"))?;
            let object = answer.results.remove(0).map_err(TransportError::Refused);
            validators
                .push(expect_success(object, format!("{path}, as a named principal"))?.validator.clone());
        }
        validators.push(world.found(path).await?.validator.clone());
        let different = validators[0] != validators[1]
            && validators[1] != validators[2]
            && validators[0] != validators[2];
        expect(
            different,
            format!("three validators of {path} for three principals"),
            format!("{validators:?}"),
        )?;
    }
    // What one observed is nothing that another may act on.
    let mut call = world.prepare(world.any_sample()?).await?.call;
    let request = FetchInterfaceRequest { interface: call.interface.reference.clone(), effects: false };
    let interface = expect_success(ann.fetch_interface(context(), request).await, "the interface, as ann")?;
    let own = interface.validator != call.interface.validator;
    expect(own, "a descriptor's validator of ann's own", "the one of nobody in particular")?;
    call.interface.validator = interface.validator;
    expect_code(
        &ann.call_operation(context(), call).await,
        ErrorCode::ValidatorMismatch,
        "a call as ann with the validator that another was shown",
    )
}

async fn consistent(bench: Bench) -> Verdict {
    declared(&bench)?;
    let (seen, contradictions) = bench.seen.result();
    expect(
        contradictions.is_empty(),
        "equal Objects for equal ref and validator",
        contradictions.join("; "),
    )?;
    if seen == 0 {
        return Err(Stop::Lacking("an Object with both `identities` and `states`".to_owned()));
    }
    Ok(())
}
