"""What ends a build under way: a cancel, slow answers, and what another thread sets."""

from dataclasses import dataclass, field

import pytest

from ldap_workbench.experiment import guards
from ldap_workbench.experiment.guards import IN_A_ROW, P99_NS, BuildLimits
from ldap_workbench.model.errors import CancelledError, ExperimentError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Cancel, Progress
from tests.unit.tuning.fakes import FakeTarget

MS = 1_000_000
BUILDING = Progress(Message("Building the index of mail"))


@dataclass
class Answers:
    """A clock that goes on by as much as the next answer takes, in ms."""

    took_ms: list[float] = field(default_factory=list)
    now_ns: float = 0.0
    asked: int = 0

    def perf_counter_ns(self):
        self.asked += 1
        if self.asked % 2 == 0:
            self.now_ns += self.took_ms.pop(0) * MS
        return int(self.now_ns)


@pytest.fixture
def answers(monkeypatch):
    answers = Answers()
    monkeypatch.setattr(guards, "time", answers)
    return answers


def limits(heard=None, cancel=None, guards=None, **how):
    guards = {P99_NS: 100 * MS} if guards is None else guards
    heard = [] if heard is None else heard
    return BuildLimits(
        FakeTarget(), guards, heard.append, Cancel() if cancel is None else cancel, **how
    )


def test_answers_above_the_limit_one_after_the_other_end_it(answers):
    answers.took_ms = [101.0] * IN_A_ROW
    hear = limits()
    for _ in range(IN_A_ROW - 1):
        hear(BUILDING)
    with pytest.raises(ExperimentError, match=r"safety limit was crossed .* 101 ms, and before"):
        hear(BUILDING)


def test_one_late_answer_among_others_is_none(answers):
    answers.took_ms = [150.0, 150.0, 99.0] * 3
    heard = []
    hear = limits(heard)
    for _ in range(9):
        hear(BUILDING)
    assert heard == [BUILDING] * 9


def test_without_a_limit_nothing_is_asked(answers):
    limits(guards={"error_share": 0.1})(BUILDING)
    assert answers.asked == 0


def test_a_cancel_and_what_another_thread_has_seen_end_it(answers):
    answers.took_ms = [1.0] * 9
    cancel, seen = Cancel(), []
    hear = limits(cancel=cancel, stop=lambda: seen[0] if seen else NOTHING)
    hear(BUILDING)
    seen.append(Message("ds2 was too far behind"))
    with pytest.raises(ExperimentError, match="too far behind"):
        hear(BUILDING)
    hear(BUILDING)  # the undo waits for the build: that it must hear to its end
    cancelled = limits(cancel=cancel)
    cancel.set()
    with pytest.raises(CancelledError):
        cancelled(BUILDING)
    cancelled(BUILDING)
