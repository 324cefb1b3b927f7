//! How much of an answer may be used, so that it fits into the response of any peer, and how much of it is used up.

use worldspace_host::Context;
#[cfg(feature = "files")]
use worldspace_model::text_weight;

/// The part of an answer that lists may fill: half of the smallest response limit among peers, 1 MiB.
const BYTES: usize = 512 << 10;
/// What a row takes besides its texts.
const ROW: usize = 96;
/// What an answer takes besides what was read: names, numbers, a cursor, a validator.
const REST: usize = 2 << 10;

/// How many bytes of an answer, once encoded, are left for what is read; at most so many by itself.
pub(crate) fn room(context: &Context, usual: usize) -> usize {
    within(context.response_bytes(), usual)
}

fn within(response: Option<usize>, usual: usize) -> usize {
    response.map_or(usual, |bytes| bytes.saturating_sub(REST).clamp(1, usual))
}

/// Counts what rows of an answer take at most, as JSON.
pub(crate) struct Budget {
    all: usize,
    left: usize,
}

impl Budget {
    pub(crate) fn of(context: &Context) -> Self {
        let all = room(context, BYTES);
        Self { all, left: all }
    }

    /// As [`Self::take_bytes`], for a row with these texts.
    #[cfg(feature = "files")]
    pub(crate) fn take(&mut self, texts: &[&str]) -> bool {
        self.take_bytes(texts.iter().map(|text| text_weight(text)).sum())
    }

    /// Takes room for a row of about so many bytes; whether there was room. The first row always has some.
    pub(crate) fn take_bytes(&mut self, bytes: usize) -> bool {
        let row = ROW + bytes;
        if self.left < row && self.left < self.all {
            return false;
        }
        self.left = self.left.saturating_sub(row);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_takes_what_is_usual_or_what_is_left_for_it() {
        for (response, room) in
            [(None, 1000), (Some(8 << 20), 1000), (Some(REST + 300), 300), (Some(REST), 1), (Some(0), 1)]
        {
            assert_eq!(within(response, 1000), room, "{response:?}");
        }
    }
}
