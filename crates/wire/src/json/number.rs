//! Numbers as JSON spells them: scanned without loss, converted once the declared type is known.

/// A number of the JSON grammar with a finite binary64.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumberText<'a> {
    text: &'a str,
    whole: bool,
}

/// Below so many digits and without an exponent, no number overflows.
const SAFE_DIGITS: usize = 308;

/// The number that `text` begins with, and its length; or why there is none.
pub(crate) fn scan(text: &str) -> Result<(NumberText<'_>, usize), &'static str> {
    let bytes = text.as_bytes();
    let digits_from = |at: usize| bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    let whole_digits = digits_from(at);
    if whole_digits == 0 {
        return Err("a number has a digit before anything else");
    }
    if whole_digits > 1 && bytes[at] == b'0' {
        return Err("a number has no leading zero");
    }
    at += whole_digits;
    let mut whole = true;
    if bytes.get(at) == Some(&b'.') {
        let digits = digits_from(at + 1);
        if digits == 0 {
            return Err("a digit is expected behind the decimal point");
        }
        at += 1 + digits;
        whole = false;
    }
    let mut safe = whole_digits <= SAFE_DIGITS;
    if let Some(b'e' | b'E') = bytes.get(at) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let digits = digits_from(at + 1 + sign);
        if digits == 0 {
            return Err("a digit is expected in the exponent");
        }
        at += 1 + sign + digits;
        (whole, safe) = (false, false);
    }
    let number = NumberText { text: &text[..at], whole };
    if safe || number.binary64().is_finite() {
        Ok((number, at))
    } else {
        Err("a number is too large for binary64")
    }
}

impl NumberText<'_> {
    /// Whether it is spelled without fraction and exponent.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Whether it is spelled `-0`, whose sign no integer keeps.
    pub(crate) fn is_minus_zero(&self) -> bool {
        self.text == "-0"
    }

    /// The integer, where it is spelled as one and fits.
    pub(crate) fn integer(&self) -> Option<i64> {
        if self.whole { self.text.parse().ok() } else { None }
    }

    /// The nearest binary64, ties to even.
    pub(crate) fn binary64(&self) -> f64 {
        // Scanned text is of the grammar that `parse` accepts, so the fallback is never taken.
        self.text.parse().unwrap_or(f64::NAN)
    }

    /// The binary64 that is exactly the integer spelled here.
    pub(crate) fn exact_integer(&self) -> Option<f64> {
        let value = self.binary64();
        // Without digits behind the point, formatting is exact however large the number is.
        (format!("{value:.0}") == self.text).then_some(value)
    }
}
