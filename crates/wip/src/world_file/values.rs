//! What values are written like: sizes, times, numbers, texts.

use std::time::Duration;

use toml::de::DeValue;

/// Why a value is not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// It is of another kind.
    Kind {
        takes: &'static str,
    },
    Value {
        what: String,
        right: String,
    },
}

pub(super) type Read<T> = Result<T, Wrong>;

fn wrong<T>(what: impl Into<String>, right: impl Into<String>) -> Read<T> {
    Err(Wrong::Value { what: what.into(), right: right.into() })
}

/// What means that there is no limit.
const UNLIMITED: &str = "unlimited";

const SIZE: &str = "a size such as \"8 MiB\", a number of bytes, or \"unlimited\"";
const TIME: &str = "a time such as \"10 s\", or \"unlimited\"";
const COUNT: &str = "a whole number, or \"unlimited\"";

/// A value as people call it.
pub(super) fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time of day",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

pub(super) fn boolean(value: &DeValue<'_>) -> Read<bool> {
    value.as_bool().ok_or(Wrong::Kind { takes: "true or false, without quotes" })
}

pub(super) fn string(value: &DeValue<'_>) -> Read<String> {
    value.as_str().map(str::to_owned).ok_or(Wrong::Kind { takes: "a text in quotes" })
}

pub(super) fn strings(value: &DeValue<'_>) -> Read<Vec<String>> {
    let texts = value.as_array().and_then(|items| {
        items.iter().map(|item| item.get_ref().as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    texts.ok_or(Wrong::Kind { takes: "a list of texts such as [\"one\", \"two\"]" })
}

/// A number of things, not below `least`.
pub(super) fn count<T>(least: u64) -> impl Fn(&DeValue<'_>) -> Read<T>
where
    T: TryFrom<u64> + Most,
{
    move |value| {
        if value.as_str() == Some(UNLIMITED) {
            return Ok(T::MOST);
        }
        match integer(value) {
            None => Err(Wrong::Kind { takes: COUNT }),
            Some(number) => fitting(number, least),
        }
    }
}

/// A number of things, of which more than `most` cannot be had.
pub(super) fn count_up_to(most: usize) -> impl Fn(&DeValue<'_>) -> Read<usize> {
    move |value| match integer(value) {
        None => Err(Wrong::Kind { takes: "a whole number" }),
        Some(number) => match fitting::<usize>(number, 1)? {
            number if number > most => {
                wrong(format!("{number} is more than can be had"), format!("it must be at most {most}"))
            }
            number => Ok(number),
        },
    }
}

/// A number of bytes.
pub(super) fn size<T>(value: &DeValue<'_>) -> Read<T>
where
    T: TryFrom<u64> + Most,
{
    let Some(text) = value.as_str() else {
        return integer(value).ok_or(Wrong::Kind { takes: SIZE }).and_then(|number| fitting(number, 1));
    };
    if text == UNLIMITED {
        return Ok(T::MOST);
    }
    let bytes = measured(
        text,
        &[
            ("B", 1),
            ("kB", 1000),
            ("KiB", 1 << 10),
            ("MB", 1_000_000),
            ("MiB", 1 << 20),
            ("GB", 1_000_000_000),
            ("GiB", 1 << 30),
        ],
    );
    match bytes {
        Some(bytes) => fitting(Ok(bytes), 1),
        None => {
            wrong(format!("{text:?} is no size"), "write a whole number and B, kB, KiB, MB, MiB, GB or GiB")
        }
    }
}

/// A number of bytes that is set aside, so that there is no going without a limit.
pub(super) fn room(value: &DeValue<'_>) -> Read<usize> {
    match value.as_str() {
        Some(UNLIMITED) => wrong("it takes room that is set aside", "write a size such as \"8 MiB\""),
        _ => size(value),
    }
}

/// A time, not below `least`.
pub(super) fn time(least: Duration) -> impl Fn(&DeValue<'_>) -> Read<Duration> {
    move |value| {
        let Some(text) = value.as_str() else {
            return match integer(value) {
                Some(_) => {
                    wrong("a time has a unit", "write a whole number and ms, s, min or h, such as \"10 s\"")
                }
                None => Err(Wrong::Kind { takes: TIME }),
            };
        };
        if text == UNLIMITED {
            return Ok(Duration::MAX);
        }
        match measured(text, &[("ms", 1), ("s", 1000), ("min", 60_000), ("h", 3_600_000)]) {
            None => wrong(format!("{text:?} is no time"), "write a whole number and ms, s, min or h"),
            Some(time) if Duration::from_millis(time) < least => {
                wrong("no time at all is left", "it must be longer than 0")
            }
            Some(time) => Ok(Duration::from_millis(time)),
        }
    }
}

/// The largest value of a type, which stands for no limit.
pub(super) trait Most {
    const MOST: Self;
}

impl Most for usize {
    const MOST: Self = Self::MAX;
}

impl Most for u32 {
    const MOST: Self = Self::MAX;
}

/// A whole number; an error where it is negative or larger than any that can be held.
pub(super) fn integer(value: &DeValue<'_>) -> Option<Result<u64, String>> {
    let integer = value.as_integer()?;
    Some(u64::from_str_radix(integer.as_str(), integer.radix()).map_err(|_| integer.to_string()))
}

fn fitting<T: TryFrom<u64>>(number: Result<u64, String>, least: u64) -> Read<T> {
    match number {
        Ok(number) if number < least => {
            wrong(format!("{number} would allow nothing"), format!("it must be at least {least}"))
        }
        Ok(number) => match T::try_from(number) {
            Ok(number) => Ok(number),
            Err(_) => wrong(format!("{number} is more than can be held"), "write \"unlimited\" for no limit"),
        },
        Err(text) if text.starts_with('-') => {
            wrong(format!("{text} is less than 0"), format!("it must be at least {least}"))
        }
        Err(text) => wrong(format!("{text} is more than can be held"), "write \"unlimited\" for no limit"),
    }
}

/// A whole number with a unit, in the smallest one.
fn measured(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start_matches(' '))?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T>(text: &str, form: impl Fn(&DeValue<'_>) -> Read<T>) -> Result<T, String> {
        form(DeValue::parse(text).unwrap().get_ref()).map_err(|wrong| match wrong {
            Wrong::Kind { takes } => takes.to_owned(),
            Wrong::Value { what, .. } => what,
        })
    }

    #[test]
    fn sizes_have_a_unit_or_are_bytes() {
        for (text, bytes) in [
            ("1", 1),
            ("0x10", 16),
            ("\"512 B\"", 512),
            ("\"16KiB\"", 16 << 10),
            ("\"8 MiB\"", 8 << 20),
            ("\"1 GB\"", 1_000_000_000),
            ("\"unlimited\"", usize::MAX),
        ] {
            assert_eq!(read(text, size::<usize>), Ok(bytes), "{text}");
        }
        for (text, what) in [
            ("0", "0 would allow nothing"),
            ("\"0 MiB\"", "0 would allow nothing"),
            ("-1", "-1 is less than 0"),
            ("99999999999999999999999", "99999999999999999999999 is more than can be held"),
            ("\"8 mib\"", "\"8 mib\" is no size"),
            ("\"MiB\"", "\"MiB\" is no size"),
            ("\"1.5 MiB\"", "\"1.5 MiB\" is no size"),
            ("\"99999999999999 GiB\"", "\"99999999999999 GiB\" is no size"),
            ("1.5", SIZE),
            ("true", SIZE),
        ] {
            assert_eq!(read(text, size::<usize>), Err(what.to_owned()), "{text}");
        }
        assert_eq!(read("\"1 MiB\"", room), Ok(1 << 20));
        assert_eq!(read("\"unlimited\"", room), Err("it takes room that is set aside".to_owned()));
        assert!(read("\"5 GiB\"", size::<u32>).unwrap_err().ends_with("is more than can be held"));
    }

    #[test]
    fn times_have_a_unit() {
        for (text, milliseconds) in [("\"10s\"", 10_000), ("\"5 min\"", 300_000), ("\"2 h\"", 7_200_000)] {
            assert_eq!(read(text, time(Duration::ZERO)), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        let some = Duration::from_millis(1);
        assert_eq!(read("\"unlimited\"", time(some)), Ok(Duration::MAX));
        for (text, what) in [
            ("10", "a time has a unit"),
            ("\"10\"", "\"10\" is no time"),
            ("\"5m\"", "\"5m\" is no time"),
            ("\"0 s\"", "no time at all is left"),
            ("10.5", TIME),
        ] {
            assert_eq!(read(text, time(some)), Err(what.to_owned()), "{text}");
        }
    }

    #[test]
    fn counts_are_whole_numbers() {
        assert_eq!(read("7", count::<u32>(1)), Ok(7));
        assert_eq!(read("0", count::<u32>(0)), Ok(0));
        assert_eq!(read("\"unlimited\"", count::<u32>(1)), Ok(u32::MAX));
        assert_eq!(read("0", count::<u32>(1)), Err("0 would allow nothing".to_owned()));
        assert!(read("5_000_000_000", count::<u32>(1)).unwrap_err().ends_with("is more than can be held"));
        assert_eq!(read("\"7\"", count::<u32>(1)), Err(COUNT.to_owned()));
    }
}
