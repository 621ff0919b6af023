"""Steps in time: what is slower from one moment on, and what only looks like it."""

import numpy as np
import pytest

from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.families import configuration, slower_since
from ldap_workbench.model.units import NS_PER_S
from tests.unit.advice.material import T0, Log, only, view

RANDOM = np.random.default_rng(38)


def traffic(seconds, slowness, *, rate=4, kinds=("(uid=?)", "(mail=?)"), clients=9):
    """Searches whose etimes spread, times `slowness` of the second they begin in."""
    log = Log()
    for n in range(int(seconds * rate)):
        at, spread = n / rate, float(RANDOM.lognormal(0, 0.5))
        etime = 0.001 * (1 + n % len(kinds)) * spread * slowness(at)
        client = f"192.0.2.{n // 3 % clients}"
        log.add("SRCH", at, etime, filter=kinds[n % len(kinds)], nentries=1, client=client)
    return log


def test_an_opendj_that_is_slower_since_a_change_of_its_log_publisher():
    log = traffic(1500, lambda at: 6.5 if at >= 905 else 1.0)
    publisher = "cn=File-Based Debug Logger,cn=Loggers,cn=config"
    log.add("MOD", 904.9, 0.02, base=publisher, client="192.0.2.99")
    found = only(slower_since.find(view(log, seconds=1500.0)), "slower_since")
    assert 5 < found.numbers["times"] < 8
    assert abs(found.numbers["at_ns"] - T0 - 905 * NS_PER_S) < 3 * NS_PER_S
    assert found.numbers["share"] == 1.0
    assert f"MOD of {publisher}" in str(found.sentence)
    assert found.user_ns == pytest.approx(595 * 4 * 0.0015 * 1.13 * 5.5 * NS_PER_S, rel=0.3)


def test_one_kind_of_a_small_server_is_slower_since_a_task():
    """An attribute lost its index, in a log of ten minutes; the other kind is as quick as ever."""
    log = traffic(600, lambda _: 1.0, rate=2, kinds=("(uid=?)",))
    for n in range(400):
        etime = 0.002 * float(RANDOM.lognormal(0, 0.4)) * (12.0 if n > 150 else 1.0)
        log.add("CMP", 1.5 * n, etime, base="cn=a", client="192.0.2.3")
    task = "cn=reindex,cn=index,cn=tasks,cn=config"
    log.add("ADD", 226.0, 0.01, base=task, client="192.0.2.99")
    lines = (ErrorLine(T0 + 226 * NS_PER_S, "INFO - bdb_db2index - Indexing attribute: member"),)
    found = only(slower_since.find(view(log, errors=lines)), "slower_since")
    assert 9 < found.numbers["times"] < 16
    assert found.numbers["operations"] == 249
    assert 0.2 < found.numbers["share"] < 0.35
    assert f"ADD of {task}" in str(found.sentence)
    assert "Indexing attribute: member" in str(found.sentence)


def test_lines_of_a_debug_level_name_the_setting():
    log = traffic(1200, lambda at: 30.0 if at >= 400 else 1.0)
    lines = tuple(
        ErrorLine(T0 + (400 + n) * NS_PER_S, "DEBUG - NSMMReplicationPlugin - changelog - x")
        for n in range(300)
    )
    seen = view(log, seconds=1200.0, errors=lines)
    assert "300 lines of a debug level" in str(
        only(slower_since.find(seen), "slower_since").sentence
    )
    logging = only(configuration.find(seen), "debug_logging")
    assert logging.numbers["parts"] == ["NSMMReplicationPlugin"]
    assert "nsslapd-errorlog-level" in str(logging.sentence)
    assert configuration.find(view(log, errors=lines[:20])) == []


def test_a_server_that_is_quicker_from_then_on_is_only_worth_knowing():
    log = traffic(1200, lambda at: 4.0 if at < 500 else 1.0)
    found = only(slower_since.find(view(log, seconds=1200.0)), "slower_since")
    assert found.severity == 1
    assert 0.2 < found.numbers["times"] < 0.3


@pytest.mark.parametrize(
    "slowness",
    [
        lambda _: 1.0,
        lambda at: 1.0 + at / 150,
        lambda at: 20.0 if 500 <= at < 800 else 1.0,
        lambda at: 5.0 if at % 300 < 150 else 1.0,
        lambda at: 1.5 if at >= 600 else 1.0,
        lambda at: 9.0 if at >= 1100 else 1.0,
    ],
    ids=("healthy", "trend", "burst", "waves", "little", "the end alone"),
)
def test_what_is_no_step_stays_silent(slowness):
    assert slower_since.find(view(traffic(1200, slowness), seconds=1200.0)) == []


def test_etimes_shuffled_among_operations_have_no_step():
    log = traffic(1200, lambda at: 8.0 if at >= 600 else 1.0)
    etimes = RANDOM.permutation([row["etime_ns"] for row in log.rows])
    for row, etime in zip(log.rows, etimes.tolist(), strict=True):
        row["end_ns"] += etime - row["etime_ns"]
        row["etime_ns"] = etime
    assert slower_since.find(view(log, seconds=1200.0)) == []


def test_other_clients_with_heavier_searches_are_no_step():
    """The same kind of search, but of those who came later."""
    log = traffic(1200, lambda at: 1.0, clients=3)
    for row in log.rows[2400:]:
        row["etime_ns"] *= 9
        row["client"] += 10
    assert slower_since.find(view(log, seconds=1200.0)) == []


def test_what_is_refused_from_a_moment_on_is_not_quicker():
    log = traffic(1500, lambda at: 0.2 if at >= 905 else 1.0)
    assert only(slower_since.find(view(log, seconds=1500.0)), "slower_since").severity == 1
    for row in log.rows:
        row["err"] = 80 if row["end_ns"] >= T0 + 905 * NS_PER_S else 0
    assert slower_since.find(view(log, seconds=1500.0)) == []
