//! Spelling of dates and times as categories: `2020-01-31` or `2020-01-31 10:05:00`, with decimals of seconds if needed, and with `+00:00`
//! if the time zone is known. Midnight without a time zone is written as the date alone.
//!
//! Only years of four digits are recognised here. Other times, and texts in other orders, are kept as written.

use std::fmt::Write as _;

const SECONDS_OF_A_DAY: i64 = 86_400;
#[cfg(feature = "parquet")]
const NANOSECONDS: i64 = 1_000_000_000;

/// Returns the spelling of a time as a category. The time is given in ticks since 1970-01-01 UTC, with `per_second` (a divisor of 10⁹)
/// ticks per second.
#[cfg(feature = "parquet")]
pub(crate) fn spelled(ticks: i64, per_second: i64, with_zone: bool) -> String {
    let (seconds, ticks) = (ticks.div_euclid(per_second), ticks.rem_euclid(per_second));
    of_seconds(seconds, ticks * (NANOSECONDS / per_second), with_zone)
}

fn of_seconds(seconds: i64, nanoseconds: i64, with_zone: bool) -> String {
    let (days, second) = (seconds.div_euclid(SECONDS_OF_A_DAY), seconds.rem_euclid(SECONDS_OF_A_DAY));
    let mut text = of_days(days);
    if (second, nanoseconds, with_zone) == (0, 0, false) {
        return text;
    }
    let _ = write!(text, " {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    if nanoseconds > 0 {
        let decimals = format!("{nanoseconds:09}");
        let _ = write!(text, ".{}", decimals.trim_end_matches('0'));
    }
    if with_zone {
        text.push_str("+00:00");
    }
    text
}

/// Returns the spelling of a date as a category (`2020-01-31`), given in days since 1970-01-01.
pub(crate) fn of_days(days: i64) -> String {
    // Computed in years that begin with March, so that leap days come last; 400 years have 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + 400 * era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Returns the number of days from 1970-01-01 to a date, negative before it; `None` if the date does not exist.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    Some(era * 146_097 + 365 * year + year / 4 - year / 100 + (153 * month + 2) / 5 + day - 1 - 719_468)
}

/// Returns the canonical spelling of a date or time that is written with the year first and a `T` or a blank before the hours; `None` for
/// other texts.
pub(crate) fn canonical(text: &[u8]) -> Option<String> {
    let mut rest = text;
    let (year, month, day) = (digits(&mut rest, 4)?, behind(&mut rest, b'-', 2)?, behind(&mut rest, b'-', 2)?);
    let days = days(year, month, day)?;
    if rest.is_empty() {
        return Some(of_days(days));
    }
    rest = rest.strip_prefix(b"T").or_else(|| rest.strip_prefix(b" "))?;
    let (hour, minute) = (digits(&mut rest, 2)?, behind(&mut rest, b':', 2)?);
    let second = if rest.starts_with(b":") { behind(&mut rest, b':', 2)? } else { 0 };
    let nanoseconds = match rest.split_first() {
        Some((b'.', decimals)) => {
            let count = decimals.iter().take_while(|byte| byte.is_ascii_digit()).count();
            rest = decimals;
            let power = u32::try_from(count).ok().filter(|count| (1..=9).contains(count))?;
            digits(&mut rest, count)? * 10_i64.pow(9 - power)
        }
        _ => 0,
    };
    let offset = offset(rest)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = days * SECONDS_OF_A_DAY + hour * 3600 + minute * 60 + second - offset.unwrap_or(0);
    Some(of_seconds(seconds, nanoseconds, offset.is_some()))
}

/// Parses a time zone (`Z`, `+01:00`, `+0100`, `+01`) as seconds ahead of UTC. Returns `Some(None)` if the text is empty (no time zone),
/// and `None` if it is not a time zone.
fn offset(text: &[u8]) -> Option<Option<i64>> {
    let Some((&sign, mut rest)) = text.split_first() else { return Some(None) };
    let sign = match sign {
        b'Z' if rest.is_empty() => return Some(Some(0)),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = digits(&mut rest, 2)?;
    rest = rest.strip_prefix(b":").unwrap_or(rest);
    let minutes = if rest.is_empty() { 0 } else { digits(&mut rest, 2)? };
    (rest.is_empty() && hours < 24 && minutes < 60).then_some(Some(sign * (hours * 3600 + minutes * 60)))
}

/// Parses `count` digits at the start of `text` as a number and removes them; `None` if they are not digits.
fn digits(text: &mut &[u8], count: usize) -> Option<i64> {
    let (taken, rest) = text.split_at_checked(count)?;
    *text = rest;
    taken
        .iter()
        .all(u8::is_ascii_digit)
        .then(|| taken.iter().fold(0, |number, &digit| 10 * number + i64::from(digit - b'0')))
}

/// Parses `count` digits that follow the byte `mark` at the start of `text` and removes mark and digits; `None` if they are absent.
fn behind(text: &mut &[u8], mark: u8, count: usize) -> Option<i64> {
    *text = text.strip_prefix(&[mark])?;
    digits(text, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_time_are_one() {
        for (spellings, expected) in [
            (&["2020-01-31", "2020-01-31 00:00:00", "2020-01-31T00:00:00.000", "2020-01-31 00:00"][..], "2020-01-31"),
            (&["2020-02-29 10:05:00", "2020-02-29T10:05:00.000000", "2020-02-29T10:05"], "2020-02-29 10:05:00"),
            (&["1969-12-31 23:59:59.5", "1969-12-31T23:59:59.500000000"], "1969-12-31 23:59:59.5"),
            (
                &["2020-01-01T00:00:00Z", "2020-01-01 01:00:00+01:00", "2019-12-31 19:00:00-0500"],
                "2020-01-01 00:00:00+00:00",
            ),
        ] {
            for text in spellings {
                assert_eq!(canonical(text.as_bytes()).as_deref(), Some(expected), "{text}");
            }
        }
        for text in [
            "2020-02-30",
            "2021-02-29",
            "2020-1-1",
            "20200101",
            "2020-01-01x",
            "2020-01-01 24:00:00",
            "2020-01-01 1:00:00",
            "2020-01-01T10:00:00.",
            "2020-01-01T10:00:00.0000000001",
            "2020-01-01T10:00:00+1",
            "1900-02-29",
            "2020-00-01",
        ] {
            assert_eq!(canonical(text.as_bytes()), None, "{text}");
        }
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn ticks_are_spelled_as_texts_are() {
        for (ticks, per_second, with_zone, expected) in [
            (0, 1, false, "1970-01-01"),
            (-1, 1000, false, "1969-12-31 23:59:59.999"),
            (951_782_400, 1, false, "2000-02-29"),
            (1_580_428_800_000_001, 1_000_000, true, "2020-01-31 00:00:00.000001+00:00"),
            (i64::MAX, NANOSECONDS, false, "2262-04-11 23:47:16.854775807"),
        ] {
            let text = spelled(ticks, per_second, with_zone);
            assert_eq!(text, expected);
            assert_eq!(canonical(text.as_bytes()), Some(text));
        }
        assert!(spelled(i64::MAX, 1, false).starts_with("292277026596-12-04"));
        assert!(spelled(i64::MIN, 1, true).ends_with("+00:00"));
    }

    /// Every day of several centuries survives the conversion to text and back.
    #[test]
    fn days_survive_as_text() {
        for day in -100_000..100_000 {
            let text = of_days(day);
            let part = |range: std::ops::Range<usize>| text[range].parse().unwrap();
            assert_eq!(days(part(0..4), part(5..7), part(8..10)), Some(day), "{text}");
        }
    }
}
