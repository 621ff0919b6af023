//! The key=value part of a line, the same loop for every dialect; keys come from its tables.

use memchr::memmem;

use crate::filters::quote_end;
use crate::grammar::{Field, Unit, NOTES, NOTE_A, NOTE_P, NOTE_S};
use crate::line::{Span, ABSENT};
use crate::scan::Scan;
use crate::text::{places_below, places_of, Text};

/// End of the word at p: before a blank, a quote, a bracket, a comma or an equals sign.
#[inline(always)]
pub fn word_end(t: Text, p: usize, e: usize) -> usize {
    let text = t.word(p);
    let marks = places_below(text, b'-') | places_of(text, b'=');
    if marks != 0 {
        return (p + marks.trailing_zeros() as usize / 8).clamp(p, e.max(p));
    }
    let rest = t.between(p + 8, e).iter().take_while(|c| **c > b',' && **c != b'=');
    (p + 8 + rest.count()).min(e)
}

/// End of the key at p.
#[inline(always)]
fn key_end(t: Text, p: usize, e: usize) -> usize {
    let equals = places_of(t.word(p), b'=');
    if equals != 0 {
        return (p + equals.trailing_zeros() as usize / 8).min(e);
    }
    if p + 8 < e {
        word_end(t, p + 8, e)
    } else {
        e
    }
}

/// notes=U,P as bits.
pub fn note_bits(t: Text, p: usize, e: usize) -> u8 {
    let text = t.between(p, e).iter().take_while(|c| **c != b' ');
    text.filter_map(|c| NOTES[..7].iter().position(|letter| letter == c))
        .fold(0, |bits, i| bits | 1 << i)
}

/// Read a whole number into its place; the position behind it, p if it is none.
#[inline(always)]
pub fn number(t: Text, p: usize, e: usize, place: &mut i64) -> usize {
    match t.integer(p, e) {
        Some((value, q)) => {
            *place = value;
            q
        }
        None => p,
    }
}

/// A number of threads or operations: stays -1 where it is negative or none.
fn amount(t: Text, p: usize, e: usize, place: &mut i32) -> (bool, usize) {
    match t.integer(p, e) {
        None => (false, p),
        Some((value, q)) => match i32::try_from(value) {
            Ok(value) if value >= 0 => {
                *place = value;
                (true, q)
            }
            _ => (false, q),
        },
    }
}

impl Scan {
    /// Read a latency in the unit of the dialect; the position behind it, p if it is none.
    #[inline]
    pub fn etime(&mut self, t: Text, p: usize, e: usize) -> usize {
        let line = &mut self.line;
        let unit = self.grammar.unit;
        if unit == Unit::Latched {
            let q = number(t, p, e, &mut line.etime);
            line.etime_end = q;
            return q;
        }
        let Some(mut value) = t.decimal(p, e) else {
            return p;
        };
        // 389 puts text of clients behind its etime, OpenDJ and its kin put it before.
        if line.etime == ABSENT || unit == Unit::Milliseconds {
            if unit == Unit::Milliseconds {
                value.nanos = value.nanos.div_euclid(1000);
                value.digits += 3;
            }
            line.etime = value.nanos;
            line.etime_digits = value.digits;
            line.etime_end = value.end;
        }
        value.end
    }

    /// wtime or optime, and whether it is garbage: negative or no number.
    #[inline]
    fn part(&self, t: Text, p: usize, e: usize) -> (Option<i64>, usize) {
        match t.decimal(p, e) {
            None => (None, p),
            Some(value) if value.nanos < 0 => (None, p.max(value.end)),
            Some(value) if self.grammar.unit == Unit::Milliseconds => {
                (Some(value.nanos / 1000), value.end)
            }
            Some(value) => (Some(value.nanos), value.end),
        }
    }

    #[inline]
    pub fn wtime(&mut self, t: Text, p: usize, e: usize) -> usize {
        let (value, q) = self.part(t, p, e);
        match value {
            Some(value) => self.line.wtime = value,
            None => self.line.garbage_wtime = true,
        }
        q
    }

    #[inline]
    pub fn optime(&mut self, t: Text, p: usize, e: usize) -> usize {
        let (value, q) = self.part(t, p, e);
        match value {
            Some(value) => self.line.optime = value,
            None => self.line.garbage_optime = true,
        }
        q
    }

    /// Values that few lines have, from now on of this one.
    pub fn rare_value(&mut self, t: Text, p: usize, e: usize, field: Field) -> usize {
        match field {
            Field::Wqtime | Field::Writetime | Field::StatTime => self.extra_time(t, p, e, field),
            Field::Wbusy | Field::Wmax | Field::Wqdepth => self.pool(t, p, e, field),
            Field::Notes => {
                self.line.notes |= note_bits(t, p, e);
                p
            }
            Field::Deref => {
                self.note_deref(t, p, e);
                p
            }
            Field::Controls => {
                let q = t.find(p, e, b' ');
                self.note_controls(t, p, q);
                q
            }
            _ => p,
        }
    }

    /// A time that stays ABSENT where it is negative or no number.
    fn extra_time(&mut self, t: Text, p: usize, e: usize, field: Field) -> usize {
        let Some(value) = t.decimal(p, e) else {
            return p;
        };
        if value.nanos < 0 {
            return p.max(value.end);
        }
        match field {
            Field::Wqtime => self.rare.wqtime = value.nanos,
            Field::Writetime => self.rare.writetime = value.nanos,
            _ => self.rare.index_ns = value.nanos,
        }
        self.said = true;
        value.end
    }

    /// wqdepth, and wbusy: '3/16' of how many, which JSON has under the key wmax.
    fn pool(&mut self, t: Text, p: usize, e: usize, field: Field) -> usize {
        let place = match field {
            Field::Wqdepth => &mut self.rare.wqdepth,
            Field::Wmax => &mut self.rare.wmax,
            _ => &mut self.rare.wbusy,
        };
        let (said, mut q) = amount(t, p, e, place);
        self.said |= said;
        if field == Field::Wbusy && q < e && t.byte(q) == b'/' {
            let (said, behind) = amount(t, q + 1, e, &mut self.rare.wmax);
            self.said |= said;
            q = behind;
        }
        q
    }

    /// What the OIDs of controls in a text ask for: pages, sorting, a virtual list view.
    pub fn note_controls(&mut self, t: Text, start: usize, e: usize) {
        // All of them have this arc behind three or four bytes.
        for arc in memmem::find_iter(t.between(start, e), b".840") {
            let at = |before: usize| (arc >= before).then(|| start + arc - before);
            let Some(mut p) = at(3) else { continue };
            if !t.is_at(p, b"1.2.840.") {
                let Some(longer) = at(4) else { continue };
                p = longer;
            }
            if p + 22 > e {
                continue;
            }
            if t.is_at(p, b"1.2.840.") && t.is_at(p + 14, b".1.4.319") {
                self.line.notes |= NOTE_P;
            } else if t.is_at(p, b"1.2.840.") && t.is_at(p + 14, b".1.4.473") {
                self.line.notes |= NOTE_S;
            } else if t.is_at(p, b"2.16.840") && t.is_at(p + 14, b"730.3.4.9") {
                self.rare.vlv = true;
                self.said = true;
            }
        }
    }

    /// '3', 'always' or 'derefAlways': how aliases are followed.
    pub fn note_deref(&mut self, t: Text, p: usize, e: usize) {
        if p >= e {
            return;
        }
        let c = t.byte(p);
        self.rare.deref = if (b'0'..=b'3').contains(&c) {
            (c - b'0') as i8
        } else {
            match if c == b'd' { t.byte(p + 5) | 32 } else { c | 32 } {
                b's' | b'i' => 1, // searching, derefInSearching
                b'f' => 2,        // finding, derefFindingBaseObj
                b'a' => 3,        // always, derefAlways
                _ => 0,
            }
        };
        self.said = true;
    }

    /// A DN; one that was cut off, by the server or with its line, is not known.
    #[inline]
    fn name(&mut self, t: Text, p: usize, e: usize) -> usize {
        let quoted = p < e && t.byte(p) == b'"';
        let (start, end, behind) = quoted_text(t, p, e);
        let cut = quoted && (end >= e || t.byte(end) != b'"');
        let dots = quoted && end >= p + 4 && t.between(end - 3, end) == b"...";
        self.line.base = if cut || dots { None } else { Span::line(start, end) };
        behind
    }

    /// Read the value at p of a known key; returns a position behind it or inside it.
    #[inline]
    fn value(&mut self, t: Text, p: usize, e: usize, field: Field) -> usize {
        match field {
            Field::Etime => self.etime(t, p, e),
            Field::Optime => self.optime(t, p, e),
            Field::Wtime => self.wtime(t, p, e),
            Field::Nentries => number(t, p, e, &mut self.line.nentries),
            Field::Err => number(t, p, e, &mut self.line.err),
            Field::Tag => number(t, p, e, &mut self.line.tag),
            Field::Base => self.name(t, p, e),
            Field::Filter => {
                let (start, end, behind) = quoted_text(t, p, e);
                self.line.filter = Span::line(start, end);
                behind
            }
            Field::Bind => {
                let (start, end, behind) = quoted_text(t, p, e);
                self.line.bind = Span::line(start, end);
                behind
            }
            Field::Origin => {
                // type=internal and type=synchronization; of a bind it is type=SIMPLE.
                if t.byte(p) == b'i' || t.byte(p) == b's' {
                    self.line.internal = true;
                }
                p
            }
            Field::Wmax | Field::StatTime => p,
            _ => self.rare_value(t, p, e, field),
        }
    }

    /// The end of the key at p, what its value means, and whether it has one.
    fn key(&mut self, t: Text, p: usize, e: usize) -> (usize, Field, bool) {
        let q = key_end(t, p, e);
        let mut field = Field::Skip;
        if q < e {
            field = self.grammar.keys.get(t.short_word(p, q - p));
        }
        let equals = t.byte(q) == b'=';
        if q < e && equals {
            self.layouts.expect(self.line.class, t, p, q + 1 - p, field);
        }
        (q, field, equals)
    }

    /// Read every key=value token from p on into the line; returns where it stopped.
    ///
    /// It stops at a token that begins with ',', '-' or '[': text for people, or the next record
    /// glued to a cut one.
    #[inline]
    pub fn fields(&mut self, t: Text, mut p: usize, e: usize) -> usize {
        let line = t.upto(e).0;
        let class = self.line.class;
        self.layouts.begin();
        while let Some(c) = line.get(p) {
            match c {
                b' ' => {
                    p += 1;
                    continue;
                }
                b',' | b'-' | b'[' => return p,
                _ => {}
            }
            let (q, field, equals) = match self.layouts.expected(class, t, p, e) {
                Some((length, field)) => (p + length - 1, field, true),
                None => self.key(t, p, e),
            };
            match field {
                Field::Stop => return e,
                // A bare word of OpenDJ; 'unindexed=true' of PingDirectory.
                Field::Unindexed => {
                    if !(equals && t.byte(q + 1) == b'f') {
                        self.line.notes |= NOTE_A;
                    }
                    p = q;
                }
                Field::Skip => {
                    let quoted = q + 1 < e && equals && t.byte(q + 1) == b'"';
                    if quoted && t.find(p, q, b' ') == q {
                        p = quote_end(t, q + 2, e) + 1;
                    }
                }
                _ if equals => p = self.value(t, q + 1, e, field),
                _ => {}
            }
            while let Some(c) = line.get(p) {
                p += 1;
                match c {
                    b' ' => break,
                    b'[' => return p - 1,
                    _ => {}
                }
            }
        }
        e
    }
}

/// Where a text begins and ends, quoted or up to a blank, and the position behind it.
#[inline]
fn quoted_text(t: Text, p: usize, e: usize) -> (usize, usize, usize) {
    if p < e && t.byte(p) == b'"' {
        let q = quote_end(t, p + 1, e);
        return (p + 1, q, q + 1);
    }
    let q = t.find(p, e, b' ');
    (p, q, q)
}
