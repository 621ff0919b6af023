"""A log is followed through every kind of rotation, run by a real shell on real files."""

import gzip
import os
import shutil
import subprocess
import threading
import time
from itertools import chain, repeat
from types import SimpleNamespace

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from ldap_workbench.capture import host_link
from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.live import follow, looks
from ldap_workbench.capture.live.accesslog import detect_current_format
from ldap_workbench.capture.live.follow import LogFollower
from ldap_workbench.capture.live.looks import Look, LookReader, Pace
from ldap_workbench.capture.past.host_scripts import MOST, MOVED
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import CommandError, ConnectError
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.target import TargetFacts


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "access"
    path.write_bytes(b"old\n")
    return path


@pytest.fixture
def follower(log):
    return following(log)


def following(log, shell=LocalShell, *, dialect="unknown", patience=0.0):
    follower = LogFollower(HostLink(shell, Cancel(), patience), str(log), poll_s=0.1)
    follower.start()
    follower.read_as(dialect)
    return follower


def append(path, text):
    with path.open("ab") as file:
        file.write(text)


def rotate(log, stamp):
    log.rename(f"{log}.20261121-{stamp:06d}")
    log.write_bytes(b"")


def test_only_what_is_new_is_read(log, follower):
    assert follower.read() == b""
    append(log, b"one\n")
    assert follower.read() == b"one\n"
    append(log, b"two\nthr")
    append(log, b"ee\n")
    assert follower.read() == b"two\nthree\n"


def test_nothing_is_lost_or_doubled_over_a_rotation(log, follower):
    append(log, b"a\n")
    rotate(log, 1)
    append(log, b"b\n")
    assert follower.read() == b"a\nb\n"
    assert (follower.rotations, follower.gaps) == (1, 0)


def test_several_rotations_between_two_reads_keep_their_order(log, follower):
    append(log, b"a\n")
    for stamp in range(3):
        rotate(log, stamp)
        append(log, b"%d\n" % stamp)
    assert follower.read() == b"a\n0\n1\n2\n"
    append(log, b"z\n")
    assert follower.read() == b"z\n"
    assert (follower.rotations, follower.gaps) == (3, 0)


def test_a_file_that_was_deleted_unread_is_a_gap(log, follower):
    append(log, b"lost\n")
    rotate(log, 1)
    os.remove(f"{log}.20261121-000001")
    append(log, b"b\n")
    rotate(log, 2)
    append(log, b"c\n")
    assert follower.read() == b"b\nc\n"
    assert follower.gaps == 1


def at(clock, number, year=2026):
    words = b'conn=1 op=%d SRCH base="dc=x" scope=2 filter="(a=b)" attrs=ALL' % number
    return b"[21/Nov/%d:%s.000000000 +0000] %s\n" % (year, clock, words)


def test_a_text_that_was_read_is_not_read_again_where_the_clock_was_set_back(tmp_path):
    """By their first lines the file of before the step comes after that of behind it."""
    log = tmp_path / "access"
    log.write_bytes(at(b"12:00:00", 1))
    follower = following(log, dialect="389")
    append(log, at(b"12:00:10", 2))
    rotate(log, 1)
    append(log, at(b"11:59:41", 3))
    assert follower.read() == at(b"12:00:10", 2) + at(b"11:59:41", 3)
    append(log, at(b"11:59:42", 4))
    rotate(log, 2)
    append(log, at(b"11:59:43", 5))
    assert follower.read() == at(b"11:59:42", 4) + at(b"11:59:43", 5)
    assert (follower.rotations, follower.gaps) == (2, 0)


def test_a_text_that_was_read_is_not_read_again_from_another_file(tmp_path):
    """Behind a file that was deleted: the log's times are ahead of those of its files."""
    log = tmp_path / "access"
    log.write_bytes(at(b"12:00:00", 1, 2092))
    follower = following(log, dialect="389")
    rotate(log, 1)
    append(log, b"389-Directory/2.3.1\n")
    assert follower.read() == b"389-Directory/2.3.1\n"
    old = tmp_path / "access.20261121-000001"
    shutil.copy(old, tmp_path / "access.20261121-000003")
    old.unlink()
    log.unlink()
    log.write_bytes(at(b"12:00:30", 3, 2092))
    assert follower.read() == at(b"12:00:30", 3, 2092)
    assert follower.gaps == 1


def test_files_rotated_long_ago_are_not_read(log):
    rotate(log, 1)
    follower = following(log)
    append(log, b"a\n")
    log.unlink()
    log.write_bytes(b"b\n")
    assert b"old" not in follower.read()


@pytest.mark.parametrize("packer", ["", "zstd", "gzip"])
def test_large_appends_come_in_several_looks(log, follower, packer):
    text = b"".join(b"line %d of many\n" % number for number in range(300_000))
    assert len(text) > 2 * MOST
    follower.packer = packer
    append(log, text)
    rotate(log, 1)
    append(log, text)
    assert follower.read() == text + text
    assert follower.bytes_read == 2 * len(text)


def packed(path, program="gzip"):
    """As logrotate leaves it: the copy is as old as the file was."""
    found = path.stat()
    subprocess.run([program, "-q", *(["--rm"] if program == "zstd" else []), path], check=True)
    copy = next(path.parent.glob(f"{path.name}.*"))
    os.utime(copy, ns=(found.st_atime_ns, found.st_mtime_ns))


LINE = b"[21/Nov/2026:02:%02d:%02d.000000001 +0000] conn=%d op=0 UNBIND\n"


def minute(number):
    return b"".join(LINE % (number, second, number) for second in range(60))


@pytest.mark.parametrize("program", ["gzip", "xz", "zstd", "bzip2"])
def test_files_rotated_and_packed_while_nobody_looked_are_read_whole(log, program):
    log.write_bytes(b"\t389-Directory/2.3.1\n" + minute(1))
    follower = following(log, dialect="389")
    append(log, minute(2))
    for stamp in range(3, 6):
        rotate(log, stamp)
        append(log, minute(stamp))
    for stamp in (3, 5):
        packed(log.with_name(f"access.20261121-{stamp:06d}"), program)
    assert follower.read() == b"".join(map(minute, range(2, 6)))
    assert (follower.rotations, follower.gaps) == (3, 0)


def test_a_log_copied_and_cut_short_is_read_on_in_the_copy(log):
    log.write_bytes(minute(1))
    follower = following(log, dialect="389")
    append(log, minute(2))
    shutil.copy(log, f"{log}.1")
    log.write_bytes(b"")
    append(log, minute(3)[:1000])
    assert follower.read() == minute(2) + minute(3)[:1000]
    assert follower.gaps == 0


def test_a_packed_file_in_the_making_is_not_read_for_the_whole(log):
    log.write_bytes(minute(1))
    follower = following(log, dialect="389")
    append(log, minute(2))
    rotate(log, 1)
    whole = gzip.compress(minute(1) + minute(2))
    log.with_name("access.20261121-000001.gz").write_bytes(whole[: len(whole) // 2])
    append(log, minute(3))
    assert follower.read() == minute(2) + minute(3)
    assert follower.gaps == 0


def test_the_files_behind_a_gap_are_read(log):
    log.write_bytes(minute(1))
    follower = following(log, dialect="389")
    rotate(log, 1)
    append(log, minute(2))
    rotate(log, 2)
    append(log, minute(3))
    os.remove(f"{log}.20261121-000001")
    packed(log.with_name("access.20261121-000002"))
    assert follower.read() == minute(2) + minute(3)
    assert follower.gaps == 1
    append(log, minute(4))
    assert follower.read() == minute(4)
    assert follower.gaps == 1


def test_a_line_written_late_into_a_rotated_file_is_waited_for(log, follower):
    """rsyslog writes on into the renamed file until it is told of the rotation."""
    found, stop = [], Cancel()

    def take(text):
        found.append(text)
        if b"first of the next" in b"".join(found):
            stop.set()

    thread = threading.Thread(target=follower.follow, args=(take, stop))
    with log.open("ab", buffering=0) as file:
        thread.start()
        log.rename(f"{log}.1")
        file.write(b"renamed\n")
        log.write_bytes(b"")
        file.write(b"late\n")
    append(log, b"first of the next\n")
    thread.join(60)
    assert b"".join(found) == b"renamed\nlate\nfirst of the next\n"


OTHER_CUTS = [(1, "zstd"), (60, ""), (120, "zstd")]
"""Each place of a cut and each way of packing is in every run, not each of both together."""


class Cutting(LocalShell):
    """Its link breaks after so many bytes of each stream, `cuts` times."""

    def __init__(self, cuts, after, between=lambda: None):
        super().__init__()
        self.cuts = cuts
        self.after = after
        self.between = between

    def stream(self, argv, on_bytes, *, cancel, sudo=False):
        if not self.cuts:
            return super().stream(argv, on_bytes, cancel=cancel, sudo=sudo)
        left = self.after

        def some(data):
            nonlocal left
            on_bytes(data[:left])
            left -= len(data)
            if left <= 0:
                self.cuts.pop()
                self.between()
                raise ConnectError("The link broke.")

        return super().stream(argv, some, cancel=cancel, sudo=sudo)


@pytest.mark.parametrize(
    ("after", "packer"),
    [
        *((1, ""), (60, "zstd"), (120, "")),
        *(pytest.param(*each, marks=pytest.mark.full) for each in OTHER_CUTS),
    ],
)
def test_a_cut_anywhere_loses_and_doubles_nothing(log, after, packer):
    log.write_bytes(minute(1))
    cuts = [1] * 5
    numbers = iter(range(3, 60))

    def meanwhile():
        stamp = next(numbers)
        rotate(log, stamp)
        append(log, minute(stamp))
        if stamp % 2:
            packed(log.with_name(f"access.20261121-{stamp:06d}"))

    follower = following(log, lambda: Cutting(cuts, after, meanwhile), dialect="389", patience=60)
    follower.packer = packer
    append(log, minute(2))
    found = follower.read()
    assert not cuts
    assert found == b"".join(map(minute, range(2, next(numbers))))
    assert follower.gaps == 0
    assert 1 <= follower.link.cuts <= 5


def test_a_link_that_stays_cut_is_given_up_when_patience_ends(log):
    cuts = [1] * 99
    follower = following(log, lambda: Cutting(cuts, 0), patience=1.0)
    append(log, b"more\n")
    with pytest.raises(ConnectError, match="The link broke"):
        follower.read()


class Silent(LocalShell):
    """A link that is half open: it takes everything and says nothing."""

    def stream(self, argv, on_bytes, *, cancel, sudo=False):
        while not cancel:
            time.sleep(0.01)
        return CommandResult(-15, b"", b"")


def test_a_silent_link_is_taken_for_cut(log, monkeypatch):
    monkeypatch.setattr(host_link, "_FIRST_S", 1.0)
    monkeypatch.setattr(follow, "SILENCE_S", 1.0)
    shells = chain([LocalShell, Silent], repeat(LocalShell))
    follower = following(log, lambda: next(shells)(), patience=60)
    follower.link.close()
    append(log, b"more\n")
    assert follower.read() == b"more\n"
    assert follower.link.cuts >= 1


def test_a_workbench_that_was_stopped_does_not_take_its_sleep_for_silence(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(host_link.time, "monotonic", lambda: now[0])
    watch = host_link._Silence(Cancel(), 10.0)
    watch.heard()
    now[0] += 3600
    assert not watch
    for _ in range(12):
        now[0] += 1
        watch.heard() if now[0] < 3602 else None
        silent = bool(watch)
    assert silent


class NeverStill(LocalShell):
    """A host on which the log is another file whenever somebody begins to read it."""

    def __init__(self, still):
        super().__init__()
        self.still = still

    def stream(self, argv, on_bytes, *, cancel, sudo=False):
        if self.still.is_set():
            return super().stream(argv, on_bytes, cancel=cancel, sudo=sudo)
        return CommandResult(MOVED, b"", b"")


def test_a_log_that_is_never_still_is_given_up(log, monkeypatch):
    monkeypatch.setattr(follow, "_LOST_S", 0.4)
    still = threading.Event()
    still.set()
    follower = following(log, lambda: NeverStill(still))
    append(log, b"one\n")
    assert follower.read() == b"one\n"
    still.clear()
    with pytest.raises(CommandError, match="renamed or packed under every attempt"):
        follower.read()


def test_a_log_that_is_idle_for_longer_is_not(log, monkeypatch):
    """By a clock that goes on by ten seconds whenever something is handed on."""
    follower, stop, pieces = following(log), Cancel(), []
    monkeypatch.setattr(follow, "time", SimpleNamespace(monotonic=lambda: 10.0 * len(pieces)))
    thread = threading.Thread(target=follower.follow, args=(pieces.append, stop))
    thread.start()
    while len(pieces) < 10:  # looks, a tenth of a second apart
        thread.join(0.01)
        assert thread.is_alive()
    rotate(log, 2)
    append(log, b"first of the next\n")
    while b"".join(pieces) != b"first of the next\n":
        thread.join(0.01)
        assert thread.is_alive()
    stop.set()
    thread.join(30)


@settings(deadline=None)
@given(
    st.lists(st.binary(max_size=300), max_size=6), st.sampled_from(["", "zstd", "gzip"]), st.data()
)
def test_looks_come_out_alike_however_they_are_cut(texts, packer, data):
    stream, end = b"", 0
    for text in texts:
        end += len(text)
        stream += b"%d 5 %d %d 7 8\n" % (len(text), end, end + 3)
        if text:
            argv = {"zstd": zstandard.compress, "gzip": gzip.compress, "": bytes}[packer]
            stream += argv(b"12345" + text)
    looks, before, found, ends = [], [], [], []
    on_end = lambda: ends.append(b"".join(found))  # noqa: E731
    reader = LookReader("/log", packer, looks.append, before.append, found.append, on_end)
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        reader.feed(stream[:size])
        stream = stream[size:]
    assert b"".join(found) == b"".join(texts)
    assert before == [b"12345"] * sum(bool(text) for text in texts)
    assert [look.count for look in looks] == [len(text) for text in texts]
    assert ends == [b"".join(texts[: n + 1]) for n in range(len(texts))]


@pytest.mark.parametrize("line", [b"Welcome to this host", b"1 2 3", b"1 2 3 4 5 6 7", b"5,5"])
def test_a_look_that_is_not_understood_is_said_to_be_that(line):
    ignore = lambda _: None  # noqa: E731
    reader = LookReader("/log", "", ignore, ignore, ignore, lambda: None)
    reader.feed(line[:2])
    with pytest.raises(CommandError, match=r"prints '.+', which is not understood"):
        reader.feed(line[2:] + b"\n")


def test_a_link_slower_than_the_log_is_seen_and_said(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(looks.time, "monotonic", lambda: now[0])
    pace = Pace()
    pace.looked(Look(1000, 0, 1000, 1000, 1, 1))
    pace.took(1000)
    pace.ended()
    assert pace.at_end
    end = 1000
    for second in range(6):  # 400 a second come, 1200 are written
        size = 1000 + 1200 * (second + 1)
        end += 400
        pace.looked(Look(400, 9, end, size, 2, 2 + second))
        now[0] += 1
        pace.took(400)
        pace.ended()
    assert pace.slow
    assert pace.link_rate == pytest.approx(400, rel=0.2)
    assert pace.log_rate == pytest.approx(1200, rel=0.1)
    assert pace.behind == 1000 + 7200 - end


def test_a_log_that_cannot_be_read_is_said(tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        following(tmp_path / "none" / "access")


def shift(log, names):
    """As logrotate and slapd do it: each rotated file takes the next name, the log the first."""
    for older, newer in zip(reversed(names), [*reversed(names[:-1]), ""], strict=True):
        now = log.with_name(log.name + newer)
        if now.exists():
            now.rename(log.with_name(log.name + older))
    log.write_bytes(b"")


@pytest.mark.parametrize("names", [[".01", ".02", ".03"], [".1", ".2", ".3"]])
def test_a_log_rotated_twice_by_number_is_read_in_order(log, follower, names):
    shift(log, names)
    append(log, b"first\n")
    shift(log, names)
    append(log, b"second\n")
    assert follower.read() == b"first\nsecond\n"
    assert follower.gaps == 0
    append(log, b"third\n")
    assert follower.read() == b"third\n"


def test_a_log_that_is_moved_to_a_date_is_followed(log, follower):
    append(log, b"before\n")
    log.rename(log.with_name("access-20261121"))
    log.write_bytes(b"after\n")
    assert follower.read() == b"before\nafter\n"


def test_packed_files_and_lists_beside_the_log_are_no_log(log, follower):
    log.with_name("access.2.gz").write_bytes(b"\x1f\x8b")
    log.with_name("access.rotationinfo").write_bytes(b"LOGINFO:...")
    append(log, b"before\n")
    shift(log, [".1", ".2"])
    append(log, b"after\n")
    assert follower.read() == b"before\nafter\n"


def test_the_last_whole_lines_before_the_place(log):
    log.write_bytes(b"first line\nsecond line\nthird")
    follower = following(log)
    append(log, b" and later\n")
    assert follower.last(1000) == b"first line\nsecond line\nthird"
    assert follower.last(10) == b"third"
    assert follower.read() == b" and later\n"


@pytest.mark.parametrize(
    ("product", "text", "dialect", "reason"),
    [
        ("389", b"", "389", "There is no text in it. It is what 389 writes."),
        ("OpenLDAP", b"", "openldap", "There is no text in it. It is what OpenLDAP writes."),
        (
            "OpenLDAP",
            b"kernel: nothing of slapd's\n",
            "openldap",
            "Its only line matches no known format. It is what OpenLDAP writes.",
        ),
        (
            "389",
            b'{"local_time":"2026-11-21","operation":"SEARCH","conn_id":1}\n' * 9,
            "389-json",
            "9 of its last 9 lines match it.",
        ),
        (
            "389",
            b"6b017f37.2efdf91a 0x7f46 conn=1 op=1 SRCH base=\n" * 9,
            "openldap",
            "9 of its last 9 lines match it.",
        ),
    ],
)
def test_the_dialect_is_seen_in_the_log_before_the_product_is_believed(
    log, product, text, dialect, reason
):
    log.write_bytes(text)
    follower = following(log)
    found = detect_current_format(follower.last(1000), TargetFacts("p", product, "1", "h"))
    assert (found.dialect, str(found.reason), str(found.doubt)) == (dialect, reason, "")


def test_looks_that_come_later_and_later_show_a_slow_link_behind_full_buffers(monkeypatch):
    """The host is done with each look at once: what is on its way hides how slow the line is."""
    now = [100.0]
    monkeypatch.setattr(looks.time, "monotonic", lambda: now[0])
    pace, end = Pace(), 0
    for second in range(5):
        end += 1200
        pace.looked(Look(1200, 9, end, end, second, second))
        for _ in range(6):
            now[0] += 0.5
            pace.took(200)
        pace.ended()
    assert pace.late_s == pytest.approx(8)
    assert not pace.at_end
    assert pace.slow
    assert pace.link_rate == pytest.approx(400, rel=0.2)
    assert pace.log_rate == pytest.approx(1200, rel=0.2)
