"""This machine as a shell: outputs, endings, ranges; nothing blocks and nothing is expanded."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from ldap_workbench.connect.local import LocalShell
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.ssh import open_shell
from ldap_workbench.model.errors import CommandError
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.progress import Cancel

pytestmark = pytest.mark.posix("on Windows no server is on this machine")


def test_a_profile_without_ssh() -> None:
    assert open_shell(Profile("p", "ldap://h"), Secrets()) is None
    shell = open_shell(Profile("p", "ldap://h", local=True), Secrets())
    assert shell is not None
    assert shell.name.startswith("local://")


def test_run() -> None:
    result = LocalShell().run(
        ["sh", "-c", 'cat; echo "$1" >&2; exit 3', "sh", "$(id) *"], stdin=b"in"
    )
    assert (result.status, result.stdout, result.stderr) == (3, b"in", b"$(id) *\n")


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    for result in (
        LocalShell().run(["no-such-command"]),
        LocalShell().stream(["no-such-command"], lambda _: None, cancel=Cancel()),
    ):
        assert result.status == 127
        assert b"no-such-command" in result.stderr
    (tmp_path / "text").touch(mode=0o644)
    assert LocalShell().run([str(tmp_path / "text")]).status == 126


def test_a_signal_is_told_as_a_shell_tells_it() -> None:
    assert LocalShell().run(["sh", "-c", "kill -9 $$"]).status == 137


def test_too_long() -> None:
    with pytest.raises(CommandError, match=r"did not finish within 0\.2 s"):
        LocalShell().run(["sleep", "20"], timeout=0.2)


def test_stream_reads_both_outputs() -> None:
    found: list[bytes] = []
    script = "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; exit 5"
    result = LocalShell().stream(["sh", "-c", script], found.append, cancel=Cancel())
    assert (result.status, len(b"".join(found))) == (5, 300_000)
    assert result.stderr.startswith(bytes(100))
    assert b"\n[168928 bytes left out]\n" in result.stderr


@pytest.mark.parametrize(
    "script", ["sleep 3600 & sleep 3600", "trap '' TERM; sleep 3600; sleep 3600"]
)
def test_cancel_ends_the_command_and_its_children(script: str) -> None:
    cancel, groups = Cancel(), []
    script = script.replace("sleep", "echo $$; sleep", 1)  # once it ignores the signal

    def take(data: bytes) -> None:
        groups.append(os.getpgid(int(data)))
        cancel.set()

    result = LocalShell().stream(["sh", "-c", script], take, cancel=cancel)
    assert result.status == -15
    assert left_of_group(groups[0]) == []


def test_a_cancelled_command_has_time_to_clean_up(tmp_path: Path) -> None:
    cancel, mark = Cancel(), tmp_path / "mark"
    script = 'trap "sleep 0.5; rm $1; exit" TERM; : >"$1"; sleep 3600 & echo; wait'
    LocalShell().stream(
        ["sh", "-c", script, "sh", str(mark)], lambda _: cancel.set(), cancel=cancel
    )
    assert not mark.exists()


def test_a_child_that_outlives_the_command_does_not_hold_it() -> None:
    found: list[bytes] = []
    script = "setsid sleep 3600 & echo $!"
    result = LocalShell().stream(["sh", "-c", script], found.append, cancel=Cancel())
    child = int(b"".join(found))
    os.kill(child, signal.SIGKILL)  # it is there still
    assert result.status == 0


def test_a_listener_that_fails_leaves_no_command_behind() -> None:
    groups = []

    def take(data: bytes) -> None:
        groups.append(os.getpgid(int(data)))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        LocalShell().stream(["sh", "-c", "echo $$; sleep 60"], take, cancel=Cancel())
    assert left_of_group(groups[0]) == []


def left_of_group(group: int) -> list[str]:
    """Processes of a group that a signal does not end: those still there after 5 s.

    One that was killed is seen until a processor was free for its end.
    """
    end = time.monotonic() + 5
    while (left := _running_in_group(group)) and time.monotonic() < end:
        time.sleep(0.01)
    return left


def _running_in_group(group: int) -> list[str]:
    """Processes of a group that still run; one that has ended may wait for its parent."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(") ")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(path.parent.name)
    return found
