"""What the commands of a page need around them: servers, files of their names, a terminal."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

from ldap_workbench.cli import main
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.ssh import accept_fingerprint
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.operations import TYPES
from ldap_workbench.practice.address import USER
from ldap_workbench.practice.process import Practice
from ldap_workbench.servers.target import connect
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.faults import __main__ as faults
from tests.sessions import build_capture_session, build_experiment_session, with_client
from tests.unit.fleet.logs import log_of
from tests.unit.pages.commands import Command

SPEED = 4.0
SECONDS = "4"
"""Of a window here, in the server's time: a second of ours."""
UNBUFFERED = {"nsslapd-accesslog-logbuffering": "off"}
"""Else the end of each window waits for the log."""
QUICK = {"--seconds": SECONDS, "--window": SECONDS, "--design": "pairs:1"}
"""Options that say how long something takes, and what they are here."""
PLANNED = {"campaign", "canary", "replay"}
"""Hours of windows, or a load that a busy machine cannot give: up to the question, not further."""
NAMES = {
    "FILE": "monday.ldapwb",
    "FOLDER": "logs",
    "PATH...": "logs",
    "/var/log/dirsrv/slapd-example": "logs",
    "PROFILE": "ldap1",
    "[PROFILE]": "ldap1",
    "NAME": "ldap1",
    "DIR": "exported",
    "TEXT": "gone",
}
"""What somebody who reads a page puts in the place of these words."""
OF_COMMANDS = {
    "--client": {"FILE": "client.ldapwb"},
    "export": {"FILE": "exp.ldapwb"},
    "--set": {"...": "nsslapd-db-checkpoint-interval=15"},
}
"""The same, in commands with this word."""
_LOG = log_of([17, *[3 + 16 * i for i in range(300)], *[9 + 16 * i for i in range(300)]])
_TWO_DAYS = _LOG.replace(b"[21/Nov", b"[20/Nov") + _LOG.replace(b"/2026:02", b"/2026:05")


class Servers:
    """Practice directories in the place of the servers of the pages, started when needed."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._running: dict[str, Practice] = {}

    def of(self, profile: str) -> Practice:
        """The server of a profile: replicas and lab1 are their own, all others are ldap1."""
        name = profile if re.fullmatch(r"lab1|ds\d", profile) else "ldap1"
        if name not in self._running:
            server = Practice.start("healthy", SPEED, len(self._running), UNBUFFERED)
            self._running[name] = self._stack.enter_context(server)
        return self._running[name]

    def end_replicas(self) -> None:
        """One section needs them, and each costs as long as it runs."""
        for name in [name for name in self._running if name.startswith("ds")]:
            self._running.pop(name).stop()


class Reader:
    """Who types what a page says, in a folder and a home of their own, and answers questions."""

    def __init__(
        self, folder: Path, servers: Servers, captured: Path, patch: pytest.MonkeyPatch
    ) -> None:
        self._servers, self._captured, self._patch = servers, captured, patch
        self._serving = ExitStack()
        self._open_change = ""
        (folder / "home/.ssh").mkdir(parents=True)
        (folder / "work").mkdir()
        patch.chdir(folder / "work")
        patch.setenv("HOME", str(folder / "home"))
        patch.setenv("LDAP_WORKBENCH_HOME", str(folder / "state"))
        patch.delenv("SSH_AUTH_SOCK", raising=False)

    def type(self, command: Command) -> None:
        """Type it; what it names is there. Fails unless it ends with 0."""
        program, *words = shlex.split(command.text)
        if program.endswith("python"):
            assert words[:2] == ["-m", "tests.faults"], command
            self._draw(words[2:])
        elif not words or words[0] == "open":
            self._open(words[1:])
        else:
            for name in words[0].split("|"):
                self._type_words([name, *words[1:]])

    def close(self) -> None:
        """End the practice directories that commands started, and replicas."""
        self._servers.end_replicas()
        self._serving.close()

    def _type_words(self, words: list[str]) -> None:
        meant = self._meant(words)
        self._provide(meant)
        if words[0] == "practice" and not {"--list", "--hint", "--check"} & {*words}:
            self._serve(meant)
            return
        if words[0] in PLANNED and "build" not in words and "clean" not in words:
            self._plan(meant)
            return
        if words[0] == "experiment" and "--noise-floor" not in words:
            self._plan([word for word in meant if word != "--yes"])
            if "lab1" in words:
                return
        status, printed = self._run(self._quick(meant))
        # One pair of windows leaves an assertion open, and the command ends as the guide says.
        expected = 1 if "--assert" in words else 0
        assert status == expected, f"{shlex.join(words)}\n{shlex.join(meant)}\n{_whole(printed)}"
        assert words[0] != "revert" or ": reverted, is " in printed, printed

    def _plan(self, words: list[str]) -> None:
        """With its own lengths, up to the question whether to start: no."""
        status, printed = self._run(words, start="n")
        assert status == 2, printed
        assert "was not started.\n  Nothing was changed." in printed, printed

    def _run(self, words: list[str], start: str = "y") -> tuple[object, str]:
        words, target = (words[:-2], Path(words[-1])) if ">" in words else (words, None)
        printed, beside = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["ldap-workbench", *words])
            patch.setattr(sys, "stdin", _Terminal(printed, start))
            patch.setattr(sys, "stdout", printed)
            patch.setattr(sys, "stderr", beside)
            with pytest.raises(SystemExit) as ended:
                main()
        if target:
            target.write_text(printed.getvalue(), encoding="utf-8")
        return ended.value.code or 0, printed.getvalue() + beside.getvalue()

    def _draw(self, words: list[str]) -> None:
        """The seeds that a campaign of faults would play; playing them needs a lab."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["tests.faults", *words, "--draw"])
            assert faults.main() == 0

    def _open(self, words: list[str]) -> None:
        """The window, which closes when it has been seen."""
        argv = [sys.executable, "-m", "ldap_workbench", "open", *words, "--smoke"]
        env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, shlex.join(words) + done.stdout + done.stderr

    def _serve(self, words: list[str]) -> None:
        """A practice directory that runs until the section ends, and what it says to export."""
        process = subprocess.Popen(
            [sys.executable, "-m", "ldap_workbench", *words],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ,
        )
        self._serving.callback(_end, process)
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip().startswith("export "):
                name, _, value = shlex.split(line)[1].partition("=")
                self._patch.setenv(name, value)
            if "Ctrl-C" in line:
                return
        raise AssertionError(f"{shlex.join(words)} ended")

    def _quick(self, words: list[str]) -> list[str]:
        """The words with lengths that a test can wait for."""
        quick = [*words]
        for at, option in enumerate(words[:-1]):
            if option in QUICK:
                quick[at + 1] = QUICK[option]
        if words[0] == "experiment":
            for option in {"--window", "--design"} - {*words}:
                quick += [option, QUICK[option]]
        return quick

    def _meant(self, words: list[str]) -> list[str]:
        """The words, with what is here in the place of names, addresses and times."""
        names = dict(NAMES)
        for word, instead in OF_COMMANDS.items():
            if word in words:
                names |= instead
        if words[:2] == ["journal", "close"]:
            names["ID"] = self._gone()
        if words[0] == "revert" and "--all" not in words:
            names[words[2]] = self._change(words[1], keep=True)
        meant = [self._here(names.get(word, word)) for word in words]
        if {"--from", "--conn"} & {*words}:
            for at, option in enumerate(meant[:-1]):
                meant[at + 1] = self._what_was_captured.get(option, meant[at + 1])
        if "--for-owner" in words:
            meant[-1] = self._client(Path(meant[1]))
        return meant

    def _here(self, word: str) -> str:
        address, url = self._servers.of("ldap1").address, self._servers.of("ldap1").ldaps_url
        for pattern, instead in (
            (r"ldaps://ldap1\.example\.com", url),
            (r"admin@ldap1\.example\.com(:22)?", f"{USER}@127.0.0.1:{address.ssh_port}"),
            (r"SHA256:\.\.\.", address.fingerprint),
            (r"dirsrv@ldap1", "dirsrv@practice"),
            (r"(^|=)/(?=logs/|captures/)", r"\1"),
        ):
            word = re.sub(pattern, instead, word)
        return word

    def _client(self, path: Path) -> str:
        """One who asks something in a session, which a command before may have captured anew."""
        with Session.open(path if path.exists() else self._captured) as session:
            operations = session.operations(session.windows()[0])
        of_clients = ~(operations.own | operations.internal)
        known = operations.client[of_clients & (operations.client >= 0)]
        return operations.clients[known[0]]

    @cached_property
    def _what_was_captured(self) -> dict[str, str]:
        """The times of the session that pages name, and a search in it."""
        with Session.open(self._captured) as session:
            (window,) = session.windows()
            operations = session.operations(window)
        of_clients = ~(operations.own | operations.internal)
        search = np.flatnonzero(of_clients & (operations.kind == TYPES.index("SRCH")))[0]
        start, end = (str(np.datetime64(ns, "ns")) for ns in (window.start_ns, window.end_ns))
        numbers = {"--conn": str(operations.conn[search]), "--op": str(operations.op[search])}
        return {"--from": start, "--to": end, **numbers}

    def _provide(self, words: list[str]) -> None:
        """Make what is named and not there yet: files, profiles, a change to revert."""
        if words[:2] == ["profile", "add"]:
            self._settle_in()
            return
        for before, word in zip(["", *words], words, strict=False):
            path = Path(word.partition("=")[2] or word)
            make = _FILES.get(path.as_posix())
            if make and before != "-o" and not path.exists():
                path.parent.mkdir(exist_ok=True)
                make(self, path)
            if (
                re.fullmatch(r"ldap1|lab1|ds\d|admin|app|practice-rehash", word)
                and word not in _known()
            ):
                self._introduce(word)
        if words[0] == "revert" and "--all" in words:
            self._change(words[1], keep=False)

    def _introduce(self, name: str) -> None:
        """A profile of this name is there already."""
        server = self._servers.of(name)
        for variable, password in server.environment.items():
            self._patch.setenv(variable, password)
        assert server.profile.ssh is not None
        accept_fingerprint(server.profile.ssh, server.fingerprint)
        ProfileStore().add(replace(server.profile, name=name, test_server=name == "lab1"))

    def _settle_in(self) -> None:
        """A key for ldap1, the CA of its certificate, and its password in the environment."""
        address = self._servers.of("ldap1").address
        shutil.copy(address.identity, Path.home() / ".ssh/id_ed25519")
        shutil.copy(address.ca_file, "ca.pem")
        self._patch.setenv("LDAP_PW", address.password)

    def _change(self, name: str, *, keep: bool) -> str:
        """The number of a change in force: kept, or as a workbench that was killed leaves it."""
        if name not in _known():
            self._introduce(name)
        with (
            closing(connect(ProfileStore().get(name), Secrets())) as target,
            closing(Journal()) as journal,
            closing(Tuner(target, journal)) as tuner,
        ):
            group = tuner.apply(Treatment((Setting("nsslapd-idlistscanlimit", "5000"),)))
            if keep:
                tuner.keep(group.group)
        return str(group.changes[0].id)

    def _gone(self) -> str:
        """The number of a change on a server that is gone."""
        with closing(Journal()) as journal:
            knob, server = "nsslapd-threadnumber", "ldap://gone.example.com"
            group = journal.begin(server, Treatment((Setting(knob, "8"),)), "20261121010000Z")
            change = journal.intend(
                group=group, server=server, knob=knob, dn="cn=config", attribute=knob,
                before=["16"], asked=["8"],
            )  # fmt: skip
        return str(change.id)

    def have_captured(self, path: Path) -> None:
        shutil.copy(self._captured, path)


def _whole(printed: str) -> str:
    """What was printed, with the report of a fault that it names."""
    report = re.search(r"\S+/fault-\S+\.txt", printed)
    return f"{printed}\n{Path(report[0]).read_text()}" if report else printed


class _Terminal(io.StringIO):
    """Answers each question as it stands: yes, but what was tried is not kept."""

    def __init__(self, printed: io.StringIO, start: str) -> None:
        super().__init__()
        self._printed, self._start = printed, start

    def isatty(self) -> bool:
        return True

    def readline(self, size: int | None = -1) -> str:
        question = self._printed.getvalue().rpartition("\n")[2]
        if "Keep" in question:
            return "n\n"
        return f"{self._start}\n" if "Start?" in question else "y\n"


def _end(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    assert process.stdout is not None
    process.stdout.close()


def _known() -> set[str]:
    return {profile.name for profile in ProfileStore().all()}


def _log(_: Reader, folder: Path) -> None:
    folder.mkdir()
    (folder / "access").write_bytes(_TWO_DAYS)


def _experiment(_: Reader, path: Path) -> None:
    build_experiment_session(path, pairs=2, seconds=5, per_second=40)


def _of_one_day(_: Reader, path: Path) -> None:
    """One of several sessions of a server, each of another time."""
    build_capture_session(path, seconds=5, earlier=_SESSIONS_OF_ARMS.index(path.name))


def _seen_by_a_client(_: Reader, path: Path) -> None:
    with_client(path)


def _stacks(_: Reader, path: Path) -> None:
    path.write_text("main;work;compare 60\nmain;wait 40\n", encoding="utf-8")


def _entries(_: Reader, path: Path) -> None:
    entry = "dn: uid={0},dc=example,dc=com\nobjectClass: person\nuid: {0}\n\n"
    path.write_text("".join(entry.format(n) for n in range(200)), encoding="utf-8")


def _sessions(reader: Reader, folder: Path) -> None:
    folder.mkdir()
    reader.have_captured(folder / "night.ldapwb")


_SESSIONS_OF_ARMS = ("a1.ldapwb", "a2.ldapwb", "b1.ldapwb", "b2.ldapwb")
_FILES: dict[str, Callable[[Reader, Path], None]] = {
    **dict.fromkeys(
        ("monday.ldapwb", "case.ldapwb", "ldap1.ldapwb", "today.ldapwb", "base.ldapwb"),
        Reader.have_captured,
    ),
    "exp.ldapwb": _experiment,
    **dict.fromkeys(_SESSIONS_OF_ARMS, _of_one_day),
    "client.ldapwb": _seen_by_a_client,
    **dict.fromkeys(("A1.folded", "A2.folded", "B1.folded", "B2.folded"), _stacks),
    "export.ldif": _entries,
    **dict.fromkeys(("logs", "logs/ldap1", "logs/ldap2", "logs/ldap3"), _log),
    "captures/ldap1": _sessions,
}
"""What is there where a page names it and none of its commands has made it."""
