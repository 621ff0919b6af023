//! Logs with places changed at random: nothing panics, and every line is counted once.

mod samples;

use ldap_workbench_kernel::Style;
use samples::{check, SAMPLES};

const WORDS: [&[u8]; 24] = [
    b"\"",
    b"\\",
    b"\n",
    b"\r\n",
    b"\0",
    b"[",
    b"]",
    b"(",
    b"=",
    b" ",
    b"-",
    b"--",
    b"conn=",
    b"op=",
    b"etime=",
    b"99999999999999999999",
    b"-1",
    b"RESULT ",
    b"{",
    b"}",
    b"\xff",
    b"\x1e",
    b":",
    b"0.1111111111111111111111",
];

/// xorshift64*: the same changes in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end.max(1)
    }
}

fn changed(random: &mut Random, text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.below(6) {
        let place = random.below(text.len());
        let end = (place + random.below(60)).min(text.len());
        match random.below(4) {
            0 => drop(text.drain(place..end)),
            1 => drop(text.splice(place..place, WORDS[random.below(WORDS.len())].iter().copied())),
            2 => text.extend_from_within(place..end),
            _ => text.iter_mut().skip(place).take(1).for_each(|c| *c = random.below(256) as u8),
        }
    }
    text
}

#[test]
fn samples_give_rows() {
    for sample in &SAMPLES {
        let mut feed = sample.feed();
        feed.feed(sample.text);
        feed.finish();
        let lines = &feed.scan.statistics;
        assert!(feed.scan.rows.len() > 0, "{:?}", sample.style);
        assert!(lines.unknown <= 1, "{:?}", sample.style); // the half of a glued line
    }
}

#[test]
fn no_change_makes_it_panic_or_lose_a_line() {
    // An interpreter that looks at each step (packaging/kernel miri) has time for few.
    let rounds = std::env::var("KERNEL_ROUNDS").map_or(20_000, |n| n.parse().expect("a number"));
    let mut random = Random(389);
    for round in 0..rounds {
        let sample = &SAMPLES[round % SAMPLES.len()];
        let text = changed(&mut random, sample.text);
        check(sample, &text, [7, 100, 1 << 20][random.below(3)]);
    }
}

#[test]
fn pieces_make_no_difference() {
    for sample in &SAMPLES {
        let mut whole = sample.feed();
        whole.feed(sample.text);
        for size in [1, 2, 13, 64] {
            let mut feed = sample.feed();
            sample.text.chunks(size).for_each(|piece| feed.feed(piece));
            assert_eq!(feed.scan.rows.wide, whole.scan.rows.wide);
            assert_eq!(feed.scan.rows.middle, whole.scan.rows.middle);
            assert_eq!(feed.scan.rows.narrow, whole.scan.rows.narrow);
        }
    }
}

/// An object is read where it stands, or put together from its lines first.
#[test]
fn an_object_over_several_lines_says_what_it_says_in_one() {
    for sample in SAMPLES.iter().filter(|sample| sample.style.is_json()) {
        let one = String::from_utf8_lossy(sample.text).replace('\n', "");
        let text = one.replace("}{", "}\n{") + "\n";
        let mut whole = sample.feed();
        whole.feed(text.as_bytes());
        assert_eq!(whole.scan.statistics.understood, text.matches('\n').count() as u64);
        for size in [1, 40, 1 << 20] {
            let mut parts = sample.feed();
            text.replace(",\"", ",\n \"").as_bytes().chunks(size).for_each(|p| parts.feed(p));
            // But for their places in the text, the last two columns.
            assert_eq!(parts.scan.rows.wide[..6], whole.scan.rows.wide[..6]);
            assert_eq!(parts.scan.rows.middle, whole.scan.rows.middle);
            assert_eq!(parts.scan.rows.narrow, whole.scan.rows.narrow);
        }
    }
}

#[test]
fn an_object_that_was_cut_ends_where_the_next_one_begins() {
    let sample = SAMPLES.iter().find(|sample| sample.style == Style::Events).unwrap();
    for cut in ["{\"a\": \"", "{\"a\": {\n\"b\": 1\n", "{{{\n\n"] {
        for size in [1, 13, 1 << 20] {
            let text = [cut.as_bytes(), b"\n", sample.text].concat();
            let mut feed = sample.feed();
            text.chunks(size).for_each(|piece| feed.feed(piece));
            assert_eq!(feed.scan.rows.len(), 1, "{cut}");
            assert_eq!(feed.scan.statistics.set_aside, cut.matches('\n').count() as u64 + 1);
        }
    }
}

#[test]
fn a_line_that_is_too_long_is_counted_and_passed_over() {
    for sample in SAMPLES.iter().filter(|sample| !sample.style.joins()) {
        let mut text = sample.text.to_vec();
        text.extend(std::iter::repeat_n(b'x', 3 << 20));
        text.push(b'\n');
        text.extend(sample.text);
        check(sample, &text, 1 << 19);
    }
}

/// With a look to the end of the line for each brace these take hours.
#[test]
fn a_line_of_nothing_but_braces_is_read_once() {
    for sample in SAMPLES.iter().filter(|sample| sample.style.joins()) {
        for piece in ["{\"a\":", "\"err\":[", "\"requestControls\":[", "\"requestControls\":1,"] {
            let text = "{".to_owned() + &piece.repeat((1 << 20) / piece.len() - 1) + "1\n";
            check(sample, text.as_bytes(), 1 << 20);
        }
    }
}

#[test]
fn a_record_that_never_ends_takes_no_room() {
    const PIECE: u64 = 1 << 16;
    for sample in &SAMPLES {
        let mut feed = sample.feed();
        feed.feed(b"AuditV3\n{");
        for _ in 0..8 {
            feed.feed(&b"\"a\": 1\n".repeat(PIECE as usize));
            assert!(feed.carry.len().max(feed.raw.len()) <= (1 << 20) + 2, "{:?}", sample.style);
        }
        feed.finish();
        let seen = &feed.scan.statistics;
        let lines = seen.understood + seen.set_aside + seen.unknown;
        assert_eq!(lines, 1 + 8 * PIECE, "{:?}", sample.style);
    }
}

#[test]
fn each_line_of_a_record_that_is_too_long_is_counted() {
    for sample in SAMPLES.iter().filter(|sample| sample.style.joins()) {
        let start: &[u8] = if sample.style == Style::Audit { b"AuditV3\n" } else { b"{\n" };
        let text =
            [sample.text, start, &b"\"a\": 1,\n".repeat(200_000), b"}\n", sample.text].concat();
        // Each of the last three has the end of a line as its last byte where there is too much.
        let first = sample.text.len() + start.len();
        for size in [1 << 19, 9999, 1 << 22, first + 9 * 150_000, first + 9 * 120_000] {
            let scan = check(sample, &text, size).scan;
            assert!(scan.statistics.reasons[5] > 100_000, "{:?} {size}", sample.style);
            check(sample, &text[..first + 9 * 150_000], size);
        }
    }
}

#[test]
fn records_glued_within_an_object_lose_no_line() {
    let record = "[21/Nov/2026:02:20:00 +0000] conn=7 op=1 RESULT etime=0.5 ";
    let text = format!("{record}{{\n{}}}\n", format!(" {record}\n").repeat(1000));
    for sample in SAMPLES.iter().filter(|sample| sample.style == Style::Events) {
        let scan = check(sample, text.as_bytes(), 999).scan;
        assert_eq!((scan.rows.len(), scan.statistics.reasons[11]), (1001, 1000));
    }
}

#[test]
fn the_halves_of_a_pair_are_one_character() {
    let sample = SAMPLES.iter().find(|sample| sample.style == Style::Events).unwrap();
    for (written, read) in [
        ("\\uD83D\\uDE00", "\u{1F600}".as_bytes()),
        ("\\udbff\\udfff.", "\u{10FFFF}.".as_bytes()),
        ("\\u00e9", "é".as_bytes()),
        ("\\uD83D\\u0041", b"\xED\xA0\xBDA"),
        ("\\uD83D\\nA", b"\xED\xA0\xBD A"),
        ("\\uDE00\\uD83D", b"\xED\xB8\x80\xED\xA0\xBD"),
        ("\\uD83D\\uDE0", b"\xED\xA0\xBD DE0"),
        ("\\uD83D", b"\xED\xA0\xBD"),
    ] {
        let time = "\"local_time\":\"2026-11-21T02:20:00.000000000 +0000\"";
        let text = format!(
            "{{{time},\"operation\":\"SRCH\",\"conn_id\":1,\"op_id\":1,\"base_dn\":\"{written}\"}}\n"
        );
        let mut feed = sample.feed();
        feed.feed(text.as_bytes());
        assert_eq!(feed.scan.strings[2].get(0), Some(read), "{written}");
    }
}

#[test]
fn records_glued_to_one_line_are_counted_each() {
    let record = "[21/Nov/2026:02:20:00 +0000] conn=7 op=1 RESULT etime=0.5 ";
    let scan = classic((record.repeat(1000) + "\n" + record + "\r\n" + record).as_bytes());
    assert_eq!((scan.rows.len(), scan.statistics.understood), (1001, 2));
    assert_eq!(reasons(&scan), [(11, 999)]);
}

/// Else those who write a log choose numbers that all fall into one place.
#[test]
fn no_two_scans_have_requests_and_connections_in_the_same_places() {
    let line = |conn| {
        let head = format!("[21/Nov/2026:02:20:00 +0000] conn={conn} ");
        format!("{head}fd=64 slot=64 connection from 192.0.2.7\n{head}op=1 SRCH base=\"a\"\n")
    };
    let text: String = (0..100).map(line).collect();
    let (one, other) = (classic(text.as_bytes()), classic(text.as_bytes()));
    let requests = |scan: &ldap_workbench_kernel::Scan| -> Vec<_> {
        scan.requests.iter().map(|request| request.key.conn).collect()
    };
    let connections = |scan: &ldap_workbench_kernel::Scan| -> Vec<_> {
        scan.connections.iter().map(|connection| connection.key).collect()
    };
    assert_eq!((requests(&one).len(), connections(&one).len()), (100, 100));
    assert_ne!(requests(&one), requests(&other));
    assert_ne!(connections(&one), connections(&other));
}

fn classic(text: &[u8]) -> ldap_workbench_kernel::Scan {
    let mut feed = SAMPLES[0].feed();
    feed.feed(text);
    feed.scan
}

/// The reasons of `REASONS` that were counted, by their places.
fn reasons(scan: &ldap_workbench_kernel::Scan) -> Vec<(usize, u64)> {
    let counts = scan.statistics.reasons.iter().copied().enumerate();
    counts.filter(|(_, count)| *count > 0).collect()
}

#[test]
fn a_log_of_requests_alone_never_fills_the_memory() {
    const MOST: u64 = 1 << 20;
    let mut feed = SAMPLES[0].feed();
    for at in 0..MOST + 2 {
        let line = format!("[21/Nov/2026:02:20:00 +0000] conn=7 op={at} SRCH base=\"a\"\n");
        feed.feed(line.as_bytes());
    }
    assert_eq!(reasons(&feed.scan), [(15, MOST / 2)]);
    assert_eq!(feed.scan.requests.len() as u64, MOST / 2 + 2);
    assert!(feed.scan.requests.iter().all(|request| request.key.ids >> 32 >= MOST as i64 / 2));
}

#[test]
fn connections_that_never_close_do_not_fill_the_memory() {
    const MOST: i64 = 1 << 20;
    let mut feed = SAMPLES[0].feed();
    let head = |conn| format!("[21/Nov/2026:02:20:00 +0000] conn={conn} ");
    let result = "op=1 RESULT etime=0.5\n";
    for conn in 0..MOST {
        feed.feed((head(conn) + "fd=64 slot=64 connection from 192.0.2.7\n").as_bytes());
        if conn == MOST - 2 {
            feed.feed((head(0) + result).as_bytes());
        }
    }
    assert_eq!(reasons(&feed.scan), []);
    // The oldest one was used lately: it stays.
    feed.feed([head(0), result.into(), head(1), result.into()].concat().as_bytes());
    assert_eq!(reasons(&feed.scan), [(16, MOST as u64 / 2)]);
    // The next one was forgotten before it asked: it is not one that never does.
    assert_eq!(feed.scan.unused, []);
    let clients = &feed.scan.rows.middle[5];
    assert_eq!(clients[..], [0, 0, -1]);
    assert_eq!(feed.scan.connections.iter().count() as i64, MOST / 2);
}

/// The text of the last second is kept with its zone, which the next line may write otherwise.
#[test]
fn a_zone_is_read_alike_whatever_the_line_before_had() {
    let zones = ["Z", "+01", "+0100", "+01:00", "+0130", "+01:30", "-0130", " +0130", " +01", ""];
    let record = |zone: &str| {
        let time = format!("2026-11-21T02:20:00.151676318{zone}");
        format!("{{\"local_time\":\"{time}\",\"operation\":\"RESULT\",\"conn_id\":1,\"op_id\":1,\"etime\":\"0.5\"}}\n")
    };
    let classic = |zone: &str| {
        format!("[21/Nov/2026:02:20:00.151676318 {zone}] conn=1 op=1 RESULT etime=0.5\n")
    };
    let last_time = |family: usize, text: String| {
        let mut feed = SAMPLES[family].feed();
        feed.feed(text.as_bytes());
        feed.scan.line.time
    };
    for before in zones {
        for zone in zones {
            let alone = last_time(4, record(zone));
            assert_eq!(last_time(4, record(before) + &record(zone)), alone, "{before} {zone}");
            let alone = last_time(0, classic(zone));
            assert_eq!(last_time(0, classic(before) + &classic(zone)), alone, "{before} {zone}");
        }
    }
    assert_ne!(last_time(4, record("+0100")), last_time(4, record("+0130")));
}

#[test]
fn internal_numbers_that_are_too_large_make_no_row() {
    let line = |numbers: &str| {
        format!("[21/Nov/2026:02:20:00 +0000] conn=1 (Internal) op=0{numbers} RESULT etime=0.5\n")
    };
    for (numbers, rows) in [
        ("(2147483647)(65535)", 1),
        ("(2147483648)(1)", 0),
        ("(1)(65536)", 0),
        ("(-1)(1)", 0),
        ("(1)(-1)", 0),
    ] {
        let scan = classic(line(numbers).as_bytes());
        assert_eq!(
            (scan.rows.len(), scan.statistics.unknown),
            (rows, 1 - rows as u64),
            "{numbers}"
        );
    }
}

#[test]
fn an_etime_that_is_longer_than_a_life_is_garbage() {
    let mut feed = SAMPLES[1].feed();
    let line = |etime: &str| {
        format!("[21/Nov/2026:02:20:00 +0000] SRCH conn=4 op=1 msgID=2 base=\"\" etime={etime}\n")
    };
    // The first one says that this connection counts milliseconds.
    feed.feed((line("9") + &line("18446744073709") + &line("99999999999999999")).as_bytes());
    assert_eq!(feed.scan.rows.wide[1], [9_000_000]);
    assert_eq!(reasons(&feed.scan), [(7, 2)]);
}
