//! Which key follows which: in most lines of a class the same one as in the line before.

use crate::grammar::{Class, Field};
use crate::text::Text;

const SLOTS: usize = 256;

/// A key with the marks behind it, of up to 16 bytes in all, and what its value means.
#[derive(Clone, Copy)]
struct Key {
    text: u128,
    mask: u128,
    length: usize,
    field: Field,
    /// Where the key is that follows it.
    slot: u8,
}

impl Key {
    const NONE: Self = Self { text: 0, mask: 0, length: usize::MAX, field: Field::Skip, slot: 0 };
}

/// Keys, each in the slot of the one before it.
///
/// To compare a key with one that is expected is cheaper than to find its end and to look it up.
pub struct Layouts {
    keys: [Key; SLOTS],
    /// The slot of the last key.
    last: u8,
}

impl Layouts {
    pub fn new() -> Self {
        Self { keys: [Key::NONE; SLOTS], last: 0 }
    }

    /// The next key is the first of its line.
    #[inline(always)]
    pub fn begin(&mut self) {
        self.last = 0;
    }

    #[inline(always)]
    fn place(&self, class: Class) -> usize {
        (self.last ^ (class as u8) << 4).into()
    }

    /// The length of the key at p with its marks, and what it means, if it is the one expected.
    #[inline(always)]
    pub fn expected(
        &mut self,
        class: Class,
        t: Text,
        p: usize,
        e: usize,
    ) -> Option<(usize, Field)> {
        let key = &self.keys[self.place(class)];
        let text = u128::from_le_bytes(*t.0.get(p..)?.first_chunk()?);
        if (text ^ key.text) & key.mask != 0 || key.length > e - p {
            return None;
        }
        self.last = key.slot;
        Some((key.length, key.field))
    }

    /// Expect the key of `length` bytes at p from now on.
    #[inline]
    pub fn expect(&mut self, class: Class, t: Text, p: usize, length: usize, field: Field) {
        let text = t.0.get(p..).and_then(<[u8]>::first_chunk);
        let (Some(text), 1..=16) = (text, length) else {
            self.last = 0;
            return;
        };
        let mask = u128::MAX >> (8 * (16 - length));
        let text = u128::from_le_bytes(*text) & mask;
        let slot =
            ((text as u64 ^ (text >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8;
        let place = self.place(class);
        self.keys[place] = Key { text, mask, length, field, slot };
        self.last = slot;
    }
}
