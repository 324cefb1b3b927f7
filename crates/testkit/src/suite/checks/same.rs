//! One Host, asked both ways: the same answers, to the last byte of a validator.

use std::fmt::Debug;
use std::sync::Arc;

use worldspace_client::InProcess;
use worldspace_model::{
    EntryPath, FetchInterfaceRequest, FetchRequest, FetchTreeRequest, ObserveRequest, Principal, Transport,
    TransportError,
};

use super::order::Wrong;
use crate::Way;
use crate::suite::bench::Bench;
use crate::suite::check::{Check, Verdict, expect, failed, told};
use crate::suite::world::anyone;

pub(super) fn checks() -> Vec<Check> {
    let name = "what is asked over HTTP is answered as in the same process";
    vec![Check::new(name, "SPEC 2", same).only_by(Way::Http)]
}

fn expect_equal<T: Debug>(
    near: &Result<T, TransportError>,
    far: &Result<T, TransportError>,
    what: impl std::fmt::Display,
) -> Verdict {
    let (near, far) = (told(near), told(far));
    expect(near == far, format!("{what}, as in process: {near}"), far)
}

async fn same(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let near = InProcess::new(Arc::new(world.host.clone()), Principal::anonymous());
    let far = &world.transport;
    let tree = world.whole(&EntryPath::root()).await?;
    let mut entries = tree.paths(&EntryPath::root());
    entries.truncate(60);
    let declared = &bench.declared;
    entries.extend(declared.absent.iter().chain(&declared.unlisted).map(|path| world.entry(path)));
    let request = FetchRequest { entries: entries.iter().cloned().map(Ok).collect() };
    let answers = (near.fetch(anyone(), request.clone()).await, far.fetch(anyone(), request).await);
    expect_equal(&answers.0, &answers.1, "a fetch of many")?;
    for entry in &entries {
        for (depth, limit) in [(0, 1), (1, 2), (2, 7), (9, 1000)] {
            let request = FetchTreeRequest::new(entry.clone(), depth, limit, None);
            let request = request.or_else(|fault| failed("a request", fault))?;
            let answers =
                (near.fetch_tree(anyone(), request.clone()).await, far.fetch_tree(anyone(), request).await);
            expect_equal(&answers.0, &answers.1, format!("the tree below {entry}"))?;
        }
        let request = ObserveRequest { path: entry.clone(), depth: 1 };
        let answers = (near.observe(anyone(), request.clone()).await, far.observe(anyone(), request).await);
        expect_equal(&answers.0, &answers.1, format!("observe {entry}"))?;
    }
    for sample in &declared.readings {
        let prepared = world.prepare(sample).await?;
        let reference = prepared.call.interface.reference.clone();
        let request = FetchInterfaceRequest { interface: reference, effects: true };
        let answers = (
            near.fetch_interface(anyone(), request.clone()).await,
            far.fetch_interface(anyone(), request).await,
        );
        expect_equal(&answers.0, &answers.1, format!("the interface of {sample}"))?;
        let answers = (
            near.call_operation(anyone(), prepared.call.clone()).await,
            world.call(prepared.call.clone()).await,
        );
        // Only a Host knows on which side of its fence a call ended.
        let result = |answer: Result<worldspace_model::CallAnswer, TransportError>| {
            answer.map(|answer| (answer.result, answer.validator))
        };
        expect_equal(&result(answers.0), &result(answers.1), format!("the call {sample}"))?;
    }
    for sample in declared.readings.iter().chain(&declared.writings).chain(&declared.refusals) {
        let prepared = world.prepare(sample).await?;
        for wrong in Wrong::ALL.into_iter().filter(|wrong| wrong.applies(&world, &prepared)) {
            let mut call = prepared.call.clone();
            wrong.spoil(&world, &mut call)?;
            let first = near.call_operation(anyone(), call.clone()).await;
            wrong.spoil(&world, &mut prepared.call.clone())?;
            let answers = (first, world.call(call).await);
            world.meddling.stop();
            expect_equal(&answers.0, &answers.1, format!("{sample} with {wrong:?}"))?;
        }
    }
    Ok(())
}
