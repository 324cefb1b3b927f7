//! How much of an answer is used up, so that it fits into a response of any peer.

/// The part of an answer that lists may fill: half of the smallest response limit among peers, 1 MiB.
const BYTES: usize = 512 << 10;
/// What a row takes besides its texts.
const ROW: usize = 96;

/// Counts what rows of an answer take at most, as JSON.
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { left: BYTES }
    }

    /// Takes room for a row with these texts; whether there was room. The first row always has some.
    pub(super) fn take(&mut self, texts: &[&str]) -> bool {
        let row = ROW + texts.iter().map(|text| written(text)).sum::<usize>();
        if self.left < row && self.left < BYTES {
            return false;
        }
        self.left = self.left.saturating_sub(row);
        true
    }
}

/// The length of a text in JSON.
fn written(text: &str) -> usize {
    let byte = |byte| match byte {
        b'"' | b'\\' | b'\n' | b'\t' | b'\r' => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(byte).sum()
}
