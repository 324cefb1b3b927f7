//! What changed between two lists of interfaces, and whether callers break.
//!
//! A caller breaks where a call that was right is refused, where a result holds what was never announced, where a name is
//! gone that callers write, and where a promise is taken back on which they rely. So parameters and results are held to
//! opposite rules: a parameter may take more and a result may say less. Types are compared by what they are, whatever
//! their names.
//!
//! A new field of a result breaks nobody: programs read fields by their names, and a Client checks a result against the
//! descriptor that its Host has now, for which descriptors that can change have validators (SPEC 4). A new case does, for
//! a caller has to do something in each case.

mod names;
mod types;

use std::collections::HashMap;

use worldspace_model::{Documentation, Effect, Effects, Operation};

use crate::check::{DeclaredInterface, DeclaredName};
use crate::{quote, reference};
use types::Types;

/// One thing that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The interface, by its old name where it has one.
    pub interface: DeclaredName,
    /// Where: `issue.lifecycle.close(note)` for a parameter, `issue.lifecycle.close -> blocked.dependencies` within a
    /// result.
    pub place: String,
    /// What is different there.
    pub what: String,
    /// Whether callers break.
    pub breaks: bool,
}

/// What changed, in the order of the old interfaces, with the new ones behind them.
pub fn diff(old: &[DeclaredInterface], new: &[DeclaredInterface]) -> Vec<Change> {
    let partners = partners(old, new);
    let mut changes = Vec::new();
    let mut met = vec![false; new.len()];
    for (declared, partner) in old.iter().zip(partners) {
        let mut told = Told { name: &declared.name, label: label(&declared.name), changes: &mut changes };
        match partner.and_then(|at| Some((at, new.get(at)?))) {
            Some((at, partner)) => {
                if let Some(met) = met.get_mut(at) {
                    *met = true;
                }
                interface(&mut told, declared, partner);
            }
            None => told.breaks("", "the interface is gone"),
        }
    }
    for (declared, _) in new.iter().zip(met).filter(|(_, met)| !met) {
        let mut told = Told { name: &declared.name, label: label(&declared.name), changes: &mut changes };
        told.harmless("", "the interface is new");
    }
    changes
}

/// For each old interface, the new one that it became: the one of the same name, or, as a name without a scope leaves that
/// to whoever registers the interface, the only one left that it can be.
fn partners(old: &[DeclaredInterface], new: &[DeclaredInterface]) -> Vec<Option<usize>> {
    let by_name: HashMap<&DeclaredName, usize> =
        new.iter().enumerate().map(|(at, declared)| (&declared.name, at)).collect();
    let mut partners: Vec<Option<usize>> =
        old.iter().map(|declared| by_name.get(&declared.name).copied()).collect();
    let mut is_free = vec![true; new.len()];
    for at in partners.iter().flatten() {
        if let Some(free) = is_free.get_mut(*at) {
            *free = false;
        }
    }
    let mut left: HashMap<&str, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for (at, (declared, _)) in
        old.iter().zip(&partners).enumerate().filter(|(_, (_, partner))| partner.is_none())
    {
        left.entry(bare(&declared.name)).or_default().0.push(at);
    }
    for (at, (declared, _)) in new.iter().zip(is_free).enumerate().filter(|(_, (_, free))| *free) {
        left.entry(bare(&declared.name)).or_default().1.push(at);
    }
    for candidates in left.into_values() {
        let ([was], [is]) = (&candidates.0[..], &candidates.1[..]) else { continue };
        let is_bare = |list: &[DeclaredInterface], at: usize| {
            list.get(at).is_some_and(|declared| matches!(declared.name, DeclaredName::Bare(_)))
        };
        if let Some(partner) = partners.get_mut(*was).filter(|_| is_bare(old, *was) || is_bare(new, *is)) {
            *partner = Some(*is);
        }
    }
    partners
}

fn bare(name: &DeclaredName) -> &str {
    match name {
        DeclaredName::Full(full) => full.name().as_str(),
        DeclaredName::Bare(bare) => bare.as_str(),
    }
}

fn label(name: &DeclaredName) -> String {
    match name {
        DeclaredName::Full(full) => reference::write(full),
        DeclaredName::Bare(bare) => quote::dotted(bare.as_str()),
    }
}

/// The changes of one interface.
struct Told<'t> {
    name: &'t DeclaredName,
    label: String,
    changes: &'t mut Vec<Change>,
}

impl Told<'_> {
    /// `within` is the place behind the name of the interface.
    fn tell(&mut self, within: &str, what: String, breaks: bool) {
        let place = format!("{}{within}", self.label);
        self.changes.push(Change { interface: self.name.clone(), place, what, breaks });
    }

    fn breaks(&mut self, within: &str, what: impl Into<String>) {
        self.tell(within, what.into(), true);
    }

    fn harmless(&mut self, within: &str, what: impl Into<String>) {
        self.tell(within, what.into(), false);
    }

    fn documentation(
        &mut self,
        within: &str,
        of: &str,
        old: Option<&Documentation>,
        new: Option<&Documentation>,
    ) {
        if let Some(what) = documented(old, new) {
            self.harmless(within, format!("the documentation{of} {what}"));
        }
    }
}

/// What became of a documentation, if anything.
fn documented(old: Option<&Documentation>, new: Option<&Documentation>) -> Option<&'static str> {
    match (old, new) {
        _ if old == new => None,
        (None, _) => Some("is new"),
        (_, None) => Some("is gone"),
        _ => Some("changed"),
    }
}

fn interface(told: &mut Told<'_>, old: &DeclaredInterface, new: &DeclaredInterface) {
    if old.name != new.name {
        told.harmless("", format!("the interface is named `{}` now", label(&new.name)));
    }
    let (was, is) = (old.descriptor.declaration(), new.descriptor.declaration());
    told.documentation("", "", was.documentation.as_ref(), is.documentation.as_ref());
    let mut types = Types::new(was, is);
    for operation in old.descriptor.operations() {
        let within = format!(".{}", quote::identifier(operation.name()));
        let Some(partner) = new.descriptor.operation(operation.name()) else {
            told.breaks(&within, "the operation is gone");
            continue;
        };
        let claims = (old.effects.at(&operation), new.effects.at(&partner));
        head(told, &within, (&operation, &partner), claims);
        types.operation(operation.name());
    }
    types.finish(told);
    for operation in new.descriptor.operations() {
        if old.descriptor.operation(operation.name()).is_none() {
            told.harmless(&format!(".{}", quote::identifier(operation.name())), "the operation is new");
        }
    }
    let names = was.operations.iter().map(|operation| &operation.name);
    if is_reordered(names, is.operations.iter().map(|operation| &operation.name)) {
        told.harmless("", "the operations stand in another order");
    }
}

/// What is said of an operation but for its types.
fn head(told: &mut Told<'_>, within: &str, (old, new): (&Operation, &Operation), claims: (Effects, Effects)) {
    let (was, is) = (old.declaration(), new.declaration());
    told.documentation(within, "", was.documentation.as_ref(), is.documentation.as_ref());
    let (documented, documents) = (&was.returns_documentation, &is.returns_documentation);
    told.documentation(within, " of the result", documented.as_ref(), documents.as_ref());
    let (was, is) = claims;
    for effect in Effect::ALL {
        let (breaks, why) = match (effect, was.has(effect), is.has(effect)) {
            (Effect::Read, true, false) => (true, "what ran freely may change something now"),
            // What changes nothing may be run twice.
            (Effect::Idempotent, true, false) if is.has(Effect::Read) => (false, "`@read` says it too"),
            (Effect::Idempotent, true, false) => (true, "running it twice may differ from running it once"),
            (Effect::Destructive, true, false) => (false, "it removes and overwrites nothing any more"),
            (Effect::Guarded, true, false) => {
                (false, "no state has to be sent; one that is sent still has to match")
            }
            (Effect::Read, false, true) => (false, "it changes nothing any more"),
            (Effect::Idempotent, false, true) => (false, "it may be run twice"),
            // Calls and results stay what they were: it is a warning, which people are shown with the next call.
            (Effect::Destructive, false, true) => {
                (false, "it may remove or overwrite; ask before running it")
            }
            (Effect::Guarded, false, true) => (true, "calls that send no state are refused now"),
            _ => continue,
        };
        let became = if is.has(effect) { "new" } else { "gone" };
        told.tell(within, format!("`@{}` is {became}: {why}", effect.name()), breaks);
    }
}

/// Whether those that are in both stand in another order.
fn is_reordered<'n, N: std::hash::Hash + Eq + 'n>(
    old: impl Iterator<Item = &'n N>,
    new: impl Iterator<Item = &'n N>,
) -> bool {
    let at: HashMap<&N, usize> = old.enumerate().map(|(at, name)| (name, at)).collect();
    let places: Vec<usize> = new.filter_map(|name| at.get(name).copied()).collect();
    !places.is_sorted()
}
