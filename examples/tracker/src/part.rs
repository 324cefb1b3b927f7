//! A part of a long list: what `limit` and `cursor` ask for, and the cursor to the next one.

use worldspace_host::{Call, Refusal};

/// So much, unless asked for otherwise.
const USUAL: usize = 20;
/// No answer holds more.
const MOST: usize = 100;

/// The part of a list that is asked for.
pub(crate) struct Part {
    limit: usize,
    /// Where the part before ended; nowhere at the beginning.
    pub(crate) after: Option<i64>,
}

impl Part {
    pub(crate) fn of(call: &Call, limit: Option<u32>, cursor: Option<String>) -> Result<Self, Refusal> {
        let after = cursor.map(|cursor| call.unseal("cursor", &cursor)).transpose()?;
        let after = after.map(|place| <[u8; 8]>::try_from(&place[..]));
        let after = after.transpose().map_err(Refusal::failed)?.map(i64::from_le_bytes);
        Ok(Self { limit: Call::counted("limit", limit, USUAL, MOST)?, after })
    }

    /// How many to look for: one more tells whether there is a next part.
    pub(crate) fn to_look_for(&self) -> i64 {
        // At most a hundred.
        i64::try_from(self.limit + 1).unwrap_or(i64::MAX)
    }

    /// The items of this part, and the cursor to the next one; each item comes with its place in the list.
    pub(crate) fn cut<T>(
        self,
        call: &Call,
        found: Vec<(i64, T)>,
    ) -> Result<(Vec<T>, Option<String>), Refusal> {
        let is_last = found.len() <= self.limit;
        let kept: Vec<(i64, T)> = found.into_iter().take(self.limit).collect();
        let next = match kept.last() {
            Some((place, _)) if !is_last => Some(call.seal_cursor(&place.to_le_bytes())?),
            _ => None,
        };
        Ok((kept.into_iter().map(|(_, item)| item).collect(), next))
    }
}
