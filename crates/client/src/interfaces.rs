//! The interfaces of the Known Space: shared, and held for as long as their scope Object lives (SPEC 4).

use std::time::SystemTime;

use worldspace_model::{FetchInterfaceResponse, InterfaceReference};

use crate::error::ClientError;
use crate::handle::InterfaceObservation;
use crate::space::Space;
use crate::weight;

pub(crate) struct HeldInterface {
    observation: InterfaceObservation,
    /// The order of the last word on it.
    order: u64,
    stale: bool,
}

impl Space {
    /// What is held of an interface, if it may still be used.
    pub(crate) fn interface(&mut self, reference: &InterfaceReference) -> Option<InterfaceObservation> {
        if self.is_interface_void(reference) {
            self.interfaces.remove(reference);
            return None;
        }
        let held = self.interfaces.get_mut(reference)?;
        (!held.stale).then(|| held.observation.clone())
    }

    /// Whether the scope Object is another one by now.
    fn is_interface_void(&self, reference: &InterfaceReference) -> bool {
        let Some(held) = self.interfaces.peek(reference) else { return false };
        if self.is_void(reference.scope(), held.order) {
            return true;
        }
        let seen = held.observation.answer().scope_ref.as_ref();
        match (seen, self.identity_at(reference.scope())) {
            (Some(seen), Some((now, _))) => seen != now,
            _ => false,
        }
    }

    /// Takes in an interface.
    pub(crate) fn observe_interface(
        &mut self,
        order: u64,
        mut answer: FetchInterfaceResponse,
    ) -> Result<InterfaceObservation, ClientError> {
        let reference = answer.interface.clone();
        let at = SystemTime::now();
        let mut overtaken = self.is_void(reference.scope(), order);
        if let (Some(seen), Some((known, known_at))) =
            (&answer.scope_ref, self.identity_at(reference.scope()))
            && seen != known
        {
            match known_at > order {
                true => overtaken = true,
                false => self.replaced_unseen(order, reference.scope()),
            }
        }
        if self.is_interface_void(&reference) {
            self.interfaces.remove(&reference);
        }
        if let Some(held) = self.interfaces.get_mut(&reference) {
            let known = held.observation.answer();
            if let Err(error) = check(known, &answer) {
                self.interfaces.remove(&reference);
                return Err(error);
            }
            if known.descriptor == answer.descriptor {
                answer.descriptor = known.descriptor.clone();
            }
            overtaken |= held.order > order;
        }
        let observation = InterfaceObservation::new(answer, at, order);
        if !overtaken {
            let held = HeldInterface { observation: observation.clone(), order, stale: false };
            self.interfaces.put(reference, held, weight::interface(observation.answer()));
            self.interfaces.trim();
        }
        Ok(observation)
    }

    /// The Host no longer accepts calls by what is held; it is asked for again when it is next used.
    pub(crate) fn interface_stale(&mut self, reference: &InterfaceReference) {
        let order = self.next_order();
        if let Some(held) = self.interfaces.get_mut(reference) {
            held.order = order;
            held.stale = true;
        }
    }
}

/// Of one scope Object, descriptors with one validator are equal, and so are those that have none.
fn check(known: &FetchInterfaceResponse, answer: &FetchInterfaceResponse) -> Result<(), ClientError> {
    let same_scope = known.scope_ref == answer.scope_ref;
    let same_state = match (&known.validator, &answer.validator) {
        (Some(known), Some(answer)) => known == answer,
        // Without an identity of the scope Object, nobody knows whether it lives on.
        (None, None) => known.scope_ref.is_some(),
        _ => false,
    };
    if !same_scope || !same_state {
        return Ok(());
    }
    let same_effects = match (&known.effects, &answer.effects) {
        (Some(known), Some(answer)) => known == answer,
        _ => true,
    };
    if known.descriptor == answer.descriptor && same_effects {
        return Ok(());
    }
    let why = match answer.validator {
        Some(_) => "under the same validator",
        None => "without a validator, while its scope Object lives on",
    };
    Err(ClientError::invalid(format_args!("the interface {} changed {why}", answer.interface)))
}
