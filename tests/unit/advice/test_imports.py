"""Imports that are slow or become slower, and what their threads wait for."""

import pytest

from ldap_workbench.advice.evidence.companions import StackDump
from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.families import upkeep
from ldap_workbench.advice.families.known_defects import import_waits_for_names
from ldap_workbench.model.units import NS_PER_S
from tests.unit.advice.material import T0, only, view


def progress(rates, hits=None, name="userRoot", entries=0):
    """Lines of progress every 20 s, with these entries a second between them."""
    lines, begin = [], entries
    for step, rate in enumerate([0, *rates]):
        entries += 20 * rate
        average = (entries - begin) / max(20 * step, 1)
        ratio = "" if hits is None else f"hit ratio {hits[min(step, len(hits) - 1)]}%"
        lines.append(ErrorLine(
            T0 + 20 * step * NS_PER_S,
            f"INFO - bdb_import_monitor_threads - import {name}: Processed {round(entries)} "
            f"entries -- average rate {average:.1f}/sec, recent rate {rate:.1f}/sec, {ratio}",
        ))  # fmt: skip
    return tuple(lines)


def test_an_import_that_crawls_is_named_with_its_rate():
    seen = only(
        upkeep.find_imports(view(errors=progress([12] * 9, entries=150_000))), "import_slow"
    )
    assert "The import of userRoot takes in 12.0 entries a second; it has 152,160" in str(
        seen.sentence
    )


def test_an_import_that_becomes_slower_as_its_cache_fills_is_named_with_the_hit_ratio():
    rates = [4000, 3900, 3700, 2500, 1800, 1500, 900, 700, 600]
    errors = progress(rates, hits=[99, 98, 97, 80, 70, 60, 50, 40, 35])
    said = str(only(upkeep.find_imports(view(errors=errors)), "import_slow").sentence)
    assert "700.0 entries a second, after 3900.0 before" in said
    assert "hit ratio of its cache is down at 35 %" in said


@pytest.mark.parametrize(
    "errors",
    [
        progress([3700, 3600, 3500, 3300, 3200, 3100, 3000], hits=[0]),
        progress([3000, 10, 10]),  # it has hardly begun
        progress([200] * 9) + progress([180] * 3),  # it began again
        progress([1500, 3000, 1200, 2500, 1600, 1500, 1400, 2200, 1300]),
    ],
    ids=["quick", "short", "again", "uneven"],
)
def test_an_import_that_keeps_its_rate_is_silent(errors):
    assert upkeep.find_imports(view(errors=errors)) == []


WAIT = ("__futex_abstimed_wait_common", "pthread_cond_timedwait@@GLIBC_2.3.2", "safe_cond_wait")
RDN = (*WAIT, "rdncache_wait4older_slots", "rdncache_add_elem", "dbmdb_import_worker")
WRITES = ("fdatasync", "mdb_env_sync", "mdb_txn_commit", "dbmdb_import_writer")
IDLE = (*WAIT[:2], "connection_wait_for_new_work", "connection_threadmain")


def dump(*stacks):
    return StackDump(None, {str(number): frames for number, frames in enumerate(stacks)})


def test_what_the_threads_of_the_import_wait_for_is_named_and_other_threads_do_not_count():
    stacks = (dump(WRITES, *[RDN] * 5, *[IDLE] * 9), dump(WRITES, *[RDN] * 5))
    seen = view(errors=progress([12] * 9), stacks=stacks)
    said = str(only(upkeep.find_imports(seen), "import_slow").sentence)
    assert "10 of 12 threads of the import wait in rdncache_wait4older_slots" in said
    assert import_waits_for_names(seen)


@pytest.mark.parametrize("stacks", [[WRITES, RDN, WRITES], [IDLE] * 5, []], ids=len)
def test_threads_that_work_or_belong_to_no_import_wait_for_nothing(stacks):
    seen = view(errors=progress([12] * 9), stacks=(dump(*stacks),))
    assert "stack dumps" not in str(only(upkeep.find_imports(seen), "import_slow").sentence)
    assert not import_waits_for_names(seen)
