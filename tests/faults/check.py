"""What must hold after every seed. Pure: evidence in, violations out."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ldap_workbench.model.change import WHOLE_ENTRY, Origin
from tests.faults.audit import Write
from tests.faults.clock import Step
from tests.faults.config import Config, differences, differences_of_file
from tests.faults.plain_log import Count
from tests.faults.scenario import REFUSING_LOGINS, WORKING_LOGINS, Scenario
from tests.faults.stage import Said

Entry = dict[str, Any]
"""A line of `journal --json`."""
_ASKS_TO_END = ("SIGTERM", "SIGHUP", "SIGINT")
_STOPPING = "Stopping cleanly"
"""What the command says when it has heard a signal."""
OTHER = "localhost"
"""The profile of second workbenches."""
_CLAIMS_UNTOUCHED = re.compile(
    r"not affected|[Nn]othing was changed|is as it was( before)?\b|was reverted", re.ASCII
)
_NAMES_BOTH = re.compile(r"leads to another server now: (\S.*\S), not (?!\1)\S", re.ASCII)
_NO_WORKER = "no free worker answered for"
_REFUSALS = {
    "login-exit": "before a command ran",
    "login-requiretty": "tty",
    "login-expired": "password has expired",
}
"""What a capture says of a login that runs nothing, or not as root."""
_CLAIMS_STUCK = re.compile(r"could not be reverted")
_PROMISE = re.compile(r"is being reverted|the server is left as it was$", re.MULTILINE)


@dataclass(frozen=True)
class WindowSeen:
    """A window of the session: what it says of its access log, and what really is in it."""

    name: str
    cancelled: bool
    state: str
    why: str
    count: Count
    broken: tuple[str, ...] = ()
    """Other sources that failed, and why."""
    span: tuple[int, int] = (0, 0)
    """From when to when, ns, as it was placed."""


@dataclass
class Evidence:
    """Everything known of one seed. `at_end`: when the command had ended, before any recovery."""

    scenario: Scenario
    command: Said
    struck: bool = False
    """Whether the fault came while the command ran."""
    after_fault: str = ""
    """What the command wrote to standard error after the fault had come."""
    before: Config = field(default_factory=dict)
    at_end: Config = field(default_factory=dict)
    after: Config = field(default_factory=dict)
    file_before: Config = field(default_factory=dict)
    file_after: Config = field(default_factory=dict)
    other_before: Config = field(default_factory=dict)
    """Of the server that the name has moved to."""
    other_after: Config = field(default_factory=dict)
    clock: Step | None = None
    """How the clock of the log was set."""
    journal_at_end: list[Entry] = field(default_factory=list)
    journal_after: list[Entry] = field(default_factory=list)
    session_there: bool = False
    others: list[Said] = field(default_factory=list)
    """Second workbenches."""
    recovery: list[Said] = field(default_factory=list)
    readings: list[Said] = field(default_factory=list)
    windows: list[WindowSeen] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    written: set[Write] = field(default_factory=set)
    """What the server's audit log says was written to cn=config, by whomever."""


def is_open(entry: Entry) -> bool:
    """Whether what the entry tells may be in force."""
    return entry["state"] in ("intended", "applied", "reverting")


def violations(evidence: Evidence) -> list[str]:
    """One sentence each, beginning with the letter of the invariant."""
    return [
        *_configuration(evidence),
        *_journal(evidence),
        *_session(evidence),
        *_operations(evidence),
        *_clock(evidence),
        *_stuck(evidence),
        *_login(evidence),
        *_words(evidence),
        *[
            f"(f) left behind: {each}"
            for each in evidence.left
            if not is_deaf(evidence.scenario, each)
        ],
        *_tracebacks(evidence),
    ]


def _configuration(e: Evidence) -> list[str]:
    another = [
        f"(a) another server was written: {each}"
        for each in differences(e.other_before, e.other_after)
    ]
    return another + _left_in_force(e) + _not_restored(e)


def _left_in_force(e: Evidence) -> list[str]:
    """Whatever goes wrong here, the server is put back first. Only a workbench that was killed, and
    one whose server is gone, may leave a change; a `revert` that fails says so."""
    gone = ("SIGKILL", "server-death", "name-moves")
    excused = e.scenario.fault in gone or e.command.status is None or _stays_stuck(e)
    if excused or e.scenario.command.name == "revert":
        return []
    return [f"(a) left in force: {each}" for each in _of_the_command(e)]


def _of_the_command(e: Evidence) -> list[str]:
    """What differs when the command has ended, but for what a second workbench left open: its link
    may break when the first one restarts the server."""
    others = tuple(
        f"{each['dn'].lower()}: {each['attribute'].lower()} "
        for each in e.journal_at_end
        if is_open(each) and each["profile"] == OTHER
    )
    return [each for each in differences(e.before, e.at_end) if not each.startswith(others)]


def _not_restored(e: Evidence) -> list[str]:
    live = [f"(a) cn=config: {each}" for each in differences(e.before, e.after)]
    if live:
        return live
    changed = differences_of_file(e.file_before, e.file_after, e.before, _pinned(e))
    return [f"(a) dse.ldif: {each}" for each in changed]


def _pinned(e: Evidence) -> set[tuple[str, str]]:
    """DN and attribute of what the journal restores as a value, for it could not see whether one
    was stored, or the server does not delete it. Before such a change the operator is told."""
    return {
        (each["dn"].lower(), each["attribute"].lower())
        for each in (*e.journal_at_end, *e.journal_after)
        if each["origin"] in (Origin.UNKNOWN, Origin.PINNED)
    }


def _journal(e: Evidence) -> list[str]:
    found = [
        f"(b) journal: {each['knob']} is {each['state']} after the recovery"
        for each in e.journal_after
        if is_open(each) or each["state"] == "kept"
    ]
    noted = {(each["dn"].lower(), each["attribute"].lower()) for each in e.journal_after}
    if not any(each.status == 0 for each in e.others):
        found += [f"(b) journal: {dn}: {name} was written, no entry"
                  for dn, name in sorted(e.written - noted)]  # fmt: skip
    known = {
        (each["dn"].lower(), each["attribute"].lower())
        for each in e.journal_at_end
        if is_open(each)
    }
    for dn in e.before.keys() | e.at_end.keys():
        old, new = e.before.get(dn, {}), e.at_end.get(dn, {})
        found += [
            f"(b) journal: {dn}: {name} is {new.get(name)}, was {old.get(name)}, no open entry"
            for name in old.keys() | new.keys()
            if old.get(name) != new.get(name) and not known & {(dn, name), (dn, WHOLE_ENTRY)}
        ]
    return found


def _session(e: Evidence) -> list[str]:
    return [
        f"(c) session: '{each.words[0]}' ended with {each.status}: {_first(each.err)}"
        for each in e.readings
        if each.status != 0
    ]


def _operations(e: Evidence) -> list[str]:
    found = []
    for window in e.windows:
        whole = window.state == "complete" and not window.cancelled
        count = window.count
        if whole and (count.missing or count.extra):
            found.append(
                f"(d) operations: window {window.name} is called complete, lacks {count.missing} "
                f"of {count.expected} {list(count.examples)}, has {count.extra} too many"
            )
        if count.extra and not whole and not _clock_was_set_in(e, window):
            found.append(f"(d) operations: window {window.name} has {count.extra} too many")
        if window.broken and e.command.status == 0 and e.scenario.command.name == "capture":
            found.append(f"(d) sources: exit 0 with {'; '.join(window.broken)}")
        if not whole and e.command.status == 0 and e.scenario.command.name == "capture":
            found.append(
                f"(d) operations: exit 0 with the access log {window.state} "
                f"({window.why}), {count.missing} of {count.expected} missing"
            )
    if e.command.status == 0 and not e.windows and e.scenario.command.name == "capture":
        found.append("(d) operations: exit 0 without a window")
    return found


def _clock(e: Evidence) -> list[str]:
    """A window in which the clock of the log was set lacks operations, whatever came of it."""
    return [
        f"(d) clock: set by {e.clock.step_s} s in window {window.name}, "
        f"which is called {window.state} ({window.why})"
        for window in e.windows
        if e.clock is not None
        and _clock_was_set_in(e, window)
        and not window.cancelled
        and (window.state == "complete" or "clock" not in window.why)
    ]


def _clock_was_set_in(e: Evidence, window: WindowSeen) -> bool:
    return e.clock is not None and window.span[0] <= e.clock.moment_ns < window.span[1]


def _stays_stuck(e: Evidence) -> bool:
    return e.scenario.fault == "stuck-pool" and not e.scenario.numbers["comes_back"]


def _stuck(e: Evidence) -> list[str]:
    """A capture of a server that does not answer is one of its host, with the reason."""
    captured = e.scenario.command.name == "capture" and e.scenario.fault == "stuck-pool"
    if not (captured and e.struck):
        return []
    if not e.windows:
        return [f"(c) session: no window of a server that is stuck: {_first(e.command.err)}"]
    found = [
        f"(d) sources: of the host of a stuck server {why}"
        for window in e.windows
        for why in window.broken
        if why.startswith(("iostat", "host"))  # where its error log is, it cannot say
    ]
    found += [f"(d) operations: the access log of a stuck server is {window.state} ({window.why})"
              for window in e.windows if window.state not in ("complete", "partial")]  # fmt: skip
    whole = all(window.state == "complete" for window in e.windows)
    told = any(_NO_WORKER in each.out for each in e.readings)
    if _stays_stuck(e) and not whole and not told:
        found.append("(e) words: no finding says that no free worker answered")
    return found


def _login(e: Evidence) -> list[str]:
    """Any login will do; one that runs nothing is named where its host is what was to be read."""
    fault, ended = e.scenario.fault, e.command
    if fault in WORKING_LOGINS and ended.status != 0:
        return [f"(e) words: {fault}, and '{ended.words[0]}' ended with {ended.status}: "
                f"{_first(ended.err)}"]  # fmt: skip
    if fault not in REFUSING_LOGINS or e.scenario.command.name != "capture":
        return []
    said = [ended.err, *(window.why for window in e.windows)]
    if e.scenario.moment.kind != "before" or any(_REFUSALS[fault] in text for text in said):
        return []
    return [f"(e) words: does not say what is wrong with {fault}: {_first(ended.err)}"]


def _words(e: Evidence) -> list[str]:
    found = _statuses(e)
    changed = _of_the_command(e)
    open_at_end = [each for each in e.journal_at_end if is_open(each)]
    text = _PROMISE.sub("", e.command.err) + e.command.out
    if changed and e.scenario.command.name != "revert" and _CLAIMS_UNTOUCHED.search(text):
        claim = _CLAIMS_UNTOUCHED.search(text)
        assert claim is not None
        found.append(f"(e) words: says '{_line_of(text, claim)}' with {changed[0]}")
    if not changed and not open_at_end and (claim := _CLAIMS_STUCK.search(text)):
        found.append(f"(e) words: says '{_line_of(text, claim)}' but it was reverted")
    if changed and e.command.status == 0:
        found.append(f"(e) words: exit 0 with {changed[0]}")
    if e.scenario.fault == "name-moves" and open_at_end and not _NAMES_BOTH.search(e.command.err):
        found.append(f"(e) words: does not say where the name leads: {_last(e.command.err)}")
    if e.command.status == 0 and e.scenario.command.experiment:
        found += _experiment_ended(e.command.out)
    return found


def _statuses(e: Evidence) -> list[str]:
    status, fault = e.command.status, e.scenario.fault
    if status is None:
        return [f"(e) words: '{e.command.words[0]}' did not end by itself"]
    found = []
    sent = {"SIGKILL": -9, "SIGTERM": -15, "SIGHUP": -1, "SIGINT": -2}.get(fault)
    if status not in (0, 1, 2, sent, 130, 143, 129):
        found.append(f"(e) words: status {status}")
    if status == 0 and _went_on_measuring(e):
        found.append(f"(e) words: {fault} was not obeyed: another window, status 0")
    if status == 2 and fault != "two-workbenches":
        found.append(f"(e) words: exit 2 (usage) for a failure: {_first(e.command.err)}")
    if status in (1, 2) and not e.command.err.strip():
        found.append(f"(e) words: status {status} without a word")
    found += [
        f"(e) words: '{' '.join(each.words)}' ended with {each.status}: {_first(each.err)}"
        for each in e.recovery
        if each.status != 0
    ]
    found += [
        f"(e) words: second workbench ended with {each.status}: {_first(each.err)}"
        for each in e.others
        if each.status not in (0, 1)
    ]
    if e.others and e.command.status == 0 and any(each.status == 0 for each in e.others):
        found += _both_went_through(e)
    return found


def _went_on_measuring(e: Evidence) -> bool:
    """Whether an experiment that was asked to end began another window. Where all was measured what
    is left is putting back, which nothing stops and which takes as long as the machine needs."""
    if e.scenario.fault not in _ASKS_TO_END or not e.scenario.command.experiment:
        return False
    _, heard, since = e.command.err.partition(_STOPPING)
    return "Measuring" in (since if heard else e.after_fault)


def _both_went_through(e: Evidence) -> list[str]:
    """Two workbenches at once may both end well only one after the other: no overlap of changes."""
    spans: dict[str, list[int]] = {}
    for each in e.journal_at_end:
        spans.setdefault(each["group"], []).extend((each["created_ns"], each["updated_ns"]))
    ordered = sorted((min(times), max(times)) for times in spans.values())
    if any(later[0] < earlier[1] for earlier, later in pairwise(ordered)):
        return ["(e) words: two workbenches changed the server at the same time, both exit 0"]
    return []


def _experiment_ended(out: str) -> list[str]:
    try:
        state = json.loads(out)["state"]
    except (ValueError, KeyError) as error:
        return [f"(e) words: exit 0 and no JSON that tells the state ({error!r})"]
    return [] if state == "reverted" else [f"(e) words: exit 0 and state {state}"]


def _tracebacks(e: Evidence) -> list[str]:
    found = []
    for each in (e.command, *e.others, *e.recovery, *e.readings):
        if _before_our_first_line(each):
            continue
        if "Traceback (most recent call last)" in each.text:
            found.append(f"(g) traceback in '{each.words[0]}': {_last(each.err)}")
        elif "a bug of its own" in each.text or "Fatal Python error" in each.text:
            found.append(f"(g) fault in '{each.words[0]}': {_last(each.err)}")
    return found


def _before_our_first_line(said: Said) -> bool:
    """Ctrl-C while Python itself loads, before it has come to anything of ours."""
    status = 1 if "init_import_site" in said.err else -2  # Python's, in its very first module
    ended = said.status == status and _last(said.err) == "KeyboardInterrupt"
    return ended and not said.out and "/ldap_workbench/" not in said.err


def is_deaf(scenario: Scenario, left: str) -> bool:
    """A login whose link went half-open hears of no end: its sshd waits for its own timeout."""
    return scenario.fault == "ssh-half-open" and re.match(r"\d+ sshd: ", left) is not None


def _first(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if "Error" in line] or text.splitlines()
    return lines[0].strip()[:200] if lines else ""


def _last(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


def _line_of(text: str, found: re.Match[str]) -> str:
    start = text.rfind("\n", 0, found.start()) + 1
    return text[start : text.find("\n", found.end())].strip()[:160]
