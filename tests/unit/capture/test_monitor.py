"""What of a monitor entry becomes a sample, under which name, and on which beat."""

import threading
import time

from ldap_workbench.capture.link import Link
from ldap_workbench.capture.monitor import numbers, sample_monitor
from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.errors import ConnectError, DirectoryError
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import Source, SourceKind, SourceState
from ldap_workbench.servers.monitor import MonitorEntry

SOURCE = Source(1, 1, SourceKind.MONITOR, "cn=monitor", SourceState.MISSING)


class Scripted:
    """A Directory that answers from a table, as slowly as told."""

    url = "ldap://here"

    def __init__(self, answers, delay=0.0):
        self.answers, self.delay, self.asked = answers, delay, []

    def close(self):
        pass

    def search(self, base, **_):
        self.asked.append(base)
        time.sleep(self.delay)
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


def run(directory, entries, seconds, **options):
    samples, stop = [], Cancel()
    threading.Timer(seconds, stop.set).start()
    options = {"poll_s": 0.1} | options
    link = Link(lambda: directory, Cancel(), 0.0)
    source = sample_monitor(link, entries, SOURCE, time.time_ns, samples.extend, stop, **options)
    return source, samples


def test_entries_are_read_on_their_own_beat():
    entry = [Entry("cn=a", {"x": ("1",)})]
    directory = Scripted({"cn=a": entry, "cn=rare": entry})
    entries = [MonitorEntry("cn=a", 0.1), MonitorEntry("cn=rare", 0.5)]
    source, _ = run(directory, entries, 1.05)
    assert source.state is SourceState.COMPLETE
    assert 9 <= directory.asked.count("cn=a") <= 12
    assert 2 <= directory.asked.count("cn=rare") <= 3


def test_beats_missed_by_a_slow_server_are_counted():
    directory = Scripted({"cn=a": [Entry("cn=a", {"x": ("1",)})]}, delay=0.25)
    source, _ = run(directory, [MonitorEntry("cn=a", 0.1)], 1.0)
    assert source.details["missed_polls"] >= 2


def test_an_entry_that_may_not_be_read_is_said_and_left_out():
    refused = DirectoryError("not allowed", code=50)
    directory = Scripted({"cn=a": [Entry("cn=a", {"x": ("1",)})], "cn=b": refused})
    source, samples = run(directory, [MonitorEntry("cn=a", 0.1), MonitorEntry("cn=b", 0.1)], 0.5)
    assert source.state is SourceState.COMPLETE
    assert "cn=b: not allowed" in str(source.why)
    assert directory.asked.count("cn=b") == 1
    assert {s.series for s in samples} == {"cn=a:x"}


def test_a_link_that_stays_broken_is_a_failed_source_with_what_came():
    directory = Scripted({"cn=a": ConnectError("gone")})
    source, _ = run(directory, [MonitorEntry("cn=a", 0.1)], 0.3)
    assert source.state is SourceState.FAILED
    assert str(source.why) == "gone"
    assert source.details["cuts"] == 1
