"""What makes a window unfit for a verdict."""

import pytest

from ldap_workbench.experiment.judge import _flaws
from ldap_workbench.model.window import Source, SourceKind, SourceState


def log(state=SourceState.COMPLETE, why="", **details):
    return Source(1, 1, SourceKind.ACCESS_LOG, "access", state, why, details=details)


def test_a_whole_log_is_fit():
    late = log(SourceState.PARTIAL, "the end of the window is not in the log", gaps=0)
    assert _flaws([log(gaps=0, clock_steps_back=0), late]) == ()


@pytest.mark.parametrize(
    ("broken", "word"),
    [
        (log(SourceState.FAILED, "the connection broke"), "the connection broke"),
        (log(SourceState.PARTIAL, "a rotated file was gone", gaps=1), "incomplete"),
        (log(clock_steps_back=2), "clock"),
    ],
)
def test_lines_that_are_missing_or_back_in_time_are_a_flaw(broken, word):
    (flaw,) = _flaws([log(), broken])
    assert word in str(flaw)
