"""Times of syslog, without year and zone, are completed by the file's age and the host's zone."""

import gzip
import os
from datetime import UTC, datetime, timedelta
from functools import cache
from types import SimpleNamespace

import pytest

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.capture.live import starting
from ldap_workbench.capture.past.fetching import fetch
from ldap_workbench.capture.past.host_files import printed_zone
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.model.message import from_json
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

S = 10**9


def ns(*date):
    return int(datetime(*date, tzinfo=UTC).timestamp()) * S


@cache
def slapd(start, count, step_s=1):
    """A search each step, in local time as syslog prints it."""
    found = []
    for i in range(count):
        words = (
            f"{start + timedelta(seconds=i * step_s):%b %e %H:%M:%S} h slapd[7]: conn=1000 op={i}"
        )
        found += [
            f'{words} SRCH base="dc=x" scope=2 deref=0 filter="(uid=u{i})"',
            f"{words} SEARCH RESULT tag=101 err=0 qtime=0.000001 etime=0.001000 nentries=1 text=",
        ]
    return "".join(f"{line}\n" for line in found).encode()


def write(path, data, *written):
    path.write_bytes(data)
    os.utime(path, ns=(0, ns(*written)))
    return path


@pytest.fixture
def run(tmp_path):
    def run(folder, **options):
        path = tmp_path / "s.ldapwb"
        with SessionWriter.create(path) as writer:
            done = import_logs([folder], writer, **options)
        with Session.open(path) as session:
            operations = session.operations(done.windows[0])
        return done, operations

    return run


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


def test_a_log_of_december_read_in_january_is_of_the_year_before(run, folder):
    write(folder / "slapd.log", slapd(datetime(2023, 12, 30, 8), 60), 2023, 12, 31, 1)
    write(folder / "later.log", slapd(datetime(2023, 12, 30, 9), 60), 2024, 1, 9)
    done, _ = run(folder)
    assert {w.start_ns // S for w in done.windows} == {
        ns(2023, 12, 30, 8) // S - 1,
        ns(2023, 12, 30, 9) // S - 1,
    }
    (note,) = map(str, done.sources[0].details["notes"])
    assert "neither year nor zone" in note
    assert "2023 in UTC." in note


def test_rotated_files_go_from_year_to_year_in_their_order(run, folder):
    write(folder / "slapd.log", slapd(datetime(2024, 1, 2), 5), 2024, 1, 2, 1)
    write(folder / "slapd.log.1", slapd(datetime(2023, 12, 31, 23, 59, 50), 20), 2024, 1, 1, 1)
    write(folder / "slapd.log.2", slapd(datetime(2023, 6, 1), 5), 2023, 6, 2)
    write(folder / "slapd.log.3", slapd(datetime(2022, 11, 1), 5), 2022, 11, 2)
    done, operations = run(folder)
    ends = operations.end_ns.tolist()
    assert ends == sorted(ends)
    assert [ends[0], ends[5], ends[10], ends[-1]] == [
        ns(2022, 11, 1),
        ns(2023, 6, 1),
        ns(2023, 12, 31, 23, 59, 50),
        ns(2024, 1, 2, 0, 0, 4),
    ]
    assert done.sources[0].details["clock_steps_back"] == 0


def test_the_zone_that_was_said_moves_times_of_syslog(run, folder):
    write(folder / "slapd.log", slapd(datetime(2026, 3, 1, 12), 3), 2026, 3, 1, 12)
    done, operations = run(folder, clock=Clock(-5 * 3600 * S))
    assert int(operations.end_ns[0]) == ns(2026, 3, 1, 17)
    assert "2026 in UTC-05:00." in str(done.sources[0].details["notes"][0])


@pytest.mark.parametrize("dialect", ["slapd", "json"])
def test_the_zone_that_was_said_moves_times_that_show_none(run, folder, dialect):
    line = "2026-03-01 12:00:00.5 h slapd[1]: conn=1 op=1 "
    text = line + 'DEL dn="cn=a"\n' + line + "RESULT tag=107 err=0 etime=0.000155 text=\n"
    if dialect == "json":
        head = '{"local_time":"2026-03-01T12:00:00.5","conn_id":1,"op_id":1,"operation":'
        text = head + '"RESULT","tag":107,"err":0,"nentries":0,"etime":"0.000155"}\n'
    (folder / "log").write_text(text)
    done, operations = run(folder, clock=Clock(-5 * 3600 * S))
    assert int(operations.end_ns[0]) == ns(2026, 3, 1, 17) + S // 2
    [note] = map(str, done.sources[0].details["notes"])
    assert note.startswith(
        "The times in this log show no zone: they are read as of UTC-05:00. If that is not so"
    )
    assert "--zone" in note


def test_a_leap_day_is_in_a_leap_year(run, folder):
    write(folder / "slapd.log", slapd(datetime(2024, 2, 29), 3), 2026, 3, 1)
    _, operations = run(folder)
    assert int(operations.end_ns[0]) == ns(2024, 2, 29)


def test_the_zone_of_slapd_s_own_times_completes_those_of_iostat(run, folder):
    line = "2026-11-21T02:20:00.5+01:00 h slapd[7]: conn=1 op=1 "
    text = line + 'SRCH base="" scope=0 deref=0 filter="(a=b)"\n'
    text += line + "SEARCH RESULT tag=101 err=0 qtime=0.000001 etime=0.001000 nentries=1 text=\n"
    (folder / "slapd.log").write_text(text)
    (folder / "iostat.txt").write_text(
        "Linux 6 (h) \t11/21/2026 \t_x86_64_\t(2 CPU)\n\n"
        + "".join(
            f"11/21/2026 02:20:0{i} AM\nDevice r/s w/s %util\nvda 1.0 2.0 {i}.0\n\n"
            for i in range(3)
        )
    )
    done, _ = run(folder)
    assert {s.window for s in done.sources} == {done.windows[0].id}


@pytest.fixture
def bring(tmp_path, monkeypatch):
    """A host in the east whose syslog goes over the turn of a year."""
    monkeypatch.setenv("TZ", "EAST-03:00")
    folder = tmp_path / "host"
    folder.mkdir()
    log = folder / "slapd.log"

    def bring(parts, start_ns, end_ns):
        for name, data, written in parts:
            packed = gzip.compress(data, 1) if name.endswith(".gz") else data
            write(folder / name, packed, *written)
        target = SimpleNamespace(
            profile=SimpleNamespace(access_log=str(log)),
            facts=SimpleNamespace(access_log=None),
            another_shell=LocalShell,
            now_ns=lambda: end_ns + 3600 * S,
        )
        path = tmp_path / "f.ldapwb"
        with SessionWriter.create(path) as writer:
            window = fetch(target, writer, start_ns, end_ns)
        with Session.open(path) as session:
            return session.sources(window.id)[0], session.operations(window)

    return bring


@pytest.mark.parametrize("name", ["slapd.log", "slapd.log-20260105.gz"])
@pytest.mark.parametrize("moment", [(2025, 12, 31, 20, 59), (2026, 1, 1, 3)])
def test_a_window_is_found_on_both_sides_of_the_turn_of_a_year(bring, name, moment):
    # Ten days, local time, one search every twenty seconds: some 7 MB.
    data = slapd(datetime(2025, 12, 27), 43_200, 20)
    parts = [(name, data, (2026, 1, 6))]
    if name != "slapd.log":
        parts.append(("slapd.log", slapd(datetime(2026, 1, 6), 10), (2026, 1, 6, 1)))
    start = ns(*moment)
    source, operations = bring(parts, start, start + 60 * S)
    assert len(operations) == 3, source.why
    assert source.details["bytes"] < len(data) / 4
    assert "in UTC+03:00." in str(from_json(source.details["notes"][0]))


def test_a_capture_asks_the_host_for_its_zone_and_the_server_for_the_year(monkeypatch):
    monkeypatch.setenv("TZ", "WEST+05:30")
    clock = SimpleNamespace(_target=SimpleNamespace(now_ns=lambda: ns(2026, 1, 1, 5)))
    asked = starting.Sources._year_and_zone(clock, LocalShell())
    assert asked == (2025, -(5 * 60 + 30) * 60 * S)


@pytest.mark.parametrize(
    ("text", "minutes"), [("+0100", 60), ("-03:30\n", -210), ("", 0), ("date: no such option", 0)]
)
def test_the_zone_that_date_prints(text, minutes):
    assert printed_zone(text) == minutes * 60 * S
