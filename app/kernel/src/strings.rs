//! A table of strings: every text once, in the order in which they came.

use std::hash::{BuildHasher, RandomState};

use crate::text::hash;

/// Texts by index. An index stays valid while the table grows.
pub struct Strings {
    text: Vec<u8>,
    ends: Vec<usize>,
    /// Half a hash above an index plus one; 0 is free.
    slots: Vec<u64>,
    seed: u64,
}

impl Strings {
    pub fn new() -> Self {
        Self {
            text: Vec::new(),
            ends: Vec::new(),
            slots: vec![0; 64],
            seed: RandomState::new().hash_one(0),
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of an index.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.text.get(start..end)
    }

    /// Index of a text; a new one is added. Indexes are as wide as columns: 31 bits.
    #[inline]
    pub fn intern(&mut self, text: &[u8]) -> i32 {
        let half = hash(text, self.seed) >> 32;
        let mask = self.slots.len() - 1;
        let mut slot = half as usize & mask;
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                return self.add(slot, half, text);
            }
            let index = (entry as u32 - 1) as usize;
            if entry >> 32 == half && self.get(index) == Some(text) {
                return index as i32;
            }
            slot = (slot + 1) & mask;
        }
    }

    #[cold]
    fn add(&mut self, slot: usize, half: u64, text: &[u8]) -> i32 {
        let index = self.ends.len();
        self.text.extend_from_slice(text);
        self.ends.push(self.text.len());
        self.slots[slot] = half << 32 | (index as u64 + 1);
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        index as i32
    }

    fn grow(&mut self) {
        let mut slots = vec![0; self.slots.len() * 2];
        let mask = slots.len() - 1;
        for entry in self.slots.iter().filter(|entry| **entry != 0) {
            let mut slot = (entry >> 32) as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = *entry;
        }
        self.slots = slots;
    }
}
