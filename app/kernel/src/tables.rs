//! Open requests and connections, in hash tables of open addressing.

use std::hash::{BuildHasher, RandomState};

use crate::line::ABSENT;
use crate::text::hash_numbers;

const FIRST_SLOTS: usize = 256;
/// Requests that wait for a result: no server works on so many, a log of requests alone has more.
const MOST_OPEN: usize = 1 << 20;
/// Connections of the table: a log that shows no closes, or a hostile one, has more.
const MOST_CONNECTIONS: usize = 1 << 20;

/// What the indexes of a request were asked: the time in all of them, and the largest key.
#[derive(Clone, Copy)]
pub struct IndexUse {
    pub ns: i64,
    pub ids: i64,
    pub key: i32,
}

/// What tells a request from any other: its connection, its numbers, and what else there is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RequestKey {
    pub conn: i64,
    pub ids: i64,
    pub depth: i64,
}

/// A request whose result has not come.
#[derive(Clone, Copy)]
pub struct Request {
    pub key: RequestKey,
    pub start: i64,
    pub at: i64,
    pub kind: i32,
    pub base: i32,
    pub shape: i32,
    pub bind: i32,
    pub notes: u8,
    pub vlv: bool,
    pub deref: i8,
    pub index: Option<IndexUse>,
}

/// Open requests by their keys.
pub struct Requests {
    slots: Vec<Option<Request>>,
    used: usize,
    seed: u64,
}

impl Requests {
    pub fn new() -> Self {
        Self { slots: vec![None; FIRST_SLOTS], used: 0, seed: RandomState::new().hash_one(0) }
    }

    pub fn len(&self) -> usize {
        self.used
    }

    pub fn iter(&self) -> impl Iterator<Item = &Request> {
        self.slots.iter().flatten()
    }

    #[inline]
    fn home(&self, key: RequestKey) -> usize {
        let hash = hash_numbers([key.conn, key.depth, key.ids], self.seed);
        (hash >> 20) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn slot(&self, key: RequestKey) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.home(key);
        while self.slots[slot].as_ref().is_some_and(|request| request.key != key) {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// The open request of a key.
    #[inline]
    pub fn get(&self, key: RequestKey) -> Option<&Request> {
        self.slots[self.slot(key)].as_ref()
    }

    #[inline]
    pub fn get_mut(&mut self, key: RequestKey) -> Option<&mut Request> {
        let slot = self.slot(key);
        self.slots[slot].as_mut()
    }

    /// Remember a request, in place of one of the same key.
    #[inline]
    pub fn put(&mut self, request: Request) {
        let slot = self.slot(request.key);
        if self.slots[slot].is_none() {
            self.used += 1;
        }
        self.slots[slot] = Some(request);
    }

    /// Take a request out and close the gap, so that no search breaks off early.
    #[inline]
    pub fn take(&mut self, key: RequestKey) -> Option<Request> {
        let mask = self.slots.len() - 1;
        let mut hole = self.slot(key);
        let taken = self.slots[hole].take()?;
        let mut slot = (hole + 1) & mask;
        while let Some(request) = &self.slots[slot] {
            let home = self.home(request.key);
            if (slot.wrapping_sub(home) & mask) >= (slot.wrapping_sub(hole) & mask) {
                self.slots.swap(hole, slot);
                hole = slot;
            }
            slot = (slot + 1) & mask;
        }
        self.used -= 1;
        Some(taken)
    }

    /// Whether there is no room for one more.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.used * 2 >= self.slots.len()
    }

    /// Make room for as many again; whether there are too many for that.
    #[cold]
    pub fn make_room(&mut self) -> bool {
        if self.used >= MOST_OPEN {
            return true;
        }
        let before = std::mem::take(&mut self.slots);
        self.slots = vec![None; before.len() * 2];
        self.used = 0;
        before.into_iter().flatten().for_each(|request| self.put(request));
        false
    }

    /// Forget the older half; how many that are.
    pub fn forget_older(&mut self) -> u64 {
        let mut places: Vec<i64> = self.iter().map(|request| request.at).collect();
        let middle = places.len() / 2;
        let (_, median, _) = places.select_nth_unstable(middle);
        let (all, median) = (self.used, *median);
        let slots = self.slots.len();
        let before = std::mem::replace(&mut self.slots, vec![None; slots]);
        self.used = 0;
        let newer = before.into_iter().flatten().filter(|request| request.at >= median);
        newer.for_each(|request| self.put(request));
        (all - self.used) as u64
    }
}

/// The unit of the etimes of a connection, where that has to be told from their numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Latch {
    Open,
    Milliseconds,
    Nanoseconds,
}

/// A connection of the log.
#[derive(Clone, Copy)]
pub struct Connection {
    /// Number and server start in one; 0: the slot is free.
    pub key: i64,
    pub client: i32,
    pub bind: i32,
    pub opened: bool,
    pub closed: bool,
    pub own: bool,
    pub latch: Latch,
    /// Where in the stream its close is.
    pub closed_at: i64,
    /// Where in the stream it was used last.
    pub used_at: i64,
    pub epoch: i64,
    pub opened_ns: i64,
    pub closed_ns: i64,
}

impl Connection {
    const FREE: Self = Self {
        key: 0,
        client: -1,
        bind: -1,
        opened: false,
        closed: false,
        own: false,
        latch: Latch::Open,
        closed_at: 0,
        used_at: 0,
        epoch: 0,
        opened_ns: ABSENT,
        closed_ns: ABSENT,
    };
}

/// Connections by their keys.
pub struct Connections {
    slots: Vec<Connection>,
    used: usize,
    seed: u64,
}

impl Connections {
    pub fn new() -> Self {
        let seed = RandomState::new().hash_one(0);
        Self { slots: vec![Connection::FREE; FIRST_SLOTS], used: 0, seed }
    }

    /// All of them, in an order that differs from scan to scan.
    pub fn iter(&self) -> impl Iterator<Item = &Connection> {
        self.slots.iter().filter(|connection| connection.key != 0)
    }

    #[inline]
    fn slot(&self, key: i64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (hash_numbers([key], self.seed) >> 20) as usize & mask;
        while self.slots[slot].key != key && self.slots[slot].key != 0 {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// A connection, if it is known.
    #[inline]
    pub fn get_mut(&mut self, key: i64) -> Option<&mut Connection> {
        let slot = self.slot(key);
        let connection = &mut self.slots[slot];
        (connection.key != 0).then_some(connection)
    }

    /// A connection that is used at a place of the stream, made if it is new.
    #[inline]
    pub fn entry(&mut self, key: i64, epoch: i64, at: i64) -> &mut Connection {
        let slot = self.slot(key);
        let connection = &mut self.slots[slot];
        if connection.key == 0 {
            *connection = Connection { key, epoch, ..Connection::FREE };
            self.used += 1;
        }
        connection.used_at = at;
        connection
    }

    /// Whether there is no room for one more line.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.used * 2 >= self.slots.len()
    }

    /// Make room; the connections that had to leave as they are over, and those that had to only
    /// because there are too many, each by their keys.
    ///
    /// Those are over that were closed before a place of the stream: a result may come after its
    /// connection is closed, but not much later. Where that leaves too many, the half goes that was
    /// used least lately.
    pub fn make_room(&mut self, oldest: i64) -> (Vec<Connection>, Vec<Connection>) {
        let is_over = |connection: &Connection| connection.closed && connection.closed_at < oldest;
        let (mut over, mut left): (Vec<_>, Vec<_>) = self.iter().copied().partition(is_over);
        let mut forgotten = Vec::new();
        if left.len() >= MOST_CONNECTIONS {
            let middle = left.len() / 2;
            left.select_nth_unstable_by_key(middle, |connection| connection.used_at);
            forgotten.extend(left.drain(..middle));
        }
        over.sort_unstable_by_key(|connection| connection.key);
        forgotten.sort_unstable_by_key(|connection| connection.key);
        let slots = self.slots.len();
        let slots = if left.len() * 4 > slots { slots * 2 } else { slots };
        self.slots = vec![Connection::FREE; slots];
        self.used = left.len();
        for connection in left {
            let slot = self.slot(connection.key);
            self.slots[slot] = connection;
        }
        (over, forgotten)
    }
}
