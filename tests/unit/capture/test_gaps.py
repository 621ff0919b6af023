"""One rule for all that is sampled: what is missing makes a source partial, with how much."""

from types import SimpleNamespace

import pytest

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.live.host_state import sample_host_state
from ldap_workbench.capture.live.source import SampleGaps
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState

S = NS_PER_S


def judged(times_s, *, beat_s=1.0, **options):
    """The source that was sampled at these seconds."""
    link = SimpleNamespace(cuts=0, cut_s=0.0)
    gaps = SampleGaps(link, beat_s, 0, **options)
    for time_s in times_s:
        gaps.sampled(round(time_s * S))
    source = Source(1, 1, SourceKind.HOST, "/proc", SourceState.COMPLETE, samples=len(times_s))
    return gaps.with_gaps(source)


def test_samples_that_come_too_slowly_are_missing():
    source = judged([n * 600 / 511 for n in range(511)])
    assert source.state is SourceState.PARTIAL
    assert "511 of 600 samples were taken" in str(source.why)
    assert "the longest time between two was 1.17 s" in str(source.why)
    assert source.details["sample_gaps"] == []
    assert source.details["expected_samples"] == 600
    assert source.details["longest_gap_ns"] == pytest.approx(600 / 511 * S, abs=2)


def test_one_sample_in_ten_may_be_late():
    source = judged([n / 0.9 for n in range(541)])
    assert source.details["expected_samples"] == 601
    assert source.state is SourceState.COMPLETE, source.why


def test_a_few_samples_are_not_counted():
    assert judged([n * 1.5 for n in range(19)]).state is SourceState.COMPLETE


def test_a_simulated_clock_is_not_counted():
    assert judged([2.0 * n for n in range(100)], counted=False).state is SourceState.COMPLETE


def test_a_gap_of_more_than_five_beats_is_named():
    source = judged([*range(20), *range(26, 60)])
    assert str(source.why) == "No samples for 7.0 s, in 1 gap."
    source = judged([*range(20), *range(36, 60)])
    assert str(source.why).startswith("No samples for 17.0 s, in 1 gap. 44 of 60 samples were")


def test_the_slowest_answer_is_known_though_nobody_slept():
    """A server that hangs answers its question late: no sample is missing for another reason."""
    gaps = SampleGaps(SimpleNamespace(cuts=0, cut_s=0.0), 1.0, 0)
    for asked_s, answered_s in [(1, 1), (2, 22), (23, 24)]:
        gaps.sampled((asked_s + answered_s) * S // 2, asked_s * S)
    source = gaps.with_gaps(Source(1, 1, SourceKind.MONITOR, "cn=monitor", SourceState.COMPLETE))
    assert source.details["slowest_answer_ns"] == 20 * S
    assert source.details["sample_gaps"] == []


class Ticking:
    """A host whose script prints a tick each `every_s`, and is then asked to stop."""

    name = "host"

    def __init__(self, ticks, stop):
        self._ticks, self._stop = ticks, stop

    def run(self, *_, **__):
        return CommandResult(0, b"", b"")

    def stream(self, _, on_bytes, *, cancel, sudo=False):
        del sudo
        for tick in self._ticks:
            on_bytes(tick)
        self._stop.set()
        assert cancel
        return CommandResult(-15, b"", b"")

    def close(self): ...


def proc_tick(n):
    up = 1000 + n * 1.2
    return b"@ %.2f\npage:4096\n/proc/stat:cpu  %d 0 0 0 0 0 0 %d 0 0\n.\n" % (up, 90 * n, n)


def test_a_host_that_is_slow_to_tell_is_partial():
    source = Source(1, 1, SourceKind.HOST, "/proc", SourceState.MISSING)
    stop = Cancel()
    link = HostLink(lambda: Ticking(map(proc_tick, range(101)), stop), Cancel(), 1.0)
    facts = TargetFacts("p", "389-Directory", "2.3.1", "h")
    done = sample_host_state(link, source, facts, lambda: 0, lambda _: None, stop)
    assert done.state is SourceState.PARTIAL
    assert f"{done.samples} of 120 samples were taken" in str(done.why)
