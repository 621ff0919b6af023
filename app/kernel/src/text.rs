//! Positions in a block of log text, and what stands there.
//!
//! A line is read by positions in its block. Behind the end of the block stand zeros, so that a
//! reader may look a few bytes ahead of what it knows to be there.

use memchr::memchr;

/// A separator that stands for a newline inside a record of several lines.
pub const JOIN: u8 = 0x1E;

/// The text of a block.
#[derive(Clone, Copy)]
pub struct Text<'a>(pub &'a [u8]);

impl<'a> Text<'a> {
    /// The byte at a position.
    #[inline(always)]
    pub fn byte(self, p: usize) -> u8 {
        self.0.get(p).copied().unwrap_or(0)
    }

    /// Whether these words stand at a position.
    #[inline(always)]
    pub fn is_at<const N: usize>(self, p: usize, words: &[u8; N]) -> bool {
        self.0.get(p..).and_then(<[u8]>::first_chunk) == Some(words)
    }

    /// The eight bytes at a position as one number, the first one lowest.
    #[inline(always)]
    pub fn word(self, p: usize) -> u64 {
        match self.0.get(p..).and_then(<[u8]>::first_chunk) {
            Some(eight) => u64::from_le_bytes(*eight),
            None => self.last_word(p),
        }
    }

    #[cold]
    fn last_word(self, p: usize) -> u64 {
        (0..8).fold(0, |word, i| word | u64::from(self.byte(p + i)) << (8 * i))
    }

    /// The first eight of `length` bytes as one number, the rest zero.
    #[inline(always)]
    pub fn short_word(self, p: usize, length: usize) -> u64 {
        if length >= 8 {
            return self.word(p);
        }
        self.word(p) & ((1 << (8 * length)) - 1)
    }

    /// A word of any length as one number; `short_word` where that is up to eight bytes.
    #[inline(always)]
    pub fn long_word(self, p: usize, length: usize) -> u64 {
        if length <= 8 {
            return self.short_word(p, length);
        }
        mix(self.word(p), self.word(p + length - 8))
    }

    /// Where a byte comes first from p on, e if nowhere before e.
    #[inline(always)]
    pub fn find(self, p: usize, e: usize, wanted: u8) -> usize {
        let Some(text) = self.0.get(p..e) else {
            return e;
        };
        memchr(wanted, text).map_or(e, |i| p + i)
    }

    /// Where one of two bytes comes first from p on, e if nowhere before e.
    #[inline(always)]
    pub fn find_either(self, mut p: usize, e: usize, one: u8, other: u8) -> usize {
        while p < e {
            let text = self.word(p);
            let marks = places_of(text, one) | places_of(text, other);
            if marks != 0 {
                return (p + marks.trailing_zeros() as usize / 8).min(e);
            }
            p += 8;
        }
        e
    }

    /// The text before a position, behind which stand zeros.
    #[inline(always)]
    pub fn upto(self, e: usize) -> Self {
        Self(self.between(0, e))
    }

    /// The text between two positions.
    #[inline(always)]
    pub fn between(self, p: usize, e: usize) -> &'a [u8] {
        self.0.get(p..e).unwrap_or(&[])
    }

    /// Behind the blanks and control characters at p.
    #[inline(always)]
    pub fn behind_space(self, mut p: usize, e: usize) -> usize {
        while p < e && self.byte(p) <= b' ' {
            p += 1;
        }
        p
    }

    /// Behind the blanks at p.
    pub fn behind_blanks(self, mut p: usize, e: usize) -> usize {
        while p < e && self.byte(p) == b' ' {
            p += 1;
        }
        p
    }
}

/// Where a byte is in a word: the lowest bit that is set is in its first place.
#[inline(always)]
pub fn places_of(word: u64, wanted: u8) -> u64 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    let text = word ^ (LOW * u64::from(wanted));
    text.wrapping_sub(LOW) & !text & (LOW << 7)
}

/// Where bytes below one of ASCII are in a word; as with `places_of` the lowest bit counts.
#[inline(always)]
pub fn places_below(word: u64, bound: u8) -> u64 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    word.wrapping_sub(LOW * u64::from(bound)) & !word & (LOW << 7)
}

/// One step of a 64-bit hash.
#[inline(always)]
fn mix(hash: u64, value: u64) -> u64 {
    let mixed = (hash ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 29)
}

/// One step of a hash whose factor nobody knows: both halves of the product count.
#[inline(always)]
fn fold(hash: u64, value: u64, factor: u64) -> u64 {
    let product = u128::from(hash ^ value) * u128::from(factor);
    product as u64 ^ (product >> 64) as u64
}

/// A hash of numbers, which has a seed for the same reason as that of a text.
#[inline(always)]
pub fn hash_numbers<const N: usize>(numbers: [i64; N], seed: u64) -> u64 {
    numbers.iter().fold(seed, |hash, number| fold(hash, *number as u64, seed | 1))
}

/// A hash of a text; `seed` keeps those who write a log from choosing texts that collide.
#[inline]
pub fn hash(text: &[u8], seed: u64) -> u64 {
    let factor = seed | 1;
    let mut hash = fold(text.len() as u64, seed, factor);
    let mut chunks = text.chunks_exact(8);
    for chunk in &mut chunks {
        hash = fold(hash, Text(chunk).word(0), factor);
    }
    let rest = chunks.remainder().len();
    if rest > 0 {
        let last = match text.last_chunk() {
            Some(eight) => u64::from_le_bytes(*eight) >> (8 * (8 - rest)),
            None => text.iter().rev().fold(0, |word, c| word << 8 | u64::from(*c)),
        };
        hash = fold(hash, last, factor);
    }
    fold(hash, seed.rotate_left(32), factor)
}
