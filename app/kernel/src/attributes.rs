//! Oracle's diagnostic log format: a time and [key: value] in brackets, then a text.

use crate::fields::{number, word_end};
use crate::grammar::{Class, Field, NOTE_A};
use crate::line::{Reason, Span};
use crate::lines::FURTHEST;
use crate::scan::Scan;
use crate::text::Text;

/// Where the bracket closes: the first ']' that a blank or the end of the line follows.
fn bracket_end(t: Text, p: usize, e: usize) -> usize {
    let mut q = t.find(p, e, b']');
    while q + 1 < e && t.byte(q + 1) != b' ' {
        q = t.find(q + 1, e, b']');
    }
    q
}

impl Scan {
    /// The value of a key in brackets.
    fn attribute(&mut self, t: Text, p: usize, e: usize, field: Field) {
        let line = &mut self.line;
        match field {
            Field::Conn => {
                number(t, p, e, &mut line.conn);
            }
            Field::Op => {
                number(t, p, e, &mut line.op);
            }
            Field::Err => {
                number(t, p, e, &mut line.err);
            }
            Field::Nentries => {
                number(t, p, e, &mut line.nentries);
            }
            Field::Etime => {
                self.etime(t, p, e);
            }
            Field::Role => {
                let is_result = t.byte(p + 2) == b'S';
                line.class = if is_result { Class::Result } else { Class::Request };
            }
            Field::Base => line.base = Span::line(p, e),
            Field::Filter => line.filter = Span::line(p, e),
            Field::Bind => line.bind = Span::line(p, e),
            Field::Client => {
                let colon = t.find(p, e, b':');
                let is_port = t.find(colon + 1, e, b':') >= e;
                line.client = Span::line(p, if is_port { colon } else { e });
            }
            Field::Origin => line.internal |= t.byte(p) == b'i' || t.byte(p) == b's',
            Field::Unindexed if t.byte(p) != b'f' => line.notes |= NOTE_A,
            _ => {}
        }
    }

    /// Read every [key: value] from p on; returns where the text behind them begins.
    fn attributes(&mut self, t: Text, mut p: usize, e: usize) -> usize {
        while p < e && t.byte(p) == b'[' {
            let end = bracket_end(t, p, e);
            let colon = t.find(p + 1, end, b':');
            if colon < end {
                let field = self.grammar.keys.get(t.long_word(p + 1, colon - p - 1));
                if field != Field::Skip {
                    self.attribute(t, t.behind_blanks(colon + 1, end), end, field);
                }
            }
            p = t.behind_blanks(end + 1, e);
        }
        p.min(e)
    }

    /// '[2013-06-18T09:57:02.418-04:00] [OUD] [TRACE] ... [conn: 0] [op: 1] SEARCH'; a classic
    /// line of the same server among them is read too.
    pub fn attribute_line(&mut self, t: Text, p: usize, e: usize) -> usize {
        let begins = p < e && t.byte(p) == b'[';
        let time = if begins { self.iso_time(t, p + 1, e) } else { None };
        let Some(q) = time.filter(|q| *q < e && t.byte(*q) == b']') else {
            return self.bracket_line(t, p, e);
        };
        let p = self.attributes(t, t.behind_blanks(q + 1, e), e);
        let role = std::mem::replace(&mut self.line.class, Class::NotKnown);
        if self.line.conn < 0 && self.line.op < 0 {
            // The text may be the classic line.
            self.verb_first(t, p, e);
            if self.line.class == Class::NotKnown {
                self.line.set_aside(Reason::Message);
            }
            return e;
        }
        let word = t.long_word(p, word_end(t, p, e) - p);
        let meaning = self.grammar.verbs.get(word);
        let mut class = meaning.class;
        let known = (-FURTHEST..=FURTHEST).contains(&self.line.conn);
        if !known || self.line.op >= 1 << 31 || class == Class::NotKnown {
            return e;
        }
        self.line.kind = meaning.kind;
        if class == Class::Request && role != Class::NotKnown {
            class = role;
            self.line.has_request = self.line.base.is_some();
        }
        self.line.class = class;
        e
    }
}
