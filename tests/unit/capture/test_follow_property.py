"""Whatever happens to a log between two commands: each line comes once, or it is said."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from ldap_workbench.capture import link
from ldap_workbench.model.window import SourceState
from tests.unit.capture.log_host import LogFolder, Steps, captured

FEW, MANY = 4, 40
"""A second each, beside those that failed once; some hundreds show what is rare."""

STYLES = st.sampled_from(["389", "copy", "numbers"])
ACTIONS = st.one_of(
    st.just(("write",)),
    st.tuples(st.just("rotate"), st.integers(1, 3)),
    st.tuples(st.just("pack"), st.integers(0, 3)),
    st.just(("wait",)),
)
DELETES = st.one_of(ACTIONS, st.tuples(st.just("delete"), st.integers(0, 3)))
CUTS = st.lists(st.integers(0, 6000), max_size=4)

WRITE, WAIT = ("write",), ("wait",)


def rotate(second=1):
    return ("rotate", second)


def pack(which):
    return ("pack", which)


def delete(which):
    return ("delete", which)


def often(examples, phases=(Phase.explicit, Phase.reuse, Phase.generate)):
    def decorated(test):
        test = settings(
            max_examples=int(os.environ.get("LDAP_WORKBENCH_EXAMPLES", examples)),
            deadline=None,
            phases=phases,
            suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
        )(test)
        return pytest.mark.timeout(1800)(test)

    return decorated


def played(monkeypatch, style, actions, cuts):
    """A capture of a log to which this happens; its source, what came, what was written, and
    whether anything was deleted."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = LogFolder(folder, style)
        log.write()
        before = len(log.written)

        def step(name, *words):
            return lambda: None if name == "wait" else getattr(log, name)(*words)

        steps = Steps(folder, [step(*each) for each in actions] + [log.write, log.finish])
        with monkeypatch.context() as patch:
            patch.setattr(link, "_PAUSES_S", ())
            patch.setattr(link, "_PAUSE_S", 0.0)
            patch.setenv("PATH", f"{steps.path}:{os.environ['PATH']}")
            source, text = captured(log.log, list(cuts), steps)
        return source, text, log.written[before:], log.deleted


# Two files named by the same second, the first one packed by then.
@example("389", [WAIT, WRITE, *[WAIT] * 3, WRITE, WAIT, rotate(2), WAIT, WRITE, rotate(1), WRITE,
                 rotate(3), pack(1), pack(2), WAIT, WRITE, WRITE, pack(2)], [1, 0, 1])  # fmt: skip
# Cut to nothing and grown beyond the place, all between two looks.
@example("copy", [rotate(), WRITE, rotate(), WRITE, WAIT, WRITE, WRITE, WAIT], [2764, 3177, 0, 1])
# Cut to nothing between the listing and the first look.
@example("copy", [WAIT, rotate(), WAIT, WRITE, rotate(), pack(0), rotate(), rotate(), WRITE, WRITE,
                  WAIT, WRITE, rotate()], [0, 4907, 0, 4434])  # fmt: skip
# Copied and packed while the names are read.
@example("copy", [WRITE, pack(3), WRITE, pack(2), WAIT, WRITE, WRITE, WRITE, WRITE, rotate(),
                  rotate(), pack(1), pack(2), WAIT, WRITE], [0, 786, 2248])  # fmt: skip
# Renamed by number while they are listed.
@example("numbers", [rotate(), WRITE, WRITE, rotate(), WRITE, WAIT, rotate(), rotate(), WAIT, WAIT,
                     rotate(), WRITE, WAIT, pack(1), WRITE, WRITE, WAIT], [0])  # fmt: skip
# Rotated while the names are read, and packed while they are read again.
@example("numbers", [WRITE, WAIT, rotate(3), WAIT, pack(3), rotate()], [1178, 468, 224, 2490])
@often(FEW)
@given(STYLES, st.lists(ACTIONS, max_size=25), CUTS)
def test_a_log_of_which_nothing_is_deleted_comes_whole(monkeypatch, style, actions, cuts):
    comes_whole(monkeypatch, style, actions, cuts)


@pytest.mark.full
@often(MANY, (Phase.generate,))
@given(STYLES, st.lists(ACTIONS, max_size=25), CUTS)
def test_many_logs_of_which_nothing_is_deleted_come_whole(monkeypatch, style, actions, cuts):
    comes_whole(monkeypatch, style, actions, cuts)


def comes_whole(monkeypatch, style, actions, cuts):
    source, text, expected, _ = played(monkeypatch, style, actions, cuts)
    assert source.state is SourceState.COMPLETE, source.why
    assert text == expected


# Between others that are still there, before one operation of the window was read.
@example("389", [pack(3), WAIT, WAIT, rotate(2), WRITE, rotate(1), WAIT, delete(2), pack(0), WAIT,
                 WRITE, rotate(1)], [1343, 0])  # fmt: skip
# ... and after many.
@example("389", [delete(2), rotate(), WAIT, WRITE, WAIT, WAIT, rotate(3), WRITE, delete(2), WRITE,
                 rotate(2), pack(3), WRITE, rotate(2), WRITE, pack(0), delete(0)],
         [1, 1, 4540, 0])  # fmt: skip
@often(FEW)
@given(STYLES, st.lists(DELETES, max_size=25), CUTS)
def test_what_was_deleted_unread_is_said(monkeypatch, style, actions, cuts):
    is_whole_or_said(monkeypatch, style, actions, cuts)


@pytest.mark.full
@often(MANY, (Phase.generate,))
@given(STYLES, st.lists(DELETES, max_size=25), CUTS)
def test_of_many_logs_what_was_deleted_unread_is_said(monkeypatch, style, actions, cuts):
    is_whole_or_said(monkeypatch, style, actions, cuts)


def is_whole_or_said(monkeypatch, style, actions, cuts):
    source, text, expected, _ = played(monkeypatch, style, actions, cuts)
    if source.state is SourceState.COMPLETE:
        assert text == expected
    else:
        assert str(source.why).startswith("a rotated file was gone before it could be read")
