//! Text in pieces of any size: lines and records are put together, then scanned.

use memchr::{memchr, memrchr};

use crate::grammar::Style;
use crate::line::Reason;
use crate::scan::{Scan, Stop, MAX_LINE};
use crate::text::JOIN;

/// Room is made for a row per so many bytes.
const PER_ROW: usize = 100;

/// A log that is fed in pieces.
pub struct Feed {
    pub scan: Scan,
    /// Whether the lines of a record have to be put together.
    pub joins: bool,
    /// The start of a line.
    pub carry: Vec<u8>,
    /// The start of a record, as it came.
    raw: Vec<u8>,
    /// Bytes of a line that is too long, so far.
    pub overlong: usize,
    /// Behind the last whole line.
    pub offset: i64,
}

impl Feed {
    pub fn new(scan: Scan, offset: i64) -> Self {
        let joins = scan.style.joins();
        Self { scan, joins, carry: Vec::new(), raw: Vec::new(), overlong: 0, offset }
    }

    /// Scan the lines that end in this piece. A last line without newline waits.
    pub fn feed(&mut self, data: &[u8]) {
        self.scan.rows.reserve(data.len() / PER_ROW + 2);
        if let Some(rest) = self.feed_lines(data) {
            // JSON begins: from here on lines are put together before they are scanned.
            self.begin_objects();
            self.feed_lines(&rest);
        }
    }

    /// Returns what must be joined first, where JSON begins.
    fn feed_lines(&mut self, data: &[u8]) -> Option<Vec<u8>> {
        let joined = if self.joins { Some(self.joined(data)) } else { None };
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
        if let Stop::AtObjects(p) = self.scan_lines(&data[..end], true) {
            return Some(data[p..].to_vec());
        }
        self.hold(&data[end..]);
        None
    }

    /// Scan a last line without newline.
    pub fn finish(&mut self) {
        let whole = self.raw.last() == Some(&b'\n');
        let raw = std::mem::take(&mut self.raw);
        let text = raw.strip_suffix(b"\n").unwrap_or(&raw);
        self.carry.extend(text.iter().map(|c| if *c == b'\n' { JOIN } else { *c }));
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
    }

    /// Read JSON from here on, and classic lines among it.
    fn begin_objects(&mut self) {
        self.joins = true;
        if !self.scan.style.joins() {
            self.scan.style = Style::Events;
            self.scan.grammar.depth = 1;
        }
    }

    /// Whole records, one a line; what is not whole yet waits.
    fn joined(&mut self, data: &[u8]) -> Vec<u8> {
        let mut text = std::mem::take(&mut self.raw);
        let before = text.len();
        text.extend_from_slice(data);
        // A separator that the text itself has (RFC 7464) is no end of a line.
        text[before..].iter_mut().filter(|c| **c == JOIN).for_each(|c| *c = b' ');
        let mut flat = text.clone();
        match self.scan.style {
            Style::Audit => join_audit(&mut flat),
            _ => join_objects(&mut flat),
        }
        let mut whole = memrchr(b'\n', &flat).map_or(0, |last| last + 1);
        if flat.len() - whole > MAX_LINE {
            whole = flat.len();
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
            self.carry.clear();
        }
    }

    /// Scan the line that began in an earlier piece and ends with `rest`; the line itself where
    /// JSON begins with it.
    fn close_carry(&mut self, rest: &[u8]) -> Option<Vec<u8>> {
        let mut line = std::mem::take(&mut self.carry);
        line.extend_from_slice(rest);
        if self.overlong > 0 || line.len() > MAX_LINE + 2 {
            self.scan.statistics.set_aside += 1;
            self.scan.statistics.reasons[Reason::Overlong as usize] += 1;
            self.offset += (self.overlong + line.len()) as i64;
            self.overlong = 0;
            return None;
        }
        match self.scan_lines(&line, !rest.is_empty()) {
            Stop::AtEnd => None,
            Stop::AtObjects(_) => Some(line),
        }
    }

    fn scan_lines(&mut self, text: &[u8], terminated: bool) -> Stop {
        let stop = self.scan.scan(text, self.offset, terminated);
        self.offset += match stop {
            Stop::AtEnd => text.len() as i64,
            Stop::AtObjects(p) => p as i64,
        };
        stop
    }
}

/// Put JSON objects on one line each: a newline inside one becomes JOIN.
///
/// The text begins at the start of a line. A brace or bracket at the start of a line begins a new
/// record, whatever was cut before it.
fn join_objects(text: &mut [u8]) {
    let mut depth = 0_usize;
    let (mut inside, mut escaped, mut first) = (false, false, true);
    let mut i = 0;
    while i < text.len() {
        if first && i > 0 && matches!(text[i], b'{' | b'[') {
            depth = 0;
            text[i - 1] = b'\n';
        }
        first = false;
        let plain = text[i..].iter().take_while(|c| !SHAPES[usize::from(**c)]).count();
        if plain > 0 {
            escaped = false;
            i += plain;
            continue;
        }
        match text[i] {
            b'\n' => {
                (inside, escaped, first) = (false, false, true);
                if depth > 0 {
                    text[i] = JOIN;
                }
            }
            c if inside => {
                inside = escaped || c != b'"';
                escaped = !escaped && c == b'\\';
            }
            b'"' => inside = depth > 0,
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        i += 1;
    }
}

/// The bytes that tell where objects and their strings begin and end.
const SHAPES: [bool; 256] = {
    let mut shapes = [false; 256];
    shapes[b'\n' as usize] = true;
    shapes[b'"' as usize] = true;
    shapes[b'\\' as usize] = true;
    shapes[b'{' as usize] = true;
    shapes[b'}' as usize] = true;
    shapes
};

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
