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
        text: b"\t389-Directory/2.3.1 B2023\n\
            [21/Nov/2026:02:20:00.151797648 +0000] conn=7 fd=64 slot=64 connection from ::1 to ::1\n\
            [21/Nov/2026:02:20:00.151797648 +0000] conn=7 op=1 SRCH base=\"ou=a\" scope=2 \
            filter=\"(&(uid=jd*e)(cn=x))\" attrs=ALL\n\
            [21/Nov/2026:02:20:00.151797648 +0000] conn=7 op=1 SORT cn (3)\n\
            [21/Nov/2026:02:20:00.151797648 +0000] conn=7 op=1 STAT read index: attribute=cn \
            key(sub)=er_ --> count 24 (duration 0.5)\n\
            [21/Nov/2026:02:20:00.151797648 +0000] conn=7 op=1 RESULT err=0 tag=101 nentries=3 \
            wtime=0.000126358 optime=0.1 etime=0.000270322 notes=U,P details=\"x,y\" wbusy=3/16\n\
            [21/Nov/2026:02:20:00 +0000] conn=66 (Internal) op=0(9)(1) MOD dn=\"cn=a\"\n\
            [21/Nov/2026:02:20:00 +0000] conn=Internal(0) op=0(9)(1) RESULT err=0 etime=0.5\n\
            [21/Nov/2026:02:20:00 +0000] conn=9 op=1 msgId=2 - BIND dn=\"cn=a\" method=128\n\
            Nov 21 02:20:01 h ns-slapd[7]: conn=9 op=1 msgId=2 - RESULT err=0 tag=97 etime=1\n\
            [21/Nov/2026:02:20:00.1 +0000] conn=7 op=1 RESU[21/Nov/2026:02:20:00.1 +0000] conn=7 \
            op=2 fd=64 Disconnect - T1\n\
            {\"local_time\":\"2026-11-21T02:20:00.1 +0000\",\"operation\":\"SRCH\",\"conn_id\":1,\n\
            \"op_id\":1,\"base_dn\":\"\\u00e9\\\"\",\"filter\":\"(a=b)\"}\n",
    },
    Sample {
        style: Style::VerbFirst,
        unit: Unit::Latched,
        depth: 0,
        text: b"[21/Nov/2026:02:20:00 +0000] CONNECT conn=4 from=192.0.2.1:5 to=192.0.2.2:389\n\
            [21/Nov/2026:02:20:00 +0000] SRCH REQ conn=4 op=1 msgID=2 base=\"\" filter=\"(a=b)\"\n\
            [21/Nov/2026:02:20:00 +0000] SRCH RES conn=4 op=1 msgID=2 result=0 unindexed etime=9\n\
            [21/Nov/2026:02:20:00 +0000] SRCH startupID=\"Yx\" requesterIP=\"192.0.2.7\" conn=4 \
            op=2 base=\"a\" etime=123456\n",
    },
    Sample {
        style: Style::Slapd,
        unit: Unit::Seconds,
        depth: 0,
        text: b"6a00ff10.0d4cd4da 0x7f5da53fe6c0 conn=1000 fd=11 ACCEPT from IP=[::1]:4 (IP=[::]:9)\n\
            6a00ff10.0d4cd 0x7f5da53fe6c0 conn=1000 op=1 SRCH base=\"dc=a\" deref=3 filter=\"(a=b)\"\n\
            6a00ff11 conn=1000 op=1 SEARCH RESULT tag=101 err=0 nentries=1 text=\n\
            Nov 21 02:20:00 h slapd[1]: conn=1000 op=2 RESULT tag=97 err=0 etime=0.2 text=\n\
            2026-11-21T02:20:00.123456+01:00 h slapd[2]: conn=1000 op=2 SRCH base=\"a\"\n\
            Nov 21 02:20:00 h slapd[1]: <= mdb_equality_candidates: (mail) not indexed\n\
            [21-11-2026 02:20:00] slapd starting\n",
    },
    Sample {
        style: Style::Attributes,
        unit: Unit::Latched,
        depth: 0,
        text: b"[2026-11-21T02:20:00.001+00:00] [OUD] [TRACE] [X] [category: RES] [conn: 1] [op: 2] \
            [result: 0] [etime: 3] [base: dc=a] [from: 192.0.2.1:5] SRCH\n\
            [2026-11-21T02:20:00.001+00:00] [OUD] [note] the server has started\n",
    },
    Sample {
        style: Style::Events,
        unit: Unit::Seconds,
        depth: 1,
        text: b"{\"local_time\":\"2026-11-21T02:20:00.1 +0000\",\"operation\":\"SRCH\",\"key\":\"17-1\",\
            \"conn_id\":1,\"op_id\":28,\"base_dn\":\"\\u00e9\\\"\",\"filter\":\"(a=b)\",\
            \"notes\":[{\"note\":\"U\"}]}\n{\n\"local_time\":\"2026-11-21T02:20:00.1 +0000\",\n\
            \"operation\":\"RESULT\",\"conn_id\":1,\"op_id\":28,\"err\":0,\"etime\":\"0.5\"\n}\n",
    },
    Sample {
        style: Style::Records,
        unit: Unit::Seconds,
        depth: 2,
        text: b"{\"eventName\":\"DJ-LDAP\",\"client\":{\"ip\":\"x\"},\"request\":{\"operation\":\
            \"SRCH\",\"conn_id\":4},\"response\":{\"elapsed\":1},\
            \"local_time\":\"2026-11-21T02:20:00Z\"}\n",
    },
    Sample {
        style: Style::Audit,
        unit: Unit::Seconds,
        depth: 0,
        text: b"AuditV3--2026-11-21-02:20:00.000123+00:00DST--V3 SRCH--bindDN: cn=a--client: \
            192.0.2.1:5--conn_id: 3--received: 2026-11-21-02:20:00.000100+00:00DST--Success\n\
            base: o=a\nfilter: (a=b)\nnentries: 1\n",
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
pub fn check(sample: &Sample, text: &[u8], pieces: usize) {
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
}
