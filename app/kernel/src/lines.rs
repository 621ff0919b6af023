//! What lines of every style have: the numbers of the operation, its verb, a client's address.

use crate::fields::word_end;
use crate::grammar::{Class, WITH_VLV};
use crate::line::{Span, ABSENT};
use crate::scan::Scan;
use crate::text::Text;

/// Numbers of connections are within this, either way.
pub const FURTHEST: i64 = 1 << 40;

impl Scan {
    /// Read '(9)(1)' behind an op number: internal operation and depth.
    fn nested(&mut self, t: Text, p: usize, e: usize) -> Option<usize> {
        let (first, q) = t.integer(p + 1, e)?;
        if q + 1 >= e || t.byte(q) != b')' || t.byte(q + 1) != b'(' {
            return None;
        }
        let (second, q) = t.integer(q + 2, e)?;
        if q >= e || t.byte(q) != b')' {
            return None;
        }
        self.line.internal_op = first;
        self.line.nesting = second;
        Some(q + 1)
    }

    /// Read 'conn=12 ', 'conn=12 (Internal) ', 'conn=Internal ' or 'conn=Internal(0) '.
    #[inline]
    fn connection(&mut self, t: Text, mut p: usize, e: usize) -> Option<usize> {
        let mut number = -1;
        if t.byte(p) == b'I' && t.is_at(p, b"Internal") {
            self.line.internal = true;
            p += 8;
            if p < e && t.byte(p) == b'(' {
                (number, p) = t.integer(p + 1, e)?;
                if p >= e || t.byte(p) != b')' {
                    return None;
                }
                number = -1 - number;
                p += 1;
            }
        } else {
            (number, p) = t.integer(p, e)?;
        }
        if number.abs() > FURTHEST || (p < e && t.byte(p) != b' ') {
            return None;
        }
        self.line.conn = number;
        if number < 0 {
            self.line.internal = true;
        }
        p = (p + 1).min(e);
        if p + 11 < e && t.byte(p) == b'(' && t.is_at(p, b"(Interna") {
            self.line.internal = true;
            p += 11;
        }
        Some(p)
    }

    /// Read 'conn=.. op=.. ' (with internal numbers, or a msgId).
    #[inline]
    pub fn ids(&mut self, t: Text, p: usize, e: usize) -> Option<usize> {
        if p + 6 > e || !t.is_at(p, b"conn=") {
            return None;
        }
        let p = self.connection(t, p + 5, e)?;
        if p >= e || !t.is_at(p, b"op=") {
            return Some(p);
        }
        let (number, mut p) = t.integer(p + 3, e)?;
        if !(-1..1 << 31).contains(&number) {
            return None;
        }
        self.line.op = number;
        if p < e && t.byte(p) == b'(' {
            p = self.nested(t, p, e)?;
        }
        if p >= e || t.byte(p) != b' ' {
            return None;
        }
        p += 1;
        if p < e && t.byte(p) == b'm' && t.is_at(p, b"msgId=") {
            let number = t.integer(p + 6, e).map_or(0, |(number, _)| number);
            self.line.msg_id = if (1..1 << 31).contains(&number) { number } else { 0 };
            p = t.find(p, e, b' ');
            if p + 3 > e || t.byte(p + 1) != b'-' {
                return None;
            }
            p += 3;
        }
        Some(p)
    }

    /// Note the address behind 'from ' or 'from=', without the port.
    pub fn client(&mut self, t: Text, mut p: usize, e: usize) {
        while p + 6 < e && !t.is_at(p, b"from") {
            p += 1;
        }
        p += 5;
        if p < e && (t.byte(p) == b'"' || t.byte(p) == b'/') {
            p += 1;
        }
        if p < e && t.is_at(p, b"IP=") {
            p += 3;
        } else if p < e && t.is_at(p, b"PATH=") {
            p += 5;
        }
        let mut q = p;
        let (mut colons, mut last) = (0, 0);
        while q < e && t.byte(q) != b' ' && t.byte(q) != b'"' {
            if t.byte(q) == b':' {
                colons += 1;
                last = q;
            }
            q += 1;
        }
        if last > p && (colons == 1 || t.byte(last - 1) == b']') {
            q = last;
        }
        if q > p {
            self.line.client = Span::line(p, q);
        }
    }

    /// The rest of a 'fd=64 ...' line: opened, closed, or something about the socket.
    fn socket(&mut self, t: Text, p: usize, e: usize) {
        let p = t.find(p, e, b' ') + 1;
        if p >= e {
            return;
        }
        let word = t.short_word(p, word_end(t, p, e) - p);
        self.line.class = self.grammar.verbs.get(word).class;
        if self.line.class == Class::Opened {
            self.client(t, p, e);
        } else if self.line.class == Class::Closed && by_the_server(t, p, e) {
            self.line.ended_by_server = true;
        }
    }

    /// A SORT or VLV line: what it says of the request before it.
    pub fn noted_line(&mut self, bits: i32) {
        self.line.notes = (bits & 255) as u8;
        if bits & WITH_VLV != 0 {
            self.rare.vlv = true;
            self.said = true;
        }
    }

    /// 'read index: attribute=cn key(sub)=er_ --> count 24 (duration 0.1)', or the 'duration' of
    /// all keys of an operation.
    fn stat(&mut self, t: Text, mut p: usize, e: usize) {
        let mut counted = e;
        let mut q = t.find(p, e, b'>');
        while q < e {
            if t.is_at(q + 1, b" count ") {
                counted = q + 8;
            }
            q = t.find(q + 1, e, b'>');
        }
        if counted < e {
            let number = t.integer(counted, e).map_or(0, |(number, _)| number);
            self.rare.index_ids = number.max(0);
            self.said = true;
            while p + 10 < counted && !t.is_at(p, b"attribut") {
                p += 1;
            }
            if p + 10 < counted {
                let end = (t.find(p + 10, counted, b')') + 1).min(counted);
                self.rare.index_key = Span::line(p + 10, end);
            }
            p = counted;
        }
        while p + 9 < e && !t.is_at(p, b"duration") {
            p += 1;
        }
        if p + 9 < e {
            if let Some(value) = t.decimal(p + 9, e) {
                if value.nanos >= 0 {
                    self.rare.index_ns = value.nanos;
                    self.said = true;
                }
            }
        }
    }

    /// The verb and its fields, after the numbers; returns where it stopped reading.
    #[inline]
    pub fn body(&mut self, t: Text, p: usize, e: usize) -> usize {
        let q = word_end(t, p, e);
        let meaning = self.grammar.verbs.get(t.short_word(p, q - p));
        let class = meaning.class;
        if class == Class::Socket {
            self.socket(t, p, e);
            return e;
        }
        self.line.class = class;
        self.line.kind = meaning.kind;
        match class {
            Class::Result => return self.fields(t, q, e),
            Class::Noted => self.noted_line(meaning.kind),
            Class::Stat => self.stat(t, q, e),
            Class::Request | Class::Abandon | Class::Bound => {
                self.fields(t, q, e);
                if class == Class::Abandon && self.line.etime == ABSENT {
                    self.line.class = Class::Extra;
                }
            }
            _ => {}
        }
        e
    }
}

/// 'closed ... - T1' or '- B2' of 389 DS, or a reason of TLS, which is a sentence or not known to
/// it ('unknown error'); 'closed (idletimeout)', '(TLS negotiation failure)' and
/// '(connection lost)' of slapd: no client says that it is done.
fn by_the_server(t: Text, p: usize, mut e: usize) -> bool {
    while e > p && t.byte(e - 1) == b' ' {
        e -= 1;
    }
    if e - p < 8 {
        return false;
    }
    let end = t.between(e - 3, e);
    match end {
        [_, _, b')'] => end[1] == b'e' || end[..2] == *b"ut" || end[..2] == *b"st",
        [b' ', b'B', b'2'] | [b' ', b'T', _] | [_, _, b'.'] | [b'r', b'o', b'r'] => true,
        _ => false,
    }
}
