//! A log of every family of grammars, small enough to be changed at random.

use ldap_workbench_kernel::{Class, Feed, Field, Grammar, Meaning, Months, Scan, Style, Unit};

pub struct Sample {
    pub style: Style,
    unit: Unit,
    depth: i64,
    pub text: &'static [u8],
}

pub const SAMPLES: [Sample; 7] = [
    Sample {
        style: Style::NumbersFirst,
        unit: Unit::Seconds,
        depth: 0,
        text: include_bytes!("numbers_first.log"),
    },
    Sample {
        style: Style::VerbFirst,
        unit: Unit::Latched,
        depth: 0,
        text: include_bytes!("verb_first.log"),
    },
    Sample {
        style: Style::Slapd,
        unit: Unit::Seconds,
        depth: 0,
        text: include_bytes!("slapd.log"),
    },
    Sample {
        style: Style::Attributes,
        unit: Unit::Latched,
        depth: 0,
        text: include_bytes!("attributes.log"),
    },
    Sample {
        style: Style::Events,
        unit: Unit::Seconds,
        depth: 1,
        text: include_bytes!("events.log"),
    },
    Sample {
        style: Style::Records,
        unit: Unit::Seconds,
        depth: 2,
        text: include_bytes!("records.log"),
    },
    Sample {
        style: Style::Audit,
        unit: Unit::Seconds,
        depth: 0,
        text: include_bytes!("audit.log"),
    },
];

impl Sample {
    /// A scanner of this family.
    pub fn feed(&self) -> Feed {
        let word = |name: &str, class, kind| (name.to_owned(), Meaning { class, kind });
        let words = [
            word("SRCH", Class::Request, 0),
            word("MOD", Class::Request, 2),
            word("BIND", Class::Request, 1),
            word("RESULT", Class::Result, 9),
            word("SEARCH", Class::Result, 9),
            word("SORT", Class::Noted, 128 | 256),
            word("STAT", Class::Stat, 0),
            word("fd", Class::Socket, 0),
            word("slot", Class::Opened, 0),
            word("ACCEPT", Class::Opened, 0),
            word("CONNECT", Class::Opened, 0),
            word("Disconnect", Class::Closed, 0),
            word("Success", Class::Extra, 0),
        ];
        let keys = [
            ("err", Field::Err),
            ("result", Field::Err),
            ("tag", Field::Tag),
            ("nentries", Field::Nentries),
            ("wtime", Field::Wtime),
            ("optime", Field::Optime),
            ("etime", Field::Etime),
            ("notes", Field::Notes),
            ("base", Field::Base),
            ("dn", Field::Base),
            ("base_dn", Field::Base),
            ("filter", Field::Filter),
            ("attrs", Field::Stop),
            ("text", Field::Stop),
            ("deref", Field::Deref),
            ("wbusy", Field::Wbusy),
            ("unindexed", Field::Unindexed),
            ("conn", Field::Conn),
            ("conn_id", Field::Conn),
            ("op", Field::Op),
            ("op_id", Field::Op),
            ("category", Field::Role),
            ("from", Field::Client),
            ("client", Field::Client),
            ("ip", Field::Client),
            ("local_time", Field::Time),
            ("operation", Field::Operation),
            ("key", Field::Key),
            ("note", Field::Note),
            ("elapsed", Field::Elapsed),
            ("bindDN", Field::Bind),
            ("received", Field::Received),
            ("requestControls", Field::Controls),
        ]; // rustfmt: a table
        let keys: Vec<_> = keys.iter().map(|(name, field)| ((*name).to_owned(), *field)).collect();
        let in_full = matches!(
            self.style,
            Style::NumbersFirst | Style::Attributes | Style::Events | Style::Records | Style::Audit
        );
        let operations = if in_full { words.to_vec() } else { Vec::new() };
        let months = Months::new([("nov", 11)]);
        let grammar = Grammar::new(&words, &operations, &keys, months, self.unit, self.depth);
        let grammar = grammar.expect("so many words have room");
        Feed::new(Scan::new(grammar, self.style, vec![b"nonce".to_vec()], 1 << 20), 0)
    }
}

/// What must hold of any text: each of its lines is counted once.
pub fn check(sample: &Sample, text: &[u8], pieces: usize) -> Feed {
    let mut feed = sample.feed();
    for piece in text.chunks(pieces.max(1)) {
        feed.feed(piece);
    }
    feed.finish();
    let seen = &feed.scan.statistics;
    let lines =
        text.split(|c| *c == b'\n').count() - usize::from(text.is_empty() || text.ends_with(b"\n"));
    assert_eq!(seen.understood + seen.set_aside + seen.unknown, lines as u64);
    assert!(seen.finished as usize == feed.scan.rows.len());
    assert!(feed.offset as usize <= text.len());
    feed
}

/// What fuzzing holds a family to: that, and the same rows whatever pieces the text comes in.
#[allow(dead_code)] // by the targets in fuzz/
pub fn fuzz(style: Style, text: &[u8]) {
    let sample = SAMPLES.iter().find(|sample| sample.style == style).expect("one of each");
    let whole = check(sample, text, usize::MAX).scan.rows;
    let pieces = check(sample, text, 13).scan.rows;
    assert_eq!(whole.wide, pieces.wide);
    assert_eq!(whole.middle, pieces.middle);
    assert_eq!(whole.narrow, pieces.narrow);
}
