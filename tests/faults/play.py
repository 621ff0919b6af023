"""One seed from start to end: the command, the fault at its moment, the recovery, the evidence."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.window import SourceKind, SourceState, Window
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.journal import Journal
from tests.faults import audit, leftovers, plain_log
from tests.faults.check import Entry, Evidence, WindowSeen, is_deaf, is_open
from tests.faults.clock import Step
from tests.faults.config import config_of, file_config, live_config
from tests.faults.inject import begin, strike
from tests.faults.scenario import Moment, Scenario
from tests.faults.stage import PATIENCE_S, WORKBENCH, Place, Said, Stage, end, said

_WORK_S = 240.0
"""What a command may take after its fault beside waiting for a server that is gone. A quiet machine
needs 10 s; the limit is there to end a command that hangs, not to judge how fast it is."""
_BROUGHT = 6 << 20
"""Bytes of log that a slow line may have to bring, on a busy machine: what is logged from the
start of the sources to the window's end, twice. No plan limits that; the progress tells of it."""
_POLL_S = 0.002


@dataclass
class Played:
    """What came out of a seed, and where its folders are."""

    evidence: Evidence
    place: Place
    seconds: float


def play(stage: Stage, scenario: Scenario) -> Played:
    """Play a seed on a clean stage. The stage is whole again afterwards, or the caller drops it."""
    began = time.monotonic()
    place = stage.place(f"seed-{scenario.seed}", scenario.fault)
    evidence = _before(stage, place, scenario)
    log, audited = plain_log.mark(stage.lab.slapd.logs), audit.size(stage.audit_log)
    if scenario.command.name == "revert":
        _leave_open(stage, place, scenario)
    _command(stage, place, evidence)
    if scenario.fault == "name-moves":
        evidence.other_after = config_of(stage.another_server())
    evidence.clock = stage.clock.step
    stage.revive()
    place.give_back_disks()
    evidence.at_end = live_config(stage.lab)
    evidence.journal_at_end = entries(place.home)
    evidence.session_there = place.session.exists()
    _recover(stage, place, evidence)
    if scenario.command.restart:
        stage.restart()
    evidence.written = audit.writes(stage.audit_log, audited)
    _after(stage, place, evidence, log)
    return Played(evidence, place, time.monotonic() - began)


def _before(stage: Stage, place: Place, scenario: Scenario) -> Evidence:
    moves = scenario.fault == "name-moves"
    return Evidence(
        scenario,
        Said((), None, "", ""),
        other_before=config_of(stage.another_server()) if moves else {},
        before=live_config(stage.lab),
        file_before=file_config(stage.lab),
    )


def words_of(stage: Stage, place: Place, scenario: Scenario, profile: str = "lab") -> list[str]:
    """The words of the command under test."""
    command, session = scenario.command, str(place.session)
    if command.name in ("capture", "creation"):
        return ["capture", profile, "-o", session, "--seconds", "2", "--json"]
    if command.name == "revert":
        return ["revert", profile, "--all"]
    words = ["experiment", profile, "-o", session, "--design", "pairs:1", "--window", "1",
             "--settle", "0.3", "--yes", "--json", "--load", _load(stage, place),
             "--seed", str(scenario.seed)]  # fmt: skip
    return words + _treatment(scenario)


def _load(stage: Stage, place: Place) -> str:
    """A load command that is known for this seed's wherever it runs."""
    module = f"{sys.executable} -m tests.faults.load {stage.lab.port}"
    return f"{module} --rate 50 --seconds {{seconds}} --mark {place.mark}"


def _treatment(scenario: Scenario) -> list[str]:
    words = ["--then", "revert"]
    for setting in scenario.command.settings:
        words += ["--set", setting]
    return words + (["--offline"] if scenario.command.offline else [])


def _leave_open(stage: Stage, place: Place, scenario: Scenario) -> None:
    """A change in force and open in the journal, as a workbench that died leaves it."""
    code = (
        "import os, sys\n"
        "from ldap_workbench.connect.profiles import ProfileStore\n"
        "from ldap_workbench.connect.secrets import Secrets\n"
        "from ldap_workbench.servers.target import connect\n"
        "from ldap_workbench.tuning.journal import Journal\n"
        "from ldap_workbench.tuning.tuner import Tuner\n"
        "target = connect(ProfileStore().get('lab'), Secrets())\n"
        "tuner = Tuner(target, Journal())\n"
        "tuner.apply(tuner.catalogue.treatment(sys.argv[1:], target.facts))\n"
        "os.kill(os.getpid(), 9)\n"
    )
    argv = [sys.executable, "-c", code, *scenario.command.settings]
    done = subprocess.run(
        argv,
        env=stage.environment(place),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    if done.returncode != -signal.SIGKILL:
        raise RuntimeError(f"the change to revert could not be made: {done.stderr[-2000:]}")


def _command(stage: Stage, place: Place, evidence: Evidence) -> None:
    """Run the command and strike at the moment, if it comes while the command runs."""
    scenario = evidence.scenario
    words = words_of(stage, place, scenario)
    small = scenario.fault.startswith("disk-") and os.geteuid() != 0
    begin(stage, scenario)
    began, passed = time.monotonic(), stage.ldap.up.passed
    process = stage.launch(place, words, "command", small_files=small)
    written = None
    if _moment_comes(scenario.moment, process, place, began, lambda: stage.ldap.up.passed - passed):
        evidence.struck = process.poll() is None
        evidence.others = strike(stage, place, scenario, process)
        written = (place.folder / "command.err").stat().st_size
    status = end(process, longest_s(scenario))
    if written is not None:
        words_after = (place.folder / "command.err").read_bytes()[written:]
        evidence.after_fault = words_after.decode(errors="replace")
    ended = said(place, [os.path.basename(WORKBENCH), *words][1:], "command", status)
    evidence.command = Said(ended.words, status, ended.out, ended.err, time.monotonic() - began)


def longest_s(scenario: Scenario) -> float:
    """How long the command may go on after its fault: as long as its plan says it waits."""
    waits = Plan.patience_s
    if rate := scenario.numbers.get("bytes_per_s"):
        waits += _BROUGHT / rate
    if scenario.command.restart:
        waits += Plan.restart_wait_s
    return waits + _WORK_S


def _moment_comes(
    moment: Moment,
    process: subprocess.Popen[bytes],
    place: Place,
    began: float,
    asked: Callable[[], int],
) -> bool:
    """Wait for the moment; False where the command ended before it came."""
    comes = {
        "before": lambda: True,
        "time": lambda: True,
        "line": lambda: moment.what in (place.folder / "command.err").read_text(errors="replace"),
        "journal": lambda: moment.what in _states(place),
        "asked": lambda: asked() >= int(moment.what),
    }[moment.kind]
    while process.poll() is None:
        if comes():
            since = time.monotonic() if moment.kind not in ("before", "time") else began
            return _still_running(process, since + moment.after_s)
        time.sleep(_POLL_S)
    return False


def _still_running(process: subprocess.Popen[bytes], until: float) -> bool:
    with suppress(subprocess.TimeoutExpired):
        process.wait(max(0.0, until - time.monotonic()))
    return process.poll() is None


def _states(place: Place) -> set[str]:
    """States of the journal's entries at this moment, read beside the workbench."""
    path = place.home / "state" / "journal.sqlite"
    if not path.exists():
        return set()
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=0)) as link:
            return {row[0] for row in link.execute("SELECT state FROM change")}
    except sqlite3.Error:  # being made, or busy: at the next look
        return set()


def entries(home: Path) -> list[Entry]:
    """The journal's entries, read without a command; none where it was never made."""
    path = home / "state" / "journal.sqlite"
    if not path.exists():
        return []
    with closing(Journal(path)) as journal:
        return [asdict(change) for change in journal.changes()]


def _recover(stage: Stage, place: Place, evidence: Evidence) -> None:
    """What the manual says: revert what is open, go on with what was interrupted."""
    scenario = evidence.scenario
    for profile in sorted({e["profile"] for e in evidence.journal_at_end if is_open(e)}):
        words = ["revert", profile, "--all", *(["--offline"] if scenario.command.offline else [])]
        evidence.recovery.append(stage.run(place, words, f"revert-{profile}"))
    if scenario.recovery == "resume" and _can_go_on(place):
        words = ["experiment", "lab", "-o", str(place.session), "--resume", "--yes", "--json",
                 "--accept-load", _load(stage, place), *_treatment(scenario)]  # fmt: skip
        evidence.recovery.append(stage.run(place, words, "resume", timeout=longest_s(scenario)))
    evidence.journal_after = entries(place.home)


def _can_go_on(place: Place) -> bool:
    if not place.session.exists():
        return False
    try:
        with Session.open(place.session) as session:
            found = session.experiments()
    except WorkbenchError:  # told by the readings
        return False
    return bool(found) and not found[-1].state.ended


def _after(stage: Stage, place: Place, evidence: Evidence, log: plain_log.LogMark) -> None:
    evidence.after, evidence.file_after = live_config(stage.lab), file_config(stage.lab)
    if place.session.exists():
        evidence.readings = _read(stage, place, evidence.scenario)
        if all(each.status == 0 for each in evidence.readings):
            evidence.windows = _windows(stage, place, log, evidence.clock)
    evidence.left = _left(stage, place, evidence)


def _read(stage: Stage, place: Place, scenario: Scenario) -> list[Said]:
    """The session as a person reads it, all commands at once."""
    names = ["windows", "tails", *(["findings"] if scenario.fault == "stuck-pool" else [])]
    commands = [[name, str(place.session), "--json"] for name in names]
    running = [stage.launch(place, words, words[0]) for words in commands]
    return [
        said(place, words, words[0], end(process, PATIENCE_S))
        for words, process in zip(commands, running, strict=True)
    ]


def _windows(
    stage: Stage, place: Place, log: plain_log.LogMark, step: Step | None
) -> list[WindowSeen]:
    plain = plain_log.operations(stage.lab.slapd.logs, log)
    if step is not None:
        plain = [step.logged(operation) for operation in plain]
    with Session.open(place.session) as session:
        return [_window(session, window, plain) for window in session.windows()]


def _window(
    session: Session, window: Window, plain: list[tuple[int, plain_log.Operation]]
) -> WindowSeen:
    sources = session.sources(window.id)
    logs = [s for s in sources if s.kind is SourceKind.ACCESS_LOG]
    broken = tuple(f"{s.kind.value}: {s.why}" for s in sources if s.state is SourceState.FAILED)
    state, why = (logs[0].state.value, str(logs[0].why)) if logs else ("missing", "no such source")
    rows = session.operations(window)
    chosen = ~rows.internal
    columns = (rows.end_ns[chosen], rows.conn[chosen], rows.op[chosen])
    stored = list(zip(*(column.tolist() for column in columns), strict=True))
    told_open = logs[0].details.get("open_operations", 0) if logs else 0
    told_open += len(set(rows.conn[rows.own].tolist()))  # ours, one a connection, is not told
    count = plain_log.compare(plain, window.start_ns, window.end_ns, stored, told_open)
    span = (window.start_ns, window.end_ns)
    return WindowSeen(window.name, window.cancelled, state, why, count, broken, span)


def _left(stage: Stage, place: Place, evidence: Evidence) -> list[str]:
    user = stage.lab.user if stage.lab.has_sudo else None

    def look() -> list[str]:
        running = leftovers.processes(place.mark, user, str(stage.lab.slapd.folder))
        return [line for line in running if not is_deaf(evidence.scenario, line)]

    full = evidence.scenario.fault.startswith("disk-")
    clean = evidence.command.status in (0, 1) and not full
    here = leftovers.files(
        place.home, place.sessions, place.temporary, place.session.name, killed=not clean
    )
    running = leftovers.until_none(look)
    leftovers.end(place.mark)
    return [*running, *leftovers.held_locks(place.home), *here, *stage.strange_files()]
