"""A server that did not answer: from when to when, and whether its host did."""

import numpy as np
import pytest

from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.families import no_answer
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import T0, only, view

SPAN = (T0 + 100 * NS_PER_S, T0 + 130 * NS_PER_S)


def monitor(*spans: tuple[int, int]) -> Source:
    details = {"no_answer": [list(span) for span in spans]}
    return Source(1, 1, SourceKind.MONITOR, "cn=monitor", SourceState.PARTIAL, details=details)


def test_a_link_that_was_cut_for_a_moment_is_no_outage() -> None:
    assert no_answer.find(view(sources=(monitor((T0, T0 + 2 * NS_PER_S)),))) == []
    assert no_answer.find(view(sources=(monitor(),))) == []


@pytest.mark.parametrize(
    ("second", "says"), [(110, "Its host answered meanwhile"), (99, "not heard of either")]
)
def test_it_names_the_time_and_tells_the_server_from_the_way_to_it(second: int, says: str) -> None:
    told = np.array([T0 + second * NS_PER_S]), np.array([1.0])
    seen = view(sources=(monitor(SPAN),), samples={"psi:cpu:some": told})
    found = only(no_answer.find(seen), "no_answer")
    assert says in str(found.sentence)
    assert [(each.start_ns, each.end_ns) for each in found.evidence] == [SPAN]
    assert found.numbers["silent_s"] == 30


def test_lines_of_the_error_log_around_it_are_evidence() -> None:
    lines = (
        ErrorLine(T0, "long before"),
        ErrorLine(SPAN[0], "slapd shutting down"),
        ErrorLine(SPAN[1] + 60 * NS_PER_S, "long after"),
    )
    seen = view(sources=(monitor(SPAN),), errors=lines)
    found = only(no_answer.find(seen), "no_answer")
    assert [str(each.text) for each in found.evidence[1:]] == ["slapd shutting down"]


def test_a_server_that_took_the_connection_and_said_nothing_has_no_free_worker() -> None:
    stuck = Source(
        1, 1, SourceKind.MONITOR, "cn=monitor", SourceState.FAILED,
        details={"no_answer": [list(SPAN)], "no_worker_s": 30},
    )  # fmt: skip
    found = only(no_answer.find(view(sources=(stuck,))), "no_answer")
    assert "no free worker answered for 30 s" in str(found.sentence)
