//! Text in pieces of any size: lines and records are put together, then scanned.

use memchr::{memchr, memchr2, memchr_iter, memrchr};

use crate::grammar::Style;
use crate::line::Reason;
use crate::scan::{Scan, MAX_LINE};
use crate::text::JOIN;

/// Room is made for a row per so many bytes.
const PER_ROW: usize = 100;

/// A log that is fed in pieces.
pub struct Feed {
    pub scan: Scan,
    /// The start of a line.
    pub carry: Vec<u8>,
    /// The start of a record, as it came.
    pub raw: Vec<u8>,
    /// Bytes of a line that is too long, so far.
    pub overlong: usize,
    /// Ends of lines among them, where it is a record of several.
    ends: u64,
    /// Behind the last whole line.
    pub offset: i64,
}

impl Feed {
    pub fn new(scan: Scan, offset: i64) -> Self {
        Self { scan, carry: Vec::new(), raw: Vec::new(), overlong: 0, ends: 0, offset }
    }

    /// Scan the lines that end in this piece. A last line without newline waits.
    pub fn feed(&mut self, data: &[u8]) {
        self.scan.messages.clear();
        self.scan.rows.reserve(data.len() / PER_ROW + 2);
        if self.scan.style.is_json() {
            self.feed_objects(data);
        } else if let Some(rest) = self.feed_lines(data) {
            self.begin_objects();
            self.feed_objects(&rest);
        }
        self.scan.rows.settle();
    }

    /// Returns what is to be read as JSON, where that begins.
    fn feed_lines(&mut self, data: &[u8]) -> Option<Vec<u8>> {
        let joined = if self.scan.style.joins() { Some(self.joined(data)) } else { None };
        let mut data = joined.as_deref().unwrap_or(data);
        let Some(last) = memrchr(b'\n', data) else {
            self.hold(data);
            return None;
        };
        let mut end = last + 1;
        if !self.carry.is_empty() || self.overlong > 0 {
            let first = memchr(b'\n', data).map_or(end, |first| first + 1);
            if let Some(line) = self.close_carry(&data[..first]) {
                return Some([line.as_slice(), &data[first..]].concat());
            }
            data = &data[first..];
            end -= first;
        }
        self.scan.joined = joined.is_some();
        if let Some(p) = self.scan_lines(&data[..end], true) {
            return Some(data[p..].to_vec());
        }
        self.hold(&data[end..]);
        None
    }

    /// Scan the records that end in this piece, each where it stands if it takes one line.
    fn feed_objects(&mut self, data: &[u8]) {
        // A separator that the text itself has (RFC 7464) is no end of a line.
        let blanked = memchr(JOIN, data).map(|_| replaced(data, JOIN, b' '));
        let data = blanked.as_deref().unwrap_or(data);
        let mut start = std::mem::take(&mut self.raw);
        let certain = if start.is_empty() { Some(0) } else { certain_start(&start, data) };
        let Some(next) = certain else {
            start.extend_from_slice(data);
            let read = self.scan_records(&start, false);
            self.wait_for_more(&start[read..]);
            return;
        };
        start.extend_from_slice(&data[..next]);
        self.scan_records(&start, true);
        let data = &data[next..];
        let read = self.scan_records(data, false);
        self.wait_for_more(&data[read..]);
    }

    /// Scan the records of a text; where the last one begins that has not ended. `ends`: another
    /// record begins behind the text.
    fn scan_records(&mut self, text: &[u8], ends: bool) -> usize {
        let mut p = 0;
        while p < text.len() {
            let is_start = self.carry.is_empty() && self.overlong == 0;
            if is_start {
                match self.scan_lines(&text[p..], true) {
                    None => return text.len(),
                    Some(open) => p += open,
                }
            }
            let Some(end) = record_end(&text[p..], ends) else {
                return p;
            };
            let mut record = replaced(&text[p..p + end - 1], b'\n', JOIN);
            record.push(b'\n');
            if is_start {
                self.scan_joined(&record, true);
            } else {
                self.close_carry(&record);
            }
            p += end;
        }
        p
    }

    /// Keep the start of a record, unless it is too long for one.
    fn wait_for_more(&mut self, rest: &[u8]) {
        if rest.len() > MAX_LINE {
            let kept = without_end(rest).len();
            self.hold(&replaced(&rest[..kept], b'\n', JOIN));
            self.raw.extend_from_slice(&rest[kept..]);
        } else {
            self.raw.extend_from_slice(rest);
        }
    }

    /// Scan a last line without newline.
    pub fn finish(&mut self) {
        self.scan.messages.clear();
        let whole = self.raw.last() == Some(&b'\n');
        let raw = std::mem::take(&mut self.raw);
        self.carry.extend(replaced(without_end(&raw), b'\n', JOIN));
        let end: &[u8] = if whole { b"\n" } else { b"" };
        if self.carry.is_empty() && self.overlong == 0 && !whole {
            return;
        }
        if let Some(mut line) = self.close_carry(end) {
            self.begin_objects();
            line.iter_mut().filter(|c| **c == JOIN).for_each(|c| *c = b' ');
            line.truncate(line.len() - end.len());
            self.carry = line;
            self.close_carry(end);
        }
        self.scan.rows.settle();
    }

    /// Read JSON from here on, and classic lines among it.
    fn begin_objects(&mut self) {
        self.scan.style = Style::Events;
        self.scan.grammar.depth = 1;
    }

    /// Whole audit records, one a line; what is not whole yet waits.
    fn joined(&mut self, data: &[u8]) -> Vec<u8> {
        let mut text = std::mem::take(&mut self.raw);
        let before = text.len();
        text.extend_from_slice(data);
        text[before..].iter_mut().filter(|c| **c == JOIN).for_each(|c| *c = b' ');
        let mut flat = text.clone();
        join_audit(&mut flat);
        let mut whole = memrchr(b'\n', &flat).map_or(0, |last| last + 1);
        if flat.len() - whole > MAX_LINE {
            whole = without_end(&text).len();
        }
        self.raw = text.split_off(whole);
        flat.truncate(whole);
        flat
    }

    /// Keep the start of a line, but never more than a line may be long.
    fn hold(&mut self, data: &[u8]) {
        self.carry.extend_from_slice(data);
        if self.overlong > 0 || self.carry.len() > MAX_LINE + 2 {
            self.overlong += self.carry.len();
            self.ends += self.ends_in(&self.carry);
            self.carry.clear();
        }
    }

    /// Ends of lines within a record, or the part of one.
    fn ends_in(&self, text: &[u8]) -> u64 {
        if !self.scan.style.joins() {
            return 0;
        }
        memchr_iter(JOIN, text).count() as u64
    }

    /// Scan the line that began in an earlier piece and ends with `rest`; the line itself where
    /// JSON begins with it.
    fn close_carry(&mut self, rest: &[u8]) -> Option<Vec<u8>> {
        let mut line = std::mem::take(&mut self.carry);
        line.extend_from_slice(rest);
        if self.overlong > 0 || line.len() > MAX_LINE + 2 {
            let lines = 1 + self.ends + self.ends_in(&line);
            self.scan.statistics.set_aside += lines;
            self.scan.statistics.reasons[Reason::Overlong as usize] += lines;
            self.offset += (self.overlong + line.len()) as i64;
            (self.overlong, self.ends) = (0, 0);
            return None;
        }
        self.scan_joined(&line, !rest.is_empty()).map(|_| line)
    }

    /// Scan a line that is a whole record.
    fn scan_joined(&mut self, line: &[u8], terminated: bool) -> Option<usize> {
        self.scan.joined = self.scan.style.joins();
        let stop = self.scan_lines(line, terminated);
        self.scan.joined = false;
        stop
    }

    fn scan_lines(&mut self, text: &[u8], terminated: bool) -> Option<usize> {
        let stop = self.scan.scan(text, self.offset, terminated);
        self.offset += stop.unwrap_or(text.len()) as i64;
        stop
    }
}

/// A copy of a text with another byte in place of one.
fn replaced(text: &[u8], before: u8, after: u8) -> Vec<u8> {
    text.iter().map(|c| if *c == before { after } else { *c }).collect()
}

/// A text without the newline that ends it: that may be the end of its record as well.
fn without_end(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\n").unwrap_or(text)
}

/// Whether a record begins here, at the start of a line, whatever was cut before it.
#[inline(always)]
pub fn begins_object(c: u8) -> bool {
    matches!(c, b'{' | b'[')
}

/// Where in a text another record begins for certain, whatever its start in `before` was.
fn certain_start(before: &[u8], text: &[u8]) -> Option<usize> {
    let begins = |p: usize| text.get(p).is_some_and(|c| begins_object(*c));
    if before.last() == Some(&b'\n') && begins(0) {
        return Some(0);
    }
    memchr_iter(b'\n', text).map(|newline| newline + 1).find(|p| begins(*p))
}

/// Behind the newline that ends the record at the start of a text, if that is there.
fn record_end(text: &[u8], ends: bool) -> Option<usize> {
    let (mut depth, mut p) = (0, 0);
    while let Some(length) = memchr(b'\n', &text[p..]) {
        depth = open_braces(&text[p..p + length], depth);
        p += length + 1;
        if depth == 0 || text.get(p).is_some_and(|c| begins_object(*c)) {
            return Some(p);
        }
    }
    ends.then_some(text.len())
}

/// Braces that are open behind a line, of so many before it.
pub fn open_braces(line: &[u8], mut depth: usize) -> usize {
    let mut p = 0;
    while let Some(c) = line.get(p) {
        p += 1;
        match c {
            b'"' if depth > 0 => p = behind_string(line, p),
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}

/// Behind the quote that closes the string starting at p, or behind the line.
fn behind_string(line: &[u8], mut p: usize) -> usize {
    while let Some(i) = line.get(p..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        if line[p + i] == b'"' {
            return p + i + 1;
        }
        p += i + 2;
    }
    line.len()
}

/// Put the details of IBM's records behind their headers: a newline before anything else than a
/// header becomes JOIN.
fn join_audit(text: &mut [u8]) {
    for i in 0..text.len() {
        if text[i] == b'\n' && !begins_audit(&text[i + 1..]) {
            text[i] = JOIN;
        }
    }
}

/// 'AuditV3' or the date of an older version.
fn begins_audit(text: &[u8]) -> bool {
    if let Some(behind) = text.strip_prefix(b"AuditV") {
        return behind.first().is_some_and(u8::is_ascii_digit);
    }
    let is_date = |(c, shape): (&u8, &u8)| match shape {
        b'0' => c.is_ascii_digit(),
        _ => c == shape,
    };
    matches!(text.get(10), Some(b'-' | b'T')) && text.iter().zip(b"0000-00-00").all(is_date)
}
