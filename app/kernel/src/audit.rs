//! IBM's audit log: a header of fields between '--', then a line for each detail.

use crate::fields::number;
use crate::grammar::{Class, Field};
use crate::line::{in_nanoseconds, Reason, Span, ABSENT};
use crate::lines::FURTHEST;
use crate::scan::Scan;
use crate::text::{Text, JOIN};

const HOUR_NS: i64 = 3_600_000_000_000;

/// Where '--' comes, e if nowhere.
fn dashes(t: Text, p: usize, e: usize) -> usize {
    let mut q = t.find(p, e, b'-');
    while q < e && t.byte(q + 1) != b'-' {
        q = t.find(q + 1, e, b'-');
    }
    q
}

fn without_port(t: Text, p: usize, e: usize) -> usize {
    let mut q = e;
    while q > p && t.is_digit(q - 1) {
        q -= 1;
    }
    if q > p + 1 && t.byte(q - 1) == b':' {
        q - 1
    } else {
        e
    }
}

impl Scan {
    /// '2014-09-23-13:31:30.755+00:00DST'; the position behind. The zone is the standard one, in
    /// summer an hour is to be added.
    fn audit_time(&mut self, t: Text, p: usize, e: usize) -> Option<usize> {
        let q = self.iso_time(t, p, e)?;
        if t.is_at(q, b"DST") {
            self.line.time -= HOUR_NS;
            return Some(q + 3);
        }
        Some(q)
    }

    /// 'AuditV3--TIME--V3 SSL Search--'; the position behind, none where it is no operation.
    fn begin(&mut self, t: Text, mut p: usize, e: usize) -> Option<usize> {
        if t.is_at(p, b"AuditV") {
            p = dashes(t, p, e) + 2;
        }
        if p >= e {
            return None;
        }
        let q = self.audit_time(t, p, e)?;
        if q + 2 > e || t.byte(q) != b'-' {
            return None;
        }
        let p = q + 2;
        let q = dashes(t, p, e);
        let mut start = q;
        while start > p && t.byte(start - 1) != b' ' {
            start -= 1;
        }
        let meaning = self.grammar.verbs.get(t.long_word(start, q - start));
        self.line.class = meaning.class;
        self.line.kind = meaning.kind;
        Some(q + 2)
    }

    /// The latency is the time from here to that of the header.
    fn received(&mut self, t: Text, p: usize, e: usize) {
        let ended = self.line.time;
        if self.audit_time(t, p, e).is_some() {
            self.line.etime = ended.wrapping_sub(self.line.time);
            self.line.etime_digits = 3;
        }
        self.line.time = ended;
    }

    /// One value of the header or the details.
    fn detail(&mut self, t: Text, p: usize, e: usize, field: Field) {
        let line = &mut self.line;
        match field {
            Field::Conn => {
                number(t, p, e, &mut line.conn);
            }
            Field::Nentries => {
                number(t, p, e, &mut line.nentries);
            }
            Field::Received => self.received(t, p, e),
            Field::Client => line.client = Span::line(p, without_port(t, p, e)),
            Field::Bind => {
                let nobody = t.is_at(p, b"<*CN=");
                line.bind = Span::line(p, if nobody { p } else { e });
            }
            Field::Base => line.base = Span::line(p, e),
            Field::Filter => line.filter = Span::line(p, e),
            Field::Deref => self.note_deref(t, p, e),
            Field::Milliseconds if number(t, p, e, &mut line.wtime) > p => {
                line.wtime = in_nanoseconds(line.wtime);
            }
            _ => {}
        }
    }

    /// 'key: value'; what the key means.
    fn pair_of_audit(&mut self, t: Text, p: usize, mut e: usize) -> Field {
        let colon = t.find(p, e, b':');
        if colon >= e {
            return Field::Skip;
        }
        let field = self.grammar.keys.get(t.long_word(p, colon - p));
        if field != Field::Skip {
            let p = t.behind_space(colon + 1, e);
            while e > p && t.byte(e - 1) <= b' ' {
                e -= 1;
            }
            self.detail(t, p, e, field);
        }
        field
    }

    /// 'bindDN: ..--client: ..--connectionID: 5--received: ..--Success'.
    fn header(&mut self, t: Text, mut p: usize, mut e: usize) {
        while e > p && t.byte(e - 1) <= b' ' {
            e -= 1;
        }
        while p < e {
            let mut end = dashes(t, p, e);
            let colon = t.find(p, end, b':');
            if self.grammar.keys.get(t.long_word(p, colon - p)) == Field::Bind {
                while end < e && !t.is_at(end, b"--client") {
                    end = dashes(t, end + 2, e);
                }
            }
            if self.pair_of_audit(t, p, end) == Field::Skip {
                let meaning = self.grammar.verbs.get(t.long_word(p, end - p));
                if meaning.class == Class::Extra {
                    self.line.err = i64::from(meaning.kind);
                }
            }
            p = end + 2;
        }
    }

    /// A header with its details behind JOIN; returns where it stopped reading.
    pub fn audit_line(&mut self, t: Text, mut p: usize, e: usize) -> usize {
        while p < e && matches!(t.byte(p), 0 | JOIN | b' ') {
            p += 1;
        }
        if p >= e {
            self.line.set_aside(Reason::Blank);
            return e;
        }
        let mut end = t.find(p, e, JOIN);
        let behind = self.begin(t, p, end);
        let class = self.line.class;
        let Some(q) = behind.filter(|_| class != Class::NotKnown) else {
            self.line.class = Class::NotKnown;
            if self.line.time != ABSENT {
                self.line.set_aside(Reason::Message);
            }
            return e;
        };
        self.header(t, q, end);
        while end < e {
            p = end + 1;
            end = t.find(p, e, JOIN);
            self.pair_of_audit(t, p, end);
        }
        if !(-1..=FURTHEST).contains(&self.line.conn) {
            self.line.class = Class::NotKnown;
        } else if self.line.time == ABSENT {
            self.line.set_aside(Reason::NoTime);
        } else if class == Class::Request {
            self.line.class = Class::Result;
            self.line.has_request = true;
        }
        e
    }
}
