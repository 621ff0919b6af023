"""Live values: from samples to strips, however many there are."""

import threading
import time

import numpy as np

from ldap_workbench.figures.timeline.live import PEAK, LiveFeed, LiveStep, live_step
from ldap_workbench.figures.timeline.strips import ArmSpan, build_strips, series_of
from ldap_workbench.model.experiment import Design, Experiment, Plan, State, Step
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import LiveBatch, Sample, SourceKind, SourceState

START = 1_795_161_600 * NS_PER_S
BACKEND = "cn=monitor,cn=userroot,cn=ldbm database,cn=plugins,cn=config"


def samples(second: int, **values: float) -> LiveBatch:
    names = {
        "ops": "cn=snmp,cn=monitor:inops",
        "hits": f"{BACKEND}:entrycachehits",
        "tries": f"{BACKEND}:entrycachetries",
        "util": "iostat:vda:util",
        "begun": "cn=monitor:opsinitiated",
        "done": "cn=monitor:opscompleted",
        "other": "cn=monitor:version",
    }
    time_ns = START + second * NS_PER_S
    return LiveBatch(time_ns, tuple(Sample(time_ns, names[k], v) for k, v in values.items()))


def strip(feed: LiveFeed, title: str):
    return next(s for s in feed.strips() if str(s.title) == title)


def test_counters_become_rates_and_hits_a_ratio_of_the_interval():
    feed = LiveFeed("vda")
    feed.put(samples(0, ops=1000, hits=900, tries=1000))
    feed.put(samples(1, ops=1250, hits=910, tries=1020))
    feed.put(samples(3, ops=1750, hits=970, tries=1080))
    assert feed.drain()
    assert strip(feed, "Operations").lines[0].values.tolist() == [250.0, 250.0]
    assert strip(feed, "Entry cache hits").lines[0].values.tolist() == [50.0, 100.0]


def test_a_counter_that_falls_is_a_restart_and_unknown():
    feed = LiveFeed()
    for second, count in enumerate((500, 600, 10, 60)):
        feed.put(samples(second, ops=count))
    feed.drain()
    values = strip(feed, "Operations").lines[0].values
    assert values[0] == 100.0
    assert np.isnan(values[1])
    assert values[2] == 50.0


def test_nothing_tried_is_unknown_and_a_strip_of_nothing_known_is_none():
    feed = LiveFeed()
    for second in (0, 1):
        feed.put(samples(second, hits=5, tries=5))
    feed.drain()
    assert "Entry cache hits" not in [str(s.title) for s in feed.strips()]
    feed.put(samples(2, hits=8, tries=9))
    feed.drain()
    values = strip(feed, "Entry cache hits").lines[0].values
    assert np.isnan(values).tolist() == [True, False]


def test_only_what_is_drawn_is_kept():
    feed = LiveFeed()
    feed.put(samples(0, ops=1, other=2))
    feed.drain()
    assert list(feed._series) == ["cn=snmp,cn=monitor:inops"]
    assert feed.samples == 2


def test_the_peak_etime_has_a_strip_of_its_own():
    feed = LiveFeed()
    feed.put(LiveBatch(START, operations=5, worst_ns=7_000_000, bytes_read=100))
    feed.drain()
    assert strip(feed, str(PEAK)).duration
    assert (feed.operations, feed.bytes_read) == (5, 100)


def test_what_is_in_flight_is_begun_and_not_done_and_not_our_own_search():
    feed = LiveFeed()
    for second, (begun, done) in enumerate(((500, 499), (700, 688), (700, 700))):
        feed.put(samples(second, begun=begun, done=done))
    feed.drain()
    assert strip(feed, "Operations in flight").lines[0].values.tolist() == [0.0, 11.0, 0.0]


def test_what_is_in_flight_needs_both_counters():
    feed = LiveFeed()
    feed.put(samples(0, begun=500))
    feed.put(samples(1, begun=501))
    feed.drain()
    assert "Operations in flight" not in [str(s.title) for s in feed.strips()]


def test_the_feed_knows_how_every_source_stands():
    feed = LiveFeed()
    log, disk = SourceKind.ACCESS_LOG, SourceKind.IOSTAT
    feed.put(LiveBatch(START, source=log))
    feed.drain()
    assert feed.sources[log].last is None, "it has begun, and nothing has come"
    feed.put(LiveBatch(START, operations=5, bytes_read=700, source=log))
    feed.put(LiveBatch(START, bytes_read=0, source=log))
    feed.put(LiveBatch(START, source=disk, state=SourceState.MISSING, why=verbatim("no iostat")))
    feed.drain()
    assert (feed.sources[log].operations, feed.sources[log].bytes_read) == (5, 700)
    assert feed.sources[log].last is not None
    assert feed.sources[log].state is None
    assert (feed.sources[disk].state, feed.sources[disk].why) == (
        SourceState.MISSING,
        verbatim("no iostat"),
    )


def test_a_line_breaks_where_nothing_was_sampled():
    times = np.array([0, 1, 2, 30, 31, 32]) * NS_PER_S + START
    series = {"iostat:vda:util": (times, np.arange(6.0))}
    [built] = build_strips(list(series), series.__getitem__, "vda")
    assert np.isnan(built.lines[0].values).sum() == 1
    assert len(built.lines[0].values) == 7


def test_a_flood_from_many_threads_is_drained_in_time():
    """A thousand batches that have waited, from four threads, are one short turn of the window.

    What 10,000 operations a second do to the window: test_capture_screen.
    """
    feed = LiveFeed("vda")

    def source() -> None:
        for second in range(250):
            feed.put(samples(second, ops=second * 10_000, util=5.0))

    threads = [threading.Thread(target=source) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    began = time.thread_time()  # what others do on the processor is not its turn
    assert feed.drain()
    assert time.thread_time() - began < 0.1
    assert feed.samples == 2000


def test_the_peak_etime_stands_near_the_top():
    feed = LiveFeed("vda")
    feed.put(samples(0, ops=1000, hits=5, tries=5))
    feed.put(samples(1, ops=1250, hits=6, tries=6, util=20.0))
    feed.put(LiveBatch(START, operations=5, worst_ns=7_000_000))
    feed.drain()
    titles = [str(strip.title) for strip in feed.strips()]
    assert titles[:2] == ["Operations", str(PEAK)]
    assert len(titles) > 3


def test_peaks_break_where_no_operation_came_for_long():
    feed = LiveFeed()
    for second in (0, 1, 2, 3, 30, 31):
        feed.put(LiveBatch(START + second * NS_PER_S, operations=1, worst_ns=10**6))
    feed.drain()
    [line] = strip(feed, str(PEAK)).lines
    assert np.isnan(line.values).tolist() == [False] * 4 + [True] + [False] * 2


def test_between_windows_nothing_is_known_however_close_they_are():
    """Neither a line nor a rate: a counter that was read at both ends tells of neither window."""
    times = np.arange(3) * NS_PER_S + START
    ends = START + 3 * NS_PER_S, START + 6 * NS_PER_S
    gauges = [(times, np.arange(3.0)), (times + 3 * NS_PER_S, np.arange(3.0, 6.0))]
    names = {"iostat:vda:util": 1, "cn=snmp,cn=monitor:inops": 100}

    def read(name):
        return series_of(
            [((at, v * names[name]), e) for (at, v), e in zip(gauges, ends, strict=True)]
        )

    lines = {str(s.title): s.lines[0] for s in build_strips(list(names), read, "vda")}
    unknown = {title: np.isnan(line.values).tolist() for title, line in lines.items()}
    assert unknown["Disk busy"] == [False] * 3 + [True] + [False] * 3
    assert unknown["Operations"] == [False] * 2 + [True, True] + [False] * 2
    assert np.nanmax(lines["Operations"].values) == 100.0
    assert all((np.diff(line.seconds) > 0).all() for line in lines.values())


def test_a_window_without_samples_is_left_out():
    nothing = np.empty(0, np.int64), np.empty(0)
    times, values = series_of([(nothing, START), ((np.array([START]), np.ones(1)), START + 5)])
    assert (times.tolist(), values.tolist()) == ([START], [1.0])
    assert len(series_of([(nothing, START)])[0]) == 0


def test_the_windows_of_an_experiment_come_as_they_are_measured():
    feed = LiveFeed()
    first, again, second = LiveStep("A", (0, 0)), LiveStep("A", (1, 0)), LiveStep("B", (1, 1))
    for at, (step, count) in enumerate([(first, 0), (first, 50), (again, 60), (second, 900)]):
        feed.put(samples(2 * at, ops=count), step)
        feed.put(samples(2 * at + 1, ops=count + 10), step)
    feed.drain()
    begun = START / NS_PER_S
    operations = strip(feed, "Operations")
    assert operations.arms == (
        ArmSpan(begun, begun + 3, "A"),
        ArmSpan(begun + 4, begun + 5, "A"),
        ArmSpan(begun + 6, begun + 7, "B"),
    )
    known = operations.lines[0].values
    assert known[np.isfinite(known)].tolist() == [10.0, 40.0, 10.0, 10.0, 10.0]
    feed.put(samples(8, ops=1000), second)
    feed.drain()
    assert strip(feed, "Operations").arms[-1].end_s == begun + 8


def test_what_is_measured_now_is_the_step_of_the_plan():
    steps = (Step("A", 0), Step("B", 0))
    plan = Plan(Treatment(()), Design(), steps, 10.0, 1)
    now = Experiment(1, plan, State.MEASURING, 1)
    assert live_step(plan, now) == LiveStep("B", (0, 1))
    void = Experiment(1, plan, State.MEASURING, 1, void=(verbatim("the link broke"),))
    assert live_step(plan, void) != live_step(plan, now)
    for idle in (None, Experiment(1, plan, State.JUDGING, 2)):
        assert live_step(plan, idle).arm == ""


def test_a_server_whose_counters_cannot_be_read_does_not_answer():
    def told(**what) -> bool:
        feed.put(LiveBatch(START, source=SourceKind.MONITOR, **what))
        feed.drain()
        return feed.answering

    feed = LiveFeed()
    assert feed.answering, "nothing is known of it"
    assert told()
    assert not told(note=Message("the link has been cut for 2 s"))
    assert told(note=NOTHING)
    assert not told(state=SourceState.FAILED)
