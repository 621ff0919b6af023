"""What of a monitor entry becomes a sample, under which name, and on which beat."""

import pytest

from ldap_workbench.capture.link import Link
from ldap_workbench.capture.live import monitor
from ldap_workbench.capture.live.monitor import numbers, sample_monitor
from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.errors import ConnectError, DirectoryError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import Source, SourceKind, SourceState
from ldap_workbench.servers.monitor import MonitorEntry

SOURCE = Source(1, 1, SourceKind.MONITOR, "cn=monitor", SourceState.MISSING)


class Clock:
    """A clock that runs while somebody waits or a server takes its time, and not otherwise."""

    def __init__(self):
        self.ms = 0

    def monotonic(self):
        return self.ms / 1000

    def now_ns(self):
        return self.ms * 10**6

    def pass_s(self, seconds):
        self.ms += round(seconds * 1000)


class StopAfter(Cancel):
    """Set by nobody but its clock."""

    def __init__(self, clock, seconds):
        super().__init__()
        self._clock, self._seconds = clock, seconds

    def wait(self, seconds):
        self._clock.pass_s(seconds)
        if self._clock.monotonic() >= self._seconds:
            self.set()
        return bool(self)


class Scripted:
    """A Directory that answers from a table, as slowly as told."""

    url = "ldap://here"

    def __init__(self, answers, delay=0.0):
        self.answers, self.delay, self.asked = answers, delay, []
        self.clock = Clock()

    def close(self):
        pass

    def search(self, base, **_):
        self.asked.append(base)
        self.clock.pass_s(self.delay)
        answer = self.answers[base]
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_numbers_are_samples_and_words_are_not():
    entry = Entry(
        "cn=monitor",
        {
            "opsInitiated": ("42",),
            "version": ("389-Directory/2.3.1",),
            "connection": ("64:2026", "65:2026"),
            "starttime": ("20261121041546Z",),
            "hitratio": ("99.5",),
        },
    )
    found = {sample.series: sample.value for sample in numbers(entry, 7)}
    assert found == {"cn=monitor:opsinitiated": 42.0, "cn=monitor:hitratio": 99.5}


def test_counters_of_files_are_named_by_the_file():
    entry = Entry("cn=m", {"dbfilename-3": ("userRoot/uid.db",), "dbfilecachehit-3": ("9",)})
    assert [s.series for s in numbers(entry, 7)] == ["cn=m:dbfilecachehit[userRoot/uid.db]"]


@pytest.fixture
def run(monkeypatch):
    """Samples a Scripted directory for some seconds of its clock."""

    def sampled(directory, entries, seconds):
        samples, clock = [], directory.clock
        monkeypatch.setattr(monitor, "time", clock)
        source = sample_monitor(
            Link(lambda: directory, Cancel(), 0.0),
            entries,
            SOURCE,
            clock.now_ns,
            samples.extend,
            StopAfter(clock, seconds),
            poll_s=0.1,
        )
        return source, samples

    return sampled


def test_entries_are_read_on_their_own_beat(run):
    entry = [Entry("cn=a", {"x": ("1",)})]
    directory = Scripted({"cn=a": entry, "cn=rare": entry})
    entries = [MonitorEntry("cn=a", 0.1), MonitorEntry("cn=rare", 0.5)]
    source, _ = run(directory, entries, 1.05)
    assert source.state is SourceState.COMPLETE
    assert directory.asked.count("cn=a") == 11
    assert directory.asked.count("cn=rare") == 3


def test_beats_missed_by_a_slow_server_are_counted(run):
    directory = Scripted({"cn=a": [Entry("cn=a", {"x": ("1",)})]}, delay=0.25)
    source, _ = run(directory, [MonitorEntry("cn=a", 0.1)], 1.0)
    assert (source.details["polls"], source.details["missed_polls"]) == (4, 6)


def test_a_monitor_that_was_read_too_rarely_is_partial(run):
    directory = Scripted({"cn=a": [Entry("cn=a", {"x": ("1",)})]}, delay=0.25)
    source, _ = run(directory, [MonitorEntry("cn=a", 0.1)], 6.0)
    assert source.state is SourceState.PARTIAL
    assert f"{source.samples} of {source.details['expected_samples']} samples" in str(source.why)


def test_an_entry_that_may_not_be_read_is_said_and_left_out(run):
    refused = DirectoryError("not allowed", code=50)
    directory = Scripted({"cn=a": [Entry("cn=a", {"x": ("1",)})], "cn=b": refused})
    source, samples = run(directory, [MonitorEntry("cn=a", 0.1), MonitorEntry("cn=b", 0.1)], 0.5)
    assert source.state is SourceState.COMPLETE
    assert "cn=b: not allowed" in str(source.why)
    assert directory.asked.count("cn=b") == 1
    assert {s.series for s in samples} == {"cn=a:x"}


def test_a_link_that_stays_broken_is_a_failed_source_with_what_came(run):
    directory = Scripted({"cn=a": ConnectError("gone")})
    source, _ = run(directory, [MonitorEntry("cn=a", 0.1)], 0.3)
    assert source.state is SourceState.FAILED
    assert str(source.why) == "gone"
    assert source.details["cuts"] == 1


class Stopped(Scripted):
    """A server that is stopped after some searches, and is back after some more."""

    def __init__(self, answers, stops_at, back_at):
        super().__init__(answers)
        self._down = range(stops_at, back_at)

    def search(self, base, **options):
        if len(self.asked) in self._down:
            self.asked.append(base)
            self.clock.pass_s(2.0)
            raise ConnectError(Message("It is down."))
        return super().search(base, **options)


@pytest.mark.parametrize(("patience_s", "until_s"), [(120.0, 4.3), (0.0, 2.3)])
def test_the_time_in_which_a_server_was_down_is_kept(patience_s, until_s, monkeypatch):
    """It is back after two attempts; without patience for them it is down to the end."""
    directory = Stopped({"cn=a": [Entry("cn=a", {"x": ("1",)})]}, 3, 5)
    clock = directory.clock
    monkeypatch.setattr(monitor, "time", clock)
    source = sample_monitor(
        Link(lambda: directory, Cancel(), patience_s), [MonitorEntry("cn=a", 0.1)], SOURCE,
        clock.now_ns, lambda _: None, StopAfter(clock, 6.0), poll_s=0.1,
    )  # fmt: skip
    [(start_ns, end_ns)] = source.details["no_answer"]
    assert start_ns == 200 * 10**6, "the last answer"
    assert end_ns == pytest.approx(until_s * 10**9)
    assert source.state is not SourceState.COMPLETE
