//! How much of a message things take, for those who must fit an answer into a bound before anybody encodes it.

/// About how many bytes a text takes in a message: as many as the most talkative encoding, JSON, spends on it.
///
/// ```
/// use worldspace_model::text_weight;
/// assert_eq!(text_weight("日本"), 6);
/// assert_eq!(text_weight("a\"b\n\u{0}"), 1 + 2 + 1 + 2 + 6);
/// ```
pub fn text_weight(text: &str) -> usize {
    let byte = |byte| match byte {
        b'"' | b'\\' | b'\n' | b'\t' | b'\r' => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(byte).sum()
}
