//! What the latency of a result is: its unit, whether it was cut, and where it is not printed.

use crate::grammar::{Class, Style, Unit};
use crate::line::{Reason, ABSENT};
use crate::scan::{Lacking, Scan};
use crate::tables::Latch;
use crate::text::Text;

/// No OpenDJ operation takes less than two microseconds: such a number counts milliseconds.
const SHORTEST_NS: i64 = 2000;
/// Lines carry whole seconds, so an etime may exceed their distance by this much.
const LINE_NS: i64 = 2_000_000_000;
const MILLISECOND: i64 = 1_000_000;
/// Longer than any number that `decimal` reads: what saturates is garbage.
const LONGEST: i64 = 9_000_000_001_000_000_000;

impl Scan {
    fn note_resolution(&mut self) {
        let digits = self.line.etime_digits;
        self.last_digits = digits;
        let steps = &mut self.statistics;
        if digits >= 7 {
            steps.nanoseconds += 1;
        } else if digits == 0 {
            steps.whole_seconds += 1;
        } else if self.line.etime % MILLISECOND == 0 {
            steps.quantised += 1;
        } else {
            steps.microseconds += 1;
        }
    }

    /// Time from the line of the request to that of the result; ABSENT if there is no request.
    fn between_lines(&self) -> i64 {
        let line = &self.line;
        if line.op < 0 || line.time == ABSENT || self.statistics.lacking == Lacking::Time {
            return ABSENT;
        }
        match self.requests.get(self.request_key()) {
            Some(request) if request.start != ABSENT => line.time.wrapping_sub(request.start),
            _ => ABSENT,
        }
    }

    /// The unit of a bare etime. It is latched when a connection is accepted, and nothing says it:
    /// a number that would be longer than the operation's lines are apart counts nanoseconds.
    fn is_milliseconds(&self, number: i64, latch: Latch) -> bool {
        if latch == Latch::Nanoseconds {
            return false;
        }
        if number < SHORTEST_NS {
            return true;
        }
        let between = self.between_lines();
        if between != ABSENT {
            return number < 9_000_000_000 && number * MILLISECOND <= between.wrapping_add(LINE_NS);
        }
        latch == Latch::Milliseconds || number < 10 * SHORTEST_NS
    }

    fn scale(&mut self) {
        let number = self.line.etime;
        let latch = self.its_connection().latch;
        let latch = if self.is_milliseconds(number, latch) {
            self.line.etime = number.saturating_mul(MILLISECOND);
            self.line.etime_digits = 3;
            Latch::Milliseconds
        } else {
            self.line.etime_digits = 9;
            Latch::Nanoseconds
        };
        self.its_connection().latch = latch;
    }

    /// Settle the etime of a result, or set it aside: missing, negative, or cut in its digits.
    #[inline]
    pub fn judge(&mut self, t: Text, stopped: usize, whole: bool) {
        if self.line.class != Class::Result {
            return;
        }
        if self.line.etime == ABSENT && self.style == Style::Slapd {
            self.line.etime = self.between_lines();
            self.line.etime_digits = self.line.time_digits;
            if self.line.etime != ABSENT {
                self.statistics.between_lines += 1;
            }
        } else if self.line.etime >= 0 && self.grammar.unit == Unit::Latched {
            self.scale();
        }
        let cut = !whole
            && self.line.etime_end == stopped
            && self.last_digits >= 0
            && self.line.etime_digits != self.last_digits;
        let reason = if self.line.etime == ABSENT {
            if whole {
                Reason::NoEtime
            } else {
                Reason::Cut
            }
        } else if !(0..LONGEST).contains(&self.line.etime) {
            Reason::GarbageEtime
        } else if cut {
            Reason::Cut
        } else {
            self.note_resolution();
            return;
        };
        self.line.set_aside(reason);
        self.dismiss(t);
    }
}
