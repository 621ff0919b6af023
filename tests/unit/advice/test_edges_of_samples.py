"""Findings about samples and logs beside, each limit by a material that just has it and almost."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.evidence.companions import Histogram
from ldap_workbench.advice.families import caches, checkpoint, disk, hygiene, log_cost, pressure
from ldap_workbench.advice.families import threads as threads_family
from ldap_workbench.advice.families.references import reference_findings
from ldap_workbench.model.units import NS_PER_S
from tests.unit.advice.edges import Edge
from tests.unit.advice.material import FACTS, LDBM, T0, USERROOT, Log, at, counter, view
from tests.unit.advice.test_caches import MIB, db_cache, entry_cache, ndn
from tests.unit.advice.test_lmdb import GIB, of_389


def of_caches(samples):
    return caches.find(view(samples=samples, seconds=60))


def entries(**columns):
    return of_caches(entry_cache(**columns))


def tried(prefix, tries):
    """The entry cache or another, asked so often in the window."""
    samples = entry_cache() | db_cache() | ndn(0.7, 50) | names()
    for name, (times, values) in list(samples.items()):
        if prefix in name and name.endswith(("tries", "hits", "evict", "evictions", "pagein")):
            share = (values[-1] - values[0]) / 59_000
            samples[name] = at(1000 + share * tries / 59 * (times - times[0]) / NS_PER_S)
    return of_caches(samples)


def names(hit_ratio=0.5, size=16 * MIB):
    return {
        f"{USERROOT}:entrycachetries": counter(1000),
        f"{USERROOT}:dncachetries": counter(1000),
        f"{USERROOT}:dncachehits": counter(1000 * hit_ratio),
        f"{USERROOT}:currentdncachesize": at([size] * 60),
        f"{USERROOT}:maxdncachesize": at([16 * MIB] * 60),
        f"{USERROOT}:currentdncachecount": at([200_000] * 60),
    }


def on_disk(**columns):
    samples = {f"iostat:vda:{name.replace('_s', '/s')}": at(v) for name, v in columns.items()}
    return disk.find(view(samples=samples))


def reading(kb, rate, pages=None):
    """Reads of so many KB, so many a second, of which the server counts `pages` as its own."""
    samples = {"iostat:vda:r/s": at([rate] * 60), "iostat:vda:rkB/s": at([rate * kb] * 60)}
    if pages is not None:
        samples[f"{LDBM}:dbcachepagein"] = counter(pages)
    settings = {"nsslapd-db-page-size": "32768"}
    return disk.find(view(samples=samples, settings=settings, seconds=60))


def waits(wait_ms, util, device="vda", scheduler="none [mq-deadline]", rotational=None):
    samples = {
        f"iostat:{device}:util": at([util] * 60),
        f"iostat:{device}:w_await": at([wait_ms] * 60),
    }
    facts = replace(FACTS, device=device, rotational=rotational)
    return disk.find(view(samples=samples, settings={"io-scheduler": scheduler}, facts=facts))


def flushed(flush_ms=9.0, rate=160.0, mods=20, etime=0.012):
    log = Log().background(60, rate=mods, etime=etime, kind="MOD", filter="")
    samples = {"iostat:vda:f/s": at([rate] * 60), "iostat:vda:f_await": at([flush_ms] * 60)}
    return disk.find(view(log, seconds=60, samples=samples))


def host(column, value, share=1.0):
    """A column of vmstat that has the value in a share of the samples."""
    count = round(100 * share)
    return pressure.find(
        view(samples={f"vmstat:{column}": at([value] * count + [0.0] * (100 - count))})
    )


def workers(threads, idle, cores=4):
    samples = {"iostat:cpu:idle": at([idle] * 60), "cn=monitor:threads": at([threads + 1] * 6)}
    return threads_family.find(view(samples=samples, facts=replace(FACTS, cores=cores)))


def held_back(a_minute):
    samples = {"cn=monitor:maxthreadsperconnhits": counter(a_minute / 60, steps=601)}
    return threads_family.find(view(samples=samples, seconds=600))


def calls(slow, of=100_000, probe="log_access_full"):
    return log_cost.find(view(histograms=(Histogram(probe, (0, 1024), (of - slow, slow)),)))


def moved(before, after, of=10_000):
    """Of so many calls, those beyond a bound with one thread and with sixteen."""
    few = Histogram("op_search 1 threads", (1, 2), (of - before, before))
    many = Histogram("op_search 16 threads", (1, 2), (of - after, after))
    return log_cost.find_tail_shift(view(histograms=(few, many)))


def bursts(times=8.0, kb=20_000.0, util=99.0, wait=30.0):
    """A burst of writing of 3 s every minute, on a disk that writes 500 KB/s otherwise."""
    usual = kb / times
    during = [i % 61 < 3 for i in range(600)]
    pick = lambda high, low: at([high if on else low for on in during])  # noqa: E731
    samples = {
        "iostat:vda:wkB/s": pick(kb, usual),
        "iostat:vda:util": pick(util, 5.0),
        "iostat:vda:w_await": pick(wait, 1.0),
    }
    settings = {"nsslapd-db-checkpoint-interval": "60"}
    return checkpoint.find(view(samples=samples, settings=settings))


def up_for(seconds):
    facts = replace(FACTS, started_ns=T0 - round(seconds * NS_PER_S))
    return hygiene.find(view(facts=facts))


def filling(growth):
    """A cache whose last count is reached by a growth of this share of it."""
    last = 10_000.0
    first = last * (1 - growth)
    samples = {
        f"{USERROOT}:entrycachetries": counter(10),
        f"{USERROOT}:currententrycachecount": at([first] * 16 + [last] * 45, 10),
    }
    return hygiene.find(view(samples=samples))


def named_by(groups):
    return reference_findings({f"cn=g{n}": ("uid=boss",) for n in range(groups)})


def audited(mods_per_s=5.0, device="vda"):
    log = Log().background(600, rate=mods_per_s, kind="MOD", filter="")
    facts = replace(FACTS, audit_log="/var/log/dirsrv/slapd-lab/audit", audit_device=device)
    return log_cost.find(
        view(log, facts=facts, settings={"nsslapd-auditlog-logging-enabled": "on"})
    )


EDGES = [
    Edge("entry_cache", "hits", lambda: entries(hit_ratio=0.94), lambda: entries(hit_ratio=0.96)),
    Edge(
        "entry_cache", "full", lambda: entries(size=182 * MIB), lambda: entries(size=178 * MIB)
    ),
    Edge("entry_cache", "tries", lambda: tried("entrycache", 1100),
         lambda: tried("entrycache", 900)),
    Edge("dn_cache", "hits", lambda: of_caches(names(0.94)), lambda: of_caches(names(0.96))),
    Edge("dn_cache", "full", lambda: of_caches(names(size=15.5 * MIB)),
         lambda: of_caches(names(size=15 * MIB))),
    Edge("dn_cache", "tries", lambda: tried(":dncache", 1100), lambda: tried(":dncache", 900)),
    Edge("db_cache", "hits", lambda: of_caches(db_cache(hit_ratio=0.94)),
         lambda: of_caches(db_cache(hit_ratio=0.96))),
    Edge("db_cache", "tries", lambda: tried(":dbcache", 220), lambda: tried(":dbcache", 180)),
    Edge("ndn_cache", "tries", lambda: tried(":normalizeddn", 1100),
         lambda: tried(":normalizeddn", 900)),
    Edge("ndn_cache", "hits", lambda: of_caches(ndn(0.89, 50)), lambda: of_caches(ndn(0.91, 50))),
    Edge("ndn_cache", "evictions", lambda: of_caches(ndn(0.7, 1)), lambda: of_caches(ndn(0.7, 0))),
    Edge("lmdb_map", "full", lambda: caches.find_lmdb(view(samples=of_389(0.86 * 2 * GIB, 1))),
         lambda: caches.find_lmdb(view(samples=of_389(0.84 * 2 * GIB, 1)))),
    Edge("large_reads", "page", lambda: reading(105, 200), lambda: reading(60, 200)),
    Edge("large_reads", "reads", lambda: reading(105, 21), lambda: reading(105, 19)),
    Edge("large_reads", "pages", lambda: reading(105, 200, 110), lambda: reading(105, 200, 90)),
    Edge("slow_device", "util", lambda: on_disk(util=[96.0] * 60),
         lambda: on_disk(util=[94.0] * 60)),
    Edge("slow_device", "await", lambda: on_disk(w_await=[21.0] * 60),
         lambda: on_disk(w_await=[19.0] * 60)),
    Edge("slow_device", "least util", lambda: on_disk(w_await=[25.0] * 60, util=[11.0] * 60),
         lambda: on_disk(w_await=[25.0] * 60, util=[9.0] * 60)),
    Edge("slow_device", "share", lambda: on_disk(util=[99.0] * 31 + [9.0] * 69),
         lambda: on_disk(util=[99.0] * 29 + [9.0] * 71)),
    Edge("scheduler", "await", lambda: waits(11.0, 50.0), lambda: waits(9.0, 50.0)),
    Edge("scheduler", "least util", lambda: waits(15.0, 11.0), lambda: waits(15.0, 9.0)),
    Edge("scheduler", "util", lambda: waits(1.0, 81.0), lambda: waits(1.0, 79.0)),
    Edge("scheduler", "in force", lambda: waits(15.0, 50.0, scheduler="[bfq] none"),
         lambda: waits(15.0, 50.0, scheduler="bfq [none]")),
    Edge("scheduler", "kind of disk", lambda: waits(15.0, 50.0, "sda", rotational=False),
         lambda: waits(15.0, 50.0, "sda", rotational=True)),
    Edge("scheduler", "unknown disk", lambda: waits(15.0, 50.0, "sda", rotational=False),
         lambda: waits(15.0, 50.0, "sda")),
    Edge("slow_flush", "flush", lambda: flushed(5.5), lambda: flushed(4.5)),
    Edge("slow_flush", "flushes", lambda: flushed(rate=11.0), lambda: flushed(rate=9.0)),
    Edge("slow_flush", "mods", lambda: flushed(mods=1.1), lambda: flushed(mods=0.9)),
    Edge("slow_flush", "etime", lambda: flushed(etime=0.006), lambda: flushed(etime=0.003)),
    Edge("memory", "swap", lambda: host("so", 110.0), lambda: host("so", 90.0)),
    Edge("memory", "scan", lambda: host("sr", 220.0), lambda: host("sr", 180.0)),
    Edge("memory", "share", lambda: host("si", 500.0, 0.12), lambda: host("si", 500.0, 0.08)),
    Edge("memory", "run queue", lambda: host("r", 17.0), lambda: host("r", 15.0)),
    Edge("too_many_threads", "cores", lambda: workers(17, 1.0), lambda: workers(17, 1.0, cores=5)),
    Edge("too_many_threads", "threads", lambda: workers(17, 1.0, 2), lambda: workers(16, 1.0, 2)),
    Edge("too_many_threads", "idle", lambda: workers(64, 9.0), lambda: workers(64, 11.0)),
    Edge("connection_threads", "hits", lambda: held_back(66), lambda: held_back(54)),
    Edge("log_functions", "share", lambda: calls(110), lambda: calls(90)),
    Edge("log_functions", "probe", lambda: calls(500), lambda: calls(500, probe="do_search")),
    Edge("log_audit", "device", audited, lambda: audited(device="vdb")),
    Edge("log_audit", "unknown device", audited, lambda: audited(device=None)),
    Edge("log_audit", "writes", lambda: audited(1.1), lambda: audited(0.9)),
    Edge("tail_shift", "share", lambda: moved(10, 120), lambda: moved(10, 100)),
    Edge("tail_shift", "times", lambda: moved(1000, 2100), lambda: moved(1000, 1900)),
    Edge("tail_shift", "calls", lambda: moved(0, 55, of=110), lambda: moved(0, 45, of=90)),
    Edge("tail_shift", "sigmas", lambda: moved(5, 31, of=300), lambda: moved(5, 15, of=300)),
    Edge("checkpoint", "burst times", lambda: bursts(times=5.0), lambda: bursts(times=3.0)),
    Edge("checkpoint", "burst", lambda: bursts(kb=1100.0), lambda: bursts(kb=900.0)),
    Edge("checkpoint", "util", lambda: bursts(util=95.0, wait=1.0),
         lambda: bursts(util=85.0, wait=1.0)),
    Edge("checkpoint", "await", lambda: bursts(util=50.0, wait=22.0),
         lambda: bursts(util=50.0, wait=18.0)),
    Edge("uptime", "seconds", lambda: up_for(55), lambda: up_for(65)),
    Edge("warm_up", "cache", lambda: filling(0.3), lambda: filling(0.2)),
    Edge("referred", "references", lambda: named_by(21), lambda: named_by(20)),
]  # fmt: skip


@pytest.mark.parametrize("edge", EDGES, ids=str)
def test_one_just_has_it_and_one_almost_has_it(edge: Edge) -> None:
    edge.check()
