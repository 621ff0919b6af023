//! JSON lines: 389 (one object per event) and OpenDJ (one object per operation).

use crate::feed::begins_object;
use crate::fields::{note_bits, number};
use crate::grammar::{Class, Field, Style, NOTE_A};
use crate::line::{in_nanoseconds, Reason, Source, Span, ABSENT};
use crate::lines::FURTHEST;
use crate::scan::Scan;
use crate::text::{places_of, Text};

/// A value: where it is, without its quotes, and whether it has escapes.
#[derive(Clone, Copy)]
struct Value {
    start: usize,
    end: usize,
    escaped: bool,
}

/// The JSON string starting at p, up to the quote that closes it, to e if there is none.
#[inline(always)]
fn string(t: Text, start: usize, e: usize) -> Value {
    let (mut p, mut escaped) = (start, false);
    while p < e {
        let text = t.word(p);
        let marks = places_of(text, b'"') | places_of(text, b'\\');
        if marks == 0 {
            p += 8;
            continue;
        }
        p += marks.trailing_zeros() as usize / 8;
        if p >= e || t.byte(p) == b'"' {
            break;
        }
        escaped = true;
        p += 2;
    }
    Value { start, end: p.min(e), escaped }
}

/// Bytes of a list or an object that are looked through for one of its values.
const LIST: usize = 4096;

/// A number, true, false or null; or, where a list or an object `opens`, its first item.
#[inline(always)]
fn bare(t: Text, start: usize, e: usize, opens: bool) -> Value {
    let digits = t.between(start, e).iter().take_while(|c| c.is_ascii_digit());
    let (mut end, mut escaped) = (start + digits.count(), false);
    for c in t.between(end, e) {
        match c {
            b',' | b'}' | b']' => break,
            // A number that was cut, and behind it the next record: its brace counts.
            b'{' | b'"' if !opens => break,
            _ => escaped |= *c == b'\\',
        }
        end += 1;
    }
    Value { start, end, escaped }
}

/// The code of four hexadecimal digits.
fn hex4(t: Text, p: usize, e: usize) -> Option<u32> {
    let digits = t.between(p, (p + 4).min(e));
    if digits.len() < 4 {
        return None;
    }
    digits.iter().try_fold(0, |code, c| Some(code * 16 + char::from(*c).to_digit(16)?))
}

/// The character of an escape whose digits are at p, and the position behind: of two escapes where
/// they are the halves of a pair.
fn character(t: Text, p: usize, e: usize) -> Option<(u32, usize)> {
    let (code, q) = (hex4(t, p, e)?, p + 4);
    if (0xD800..0xDC00).contains(&code) && q + 2 < e && t.is_at(q, b"\\u") {
        if let Some(low @ 0xDC00..=0xDFFF) = hex4(t, q + 2, e) {
            return Some((0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00), q + 6));
        }
    }
    Some((code, q))
}

/// A character of one to four bytes; also the half of a pair that lacks the other, as it stands.
fn put_utf8(out: &mut Vec<u8>, code: u32) {
    let tail = |shift: u32| (0x80 | (code >> shift) & 63) as u8;
    if code < 0x80 {
        out.push(code as u8);
    } else if code < 0x800 {
        out.extend([(0xC0 | code >> 6) as u8, tail(0)]);
    } else if code < 0x1_0000 {
        out.extend([(0xE0 | code >> 12) as u8, tail(6), tail(0)]);
    } else {
        out.extend([(0xF0 | code >> 18) as u8, tail(12), tail(6), tail(0)]);
    }
}

/// The text of a JSON string without its escapes, behind what is in `out`.
fn unescape(t: Text, mut p: usize, e: usize, out: &mut Vec<u8>) {
    while p < e {
        let mut c = t.byte(p);
        p += 1;
        if c != b'\\' || p >= e {
            out.push(c);
            continue;
        }
        c = t.byte(p);
        p += 1;
        match if c == b'u' { character(t, p, e) } else { None } {
            Some((code, behind)) => {
                put_utf8(out, code);
                p = behind;
            }
            // \" \\ \/ stand for themselves; control characters become blanks.
            None => out.push(if matches!(c, b'"' | b'\\' | b'/') { c } else { b' ' }),
        }
    }
}

impl Scan {
    /// Where a string value is, without its escapes.
    #[inline]
    fn json_text(&mut self, t: Text, value: Value) -> Option<Span> {
        if !value.escaped {
            return Span::line(value.start, value.end);
        }
        let start = self.scratch.len();
        unescape(t, value.start, value.end, &mut self.scratch);
        Some(Span { start, end: self.scratch.len(), of: Source::Scratch })
    }

    /// '1739212909-1' begins with the time of the connection: numbers repeat, this does not.
    fn key_epoch(&mut self, t: Text, p: usize, e: usize) {
        if let Some((value, q)) = t.integer(p, e) {
            if q < e && t.byte(q) == b'-' && value >= 0 {
                self.line.epoch = value & 0xFFFF_FFFF;
            }
        }
    }

    fn operation(&mut self, t: Text, p: usize, e: usize) {
        let meaning = self.grammar.verbs.get(t.long_word(p, e - p));
        if self.line.class == Class::NotKnown {
            self.line.class = meaning.class;
            self.line.kind = meaning.kind;
        }
    }

    /// The type of the operation, where another key says which event of it this is.
    fn operation_type(&mut self, t: Text, p: usize, e: usize) {
        let meaning = self.grammar.verbs.get(t.long_word(p, e - p));
        self.line.kind = meaning.kind;
        self.line.has_request = true;
        if meaning.class == Class::Extra {
            self.line.class = Class::Extra;
        }
    }

    /// Items of a text, of which one says that a search had no index; those of an object have
    /// keys of their own.
    fn items(&mut self, t: Text, p: usize, e: usize) {
        if t.byte(p) != b'{' && memchr::memmem::find(t.between(p, e), b"unindexe").is_some() {
            self.line.notes |= NOTE_A;
        }
    }

    /// One value of a known key at the top or in client{}, request{}...
    #[inline]
    fn value_of(&mut self, t: Text, value: Value, field: Field) {
        let (p, e) = (value.start, value.end);
        let line = &mut self.line;
        match field {
            Field::Etime => _ = self.etime(t, p, e),
            Field::Optime => _ = self.optime(t, p, e),
            Field::Wtime => _ = self.wtime(t, p, e),
            Field::Nentries => _ = number(t, p, e, &mut line.nentries),
            Field::Err => _ = number(t, p, e, &mut line.err),
            Field::Tag => _ = number(t, p, e, &mut line.tag),
            Field::Conn => _ = number(t, p, e, &mut line.conn),
            Field::Op => _ = number(t, p, e, &mut line.op),
            Field::InternalOp => _ = number(t, p, e, &mut line.internal_op),
            Field::Nesting => _ = number(t, p, e, &mut line.nesting),
            Field::Base => self.line.base = self.json_text(t, value),
            Field::Filter => self.line.filter = self.json_text(t, value),
            Field::Client => {
                if line.client.is_none() {
                    self.line.client = self.json_text(t, value);
                }
            }
            Field::Operation => self.operation(t, p, e),
            Field::Time => _ = self.iso_time(t, p, e),
            Field::Key => self.key_epoch(t, p, e),
            Field::IsInternal => line.internal |= p < e && t.byte(p) == b't',
            Field::Origin => line.internal = true,
            Field::Units => line.in_nanoseconds = t.byte(p) == b'N',
            Field::Elapsed => _ = number(t, p, e, &mut line.etime),
            Field::Queued => _ = number(t, p, e, &mut line.wtime),
            Field::Processed => _ = number(t, p, e, &mut line.optime),
            _ => self.rare_value_of(t, value, field),
        }
    }

    /// Values that few objects have.
    fn rare_value_of(&mut self, t: Text, value: Value, field: Field) {
        let (p, e) = (value.start, value.end);
        match field {
            Field::Type => self.operation_type(t, p, e),
            Field::Bind => self.line.bind = self.json_text(t, value),
            Field::Startup => self.note_start(t, p, e),
            Field::Items => self.items(t, p, e),
            Field::StatAttribute | Field::StatKey => self.index_key(t, p, e),
            Field::StatCount => {
                number(t, p, e, &mut self.rare.index_ids);
                self.said = true;
            }
            Field::Indexed => {
                if p < e && t.byte(p) == b'f' {
                    self.line.notes |= NOTE_A;
                }
            }
            Field::Wqtime
            | Field::Writetime
            | Field::Wbusy
            | Field::Wmax
            | Field::Wqdepth
            | Field::Deref
            | Field::StatTime => _ = self.rare_value(t, p, e, field),
            _ => {}
        }
    }

    /// The attribute, then the kind of its index: 'cn key(sub)', as in a classic line.
    fn index_key(&mut self, t: Text, p: usize, e: usize) {
        let start = match self.rare.index_key {
            None => {
                let start = self.scratch.len();
                self.scratch.extend_from_slice(t.between(p, e));
                start
            }
            Some(attribute) => {
                self.scratch.extend_from_slice(b" key(");
                self.scratch.extend_from_slice(t.between(p, e));
                self.scratch.push(b')');
                attribute.start
            }
        };
        let end = self.scratch.len();
        self.rare.index_key = Some(Span { start, end, of: Source::Scratch });
        self.said = true;
    }

    /// The value at p of a key; returns where to go on: behind it, or inside it if it nests.
    #[inline]
    fn pair(&mut self, t: Text, field: Field, p: usize, line: Text, depth: i64) -> usize {
        let e = line.0.len();
        let p = line.behind_space(p, e);
        let Some(first) = line.0.get(p) else {
            return e;
        };
        let quoted = *first == b'"';
        // What follows `{` or `[` is read next: no more of it is looked through for this pair, else
        // a line of nothing but braces took the square of its length.
        let opens = begins_object(*first);
        if opens && field == Field::Skip {
            return p;
        }
        let near = if opens { (p + LIST).min(e) } else { e };
        let value = if quoted { string(t, p + 1, e) } else { bare(t, p, near, opens) };
        let Value { start, end, .. } = value;
        match field {
            Field::Skip => {}
            Field::Note => self.line.notes |= note_bits(t, start, end),
            Field::Unindexed => {
                // One of the additional items, with null for a value.
                if t.byte(start) != b'f' {
                    self.line.notes |= NOTE_A;
                }
            }
            Field::Header if depth == 1 => self.line.is_header(),
            Field::Controls => {
                // A list of OIDs, or of objects with one each.
                let end = if quoted || !opens { end } else { t.find(start, near, b']') };
                self.note_controls(t, start, end);
            }
            _ if depth <= self.grammar.depth => self.value_of(t, value, field),
            _ => {}
        }
        if quoted {
            // Behind the quote, and the comma in front of the next key.
            end + 1 + usize::from(line.byte(end + 1) == b',')
        } else if opens {
            p
        } else {
            end
        }
    }

    /// What the key at p means, behind its quote, and where its value begins; without a colon
    /// it is a text alone, which ends there.
    fn key_of(&mut self, t: Text, p: usize, e: usize) -> Result<(Field, usize), usize> {
        let end = string(t, p, e).end;
        let colon = t.behind_space(end + 1, e);
        if colon >= e || t.byte(colon) != b':' {
            return Err(colon);
        }
        let field = self.grammar.keys.get(t.long_word(p, end - p));
        if colon == end + 1 {
            self.layouts.expect(self.line.class, t, p, colon + 1 - p, field);
        }
        Ok((field, colon + 1))
    }

    /// Read an object; returns how many braces were left open.
    #[inline]
    fn walk(&mut self, t: Text, mut p: usize, e: usize) -> i64 {
        let mut depth = 0;
        self.layouts.begin();
        let line = t.upto(e);
        while let Some(c) = line.0.get(p) {
            match c {
                b'"' => {
                    let start = p + 1;
                    let key = match self.layouts.expected(self.line.class, t, start, e) {
                        Some((length, field)) => Ok((field, start + length)),
                        None => self.key_of(t, start, e),
                    };
                    p = match key {
                        Ok((field, value)) => self.pair(t, field, value, line, depth),
                        Err(behind) => behind,
                    };
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            p += 1;
        }
        depth
    }

    /// An OpenDJ object is a whole operation: request, result and connection at once.
    fn one_record(&mut self) {
        let line = &mut self.line;
        if line.class != Class::Request {
            return;
        }
        line.class = Class::Result;
        line.has_request = true;
        line.etime_digits = 9;
        if !line.in_nanoseconds {
            line.etime_digits = 3;
            for time in [&mut line.etime, &mut line.wtime, &mut line.optime] {
                if *time != ABSENT {
                    *time = in_nanoseconds(*time);
                }
            }
        }
    }

    /// '{"local_time": ...}' or '{"eventName": ...}'; a classic line among them is read too.
    pub fn object_line(&mut self, t: Text, start: usize, e: usize) -> usize {
        let p = t.behind_space(start, e);
        if p >= e || t.byte(p) != b'{' {
            return self.bracket_line(t, start, e);
        }
        self.scratch.clear();
        let depth = self.walk(t, p, e);
        if depth > 0 {
            // Its writer was killed, or the disk was full: a number may lack digits, and what
            // follows on the line is another record.
            self.line.set_aside(Reason::Cut);
            return e;
        }
        if self.line.class == Class::NotKnown {
            return e;
        }
        let (conn, op) = (self.line.conn, self.line.op);
        if conn.abs() > FURTHEST || !(-1..1 << 31).contains(&op) {
            self.line.class = Class::NotKnown;
        } else if self.line.class != Class::Header && self.line.time == ABSENT {
            self.line.set_aside(Reason::NoTime);
        } else if self.line.class == Class::Noted {
            self.noted_line(self.line.kind);
        } else if self.style == Style::Records {
            self.one_record();
        }
        e
    }
}
