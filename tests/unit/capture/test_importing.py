"""Files that lie about become windows, whatever their packing and order, and nothing is hidden."""

import gzip
import json
import lzma

import pytest
import zstandard

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.model.errors import CancelledError, LogError, UsageError
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import SourceKind, SourceState
from ldap_workbench.session.batches import BULK_WAIT_S, WAIT_S, Batches
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

START = 1_795_233_600 * NS_PER_S  # 2026-11-21 04:00 UTC


def lines(first, count):
    """A search and its result each second."""
    text = ""
    for i in range(first, first + count):
        stamp = f"[21/Nov/2026:04:{i // 60:02d}:{i % 60:02d}"
        text += (
            f'{stamp}.000000000 +0000] conn=7 op={i} SRCH base="dc=a" scope=2 '
            f'filter="(uid=u{i})" attrs=ALL\n'
            f"{stamp}.001000000 +0000] conn=7 op={i} RESULT err=0 tag=101 nentries=1 "
            f"wtime=0.000100000 optime=0.000900000 etime=0.001{i:06d}\n"
        )
    return text.encode()


@pytest.fixture
def run(tmp_path):
    def run(*paths, **options):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.ldapwb"
        with SessionWriter.create(path) as writer:
            done = import_logs(paths, writer, **options)
        return done, Session.open(path)

    return run


@pytest.fixture
def logs(tmp_path):
    """A rotated set: the older half packed, the newer one beside it, and the older one again."""
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "access.20261121-040000.gz").write_bytes(gzip.compress(lines(0, 60)))
    (folder / "access").write_bytes(lines(60, 60))
    (folder / "copy-of-old").write_bytes(lines(0, 60))
    (folder / "notes.txt").write_text("remember the milk\n")
    return folder


def test_rows_wait_longer_while_logs_are_imported(tmp_path, monkeypatch, logs):
    waits = []

    class Watched(Batches):
        def hold_rows(self, db, source, operations):
            waits.append(self.wait_s)
            super().hold_rows(db, source, operations)

    monkeypatch.setattr("ldap_workbench.session.writer.Batches", Watched)
    with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
        import_logs([logs], writer)
        writer.add_operations(9, Scanner().feed(lines(0, 1)))
    assert set(waits[:-1]) == {BULK_WAIT_S}
    assert waits[-1] == WAIT_S


def test_a_rotated_set_is_one_window_in_its_order(run, logs):
    done, session = run(logs)
    with session:
        (window,) = [w for w in done.windows if w.name == "access"]
        found = session.operations(window)
        assert found.op.tolist() == list(range(120))
        assert found.etime_ns.tolist() == [1_000_000 + i for i in range(120)]
        source = session.operation_source(window)
        assert 'filter="(uid=u5)"' in session.raw_line(source, int(found.request_at[5]))
        assert 'filter="(uid=u99)"' in session.raw_line(source, int(found.request_at[99]))


def test_the_same_text_counts_once_and_every_file_left_out_is_named(run, logs):
    done, session = run(logs)
    session.close()
    why = {path.name: str(text) for path, text in done.left_out.items()}
    assert sum(source.samples for source in done.sources) == 120
    assert "notes.txt" in why
    assert any("same text" in text for text in why.values())


def test_a_span_is_cut_out(run, logs):
    done, session = run(
        logs / "access", start_ns=START + 70 * NS_PER_S, end_ns=START + 80 * NS_PER_S
    )
    with session:
        assert len(session.operations(done.windows[0])) == 10


def test_a_cut_off_archive_gives_what_it_has_and_says_so(run, logs):
    packed = gzip.compress(lines(0, 200))
    (logs / "access.20261121-040000.gz").write_bytes(packed[: len(packed) // 2])
    done, session = run(logs / "access.20261121-040000.gz")
    session.close()
    assert done.sources[0].state is SourceState.PARTIAL
    assert "cut off" in str(done.sources[0].why)


def test_what_is_no_log_is_refused_with_its_name(run, logs):
    with pytest.raises(LogError, match=r"notes\.txt"):
        run(logs / "notes.txt")
    with pytest.raises(LogError, match="does not exist"):
        run(logs / "nothing")


@pytest.mark.parametrize("packed", [False, True], ids=["as it is", "packed"])
def test_a_session_file_is_named_as_one(run, logs, packed, tmp_path):
    _, session = run(logs)
    session.close()
    whole = session.path.read_bytes()
    other = tmp_path / "other.ldapwb.zst"
    other.write_bytes(zstandard.compress(whole) if packed else whole)
    with pytest.raises(LogError) as caught:
        run(other)
    assert str(caught.value.what) == "A session file is opened, not imported."
    assert "unpacked first" in str(caught.value.remedy)
    done, _ = run(logs, other)
    assert "session file" in str(done.left_out[other]), "beside logs it is left out"


def test_the_heading_of_an_error_is_short_and_its_details_have_the_formats(run, logs):
    with pytest.raises(LogError) as caught:
        run(logs / "notes.txt")
    heading, details = str(caught.value.what), str(caught.value.details)
    assert heading == "No log could be used."
    assert len(str(caught.value.remedy)) < 100
    assert "notes.txt: " in details
    assert "It looks like text. The closest formats that can be read: 389 Directory" in details


def test_an_import_can_be_cancelled(run, logs):
    cancel = Cancel()
    cancel.set()
    with pytest.raises(CancelledError):
        run(logs, cancel=cancel)


DUMP = b"""Thread 2 (Thread 0x7f680c2b56c0 (LWP 11) "ns-slapd"):
#0  0x00007f6d14081332 in %s () from /lib64/libc.so.6
#1  0x00007f6d0f6b6bd2 in mdb_txn_renew0 () from /lib64/liblmdb.so
"""
IOSTAT = """Linux 5.1 (h) \t11/21/26 \t_x86_64_\t(4 CPU)

11/21/26 05:00:0{}
Device            r/s     w/s     rkB/s     wkB/s  aqu-sz  %util
sda              9.00    9.00      9.00      9.00    9.00   9.00

11/21/26 05:00:1{}
Device            r/s     w/s     rkB/s     wkB/s  aqu-sz  %util
sda              1.00    2.00      3.00      4.00    0.50  {}.00
sda1             1.00    2.00      3.00      4.00    0.50  77.00

"""


@pytest.fixture
def beside(tmp_path):
    """An access log of 04:00 to 04:02 UTC and files of other programs beside it."""
    folder = tmp_path / "beside"
    folder.mkdir()
    (folder / "access").write_bytes(lines(0, 120))
    return folder


def only(done, kind):
    (source,) = [source for source in done.sources if source.kind is kind]
    return source


def test_iostat_in_local_time_joins_its_window_without_its_reports_since_boot(run, beside):
    text = IOSTAT.format(0, 0, 20) + IOSTAT.format(5, 5, 40)
    (beside / "iostat.txt.xz").write_bytes(lzma.compress(text.encode()))
    clock = Clock(zone_offset_ns=3600 * NS_PER_S)
    done, session = run(beside, clock=clock)
    with session:
        (window,) = done.windows
        assert only(done, SourceKind.IOSTAT).window == window.id
        times, util = session.samples(window, "iostat:sda:util")
        assert util.tolist() == [20, 40]
        assert times.tolist() == [START + 10 * NS_PER_S, START + 15 * NS_PER_S]
        assert not [n for n in session.series_names(window) if "sda1" in n]
    reasons = only(done, SourceKind.IOSTAT).lines.reasons
    assert reasons["report since boot"] == 2
    assert reasons["partition: counted already"] == 2


def test_the_zone_of_local_times_is_that_of_the_access_log(run, beside):
    (beside / "access").write_bytes(lines(0, 120).replace(b"+0000]", b"+0200]"))
    (beside / "iostat.txt").write_text(IOSTAT.format(0, 0, 20).replace(" 05:00", " 04:00"))
    done, session = run(beside)
    with session:
        (window,) = done.windows
        times, _ = session.samples(window, "iostat:sda:util")
        assert times.tolist() == [START - 7200 * NS_PER_S + 10 * NS_PER_S]


def test_reports_without_a_time_stand_apart_unless_it_is_told(run, beside):
    text = "procs ---memory---\n r  b   swpd   free  us sy id wa st\n"
    text += " 1  0  0  9  1  2 97  0  0\n" * 4
    (beside / "vmstat").write_text(text)
    done, session = run(beside)
    session.close()
    source = only(done, SourceKind.VMSTAT)
    log, apart = done.windows
    assert (source.state, source.window, source.samples) == (SourceState.COMPLETE, apart.id, 3)
    assert "--began and --interval" in str(apart.remark)
    assert log.note == ""
    done, session = run(beside, clock=Clock(start_ns=START, interval_ns=5 * NS_PER_S))
    with session:
        times, idle = session.samples(done.windows[0], "vmstat:id")
        assert times.tolist() == [START, START + 5 * NS_PER_S, START + 10 * NS_PER_S]
        assert idle.tolist() == [97, 97, 97]


def test_stacks_of_numbered_files_are_one_series(run, beside):
    for number, call in ((1, b"fsync"), (2, b"fsync"), (10, b"fsync"), (11, b"read")):
        when = b"2026-11-21T04:00:%02dZ\n" % (number + 10)
        (beside / f"pstack-{number}.txt").write_bytes(when + DUMP % call)
    done, session = run(beside)
    with session:
        source = only(done, SourceKind.STACKS)
        assert source.details["files"] == [f"pstack-{n}.txt" for n in (1, 2, 10, 11)]
        (held,) = source.details["held"]
        assert (held["call"], held["dumps"], held["seconds"]) == ("fsync", 3, 9)
        assert source.details["dumps"][0]["time_ns"] == START + 11 * NS_PER_S
        assert source.details["dumps"][3]["threads"] == {"11": ["read", "mdb_txn_renew0"]}
        assert b"mdb_txn_renew0" in session.raw(source.id, 0, 1000)
        assert source.lines.unknown == 0


def test_histograms_are_kept_with_their_corrected_unit(run, beside):
    (beside / "stap.txt").write_text(
        "Distribution of op_shared_search latencies (in nanoseconds) for 13 samples\n"
        "value |-------------------------------------------------- count\n"
        "   16 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 12\n"
        "   32 |@@@@                                        1\n"
    )
    done, session = run(beside)
    session.close()
    source = only(done, SourceKind.HISTOGRAM)
    (histogram,) = source.details["histograms"]
    assert histogram["unit"] == "us"
    assert (histogram["low"], histogram["high"]) == ([16, 32], [32, 64])
    assert histogram["counts"] == [12, 1]
    assert "microseconds under a label of nanoseconds" in str(source.details["notes"][0])
    assert source.window == done.windows[0].id


MONITOR = """dn: cn=monitor
currenttime: 2026112104000{}Z
opscompleted: {}

dn: cn=monitor,cn=ldbm database,cn=plugins,cn=config
dbcachehits: {}

"""


def test_counters_and_settings_of_ldif_without_a_secret(run, beside):
    (beside / "monitor.ldif").write_text(MONITOR.format(1, 5, 7) + MONITOR.format(3, 9, 8))
    (beside / "dse.ldif").write_text(
        "dn: cn=config\nnsslapd-threadnumber: 24\nnsslapd-rootpw: {SSHA}hush\n\n"
        "dn: cn=monitor\nnsslapd-x: 1\n\n"
        "dn: cn=userRoot,cn=ldbm database,cn=plugins,cn=config\nnsslapd-cachememsize: 512000\n\n"
    )
    done, session = run(beside)
    with session:
        (window,) = done.windows
        times, values = session.samples(window, "cn=monitor:opscompleted")
        assert times.tolist() == [START + 1 * NS_PER_S, START + 3 * NS_PER_S]
        assert values.tolist() == [5, 9]
        entry = "cn=monitor,cn=ldbm database,cn=plugins,cn=config"
        assert session.samples(window, f"{entry}:dbcachehits")[1].tolist() == [7, 8]
        path = session.path
    settings = only(done, SourceKind.CONFIG).details["settings"]
    assert settings["nsslapd-threadnumber"] == "24"
    assert settings["nsslapd-cachememsize"] == "512000"
    assert b"hush" not in path.read_bytes()
    assert "hush" not in repr(done)


SLAPCAT = """dn: cn=config
objectClass: olcGlobal
cn: config
olcThreads: 8
createTimestamp: 20261121150804Z

dn: olcDatabase={-1}frontend,cn=config
olcDatabase: {-1}frontend
olcSortVals: member

dn: olcDatabase={0}config,cn=config
olcRootPW:: aHVzaA==
olcDbMaxSize: 1

dn: olcDatabase={1}mdb,cn=config
olcDatabase: {1}mdb
olcDbMaxSize: 1073741824
olcRootPW: hush

dn: olcDatabase={2}mdb,cn=config
olcDbMaxSize: 2
olcDbSearchStack: 16

"""


def test_settings_of_openldap_are_those_of_its_own_catalogue(run, beside):
    (beside / "slapcat.ldif").write_text(SLAPCAT)
    done, session = run(beside)
    session.close()
    source = only(done, SourceKind.CONFIG)
    assert source.details["settings"] == {
        "olcThreads": "8",
        "olcSortVals": "member",
        "olcDbMaxSize": "1073741824",
        "olcDbSearchStack": "16",
    }
    assert source.state is SourceState.COMPLETE, source.why
    assert b"hush" not in session.path.read_bytes()


def test_an_audit_log_is_kept_without_values(run, beside):
    (beside / "audit").write_text(
        "time: 20261121040005\ndn: cn=config\nresult: 0\nchangetype: modify\n"
        "replace: nsslapd-rootpw\nnsslapd-rootpw: hush\n-\n\n"
    )
    done, session = run(beside)
    with session:
        source = only(done, SourceKind.AUDIT_LOG)
        text = session.raw(source.id, 0, 10_000)
        assert b"nsslapd-rootpw" in text
        assert b"hush" not in text
        assert source.details["first_ns"] == START + 5 * NS_PER_S


def test_slapd_lines_inside_docker_records(run, tmp_path):
    inner = [
        "6b010435.0d4cd4da 0x7f5d conn=1000 fd=11 ACCEPT from IP=127.0.0.1:4 (IP=0.0.0.0:389)\n",
        'conn=1000 op=0 SRCH base="" scope=0 deref=0 filter="(cn=a)"\n',
        "6b010435.1d4cd4da 0x7f5d conn=1000 op=0 SEARCH RESULT tag=101 err=0 ",
        "qtime=0.000006 etime=0.000155 nentries=1 text=\n",
    ]
    time = "2026-11-21T02:20:00.151797648Z"
    records = [{"log": line, "stream": "stderr", "time": time} for line in inner]
    path = tmp_path / "slapd-json.log"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    done, session = run(path)
    with session:
        (window,) = done.windows
        found = session.operations(window)
        assert found.etime_ns.tolist() == [155_000]
        asked = session.raw_line(done.sources[0].id, int(found.request_at[0]))
        assert asked == f"{time} {inner[1].strip()}"
    assert (done.sources[0].lines.understood, done.sources[0].lines.unknown) == (3, 0)


def test_files_without_an_access_log_have_a_window_of_their_own(run, beside):
    (beside / "access").unlink()
    (beside / "iostat.txt").write_text(IOSTAT.format(0, 0, 20))
    done, session = run(beside)
    with session:
        (window,) = done.windows
        assert window.start_ns == START + 3610 * NS_PER_S
        assert len(session.operations(window)) == 0
        assert session.samples(window, "iostat:sda:util")[1].tolist() == [20]


DISKS = (
    b"Linux 5.14 (host) \t11/21/2026 \t_x86_64_\t(2 CPU)\n\n"
    b"Device            r/s     rkB/s   r_await\nsda              1.00     24.43      0.43\n"
)


@pytest.mark.parametrize(
    ("text", "said", "doubt"),
    [
        (lines(0, 5), "unboundid", "Its content looks like: 389 Directory Server access log."),
        (DISKS, "389", "Its content looks like: iostat of sysstat."),
        (b"remember the milk\n" * 3, "389", "3 of 3 lines are unknown."),
    ],
)
def test_what_is_not_what_somebody_says_is_refused_with_the_doubt(run, tmp_path, text, said, doubt):
    (tmp_path / "log").write_bytes(text)
    with pytest.raises(LogError, match=doubt):
        run(tmp_path / "log", dialect=said)


def test_what_somebody_says_a_log_is_stands(run, tmp_path):
    (tmp_path / "log").write_bytes(lines(0, 5))
    done, session = run(tmp_path / "log", dialect="389")
    session.close()
    (source,) = done.sources
    assert (source.dialect, source.samples) == ("389", 5)
    assert str(source.details["reason"]) == "you said so."
    assert source.details["notes"] == []


def test_what_is_said_of_a_folder_is_said_of_its_logs_and_unknown_files_alone(run, beside):
    (beside / "iostat.txt").write_bytes(DISKS)
    (beside / "errors").write_text("[21/Nov/2026:05:00:05 +0100] - ERR - libdb: DB_LOCK_DEADLOCK\n")
    (beside / "notes").write_text("remember the milk\n")
    (beside / "empty").write_text("\n")
    done, session = run(beside, dialect="sun")
    session.close()
    assert {source.name: source.dialect for source in done.sources} == {
        "access": "sun",
        "notes": "sun",
        "iostat.txt": "iostat-linux",
        "errors": "errors389",
    }
    assert [path.name for path in done.left_out] == ["empty"]


def test_a_dialect_nobody_knows_is_refused_with_those_there_are(run, logs):
    with pytest.raises(UsageError, match="klingon") as caught:
        run(logs, dialect="klingon")
    assert "openldap" in str(caught.value.remedy)
