"""The mark on the host: of another laptop it keeps us away, of our own crash it does not."""

from __future__ import annotations

import errno
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from ldap_workbench.connect.local import LocalShell
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.experiment import announcement
from ldap_workbench.experiment.announcement import LASTS_S, Announcement
from ldap_workbench.model.errors import ChangeError, CommandError, ConnectError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel


class Host:
    """A target on this machine, of an instance of the test's own."""

    def __init__(self) -> None:
        self.facts = SimpleNamespace(identity=secrets.token_hex(16), simulated=False)
        self.reachable = True

    def another_shell(self) -> LocalShell:
        if not self.reachable:
            raise ConnectError("There is no way.")
        return LocalShell()


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[set[Path]]:
    """The marks there are that were not there before."""
    sit_at(tmp_path / "laptop", monkeypatch)
    found: set[Path] = set()
    yield found
    for path in found:
        if path.exists():
            path.rmdir()


def sit_at(laptop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(laptop))


def mark_of(announcement: Announcement) -> Path:
    return Path(announcement._ours)


def until_gone(mark: Path) -> None:
    """The host takes it away by itself when the channel is closed."""
    deadline = time.monotonic() + 60
    while mark.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_it_is_there_while_the_experiment_lasts(host: Host, marks: set[Path]) -> None:
    with Announcement(host) as ours:  # type: ignore[arg-type]
        marks.add(mark_of(ours))
        assert mark_of(ours).is_dir()
    until_gone(mark_of(ours))


def test_another_laptop_is_kept_away(
    host: Host, marks: set[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Announcement(host) as ours:  # type: ignore[arg-type]
        marks.add(mark_of(ours))
        sit_at(tmp_path / "another", monkeypatch)
        theirs = Announcement(host)  # type: ignore[arg-type]
        with pytest.raises(ChangeError, match=r"Another workbench .*: login \w+, \d+ s ago"):
            theirs.__enter__()
        until_gone(mark_of(theirs))
    until_gone(mark_of(ours))
    with theirs.__class__(host) as theirs:  # type: ignore[arg-type]
        theirs.check()


def test_a_mark_that_is_not_renewed_expires(
    host: Host, marks: set[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashed = mark_of(Announcement(host))  # type: ignore[arg-type]
    crashed.mkdir()
    marks.add(crashed)
    sit_at(tmp_path / "another", monkeypatch)
    with pytest.raises(ChangeError, match="Another workbench"):
        Announcement(host).__enter__()  # type: ignore[arg-type]
    old = time.time() - LASTS_S - 1
    os.utime(crashed, (old, old))
    with Announcement(host):  # type: ignore[arg-type]
        pass


def test_the_mark_of_our_own_crash_keeps_nobody_of_us_away(host: Host, marks: set[Path]) -> None:
    crashed = mark_of(Announcement(host))  # type: ignore[arg-type]
    crashed.mkdir()
    with Announcement(host):  # type: ignore[arg-type]
        assert crashed.exists()
    until_gone(crashed)
    assert not crashed.exists()


def test_a_link_in_its_place_is_not_followed(host: Host, marks: set[Path], tmp_path: Path) -> None:
    place = mark_of(Announcement(host))  # type: ignore[arg-type]
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    os.utime(theirs, (1, 1))
    place.symlink_to(theirs)
    try:
        with Announcement(host):  # type: ignore[arg-type]
            assert theirs.stat().st_mtime == 1
    finally:
        place.unlink()


@pytest.mark.parametrize("lacking", ["host", "identity", "reality"])
def test_where_there_is_no_place_for_it_nothing_is_wrong(host: Host, lacking: str) -> None:
    host.reachable = lacking != "host"
    host.facts.identity = "" if lacking == "identity" else host.facts.identity
    host.facts.simulated = lacking == "reality"
    with Announcement(host) as ours:  # type: ignore[arg-type]
        ours.check()
        assert not mark_of(ours).exists()


def test_a_full_disk_is_said_and_leaves_no_half_a_name(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sit_at(tmp_path / "laptop", monkeypatch)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        with pytest.raises(ChangeError, match=r"holder cannot be written: No space left") as caught:
            Announcement(host)
    assert str(caught.value.safe) == "Nothing was changed."
    assert not list((tmp_path / "laptop" / "state").iterdir())
    Announcement(host)
    assert len((tmp_path / "laptop" / "state" / "holder").read_text()) == 16


class Line:
    """A link to a host that says `heard` and stays up, or breaks with an error or a status."""

    def __init__(self, heard: bytes = b".", broken: Exception | int | None = None) -> None:
        self.heard, self.broken = heard, broken
        self.argv: list[str] = []
        self.closed = 0

    def stream(
        self, argv: list[str], hear: Callable[[bytes], None], *, cancel: Cancel
    ) -> CommandResult:
        self.argv = argv
        if isinstance(self.broken, Exception):
            raise self.broken
        if self.broken is None:
            for piece in self.heard.split(b"|"):
                hear(piece)
            cancel.wait(60)
        return CommandResult(self.broken or 0, b"", b"")

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def line_of(marks: set[Path], host: Host, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Line]:
    """Lets the host have such a link."""
    monkeypatch.setattr(announcement, "_ANSWER_S", 60)

    def lay(*words: object) -> Line:
        line = Line(*words)  # type: ignore[arg-type]
        monkeypatch.setattr(host, "another_shell", lambda: line)
        return line

    return lay


def test_the_link_of_the_mark_is_closed_with_it(host: Host, line_of: Callable[..., Line]) -> None:
    line = line_of()
    with Announcement(host) as ours:  # type: ignore[arg-type]
        assert line.closed == 0
        assert line.argv[4:] == [str(mark_of(ours)), ours._all, "120", "30"]
    assert line.closed == 1


@pytest.mark.parametrize(
    "broken",
    [1, ConnectError(Message("It broke.")), CommandError(Message("No."), status=1, stderr="")],
)
def test_a_host_that_takes_no_mark_is_no_error_and_its_link_is_closed(
    host: Host, line_of: Callable[..., Line], broken: Exception | int
) -> None:
    line = line_of(b".", broken)
    with Announcement(host) as ours:  # type: ignore[arg-type]
        ours.check()
        assert line.closed >= 1


def test_a_host_that_takes_no_mark_is_left_alone_for_a_while(
    host: Host, line_of: Callable[..., Line], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, resting = [], threading.Event()

    class Over(Cancel):
        def wait(self, seconds: float) -> bool:
            waits.append(seconds)
            resting.set()
            return super().wait(seconds)

    monkeypatch.setattr(announcement, "Cancel", Over)
    line_of(b".", 1)
    with Announcement(host):  # type: ignore[arg-type]
        assert resting.wait(60)
    assert set(waits) == {5.0}


def test_a_mark_is_renewed_over_a_new_link_where_the_old_one_broke(
    host: Host, line_of: Callable[..., Line], monkeypatch: pytest.MonkeyPatch
) -> None:
    line_of()
    monkeypatch.setattr(announcement, "_PAUSE_S", 0)
    renewed = threading.Event()

    class Renewed(Line):
        def stream(
            self, argv: list[str], hear: Callable[[bytes], None], *, cancel: Cancel
        ) -> CommandResult:
            renewed.set()
            return super().stream(argv, hear, cancel=cancel)

    lines = [Line(b".", ConnectError(Message("It broke."))), Renewed()]
    links = iter(lines)
    monkeypatch.setattr(host, "another_shell", lambda: next(links))
    with Announcement(host) as ours:  # type: ignore[arg-type]
        assert renewed.wait(60)
        ours.check()
    assert lines[1].argv == lines[0].argv
    assert [line.closed for line in lines] == [1, 1]


@pytest.mark.parametrize(
    ("heard", "others"),
    [
        (b"login bob, 5 s ago\n.", "login bob, 5 s ago"),
        (b"login bo|b, 5 s ago\nlogin eve, 7 s ago|\n.", "login bob, 5 s ago; login eve, 7 s ago"),
        (b"x" * 500 + b"\n.", "x" * 200),
    ],
)
def test_those_who_are_there_are_named_once_all_are_listed(
    host: Host, line_of: Callable[..., Line], heard: bytes, others: str
) -> None:
    line = line_of(heard)
    with pytest.raises(ChangeError) as caught:
        Announcement(host).__enter__()  # type: ignore[arg-type]
    assert str(caught.value.what) == f"Another workbench is running on this server: {others}."
    assert "expires within 120 s" in str(caught.value.remedy)
    assert line.closed == 1
