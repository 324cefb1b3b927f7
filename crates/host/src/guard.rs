//! Published validators, made in one place (SPEC 4): a keyed hash over the provider's state token, everything that is
//! published of the Object, and the principal's view. Nobody can guess a state from one, or compare what two principals
//! see.

use std::sync::Arc;

use worldspace_model::{Object, Principal, Validator};

use crate::interface::Interface;
use crate::published::StateToken;

/// Bytes of a validator: enough that no two states of one Object ever share it.
const LENGTH: usize = 16;

/// Makes validators with the Host's key.
#[derive(Clone)]
pub(crate) struct Validators(Arc<[u8; 32]>);

/// The state that a caller observed, to be compared with the one found inside the critical section.
#[derive(Clone)]
pub(crate) struct StateGuard {
    pub(crate) sent: Option<Validator>,
    pub(crate) object: Arc<Object>,
    pub(crate) view: Principal,
    pub(crate) validators: Validators,
}

impl Validators {
    pub(crate) fn new(key: [u8; 32]) -> Self {
        Self(Arc::new(key))
    }

    /// The validator of an Object in this state; its own `validator` member does not count.
    pub(crate) fn object(&self, view: &Principal, object: &Object, state: &StateToken) -> Validator {
        let mut parts = Parts::new(&self.0, b"object");
        parts.add_optional(view.name().map(str::as_bytes));
        parts.add(object.name.as_str().as_bytes());
        parts.add_optional(object.description.as_deref().map(str::as_bytes));
        parts.add_optional(object.r#ref.as_ref().map(|r#ref| r#ref.as_str().as_bytes()));
        for reference in object.interfaces.iter() {
            parts.add(reference.scope().as_str().as_bytes());
            parts.add(reference.name().as_str().as_bytes());
        }
        parts.add(&state.0);
        parts.finish()
    }

    /// The validator of a descriptor and its effects.
    pub(crate) fn interface(&self, view: &Principal, interface: &Interface) -> Validator {
        let mut parts = Parts::new(&self.0, b"interface");
        parts.add_optional(view.name().map(str::as_bytes));
        parts.add(interface.digest().as_bytes());
        parts.finish()
    }
}

impl StateGuard {
    /// Whether the state found is the one that the caller observed, or the caller bound the call to none.
    pub(crate) fn admits(&self, current: &StateToken) -> bool {
        self.sent.as_ref().is_none_or(|sent| self.published(current) == *sent)
    }

    pub(crate) fn published(&self, state: &StateToken) -> Validator {
        self.validators.object(&self.view, &self.object, state)
    }
}

/// Hashes parts with their lengths, so that no border between them can move.
struct Parts(blake3::Hasher);

impl Parts {
    fn new(key: &[u8; 32], kind: &[u8]) -> Self {
        let mut parts = Self(blake3::Hasher::new_keyed(key));
        parts.add(kind);
        parts
    }

    fn add(&mut self, part: &[u8]) {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    fn add_optional(&mut self, part: Option<&[u8]>) {
        self.0.update(&[u8::from(part.is_some())]);
        self.add(part.unwrap_or_default());
    }

    fn finish(self) -> Validator {
        Validator::new(&self.0.finalize().as_bytes()[..LENGTH])
    }
}
