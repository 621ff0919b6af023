//! Finished operations as columns, one row an operation.

use crate::line::{Line, Rare};

/// The columns of every row, by the names in `model.operations.COLUMNS`.
pub const WIDE: [&str; 8] =
    ["end_ns", "etime_ns", "wtime_ns", "optime_ns", "nentries", "conn", "request_at", "result_at"];
pub const MIDDLE: [&str; 9] =
    ["err", "boot", "op", "internal_op", "nesting", "client", "fingerprint", "base", "bind_dn"];
pub const NARROW: [&str; 4] = ["kind", "internal", "own", "notes"];

/// The columns of rows that say something rare.
pub const RARE_WIDE: [&str; 6] =
    ["wqtime_ns", "writetime_ns", "index_ns", "index_ids", "opened_ns", "closed_ns"];
pub const RARE_MIDDLE: [&str; 4] = ["index_key", "wbusy", "wmax", "wqdepth"];
pub const RARE_NARROW: [&str; 2] = ["deref", "vlv"];

/// So many rows wait before they go into the columns, for which a column has room once and not for
/// each row.
const AT_ONCE: usize = 64;

/// Rows that wait.
struct Waiting {
    rows: usize,
    wide: [[i64; AT_ONCE]; WIDE.len()],
    middle: [[i32; AT_ONCE]; MIDDLE.len()],
    narrow: [[u8; AT_ONCE]; NARROW.len()],
}

impl Default for Waiting {
    fn default() -> Self {
        Self {
            rows: 0,
            wide: [[0; AT_ONCE]; WIDE.len()],
            middle: [[0; AT_ONCE]; MIDDLE.len()],
            narrow: [[0; AT_ONCE]; NARROW.len()],
        }
    }
}

/// Columns of one width for all rows of a feed, complete once `settle` was called.
#[derive(Default)]
pub struct Rows {
    waiting: Waiting,
    pub wide: [Vec<i64>; WIDE.len()],
    pub middle: [Vec<i32>; MIDDLE.len()],
    pub narrow: [Vec<u8>; NARROW.len()],
    /// Numbers of the rows that say something rare, and what they say.
    pub rare_at: Vec<i64>,
    pub rare_wide: [Vec<i64>; RARE_WIDE.len()],
    pub rare_middle: [Vec<i32>; RARE_MIDDLE.len()],
    pub rare_narrow: [Vec<u8>; RARE_NARROW.len()],
}

#[inline(always)]
fn push<T, const N: usize>(columns: &mut [Vec<T>; N], values: [T; N]) {
    for (column, value) in columns.iter_mut().zip(values) {
        column.push(value);
    }
}

#[inline(always)]
fn put<T, const N: usize>(columns: &mut [[T; AT_ONCE]; N], row: usize, values: [T; N]) {
    for (column, value) in columns.iter_mut().zip(values) {
        column[row % AT_ONCE] = value;
    }
}

/// Columns that nobody reads any more: to fill them again is cheaper than to ask for memory.
#[derive(Default)]
pub struct Spare {
    pub wide: Vec<Vec<i64>>,
    pub middle: Vec<Vec<i32>>,
    pub narrow: Vec<Vec<u8>>,
}

fn reuse<T, const N: usize>(columns: &mut [Vec<T>; N], spare: &mut Vec<Vec<T>>) {
    for column in columns {
        if let Some(numbers) = spare.pop() {
            *column = numbers;
            column.clear();
        }
    }
}

fn append<T: Copy, const N: usize>(
    columns: &mut [Vec<T>; N],
    waiting: &[[T; AT_ONCE]; N],
    rows: usize,
) {
    for (column, values) in columns.iter_mut().zip(waiting) {
        column.extend_from_slice(&values[..rows]);
    }
}

impl Rows {
    pub fn len(&self) -> usize {
        self.wide[0].len() + self.waiting.rows
    }

    /// Append the rows that wait.
    pub fn settle(&mut self) {
        let waiting = &mut self.waiting;
        append(&mut self.wide, &waiting.wide, waiting.rows);
        append(&mut self.middle, &waiting.middle, waiting.rows);
        append(&mut self.narrow, &waiting.narrow, waiting.rows);
        waiting.rows = 0;
    }

    /// Take spare columns instead of those there are, which are empty.
    pub fn reuse(&mut self, spare: &mut Spare) {
        reuse(&mut self.wide, &mut spare.wide);
        reuse(&mut self.middle, &mut spare.middle);
        reuse(&mut self.narrow, &mut spare.narrow);
    }

    /// Room for so many rows more.
    pub fn reserve(&mut self, rows: usize) {
        self.wide.iter_mut().for_each(|column| column.reserve(rows));
        self.middle.iter_mut().for_each(|column| column.reserve(rows));
        self.narrow.iter_mut().for_each(|column| column.reserve(rows));
    }

    /// One more row: what a line says, cut to the widths of the columns.
    #[inline]
    pub fn push(&mut self, line: &Line, boot: i64) {
        let waiting = &mut self.waiting;
        let row = waiting.rows;
        put(
            &mut waiting.wide,
            row,
            [
                line.time,
                line.etime,
                line.wtime,
                line.optime,
                line.nentries,
                line.conn,
                line.asked_at,
                line.at,
            ],
        );
        put(
            &mut waiting.middle,
            row,
            [
                line.err as i32,
                boot as i32,
                line.op as i32,
                line.internal_op as i32,
                line.nesting as i32,
                line.client_index,
                line.shape_index,
                line.base_index,
                line.bind_index,
            ],
        );
        let bits = [line.kind as u8, line.internal.into(), line.own.into(), line.notes];
        put(&mut waiting.narrow, row, bits);
        waiting.rows += 1;
        if waiting.rows == AT_ONCE {
            self.settle();
        }
    }

    /// What the newest row says besides.
    pub fn push_rare(&mut self, rare: &Rare) {
        self.rare_at.push(self.len() as i64 - 1);
        push(
            &mut self.rare_wide,
            [
                rare.wqtime,
                rare.writetime,
                rare.index_ns,
                rare.index_ids,
                rare.opened_ns,
                rare.closed_ns,
            ],
        );
        let numbers = [rare.key_index, rare.wbusy, rare.wmax, rare.wqdepth];
        push(&mut self.rare_middle, numbers);
        push(&mut self.rare_narrow, [rare.deref as u8, rare.vlv.into()]);
    }
}
