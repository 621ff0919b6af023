"""The mark on the host: of another laptop it keeps us away, of our own crash it does not."""

from __future__ import annotations

import errno
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from ldap_workbench.connect.local import LocalShell
from ldap_workbench.experiment.announcement import LASTS_S, Announcement
from ldap_workbench.model.errors import ChangeError, ConnectError


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
        pass
    until_gone(crashed)


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
