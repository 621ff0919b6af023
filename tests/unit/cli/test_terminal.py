"""Nothing that comes from a server, a file or a log ever steers the terminal of a command."""

import ast
import contextlib
import errno
import io
import json
import os
import re
import subprocess
import sys
import threading
import unicodedata
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ldap_workbench.cli
from ldap_workbench.cli import console
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.progress import Progress
from tests import sessions
from tests.hostile import make_hostile

CLEAR, TITLE, LINK = "\x1b[2J", "\x1b]0;owned\x07", "\x1b]8;;http://evil.example\x1b\\"
EVIL = f"{CLEAR}{TITLE}{LINK}\x9b31m\x7f\u202e[red][link=http://x]:skull:\nError: forged\r"
STYLE = re.compile(r"\x1b\[(?:0|1|1;31)m")
"""How our own headings are made bold and the word Error red."""

hostile_text = st.text(
    st.one_of(
        st.sampled_from(["\x1b", "\x9b", "\x07", "\x7f", "\u202e", "\u2066", "\n", "\r", "[", "]"]),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
)


def steering(text):
    """What of a terminal's input would steer it, beside line ends and our own styles."""
    left = STYLE.sub("", text).replace("\r\n", "").replace("\n", "")
    return {c for c in left if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")}


def under_a_pty(*words, **environment):
    """Status, stdout and stderr of a command in this process, each on a terminal of its own."""
    with pytest.MonkeyPatch.context() as process, drained() as out, drained() as err:
        for name, value in {"TERM": "xterm", "COLUMNS": "200", **environment}.items():
            process.setenv(name, value)
        process.setattr(sys, "argv", ["ldap-workbench", *map(os.fspath, words)])
        process.setattr(sys, "stdin", io.StringIO())
        process.setattr(sys, "stdout", out.stream)
        process.setattr(sys, "stderr", err.stream)
        with pytest.raises(SystemExit) as ended:
            ldap_workbench.cli.main()
    return ended.value.code or 0, out.text(), err.text()


@contextlib.contextmanager
def drained():
    """A terminal whose stream may be written; afterwards its text is known."""
    pty = pytest.importorskip("pty", reason="of POSIX: a terminal that a program plays")
    master, slave = pty.openpty()
    said = bytearray()
    reader = threading.Thread(target=_drain, args=(master, said))
    reader.start()
    with os.fdopen(slave, "w", encoding="utf-8") as stream:
        yield SimpleNamespace(stream=stream, text=lambda: said.decode())
    reader.join(60)
    os.close(master)


def _drain(descriptor, into):
    with contextlib.suppress(OSError):  # EIO: the other end was closed
        while piece := os.read(descriptor, 65536):
            into += piece


@pytest.fixture(scope="module")
def evil_session(tmp_path_factory):
    path = tmp_path_factory.mktemp("evil") / "s.ldapwb"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "HOSTILE", (f"(cn={EVIL})",))
        sessions.build_experiment_session(path, pairs=2, seconds=5, per_second=20, hostile=True)
    return make_hostile(path, EVIL)


COMMANDS = [
    ("windows",),
    ("tails",),
    ("slowest", "--lines", "2"),
    ("groups", "--by", "client"),
    ("findings",),
    ("stalls",),
    ("compare", "--a", "1,2", "--b", "3,4"),
    ("tails", "--window", f"no{EVIL}"),
    ("slowest", "--find", f"etime>{EVIL}"),
    ("groups", "--by", EVIL),
    ("export", f"out{EVIL}"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_no_command_on_a_session_is_steered_by_it(evil_session, words, tmp_path):
    command, *options = words
    _, out, err = under_a_pty(command, evil_session, *options)
    assert out or err
    assert steering(out) == steering(err) == set()
    assert not re.search(r"^Error: forged", out + err, re.MULTILINE)
    assert "\U0001f480" not in out + err, "an emoji code was read"


@pytest.mark.parametrize(
    "words",
    [
        ("tails", f"/nowhere/{EVIL}"),
        (EVIL,),
        ("capture", EVIL, "-o", "x", "--seconds", EVIL),
        (f"--{EVIL}",),
        ("profile", "show", EVIL),
        ("import", f"/nowhere/{EVIL}", "-o", f"/nowhere/{EVIL}"),
        ("report", f"/nowhere/{EVIL}", "-o", f"{EVIL}.html"),
    ],
)
def test_no_error_message_steers(words, tmp_path):
    status, out, err = under_a_pty(*words, LDAP_WORKBENCH_HOME=str(tmp_path))
    assert out or err
    assert status in (1, 2)
    assert steering(out) == steering(err) == set()
    assert "Traceback" not in err
    assert not re.search(r"^Error: forged", out + err, re.MULTILINE)


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=hostile_text)
def test_whatever_a_window_is_called_the_terminal_is_left_alone(text, tmp_path_factory):
    path = tmp_path_factory.mktemp("named") / "s.ldapwb"
    sessions.build_capture_session(path, seconds=2, per_second=10)
    _, out, err = under_a_pty("windows", make_hostile(path, text))
    assert steering(out) == steering(err) == set()


@given(text=hostile_text)
def test_nothing_that_is_said_steers(text):
    with terminals() as said:
        console.say(text)
        console.note(text)
        console.fail(WorkbenchError(text, safe=text, remedy=text))
        console.print_table(("a", "b"), [(text, text)])
    assert steering(said()) == set()


@given(text=hostile_text)
def test_progress_does_not_steer(text):
    with terminals() as said, console.long_work() as (tell, _):
        tell(Progress(text))
    drawn = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", said())  # the bar's own colours and moves
    assert steering(drawn.replace("\r", "")) == set()
    assert f"\x1b]{text}" not in said()


@given(text=hostile_text)
def test_json_is_ascii_and_the_same_text(text):
    with terminals() as said:
        console.print_json({text: text})
    written = said()
    assert written.isascii()
    assert steering(written) == set()
    assert json.loads(written) == {text: text}


@contextlib.contextmanager
def terminals():
    """stdout and stderr are terminals; afterwards what was written to both."""
    with pytest.MonkeyPatch.context() as patch:
        screen = Screen()
        patch.setattr(sys, "stdout", screen)
        patch.setattr(sys, "stderr", screen)
        patch.setenv("TERM", "xterm")
        yield lambda: screen.text


class Screen:
    encoding = "utf-8"

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return True


def test_a_terminal_without_unicode_gets_escapes(evil_session):
    done = subprocess.run(
        [sys.executable, "-m", "ldap_workbench", "compare", evil_session, "--a", "1", "--b", "2"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii:strict"},
    )
    assert done.returncode == 0, done.stderr
    assert rb"\xd7" in done.stdout


def test_a_command_writes_through_the_console_alone():
    found = []
    for path in sorted(Path(ldap_workbench.cli.__path__[0]).glob("*.py")):
        if path.name != "console.py":
            found += [f"{path.name}: {ast.unparse(call)}" for call in _written_by(path)]
    # The version is our own word, and printed before anything is loaded.
    [version] = found
    assert version.startswith("__init__.py: sys.stdout.write(f'ldap-workbench {__version__}")


def _written_by(path):
    """Calls that write to the terminal, or make something that does."""
    ways = ("print", "typer.echo", "typer.secho", "typer.prompt", "typer.confirm", "Console")
    streams = ("sys.stdout.write", "sys.stderr.write", "sys.stdout.buffer", "sys.__excepthook__")
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if (
            isinstance(node, ast.Call)
            and ast.unparse(node.func).startswith((*streams, "traceback."))
        ) or (isinstance(node, ast.Call) and ast.unparse(node.func) in ways):
            yield node


def test_a_row_of_a_redirected_table_is_one_line_whose_cells_stand_below_each_other(capsys):
    console.print_table(["name", "n"], [["日本", "7"], ["e\u0301" * 150, "1,000"]], numbers=["n"])
    head, wide, long = capsys.readouterr().out.splitlines()
    assert head == "name" + " " * 146 + "  " + "    n"
    assert wide == "日本" + " " * 146 + "  " + "    7"
    assert long == "e\u0301" * 150 + "  1,000"


def test_nobody_reading_any_more_ends_a_command_without_a_word(evil_session):
    command = [sys.executable, "-m", "ldap_workbench", "tails", str(evil_session)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


class _NoReader(io.StringIO):
    """A pipe of Windows whose other end was closed."""

    def flush(self) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")


def test_a_pipe_of_windows_that_nobody_reads_ends_the_command(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(sys, "stdout", _NoReader())
    with pytest.raises(SystemExit, match="1"):
        console.say("a line")


def test_an_invalid_argument_elsewhere_is_no_closed_pipe(monkeypatch):
    monkeypatch.setattr(sys, "stdout", _NoReader())
    with pytest.raises(OSError, match="Invalid argument"):
        console.say("a line")


@pytest.mark.parametrize(("platform", "encoding"), [("win32", "utf-8"), ("linux", "cp1252")])
def test_what_windows_writes_into_files_is_utf_8(monkeypatch, platform, encoding):
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="cp1252")
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    console.never_stumble()
    console.say("Grüße")
    assert written.getvalue().decode(encoding).strip() == "Grüße"
