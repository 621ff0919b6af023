"""A log that a command prints: taken as it comes, ended when it is over, and said when it fails."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.live.log_command import CommandFollower
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.model.errors import CommandError
from ldap_workbench.model.progress import Cancel


def followed(command: str, until: Callable[[bytes], bool]) -> bytes:
    """What it has handed on when that holds, 60 s at the longest."""
    link = HostLink(LocalShell, Cancel(), 1.0)
    link.open()
    follower, stop, came = CommandFollower(link, command), Cancel(), bytearray()
    end = time.monotonic() + 60

    def take(data: bytes) -> None:
        came.extend(data)
        assert time.monotonic() < end, "it goes on although it was stopped"
        if until(bytes(came)):
            stop.set()

    try:
        follower.start()
        follower.follow(take, stop)
    finally:
        link.close()
    assert time.monotonic() < end, "it was ended"
    assert follower.bytes_read == len(came)
    return bytes(came)


def test_it_is_taken_as_it_comes_and_ended() -> None:
    command = "sh -c 'n=0; while :; do n=$((n+1)); echo line $n; sleep 0.05; done'"
    text = followed(command, lambda came: b"line 5\n" in came)
    assert text.startswith(b"line 1\nline 2\n")


def test_words_are_no_shell(tmp_path) -> None:
    mark = tmp_path / "mark"
    with pytest.raises(CommandError, match="ended by itself"):
        followed(f"echo one; touch {mark}", lambda came: False)
    assert not mark.exists()


def test_a_command_that_ends_is_said_with_what_it_said() -> None:
    with pytest.raises(CommandError, match="No journal files were found") as caught:
        followed("sh -c 'echo No journal files were found >&2; exit 1'", lambda came: False)
    assert "journalctl -f" in str(caught.value.remedy)
