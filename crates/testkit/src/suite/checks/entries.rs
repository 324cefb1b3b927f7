//! Entries in results and arguments: whose they are (SPEC 1, 2.2).

use worldspace_model::{Arguments, EntryPath, ErrorCode, Record, Value};

use crate::suite::Place;
use crate::suite::bench::Bench;
use crate::suite::check::{Check, Verdict, expect, expect_code, failed, need, need_some};

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new("entries in results are the provider's own or another mount's", "SPEC 1", results),
        Check::new(
            "an entry of another mount as an argument is invalid_arguments, and nothing happens",
            "SPEC 2.2",
            foreign,
        )
        .only_at(Place::Beside),
    ]
}

async fn results(bench: Bench) -> Verdict {
    let mut found = Vec::new();
    for sample in bench.declared.readings.iter().chain(&bench.declared.writings) {
        let world = bench.world().await?;
        let answer = world.run(sample).await?;
        for entry in answer.result.entries() {
            found.push(entry.clone());
            let elsewhere = world.neighbour.iter().any(|neighbour| neighbour.contains(entry));
            let expected =
                format!("an entry below {} (or another mount) in the result of {sample}", world.mount);
            expect(world.mount.contains(entry) || elsewhere, expected, entry)?;
        }
    }
    need_some(&found, "a `reading` or `writing` that gives an entry").map(|_| ())
}

async fn foreign(bench: Bench) -> Verdict {
    let world = bench.world().await?;
    let all = bench.declared.readings.iter().chain(&bench.declared.writings);
    let taking: Vec<_> = all.filter(|sample| !sample.local_entries.is_empty()).collect();
    let neighbour = need(world.neighbour.clone(), "another mount")?;
    let nowhere = EntryPath::parse("/suite/nowhere").or_else(|fault| failed("a path", fault))?;
    for sample in need_some(&taking, "a `reading` or `writing` `with_entry`")? {
        for name in &sample.local_entries {
            for entry in [neighbour.clone(), EntryPath::root(), nowhere.clone()] {
                let before = world.snapshot().await?;
                let mut call = world.prepare(sample).await?.call;
                let mut fields = call.arguments.record().clone().into_fields();
                for (known, value) in &mut fields {
                    if known == name {
                        *value = Value::Entry(entry.clone());
                    }
                }
                let record = Record::new(fields).or_else(|fault| failed("a record", fault))?;
                call.arguments = Arguments::assume_checked(record);
                let answer = world.call(call).await;
                let what = format!("{sample} with {entry}, which is not the provider's, as `{name}`");
                expect_code(&answer, ErrorCode::InvalidArguments, what)?;
                world.unchanged_since(&before, &format!("{sample} was refused")).await?;
            }
        }
    }
    Ok(())
}
