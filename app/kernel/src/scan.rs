//! The state of a scan, and its loop over the lines of one block.

use std::collections::HashMap;

use memchr::memchr;

use crate::clock::{SameIsoSecond, SameSecond};
use crate::columns::Rows;
use crate::feed::{begins_object, open_braces};
use crate::grammar::{Class, Grammar, Style};
use crate::layouts::Layouts;
use crate::line::{Line, Rare, Reason, ABSENT, REASONS};
use crate::slapd::{Process, SameSyslogSecond, SameWords};
use crate::strings::Strings;
use crate::tables::{Connection, Connections, Requests};
use crate::text::{Text, JOIN};

/// Longer lines are set aside: no server writes them.
pub const MAX_LINE: usize = 1 << 20;

const MINUTE_NS: i64 = 60_000_000_000;

/// The tables of strings.
pub const CLIENTS: usize = 0;
pub const FINGERPRINTS: usize = 1;
pub const BASES: usize = 2;
pub const BIND_DNS: usize = 3;
pub const INDEX_KEYS: usize = 4;
/// Their names, by their numbers.
pub const TABLES: [&str; 5] = ["clients", "fingerprints", "bases", "bind_dns", "index_keys"];

/// What a time does not show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lacking {
    Nothing,
    Zone,
    /// Year and zone.
    Year,
    /// The line shows no time, and was given one.
    Time,
}

/// What is counted, and when the lines are from.
#[derive(Clone)]
pub struct Statistics {
    pub understood: u64,
    pub set_aside: u64,
    pub unknown: u64,
    /// Lines and values set aside, by their reasons.
    pub reasons: [u64; REASONS.len()],
    pub first_time: i64,
    pub last_time: i64,
    pub steps_back: u64,
    /// Times that local time without a zone went from summer to winter time, or back.
    pub clock_changes: u64,
    pub orphans: u64,
    /// Results whose own line tells the request.
    pub combined: u64,
    /// Latencies that are not printed, but told by the times of two lines.
    pub between_lines: u64,
    /// Etimes by how finely they are printed.
    pub whole_seconds: u64,
    pub quantised: u64,
    pub microseconds: u64,
    pub nanoseconds: u64,
    pub finished: u64,
    /// The shortest etime of all rows so far.
    pub smallest: i64,
    /// The highest number given to a server start: the line's own may be that of an older process.
    pub newest_boot: i64,
    /// Processes seen.
    pub processes: usize,
    /// Times a line was of another process than the line before, and that process was known.
    pub returns: u64,
    pub lacking: Lacking,
    /// East of UTC, for times without a zone.
    pub zone_ns: i64,
}

/// Connections without an operation that have left the table: client, minute, whether it is open.
type Unused = (i32, i64, bool);

/// Everything that is known of one log so far.
pub struct Scan {
    pub grammar: Grammar,
    pub style: Style,
    pub line: Line,
    pub rare: Rare,
    /// Whether each line is a record that was put together from its lines.
    pub joined: bool,
    /// Whether the line says anything rare.
    pub said: bool,
    pub rows: Rows,
    pub strings: [Strings; TABLES.len()],
    pub statistics: Statistics,
    pub requests: Requests,
    pub connections: Connections,
    /// Server starts seen before the newest line.
    pub boot: i64,
    pub max_conn: i64,
    pub header_seen: bool,
    pub pid: i64,
    pub processes: [Process; Process::SLOTS],
    /// For syslog times without one; grows when December is followed by January.
    pub year: i64,
    pub month: i64,
    pub max_time: i64,
    /// The last time without a line, of more than a second.
    pub silent_from: i64,
    pub silent_to: i64,
    /// Connections closed longer ago than this many bytes of log may be forgotten.
    pub keep_closed: i64,
    /// The time of lines that show none; ABSENT: such lines are set aside.
    pub undated: i64,
    pub layouts: Layouts,
    pub second: SameSecond,
    pub iso_second: SameIsoSecond,
    pub syslog_second: SameSyslogSecond,
    pub same_words: SameWords,
    pub last_digits: i64,
    pub nonces: Vec<Vec<u8>>,
    /// Of each base of the table so far: whether it has one of the nonces.
    pub own_bases: Vec<bool>,
    /// Connections that asked for one of the nonces: server start and number.
    pub own: Vec<(i64, i64)>,
    /// Texts of the line without their escapes.
    pub scratch: Vec<u8>,
    /// Room for the shape of a filter.
    pub shape: Vec<u8>,
    pub unused: Vec<(Unused, u64)>,
    places_of_unused: HashMap<Unused, usize>,
    /// Connections that have left the table and had requests without a result.
    pub closed_on: Vec<Connection>,
    /// Where in the stream lines of this feed begin and end that may be messages of the server.
    pub messages: Vec<[i64; 2]>,
}

impl Scan {
    pub fn new(grammar: Grammar, style: Style, nonces: Vec<Vec<u8>>, keep_closed: i64) -> Self {
        Self {
            grammar,
            style,
            line: Line::NOTHING,
            rare: Rare::NOTHING,
            joined: false,
            said: false,
            rows: Rows::default(),
            strings: std::array::from_fn(|_| Strings::new()),
            statistics: Statistics::new(),
            requests: Requests::new(),
            connections: Connections::new(),
            boot: 0,
            max_conn: 0,
            header_seen: false,
            pid: 0,
            processes: [Process::default(); Process::SLOTS],
            year: 1970,
            month: 0,
            max_time: ABSENT,
            silent_from: 0,
            silent_to: 0,
            keep_closed,
            undated: ABSENT,
            layouts: Layouts::new(),
            second: SameSecond::default(),
            iso_second: SameIsoSecond::default(),
            syslog_second: SameSyslogSecond::default(),
            same_words: SameWords::default(),
            last_digits: -1,
            nonces,
            own_bases: Vec::new(),
            own: Vec::new(),
            scratch: Vec::new(),
            shape: Vec::new(),
            unused: Vec::new(),
            places_of_unused: HashMap::new(),
            closed_on: Vec::new(),
            messages: Vec::new(),
        }
    }

    /// The next line begins another file; syslog's times in it are of this year and zone.
    pub fn begin_file(&mut self, year: i64, zone_ns: i64) {
        self.year = year;
        self.month = 0;
        self.statistics.zone_ns = zone_ns;
    }

    /// Scan whole lines, of which the first begins at this place of the stream.
    ///
    /// The text ends behind a newline; or it is one last line without, `terminated` false. Returns
    /// where it stopped, none behind the text: before a brace, with which a log of 389 DS is JSON
    /// from here on; or before an object that does not end with its line.
    pub fn scan(&mut self, text: &[u8], at: i64, terminated: bool) -> Option<usize> {
        let t = Text(text);
        let end = text.len();
        let in_place = self.style.is_json() && !self.joined;
        let (mut p, mut is_start, mut newline) = (0, true, 0);
        while p < end {
            if self.requests.is_full() && self.requests.make_room() {
                self.forget_requests();
            }
            if self.connections.is_full() {
                self.forget_connections(at + p as i64 - self.keep_closed);
            }
            if t.byte(p) == b'{' && self.style == Style::NumbersFirst {
                return Some(p);
            }
            if is_start {
                newline = memchr(b'\n', &text[p..]).map_or(end, |i| p + i);
            }
            if in_place && is_start && goes_on(t, p, newline) {
                return Some(p);
            }
            let is_dos = newline > p && t.byte(newline - 1) == b'\r';
            let e = if is_dos { newline - 1 } else { newline };
            let glued = self.scan_line(t, p, e, at, terminated);
            is_start = glued.is_none();
            let next = glued.unwrap_or(newline + 1);
            if self.may_be_message() {
                self.note_message(at + p as i64, at + next as i64);
            }
            p = next;
        }
        None
    }

    /// Whether the line is about no operation; of slapd, and of 389 DS where it closes a connection.
    #[inline(always)]
    fn may_be_message(&self) -> bool {
        if self.style != Style::Slapd {
            return self.line.ended_by_server;
        }
        match self.line.class {
            Class::NotKnown | Class::Header => true,
            Class::Aside => {
                matches!(self.line.reason, Reason::Message | Reason::NoTime | Reason::Header)
            }
            _ => self.line.ended_by_server,
        }
    }

    /// Lines that follow each other are one entry: a log may have nothing else.
    #[cold]
    fn note_message(&mut self, start: i64, end: i64) {
        match self.messages.last_mut() {
            Some(last) if last[1] == start => last[1] = end,
            _ => self.messages.push([start, end]),
        }
    }

    /// One line, or the first record of a line that holds two: the place of the second one.
    #[inline(always)]
    fn scan_line(
        &mut self,
        t: Text,
        p: usize,
        e: usize,
        at: i64,
        terminated: bool,
    ) -> Option<usize> {
        self.line = Line::NOTHING;
        self.line.at = at + p as i64;
        if self.said {
            self.rare = Rare::NOTHING;
            self.said = false;
        }
        let mut stopped = e;
        if e - p > MAX_LINE {
            self.line.set_aside(Reason::Overlong);
        } else {
            stopped = self.read(t, p, e);
            if !self.line.is_in_bounds() {
                self.line.class = Class::NotKnown;
            }
        }
        if self.line.time != ABSENT {
            self.note_time();
        }
        let glued = is_record(t, stopped, e);
        self.judge(t, stopped, terminated && !glued);
        let ends = self.ends_in(t, p, if glued { stopped } else { e });
        if matches!(self.line.class, Class::Aside | Class::Header) {
            self.statistics.reasons[self.line.reason as usize] += ends + 1;
        }
        if !matches!(self.line.class, Class::NotKnown | Class::Aside) {
            self.act(t);
        }
        // A line is counted by its last record.
        let lines = if glued { ends } else { ends + 1 };
        match self.line.class {
            Class::NotKnown => self.statistics.unknown += lines,
            Class::Aside | Class::Header => self.statistics.set_aside += lines,
            _ => self.statistics.understood += lines,
        }
        if !glued {
            return None;
        }
        self.statistics.reasons[Reason::Glued as usize] += 1;
        Some(stopped)
    }

    /// Read one line by the grammar; returns where it stopped.
    #[inline(always)]
    fn read(&mut self, t: Text, p: usize, e: usize) -> usize {
        match self.style {
            Style::NumbersFirst | Style::VerbFirst => self.bracket_line(t, p, e),
            Style::Slapd => self.slapd_line(t, p, e),
            Style::Attributes => self.attribute_line(t, p, e),
            Style::Events | Style::Records => self.object_line(t, p, e),
            Style::Audit => self.audit_line(t, p, e),
        }
    }

    /// Ends of lines within a record.
    #[inline]
    fn ends_in(&self, t: Text, p: usize, e: usize) -> u64 {
        if !self.joined {
            return 0;
        }
        memchr::memchr_iter(JOIN, t.between(p, e)).count() as u64
    }

    /// Without results requests would fill the memory: the older half of them is forgotten.
    #[cold]
    fn forget_requests(&mut self) {
        self.statistics.reasons[Reason::Forgotten as usize] += self.requests.forget_older();
        let asked = self.asked_connections();
        self.closed_on.retain(|connection| asked.contains(&connection.key));
    }

    /// Make room for connections, without those closed before a place of the stream. Where too many
    /// never close, the half that was used least lately is forgotten: what else they do has neither a
    /// client nor a bind DN.
    #[cold]
    fn forget_connections(&mut self, oldest: i64) {
        let (over, forgotten) = self.connections.make_room(oldest);
        self.statistics.reasons[Reason::NeverClosed as usize] += forgotten.len() as u64;
        let asked = self.asked_connections();
        // One that is forgotten may still be used: nobody knows whether it asks for nothing.
        for connection in &over {
            if is_unused(connection, &asked) {
                let minute = connection.opened_ns.div_euclid(MINUTE_NS) * MINUTE_NS;
                let key = (connection.client, minute, !connection.closed);
                let place = *self.places_of_unused.entry(key).or_insert(self.unused.len());
                if place == self.unused.len() {
                    self.unused.push((key, 0));
                }
                self.unused[place].1 += 1;
            }
        }
        let left = over.into_iter().chain(forgotten);
        self.closed_on.extend(left.filter(|c| asked.contains(&c.key)));
    }

    fn asked_connections(&self) -> std::collections::HashSet<i64> {
        self.requests.iter().map(|request| request.key.conn).collect()
    }
}

/// Whether a connection was opened and asked for nothing.
///
/// The first operation that ends on a connection takes the time of its opening from the table; a
/// bind without a latency does not, and binds it all the same.
fn is_unused(connection: &Connection, asked: &std::collections::HashSet<i64>) -> bool {
    connection.opened
        && !connection.own
        && connection.opened_ns != ABSENT
        && connection.bind < 0
        && !asked.contains(&connection.key)
}

/// Whether the JSON object of this line may go on behind it, or the line itself does.
#[inline(always)]
fn goes_on(t: Text, p: usize, newline: usize) -> bool {
    !begins_object(t.byte(newline + 1))
        && (newline >= t.0.len() || open_braces(t.between(p, newline), 0) > 0)
}

/// Whether another record begins at p: a writer was killed within the line before.
#[inline(always)]
fn is_record(t: Text, p: usize, e: usize) -> bool {
    p + 22 < e && t.byte(p) == b'[' && t.byte(p + 3) == b'/' && t.byte(p + 7) == b'/'
}

impl Statistics {
    fn new() -> Self {
        Self {
            understood: 0,
            set_aside: 0,
            unknown: 0,
            reasons: [0; REASONS.len()],
            first_time: ABSENT,
            last_time: ABSENT,
            steps_back: 0,
            clock_changes: 0,
            orphans: 0,
            combined: 0,
            between_lines: 0,
            whole_seconds: 0,
            quantised: 0,
            microseconds: 0,
            nanoseconds: 0,
            finished: 0,
            smallest: i64::MAX,
            newest_boot: 0,
            processes: 0,
            returns: 0,
            lacking: Lacking::Nothing,
            zone_ns: 0,
        }
    }
}
