//! State tags: a short text for the state that was shown, to be handed from one process or turn to the next.

use std::fmt;
use std::str::FromStr;

use worldspace_model::Object;

/// Digits and letters without those that look like others (Crockford's base 32, lower case).
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 50 bits: enough that two states of one Object do not meet by chance.
const LENGTH: usize = 10;

/// A short text for an Object's identity and state, the same at every entry and in every process.
///
/// ```
/// use worldspace_client::StateTag;
/// let tag: StateTag = "0a1b2c3d4e".parse()?;
/// assert_eq!(tag.to_string(), "0a1b2c3d4e");
/// // As people copy it: capitals, and letters for the digits that they resemble.
/// assert_eq!("OAIB2C3D4E".parse::<StateTag>()?, tag);
/// assert!("0a1b2c3d4".parse::<StateTag>().is_err());
/// # Ok::<(), worldspace_client::InvalidTag>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StateTag([u8; LENGTH]);

/// A text that is no state tag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a state tag is {LENGTH} digits and letters (without i, l, o, u), as `inspect` shows it beside the Object"
)]
pub struct InvalidTag;

impl StateTag {
    /// The tag of an Object; none where the Host publishes no validator for it.
    pub fn of(object: &Object) -> Option<Self> {
        let validator = object.validator.as_ref()?.as_bytes();
        let identity = object.r#ref.as_ref().map(|r#ref| r#ref.as_str());
        let mut hasher = blake3::Hasher::new_derive_key("worldspace-client state tag 1");
        // The length keeps apart what would read the same when written one behind the other.
        hasher.update(&identity.map_or(u64::MAX, |identity| identity.len() as u64).to_le_bytes());
        hasher.update(identity.unwrap_or_default().as_bytes());
        hasher.update(validator);
        let hash = hasher.finalize();
        let mut tag = [0; LENGTH];
        write_digits(hash.as_bytes(), &mut tag);
        Some(Self(tag))
    }

    /// The tag as text.
    pub fn as_str(&self) -> &str {
        // Every byte is of the alphabet.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Fills `digits` with the first bits of `bytes`, five at a time.
pub(crate) fn write_digits(bytes: &[u8], digits: &mut [u8]) {
    let (mut held, mut bits) = (0u32, 0);
    let mut rest = bytes.iter();
    for digit in digits {
        if bits < 5 {
            held = held << 8 | u32::from(rest.next().copied().unwrap_or_default());
            bits += 8;
        }
        bits -= 5;
        *digit = ALPHABET[(held >> bits) as usize & 31];
    }
}

impl FromStr for StateTag {
    type Err = InvalidTag;

    fn from_str(text: &str) -> Result<Self, InvalidTag> {
        let mut tag: [u8; LENGTH] = text.as_bytes().try_into().map_err(|_| InvalidTag)?;
        for digit in &mut tag {
            *digit = match digit.to_ascii_lowercase() {
                b'o' => b'0',
                b'i' | b'l' => b'1',
                plain if ALPHABET.contains(&plain) => plain,
                _ => return Err(InvalidTag),
            };
        }
        Ok(Self(tag))
    }
}

impl fmt::Display for StateTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for StateTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
