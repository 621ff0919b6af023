//! Times of lines: in brackets, from line to line, and where local time changes.

use crate::line::ABSENT;
use crate::numbers::{days, is_year, SECOND};
use crate::scan::{Lacking, Scan};
use crate::text::Text;

const HOUR: i64 = 3600 * SECOND;
/// Lines are up to some 50 ms out of order; a clock that steps goes back further than this.
const STEP: i64 = SECOND;
/// Packing a log takes less than this; pieces that were put together lie days apart.
const PACKED: i64 = 600 * SECOND;

/// The text of the last second of times in brackets, and which one it is.
#[derive(Default)]
pub struct SameSecond {
    known: bool,
    date: [u64; 3],
    zone: u64,
    second: i64,
}

/// The text of the last second of times as ISO 8601 has them, with its zone, and which one it is.
#[derive(Default)]
pub struct SameIsoSecond {
    date: [u64; 3],
    zone: u64,
    zone_length: usize,
    second_ns: i64,
}

impl Scan {
    /// Read '[dd/Mon/yyyy:HH:MM:SS.fffffffff +HHMM] ' into the time; the position behind.
    ///
    /// Lines of one second share all but the fraction, so the text of the last second is kept.
    #[inline]
    pub fn bracket_time(&mut self, t: Text, p: usize, e: usize) -> Option<usize> {
        let last = &self.second;
        if p + 40 <= e
            && last.known
            && t.word(p + 13) == last.date[2]
            && t.word(p + 1) == last.date[0]
            && t.word(p + 9) == last.date[1]
            && t.word(p + 31) == last.zone
            && t.byte(p + 21) == b'.'
        {
            let digit = t.byte(p + 30).wrapping_sub(b'0');
            if let (Some(fraction), 0..=9) = (t.eight_digits(p + 22), digit) {
                self.line.time = last.second * SECOND + fraction * 10 + i64::from(digit);
                return Some(p + 39);
            }
        }
        self.any_bracket_time(t, p, e)
    }

    /// Read '2025-02-10T13:41:53.166697090 -0500', with a blank for the T, or the like; the position
    /// behind. What a time without a zone lacks is noted.
    #[inline]
    pub fn iso_time(&mut self, t: Text, p: usize, e: usize) -> Option<usize> {
        let last = &self.iso_second;
        let length = last.zone_length;
        if length > 0
            && p + 19 + length <= e
            && t.word(p + 11) == last.date[2]
            && t.word(p) == last.date[0]
            && t.word(p + 8) == last.date[1]
        {
            let (fraction, q) = t.fraction_ns(p + 19, e);
            if q + length <= e && t.short_word(q, length) == last.zone {
                let time = last.second_ns + fraction;
                self.set_time(time, (q - p).saturating_sub(20), Lacking::Nothing);
                return Some(q + length);
            }
        }
        self.any_iso_time(t, p, e)
    }

    fn any_iso_time(&mut self, t: Text, p: usize, e: usize) -> Option<usize> {
        if p + 19 > e || t.byte(p + 4) != b'-' || t.byte(p + 7) != b'-' {
            return None;
        }
        let (year, q) = t.integer(p, p + 4)?;
        let (month, day) = (t.two_digits(p + 5)?, t.two_digits(p + 8)?);
        let second = t.clock(p + 11, e)?;
        if q != p + 4 || !(1..=12).contains(&month) || !(1..=31).contains(&day) || !is_year(year) {
            return None;
        }
        let (fraction, q) = t.fraction_ns(p + 19, e);
        let digits = (q - p).saturating_sub(20);
        let second_ns = (days(year, month, day) * 86400 + second) * SECOND;
        let signed = q + 1 < e && (t.byte(q + 1) == b'+' || t.byte(q + 1) == b'-');
        let spaced = signed && t.byte(q) == b' ';
        let Some((zone, behind)) = t.zone_seconds(if spaced { q + 1 } else { q }, e) else {
            let local = second_ns + fraction;
            self.set_time(local.wrapping_sub(self.statistics.zone_ns), digits, Lacking::Zone);
            return Some(q);
        };
        let second_ns = second_ns - zone * SECOND;
        self.set_time(second_ns + fraction, digits, Lacking::Nothing);
        self.iso_second = SameIsoSecond {
            date: [t.word(p), t.word(p + 8), t.word(p + 11)],
            zone: t.short_word(q, behind - q),
            zone_length: behind - q,
            second_ns,
        };
        Some(behind)
    }

    fn any_bracket_time(&mut self, t: Text, p: usize, e: usize) -> Option<usize> {
        if p + 22 > e || t.byte(p) != b'[' {
            return None;
        }
        let (day, q) = t.integer(p + 1, p + 3)?;
        if !(1..=31).contains(&day) || t.byte(q) != b'/' {
            return None;
        }
        let name = q + 1;
        let mut q = name;
        while q < e && t.byte(q) != b'/' && q - name < 16 {
            q += 1;
        }
        if q + 14 > e || t.byte(q) != b'/' {
            return None;
        }
        let month = self.grammar.months.number(t.month_name(name, q - name))?;
        let (year, after) = t.integer(q + 1, q + 5)?;
        let second = t.clock(q + 6, e)?;
        if after != q + 5 || t.byte(after) != b':' || !is_year(year) {
            return None;
        }
        let (fraction, q) = t.fraction_ns(q + 14, e);
        let (zone, q) = t.zone_seconds(t.behind_blanks(q, e), e)?;
        if q >= e || t.byte(q) != b']' {
            return None;
        }
        let total = days(year, month, day) * 86400 + second - zone;
        self.line.time = total * SECOND + fraction;
        if q - p == 37 && t.byte(p + 21) == b'.' && t.byte(p + 38) == b' ' {
            self.second = SameSecond {
                known: true,
                date: [t.word(p + 1), t.word(p + 9), t.word(p + 13)],
                zone: t.word(p + 31),
                second: total,
            };
        }
        let blank = q + 1 < e && t.byte(q + 1) == b' ';
        Some(if blank { q + 2 } else { q + 1 })
    }

    fn change_zone(&mut self, by: i64) {
        self.statistics.zone_ns += by;
        self.line.time -= by;
        self.statistics.clock_changes += 1;
    }

    /// Local time that prints no zone goes back an hour when summer ends, and leaves one out when
    /// it begins: on a Sunday, from the last minute of an hour to the first of the one after next.
    fn note_clock_change(&mut self) {
        let newest = self.max_time;
        let step = self.line.time.wrapping_sub(newest);
        if (-HOUR - 5 * STEP..=-HOUR + 60 * STEP).contains(&step) {
            self.change_zone(-HOUR);
        } else if (HOUR..=HOUR + 60 * STEP).contains(&step) {
            let zone = self.statistics.zone_ns;
            let before = newest.wrapping_add(zone).div_euclid(STEP);
            let after = self.line.time.wrapping_add(zone).div_euclid(STEP);
            // 1970 began on a Thursday.
            let day = (after.div_euclid(86400) + 4).rem_euclid(7);
            let sunday = day == 0 && after.rem_euclid(86400) < 5 * 3600;
            if sunday && before.rem_euclid(3600) >= 3540 && after.rem_euclid(3600) < 60 {
                self.change_zone(HOUR);
            }
        }
    }

    /// Whether a line has its time from before a silence that is just over.
    ///
    /// 389 DS 2.3.1 packs a log that it rotates; threads wait for seconds with lines that have
    /// their times already, and write them among those of afterwards.
    fn waited(&self, now: i64, newest: i64) -> bool {
        newest <= self.silent_to + STEP && now + STEP >= self.silent_from
    }

    /// Follow the clock of the log.
    #[inline]
    pub fn note_time(&mut self) {
        let newest = self.max_time;
        if self.statistics.lacking != Lacking::Nothing && newest != ABSENT {
            self.note_clock_change();
        }
        let now = self.line.time;
        if now >= newest {
            let silent = now.wrapping_sub(newest);
            if newest != ABSENT && STEP < silent && silent < PACKED {
                self.silent_from = newest;
                self.silent_to = now;
            }
            self.max_time = now;
        } else if now + STEP < newest && !self.waited(now, newest) {
            self.statistics.steps_back += 1;
            self.max_time = now;
        }
        if newest == ABSENT {
            self.statistics.first_time = now;
        }
        self.statistics.last_time = now;
    }
}
