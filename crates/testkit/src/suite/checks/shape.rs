//! Requests that are not well formed, which no Transport sends: written by hand, over HTTP alone (SPEC 2.2).

use worldspace_model::{ErrorCode, Interaction};

use crate::Way;
use crate::suite::bench::Bench;
use crate::suite::check::{Check, Verdict, expect_same};
use crate::suite::raw;

pub(super) fn checks() -> Vec<Check> {
    let name = "a request that is not well formed is told as such before anything else that is wrong with it";
    vec![Check::new(name, "SPEC 2.2", all).only_by(Way::Http)]
}

async fn all(bench: Bench) -> Verdict {
    for interaction in [
        Interaction::FetchTree,
        Interaction::Observe,
        Interaction::FetchInterface,
        Interaction::CallOperation,
    ] {
        malformed(bench.clone(), interaction).await?;
    }
    Ok(())
}

/// A body that is well formed and asks for what is absent, and such that differ from it in their shape.
pub(super) async fn malformed(bench: Bench, interaction: Interaction) -> Verdict {
    let world = bench.world().await?;
    let absent = raw::quoted(world.absent()?.as_str());
    let (sound, wrong) = bodies(interaction, &absent);
    let code = match interaction {
        Interaction::FetchInterface => ErrorCode::InterfaceNotFound,
        _ => ErrorCode::NotFound,
    };
    let answer = raw::post(&world, interaction, &sound).await?;
    expect_same(&vec![code.name()], &raw::codes(&answer), format!("the codes for {sound}"))?;
    for body in wrong {
        let answer = raw::post(&world, interaction, &body).await?;
        let what = format!("the codes for {body}");
        expect_same(&vec![ErrorCode::InvalidRequest.name()], &raw::codes(&answer), what)?;
    }
    Ok(())
}

fn bodies(interaction: Interaction, absent: &str) -> (String, Vec<String>) {
    match interaction {
        Interaction::FetchTree => {
            let tree = |rest: &str| format!(r#"{{"entry":{absent},{rest}}}"#);
            let wrong = [
                r#""depth":1"#,
                r#""depth":1,"limit":0"#,
                r#""depth":-1,"limit":1"#,
                r#""depth":1,"limit":4294967296"#,
                r#""depth":1,"limit":1.5"#,
                r#""depth":0,"limit":1,"after":"a""#,
                r#""depth":1,"limit":1,"after":"a/b""#,
                r#""depth":1,"limit":1,"after":"..""#,
                r#""depth":1,"limit":1,"after":"""#,
                r#""depth":1,"limit":1,"after":null"#,
            ];
            (tree(r#""depth":1,"limit":1"#), wrong.map(tree).to_vec())
        }
        Interaction::FetchInterface => {
            let wrong = [
                format!(r#"{{"interface":{{"scope":{absent},"name":""}}}}"#),
                r#"{"interface":{"scope":"a","name":"b"}}"#.to_owned(),
                format!(r#"{{"interface":{{"scope":{absent}}}}}"#),
            ];
            (format!(r#"{{"interface":{{"scope":{absent},"name":"suite"}}}}"#), wrong.to_vec())
        }
        Interaction::CallOperation => {
            let call = |target: &str, rest: &str| {
                let interface = format!(r#"{{"reference":{{"scope":{absent},"name":"suite"}}}}"#);
                let head =
                    format!(r#""target":{{"path":{target}}},"interface":{interface},"operation":"suite""#);
                format!("{{{head}{rest}}}")
            };
            let wrong = [
                call(absent, ""),
                call(absent, r#","arguments":null"#),
                call(absent, r#","arguments":[]"#),
                call(absent, r#","arguments":{},"more":1"#),
                call(absent, r#","arguments":{"a":1,"a":2}"#),
                call(absent, r#","arguments":{"a":"#),
                call(r#""no path""#, r#","arguments":{}"#),
            ];
            (call(absent, r#","arguments":{}"#), wrong.to_vec())
        }
        _ => {
            let wrong = [
                format!(r#"{{"path":{absent}}}"#),
                format!(r#"{{"path":{absent},"depth":-1}}"#),
                format!(r#"{{"path":{absent},"depth":1,"depth":1}}"#),
                r#"{"path":"/a/../b","depth":1}"#.to_owned(),
            ];
            (format!(r#"{{"path":{absent},"depth":1}}"#), wrong.to_vec())
        }
    }
}
