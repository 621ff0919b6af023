"""The checker sees each violation: evidence of a good seed, with one thing wrong in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.faults.check import Evidence, WindowSeen, violations
from tests.faults.clock import Step
from tests.faults.config import parse
from tests.faults.plain_log import Count
from tests.faults.scenario import COMMANDS, Moment, Scenario
from tests.faults.stage import Said

_LIVE = next(command for command in COMMANDS if command.name == "live")
_CAPTURE = next(command for command in COMMANDS if command.name == "capture")
_DN = "cn=config,cn=ldbm database,cn=plugins,cn=config"
_AS_IT_WAS = parse(f"dn: {_DN}\nnsslapd-idlistscanlimit: 4000\nmodifyTimestamp: 1\n")
_CHANGED = parse(f"dn: {_DN}\nnsslapd-idlistscanlimit: 5000\nmodifyTimestamp: 2\n")
_WHOLE = WindowSeen("A1", False, "complete", "", Count(300, 0, 0))


def _entry(state: str) -> dict[str, Any]:
    knob = "nsslapd-idlistscanlimit"
    return {"dn": _DN, "attribute": knob, "knob": knob, "state": state, "group": "a",
            "profile": "lab", "created_ns": 1, "updated_ns": 9, "origin": ""}  # fmt: skip


def _experiment() -> Evidence:
    """An experiment that SIGTERM ended well: reverted, told, readable."""
    scenario = Scenario(1, _LIVE, "SIGTERM", Moment("time"))
    said = Said(("experiment",), 1, "", "Error: It was cancelled.\n  The server is as it was.\n")
    return Evidence(
        scenario, said, struck=True, before=_AS_IT_WAS, at_end=_AS_IT_WAS, after=_AS_IT_WAS,
        file_before=_AS_IT_WAS, file_after=_AS_IT_WAS, journal_at_end=[_entry("reverted")],
        journal_after=[_entry("reverted")], session_there=True,
        readings=[Said(("windows",), 0, "[]", "")], windows=[_WHOLE],
    )  # fmt: skip


def _capture() -> Evidence:
    scenario = Scenario(1, _CAPTURE, "ssh-cut", Moment("time"), {"seconds": 1})
    return replace(_experiment(), scenario=scenario, command=Said(("capture",), 0, "{}", ""),
                   journal_at_end=[], journal_after=[])  # fmt: skip


def _with(evidence: Evidence, **changes: Any) -> Evidence:
    return replace(evidence, **changes)


def _said(evidence: Evidence, **changes: Any) -> Evidence:
    return replace(evidence, command=replace(evidence.command, **changes))


def _open() -> Evidence:
    """The workbench died with the change in force, and `revert --all` took it back."""
    killed = _said(_experiment(), status=-9, err="")
    return replace(killed, scenario=replace(killed.scenario, fault="SIGKILL"), at_end=_CHANGED,
                   journal_at_end=[_entry("applied")],
                   recovery=[Said(("revert",), 0, "", "")])  # fmt: skip


def _moved() -> Evidence:
    """The name led to another server while the change was in force, and the command said so."""
    words = "Error: ldap://a leads to another server now: b (389ds:2), not a (389ds:1)."
    ended = _said(_open(), status=1, err=words)
    return replace(ended, scenario=replace(ended.scenario, fault="name-moves"),
                   other_before=_AS_IT_WAS, other_after=_AS_IT_WAS)  # fmt: skip


_SET = "the log's clock was set forward by 30.0 s"
_SILENT = '[{"sentence": "It took the connection, but no free worker answered for 30 s."}]'


def _clock_step() -> Evidence:
    """The clock of the log was set in mid-window, and the window says so."""
    scenario = Scenario(1, _CAPTURE, "clock-step", Moment("time"), {"step_s": 30.0, "host": 0.0})
    window = replace(_WHOLE, state="partial", why=_SET, count=Count(300, 9, 9), span=(100, 200))
    step = Step(150, 30)
    return replace(_said(_capture(), status=1, err="Partial."), scenario=scenario, windows=[window],
                   clock=step)  # fmt: skip


def _stuck() -> Evidence:
    """The server stuck to the end of a capture, and its host was captured."""
    numbers = {"seconds": 1.0, "comes_back": 0.0}
    scenario = Scenario(1, _CAPTURE, "stuck-pool", Moment("before"), numbers)
    window = replace(_WHOLE, state="partial", why="it did not answer", broken=("monitor: silent",))
    return replace(_said(_capture(), status=1, err="Partial."), scenario=scenario, windows=[window],
                   readings=[Said(("findings",), 0, _SILENT, "")])  # fmt: skip


def _login(fault: str) -> Evidence:
    """A capture over a login that works, or that is named."""
    scenario = Scenario(1, _CAPTURE, fault, Moment("before"))
    if fault == "login-csh":
        return replace(_capture(), scenario=scenario)
    words = "The login a ended with status 1 before a command ran."
    failed = replace(_WHOLE, state="failed", why=words)
    ended = _said(_capture(), status=1, err="Measuring")
    return replace(ended, scenario=scenario, windows=[failed])


_WELL = [_experiment(), _capture(), _open(), _moved(), _clock_step(), _stuck(),
         _login("login-csh"), _login("login-exit")]  # fmt: skip


@pytest.mark.parametrize("evidence", _WELL)
def test_what_went_well_violates_nothing(evidence: Evidence) -> None:
    assert violations(evidence) == []


@pytest.mark.parametrize(
    ("since", "violated"), [("The server is down", 0), ("(arm B): Measuring", 1)]
)
def test_what_was_measured_is_put_back_whatever_asks_to_end(since: str, violated: int) -> None:
    err = f"Reverting\nStopping cleanly (kill).\n{since}\n"
    ended = _said(_experiment(), status=0, out='{"state": "reverted"}', err=err)
    assert len([each for each in violations(ended) if "not obeyed" in each]) == violated


@pytest.mark.parametrize(
    ("after_fault", "violated"), [("Judging\nReverting\n", 0), ("(arm B): Measuring\n", 1)]
)
def test_a_signal_nobody_heard_is_judged_by_what_was_done_after_it(
    after_fault: str, violated: int
) -> None:
    err = f"(arm A): Measuring\n{after_fault}"
    ended = _said(_experiment(), status=0, out='{"state": "reverted"}', err=err)
    found = violations(_with(ended, after_fault=after_fault))
    assert len([each for each in found if "not obeyed" in each]) == violated


@pytest.mark.parametrize(("fault", "violated"), [("ssh-half-open", 0), ("ssh-cut", 1)])
def test_a_login_that_hears_nothing_is_the_hosts_to_end(fault: str, violated: int) -> None:
    evidence = _experiment()
    scenario = replace(evidence.scenario, fault=fault)
    left = ["17 sshd: wblab5@notty"]
    found = violations(replace(evidence, scenario=scenario, left=left))
    assert len([each for each in found if each.startswith("(f)")]) == violated


def _window(evidence: Evidence, **changes: Any) -> Evidence:
    return replace(evidence, windows=[replace(evidence.windows[0], **changes)])


_TAMPERED: list[tuple[str, Callable[[], Evidence]]] = [
    ("(a)", lambda: _with(_moved(), other_after=_CHANGED)),
    ("(b)", lambda: _with(_moved(), journal_at_end=[_entry("reverted")])),
    ("(e)", lambda: _said(_moved(), err="Error: The connection broke.")),
    ("(d)", lambda: _with(_clock_step(), windows=[replace(_WHOLE, span=(100, 200))])),
    ("(d)", lambda: _window(_clock_step(), why="the link was cut")),
    ("(c)", lambda: _with(_stuck(), session_there=False, readings=[], windows=[])),
    ("(c)", lambda: _with(_stuck(), windows=[])),
    ("(e)", lambda: _with(_stuck(), readings=[Said(("findings",), 0, "[]", "")])),
    ("(d)", lambda: _window(_stuck(), broken=("iostat: silent",))),
    ("(d)", lambda: _window(_stuck(), state="missing")),
    ("(e)", lambda: _said(_login("login-csh"), status=1, err="Error: The login failed.")),
    ("(e)", lambda: _window(_login("login-exit"), why="Rotate less often.")),
    ("(a)", lambda: _with(_experiment(), after=_CHANGED)),
    ("(a)", lambda: _with(_experiment(), after={})),
    ("(a)", lambda: _with(_experiment(), file_after=_CHANGED)),
    ("(a)", lambda: _with(_experiment(), file_after={})),
    # SIGTERM, and the abort forgot to revert: what `revert --all` mended afterwards is no excuse.
    ("(a)", lambda: _with(_experiment(), at_end=_CHANGED, journal_at_end=[_entry("applied")])),
    ("(b)", lambda: _with(_open(), journal_at_end=[])),
    ("(b)", lambda: _with(_open(), journal_at_end=[_entry("reverted")])),
    ("(b)", lambda: _with(_experiment(), journal_after=[_entry("applied")])),
    ("(b)", lambda: _with(_experiment(), journal_after=[_entry("kept")])),
    ("(b)", lambda: _with(_experiment(), written={(_DN, "nsslapd-lookthroughlimit")})),
    ("(c)", lambda: _with(_experiment(), readings=[Said(("tails",), 1, "", "Error: corrupt")])),
    ("(d)", lambda: _with(_capture(), windows=[replace(_WHOLE, count=Count(300, 1, 0))])),
    ("(d)", lambda: _with(_capture(), windows=[replace(_WHOLE, count=Count(300, 0, 1))])),
    ("(d)", lambda: _with(_capture(), windows=[replace(_WHOLE, state="partial")])),
    ("(d)", lambda: _with(_capture(), windows=[replace(_WHOLE, broken=("iostat: cut",))])),
    ("(d)", lambda: _with(_capture(), windows=[])),
    ("(e)", lambda: _with(_experiment(), at_end=_CHANGED, journal_at_end=[_entry("applied")])),
    ("(e)", lambda: _said(_open(), err="The server is not affected.")),
    ("(e)", lambda: _said(_experiment(), err="Error: The change could not be reverted.")),
    ("(e)", lambda: _said(_experiment(), status=None)),
    ("(e)", lambda: _said(_experiment(), status=-11)),
    ("(e)", lambda: _said(_experiment(), status=2)),
    ("(e)", lambda: _said(_experiment(), err="")),
    ("(e)", lambda: _said(_experiment(), status=0, out='{"state": "aborted"}')),
    ("(e)", lambda: _said(_experiment(), status=0, out="")),
    ("(e)", lambda: _with(_open(), recovery=[Said(("revert",), 1, "", "Error: no")])),
    ("(f)", lambda: _with(_experiment(), left=["17 tail -F /var/log/access"])),
    ("(g)", lambda: _said(_experiment(), err="Traceback (most recent call last):\n  KeyError")),
    (
        "(g)",
        lambda: _said(
            _experiment(), err="The workbench failed because of a bug of its own (KeyError)."
        ),
    ),
]


@pytest.mark.parametrize(("letter", "tampered"), _TAMPERED)
def test_each_wrong_is_seen(letter: str, tampered: Callable[[], Evidence]) -> None:
    assert letter in {each[:3] for each in violations(tampered())}


_UNSTORED = parse(f"dn: {_DN}\ncn: config\n")
_SPELLED_OUT = parse(f"dn: {_DN}\ncn: config\nnsslapd-idlistscanlimit: 4000\n")


@pytest.mark.parametrize(
    ("origin", "violated"), [("", 1), ("automatic", 1), ("unknown", 0), ("pinned", 0)]
)
def test_a_default_is_spelled_out_only_where_the_journal_says_that_it_will_be(
    origin: str, violated: int
) -> None:
    entry = _entry("reverted") | {"origin": origin}
    spelled = _with(_experiment(), file_before=_UNSTORED, file_after=_SPELLED_OUT,
                    journal_at_end=[entry], journal_after=[entry])  # fmt: skip
    assert len([each for each in violations(spelled) if "dse.ldif" in each]) == violated


def test_a_window_that_ended_before_the_clock_was_set_is_held_to_the_log_as_any_other() -> None:
    before = replace(_WHOLE, span=(50, 100))
    assert violations(_with(_clock_step(), windows=[before])) == []
    lacks = replace(before, count=Count(300, 1, 0))
    assert violations(_with(_clock_step(), windows=[lacks])) != []


def test_a_change_is_left_in_force_only_where_the_server_stays_stuck() -> None:
    numbers = {"seconds": 1.0, "comes_back": 0.0}
    scenario = Scenario(1, _LIVE, "stuck-pool", Moment("time"), numbers)
    left = _said(_with(_open(), scenario=scenario), status=1, err="Error: No answer.")
    assert violations(left) == []
    scenario = replace(scenario, numbers=numbers | {"comes_back": 1.0})
    assert any("left in force" in each for each in violations(_with(left, scenario=scenario)))


def test_what_a_second_workbench_left_open_is_not_the_first_ones() -> None:
    left = _with(_experiment(), at_end=_CHANGED,
                 journal_at_end=[_entry("applied") | {"profile": "localhost"}])  # fmt: skip
    assert violations(_said(left, err="Error: It was cancelled.")) == []


def test_two_workbenches_one_after_the_other_are_fine() -> None:
    entries = [_entry("reverted"), _entry("reverted") | {"group": "b", "created_ns": 10,
                                                         "updated_ns": 12}]  # fmt: skip
    both = _with(_said(_experiment(), status=0, out='{"state": "reverted"}'),
                 journal_at_end=entries, others=[Said(("experiment",), 0, "", "")])  # fmt: skip
    assert violations(both) == []
    entries[1]["created_ns"] = 5
    assert any("at the same time" in each for each in violations(both))


_LOADING = 'Traceback (most recent call last):\n  File "{}", line 3, in <module>\n{}'


@pytest.mark.parametrize(
    ("file", "error", "status", "violated"),
    [
        ("/usr/lib/python3.11/re/__init__.py", "KeyboardInterrupt", -2, False),
        ("/opt/app/ldap_workbench/cli/app.py", "KeyboardInterrupt", -2, True),
        ("/usr/lib/python3.11/re/__init__.py", "KeyError: 'x'", 1, True),
        ("/usr/lib/python3.11/re/__init__.py", "KeyboardInterrupt", 1, True),
        ("Fatal Python error: init_import_site", "KeyboardInterrupt", 1, False),
    ],
)
def test_ctrl_c_before_our_first_line_is_pythons_to_tell(file, error, status, violated) -> None:
    scenario = Scenario(1, _CAPTURE, "SIGINT", Moment("time"))
    said = Said(("capture",), status, "", _LOADING.format(file, error))
    evidence = replace(_capture(), scenario=scenario, command=said)
    assert any(each.startswith("(g)") for each in violations(evidence)) is violated
