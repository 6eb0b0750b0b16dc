//! The current date and time as text, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

pub(super) fn now() -> String {
    text(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

fn text(seconds: u64) -> String {
    let (mut days, minutes) = (seconds / 86_400, seconds / 60 % 1440);
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    format!("{year}-{:02}-{:02} {:02}:{:02} UTC", month + 1, days + 1, minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use crate::html_report::page::clock::text;

    /// Dates of several times agree with the output of `date -u -d @SECONDS`.
    #[test]
    fn dates() {
        assert_eq!(text(0), "1970-01-01 00:00 UTC");
        assert_eq!(text(951_827_696), "2000-02-29 12:34 UTC");
        assert_eq!(text(1_800_000_000), "2027-01-15 08:00 UTC");
        assert_eq!(text(4_107_542_399), "2100-02-28 23:59 UTC");
    }
}
