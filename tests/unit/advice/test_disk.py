"""The disk: the 105 KB read for a 32 KB page, busy devices, schedulers, flushes, memory."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.families import disk, pressure
from tests.unit.advice.material import FACTS, LDBM, Log, at, counter, only, view
from tests.unit.advice.test_checkpoint import LOG_BYTES


def reads(kb, rate=200.0):
    return {
        "iostat:vda:r/s": at([rate] * 60),
        "iostat:vda:rkB/s": at([rate * kb] * 60),
        f"{LDBM}:dbcachepagein": counter(1000),
    }


PAGE = {"nsslapd-db-page-size": "32768"}


def test_105_kb_read_for_a_page_of_32():
    found = only(disk.find(view(samples=reads(105), settings=PAGE, seconds=60)), "large_reads")
    assert found.numbers["kb_per_read"] == 105
    assert found.numbers["page_kb"] == 32
    assert found.numbers["file_cache_hit_estimate"] == pytest.approx(0.8, abs=0.01)
    assert "3.3 times" in str(found.sentence)


def test_reads_of_somebody_else_are_not_the_databases():
    samples = reads(105) | {f"{LDBM}:dbcachepagein": counter(1)}
    assert disk.find(view(samples=samples, settings=PAGE, seconds=60)) == []
    del samples[f"{LDBM}:dbcachepagein"]
    assert only(disk.find(view(samples=samples, settings=PAGE, seconds=60)), "large_reads")


def test_reads_of_a_page_or_few_reads_are_left_alone():
    assert disk.find(view(samples=reads(36), settings=PAGE, seconds=60)) == []
    assert disk.find(view(samples=reads(105, rate=5), settings=PAGE, seconds=60)) == []


@pytest.mark.parametrize(("library", "page"), [("bdb", 8), ("mdb", 4)])
def test_without_a_setting_the_library_tells_the_page(library, page):
    facts = replace(FACTS, db_library=library)
    found = disk.find(view(samples=reads(105), facts=facts, seconds=60))
    assert only(found, "large_reads").numbers["page_kb"] == page


def test_reads_just_below_twice_the_page_are_left_alone():
    assert disk.find(view(samples=reads(63), settings=PAGE, seconds=60)) == []
    assert only(disk.find(view(samples=reads(65), settings=PAGE, seconds=60)), "large_reads")


def test_a_mean_read_is_weighted_by_reads():
    samples = {"iostat:vda:r/s": at([100.0, 0.0, 0.0]), "iostat:vda:rkB/s": at([800.0, 0.0, 0.0])}
    assert disk.read_size_kb(samples, "vda")[0] == 8


def device(util, wait):
    return {"iostat:vda:util": at([util] * 60), "iostat:vda:w_await": at([wait] * 60)}


def test_a_saturated_device_is_told():
    assert (
        only(disk.find(view(samples=device(99.0, 3.0))), "slow_device").numbers["busy_share"] == 1
    )
    assert only(disk.find(view(samples=device(50.0, 25.0))), "slow_device")
    assert disk.find(view(samples=device(57.0, 3.6))) == []  # the lab under durable writes


def test_bursts_of_a_slow_device_in_phase_with_checkpoints_are_said():
    busy = device(99.0, 25.0)
    for emptied, count in (({10, 30, 50}, 3), ({20, 40}, 0)):
        tooth, value = [], 0.0
        for second in range(60):
            value = 0.0 if second in emptied else value + 1000
            tooth.append(value)
        writes = [30_000.0 if second in (11, 31, 51) else 500.0 for second in range(60)]
        samples = busy | {"iostat:vda:wkB/s": at(writes), LOG_BYTES: at(tooth)}
        found = only(disk.find(view(samples=samples, seconds=300)), "slow_device")
        assert found.numbers["bursts_at_checkpoints"] == count
        assert ("3 of 3 bursts of writing came with a checkpoint" in str(found.sentence)) == bool(
            count
        )


def test_only_the_device_of_the_database_counts():
    samples = {"iostat:vda:util": at([5.0] * 9), "iostat:vdb:util": at([99.0] * 9)}
    assert disk.find(view(samples=samples)) == []
    assert only(disk.find(view(samples=samples, facts=None)), "slow_device")


def test_a_scheduler_above_a_virtual_disk_that_waits():
    settings = {"io-scheduler": "none [mq-deadline] kyber bfq"}
    waits, quick = device(50.0, 15.0), device(50.0, 1.5)
    found = only(disk.find(view(samples=waits, settings=settings)), "scheduler")
    assert found.numbers["scheduler"] == "mq-deadline"
    assert disk.find(view(samples=quick, settings=settings)) == []
    none = {"io-scheduler": "[none] mq-deadline"}
    assert disk.find(view(samples=waits, settings=none)) == []


def flushes(wait):
    return {"iostat:vda:f/s": at([160.0] * 60), "iostat:vda:f_await": at([wait] * 60)}


def test_writes_that_wait_for_flushes():
    log = Log().background(60, rate=20, etime=0.012, kind="MOD", filter="")
    found = only(disk.find(view(log, seconds=60, samples=flushes(9.0))), "slow_flush")
    assert found.numbers["mods_per_s"] == 20
    assert disk.find(view(log, seconds=60, samples=flushes(2.4))) == []
    reading = Log().background(60, rate=20, etime=0.012)
    assert disk.find(view(reading, seconds=60, samples=flushes(9.0))) == []


def test_swapping_scanning_and_a_long_run_queue():
    swap = {"vmstat:so": at([0.0] * 40 + [500.0] * 20)}
    scan = {"vmstat:sr": at([900.0] * 60)}
    queue = {"vmstat:r": at([20.0] * 60)}
    calm = {"vmstat:so": at([0.0] * 59 + [200.0]), "vmstat:r": at([9.0] * 60)}
    assert "memory was short" in str(only(pressure.find(view(samples=swap)), "memory").sentence)
    assert only(pressure.find(view(samples=scan)), "memory").numbers["scanning_share"] == 1
    assert "20 processes" in str(only(pressure.find(view(samples=queue)), "memory").sentence)
    assert pressure.find(view(samples=calm)) == []


def written(waits, rates, util=20.0, wait="w_await", rate="w/s"):
    """A disk by its waits and requests, an interval each."""
    return {
        "iostat:vda:util": at([util] * len(waits)),
        f"iostat:vda:{wait}": at(waits),
        f"iostat:vda:{rate}": at(rates),
    }


COLUMNS = [("w_await", "w/s"), ("r_await", "r/s"), ("f_await", "f/s"), ("await", "tps"),
           ("await", "w/s"), ("asvc_t", "r/s"), ("svc_t", "w/s")]  # fmt: skip
"""Times and rates: sysstat, sar -d, sysstat before version 10, Solaris."""


@pytest.mark.parametrize(("wait", "rate"), COLUMNS)
def test_one_slow_request_beside_a_thousand_is_no_bottleneck(wait, rate):
    samples = written([100.0, 1.0], [1.0, 999.0], wait=wait, rate=rate)
    assert disk.find(view(samples=samples)) == []
    slow = written([100.0, 1.0], [999.0, 1.0], wait=wait, rate=rate)
    found = only(disk.find(view(samples=slow)), "slow_device")
    assert found.numbers["await_ms"] == pytest.approx(99.9)


def test_one_read_beside_a_thousand_writes_is_no_bottleneck():
    samples = written([100.0, 0.0], [1.0, 0.0], wait="r_await", rate="r/s")
    samples |= written([1.0, 1.0], [500.0, 500.0])
    assert disk.find(view(samples=samples)) == []


def test_the_kind_of_request_that_waits_is_named():
    samples = written([2.0] * 9, [900.0] * 9, wait="r_await", rate="r/s")
    samples |= written([45.0] * 9, [30.0] * 9)
    found = only(disk.find(view(samples=samples)), "slow_device")
    assert "writes took 45.0 ms on average" in str(found.sentence)
    assert found.numbers["await_ms"] == 45


def test_a_saturated_device_says_what_a_request_took_not_what_an_interval_did():
    samples = written([100.0, 1.0], [1.0, 999.0], util=99.0)
    found = only(disk.find(view(samples=samples)), "slow_device")
    assert found.numbers["await_ms"] == pytest.approx(1.1, abs=0.01)


def test_times_of_intervals_without_a_request_are_left_out():
    """PCP prints no time where there was no request."""
    waits, rates = at([30.0, 30.0]), at([0.0, 20.0, 20.0])
    waits = (rates[0][1:], waits[1])
    samples = {
        "iostat:vda:util": at([50.0] * 3),
        "iostat:vda:r_await": waits,
        "iostat:vda:r/s": rates,
    }
    assert only(disk.find(view(samples=samples)), "slow_device").numbers["await_ms"] == 30


def test_flushes_and_service_times_are_weighted():
    log = Log().background(60, rate=20, etime=0.012, kind="MOD", filter="")
    samples = {
        "iostat:vda:f/s": at([1.0] * 30 + [300.0] * 30),
        "iostat:vda:f_await": at([40.0] * 30 + [1.0] * 30),
    }
    assert disk.find(view(log, seconds=60, samples=samples)) == []
    old = {"iostat:vda:svctm": at([100.0, 0.2]), "iostat:vda:w/s": at([1.0, 999.0])}
    assert disk.service_ms(old, "vda") == pytest.approx(0.3, abs=0.001)


def test_a_scheduler_is_not_blamed_for_one_slow_request():
    settings = {"io-scheduler": "[mq-deadline] none"}
    samples = written([100.0, 1.0], [1.0, 999.0], util=50.0)
    assert disk.find(view(samples=samples, settings=settings)) == []
