"""Kinds of request: counted, told apart where there are enough of them, put to one mixture."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.inference.counts.cube import Cube
from ldap_workbench.inference.counts.metrics import standardised
from ldap_workbench.inference.counts.requests import Requests, columns_of, count_requests
from ldap_workbench.inference.counts.strata import MOST, Strata, Stratum, choose_strata, mix_weights
from ldap_workbench.inference.counts.windows import windows_from_cubes
from ldap_workbench.model.kind import OperationKind
from ldap_workbench.model.operations import COLUMNS, TYPES, Operations

START, SECOND = 1_795_161_600_000_000_000, 1_000_000_000
UID, CN, MAIL = "(uid=?)", "(cn=*?*)", "(mail=?)"


def operations(*rows):
    """Of (how many, type, filter, base, client, etime in ms, entries); "" is not in the log."""
    tables = {"fingerprint": [], "base": [], "client": []}
    columns = {name: [] for name in ("kind", "etime_ns", "nentries", *tables)}
    for n, kind, *texts, milliseconds, entries in rows:
        columns["kind"] += [TYPES.index(kind)] * n
        columns["etime_ns"] += [round(milliseconds * 1e6)] * n
        columns["nentries"] += [entries] * n
        for name, text in zip(tables, texts, strict=True):
            if text and text not in tables[name]:
                tables[name].append(text)
            columns[name] += [tables[name].index(text) if text else -1] * n
    size = len(columns["kind"])
    made = {name: np.zeros(size, dtype) for name, dtype in COLUMNS.items()}
    made |= {name: np.array(values, COLUMNS[name]) for name, values in columns.items()}
    made["end_ns"] = START + np.arange(size, dtype=np.int64) * SECOND // max(size, 1)
    made["end_ns"] += made["etime_ns"]
    made["request_at"][made["kind"] == TYPES.index("ABANDON")] = -1
    made["bind_dn"][:] = -1
    return Operations(
        **made,
        fingerprints=tuple(tables["fingerprint"]),
        bases=tuple(tables["base"]),
        clients=tuple(tables["client"]),
    )


def searches(n, shape, client="a", base="dc=x", milliseconds=1.0, entries=1):
    return (n, "SRCH", shape, base, client, milliseconds, entries)


def requests(*rows, wanted=None):
    return count_requests(columns_of(operations(*rows)), wanted)


def kinds(*windows, wanted=None):
    return {stratum.kind for stratum in choose_strata(windows, wanted).strata}


def windows(*of_windows, wanted=None):
    """Windows A, B, A, B ... of operations, as a verdict sees them."""
    columns = [columns_of(each) for each in of_windows]
    asked = [count_requests(each, wanted) for each in columns]
    strata = choose_strata(asked, wanted)
    cubes = [
        Cube.from_operations(each, START, START + 10 * SECOND, strata=strata.of(column))
        for each, column in zip(of_windows, columns, strict=True)
    ]
    arms = [("AB"[i % 2], i // 2) for i in range(len(cubes))]
    return windows_from_cubes(cubes, arms, strata=strata, requests=asked)


def test_requests_are_counted_by_what_they_say():
    counted = requests(
        searches(60, UID), searches(40, CN, client="b"), (20, "BIND", "", "", "b", 1, 0)
    )
    assert counted.n == 120
    assert counted.kinds[("SRCH",)] == 100
    assert counted.kinds["SRCH", UID] == 60
    assert counted.kinds["SRCH", CN, "dc=x", "b"] == 40
    assert counted.kinds[("BIND",)] == 20
    assert counted.shapes == {("SRCH", UID): 60, ("SRCH", CN): 40, ("BIND", ""): 20}


def test_what_comes_of_a_request_tells_no_kinds_apart():
    few, many = (requests(searches(50, UID, entries=entries)) for entries in (0, 500))
    assert few == many


def test_searches_without_a_filter_in_the_log_are_known_by_their_entries():
    counted = requests(*(searches(10, "", entries=entries) for entries in (0, 1, 9, 10, 5000)))
    assert counted.shapes == {
        ("SRCH", "", "0"): 10,
        ("SRCH", "", "1"): 20,
        ("SRCH", "", "2"): 10,
        ("SRCH", "", "4"): 10,
    }


def test_a_search_given_up_says_nothing_of_what_it_asked():
    assert requests(searches(50, UID), (9, "ABANDON", "", "", "a", 1, 0)) == requests(
        searches(50, UID)
    )
    assert requests() == Requests()


def test_frequent_filters_are_told_apart_and_the_rest_is_one():
    rare = [searches(4, f"(rare{i}=?)") for i in range(20)]
    window = requests(searches(500, UID), searches(300, CN), *rare)
    assert kinds(window, window) == {("SRCH",), ("SRCH", UID), ("SRCH", CN), ()}


def test_no_more_kinds_are_told_apart_than_the_budget_allows():
    window = requests(*(searches(1000 + i, f"(a{i}=?)") for i in range(40)))
    shapes = {kind for kind in kinds(window) if len(kind) == 2}
    assert shapes == {("SRCH", f"(a{i}=?)") for i in range(40 - MOST, 40)}


def test_a_filter_is_divided_by_base_and_client_where_these_differ():
    window = requests(
        searches(500, UID, client="a"),
        searches(400, UID, client="b"),
        searches(300, CN, base="ou=p,dc=x"),
        searches(200, CN, base="ou=q,dc=x"),
    )
    assert kinds(window) == {
        ("SRCH",),
        (),
        ("SRCH", UID),
        ("SRCH", UID, "dc=x", "a"),
        ("SRCH", UID, "dc=x", "b"),
        ("SRCH", CN),
        ("SRCH", CN, "ou=p,dc=x"),
        ("SRCH", CN, "ou=q,dc=x"),
    }


def test_what_windows_lack_is_no_stratum():
    usual = requests(searches(500, UID), searches(300, CN))
    other = requests(searches(500, UID), searches(300, CN), searches(200, MAIL))
    assert ("SRCH", MAIL) not in kinds(usual, other, usual, other)
    assert ("SRCH", MAIL) in kinds(other, other)
    hung = requests(searches(3, UID))
    assert ("SRCH", CN) in kinds(*([usual] * 9), hung), "one window that hung is no reason"
    assert ("SRCH", CN) not in kinds(*([usual] * 6), hung)


def test_what_is_left_takes_in_a_kind_where_it_is_too_little_for_itself():
    window = requests(searches(500, UID), searches(300, CN), searches(5, MAIL))
    assert kinds(window) == {("SRCH",), ("SRCH", UID), ()}


def test_each_request_is_in_the_finest_kind_that_is_told_apart():
    strata = Strata(
        tuple(
            Stratum(kind, "SRCH")
            for kind in (("SRCH",), ("SRCH", UID), ("SRCH", UID, "dc=x", "b"), ())
        )
    )
    made = operations(
        searches(1, CN),
        searches(1, UID),
        searches(1, UID, client="b"),
        searches(1, UID, client="b", base="dc=y"),
        searches(1, ""),
        (1, "ABANDON", UID, "dc=x", "b", 1, 0),
    )
    assert strata.of(columns_of(made)).tolist() == [0, 1, 2, 1, 0, 3]


def test_strata_are_alike_in_logs_that_number_their_strings_otherwise():
    first = operations(searches(300, UID), searches(200, CN))
    second = operations(searches(200, CN), searches(300, UID))
    strata = choose_strata([count_requests(columns_of(each)) for each in (first, second)])
    cn = strata.kinds.get(("SRCH", CN), strata.kinds[("SRCH",)])
    assert (strata.of(columns_of(first)) == cn).sum() == 200
    assert (strata.of(columns_of(second))[:200] == cn).all()


def test_counts_are_the_same_with_strata_and_without():
    rows = operations(searches(300, UID), searches(200, CN, milliseconds=20), searches(90, MAIL))
    (told,) = windows(rows)
    (plain,) = windows_from_cubes(
        [Cube.from_operations(rows, START, START + 10 * SECOND)], [("A", 0)]
    )
    assert (told.histogram == plain.histogram).all()
    assert (told.parts.sum(0) == plain.parts.sum(0)).all()
    assert (told.per_bin == plain.per_bin).all()
    assert told.mean_log == pytest.approx(plain.mean_log)
    cn = [i for i, stratum in enumerate(told.parted_by) if stratum.kind == ("SRCH", CN)]
    assert told.parts[cn].sum() == 200
    late = told.without_first(1)
    assert late.parts.sum() == late.n
    assert replace(told, weights=np.full(10, 0.5)).parts.sum() == 295


def test_parts_of_a_window_keep_their_strata():
    rows = operations(searches(300, UID), searches(200, CN))
    columns = columns_of(rows)
    strata = choose_strata([count_requests(columns)]).of(columns)
    cube = Cube.from_operations(rows, START, START + 10 * SECOND, strata=strata)
    twice = cube.merged(cube)
    assert (twice.stratum == cube.stratum).all()
    assert (twice.count == 2 * cube.count).all()


def test_a_mixture_that_moves_moves_no_percentile():
    many = operations(searches(600, UID), searches(400, CN, milliseconds=20))
    few = operations(searches(800, UID), searches(200, CN, milliseconds=20))
    a, b = standardised(windows(many, few))
    assert b / b.sum() == pytest.approx(a / a.sum())
    a, b = standardised(windows(many, few), "SRCH")
    assert b / b.sum() == pytest.approx(a / a.sum())


KINDS = (Stratum(("SRCH",), "SRCH"), Stratum(("SRCH", UID), "SRCH"), Stratum((), "SRCH"))


def test_the_unanswered_keep_their_share():
    totals = np.array([[100.0, 100.0, 0.0], [50.0, 100.0, 50.0]])
    weighed = totals * mix_weights(totals, "AB", KINDS)
    assert weighed[:, 2] == pytest.approx([0, 50])
    assert weighed[0, 0] / weighed[0, 1] == pytest.approx(weighed[1, 0] / weighed[1, 1])
    assert weighed.sum(1) == pytest.approx(totals.sum(1))


def test_what_a_window_lacks_is_shared_out_inside_its_type():
    strata = (*KINDS[:2], Stratum(("BIND",), "BIND"))
    totals = np.array([[100.0, 100.0, 200.0], [0.0, 200.0, 200.0]])
    weighed = totals * mix_weights(totals, "AB", strata)
    assert weighed[1] == pytest.approx([0, 200, 200])


def test_a_handful_does_not_stand_for_hundreds():
    totals = np.array([[500.0, 500.0, 0.0], [1.0, 999.0, 0.0]])
    weights = mix_weights(totals, "AB", KINDS)
    assert weights[1, 0] < 20, "and not for 250"


MAILS = OperationKind("SRCH", "filter", MAIL)


def test_a_kind_that_is_asked_for_is_counted_apart_however_rare():
    rows = operations(searches(500, UID), searches(300, CN), searches(3, MAIL, milliseconds=50))
    (window,) = windows(rows, wanted=MAILS)
    assert window.of(str(MAILS)).n == 3
    assert window.of("SRCH").n == 803
    assert windows(rows)[0].of(str(MAILS)).n == 0


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("SRCH[(uid=?)]", 500),
        ("SRCH[(UID=?)]", 500),
        ("SRCH[client=b]", 300),
        ("ALL[client=b]", 340),
        ("BIND[client=b]", 40),
        ("SRCH[dn=cn=app]", 0),
    ],
)
def test_a_kind_is_a_filter_a_client_or_a_bind_dn(text, n):
    rows = operations(
        searches(500, UID), searches(300, CN, client="b"), (40, "BIND", "", "", "b", 1, 0)
    )
    asked = columns_of(rows)
    assert int(asked.matches(OperationKind.parse(text)).sum()) == n
    (window,) = windows(rows, wanted=OperationKind.parse(text))
    assert window.of(text).n == n
