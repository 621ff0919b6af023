//! What differs between dialects, as data: month names, words, keys, units.

use crate::numbers::Months;
use crate::text::Text;

/// An enum whose variants have the names by which a dialect asks for them.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($variant,)* }

        impl $name {
            /// All of these names.
            pub const NAMES: &[&str] = &[$($text),*];

            /// The variant of this name.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

named! {
    /// What kind of line it is.
    Class {
        NotKnown = "not_known",
        Aside = "aside",
        Extra = "extra",
        Request = "request",
        Result = "result",
        Abandon = "abandon",
        Opened = "opened",
        Closed = "closed",
        Unprocessed = "unprocessed",
        Bound = "bound",
        Header = "header",
        Socket = "socket",
        // A further line of a request, whose kind is bits of its notes (and WITH_VLV).
        Noted = "noted",
        Stat = "stat",
    }
}

named! {
    /// The family of grammars: what a line begins with and how its parts are marked.
    Style {
        NumbersFirst = "numbers_first",  // 389 DS, Sun
        VerbFirst = "verb_first",        // OpenDJ, UnboundID
        Slapd = "slapd",
        Attributes = "attributes",       // [key: value] of Oracle before the text
        Events = "events",               // one JSON object an event
        Records = "records",             // one JSON object an operation
        Audit = "audit",                 // a header and its details (IBM)
    }
}

impl Style {
    /// Whether a record may take several lines, which are put together.
    pub fn joins(self) -> bool {
        self.is_json() || self == Self::Audit
    }

    pub fn is_json(self) -> bool {
        matches!(self, Self::Events | Self::Records)
    }
}

named! {
    /// The unit of an etime.
    Unit {
        Seconds = "seconds",
        Milliseconds = "milliseconds",
        // OpenDJ's bare number, in ms or ns as was set when the connection was accepted.
        Latched = "latched",
    }
}

named! {
    /// What the value of a key means.
    Field {
        Skip = "skip",
        Err = "err",
        Tag = "tag",
        Nentries = "nentries",
        Wtime = "wtime",
        Optime = "optime",
        Etime = "etime",
        Notes = "notes",
        Base = "base",
        Filter = "filter",
        Stop = "stop",
        Bind = "bind",
        Origin = "origin",
        Unindexed = "unindexed",
        Conn = "conn",
        Op = "op",
        InternalOp = "internal_op",
        Nesting = "nesting",
        IsInternal = "is_internal",
        Client = "client",
        Operation = "operation",
        Time = "time",
        Key = "key",
        Units = "units",
        Note = "note",
        Header = "header",
        Elapsed = "elapsed",
        Queued = "queued",
        Processed = "processed",
        Type = "type",
        Items = "items",
        Indexed = "indexed",
        Startup = "startup",
        Controls = "controls",
        Role = "role",
        Received = "received",
        Milliseconds = "milliseconds",
        Wqtime = "wqtime",
        Writetime = "writetime",
        Deref = "deref",
        StatAttribute = "stat_attribute",
        StatKey = "stat_key",
        StatCount = "stat_count",
        StatTime = "stat_time",
        Wbusy = "wbusy",
        Wmax = "wmax",
        Wqdepth = "wqdepth",
    }
}

/// The types of operations, by their place in `model.operations.TYPES`.
pub mod kind {
    pub const SRCH: i32 = 0;
    pub const BIND: i32 = 1;
    pub const MOD: i32 = 2;
    pub const ADD: i32 = 3;
    pub const DEL: i32 = 4;
    pub const MODRDN: i32 = 5;
    pub const CMP: i32 = 6;
    pub const EXT: i32 = 7;
    #[cfg(feature = "python")]
    const ABANDON: i32 = 8;
    pub const UNKNOWN: i32 = 9;
    /// Their names, by their numbers.
    #[cfg(feature = "python")]
    pub const NAMES: [(&str, i32); 10] = [
        ("SRCH", SRCH),
        ("BIND", BIND),
        ("MOD", MOD),
        ("ADD", ADD),
        ("DEL", DEL),
        ("MODRDN", MODRDN),
        ("CMP", CMP),
        ("EXT", EXT),
        ("ABANDON", ABANDON),
        ("UNKNOWN", UNKNOWN),
    ];
}

/// In the kind of a word of class NOTED: the line asks for a page of a sorted list.
pub const WITH_VLV: i32 = 1 << 8;

/// Bits of notes, by their place in `model.operations.NOTES`.
pub const NOTES: &[u8; 8] = b"UAPFMNBS";
pub const NOTE_A: u8 = 1 << 1;
pub const NOTE_P: u8 = 1 << 2;
pub const NOTE_S: u8 = 1 << 7;

/// What a word says: the class of the line, and the kind of its operation.
#[derive(Clone, Copy)]
pub struct Meaning {
    pub class: Class,
    pub kind: i32,
}

const SLOTS: usize = 256;

/// Words with their values; looked up by what `Text::short_word` or `long_word` makes of them.
pub struct Words<T> {
    texts: [u64; SLOTS],
    values: [T; SLOTS],
    nothing: T,
}

impl<T: Copy> Words<T> {
    fn new(nothing: T) -> Self {
        Self { texts: [0; SLOTS], values: [nothing; SLOTS], nothing }
    }

    fn slot(word: u64) -> usize {
        (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize
    }

    fn put(&mut self, word: u64, value: T) {
        let mut slot = Self::slot(word);
        while self.texts[slot] != 0 && self.texts[slot] != word {
            slot = (slot + 1) % SLOTS;
        }
        self.texts[slot] = word;
        self.values[slot] = value;
    }

    /// The value of a word, that of no word where it has none.
    #[inline(always)]
    pub fn get(&self, word: u64) -> T {
        let mut slot = Self::slot(word);
        while self.texts[slot] != 0 {
            if self.texts[slot] == word {
                return self.values[slot];
            }
            slot = (slot + 1) % SLOTS;
        }
        self.nothing
    }
}

/// A dialect as the scanner needs it.
pub struct Grammar {
    pub verbs: Words<Meaning>,
    pub keys: Words<Field>,
    pub months: Months,
    pub unit: Unit,
    /// How deep in a JSON object its keys are.
    pub depth: i64,
}

/// More words than this would make a table slow, and full ones endless.
const MOST_WORDS: usize = SLOTS / 2;

impl Grammar {
    /// `words` and, where there are no `operations`, `keys` count by their first eight bytes.
    /// None where there are too many.
    pub fn new(
        words: &[(String, Meaning)],
        operations: &[(String, Meaning)],
        keys: &[(String, Field)],
        months: Months,
        unit: Unit,
        depth: i64,
    ) -> Option<Self> {
        if words.len() + operations.len() > MOST_WORDS || keys.len() > MOST_WORDS {
            return None;
        }
        let short = |text: &str| Text(text.as_bytes()).short_word(0, text.len());
        let long = |text: &str| Text(text.as_bytes()).long_word(0, text.len());
        let mut verbs = Words::new(Meaning { class: Class::NotKnown, kind: 0 });
        for (text, meaning) in words {
            verbs.put(short(text), *meaning);
        }
        for (text, meaning) in operations {
            verbs.put(long(text), *meaning);
        }
        let mut fields = Words::new(Field::Skip);
        for (text, field) in keys {
            let word = if operations.is_empty() { short(text) } else { long(text) };
            fields.put(word, *field);
        }
        Some(Self { verbs, keys: fields, months, unit, depth })
    }
}
