"""What is said beside the numbers of a log is true of how it printed them."""

import pytest

from ldap_workbench.model.remarks import remarks
from ldap_workbench.model.window import Source, SourceKind, SourceState


def said(resolution_ns, between=0, samples=100):
    details = {"latencies_between_lines": between}
    source = Source(
        1,
        1,
        SourceKind.ACCESS_LOG,
        "access",
        SourceState.COMPLETE,
        samples=samples,
        resolution_ns=resolution_ns,
        details=details,
    )
    return " ".join(map(str, remarks(source)))


SECONDS = "3 stands for anything between 2 and 4 s, 0 for anything below 1 s"


@pytest.mark.parametrize(
    ("resolution_ns", "sentence"),
    [
        (1, ""),
        (1000, ""),
        (10**6, "Latencies are printed in milliseconds: each is a range of that width."),
        (10**9, f"Latencies are printed in whole seconds of the clock: {SECONDS}."),
    ],
)
def test_printed_latencies(resolution_ns, sentence):
    assert said(resolution_ns) == sentence


@pytest.mark.parametrize(
    ("resolution_ns", "step"),
    [
        (1, "1 ns"),
        (1000, "1.00 µs"),
        (10**6, "1.00 ms"),
        (10**9, f"1.00 s ({SECONDS})"),
    ],
)
def test_latencies_told_by_the_times_of_lines(resolution_ns, step):
    behind = f"the time from the line of the request to that of the result, in steps of {step}."
    assert said(resolution_ns, 100) == f"No latency is printed: each is {behind}"
    assert said(resolution_ns, 7) == f"7 latencies are not printed: each is {behind}"
    assert said(resolution_ns, 1) == f"1 latency is not printed: it is {behind}"


def test_nothing_is_said_of_latencies_where_there_are_none():
    assert said(10**9, samples=0) == ""
