"""Editing dse.ldif with the server stopped: in which order, and back and started where it fails."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

import pytest

from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.experiment.guards import P99_NS, BuildLimits
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import (
    AnotherServerError,
    AuthenticationError,
    CancelledError,
    ChangeError,
    ConflictError,
    ConnectError,
    WorkbenchError,
)
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.servers.target import Target
from ldap_workbench.tuning import link, offline
from ldap_workbench.tuning.config_file import config_file
from ldap_workbench.tuning.journal import Journal, OfflineEdit
from ldap_workbench.tuning.log_files import LogMove
from ldap_workbench.tuning.offline import OfflineEditor, answers
from ldap_workbench.tuning.place import KnobLocation
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.tuning.fakes import BDB, CONFIG, Clock, FakeShell, FakeTarget

FOLDER = "/etc/dirsrv/slapd-fake"
PATH = f"{FOLDER}/dse.ldif"
DURABLE, TRICKLE = "nsslapd-db-durable-transaction", "nsslapd-db-trickle-percentage"
DSE = f"""\
dn: cn=config
nsslapd-port: 389

dn: {BDB}
nsslapd-db-checkpoint-interval: 60
nsslapd-db-durable-transaction: on
nsslapd-db-logbuf-size: 0
nsslapd-db-home-directory: /run/dirsrv
"""
STOP, START = "systemctl stop dirsrv@fake", "systemctl start dirsrv@fake"


class Host(FakeShell):
    """A host that stops and starts the server, which reads its dse.ldif when it starts."""

    def __init__(self, target: StoppedTarget) -> None:
        super().__init__(target.directory)
        self.files[PATH] = DSE
        self.log: list[str] = []
        self.fails: dict[str, str] = {}
        """What is run, by its last words -> what it says instead."""
        self.ignores_stop = False
        self.bad_word = ""
        """With this in its dse.ldif the server does not come up."""
        self.takes_nothing = False
        self._target = target

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        sudo: bool = False,
        timeout: float = 30.0,
    ) -> CommandResult:
        if argv[0] == "sh" and argv[3] == "stored-names":  # before any change: no part of an edit
            return CommandResult(0, self.files[PATH].encode(), b"")
        script = argv[3] == "server-file" if argv[0] == "sh" else False
        line = " ".join(argv[5:7]) if script else " ".join(argv)
        if argv[0] not in ("sh", "systemctl", "test"):
            return super().run(argv, stdin=stdin, sudo=sudo, timeout=timeout)
        assert sudo or argv[0] == "test"
        self.log.append("put" if line.startswith("put") else line)
        if (failure := self.fails.get(self.log[-1])) is not None:
            return CommandResult(1, b"", failure.encode())
        if script:
            return CommandResult(0, self._file(*argv[4:], stdin=stdin.decode()), b"")
        if line == STOP:
            self._target.down = not self.ignores_stop
        if line == START:
            self._start()
        return CommandResult(0, b"", b"")

    def _file(self, path: str, what: str, suffix: str = "", *, stdin: str) -> bytes:
        copy = f"{path}.{suffix}"
        if what == "keep":
            self.files[copy] = self.files[path]
        if what == "put":
            assert len(stdin) == int(suffix)
            self.files[path] = stdin
        if what == "restore":
            self.files[path] = self.files[copy]
        if what == "forget":
            self.files.pop(copy, None)
        return self.files[path].encode() if what == "read" else b""

    def _start(self) -> None:
        text = self.files[PATH]
        self._target.down = bool(self.bad_word) and self.bad_word in text
        if self.takes_nothing:
            return
        for block in text.strip().split("\n\n"):
            (_, dn), *pairs = (line.split(": ", 1) for line in block.split("\n"))
            self._target.directory.entries[dn].update({name: (value,) for name, value in pairs})
            for name in (DURABLE, TRICKLE):
                if name not in block:
                    self._target.directory.entries[dn].pop(name, None)


class StoppedTarget(FakeTarget):
    """A target whose server can be down: then no new link brings it back."""

    def __init__(self) -> None:
        super().__init__(restart_command="systemctl restart dirsrv@fake")
        config = self.directory.entries[CONFIG]
        config.update({"nsslapd-port": ("389",), "nsslapd-certdir": (FOLDER,)})
        bdb = self.directory.entries[BDB]
        bdb.update({"nsslapd-db-logbuf-size": ("0",)})
        bdb.update({"nsslapd-db-home-directory": ("/run/dirsrv",)})
        self.host = Host(self)
        self.shell = self.host

    @property
    def down(self) -> bool:
        return self.directory.broken

    @down.setter
    def down(self, down: bool) -> None:
        self.directory.broken = down

    def reconnect(self) -> None:
        self.reconnects += 1
        if self.down:
            raise ConnectError(Message("Nothing answers."))


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(1000.0)
    monkeypatch.setattr(offline, "time", clock)
    return clock


@pytest.fixture
def target() -> StoppedTarget:
    return StoppedTarget()


@pytest.fixture
def host(target: StoppedTarget) -> Host:
    return target.host


@pytest.fixture
def tuner(target: StoppedTarget, journal: Journal) -> Iterator[Tuner]:
    tuner = Tuner(target, journal)
    tuner.may_stop = True
    yield tuner
    tuner.close()


def treatment(tuner: Tuner, target: FakeTarget, *settings: str) -> Treatment:
    return tuner.catalogue.treatment(settings, target.facts)


def refused(tuner: Tuner, target: FakeTarget, *settings: str) -> WorkbenchError:
    """Why a treatment is not applied."""
    with pytest.raises(WorkbenchError) as caught:
        tuner.apply(treatment(tuner, target, *settings))
    return caught.value


def test_an_edit_is_made_while_the_server_is_stopped_and_undone_to_the_byte(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    progress: list[str] = []
    applied = tuner.apply(
        treatment(tuner, target, "db-durable-transaction=off"),
        progress=lambda step: progress.append(str(step.text)),
    )
    (change,) = applied.changes
    suffix = f"before-{applied.group}"
    assert host.log == ["read", "read", STOP, "read", f"keep {suffix}", "put", START]
    assert progress[:2] == [f"Stopping the server: {STOP}", f"Starting the server: {START}"]
    assert (change.state, change.got) == (ChangeState.APPLIED, ("off",))
    assert not change.needs_restart, "it has just been started with the value"
    assert f"{PATH}.{suffix} is the file before" in str(change.message)
    assert host.files[PATH] == DSE.replace("transaction: on", "transaction: off")
    assert host.files[f"{PATH}.{suffix}"] == DSE
    host.log.clear()
    (reverted,) = tuner.revert(applied.group)
    assert reverted.state is ChangeState.REVERTED
    keep = f"keep {suffix}-undone"
    forget = [f"forget {suffix}", f"forget {suffix}-undone"]
    assert host.log == ["read", STOP, "read", keep, "put", START, *forget]
    assert host.files == {**FakeShell(target.directory).files, PATH: DSE}
    assert target.directory.entries[BDB][DURABLE] == ("on",)
    assert journal.changes(open_only=True) == []


def test_the_journal_knows_of_the_edit_before_the_server_is_stopped(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    host.fails[STOP] = "Interactive authentication required."
    error = refused(tuner, target, "db-durable-transaction=off")
    assert f"'{STOP}' failed on {host.name}: Interactive authentication required." in str(error)
    (change,) = journal.changes()
    edit = journal.edit(change)
    assert edit is not None
    assert (edit.path, edit.stop, edit.start, edit.before) == (PATH, STOP, START, ("on",))
    assert (change.state, change.before, change.asked) == (ChangeState.REFUSED, ("on",), ("off",))
    assert str(change.message) == str(error.what)
    assert host.files[PATH] == DSE


def test_several_settings_are_one_stop_and_what_runs_is_set_before(
    tuner: Tuner, target: StoppedTarget, host: Host
) -> None:
    applied = tuner.apply(
        treatment(
            tuner,
            target,
            "db-durable-transaction=off",
            "lookthroughlimit=20000",
            "db-logbuf-size=1 MiB",
        )
    )
    assert [written for written, _ in target.directory.written] == ["nsslapd-lookthroughlimit"]
    assert {each.state for each in applied.changes} == {ChangeState.APPLIED}
    assert host.log.count(STOP) == 1
    assert "logbuf-size: 1048576" in host.files[PATH]
    assert host.files[f"{PATH}.before-{applied.group}"] == DSE
    host.log.clear()
    tuner.revert(applied.group)
    assert host.log.count(STOP) == 1
    assert host.files[PATH] == DSE
    assert not [path for path in host.files if ".before-" in path]


def test_who_cancels_after_the_first_setting_stops_no_server(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    cancel = Cancel()
    target.directory.after_write = lambda _: cancel.set()
    wanted = treatment(tuner, target, "lookthroughlimit=20000", "db-durable-transaction=off")
    with pytest.raises(CancelledError):
        tuner.apply(wanted, cancel=cancel)
    assert host.log == []
    assert journal.changes(open_only=True) == []


def test_a_value_that_somebody_else_has_set_in_the_file_is_a_conflict(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    applied = tuner.apply(treatment(tuner, target, "db-durable-transaction=off"))
    theirs = host.files[PATH].replace("transaction: off", "transaction: maybe")
    host.files[PATH] = theirs
    with pytest.raises(ConflictError) as caught:
        tuner.revert(applied.group)
    assert tuple(map(str, (caught.value.before, caught.value.ours, caught.value.now))) == (
        "on",
        "off",
        "maybe",
    )
    assert str(caught.value.safe) == (
        "The stored configuration is as it was, and the server was started again."
    )
    assert host.files[PATH] == theirs
    assert host.log[-3:] == [STOP, "read", START]
    assert not target.down
    tuner.revert(applied.group, force=True)
    assert host.files[PATH] == DSE


@pytest.mark.parametrize("step", ["read", "keep", "put"])
def test_a_disk_that_fails_leaves_the_file_as_it_was_and_the_server_running(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal, step: str
) -> None:
    real = host.run

    def failing(argv: Sequence[str], **options: object) -> CommandResult:
        fails = (step, "restore")  # what has no room for a file has none for its copy
        if target.down and argv[0] == "sh" and argv[5] in fails:
            return CommandResult(1, b"", b"No space left on device")
        return real(argv, **options)  # type: ignore[arg-type]

    host.run = failing  # type: ignore[method-assign, assignment]
    error = refused(tuner, target, "db-durable-transaction=off")
    assert f"'server-file {step}' failed on {host.name}: No space left on device." in str(error)
    back = "was put back, and the server runs with it" if step == "put" else "is as it was"
    assert f"The stored configuration {back}" in str(error)
    assert host.files[PATH] == DSE
    ends = [START, "forget before", "read"] if step == "put" else [START, "read"]
    assert [re.sub("before-.*", "before", line) for line in host.log[-len(ends) :]] == ends
    assert not target.down
    assert {each.state for each in journal.changes()} == {ChangeState.REFUSED}


def test_what_the_server_does_not_take_from_its_file_is_put_back_whole(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    host.takes_nothing = True
    error = refused(tuner, target, "db-durable-transaction=off", "db-trickle-percentage=20")
    assert f"was started with {DURABLE}=off, but {DURABLE} still reads on." in str(error.what)
    assert str(error.safe) == "The stored configuration was put back."
    assert host.files == {**FakeShell(target.directory).files, PATH: DSE}
    assert not target.down
    assert {each.state for each in journal.changes()} == {ChangeState.REFUSED}


def test_a_server_that_does_not_start_with_the_new_file_gets_the_old_one(
    tuner: Tuner, target: StoppedTarget, host: Host, clock: Clock
) -> None:
    host.bad_word = "transaction: off"
    tuner.restart_wait_s = 90
    began = clock.now
    error = refused(tuner, target, "db-durable-transaction=off")
    assert str(error.what) == "The server does not answer 90 s after it was told to start."
    assert "The stored configuration was put back, and the server runs with it again." in str(error)
    assert 90 < clock.now - began < 91
    assert host.files[PATH] == DSE
    assert host.log[-8:-6] == [START, STOP], "it may yet come up, and write its file"
    steps = [step.partition(" ")[0] for step in host.log[-6:]]
    assert steps == ["read", "restore", "read", "systemctl", "forget", "read"]
    assert not [name for name in host.files if "before-" in name]
    assert not target.down
    assert target.directory.entries[BDB][DURABLE] == ("on",)


def test_a_late_server_that_does_not_stop_again_keeps_the_file_it_runs_with(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    """It comes up after the time for that, says nothing of the new value, and stays up."""
    host.bad_word, host.takes_nothing = "transaction: off", True
    real = host.run

    def late(argv: Sequence[str], **options: object) -> CommandResult:
        if " ".join(argv) == STOP and START in host.log:
            target.down = False
            return CommandResult(1, b"", b"a job is under way")
        return real(argv, **options)  # type: ignore[arg-type]

    host.run = late  # type: ignore[method-assign, assignment]
    error = refused(tuner, target, "db-durable-transaction=off")
    assert "does not answer" in str(error.what)
    assert str(error.safe) == "The journal keeps the change open."
    assert "a job is under way" in str(error.remedy)
    assert host.log[-1] == START
    assert "transaction: off" in host.files[PATH]
    assert [each for each in host.files if "before-" in each], "for whoever puts it back"
    assert [each.state.open for each in journal.changes()] == [True]


def test_a_file_that_the_server_has_rewritten_is_put_back_all_the_same(
    tuner: Tuner, target: StoppedTarget, host: Host
) -> None:
    """389 DS stores values of its own at a start."""
    host.bad_word = "transaction: off"
    real = host.run

    def rewriting(argv: Sequence[str], **options: object) -> CommandResult:
        result = real(argv, **options)  # type: ignore[arg-type]
        if " ".join(argv) == START and target.down:
            host.files[PATH] += "nsslapd-cache-autosize: 25\n"
        return result

    host.run = rewriting  # type: ignore[method-assign, assignment]
    error = refused(tuner, target, "db-durable-transaction=off")
    assert "was put back, and the server runs with it" in str(error)
    assert host.files[PATH] == DSE


def test_a_copy_stays_where_the_file_does_not_read_as_before(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    host.bad_word = "transaction: off"
    real = host.run

    def cutting(argv: Sequence[str], **options: object) -> CommandResult:
        result = real(argv, **options)  # type: ignore[arg-type]
        if argv[5:6] == ["restore"]:
            host.files[PATH] = DSE.partition("nsslapd-db-home")[0]
        return result

    host.run = cutting  # type: ignore[method-assign, assignment]
    error = refused(tuner, target, "db-durable-transaction=off")
    assert f"{PATH} could not be restored from {PATH}.before-" in str(error.what)
    assert [text for path, text in host.files.items() if "before-" in path] == [DSE]
    assert [each.state.open for each in journal.changes()] == [True]
    assert not target.down


@pytest.mark.parametrize("unreadable", ["file", "copy"])
def test_what_cannot_be_read_leaves_no_server_stopped(
    tuner: Tuner, target: StoppedTarget, host: Host, unreadable: str
) -> None:
    tuner.patience_s = 0.0
    host.takes_nothing = True
    real = host.run

    def failing(argv: Sequence[str], **options: object) -> CommandResult:
        reads = argv[0] == "sh" and argv[5:6] == ["read"]
        if reads and host.log.count(STOP) == 2 and ("before-" in argv[4]) == (unreadable == "copy"):
            return CommandResult(1, b"", b"Input/output error")
        return real(argv, **options)  # type: ignore[arg-type]

    host.run = failing  # type: ignore[method-assign, assignment]
    assert "Input/output error" in str(refused(tuner, target, "db-durable-transaction=off"))
    assert START in host.log[-3:]
    assert not target.down


def test_a_server_that_does_not_stop_is_left_running_with_its_file(
    tuner: Tuner, target: StoppedTarget, host: Host, clock: Clock
) -> None:
    host.ignores_stop = True
    began = clock.now
    error = refused(tuner, target, "db-durable-transaction=off")
    assert str(error.what) == "The server still answers 60 s after it was told to stop."
    assert 60 < clock.now - began < 61
    assert host.files[PATH] == DSE
    assert host.log == ["read", "read", STOP, START, "read"]


def test_a_server_that_never_comes_back_leaves_its_change_open(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    tuner.patience_s = 0.0
    host.bad_word = "dn:"
    error = refused(tuner, target, "db-durable-transaction=off")
    assert "then revert: the change is open in the journal" in str(error.remedy)
    (change,) = journal.changes()
    assert change.state.open
    assert host.files[PATH] == DSE
    host.bad_word = ""
    target.down = False
    assert [each.state for each in tuner.recover()] == [ChangeState.REVERTED]


def test_without_the_word_that_it_may_stop_nothing_is_undone(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    applied = tuner.apply(treatment(tuner, target, "db-durable-transaction=off"))
    tuner.may_stop = False
    host.log.clear()
    with pytest.raises(ChangeError, match=f"{DURABLE} was set while the server was stopped"):
        tuner.revert(applied.group)
    assert host.log == []
    assert journal.group(applied.group)[0].state is ChangeState.APPLIED


def test_the_file_of_another_server_stops_none(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    host.files[PATH] = DSE.replace("port: 389", "port: 1389")
    error = refused(tuner, target, "db-durable-transaction=off")
    assert str(error.what) == f"{PATH} is of another server: its port is 1389, not 389."
    assert host.log == ["read"]
    assert journal.changes() == []


@pytest.mark.parametrize("lacking", ["shell", "restart", "folder"])
def test_a_profile_that_cannot_stop_the_server_is_refused_first(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal, lacking: str
) -> None:
    words = {
        "shell": "needs a shell on the host",
        "restart": "the profile does not say how",
        "folder": "does not say in which folder its dse.ldif is",
    }
    if lacking == "shell":
        target.shell = None
    if lacking == "restart":
        target.profile = replace(target.profile, restart_command="bounce-it")
    if lacking == "folder":
        del target.directory.entries[CONFIG]["nsslapd-certdir"]
    assert words[lacking] in str(refused(tuner, target, "db-durable-transaction=off"))
    assert host.log == []
    assert journal.changes() == []


@pytest.mark.parametrize("lacking", ["", "shell", "restart", "consent"])
def test_whether_it_can_be_done_is_known_before_anybody_is_asked(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal, lacking: str
) -> None:
    """Of a server that would have to be stopped: its host is looked at, and nothing is done."""
    tuner.may_stop = False
    if lacking == "shell":
        target.shell = None
    if lacking == "restart":
        target.profile = replace(target.profile, restart_command="bounce-it")
    planned = tuner.plan(treatment(tuner, target, "db-durable-transaction=off"))
    if lacking:
        with pytest.raises(ChangeError) as caught:
            tuner.check_automated(planned, may_stop=None if lacking == "consent" else True)
        assert caught.value.remedy
        assert ("--offline" in str(caught.value.remedy)) is (lacking == "consent")
    else:
        tuner.check_automated(planned, may_stop=True)
    assert set(host.log) <= {"read"}
    assert journal.changes() == []


def test_a_server_that_refuses_the_login_runs_and_is_not_restarted(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    """A password that was changed meanwhile is no reason to stop the server it guards."""
    tuner.apply(treatment(tuner, target, "db-durable-transaction=off"))
    host.log.clear()
    target.down = True

    def refuse() -> None:
        raise AuthenticationError(Message("The password is wrong."))

    target.reconnect = refuse  # type: ignore[method-assign]
    with pytest.raises(AuthenticationError):
        tuner.put_back()
    assert host.log == []
    assert [change.state for change in journal.changes(open_only=True)] == [ChangeState.APPLIED]


def test_a_server_that_does_not_answer_is_not_restarted_without_the_word_for_it(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    tuner.apply(treatment(tuner, target, "db-durable-transaction=off"))
    host.log.clear()
    target.down, tuner.patience_s, tuner.may_stop = True, 0.0, False
    with pytest.raises(ConnectError, match="Nothing answers"):
        tuner.put_back()
    assert host.log == []
    assert [change.state for change in journal.changes(open_only=True)] == [ChangeState.APPLIED]


def test_a_folder_for_the_server_has_to_be_there_first(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    host.fails["test -d /dev/shm/ds"] = ""
    error = refused(tuner, target, "db-home-directory=/dev/shm/ds")
    assert f"'test -d /dev/shm/ds' failed on {host.name}: exit status 1." in str(error)
    assert host.log == ["test -d /dev/shm/ds"] * 2, "by the login, then by root"
    assert journal.changes() == []
    host.fails.clear()
    tuner.apply(treatment(tuner, target, "db-home-directory=/dev/shm/ds"))
    assert "directory: /dev/shm/ds" in host.files[PATH]


def test_a_latency_limit_does_not_ask_a_server_that_is_stopped_on_purpose(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    heard: list[str] = []
    limits = BuildLimits(
        cast(Target, target),
        {P99_NS: 100_000_000.0},
        lambda report: heard.append(str(report.text)),
        Cancel(),
    )
    applied = tuner.apply(treatment(tuner, target, "db-durable-transaction=off"), progress=limits)
    assert heard[:2] == [f"Stopping the server: {STOP}", f"Starting the server: {START}"]
    assert host.log.count(STOP) == 1
    assert [change.state for change in applied.changes] == [ChangeState.APPLIED]


def test_who_cancels_while_the_server_is_stopped_gets_it_back_as_it_was(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    cancel = Cancel()
    real = host.run

    def cancelled_when_stopped(argv: Sequence[str], **options: object) -> CommandResult:
        if " ".join(argv) == STOP:
            cancel.set()
        return real(argv, **options)  # type: ignore[arg-type]

    limits = BuildLimits(cast(Target, target), {}, lambda _: None, cancel)
    host.run = cancelled_when_stopped  # type: ignore[method-assign, assignment]
    with pytest.raises(CancelledError):
        tuner.apply(treatment(tuner, target, "db-durable-transaction=off"), progress=limits)
    assert host.files[PATH] == DSE
    assert not target.down
    assert journal.changes(open_only=True) == []


class Cut:
    """The shell breaks at one command, before or after the host has run it, until it is opened."""

    def __init__(self, target: StoppedTarget, at: str, *, ran: bool, times: int = 1) -> None:
        self._run, self._log = target.host.run, target.host.log
        self._at, self._ran, self._times = at, ran, times
        self.broken = False
        self.opened_while_down: list[bool] = []
        self._target = target
        target.host.run = self.run  # type: ignore[method-assign, assignment]
        target.reconnect_shell = self.reconnect_shell  # type: ignore[method-assign]

    def run(self, argv: Sequence[str], **options: object) -> CommandResult:
        if self.broken:
            raise ConnectError(Message("The shell is closed."))
        script = argv[0] == "sh" and argv[3] == "server-file"
        name = argv[5] if script else " ".join(argv)
        # The first reads are those of the plan, of a server that runs.
        hit = name == self._at and self._times and (name == STOP or self._target.down)
        if hit:
            self._times -= 1
            if self._ran:
                self._run(argv, **options)  # type: ignore[arg-type]
            self.broken = True
            raise ConnectError(Message("The shell broke."))
        return self._run(argv, **options)  # type: ignore[arg-type]

    def reconnect_shell(self) -> None:
        self.opened_while_down.append(self._target.down)
        self.broken = False


@pytest.mark.parametrize("ran", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", [STOP, "read", "keep", "put", START])
def test_a_shell_that_breaks_while_the_server_is_stopped_is_opened_without_ldap(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal, at: str, ran: bool
) -> None:
    cut = Cut(target, at, ran=ran)
    error = refused(tuner, target, "db-durable-transaction=off")
    assert str(error.what) == "The shell broke."
    assert not target.down
    assert host.files[PATH] == DSE
    assert cut.opened_while_down, "at once, not when LDAP answers"
    assert journal.changes(open_only=True) == []
    assert target.directory.entries[BDB][DURABLE] == ("on",)


@pytest.mark.parametrize("at", [STOP, "read", "keep", "put", START])
def test_a_shell_that_breaks_in_a_revert_leaves_the_server_running_with_the_change(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal, at: str
) -> None:
    applied = tuner.apply(treatment(tuner, target, "db-durable-transaction=off"))
    Cut(target, at, ran=True)
    with pytest.raises(ConnectError, match="The shell broke"):
        tuner.revert(applied.group)
    assert not target.down
    assert "transaction: off" in host.files[PATH]
    assert len(journal.changes(open_only=True)) == 1
    tuner.revert(applied.group)
    assert host.files[PATH] == DSE


def test_a_shell_that_breaks_as_the_undone_server_starts_has_the_copy_still(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    """The server has rewritten its file by then, so it is not as before."""
    rewritten = DSE + "\nmodifyTimestamp: 20261130\n"

    class Rewriting(Cut):
        def reconnect_shell(self) -> None:
            super().reconnect_shell()
            if len(self.opened_while_down) == 2:
                host.files[PATH] = rewritten

    Rewriting(target, START, ran=False, times=2)
    error = refused(tuner, target, "db-durable-transaction=off")
    assert str(error.what) == "The shell broke."
    assert host.files[PATH] == DSE
    assert not [name for name in host.files if "before-" in name]
    assert not target.down
    assert journal.changes(open_only=True) == []


def test_copies_do_not_stay_where_nothing_was_edited(
    tuner: Tuner, target: StoppedTarget, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They hold hashes of passwords, and no change is open that they are needed for."""

    moved = ({PATH: DSE}, {PATH: DSE}, [LogMove("/old", "/new")])
    monkeypatch.setattr(offline, "edited_files", lambda *_: moved)
    real = host.run

    def full(argv: Sequence[str], **options: object) -> CommandResult:
        if argv[0] == "sh" and argv[3] != "server-file" and target.down:
            return CommandResult(1, b"", b"No space left on device")
        return real(argv, **options)  # type: ignore[arg-type]

    host.run = full  # type: ignore[method-assign, assignment]
    refused(tuner, target, "db-durable-transaction=off")
    assert not [name for name in host.files if "before-" in name]
    assert not target.down


def test_a_default_that_somebody_wrote_out_by_hand_is_back(
    target: StoppedTarget, host: Host
) -> None:
    location = KnobLocation("ldap://fake.example", BDB, TRICKLE)
    edit = OfflineEdit(PATH, STOP, START, None)
    host.files[PATH] = DSE + f"{TRICKLE}: 40\n"
    editor = OfflineEditor(target)
    assert editor.is_edited(edit, location)
    assert not editor.is_edited(edit, location, ("40",))


def test_a_shell_that_breaks_again_in_the_undo_is_opened_again(
    tuner: Tuner, target: StoppedTarget, host: Host, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "time", clock)
    cut = Cut(target, START, ran=False, times=3)
    refused(tuner, target, "db-durable-transaction=off")
    assert len(cut.opened_while_down) == 3
    assert not target.down
    assert host.files[PATH] == DSE


def test_a_host_that_stays_out_of_reach_is_told_with_the_command_that_starts_the_server(
    tuner: Tuner,
    target: StoppedTarget,
    host: Host,
    journal: Journal,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "time", clock)
    cut = Cut(target, "put", ran=True)
    gone = ConnectError(Message("No route to host."))

    def out_of_reach() -> None:
        raise gone

    target.reconnect_shell = out_of_reach  # type: ignore[method-assign]
    error = refused(tuner, target, "db-durable-transaction=off")
    assert "could not be reached for 120 s while its server was stopped: No route" in str(error)
    assert "revert PROFILE --all --offline" in str(error.remedy)
    assert target.down
    assert len(journal.changes(open_only=True)) == 1
    target.reconnect_shell = cut.reconnect_shell  # type: ignore[method-assign]
    [change] = tuner.put_back()
    assert change.state is ChangeState.REVERTED
    assert not target.down
    assert host.files[PATH] == DSE


def test_a_restore_that_fails_leaves_the_change_open_and_a_revert_looks_into_the_file(
    tuner: Tuner, target: StoppedTarget, host: Host, journal: Journal
) -> None:
    """The server does not heed its file: what it reads would show nothing to be reverted."""
    host.takes_nothing = True
    real = host.run

    def full(argv: Sequence[str], **options: object) -> CommandResult:
        if argv[0] == "sh" and argv[5:6] == ["restore"]:
            return CommandResult(1, b"", b"No space left on device")
        return real(argv, **options)  # type: ignore[arg-type]

    host.run = full  # type: ignore[method-assign, assignment]
    error = refused(tuner, target, "db-durable-transaction=off")
    assert "was started with nsslapd-db-durable-transaction=off" in str(error.what)
    assert "could not be restored" in str(error.what)
    assert "No space left on device" in str(error.what)
    assert str(error.safe) == "The files may still have it; the journal keeps the change open."
    assert not target.down
    assert "transaction: off" in host.files[PATH]
    [change] = journal.changes(open_only=True)
    assert f"{PATH}.before-{change.group}" in host.files
    host.run = real  # type: ignore[method-assign]
    tuner.may_stop = False
    with pytest.raises(ChangeError, match="must be stopped to undo"):
        tuner.recover()
    tuner.may_stop = True
    [change] = tuner.recover()
    assert change.state is ChangeState.REVERTED
    assert host.files[PATH] == DSE
    assert not [name for name in host.files if "before-" in name]


def test_the_folder_of_the_file_is_that_of_the_certificates_else_above_the_schema(
    target: StoppedTarget,
) -> None:
    assert config_file(target) == PATH
    config = target.directory.entries[CONFIG]
    del config["nsslapd-certdir"]
    config["nsslapd-schemadir"] = ("/opt/ds/config/schema",)
    assert config_file(target) == "/opt/ds/config/dse.ldif"
    for relative in (("schema",), ()):
        config["nsslapd-schemadir"] = relative
        with pytest.raises(ChangeError):
            config_file(target)
    del target.directory.entries[CONFIG]
    with pytest.raises(ChangeError, match="does not say in which folder"):
        config_file(target)


def test_a_server_answers_over_a_new_link_and_another_one_is_no_answer(
    target: StoppedTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answers(target)
    assert target.reconnects == 0
    target.down = True
    assert answers(target) is False
    assert target.reconnects == 1
    monkeypatch.setattr(target, "reconnect", lambda: setattr(target, "down", False))
    assert answers(target) is True

    def raising(error: WorkbenchError) -> None:
        def reconnect() -> None:
            raise error

        target.down = True
        monkeypatch.setattr(target, "reconnect", reconnect)

    raising(AnotherServerError(Message("It is another one.")))
    assert answers(target) is False
    raising(AuthenticationError(Message("The password is wrong.")))
    with pytest.raises(AuthenticationError):
        answers(target)
