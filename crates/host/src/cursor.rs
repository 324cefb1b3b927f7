//! Sealed cursors: a provider's place in a list, carried by the caller, who can neither read nor change it, nor use it
//! anywhere but in the same operation of the same Object, as the same principal.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use crate::failure::Refusal;

const NONCE: usize = 24;

/// Seals and opens cursors with the Host's key.
#[derive(Clone)]
pub(crate) struct Sealer(Arc<XChaCha20Poly1305>);

/// A sealer bound to one use.
#[derive(Clone)]
pub(crate) struct Cursors {
    sealer: Sealer,
    /// Principal, Object, interface and operation.
    bound: Arc<[u8]>,
}

impl Sealer {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self(Arc::new(XChaCha20Poly1305::new(key.into())))
    }

    pub(crate) fn bind<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Cursors {
        let mut bound = Vec::new();
        for part in parts {
            bound.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bound.extend_from_slice(part.as_bytes());
        }
        Cursors { sealer: self.clone(), bound: bound.into() }
    }
}

impl Cursors {
    pub(crate) fn seal(&self, place: &[u8]) -> Result<String, Refusal> {
        let mut sealed = vec![0; NONCE];
        getrandom::fill(&mut sealed).map_err(|error| Refusal::failed(error.to_string()))?;
        let nonce = XNonce::try_from(&sealed[..NONCE]).map_err(|error| Refusal::failed(error.to_string()))?;
        let payload = Payload { msg: place, aad: &self.bound };
        let text =
            self.sealer.0.encrypt(&nonce, payload).map_err(|error| Refusal::failed(error.to_string()))?;
        sealed.extend_from_slice(&text);
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    pub(crate) fn open(&self, cursor: &str) -> Option<Vec<u8>> {
        let sealed = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (nonce, text) = sealed.split_at_checked(NONCE)?;
        let nonce = XNonce::try_from(nonce).ok()?;
        self.sealer.0.decrypt(&nonce, Payload { msg: text, aad: &self.bound }).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_opens_only_where_it_was_sealed() {
        let sealer = Sealer::new(&[7; 32]);
        let here = sealer.bind(["ann", "/a", "list"]);
        let cursor = here.seal(b"place").unwrap();
        assert_eq!(here.open(&cursor).as_deref(), Some(&b"place"[..]));
        for elsewhere in [["bob", "/a", "list"], ["ann", "/b", "list"], ["ann", "/a", "find"]] {
            assert_eq!(sealer.bind(elsewhere).open(&cursor), None, "{elsewhere:?}");
        }
        // Moving a border between the parts must not make them the same.
        assert_eq!(sealer.bind(["ann", "/al", "ist"]).open(&cursor), None);
        assert_eq!(Sealer::new(&[8; 32]).bind(["ann", "/a", "list"]).open(&cursor), None);
    }

    #[test]
    fn an_edited_cursor_opens_nowhere() {
        let here = Sealer::new(&[7; 32]).bind(["ann"]);
        let cursor = here.seal(b"place").unwrap();
        for at in 0..cursor.len() {
            let mut edited = cursor.clone().into_bytes();
            edited[at] = if edited[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(here.open(&String::from_utf8(edited).unwrap()), None, "byte {at}");
        }
        for nonsense in ["", "a", "====", "日本", &"A".repeat(100_000)] {
            assert_eq!(here.open(nonsense), None);
        }
    }
}
