//! All checks, by what they are about.

mod entries;
mod errors;
mod faults;
mod fence;
mod guards;
mod identity;
mod leaving;
mod names;
mod observation;
mod order;
mod parts;
mod same;
mod shape;
mod states;
mod tree;

use worldspace_model::{ErrorCode, Interaction};

use super::check::Check;

/// Every check, in the order in which they begin, save those that wait for all others.
pub(super) fn all() -> Vec<Check> {
    let groups = [
        observation::checks(),
        tree::checks(),
        parts::checks(),
        names::checks(),
        shape::checks(),
        order::checks(),
        errors::checks(),
        identity::checks(),
        guards::checks(),
        fence::checks(),
        leaving::checks(),
        faults::checks(),
        entries::checks(),
        same::checks(),
        states::checks(),
    ];
    groups.into_iter().flatten().collect()
}

/// The answers that the protocol allows and no check provokes, with the reasons.
pub(super) fn unprovoked() -> Vec<(Interaction, ErrorCode, &'static str)> {
    let pairs = errors::pairs().into_iter();
    pairs.filter_map(|(interaction, code, reason)| Some((interaction, code, reason?))).collect()
}
