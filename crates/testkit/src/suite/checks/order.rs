//! With several things wrong at once, the first in the order of SPEC 2.2 is told.

use std::sync::Arc;

use worldspace_model::{
    Arguments, Descriptor, Effect, ErrorCode, InterfaceReference, Operation, OperationDeclaration,
    OutgoingCall, Record, Ref, Validator, Value,
};

use crate::suite::bench::Bench;
use crate::suite::check::{Check, Verdict, code_of, expect_code, failed, need_some};
use crate::suite::meddle::CallTurn;
use crate::suite::sample::Sample;
use crate::suite::world::{Prepared, World};

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new("each thing that can be wrong with a call is told as what it is", "SPEC 2.2", singles),
        Check::new("with two things wrong with a call, the first in the order is told", "SPEC 2.2", pairs),
        Check::new("with everything wrong from some point on, that point is told", "SPEC 2.2", suffixes),
    ]
}

/// What can be wrong with a call, in the order in which it is told. A request that is not well formed comes before
/// all; a Transport cannot be made to send one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrong {
    TargetAbsent,
    TargetStale,
    InterfaceForeign,
    ScopeReplaced,
    InterfaceUnobserved,
    InterfaceStale,
    OperationUnknown,
    TargetUnobserved,
    ArgumentsUnfit,
    Denied,
}

impl Wrong {
    pub(super) const ALL: [Self; 10] = [
        Self::TargetAbsent,
        Self::TargetStale,
        Self::InterfaceForeign,
        Self::ScopeReplaced,
        Self::InterfaceUnobserved,
        Self::InterfaceStale,
        Self::OperationUnknown,
        Self::TargetUnobserved,
        Self::ArgumentsUnfit,
        Self::Denied,
    ];

    pub(super) fn code(self) -> ErrorCode {
        match self {
            Self::TargetAbsent => ErrorCode::NotFound,
            Self::TargetStale => ErrorCode::ValidatorMismatch,
            Self::InterfaceForeign | Self::ScopeReplaced => ErrorCode::InterfaceMismatch,
            Self::InterfaceUnobserved => ErrorCode::InterfaceValidatorRequired,
            Self::InterfaceStale => ErrorCode::InterfaceValidatorMismatch,
            Self::OperationUnknown => ErrorCode::OperationNotFound,
            Self::TargetUnobserved => ErrorCode::ValidatorRequired,
            Self::ArgumentsUnfit => ErrorCode::InvalidArguments,
            Self::Denied => ErrorCode::PermissionDenied,
        }
    }

    /// Whether both can be wrong at once.
    fn goes_with(self, other: Self) -> bool {
        let one_of = |one, two| (self, other) == (one, two) || (other, self) == (one, two);
        !one_of(Self::TargetStale, Self::TargetUnobserved)
            && !one_of(Self::InterfaceUnobserved, Self::InterfaceStale)
    }

    /// Whether it can be wrong with this call at all.
    pub(super) fn applies(self, world: &World, prepared: &Prepared) -> bool {
        match self {
            Self::TargetAbsent => !world.declared.absent.is_empty(),
            Self::TargetUnobserved => prepared.effects.has(Effect::Guarded),
            _ => true,
        }
    }

    /// Makes it wrong.
    pub(super) fn spoil(self, world: &World, call: &mut OutgoingCall) -> Verdict {
        match self {
            Self::TargetAbsent => call.target.path = world.absent()?,
            Self::TargetStale => call.target.validator = Some(Validator::new(*b"suite stale")),
            Self::InterfaceForeign => {
                let scope = call.interface.reference.scope().as_str();
                let foreign = InterfaceReference::parse(scope, "suite.foreign");
                call.interface.reference = foreign.or_else(|fault| failed("a reference", fault))?;
            }
            Self::ScopeReplaced => call.interface.scope_ref = Some(Ref::new("suite replaced")),
            Self::InterfaceUnobserved => call.interface.validator = None,
            Self::InterfaceStale => call.interface.validator = Some(Validator::new(*b"suite stale")),
            Self::OperationUnknown => call.operation = unknown_operation()?,
            Self::TargetUnobserved => call.target.validator = None,
            Self::ArgumentsUnfit => {
                let mut fields = call.arguments.record().clone().into_fields();
                fields.push(("suite unknown".into(), Value::Boolean(true)));
                let record = Record::new(fields).or_else(|fault| failed("a record", fault))?;
                call.arguments = Arguments::assume_checked(record);
            }
            Self::Denied => world.meddling.next_call(CallTurn::Deny),
        }
        Ok(())
    }
}

fn unknown_operation() -> Verdict<Operation> {
    let declaration = worldspace_model::Declaration {
        operations: vec![OperationDeclaration::new("suite_unknown")],
        ..worldspace_model::Declaration::default()
    };
    let descriptor = Descriptor::new(declaration).or_else(|fault| failed("a descriptor", fault))?;
    descriptor.require_operation("suite_unknown").or_else(|unknown| failed("an operation", unknown))
}

/// A call with these things wrong.
async fn spoilt(world: &World, prepared: &Prepared, wrongs: &[Wrong]) -> Verdict<Option<ErrorCode>> {
    let mut call = prepared.call.clone();
    for wrong in wrongs {
        wrong.spoil(world, &mut call)?;
    }
    let answer = world.call(call).await;
    world.meddling.stop();
    match code_of(&answer) {
        None => expect_code(&answer, wrongs[0].code(), format!("a call with {wrongs:?}")).map(|()| None),
        code => Ok(code),
    }
}

/// Every call that was declared, each of its kinds once.
fn samples(world: &World) -> Vec<Sample> {
    world.declared.readings.iter().take(2).chain(world.declared.writings.iter().take(3)).cloned().collect()
}

async fn holds(bench: Bench, sets: impl Fn(&[Wrong]) -> Vec<Vec<Wrong>>) -> Verdict {
    let world = Arc::new(bench.world().await?);
    let samples = samples(&world);
    need_some(&samples, "a `reading` or a `writing`")?;
    for sample in &samples {
        let prepared = world.prepare(sample).await?;
        let before = world.snapshot().await?;
        let applying: Vec<Wrong> =
            Wrong::ALL.into_iter().filter(|wrong| wrong.applies(&world, &prepared)).collect();
        for wrongs in sets(&applying) {
            let code = spoilt(&world, &prepared, &wrongs).await?;
            if code != Some(wrongs[0].code()) {
                let expected = format!("{sample} with {wrongs:?} wrong: {}", wrongs[0].code());
                return failed(expected, code.map_or("no refusal", ErrorCode::name));
            }
        }
        world.unchanged_since(&before, &format!("{sample} was refused each time")).await?;
    }
    Ok(())
}

async fn singles(bench: Bench) -> Verdict {
    holds(bench, |applying| applying.iter().map(|wrong| vec![*wrong]).collect()).await
}

async fn pairs(bench: Bench) -> Verdict {
    holds(bench, |applying| {
        let mut pairs = Vec::new();
        for (at, first) in applying.iter().enumerate() {
            let later = applying[at + 1..].iter().filter(|second| first.goes_with(**second));
            pairs.extend(later.map(|second| vec![*first, *second]));
        }
        pairs
    })
    .await
}

async fn suffixes(bench: Bench) -> Verdict {
    holds(bench, |applying| {
        let suffix = |at: usize| {
            let mut wrongs: Vec<Wrong> = Vec::new();
            for wrong in &applying[at..] {
                if wrongs.iter().all(|before| before.goes_with(*wrong)) {
                    wrongs.push(*wrong);
                }
            }
            wrongs
        };
        (0..applying.len()).map(suffix).collect()
    })
    .await
}
