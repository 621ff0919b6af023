//! OpenLDAP lines: what may stand before 'conn=', and what slapd says besides.

use memchr::memmem;

use crate::grammar::Class;
use crate::line::{Reason, ABSENT};
use crate::numbers::{days, is_year, SECOND};
use crate::scan::{Lacking, Scan};
use crate::text::Text;

/// A server process that a syslog tells apart, and how far it is.
#[derive(Clone, Copy, Default)]
pub struct Process {
    pub pid: i64,
    boot: i64,
    max_conn: i64,
}

impl Process {
    /// The latest of them are remembered.
    pub const SLOTS: usize = 16;
}

/// The text of the last second of syslog, and which one of local time it is.
#[derive(Default)]
pub struct SameSyslogSecond {
    text: [u64; 2],
    year: i64,
    month: i64,
    second: i64,
}

/// The words between the time of the last line and its connection, where the last one begins, and
/// of which process they are.
#[derive(Default)]
pub struct SameWords {
    text: Vec<u8>,
    last: usize,
    pid: i64,
}

impl SameWords {
    const LONGEST: usize = 96;
}

/// The value of up to 15 lower-case hexadecimal digits, and the position behind.
fn hexadecimal(t: Text, p: usize, e: usize) -> (i64, usize) {
    let (mut value, mut q) = (0, p);
    while q < e && q - p < 15 {
        let c = t.byte(q);
        value = match c {
            b'0'..=b'9' => value * 16 + i64::from(c - b'0'),
            b'a'..=b'f' => value * 16 + i64::from(c - b'a') + 10,
            _ => break,
        };
        q += 1;
    }
    (value, q)
}

impl Scan {
    pub fn set_time(&mut self, time: i64, digits: usize, lacking: Lacking) {
        self.line.time = time;
        self.line.time_digits = digits as i64;
        self.statistics.lacking = lacking;
    }

    /// '6b010435.0d4cd4da ' or, from 2.4, '6b010435 '; the position behind.
    fn hex_time(&mut self, t: Text, p: usize, e: usize) -> Option<usize> {
        let (seconds, mut q) = hexadecimal(t, p, e);
        if q != p + 8 || q >= e {
            return None;
        }
        let (mut nanoseconds, mut digits) = (0, 0);
        if t.byte(q) == b'.' {
            let (fraction, r) = hexadecimal(t, q + 1, e);
            // Where the system has no nanoseconds, microseconds.
            (nanoseconds, digits) = if r - q == 6 { (fraction * 1000, 6) } else { (fraction, 9) };
            q = r;
        }
        if q < e && t.byte(q) != b' ' {
            return None;
        }
        let time = (seconds * SECOND).wrapping_add(nanoseconds);
        self.set_time(time, digits, Lacking::Nothing);
        Some(q)
    }

    /// The month, and the position of the day behind it, of 'Nov ', 'nov. ', 'Mär ' or '11月 '.
    fn month(&self, t: Text, p: usize, e: usize) -> Option<(i64, usize)> {
        let mut q = p;
        while q < e && q - p < 10 && t.byte(q) != b' ' {
            q += 1;
        }
        let day = if t.byte(q + 1) == b' ' { q + 2 } else { q + 1 };
        // Words that no day of a month follows need not be looked up.
        if q - p < 3 || q + 12 > e || !t.is_digit(day) {
            return None;
        }
        if let Some((number, after)) = t.integer(p, q) {
            if after + 3 == q && t.byte(after) == 0xE6 && t.byte(after + 1) == 0x9C {
                return (1..=12).contains(&number).then_some((number, day));
            }
        }
        let end = if t.byte(q - 1) == b'.' { q - 1 } else { q };
        let month = self.grammar.months.number(t.month_name(p, end - p))?;
        Some((month, day))
    }

    /// 'Nov  1 02:40:39', without year and zone; the position behind.
    #[inline]
    fn syslog_time(&mut self, t: Text, p: usize, e: usize) -> Option<usize> {
        let last = &self.syslog_second;
        if p + 15 <= e
            && t.word(p + 7) == last.text[1]
            && t.word(p) == last.text[0]
            && (self.year, self.month) == (last.year, last.month)
        {
            let second = last.second;
            return Some(self.local_second(t, second, p + 15, e));
        }
        self.any_syslog_time(t, p, e)
    }

    /// A second of local time with the fraction that journals and rsyslog may print behind it
    /// (short-precise); the position behind.
    fn local_second(&mut self, t: Text, second: i64, p: usize, e: usize) -> usize {
        let (fraction, q) = t.fraction_ns(p, e);
        let time = second.wrapping_mul(SECOND).wrapping_add(fraction);
        let time = time.wrapping_sub(self.statistics.zone_ns);
        self.set_time(time, (q - p).saturating_sub(1), Lacking::Year);
        q
    }

    fn any_syslog_time(&mut self, t: Text, p: usize, e: usize) -> Option<usize> {
        let (month, start) = self.month(t, p, e)?;
        let (day, q) = t.integer(start, e)?;
        if !(1..=31).contains(&day) || t.byte(q) != b' ' {
            return None;
        }
        let second = t.clock(q + 1, e)?;
        let before = self.month;
        if before != 0 && month + 6 < before {
            self.year += 1;
        } else if before != 0 && before + 6 < month {
            self.year -= 1;
        }
        self.month = month;
        let second = days(self.year, month, day) * 86400 + second;
        if q + 9 == p + 15 {
            let text = [t.word(p), t.word(p + 7)];
            self.syslog_second = SameSyslogSecond { text, year: self.year, month, second };
        }
        Some(self.local_second(t, second, q + 9, e))
    }

    /// '[17-01-2019 09:04:47]', a template people set in rsyslog; the position behind.
    fn day_first_time(&mut self, t: Text, p: usize, e: usize) -> Option<usize> {
        if p + 21 > e || t.byte(p) != b'[' || t.byte(p + 20) != b']' || t.byte(p + 3) != b'-' {
            return None;
        }
        let (day, month) = (t.two_digits(p + 1)?, t.two_digits(p + 4)?);
        let (year, q) = t.integer(p + 7, p + 11)?;
        let second = t.clock(p + 12, e)?;
        if !(1..=31).contains(&day) || !(1..=12).contains(&month) || q != p + 11 || !is_year(year) {
            return None;
        }
        let time = (days(year, month, day) * 86400 + second) * SECOND;
        self.set_time(time.wrapping_sub(self.statistics.zone_ns), 0, Lacking::Zone);
        Some(p + 21)
    }

    /// A time in any of these forms at p; the position behind.
    fn time(&mut self, t: Text, p: usize, e: usize) -> Option<usize> {
        self.hex_time(t, p, e)
            .or_else(|| self.iso_time(t, p, e))
            .or_else(|| self.syslog_time(t, p, e))
            .or_else(|| self.day_first_time(t, p, e))
    }

    /// Keep how far the process of this number is; the oldest one gives way.
    fn remember(&mut self, pid: i64) {
        let process = Process { pid, boot: self.boot, max_conn: self.max_conn };
        if let Some(known) = self.processes.iter_mut().find(|known| known.pid == pid) {
            *known = process;
            return;
        }
        self.processes[self.statistics.processes % Process::SLOTS] = process;
        self.statistics.processes += 1;
    }

    /// The line is of another process than the one before: its connections are its own.
    fn process(&mut self, pid: i64) {
        let before = std::mem::replace(&mut self.pid, pid);
        if before == 0 {
            return;
        }
        self.remember(before);
        if let Some(known) = self.processes.iter().find(|known| known.pid == pid) {
            self.statistics.returns += 1;
            self.boot = known.boot;
            self.max_conn = known.max_conn;
            return;
        }
        self.statistics.newest_boot += 1;
        self.boot = self.statistics.newest_boot;
        self.max_conn = 0;
        self.header_seen = false;
    }

    /// Read the times before e, which may nest: the innermost counts. Where the last word begins.
    ///
    /// Lines of one process have the same words behind their time, so the last ones are kept.
    pub fn prefix(&mut self, t: Text, p: usize, e: usize) -> usize {
        let Some(q) = self.time(t, p, e) else {
            return self.words(t, p, p, e).0;
        };
        let (words, same) = (t.between(q, e), &self.same_words);
        if !words.is_empty() && words == same.text && self.pid == same.pid {
            return q + same.last;
        }
        let (last, plain) = self.words(t, p, t.behind_blanks(q, e), e);
        if plain && last >= q && words.len() <= SameWords::LONGEST && t.is_at(e, b"conn=") {
            let same = &mut self.same_words;
            same.text.clear();
            same.text.extend_from_slice(words);
            (same.last, same.pid) = (last - q, self.pid);
        }
        last
    }

    /// Read words from p on, behind one that begins at `last`. Where the last one begins, and whether
    /// none is a time or names a second process.
    fn words(&mut self, t: Text, mut last: usize, mut p: usize, e: usize) -> (usize, bool) {
        let (mut times, mut processes) = (0, 0);
        while p < e {
            let behind = self.time(t, p, e);
            let is_ns_slapd = t.is_at(p, b"ns-slapd");
            if behind.is_some() {
                times += 1;
            } else if is_ns_slapd || t.is_at(p, b"slapd[") {
                processes += 1;
                let number = t.integer(p + if is_ns_slapd { 9 } else { 6 }, e);
                if let Some((pid, _)) = number.filter(|(pid, _)| *pid != self.pid) {
                    self.process(pid);
                }
            }
            last = p;
            p = behind.unwrap_or_else(|| t.find(p, e, b' '));
            p = t.behind_blanks(p, e);
        }
        (last, times == 0 && processes <= 1)
    }

    /// Where 'conn=' begins a word.
    pub fn conn_text(&self, t: Text, start: usize, e: usize) -> Option<usize> {
        let mut p = t.find(start, e, b'c');
        while p < e {
            if t.is_at(p, b"conn=") && (p == start || t.byte(p - 1) == b' ') {
                return Some(p);
            }
            p = t.find(p + 1, e, b'c');
        }
        None
    }

    /// Whether the line has a time, be it the one given to all that show none; else set aside.
    pub fn has_time(&mut self) -> bool {
        if self.line.time == ABSENT {
            if self.undated == ABSENT {
                self.line.set_aside(Reason::NoTime);
                return false;
            }
            self.line.time = self.undated;
            self.statistics.lacking = Lacking::Time;
        }
        true
    }

    /// A line that is about no connection: the start of the server, or noise.
    fn message(&mut self, t: Text, p: usize, e: usize) {
        self.prefix(t, p, e.min(p + 64));
        self.line.set_aside(Reason::Message);
        if p >= e {
            self.line.set_aside(Reason::Blank);
        } else if t.byte(p) == b'\t' {
            self.line.set_aside(Reason::Header);
        } else if self.line.time == ABSENT {
            self.line.class = Class::NotKnown;
        }
        let text = t.between(p, e);
        let named = &text[..text.len().saturating_sub(1)];
        if memmem::find(named, b"OpenLDA").is_some() || memmem::find(text, b"starting").is_some() {
            self.line.is_header();
        }
    }

    /// '6b010435.0d4cd4da 0x7f5da53fe6c0 conn=1000 op=0 ...' with any of the usual prefixes.
    pub fn slapd_line(&mut self, t: Text, p: usize, mut e: usize) -> usize {
        while e > p && t.byte(e - 1) == b' ' {
            e -= 1;
        }
        let Some(start) = self.conn_text(t, p, e) else {
            self.message(t, p, e);
            return e;
        };
        let last = self.prefix(t, p, start);
        if !self.has_time() {
            return e;
        }
        let behind = t.find(last, start, b' ');
        if behind > last && t.byte(behind - 1) == b':' && !t.is_at(last, b"slapd[") {
            self.line.set_aside(Reason::Message);
            return e;
        }
        if t.byte(last) == b'[' && behind == last + 1 {
            self.line.set_aside(Reason::Repeated);
            return e;
        }
        let behind = self.ids(t, start, e);
        if let Some(p) = behind {
            self.body(t, p, e);
            if self.line.class == Class::NotKnown && self.line.op < 0 {
                self.line.set_aside(Reason::Message);
            }
        }
        e
    }
}
