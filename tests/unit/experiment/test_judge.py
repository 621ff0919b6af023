"""What makes a window unfit for a verdict."""

import pytest

from ldap_workbench.capture import import_logs
from ldap_workbench.experiment.judge import _flaws, counted
from ldap_workbench.model.window import Source, SourceKind, SourceState
from ldap_workbench.session import Session, SessionWriter


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
        (log(SourceState.PARTIAL, "a clock was set", clock_step={"step_ns": 1}), "a clock was set"),
    ],
)
def test_lines_that_are_missing_or_back_in_time_are_a_flaw(broken, word):
    (flaw,) = _flaws([log(), broken])
    assert word in str(flaw)


HEAD = "[05/Jan/2026:09:00:{second:09.6f}000 +0000] conn={conn} op={op} "
SEARCH = 'SRCH base="dc=example,dc=com" scope=2 filter="(cn=*a*)" attrs=ALL'
RESULT = "RESULT err=0 tag=101 nentries=1 wtime=0.000100000 optime=0.001000000 etime=0.001100000"
GIVEN_UP = "ABANDON targetop=2 msgid=3 nentries=0 etime=2.000000000"


@pytest.fixture
def counts_of(tmp_path):
    """Counts of the window of a log, of lines (second, connection, operation, text)."""

    def count(*lines):
        log, file = tmp_path / "access", tmp_path / "s.ldapwb"
        answered = [(n / 2, 1, n, text) for n in range(80) for text in (SEARCH, RESULT)]
        texts = [
            HEAD.format(second=second, conn=conn, op=op) + text
            for second, conn, op, text in sorted([*answered, *lines], key=lambda line: line[0])
        ]
        log.write_text("\n".join(texts) + "\n")
        with SessionWriter.create(file) as writer:
            import_logs([log], writer)
        with Session.open(file) as session:
            (window,) = counted(session, session.windows(), 100_000_000)
        return window

    return count


def test_a_search_without_an_answer_has_waited_until_the_window_ended(counts_of):
    window = counts_of((10.0, 7, 2, SEARCH))
    assert window.tally.unanswered == 1
    assert window.n == 81
    assert window.max_ns == pytest.approx(29.5e9, rel=1e-6)


def test_an_abandoned_search_is_counted_once(counts_of):
    window = counts_of((10.0, 7, 2, SEARCH), (12.0, 7, 3, GIVEN_UP))
    assert window.tally.unanswered == 1
    assert window.n == 81
    assert window.max_ns == 2_000_000_000


def test_a_search_left_open_to_be_told_of_changes_waits_for_nothing(counts_of):
    window = counts_of((10.0, 7, 2, SEARCH + " options=persistent"))
    assert (window.tally.unanswered, window.n) == (0, 80)
