//! The names of what requests and answers carry in headers beyond v1 (SPEC 7); a v1 peer ignores them.

/// The key of a call.
pub(crate) const CALL_KEY: &str = "idempotency-key";

/// Preferences of the caller (RFC 7240).
pub(crate) const PREFER: &str = "prefer";

/// Among them: for how many seconds it waits.
pub(crate) const WAIT: &str = "wait";

/// What the caller wants beside the answer of v1.
pub(crate) const EXTENSIONS: &str = "wip-extensions";

/// Among them: the effects of operations.
pub(crate) const EFFECTS: &str = "effects";
