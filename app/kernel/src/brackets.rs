//! Lines that begin with a time in brackets: 389, Sun, OpenDJ, UnboundID.

use crate::fields::word_end;
use crate::grammar::{Class, Style};
use crate::line::{Reason, Span, ABSENT};
use crate::scan::Scan;
use crate::text::{hash, Text};

const START_SEED: u64 = 0x2545_F491_4F6C_DD1D;

/// Error log lines have ' - ' between their parts; access lines begin with conn=.
fn has_dash(t: Text, p: usize, e: usize) -> bool {
    if p + 5 <= e && t.is_at(p, b"conn=") {
        return false;
    }
    let mut q = t.find(p, e, b'-');
    while q + 1 < e {
        if (q == p || t.byte(q - 1) == b' ') && t.byte(q + 1) == b' ' {
            return true;
        }
        q = t.find(q + 1, e, b'-');
    }
    false
}

impl Scan {
    /// A line without a time: part of the header, blank, or unknown.
    fn unmarked(&mut self, t: Text, mut p: usize, e: usize) {
        while p < e && (t.byte(p) == b' ' || t.byte(p) == b'\t') {
            p += 1;
        }
        if p >= e {
            self.line.set_aside(Reason::Blank);
            return;
        }
        let blank = t.find(p, e, b' ');
        if blank + 2 >= e {
            return;
        }
        let behind = t.byte(blank + 1);
        if t.find(p, e, b'/') < blank && behind == b'B' && t.is_digit(blank + 2) {
            self.line.is_header();
        } else if behind == b'(' && t.find(p, blank, b':') < blank && t.byte(e - 1) == b')' {
            self.line.set_aside(Reason::Header);
        }
    }

    /// A log that names the start of its server says when there was another.
    pub fn note_start(&mut self, t: Text, p: usize, e: usize) {
        let start = (hash(t.between(p, e), START_SEED) & 0x7FFF_FFFF) as i64;
        if start != self.pid {
            self.header_seen |= self.pid != 0;
            self.pid = start;
        }
    }

    /// Pass over what PingDirectory may put before 'conn=': instanceName="pd0" threadID=11
    /// startupID="Yx" requesterIP="192.0.2.7". Where 'conn=' begins, e if nowhere.
    fn behind_names(&mut self, t: Text, mut p: usize, e: usize) -> usize {
        while p < e && !t.is_at(p, b"conn=") {
            let value = t.find(p, e, b'=') + 1;
            let quoted = value < e && t.byte(value) == b'"';
            let start = if quoted { value + 1 } else { value };
            let q = t.find(start, e, if quoted { b'"' } else { b' ' });
            if t.is_at(p, b"startupI") {
                self.note_start(t, start, q.min(e));
            } else if t.is_at(p, b"requesterI") {
                self.line.client = Span::line(start, q.min(e));
            }
            p = t.find(q, e, b' ') + 1;
        }
        p.min(e)
    }

    /// 'SEARCH RES conn=1 op=2 msgID=3 result=0 ... etime=4'; one line may be both REQ and RES.
    pub fn verb_first(&mut self, t: Text, p: usize, e: usize) -> usize {
        let q = word_end(t, p, e);
        let meaning = self.grammar.verbs.get(t.short_word(p, q - p));
        let mut class = meaning.class;
        let second = q + 1;
        let mut after = if second < e { word_end(t, second, e) } else { e };
        // Behind the verb: REQ, REQUEST, RES, RESULT; or FORWARD, ENTRY ... that tell of neither.
        let (mut role, mut combined) = (Class::Extra, false);
        if after < e && t.byte(after) == b'=' {
            (role, combined) = (Class::Result, true);
            after = q;
        } else if after < e && t.byte(second) == b'R' && t.byte(second + 2) == b'S' {
            role = Class::Result;
        } else if after < e && t.byte(second) == b'R' && t.byte(second + 2) == b'Q' {
            role = Class::Request;
        }
        if class == Class::NotKnown || after >= e {
            return e;
        }
        let conn = self.behind_names(t, after + 1, e);
        let Some(mut p) = self.ids(t, conn, e) else {
            if has_dash(t, q, e) {
                self.line.set_aside(Reason::ErrorLog);
            }
            return e;
        };
        if self.line.conn < 0 {
            self.line.internal = true;
        }
        self.line.kind = meaning.kind;
        if class == Class::Opened {
            self.client(t, p, e);
        } else if class == Class::Request {
            class = role;
            self.line.class = class;
            p = self.fields(t, p, e);
            self.line.has_request = combined || self.line.base.is_some();
        }
        self.line.class = class;
        if class == Class::Result {
            p
        } else {
            e
        }
    }

    /// A line with its time before 'conn=' as syslog writes it, or none; or another line.
    #[cold]
    fn prefixed(&mut self, t: Text, p: usize, e: usize) -> usize {
        let conn = if self.style == Style::NumbersFirst { self.conn_text(t, p, e) } else { None };
        let Some(start) = conn else {
            self.unmarked(t, p, e);
            return e;
        };
        self.prefix(t, p, start);
        if self.line.time == ABSENT && self.undated == ABSENT {
            return e; // a time that cannot be read
        }
        self.has_time();
        match self.ids(t, start, e) {
            Some(p) => self.body(t, p, e),
            None => e,
        }
    }

    /// Behind a time in brackets that cannot be read, where lines may go without.
    fn without_time(&mut self, t: Text, p: usize, e: usize) -> Option<usize> {
        let q = t.find(p, e, b']');
        if self.undated == ABSENT || q + 2 >= e || !self.has_time() {
            return None;
        }
        Some(q + 2)
    }

    /// '[time] conn=.. op=.. VERB ...'; returns where it stopped reading, e as a rule.
    #[inline]
    pub fn bracket_line(&mut self, t: Text, mut p: usize, e: usize) -> usize {
        if p < e && t.byte(p) == 0 {
            while p < e && t.byte(p) == 0 {
                p += 1;
            }
            if p == e {
                self.line.set_aside(Reason::Nul);
                return e;
            }
        }
        if p >= e || t.byte(p) != b'[' {
            return self.prefixed(t, p, e);
        }
        let mut behind = self.bracket_time(t, p, e);
        if behind.is_none() && self.style == Style::VerbFirst {
            behind = self.without_time(t, p, e);
        }
        let Some(q) = behind else {
            return self.prefixed(t, p, e);
        };
        if self.style == Style::VerbFirst {
            return self.verb_first(t, q, e);
        }
        let Some(p) = self.ids(t, q, e) else {
            if has_dash(t, q, e) {
                self.line.set_aside(Reason::ErrorLog);
            }
            return e;
        };
        self.body(t, p, e)
    }
}
