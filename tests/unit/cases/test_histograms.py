"""Histograms of probes: what they are of, in which unit, and what their tails say."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldap_workbench.inference.significance.exceedance import difference_interval, wilson
from ldap_workbench.logs.host.histograms import Histogram, read_histograms
from tests.unit.cases.published import case, tell, tell_files


def rows(counts: dict[int, int]) -> str:
    most = max(counts.values())
    lines = [f"{low:>9} |{'@' * (50 * n // most):<50} {n}" for low, n in counts.items()]
    return "\n".join(["    value |" + "-" * 50 + " count", *lines]) + "\n"


def stap(counts: dict[int, int], stats: str = "", above: str = "", name: str = "") -> str:
    """What a script of the case prints; `name` of its probe."""
    what = f"{name} " if name else ""
    n = sum(counts.values())
    heading = f"^CDistribution of {what}latencies (in nanoseconds) for {n} samples\n"
    return f"{above}\n{heading}{stats}\n{rows(counts)}"


def read(text: str, name: str = "run.txt") -> Histogram:
    (found,) = read_histograms(text.encode(), None, name)
    return found


LIGHT = {32768: 160_000, 65536: 240_000, 131072: 26_000, 262144: 8_500, 524288: 250}
HEAVY = {32768: 100_000, 65536: 250_000, 131072: 38_000, 262144: 18_000, 524288: 1_500}


@pytest.mark.parametrize("name", ["s3a-dosearch", "s3e-all"])
def test_sixteen_threads_move_the_tail(name: str, tmp_path: Path) -> None:
    told = tell(case(name), tmp_path)
    found = told.findings["tail_shift"]
    assert (found.numbers["bound"], found.numbers["unit"]) == (262_144, "ns")
    assert found.numbers["threads"] == [1, 16]
    assert round(100 * found.numbers["share_before"], 1) == 2.0
    assert round(100 * found.numbers["share_after"], 1) == 4.9
    low, high = found.numbers["difference"]
    assert low < found.numbers["share_after"] - found.numbers["share_before"] < high
    assert (found.numbers["left_bucket"], found.numbers["left_calls"]) == (32_768, 67_004)
    assert "262,144 ns" in str(found.sentence)
    assert "67,004 fewer calls in the bucket from 32,768 ns" in told.report


def test_the_log_function_of_the_case_counts_nanoseconds(tmp_path: Path) -> None:
    told = tell(case("s3c-accesslog"), tmp_path)
    found = told.findings["log_functions"]
    assert found.numbers["calls"] == 1_284_350
    assert found.numbers["mean_ns"] == 5138
    assert (found.numbers["tail_bound_ns"], found.numbers["tail_calls"]) == (65_536, 1_939)
    assert round(100 * found.numbers["share"], 3) == 0.006
    assert found.severity == 1
    assert "5.14 µs on average; 1,939 of 1,284,350" in str(found.sentence)
    assert "110 minutes" in " ".join(map(str, told.imported.sources[0].details["notes"]))


@pytest.mark.parametrize(
    ("stats", "counts", "unit"),
    [
        ("max/avg/min: 23843/5/1", {1: 380_000, 2: 361_000, 4: 412_000, 16384: 9}, "us"),
        ("", {1: 380_000, 4: 412_000, 64: 1_000}, "us"),
        ("max/avg/min: 100315/112/39", {32: 100_000, 64: 250_000, 128: 38_000}, "us"),
        ("max/avg/min: 23843992/5138/812", {512: 380_000, 2048: 361_000, 65536: 9}, "ns"),
        ("max/avg/min: 23843992/5138/310", {256: 380_000, 2048: 361_000, 65536: 9}, "ns"),
        ("", {1024: 380_000, 4096: 412_000, 65536: 1_000}, "ns"),
        ("max/avg/min: 900000/90000/38000", {32768: 50_000, 65536: 50_000}, "ns"),
    ],
)
def test_one_label_two_clocks(stats: str, counts: dict[int, int], unit: str) -> None:
    """The script of the project counts µs below a label of ns; the case's own counts ns."""
    found = read(stap(counts, stats, name="slapi_log_access"))
    assert (found.probe, found.unit) == ("slapi_log_access", unit)
    assert "microseconds" in str(found.note)


def test_no_factor_of_a_thousand_either_way(tmp_path: Path) -> None:
    """A log function of 5 µs is never told to take a millisecond each time."""
    counts = {1024: 380_000, 2048: 361_000, 4096: 412_000, 65536: 1_900, 1048576: 60}
    for number, scale in enumerate((1, 1024)):
        printed = {low // scale: n for low, n in counts.items()}
        text = stap(printed, name="slapi_log_access")
        found = tell_files({"log.txt": text}, tmp_path / str(number)).findings["log_functions"]
        assert found.numbers["share"] < 0.001
        assert found.severity == 1


@pytest.mark.parametrize(
    ("above", "file", "threads"),
    [
        ("1 thread\n\nstap test_do_search.stp", "a.txt", 1),
        ("16 threads", "a.txt", 16),
        ("stap x.stp  # threads=32", "a.txt", 32),
        ("stap x.stp", "do_search_8threads.txt", 8),
        ("stap x.stp", "24thread.out", 24),
        ("stap x.stp", "search-4t.txt", 4),
        ("stap x.stp", "search.txt", None),
    ],
)
def test_where_the_number_of_threads_may_stand(above: str, file: str, threads: int | None) -> None:
    assert read(stap(LIGHT, above=above), file).threads == threads


def test_the_script_names_the_probe_where_the_heading_does_not() -> None:
    assert read(stap(LIGHT, above="stap -v test_do_search.stp")).probe == "do_search"
    assert read(stap(LIGHT), "op_search_16thread.txt").probe == "op_search"


def test_runs_of_which_nobody_says_what_they_probe_are_of_one_thing(tmp_path: Path) -> None:
    files = {"1thread.txt": stap(LIGHT), "16thread.txt": stap(HEAVY)}
    assert "tail_shift" in tell_files(files, tmp_path).findings


@pytest.mark.parametrize("turned", [False, True])
def test_two_runs_in_one_file_or_in_two(turned: bool, tmp_path: Path) -> None:
    texts = [
        stap(LIGHT, above="2 threads\n stap test_do_bind.stp"),
        stap(HEAVY, above="32 threads\n stap test_do_bind.stp"),
    ]
    texts = texts[::-1] if turned else texts
    one = tell_files({"all.txt": "\n".join(texts)}, tmp_path / "one")
    two = tell_files({"x.txt": texts[0], "y.txt": texts[1]}, tmp_path / "two")
    for told in (one, two):
        found = told.findings["tail_shift"]
        assert found.numbers["threads"] == [2, 32]
        assert found.numbers["bound"] == 262_144
        assert found.numbers["left_calls"] == 60_000


def test_bpftrace_says_its_unit_in_the_name_of_the_map(tmp_path: Path) -> None:
    def bpf(counts: dict[int, int], threads: int) -> str:
        lines = [f"[{low}, {2 * low})  {n:>9} |@@@|" for low, n in counts.items()]
        return f"{threads} threads\n@search_ns:\n" + "\n".join(lines) + "\n"

    text = bpf(LIGHT, 1) + "\n" + bpf(HEAVY, 8)
    found = tell_files({"bpf.txt": text}, tmp_path).findings["tail_shift"]
    assert (found.numbers["unit"], found.numbers["threads"]) == ("ns", [1, 8])


@pytest.mark.parametrize(
    "heavy",
    [LIGHT, {low: 2 * n for low, n in LIGHT.items()}, {**LIGHT, 524288: 270}],
    ids=["the same", "twice as many of the same", "a few more by chance"],
)
def test_runs_that_do_not_differ_say_nothing(heavy: dict[int, int], tmp_path: Path) -> None:
    files = {"1thread.txt": stap(LIGHT), "16thread.txt": stap(heavy)}
    assert "tail_shift" not in tell_files(files, tmp_path).findings


def test_a_log_function_without_a_tail_says_nothing(tmp_path: Path) -> None:
    text = stap({1024: 500_000, 2048: 400_000, 4096: 100_000}, name="slapi_log_access")
    assert tell_files({"log.txt": text}, tmp_path).findings == {}


@given(
    seed=st.integers(0, 2**32),
    cut=st.integers(0, 400),
)
@settings(max_examples=60, deadline=None)
def test_a_text_cut_anywhere_is_read_or_left(seed: int, cut: int) -> None:
    rng = random.Random(seed)
    counts = {2**power: rng.randrange(1, 10**6) for power in range(rng.randrange(0, 10), 20)}
    text = stap(counts, "max/avg/min: 9/5/3", above=f"{rng.randrange(1, 64)} threads")
    for found in read_histograms(text[: len(text) - cut].encode(), None, "x.txt"):
        assert found.n <= sum(counts.values())
        assert found.unit in ("ns", "us")


@given(st.integers(0, 500), st.integers(1, 500), st.integers(0, 500), st.integers(1, 500))
@settings(max_examples=200, deadline=None)
def test_intervals_hold_what_they_are_of(a: int, more_a: int, b: int, more_b: int) -> None:
    n_a, n_b = a + more_a, b + more_b
    low, high = difference_interval(a / n_a, n_a, b / n_b, n_b)
    assert low - 1e-12 <= b / n_b - a / n_a <= high + 1e-12
    assert -1 <= low <= high <= 1
    least, most = wilson(a / n_a, n_a)
    assert least - 1e-12 <= a / n_a <= most + 1e-12
