"""The small shell, behind each shell that a login may have: the command gets what was meant."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from ldap_workbench.connect.children import watched
from ldap_workbench.connect.commands import HostPath, HostScript
from ldap_workbench.connect.small_shell import LINE, AfterNumber, Opening
from tests.unit.connect.test_commands import HOSTILE

pytestmark = pytest.mark.posix("no such shells on Windows")

START_UP = {
    "sh": "",
    "bash": ".bashrc",
    "tcsh": ".tcshrc",
    "fish": ".config/fish/config.fish",
    "zsh": ".zshenv",
}
PRINT = ("/usr/bin/printf", "%s\\0")


@pytest.fixture(params=START_UP)
def shell(request: pytest.FixtureRequest) -> str:
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed")
    return str(request.param)


class Login:
    """One command through the small shell, as sshd starts a login's shell.

    `stdin`: what is sent once the number has come, None for a command that is to find it empty.
    It stays open until the command has ended where `stays_open`, as for `watched` ones.
    """

    def __init__(
        self,
        shell: str,
        home: Path,
        argv: list[str],
        *,
        stdin: bytes | None = None,
        stays_open: bool = False,
    ) -> None:
        # With SSH_CLIENT or its like bash reads .bashrc before a single command.
        ssh = {"SSH_CLIENT": "::1 1 22", "SSH2_CLIENT": "::1 1 22"}
        opening = Opening(argv, reads=stdin is not None or stays_open)
        self._output, self._errors = AfterNumber(opening.number), AfterNumber(opening.number)
        with subprocess.Popen(
            [shell, "-c", LINE.decode()],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "de_DE.UTF-8", **ssh},
            start_new_session=True,
        ) as process:
            assert process.stdin
            assert process.stdout
            assert process.stderr
            with suppress(BrokenPipeError):  # a start-up file has ended it
                process.stdin.write(opening.script)
            self.stdout = self._first(process.stdout.fileno())
            if stays_open:
                rest, errors = process.stdout.read(), process.stderr.read()
            else:
                rest, errors = process.communicate(stdin, timeout=20)
        self.stdout += rest
        self.stderr = self._errors.add(errors)
        self.status = process.returncode
        self.begun = self._output.begun, self._errors.begun
        self.noise = self._output.before

    def _first(self, descriptor: int) -> bytes:
        """What comes with the number."""
        text = b""
        while not self._output.begun and (piece := os.read(descriptor, 1 << 16)):
            text += self._output.add(piece)
        return text


@pytest.mark.parametrize("wrap", [list, watched])
def test_hostile_words_reach_the_program_as_they_are(shell, tmp_path, wrap):
    script = HostScript.argv(SCRIPT, HostPath("/a b"), *HOSTILE)
    for argv, wanted in (([*PRINT, *HOSTILE], HOSTILE), (script, ["/a b", *HOSTILE])):
        ran = Login(shell, tmp_path, wrap(argv), stays_open=True)
        assert ran.stdout.split(b"\0")[:-1] == [os.fsencode(word) for word in wanted]
        assert (ran.status, ran.stderr) == (0, b"")


class _Script:
    """Not one of SCRIPTS, which are those of the program on hosts."""

    name, text = "test-print", '/usr/bin/printf "%s\\0" "$@"'


SCRIPT = _Script()


def test_a_command_reads_what_is_sent_after_the_script_and_no_more(shell, tmp_path):
    sent = bytes(range(256)) * 1000 + b"; }\nexit 3\n"
    ran = Login(shell, tmp_path, ["cat"], stdin=sent)
    assert (ran.stdout, ran.status) == (sent, 0)


def test_a_command_without_input_finds_it_empty(shell, tmp_path):
    assert Login(shell, tmp_path, ["cat"]).stdout == b""


def test_programs_print_as_in_the_c_locale(shell, tmp_path):
    ran = Login(shell, tmp_path, ["sh", "-c", 'echo "$LC_ALL"'])
    assert ran.stdout == b"C\n"


def test_what_a_start_up_file_prints_is_dropped(shell, tmp_path):
    file = tmp_path / (START_UP[shell] or "none")
    file.parent.mkdir(parents=True, exist_ok=True)
    trace = "set echo\n" if shell == "tcsh" else "set -x\n" * (shell != "fish")
    file.write_text(f"echo Welcome to this host, authorised use only\n{trace}")
    ran = Login(shell, tmp_path, ["sh", "-c", "echo out; echo err >&2; exit 7"])
    assert (ran.stdout, ran.stderr, ran.status) == (b"out\n", b"err\n", 7)
    assert (b"Welcome" in ran.noise) is bool(START_UP[shell]), "else this tests nothing"


def test_a_start_up_file_that_ends_the_login_leaves_the_number_out(shell, tmp_path):
    if shell not in ("bash", "zsh"):
        pytest.skip("exit ends the file alone, or no file is read")
    file = tmp_path / START_UP[shell]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("exit 1\n")
    ran = Login(shell, tmp_path, ["echo", "out"])
    assert (ran.stdout, ran.status, ran.begun) == (b"", 1, (False, False))


def test_a_number_in_pieces_is_seen_once():
    output = AfterNumber(b"0123")
    pieces = [b"noise 01", b"2", b"3\nfir", b"st\n0123\n"]
    assert b"".join(map(output.add, pieces)) == b"first\n0123\n"


def test_of_endless_noise_the_last_is_kept():
    output = AfterNumber(b"0123")
    for _ in range(1000):
        output.add(b"noise " * 100)
    assert not output.begun
    assert len(output.before) <= 4096
    assert output.add(b"0123\nout") == b"out"
