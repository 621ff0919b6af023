"""Whether the arms of an experiment may be compared, and what is said where they hardly may."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.inference.counts.counting import Tally
from ldap_workbench.inference.counts.requests import Requests
from ldap_workbench.inference.counts.strata import Strata, Stratum
from ldap_workbench.inference.design.gates import gate
from tests.unit.inference.counted import (
    EDGES,
    TYPES,
    Counted,
    counts,
)


def arms(a=None, b=None, n=1000):
    """A window of each arm with `n` searches, and what else is known of them."""
    made = np.zeros((len(TYPES), 10, len(EDGES) - 1), int)
    made[TYPES.index("SRCH"), :, 300] = n // 10
    known = {"A": {"searches": n} | (a or {}), "B": {"searches": n} | (b or {})}
    windows = counts([Counted(arm, 0, 1.0, made) for arm in "AB"])
    return [replace(w, tally=Tally(**known[w.arm])) for w in windows]


def warned(windows, loops=(None, None), *, closed=False):
    answer = gate(windows, dict(zip("AB", loops, strict=True)), closed=closed)
    assert not answer.why
    return " ".join(map(str, answer.warnings))


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (
            {"unindexed": 100},
            {"unindexed": 300},
            "10 % of the searches were unindexed in arm A and 30 % in arm B.",
        ),
        ({"unindexed": 0}, {"unindexed": 10}, "0 % of the searches were unindexed in arm A"),
        ({"unindexed": 100}, {"unindexed": 115}, ""),
        ({"entries": 2000}, {"entries": 3000}, "A search returned 2 entries on average in arm A"),
        ({"entries": 3000}, {"entries": 2000}, "A search returned 3 entries on average in arm A"),
        ({"entries": 2000}, {"entries": 2300}, ""),
    ],
)
def test_searches_of_another_shape_are_said(a, b, said):
    warnings = warned(arms(a, b))
    assert warnings.startswith(said)
    assert bool(warnings) == bool(said)


def test_few_unindexed_searches_are_nothing_to_mention():
    assert warned(arms({"unindexed": 1}, {"unindexed": 9}, n=10_000)) == ""


def test_with_no_searches_at_all_there_is_no_shape_to_compare():
    assert warned(arms({"searches": 0}, {"searches": 0})) == ""


@pytest.mark.parametrize(
    ("loops", "said"),
    [
        ((0.2, 0.3), "Clients seem to wait for their answers (loop index 0.20 and 0.30)"),
        ((0.2, 0.9), "Clients seem to wait for their answers in arm A only"),
        ((0.9, 0.2), "Clients seem to wait for their answers in arm B only"),
        ((0.9, 0.8), ""),
        ((None, 0.2), ""),
        ((0.2, None), ""),
    ],
)
def test_clients_that_wait_are_said_in_the_arm_in_which_they_do(loops, said):
    warnings = warned(arms(), loops)
    assert warnings.startswith(said)
    assert bool(warnings) == bool(said)


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (10, 20, "There were 10 connections in arm A and 20 in arm B."),
        (20, 10, "There were 20 connections in arm A and 10 in arm B."),
        (30, 39, ""),
        (0, 20, ""),
        (100, 200, ""),
    ],
    ids=["more in B", "more in A", "about as many", "not known", "a new one every few operations"],
)
def test_another_number_of_waiting_clients_is_said_where_connections_last(a, b, said):
    windows = arms({"connections": a}, {"connections": b})
    assert warned(windows, closed=True) == said
    assert warned(windows) == "", "of clients that do not wait the load is compared instead"


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (1000, 400, "Under the same load, arm B completed only 40 % of the operations"),
        (400, 1000, "Under the same load, arm A completed only 40 % of the operations"),
        (1000, 600, ""),
    ],
)
def test_a_collapse_is_said_of_the_arm_that_collapsed(a, b, said):
    windows = [arms(n=a)[0], arms(n=b)[1]]
    warnings = warned(windows, closed=True)
    assert warnings.startswith(said)
    assert bool(warnings) == bool(said)


def told_apart(*shapes_of_windows, wanted=()):
    """Windows A, B, A, B ... with so many searches of each filter, none of which has a stratum."""
    made = np.zeros((len(TYPES), 10, len(EDGES) - 1), int)
    made[TYPES.index("SRCH"), :, 300] = 100
    windows = counts(
        [Counted("AB"[i % 2], i // 2, 1.0, made) for i in range(len(shapes_of_windows))]
    )
    strata = Strata((Stratum(("SRCH",), "SRCH"), *wanted, Stratum((), "SRCH")))
    return [
        replace(
            window,
            strata=strata,
            stratum=np.zeros(len(window.bin), np.uint8),
            requests=Requests(
                sum(shapes.values()), {}, {("SRCH", s): n for s, n in shapes.items()}
            ),
        )
        for window, shapes in zip(windows, shapes_of_windows, strict=True)
    ]


def shifts(*shares, n=1000):
    return told_apart(*({"(a=?)": round(n * x), "(b=?)": n - round(n * x)} for x in shares))


@pytest.mark.parametrize("pairs", [1, 3, 8])
def test_kinds_that_cannot_be_told_apart_must_not_move(pairs):
    why = str(gate(shifts(*[0.5, 0.6] * pairs), {"A": None, "B": None}).why)
    assert why.startswith("10 % of the SRCH operations are of other kinds in one arm")
    assert not gate(shifts(*[0.5, 0.54] * pairs), {"A": None, "B": None}).why


def test_kinds_that_come_and_go_whatever_the_arm_are_no_reason():
    """A and B differ by 6 %, as they do between any two windows."""
    shares = [0.2, 0.9, 0.8, 0.3, 0.5, 0.9, 0.9, 0.6, 0.3, 0.6, 0.7, 0.4]
    assert not gate(shifts(*shares), {"A": None, "B": None}).why


def test_a_few_searches_of_another_kind_are_chance():
    assert not gate(shifts(0.5, 0.6, n=40), {"A": None, "B": None}).why


def test_what_is_a_stratum_may_move():
    shapes = [{"(a=?)": 500, "(b=?)": 500}, {"(a=?)": 300, "(b=?)": 700}] * 4
    a = Stratum(("SRCH", "(a=?)"), "SRCH")
    assert not gate(told_apart(*shapes, wanted=(a,)), {"A": None, "B": None}).why
