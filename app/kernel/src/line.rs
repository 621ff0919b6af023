//! One line, as its grammar read it.

use crate::grammar::{kind, Class};

/// The value of a time or count the log does not give.
pub const ABSENT: i64 = i64::MIN;

/// Of a time in milliseconds; what is too large or too small for that is garbage, and not absent.
pub fn in_nanoseconds(milliseconds: i64) -> i64 {
    milliseconds.saturating_mul(1_000_000).max(ABSENT + 1)
}

/// The reasons why lines or values are set aside; the texts are what people read.
pub const REASONS: [&str; 17] = [
    "header",
    "blank line",
    "error log line",
    "cut line",
    "NUL bytes",
    "overlong line",
    "result without etime",
    "garbage etime",
    "garbage wtime",
    "garbage optime",
    "request seen twice",
    "two records joined",
    "line without a time",
    "message of the server",
    "repeated by syslog",
    "request forgotten, as too many have no result",
    "connection forgotten, as too many never close",
];

/// A place in `REASONS`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Header,
    Blank,
    ErrorLog,
    Cut,
    Nul,
    Overlong,
    NoEtime,
    GarbageEtime,
    GarbageWtime,
    GarbageOptime,
    Twice,
    Glued,
    NoTime,
    Message,
    Repeated,
    Forgotten,
    NeverClosed,
}

/// Where a text is: in the line itself, or without its escapes in the scratch room.
#[derive(Clone, Copy)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    pub of: Source,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Line,
    Scratch,
}

impl Span {
    #[inline(always)]
    pub fn line(start: usize, end: usize) -> Option<Self> {
        Some(Self { start, end, of: Source::Line })
    }
}

/// What a line says. -1 and ABSENT stand for what it does not.
#[derive(Clone)]
pub struct Line {
    pub class: Class,
    /// Why it is set aside, where it is.
    pub reason: Reason,
    pub kind: i32,
    pub time: i64,
    pub etime: i64,
    pub wtime: i64,
    pub optime: i64,
    pub nentries: i64,
    pub conn: i64,
    pub asked_at: i64,
    /// Place of the line in the stream.
    pub at: i64,
    pub err: i64,
    pub op: i64,
    pub internal_op: i64,
    pub nesting: i64,
    pub tag: i64,
    pub etime_digits: i64,
    pub time_digits: i64,
    /// What tells connections of the same number apart, where the log says it; else 0.
    pub epoch: i64,
    /// What tells operations of the same number apart: Sun logs all of a replication session as
    /// op=0.
    pub msg_id: i64,
    pub etime_end: usize,
    pub client_index: i32,
    pub shape_index: i32,
    pub base_index: i32,
    pub bind_index: i32,
    pub notes: u8,
    pub internal: bool,
    pub own: bool,
    pub garbage_wtime: bool,
    pub garbage_optime: bool,
    pub in_nanoseconds: bool,
    /// A result that tells its request too: combined lines, and logs of results only.
    pub has_request: bool,
    /// It closes a connection that its client did not end: for a limit of the server, for a failure
    /// of TLS, or because it was lost.
    pub ended_by_server: bool,
    pub bind: Option<Span>,
    pub base: Option<Span>,
    pub filter: Option<Span>,
    pub client: Option<Span>,
}

impl Line {
    pub const NOTHING: Self = Self {
        class: Class::NotKnown,
        reason: Reason::Header,
        kind: kind::SRCH,
        time: ABSENT,
        etime: ABSENT,
        wtime: ABSENT,
        optime: ABSENT,
        nentries: ABSENT,
        conn: -1,
        asked_at: -1,
        at: 0,
        err: -1,
        op: -1,
        internal_op: 0,
        nesting: 0,
        tag: -1,
        etime_digits: 0,
        time_digits: 0,
        epoch: 0,
        msg_id: 0,
        etime_end: usize::MAX,
        client_index: -1,
        shape_index: -1,
        base_index: -1,
        bind_index: -1,
        notes: 0,
        internal: false,
        own: false,
        garbage_wtime: false,
        garbage_optime: false,
        in_nanoseconds: false,
        has_request: false,
        ended_by_server: false,
        bind: None,
        base: None,
        filter: None,
        client: None,
    };

    /// Whether its numbers fit the key of its request: `nested` and JSON read longer ones.
    #[inline(always)]
    pub fn is_in_bounds(&self) -> bool {
        self.internal_op >> 31 == 0 && self.nesting >> 16 == 0
    }

    /// Say why this line does not count.
    pub fn set_aside(&mut self, reason: Reason) {
        self.class = Class::Aside;
        self.reason = reason;
    }

    /// The line is part of a header, which the start of a server writes.
    pub fn is_header(&mut self) {
        self.class = Class::Header;
        self.reason = Reason::Header;
    }
}

/// What few lines say.
#[derive(Clone)]
pub struct Rare {
    pub wqtime: i64,
    pub writetime: i64,
    pub index_ns: i64,
    pub index_ids: i64,
    /// When the connection was opened, in the row of the first operation that ends on it.
    pub opened_ns: i64,
    /// When the connection was closed, in rows of operations that ended after that.
    pub closed_ns: i64,
    pub index_key: Option<Span>,
    pub key_index: i32,
    pub wbusy: i32,
    pub wmax: i32,
    pub wqdepth: i32,
    pub deref: i8,
    pub vlv: bool,
}

impl Rare {
    pub const NOTHING: Self = Self {
        wqtime: ABSENT,
        writetime: ABSENT,
        index_ns: ABSENT,
        index_ids: ABSENT,
        opened_ns: ABSENT,
        closed_ns: ABSENT,
        index_key: None,
        key_index: -1,
        wbusy: -1,
        wmax: -1,
        wqdepth: -1,
        deref: -1,
        vlv: false,
    };
}
