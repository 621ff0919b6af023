"""Findings about operations, each limit by a log that just has it and one that almost has it."""

import pytest

from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.families import (
    binds,
    checkpoint,
    errors,
    hygiene,
    log_cost,
    referint,
    repeats,
    search_shape,
    threads,
)
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.edges import Edge
from tests.unit.advice.material import T0, Log, baseline, view
from tests.unit.advice.test_hygiene import warming
from tests.unit.advice.test_referint import inside, published
from tests.unit.advice.test_threads import THREADS, pausing, waiting


def even(count, etime, *, filter="(uid=?)", kind="SRCH", step=0.1, **columns):  # noqa: A002
    """Operations that all take the same time."""
    log = Log()
    for i in range(count):
        log.add(kind, i * step, etime, filter=filter, **columns)
    return log


def with_others(log, count, etime, *, filter="(cn=*?*)", step=1.0, **columns):  # noqa: A002
    for i in range(count):
        log.add("SRCH", i * step, etime, filter=filter, **columns)
    return log


def unindexed(count, etime):
    """Of 60 s of search time in all, `count` x `etime` without an index."""
    rest = 60.0 - count * etime
    return search_shape.find(view(with_others(even(2000, rest / 2000), count, etime, notes="A")))


def heavy(count, etime, *, searches=2000, share_of_time=0.5):
    """A filter beside others, which take what is left of the time."""
    others = searches - count
    rest = count * etime * (1 - share_of_time) / share_of_time
    log = with_others(even(others, rest / others), count, etime, step=0.1)
    # By its share of the time: the confidence of one that owns the tail alone is less.
    return [seen for seen in search_shape.find(view(log)) if seen.confidence == "high"]


def fresh(count, etime, *, before=1200):
    log = with_others(even(1000, 0.001), count, etime, filter="(mail=?)")
    return search_shape.find(view(log, baseline=baseline(even(before, 0.001))))


def loaded(count, before):
    return search_shape.find(view(even(count, 0.001), baseline=baseline(even(before, 0.001))))


def stalled(length, *, times=1, seconds=600.0):
    """Quick searches, and eight that wait together, so many times."""
    log = Log().background(seconds, rate=20)
    for n in range(times):
        end = 30 + 20 * n
        for i in range(8):
            log.add("SRCH", end - length + 0.001 * i, length, filter="(uid=?)")
    return checkpoint.find_stalls(view(log, seconds=seconds))


def trains(**columns):
    return referint.find(view(published(**columns), seconds=1500))


def bursts(*mods, every=300.0, etime=0.5, gap=0.01, deletions=1, strays=0):
    """Trains of so many MODs, 30 s after deletions (after none where negative), and stray ones."""
    log = Log().background(every * len(mods) + 60, rate=1)
    for n, count in enumerate(mods):
        for k in range(deletions if count > 0 else 0):
            log.add("DEL", every * n + k, 0.01, base=f"uid=u{n}{k}")
        for k in range(abs(count)):
            start = every * n + 30 + k * (etime + gap)
            log.add("MOD", start, etime, base=f"cn=g{k}", conn=9)
    for n in range(strays):
        log.add("MOD", 10 + every * n, 0.1, base="cn=stray", conn=8)
    return referint.find(view(log, seconds=every * len(mods) + 60))


def half_inside(with_mods):
    """Five deletions of which so many have one MOD inside."""
    log = inside(0.8, 1)
    log.rows = [row for row in log.rows if not row["internal"] or row["op"] <= with_mods]
    return referint.find(view(log, seconds=300))


def one_line_of(text):
    return errors.find(view(errors=(ErrorLine(T0, text),)))


def removing(number, etime, mods=4):
    log = inside(etime, mods)
    log.rows = [row for row in log.rows if row["conn"] != 7 or row["op"] <= number]
    return referint.find(view(log, seconds=300))


def consumers(number, more):
    deletions = (100, 400, 760, 1000)[:number]
    supplier = published(mods=4, deletions=deletions).done()
    consumer = published(mods=more, deletions=deletions).done()
    return referint.consumer_finding(supplier, consumer, ("a", "b"))


def written(longest, others):
    """A MOD on one entry beside others of 0.2 s."""
    log = even(others, 0.2, kind="MOD", filter="", base="cn=group", step=5.0)
    return repeats.find(view(log.add("MOD", 300, longest, base="cn=group")))


def sent_twice(longest):
    log = even(9, 0.9, kind="MOD", filter="", base="cn=a", step=30.0)
    log.add("MOD", 400, longest, base="cn=group", conn=3)
    log.add("MOD", 450, 0.01, base="cn=group", conn=4)
    operations = log.done()
    csn = {int(row): "6685dc750009000d0000" for row in range(len(operations) - 2, len(operations))}
    line_of = lambda row: f"RESULT err=0 csn={csn.get(row, f'ab{row}')}"  # noqa: E731
    return repeats.find(view(operations, line_of=line_of))


def bound(bind_ms, search_ms, count=30):
    log = even(200, search_ms / 1000)
    for i in range(count):
        log.add("BIND", i, bind_ms / 1000)
    return binds.find(view(log))


def internal(count, of=100):
    log = even(of - count, 0.001)
    for i in range(count):
        log.add("SRCH", i, 0.001, internal=True)
    return log_cost.find(view(log))


def failing(count, of):
    log = even(of - count, 0.001, step=0.01)
    for i in range(count):
        log.add("SRCH", i, 0.001, err=51)
    return errors.find(view(log))


def logged_from(least_ns):
    details = {"censored_below_ns": least_ns}
    log = Source(1, 1, SourceKind.ACCESS_LOG, "a", SourceState.COMPLETE, details=details)
    return hygiene.find(view(sources=(log,)))


def in_steps(milliseconds):
    step = milliseconds * 1_000_000
    log = Source(1, 1, SourceKind.ACCESS_LOG, "a", SourceState.COMPLETE, resolution_ns=step)
    return hygiene.find(view(sources=(log,)))


def queued(p95_ms):
    return threads.find(view(waiting(0.6, etime=p95_ms / 600)))


def paused(served, pause, count=1500):
    return threads.find(view(pausing(4, pause, served, count), samples=THREADS))


EDGES = [
    Edge("stall", "longest", lambda: stalled(1.1), lambda: stalled(0.9)),
    Edge(
        "stall",
        "share of the window",
        lambda: stalled(0.6, times=25),
        lambda: stalled(0.6, times=15),
    ),
    Edge(
        "stall", "shortest", lambda: stalled(0.3, times=3, seconds=40),
        lambda: stalled(0.15, times=3, seconds=40),
    ),
    Edge("referint_trains", "mods", lambda: trains(mods=3), lambda: trains(mods=2)),
    Edge(
        "referint_trains", "trains", lambda: trains(deletions=(100, 700)),
        lambda: trains(deletions=(100,)),
    ),
    Edge("referint_trains", "gap", lambda: bursts(7, 7, 7, 7, gap=7.5),
         lambda: bursts(7, 7, 7, 7, gap=8.5)),
    Edge("referint_trains", "led", lambda: bursts(7, 7, 7, 7, -7),
         lambda: bursts(7, 7, 7, 7, -7, -3)),
    Edge("referint_trains", "mods for each", lambda: bursts(6, 6, 6, deletions=3),
         lambda: bursts(5, 5, 5, deletions=3)),
    Edge("referint_trains", "spread", lambda: bursts(8, 4, 8, 4), lambda: bursts(12, 3, 12, 3)),
    Edge("referint_trains", "busy", lambda: bursts(7, 7, 7, 7, 7, 7, every=100.0, etime=7.5),
         lambda: bursts(7, 7, 7, 7, 7, 7, every=100.0, etime=9.5)),
    Edge("referint_trains", "in trains", lambda: bursts(4, 4, 4, 4, strays=4),
         lambda: bursts(4, 4, 4, 4, 4, strays=6) or bursts(4, 4, 4, strays=4)),
    Edge("referint_inside", "mods", lambda: half_inside(5), lambda: half_inside(4)),
    Edge("deadlock", "lines", lambda: one_line_of("ERR - libdb: DB_LOCK_DEADLOCK (-30993)"),
         lambda: one_line_of("ERR - libdb: DB_NOTFOUND (-30988)")),
    Edge("refused", "words", lambda: one_line_of("ERR - accept: Too many open files"),
         lambda: one_line_of("INFO - many files are open")),
    Edge("threads_exhausted", "words", lambda: one_line_of("WARNING - all threads are busy"),
         lambda: one_line_of("INFO - all threads are idle")),
    Edge("referint_inside", "removals", lambda: removing(3, 0.8), lambda: removing(2, 0.8)),
    Edge("referint_inside", "removal", lambda: removing(5, 0.06), lambda: removing(5, 0.04)),
    Edge("consumer_ratio", "times", lambda: consumers(4, 9), lambda: consumers(4, 7)),
    Edge("consumer_ratio", "removals", lambda: consumers(3, 9), lambda: consumers(2, 9)),
    Edge("same_operation", "times", lambda: written(1.7, 9), lambda: written(1.5, 9)),
    Edge("same_operation", "others", lambda: written(2.0, 3), lambda: written(2.0, 2)),
    Edge("applied_twice", "slow", lambda: sent_twice(1.1), lambda: sent_twice(0.9)),
    Edge("unindexed", "share of time", lambda: unindexed(40, 0.08), lambda: unindexed(40, 0.07)),
    Edge("unindexed", "longest", lambda: unindexed(2, 0.11), lambda: unindexed(2, 0.09)),
    Edge(
        "heavy_filter", "searches", lambda: heavy(50, 0.1, searches=1010),
        lambda: heavy(50, 0.1, searches=990),
    ),
    Edge("heavy_filter", "few", lambda: heavy(5, 0.1), lambda: heavy(4, 0.1)),
    Edge("heavy_filter", "times its share", lambda: heavy(330, 0.1), lambda: heavy(336, 0.1)),
    Edge(
        "heavy_filter", "most of the time", lambda: heavy(600, 0.1, share_of_time=0.98),
        lambda: heavy(700, 0.1, share_of_time=0.98),
    ),
    Edge("heavy_filter", "usual of many", lambda: heavy(330, 0.021), lambda: heavy(330, 0.019)),
    Edge(
        "heavy_filter", "share of time", lambda: heavy(50, 0.1, share_of_time=0.33),
        lambda: heavy(50, 0.1, share_of_time=0.27),
    ),
    Edge("heavy_filter", "longest", lambda: heavy(50, 0.022), lambda: heavy(50, 0.018)),
    Edge("new_filter", "share", lambda: fresh(60, 0.001), lambda: fresh(45, 0.001)),
    Edge(
        "new_filter", "baseline", lambda: fresh(100, 0.001, before=1010),
        lambda: fresh(100, 0.001, before=990),
    ),
    Edge("load_changed", "times", lambda: loaded(630, 300), lambda: loaded(570, 300)),
    Edge("load_changed", "baseline", lambda: loaded(900, 210), lambda: loaded(900, 190)),
    Edge("slow_binds", "bind", lambda: bound(11, 0.5), lambda: bound(9, 0.5)),
    Edge("slow_binds", "times search", lambda: bound(60, 5.5), lambda: bound(60, 6.5)),
    Edge("slow_binds", "binds", lambda: bound(60, 1, 20), lambda: bound(60, 1, 19)),
    Edge("log_internal", "share", lambda: internal(22), lambda: internal(18)),
    Edge("failed_operations", "operations", lambda: failing(10, 900), lambda: failing(9, 900)),
    Edge("failed_operations", "share", lambda: failing(11, 10_000), lambda: failing(11, 12_000)),
    Edge("warm_up", "times", lambda: hygiene.find(warming(0.0023, 0.001)),
         lambda: hygiene.find(warming(0.0017, 0.001))),
    Edge("warm_up", "by", lambda: hygiene.find(warming(0.0009, 0.0003)),
         lambda: hygiene.find(warming(0.0006, 0.0002))),
    Edge("warm_up", "steady", lambda: hygiene.find(warming(0.004, 0.001, rate_after=5)),
         lambda: hygiene.find(warming(0.004, 0.001, rate_after=3.8))),
    Edge("censored", "told", lambda: logged_from(10**7), lambda: logged_from(None)),
    Edge("coarse", "resolution", lambda: in_steps(1000), lambda: in_steps(500)),
    Edge("work_queue", "p95", lambda: queued(11), lambda: queued(9)),
    Edge("client_pauses", "difference", lambda: paused(0.0005, 0.0012),
         lambda: paused(0.0005, 0.0008)),
    Edge("client_pauses", "operations", lambda: paused(0.001, 0.02, 1001),
         lambda: paused(0.001, 0.02, 999)),
]  # fmt: skip


@pytest.mark.parametrize("edge", EDGES, ids=str)
def test_one_just_has_it_and_one_almost_has_it(edge: Edge) -> None:
    edge.check()


def test_a_second_is_the_unit_of_the_material() -> None:
    """Were it not, every edge above would say something else."""
    assert even(1, 1.5).done().etime_ns.tolist() == [round(1.5 * NS_PER_S)]
