"""Counters that were read twice, or once, by somebody who printed no time."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from ldap_workbench.advice.families.find import findings
from ldap_workbench.session.reader import Session
from tests.unit.cases.published import case, tell, tell_files

MONITOR = """dn: cn=monitor,cn={backend},cn=ldbm database,cn=plugins,cn=config
entrycachehits: {hits}
entrycachetries: {tries}
entrycachehitratio: {ratio}
currententrycachesize: {size}
maxentrycachesize: 10485760
currententrycachecount: 1894
maxentrycachecount: -1
"""


def reading(hits: int, tries: int, *, size: int = 10485742, backend: str = "userRoot") -> str:
    ratio = 100 * hits // tries
    return MONITOR.format(backend=backend, hits=hits, tries=tries, ratio=ratio, size=size)


@pytest.mark.parametrize("name", ["s1e-window", "s1f-one-file"])
def test_the_window_between_two_readings_is_what_counts(name: str, tmp_path: Path) -> None:
    told = tell(case(name), tmp_path)
    found = told.findings["entry_cache"]
    assert round(found.numbers["hit_ratio"], 3) == 0.600
    assert found.numbers["tries"] == 158_000
    assert "60 % of the reads in this window" in str(found.sentence)
    assert "66 %" not in str(found.sentence)
    assert "entry-cache-twice" in told.advised
    assert "The entry cache is too small" in told.report


@pytest.mark.parametrize("names", [("1.ldif", "2.ldif"), ("before.ldif", "after.ldif"), ("b", "a")])
def test_counters_tell_which_reading_came_first(names: tuple[str, str], tmp_path: Path) -> None:
    texts = reading(700, 1_000), reading(700 + 45_000, 1_000 + 90_000)
    told = tell_files(dict(zip(names, texts, strict=True)), tmp_path)
    assert told.findings["entry_cache"].numbers["hit_ratio"] == 0.5
    assert told.findings["entry_cache"].numbers["since_start"] is False


def test_three_readings_in_one_file_are_one_window(tmp_path: Path) -> None:
    counts = [(900, 1_000), (5_900, 11_000), (8_900, 31_000)]
    told = tell_files({"m": "\n".join(reading(*count) for count in counts)}, tmp_path)
    (window,) = told.imported.windows
    with Session.open(told.path) as session:
        (series,) = [n for n in session.series_names(window) if n.lower().endswith("cachetries")]
        times, values = session.samples(window, series)
        assert [found.id for found in findings(session, window)] == ["entry_cache"]
    assert values.tolist() == [1_000, 11_000, 31_000]
    assert all(a < b for a, b in pairwise(times.tolist()))
    assert round(told.findings["entry_cache"].numbers["hit_ratio"], 3) == round(8_000 / 30_000, 3)


def test_a_single_reading_tells_of_all_the_time_since_the_start(tmp_path: Path) -> None:
    told = tell_files({"m": reading(66_000, 100_000)}, tmp_path)
    found = told.findings["entry_cache"]
    assert found.numbers["since_start"] is True
    assert "66 % of the reads since the server started" in str(found.sentence)
    assert "entry-cache-twice" in told.advised


def test_a_ratio_and_two_sizes_are_enough(tmp_path: Path) -> None:
    text = (
        "dn: cn=monitor,cn=people,cn=ldbm database,cn=plugins,cn=config\n"
        "entrycachehitratio: 66\ncurrententrycachesize: 10485760\nmaxentrycachesize: 10485760\n"
    )
    found = tell_files({"m": text}, tmp_path).findings["entry_cache_full"]
    assert "66 %" in str(found.sentence)
    assert found.numbers["backend"] == "people"


@pytest.mark.parametrize(
    "text",
    [
        reading(66_000, 100_000, size=5_000_000),
        reading(98_000, 100_000),
        reading(66, 100),
        reading(900, 1_000) + "\n" + reading(99_000, 100_000),
        reading(66_000, 100_000) + "\n" + reading(66_000, 100_000),
    ],
    ids=["not full", "hits enough", "hardly asked", "hits enough by now", "not asked at all"],
)
def test_a_cache_that_does_its_work_is_left_alone(text: str, tmp_path: Path) -> None:
    assert (
        not {"entry_cache", "entry_cache_full"} & tell_files({"m": text}, tmp_path).findings.keys()
    )


def test_rates_are_not_made_of_readings_without_a_time(tmp_path: Path) -> None:
    entry = (
        "dn: cn=monitor,cn=ldbm database,cn=plugins,cn=config\n"
        "dbcachehits: {0}\ndbcachetries: {1}\ndbcachepagein: {2}\ndbcacheroevict: {2}\n"
    )
    text = entry.format(100, 200, 100) + "\n" + entry.format(5_100, 10_200, 5_100)
    found = tell_files({"m": text}, tmp_path).findings["db_cache"]
    assert found.numbers["pages_in_per_s"] is None
    assert "5,000 pages came" in str(found.sentence)
    assert "pages/s" not in str(found.sentence)
