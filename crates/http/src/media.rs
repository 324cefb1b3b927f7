//! Media types and content codings as headers state them (RFC 9110, sections 8 and 12): what a body is, and what
//! its receiver takes.
//!
//! Headers are read as octets, along the general grammar: empty parameters are fine, blank space around `=` is not, and
//! a comma inside quotes separates nothing.

use std::borrow::Cow;

use http::{HeaderMap, header};
use worldspace_wire::Content;

/// The encoding of bodies.
pub(crate) const JSON: &str = "application/json";

/// A quality in thousandths; 0 means not acceptable.
type Quality = u16;

/// Whether the headers of an answer let its body be read as JSON. Of several content types the first counts.
pub fn content(headers: &HeaderMap) -> Content {
    if !is_identity(headers.get_all(header::CONTENT_ENCODING).iter().map(|value| value.as_bytes())) {
        Content::OtherCoding
    } else if is_json(headers.get(header::CONTENT_TYPE).map(|value| value.as_bytes())) {
        Content::Readable
    } else {
        Content::OtherType
    }
}

/// Whether a body of that `Content-Type` is JSON: in UTF-8, and without any other parameter.
pub(crate) fn is_json(content_type: Option<&[u8]>) -> bool {
    let Some(range) = content_type.and_then(MediaRange::parse) else { return false };
    range.names("application", "json") && range.weight.is_none() && range.charset().is_some()
}

/// Whether a body with these `Content-Encoding` headers stands as it is.
pub(crate) fn is_identity<'a>(content_encodings: impl IntoIterator<Item = &'a [u8]>) -> bool {
    let mut codings = content_encodings.into_iter().flat_map(|value| value.split(|byte| *byte == b','));
    codings.all(|coding| trim(coding).eq_ignore_ascii_case(b"identity"))
}

/// How welcome a media type is under these `Accept` headers: the most specific range that fits decides, among equals the
/// best. Without any header everything is welcome.
pub(crate) fn acceptance<'a>(
    accepts: impl IntoIterator<Item = &'a [u8]>,
    kind: &str,
    subtype: &str,
) -> Quality {
    let mut accepts = accepts.into_iter().peekable();
    if accepts.peek().is_none() {
        return 1000;
    }
    let ranges = accepts.flat_map(elements).filter_map(MediaRange::parse);
    ranges
        .filter_map(|range| Some((range.specificity(kind, subtype)?, range.weight.unwrap_or(1000))))
        .max()
        .map_or(0, |(_, quality)| quality)
}

/// The preferences of `Prefer` headers (RFC 7240): name and value, the first of a name first.
pub(crate) fn preferences<'a>(
    prefers: impl IntoIterator<Item = &'a [u8]>,
) -> impl Iterator<Item = (&'a [u8], Cow<'a, [u8]>)> {
    prefers.into_iter().flat_map(elements).filter_map(|element| {
        let mut input = Input(element);
        let name = input.token()?;
        let value = if input.take(b'=') { input.value()? } else { Cow::Borrowed(&[][..]) };
        Some((name, value))
    })
}

/// The members of comma-separated headers, blank ones left out.
pub(crate) fn elements(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(value);
    std::iter::from_fn(move || {
        let text = rest?;
        let (mut quoted, mut escaped) = (false, false);
        let end = text.iter().position(|byte| {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                b',' if !quoted => return true,
                _ => {}
            }
            false
        });
        rest = end.map(|end| &text[end + 1..]);
        Some(trim(&text[..end.unwrap_or(text.len())]))
    })
    .filter(|element| !element.is_empty())
}

/// A media type or range with its parameters up to the weight.
struct MediaRange<'a> {
    kind: &'a [u8],
    subtype: &'a [u8],
    parameters: Vec<(&'a [u8], Cow<'a, [u8]>)>,
    weight: Option<Quality>,
}

impl<'a> MediaRange<'a> {
    /// Nothing where the text breaks the grammar.
    fn parse(text: &'a [u8]) -> Option<Self> {
        let mut input = Input(trim(text));
        let kind = input.token()?;
        if !input.take(b'/') {
            return None;
        }
        let mut range = Self { kind, subtype: input.token()?, parameters: Vec::new(), weight: None };
        loop {
            input.skip_blank();
            if input.0.is_empty() {
                return Some(range);
            }
            if !input.take(b';') {
                return None;
            }
            input.skip_blank();
            if input.0.is_empty() || input.0[0] == b';' {
                continue;
            }
            let name = input.token()?;
            if range.weight.is_some() {
                // What follows the weight extends it, and may be a mere flag.
                if input.take(b'=') {
                    input.value()?;
                }
            } else if !input.take(b'=') {
                return None;
            } else if name.eq_ignore_ascii_case(b"q") {
                range.weight = Some(quality(input.token()?)?);
            } else {
                range.parameters.push((name, input.value()?));
            }
        }
    }

    fn names(&self, kind: &str, subtype: &str) -> bool {
        self.kind.eq_ignore_ascii_case(kind.as_bytes())
            && self.subtype.eq_ignore_ascii_case(subtype.as_bytes())
    }

    /// Whether UTF-8 is stated; nothing where another parameter, or a second one, is.
    fn charset(&self) -> Option<bool> {
        match &*self.parameters {
            [] => Some(false),
            [(name, value)]
                if name.eq_ignore_ascii_case(b"charset") && value.eq_ignore_ascii_case(b"utf-8") =>
            {
                Some(true)
            }
            _ => None,
        }
    }

    /// How closely the range fits a type in UTF-8, if it does: by type first, then by charset.
    fn specificity(&self, kind: &str, subtype: &str) -> Option<(u8, bool)> {
        let level = match (self.kind, self.subtype) {
            (b"*", b"*") => 0,
            (own, b"*") if own.eq_ignore_ascii_case(kind.as_bytes()) => 1,
            _ if self.names(kind, subtype) => 2,
            _ => return None,
        };
        Some((level, self.charset()?))
    }
}

/// `0.000` to `1.000`, with at most three digits behind the point.
fn quality(text: &[u8]) -> Option<Quality> {
    let (whole, fraction) = match text {
        [whole] => (*whole, &[][..]),
        [whole, b'.', fraction @ ..] if fraction.len() <= 3 => (*whole, fraction),
        _ => return None,
    };
    let digits = (0..3).map(|place| fraction.get(place).copied().unwrap_or(b'0'));
    let mut thousandths = match whole {
        b'0' | b'1' => Quality::from(whole - b'0'),
        _ => return None,
    };
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        thousandths = thousandths * 10 + Quality::from(digit - b'0');
    }
    (thousandths <= 1000).then_some(thousandths)
}

/// The rest of a header.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn skip_blank(&mut self) {
        self.0 = trim_start(self.0);
    }

    fn take(&mut self, byte: u8) -> bool {
        let rest = self.0.strip_prefix(&[byte]);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn token(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|byte| !is_token(*byte)).unwrap_or(self.0.len());
        let (token, rest) = self.0.split_at(end);
        self.0 = rest;
        (!token.is_empty()).then_some(token)
    }

    /// A token or a quoted string.
    fn value(&mut self) -> Option<Cow<'a, [u8]>> {
        if !self.take(b'"') {
            return self.token().map(Cow::Borrowed);
        }
        let mut value = Vec::new();
        loop {
            let (first, rest) = self.0.split_first()?;
            self.0 = rest;
            match first {
                b'"' => return Some(Cow::Owned(value)),
                b'\\' => {
                    let (escaped, rest) = self.0.split_first()?;
                    self.0 = rest;
                    value.push(*escaped);
                }
                other => value.push(*other),
            }
        }
    }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn trim_start(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_blank(byte)).unwrap_or(text.len());
    &text[start..]
}

fn trim(text: &[u8]) -> &[u8] {
    let text = trim_start(text);
    let end = text.iter().rposition(|byte| !is_blank(byte)).map_or(0, |last| last + 1);
    &text[..end]
}
