"""What makes a window unfit for a comparison, and a healthy one of which nothing is said."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.advice.families import hygiene
from ldap_workbench.advice.families.find import findings_in
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import LineCounts, Source, SourceKind, SourceState
from tests.unit.advice.material import (
    DATABASE,
    FACTS,
    LDBM,
    T0,
    USERROOT,
    Log,
    at,
    baseline,
    counter,
    only,
    view,
    window,
)


def ids(found):
    return [f.id for f in found]


def source(state=SourceState.COMPLETE, kind=SourceKind.ACCESS_LOG, **columns):
    return Source(1, 1, kind, "access", state, **columns)


def test_a_server_that_has_just_started():
    fresh = replace(FACTS, started_ns=T0 - 20 * NS_PER_S)
    assert ids(hygiene.find(view(facts=fresh))) == ["uptime"]
    assert hygiene.find(view(facts=replace(FACTS, started_ns=T0 - 3600 * NS_PER_S))) == []


def test_a_restart_within_the_window():
    log = Log().background(300, rate=1)
    assert hygiene.find(view(log)) == []
    assert hygiene.find(view(log.add("SRCH", 305, 0.001, boot=1, own=True))) == []
    log.add("SRCH", 310, 0.001, boot=1)
    found = only(hygiene.find(view(log)), "restart")
    assert found.numbers["restarts"] == 1
    assert found.evidence[0].start_ns == T0 + 305 * NS_PER_S


def said_by_slapd(**kinds):
    """What a log has beside its operations, by kind of message: (second, text)."""
    row = {"first_ns": T0, "last_ns": T0 + 600 * NS_PER_S, "clients": []}
    messages = [
        row
        | {
            "kind": kind,
            "n": len(said),
            "lines": [{"time_ns": T0 + at * NS_PER_S, "text": text} for at, text in said],
        }
        for kind, said in kinds.items()
    ]
    return (source(details={"messages": messages}),)


def test_restarts_that_somebody_asks_for_again_and_again():
    log = Log().background(30, rate=1)
    for boot, second in enumerate((100, 200, 303, 401), start=1):
        log.add("SRCH", second, 0.001, boot=boot)
    line = "systemd[1]: slapd.service: Start operation timed out. Terminating."
    stops = [(at, "slapd stopped.") for at in (90, 190, 290, 390)]
    sources = said_by_slapd(stop=stops, service=[(90, line)])
    seen = only(hygiene.find(view(log, sources=sources)), "restart")
    assert "4 times within the window, about every 100 s;" in str(seen.sentence)
    assert "stopped in good order each time" in str(seen.sentence)
    assert f'The service manager says: "{line}".' in str(seen.sentence)
    early = said_by_slapd(
        stop=stops, service=[(-3600, "systemd[1]: of the hour before"), (90, line)]
    )
    assert "hour before" not in str(
        only(hygiene.find(view(log, sources=early)), "restart").sentence
    )
    killed = said_by_slapd(stop=[*stops[:3], (500, "slapd stopped.")])
    assert "good order" not in str(
        only(hygiene.find(view(log, sources=killed)), "restart").sentence
    )
    bare = only(hygiene.find(view(log.add("SRCH", 590, 0.001, boot=5))), "restart")
    assert "5 times within the window; caches" in str(bare.sentence), "irregular, and not said why"
    assert str(bare.sentence).endswith("from nothing.")


def test_a_cache_that_fills():
    filling = {
        f"{USERROOT}:entrycachetries": counter(10),
        f"{USERROOT}:currententrycachecount": at([1000 * i for i in range(1, 61)], 10),
    }
    full = filling | {f"{USERROOT}:currententrycachecount": at([59_000 + i for i in range(60)], 10)}
    assert ids(hygiene.find(view(samples=filling))) == ["warm_up"]
    assert hygiene.find(view(samples=full)) == []


def warming(first, rest, rate_after=5):
    log = Log().background(150, rate=5, etime=first)
    random = Log().background(450, rate=rate_after, etime=rest)
    for row in random.rows:
        row["end_ns"] += 150 * NS_PER_S
    log.rows += random.rows
    return view(log)


def test_etimes_that_fall():
    assert ids(hygiene.find(warming(0.004, 0.001))) == ["warm_up"]
    assert hygiene.find(warming(0.0015, 0.001)) == []
    assert hygiene.find(warming(0.004, 0.001, rate_after=2)) == []


def test_a_wait_before_the_worker_that_falls_is_no_warm_up():
    """As a capture on a host showed that others were busy on for a while."""
    seen = warming(0.004, 0.001)
    slow = seen.operations.etime_ns > 1_500_000
    seen.operations.wtime_ns[:] = np.where(slow, seen.operations.etime_ns - 200_000, 0)
    assert hygiene.find(seen) == []


def test_a_log_of_slow_operations_only():
    told = source(details={"censored_below_ns": 101_000_000}, samples=100)
    (found,) = hygiene.find(view(sources=(told,)))
    assert found.id == "censored"
    assert found.numbers == {"least_ns": 101_000_000, "operations": 100}
    assert "101 ms" in str(found.sentence)
    assert hygiene.find(view(sources=(source(details={"censored_below_ns": None}),))) == []


def test_whole_seconds():
    assert ids(hygiene.find(view(sources=(source(resolution_ns=NS_PER_S),)))) == ["coarse"]
    assert hygiene.find(view(sources=(source(resolution_ns=1_000_000),))) == []


def test_some_whole_seconds_among_many_milliseconds():
    """As where a log was put together of two servers': most of it can be told apart."""
    sources, log = (source(resolution_ns=NS_PER_S),), Log()
    for second in range(20):
        log.add("SRCH", second, 1.0 if second < 8 else 0.005)
    assert "coarse" not in ids(hygiene.find(view(log, sources=sources)))
    whole = Log()
    for second in range(20):
        whole.add("SRCH", second, 1.0)
    assert "coarse" in ids(hygiene.find(view(whole, sources=sources)))


def test_sources_that_are_not_complete():
    broken = (source(SourceState.PARTIAL, why="link lost"),)
    found = only(hygiene.find(view(sources=broken)), "incomplete")
    assert found.severity == 2
    assert "link lost" in str(found.sentence)
    no_iostat = (source(), source(SourceState.MISSING, SourceKind.IOSTAT))
    assert only(hygiene.find(view(sources=no_iostat)), "incomplete").severity == 1
    assert hygiene.find(view(sources=(source(),))) == []


def test_a_cancelled_window():
    cancelled = replace(view(), window=window(cancelled=True))
    found = only(hygiene.find(cancelled), "incomplete")
    assert (found.severity, str(found.sentence)) == (2, "the capture was cancelled.")
    assert hygiene.find(replace(view(), window=window(cancelled=False))) == []


def test_a_clock_set_back():
    found = only(
        hygiene.find_clock(view(sources=(source(details={"clock_steps_back": 2}),))), "clock"
    )
    assert str(found.sentence).startswith("The clock went back 2 times within the window.")
    assert hygiene.find_clock(view(sources=(source(details={"clock_steps_back": 0}),))) == []


def test_pieces_of_a_log_in_one_file_tell_neither_of_its_clock_nor_of_restarts():
    log = Log().add("SRCH", 9, 0.01, boot=0).add("SRCH", 5, 0.01, boot=1)
    whole, pieces = (
        view(log, sources=(source(details={"clock_steps_back": 2}, lines=LineCounts(lines)),))
        for lines in (200, 199)
    )
    for find, which in ((hygiene.find_clock, "clock"), (hygiene.restart, "restart")):
        assert ids(find(whole)) == [which]
        assert find(pieces) == []


@pytest.mark.parametrize(
    "entry", ["cn={0}core,cn=schema,cn=config", "cn=nightly,cn=backup,cn=tasks,cn=config"]
)
def test_schema_and_tasks_are_no_settings(entry):
    log = Log().add("ADD", 5, 0.01, base=entry, client="10.0.0.7")
    assert hygiene.find(view(log)) == []


def test_other_writers_of_the_configuration():
    log = Log().add("MOD", 5, 0.01, base="cn=config", client="10.0.0.7")
    found = only(hygiene.find(view(log)), "config_writers")
    assert "cn=config by 10.0.0.7" in str(found.sentence)
    assert found.severity == 1
    arm = replace(view(log), window=window(arm="A"))
    assert only(hygiene.find(arm), "config_writers").severity == 2, "arms cannot be compared"
    ours = Log().add("MOD", 5, 0.01, base="cn=config", own=True)
    refused = Log().add("MOD", 5, 0.01, base="cn=config", err=53)
    read = Log().add("SRCH", 5, 0.01, base="cn=config")
    for almost in (ours, refused, read):
        assert hygiene.find(view(almost)) == []


def healthy(seed):
    """Ten minutes of a server that is well: a mix, checkpoints nobody feels, warm caches."""
    log = Log().background(600, rate=40, etime=0.0008)
    log.background(600, rate=8, etime=0.003, kind="MOD", filter="")
    log.background(600, rate=2, etime=0.002, kind="BIND", filter="")
    for minute in range(10):
        for k in range(6):  # a checkpoint: a few operations take 40 ms
            log.add("MOD", 60 * minute + 3 + 0.005 * k, 0.04)
        log.add("DEL", 60 * minute + 30, 0.01, base=f"uid=u{minute}")
    for row in log.rows:
        row["wtime_ns"] = row["etime_ns"] // 20
        row["client"] = -1
    tooth = [(s % 62) * 50_000.0 for s in range(600)]
    samples = {
        "cn=monitor:threads": at([17] * 60, 10),
        "cn=monitor:maxthreadsperconnhits": counter(0.01, 60),
        f"{USERROOT}:entrycachetries": counter(500, 600),
        f"{USERROOT}:entrycachehits": counter(495, 600),
        f"{USERROOT}:currententrycachesize": at([550e6] * 600),
        f"{USERROOT}:maxentrycachesize": at([4294967296] * 600),
        f"{USERROOT}:currententrycachecount": at([100_104] * 600),
        f"{LDBM}:dbcachetries": counter(1500, 600),
        f"{LDBM}:dbcachehits": counter(1498, 600),
        f"{DATABASE}:nsslapd-db-log-bytes-since-checkpoint": at(tooth),
        "iostat:cpu:idle": at([55.0] * 600),
        "iostat:vda:util": at([60.0 if s % 62 == 0 else 35.0 for s in range(600)]),
        "iostat:vda:w_await": at([6.0 if s % 62 == 0 else 1.1 for s in range(600)]),
        "iostat:vda:wkB/s": at([20_000.0 if s % 62 == 0 else 1300.0 for s in range(600)]),
        "iostat:vda:r/s": at([3.0] * 600),
        "iostat:vda:rkB/s": at([12.0] * 600),
        "iostat:vda:f/s": at([160.0] * 600),
        "iostat:vda:f_await": at([2.4] * 600),
        "vmstat:r": at([3.0] * 600),
        "vmstat:so": at([0.0] * 600),
    }
    return view(
        log,
        samples=samples,
        sources=(source(), source(kind=SourceKind.MONITOR), source(kind=SourceKind.IOSTAT)),
        facts=replace(FACTS, started_ns=T0 - 86_400 * NS_PER_S),
        settings={
            "nsslapd-db-checkpoint-interval": "60",
            "nsslapd-accesslog-logbuffering": "on",
            "nsslapd-accesslog-level": "256",
            "nsslapd-cache-autosize": "25",
            "io-scheduler": "none [mq-deadline] kyber bfq",
        },
        baseline=baseline(Log().background(600, rate=40)),
    )


def test_nothing_is_said_of_a_healthy_window():
    assert ids(findings_in(healthy(1))) == []
