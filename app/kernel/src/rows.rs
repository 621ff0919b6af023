//! What a line means: requests are remembered, results find theirs and become rows.

use memchr::memmem;

use crate::filters::shape;
use crate::grammar::{kind, Class, Style};
use crate::line::{Reason, Source, Span, ABSENT};
use crate::scan::{Scan, BASES, BIND_DNS, CLIENTS, FINGERPRINTS, INDEX_KEYS};
use crate::tables::{Connection, IndexUse, Request, RequestKey};
use crate::text::Text;

const NONE: i32 = -1;
/// Connections may be logged a little out of order; a number this far back is a new start.
const SLACK: i64 = 4096;
/// optime may exceed etime a little (they are read one after the other), not by a second.
const TOLERANCE: i64 = 1_000_000_000;
/// The result of a step of a SASL bind, behind which the next one comes.
const SASL_GOES_ON: i64 = 14;

/// The operation type that a result's LDAP tag tells.
fn kind_of_tag(tag: i64) -> i32 {
    match tag {
        101 => kind::SRCH,
        97 => kind::BIND,
        103 => kind::MOD,
        105 => kind::ADD,
        107 => kind::DEL,
        109 => kind::MODRDN,
        111 => kind::CMP,
        120 => kind::EXT,
        _ => kind::UNKNOWN,
    }
}

impl Scan {
    /// One number, never 0, for the line's connection and server start; conn is within 2**40.
    #[inline(always)]
    pub fn this_conn(&self) -> i64 {
        (self.boot << 42).wrapping_add(self.line.conn).wrapping_add(1 << 41)
    }

    /// What tells the line's operation from any other.
    #[inline(always)]
    pub fn request_key(&self) -> RequestKey {
        let line = &self.line;
        RequestKey {
            conn: self.this_conn(),
            ids: line.op << 32 | line.internal_op,
            depth: line.nesting | (line.epoch + line.msg_id) << 16,
        }
    }

    /// Index of a text of the line in a table of strings.
    #[inline]
    fn intern(&mut self, t: Text, table: usize, span: Span) -> i32 {
        self.strings[table].intern(match span.of {
            Source::Line => t.between(span.start, span.end),
            Source::Scratch => Text(&self.scratch).between(span.start, span.end),
        })
    }

    #[inline]
    fn intern_any(&mut self, t: Text, table: usize, span: Option<Span>) -> i32 {
        span.map_or(NONE, |span| self.intern(t, table, span))
    }

    /// The line's connection, made if it is new.
    #[inline]
    pub fn its_connection(&mut self) -> &mut Connection {
        self.connections.entry(self.this_conn(), self.line.epoch, self.line.at)
    }

    /// Whether a connection that opens under this number belongs to a new start of the server.
    fn restarted(&mut self) -> bool {
        if self.line.conn > self.max_conn {
            return false;
        }
        if self.header_seen || self.line.conn + SLACK <= self.max_conn {
            return true;
        }
        let key = self.this_conn();
        self.connections.get_mut(key).is_some_and(|connection| connection.opened)
    }

    /// The server started anew; other processes in the same text keep their own numbers.
    fn new_boot(&mut self) {
        self.statistics.newest_boot += 1;
        self.boot = self.statistics.newest_boot;
        self.max_conn = self.line.conn;
        self.header_seen = false;
    }

    /// A connection that began later than the known one of its number: the server started anew.
    fn note_epoch(&mut self) {
        let (key, epoch) = (self.this_conn(), self.line.epoch);
        if let Some(connection) = self.connections.get_mut(key) {
            if 0 < connection.epoch && connection.epoch < epoch {
                self.new_boot();
            }
        }
    }

    fn opened(&mut self, t: Text) {
        if self.restarted() {
            self.new_boot();
        }
        self.header_seen = false;
        let client = self.intern_any(t, CLIENTS, self.line.client);
        let opened_ns = self.line.time;
        let connection = self.its_connection();
        connection.opened = true;
        connection.opened_ns = opened_ns;
        if client != NONE {
            connection.client = client;
        }
    }

    fn has_nonce(&self, text: &[u8]) -> bool {
        self.nonces.iter().any(|nonce| memmem::find(text, nonce).is_some())
    }

    /// Whether a base of the table has one of our nonces; each is searched once.
    #[inline]
    fn is_own_base(&mut self, base: usize) -> bool {
        while let Some(text) = self.strings[BASES].get(self.own_bases.len()) {
            let is_own = self.has_nonce(text);
            self.own_bases.push(is_own);
        }
        self.own_bases.get(base).is_some_and(|is_own| *is_own)
    }

    /// A connection that asks for one of our nonces is the workbench's own.
    fn mark_own(&mut self, t: Text) {
        let Some(base) = self.line.base else { return };
        let has_nonce = match usize::try_from(self.line.base_index) {
            Ok(base) => self.is_own_base(base),
            Err(_) => self.has_nonce(match base.of {
                Source::Line => t.between(base.start, base.end),
                Source::Scratch => Text(&self.scratch).between(base.start, base.end),
            }),
        };
        if has_nonce {
            let connection = self.its_connection();
            if !connection.own {
                connection.own = true;
                self.own.push((self.boot, self.line.conn));
            }
        }
    }

    /// Fingerprint of the line's filter, or what kind of extended operation it asks for.
    fn shape(&mut self, t: Text) -> i32 {
        let Some(span) = self.line.filter else {
            return NONE;
        };
        if self.line.kind == kind::EXT {
            return self.intern(t, FINGERPRINTS, span);
        }
        let t = if span.of == Source::Line { t } else { Text(&self.scratch) };
        self.shape.clear();
        shape(t, span.start, span.end, &mut self.shape);
        self.strings[FINGERPRINTS].intern(&self.shape)
    }

    /// Remember a request until its result comes.
    fn requested(&mut self, t: Text) {
        let key = self.request_key();
        let is_slapd = self.style == Style::Slapd;
        if let Some(before) = self.requests.get(key) {
            if is_slapd && before.kind == self.line.kind {
                self.continued(t, key);
                return;
            }
            self.statistics.reasons[Reason::Twice as usize] += 1;
        } else if is_slapd && self.line.base.is_none() && self.line.filter.is_none() {
            return;
        }
        let shape = self.shape(t);
        let base = self.intern_any(t, BASES, self.line.base);
        let is_bind = self.line.kind == kind::BIND;
        let bind = if is_bind { self.line.base } else { None };
        let bind = self.intern_any(t, BIND_DNS, bind);
        self.line.base_index = base;
        self.requests.put(Request {
            key,
            start: self.line.time,
            at: self.line.at,
            kind: self.line.kind,
            base,
            shape,
            bind,
            notes: self.line.notes,
            vlv: self.rare.vlv,
            deref: self.rare.deref,
            index: None,
        });
    }

    /// A further line of a request: attributes, or the DN a bind was mapped to.
    fn continued(&mut self, t: Text, key: RequestKey) {
        if self.line.kind != kind::BIND || self.line.base.is_none() {
            return;
        }
        let bind = self.intern_any(t, BIND_DNS, self.line.base);
        let base = self.intern_any(t, BASES, self.line.base);
        if let Some(request) = self.requests.get_mut(key) {
            request.bind = bind;
            request.base = base;
        }
    }

    /// A further line about an open request: sorted, a list view, or what an index was asked.
    fn noted(&mut self, t: Text) {
        if self.line.op < 0 {
            return;
        }
        let key = self.request_key();
        let Some(request) = self.requests.get_mut(key) else {
            return;
        };
        if self.line.class == Class::Noted {
            request.notes |= self.line.notes;
            request.vlv |= self.rare.vlv;
            if self.rare.deref >= 0 {
                request.deref = self.rare.deref;
            }
            return;
        }
        let nothing = IndexUse { ns: ABSENT, ids: ABSENT, key: NONE };
        let index = request.index.get_or_insert(nothing);
        let (ids, ns) = (self.rare.index_ids, self.rare.index_ns);
        if ids == ABSENT {
            index.ns = if ns == ABSENT { index.ns } else { ns };
            return;
        }
        if ns != ABSENT {
            index.ns = if index.ns == ABSENT { ns } else { index.ns.wrapping_add(ns) };
        }
        if ids > index.ids {
            index.ids = ids;
            if let Some(span) = self.rare.index_key {
                // The table of requests does not change under this.
                let place = self.intern(t, INDEX_KEYS, span);
                if let Some(index) =
                    self.requests.get_mut(key).and_then(|request| request.index.as_mut())
                {
                    index.key = place;
                }
            }
        }
    }

    /// Who a connection is after the result of a BIND; a failed one leaves it anonymous.
    fn bind(&mut self, t: Text, asked: i32) {
        if self.line.err == SASL_GOES_ON {
            return;
        }
        let bind = if self.line.err != 0 {
            self.strings[BIND_DNS].intern(b"")
        } else {
            match self.line.bind.or(self.line.base) {
                Some(span) => self.intern(t, BIND_DNS, span),
                None => asked,
            }
        };
        self.its_connection().bind = bind;
    }

    /// Set garbage wtime and optime aside: start times that were never initialised.
    #[inline]
    fn parts(&mut self) {
        let longest = self.line.etime.saturating_add(TOLERANCE);
        let is_garbage = |time: i64| time != ABSENT && !(0..=longest).contains(&time);
        if self.line.garbage_optime || is_garbage(self.line.optime) {
            self.line.optime = ABSENT;
            self.statistics.reasons[Reason::GarbageOptime as usize] += 1;
        }
        if self.line.garbage_wtime || is_garbage(self.line.wtime) {
            self.line.wtime = ABSENT;
            self.statistics.reasons[Reason::GarbageWtime as usize] += 1;
        }
    }

    /// Write the row of a finished operation.
    #[inline]
    fn emit(&mut self, t: Text) {
        let key = self.this_conn();
        if let Some(connection) = self.connections.get_mut(key) {
            self.line.client_index = connection.client;
            self.line.bind_index = connection.bind;
            self.line.own = connection.own;
            connection.used_at = self.line.at;
            if !self.line.internal {
                if connection.opened_ns != ABSENT {
                    self.rare.opened_ns = connection.opened_ns;
                    self.said = true;
                    connection.opened_ns = ABSENT;
                }
                if connection.closed_ns != ABSENT {
                    self.rare.closed_ns = connection.closed_ns;
                    self.said = true;
                }
            }
        }
        if self.line.client_index < 0 {
            self.line.client_index = self.intern_any(t, CLIENTS, self.line.client);
        }
        self.statistics.finished += 1;
        self.statistics.smallest = self.statistics.smallest.min(self.line.etime);
        self.rows.push(&self.line, self.boot);
        if self.said {
            self.rows.push_rare(&self.rare);
        }
    }

    /// A result: find its request, free it, write the row.
    #[inline]
    fn answered(&mut self, t: Text) {
        self.parts();
        if self.line.kind == kind::UNKNOWN {
            self.line.kind = kind_of_tag(self.line.tag);
            if self.line.tag < 0 && self.line.filter.is_some() {
                self.line.kind = kind::EXT;
            }
        }
        let mut bind = NONE;
        // Old servers give all internal operations one number: those can never be told apart.
        let numbered = self.line.op >= 0;
        let request = if numbered { self.requests.take(self.request_key()) } else { None };
        if let Some(request) = request {
            bind = request.bind;
            self.take_request(&request);
        } else if self.line.has_request {
            self.statistics.combined += 1;
            self.line.asked_at = self.line.at;
            self.line.shape_index = self.shape(t);
            self.line.base_index = self.intern_any(t, BASES, self.line.base);
            self.mark_own(t);
        } else if numbered {
            self.statistics.orphans += 1;
        }
        if self.style == Style::Audit {
            if let Some(span) = self.line.bind {
                let bind = self.intern(t, BIND_DNS, span);
                self.its_connection().bind = bind;
            }
        }
        if self.line.kind == kind::BIND {
            self.bind(t, bind);
        }
        self.emit(t);
    }

    /// A result without a latency makes no row, but its operation is over.
    pub fn dismiss(&mut self, t: Text) {
        if self.line.op < 0 {
            return;
        }
        if let Some(request) = self.requests.take(self.request_key()) {
            if request.kind == kind::BIND && self.line.err != -1 {
                self.bind(t, request.bind);
            }
        }
    }

    /// Move what the request said into the line of its result.
    #[inline]
    fn take_request(&mut self, request: &Request) {
        self.line.asked_at = request.at;
        self.line.base_index = request.base;
        self.line.shape_index = request.shape;
        if request.kind != kind::UNKNOWN {
            self.line.kind = request.kind;
        }
        self.line.notes |= request.notes;
        if request.vlv {
            self.rare.vlv = true;
            self.said = true;
        }
        if request.deref >= 0 && self.rare.deref < 0 {
            self.rare.deref = request.deref;
            self.said = true;
        }
        if let Some(index) = request.index {
            self.rare.index_ns = index.ns;
            self.rare.index_ids = index.ids;
            self.rare.key_index = index.key;
            self.said = true;
        }
    }

    fn closed(&mut self) {
        let key = self.this_conn();
        if let Some(connection) = self.connections.get_mut(key) {
            connection.closed = true;
            connection.closed_at = self.line.at;
            connection.closed_ns = self.line.time;
        }
    }

    /// Do what an understood line asks for.
    #[inline]
    pub fn act(&mut self, t: Text) {
        if self.line.epoch != 0 {
            self.note_epoch();
        }
        match self.line.class {
            Class::Result => self.answered(t),
            Class::Request => {
                if self.line.op >= 0 {
                    self.requested(t);
                }
                self.mark_own(t);
            }
            Class::Opened => self.opened(t),
            Class::Closed => self.closed(),
            Class::Noted | Class::Stat => self.noted(t),
            Class::Abandon => {
                self.line.err = 0;
                self.emit(t);
            }
            Class::Unprocessed => {
                self.line.kind = kind::UNKNOWN;
                self.requested(t);
            }
            Class::Bound => {
                if let Some(span) = self.line.base {
                    let bind = self.intern(t, BIND_DNS, span);
                    self.its_connection().bind = bind;
                }
            }
            Class::Header => self.header_seen = true,
            Class::NotKnown | Class::Aside | Class::Extra | Class::Socket => {}
        }
        self.max_conn = self.max_conn.max(self.line.conn);
    }
}
