"""OpenDJ's counters: pauses of the collector, a cache that evicts, a cleaner that falls behind."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.advice.families import java, log_cost, threads
from ldap_workbench.advice.families.find import findings_in
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.model.target import Backend, TargetFacts
from ldap_workbench.model.units import NS_PER_S
from tests.unit.advice.material import T0, Log, at, counter, only, view

JVM = "cn=JVM Memory Usage,cn=monitor"
SYSTEM = "cn=System Information,cn=monitor"
JE = "cn=userroot je database,cn=monitor"
QUEUE = "cn=Work Queue,cn=monitor"
GIB = 1024**3
OPENDJ = TargetFacts(
    profile="opendj",
    product="OpenDJ",
    version="4.6.5",
    host="localhost",
    instance="",
    backends=(Backend("userRoot", "dc=example,dc=com", ""),),
    db_library="je",
    db_directory="",
    cores=4,
    ram_bytes=8 * GIB,
    device="vda",
)


def collections(durations, name="g1-old-generation", used=0.9):
    """One collection in each second that has a duration (ms), and what it left of 1 GiB."""
    ms = np.cumsum([0.0, *durations])
    count = np.cumsum([0, *(duration > 0 for duration in durations)])
    return {
        f"{JVM}:{name}-total-collection-duration": at(ms),
        f"{JVM}:{name}-total-collection-count": at(count),
        f"{JVM}:g1-old-gen-bytes-used-after-last-collection": at([used * GIB] * 2),
        f"{SYSTEM}:maxMemory": at([GIB] * 2),
    }


def quiet_but_for(second, duration):
    return [duration if place == second else 0.0 for place in range(60)]


def test_a_long_collection_holds_up_what_is_at_work():
    log = Log().background(60)
    for n in range(5):
        log.add("SRCH", 20.2, 1.9 - n / 100, filter="(mail=?)")
    log.add("SRCH", 40.0, 1.9, filter="(mail=?)")  # as slow, and no collection then
    samples = collections(quiet_but_for(21, 1800.0))
    found = only(java.find(view(log, seconds=60, samples=samples, facts=OPENDJ)), "java_collector")
    assert found.numbers["longest_ns"] == 1_800_000_000
    assert found.numbers["long_pauses"] == 1
    assert len(found.evidence[0].rows) == 5
    assert found.user_ns == pytest.approx(5 * 1.88e9, rel=0.01)
    assert "90 % of the heap" in str(found.sentence)


def test_many_short_collections_are_a_share_of_the_time():
    samples = collections([60.0] * 60, "g1-young-generation")
    found = only(java.find(view(seconds=60, samples=samples, facts=OPENDJ)), "java_collector")
    assert found.numbers["share"] == pytest.approx(0.06)
    assert found.numbers["long_pauses"] == 0


@pytest.mark.parametrize(
    "samples",
    [
        collections(quiet_but_for(21, 400.0)),
        collections([40.0] * 60),
        # This collector works beside the requests.
        collections([900.0] * 60, "zgc-cycles"),
        # The server started anew: the counters did.
        {
            f"{JVM}:copy-total-collection-duration": at([9000.0, 100.0]),
            f"{JVM}:copy-total-collection-count": at([90.0, 1.0]),
        },
    ],
)
def test_a_collector_that_hardly_stops_the_server_is_left_alone(samples):
    assert java.find(view(seconds=60, samples=samples, facts=OPENDJ)) == []


def cache(missed=20.0, evicted=10.0, fetched=100.0):
    return {
        f"{JE}:EnvironmentNLNsFetch": counter(fetched),
        f"{JE}:EnvironmentNLNsFetchMiss": counter(missed),
        f"{JE}:EnvironmentNBINsFetch": counter(fetched),
        f"{JE}:EnvironmentNBINsFetchMiss": counter(0.0),
        f"{JE}:EnvironmentNNodesEvicted": counter(evicted),
        f"{JE}:EnvironmentCacheTotalBytes": at([GIB] * 60),
        f"{JE}:EnvironmentActiveLogSize": at([4 * GIB] * 60),
    }


def test_a_cache_that_evicts_what_is_asked_for_again():
    found = only(java.find(view(seconds=60, samples=cache(), facts=OPENDJ)), "je_cache")
    assert found.numbers["ratio"] == pytest.approx(0.9)
    assert found.numbers["backend"] == "userRoot"
    assert "It takes 1 GiB, the files 4 GiB." in str(found.sentence)


@pytest.mark.parametrize("healthy", [{"missed": 5.0}, {"evicted": 0.0}, {"fetched": 4.0}])
def test_a_cache_that_holds_what_is_asked_for_or_is_still_filling(healthy):
    assert java.find(view(seconds=60, samples=cache(**healthy), facts=OPENDJ)) == []


@pytest.mark.parametrize(
    ("files", "behind"), [([3, 5, 9], True), ([9, 5, 3], False), ([2, 5, 9], False), ([5], False)]
)
def test_a_cleaner_that_does_not_keep_up(files, behind):
    samples = cache(missed=0.0) | {f"{JE}:EnvironmentCleanerBacklog": at(files)}
    found = java.find(view(seconds=60, samples=samples, facts=OPENDJ))
    assert [seen.id for seen in found] == ["je_cleaner"] * behind


def grown(**a_second):
    """Counters of the environment that grow by so much a second."""
    every = {"NBINsFetch": 0.0} | a_second
    return {f"{JE}:Environment{name}": counter(by) for name, by in every.items()}


@pytest.mark.parametrize(
    ("samples", "finding"),
    [
        (grown(NBytesEvictedCritical=1e6, NBytesEvictedEvictorThread=3e6), "je_eviction"),
        (grown(NBytesEvictedCritical=1e6, NBytesEvictedEvictorThread=9e6), ""),
        (grown(NBytesEvictedCritical=1e5, NBytesEvictedEvictorThread=0.0), ""),
        (grown(NCheckpoints=0.11, NFullBINFlush=40.0), "je_checkpoints"),
        (grown(NCheckpoints=0.09, NFullBINFlush=40.0), ""),
        (grown(NFileOpens=2.1), "je_files"),
        (grown(NFileOpens=1.9), ""),
    ],
)
def test_what_the_counters_of_java_edition_say(samples, finding):
    found = java.find(view(seconds=60, samples=samples, facts=OPENDJ))
    assert [seen.id for seen in found] == [finding] * bool(finding)
    assert all(seen.numbers["backend"] == "userRoot" for seen in found)


@pytest.mark.parametrize(
    ("samples", "settings", "piece", "wanted"),
    [
        (grown(NBytesEvictedCritical=1e6), {}, "je-evictors",
         ["db-evictor-core-threads@userRoot=2"]),
        (grown(NCheckpoints=1.0), {"db-checkpointer-bytes-interval": "524288000"},
         "je-checkpoints-rarer", ["db-checkpointer-bytes-interval@userRoot=2097152000"]),
        (grown(NCheckpoints=1.0), {"db-checkpointer-bytes-interval": "0"},
         "je-checkpoints-rarer", ["db-checkpointer-bytes-interval@userRoot=524288000"]),
        (grown(NFileOpens=5.0), {"db-log-filecache-size": "3"}, "je-open-files",
         ["db-log-filecache-size@userRoot=100"]),
        (cache(), {"db-cache-size": str(GIB), "java-args.heap": str(8 * GIB)}, "je-cache-size",
         ["db-cache-size@userRoot=3435134976"]),
        (cache(), {"db-cache-size": "1 mb", "java-args.heap": str(GIB)}, "je-cache-size",
         ["db-cache-size@userRoot=428867584"]),
        (cache(), {"db-cache-size": "1mb", "java-args.heap": str(GIB)}, "je-cache-size",
         ["db-cache-size@userRoot=428867584"]),
        (cache(), {"db-cache-size": "1 mb", "db-cache-percent": "20"}, "je-cache-percent", None),
        (cache(), {"db-cache-size": "", "db-cache-percent": "20"}, "je-cache-percent",
         ["db-cache-percent@userRoot=50"]),
        (cache(), {"db-cache-size": "0 b", "db-cache-percent": "20"}, "je-cache-percent",
         ["db-cache-percent@userRoot=50"]),
        (cache(), {"db-cache-size": str(GIB), "db-cache-percent": "20"}, "je-cache-percent", None),
        (cache(), {"db-cache-size": "0", "db-cache-percent": "50"}, "je-cache-percent", None),
        (cache(), {"db-cache-size": str(4 * GIB), "java-args.heap": str(8 * GIB)},
         "je-cache-size", None),
    ],
)  # fmt: skip
def test_what_is_advised_for_java_edition(samples, settings, piece, wanted):
    assert advised(samples, settings).get(piece) == wanted


def test_a_heap_that_several_back_ends_share_is_not_given_to_one():
    two = replace(OPENDJ, backends=(*OPENDJ.backends, Backend("other", "dc=other", "")))
    found = java.find(view(seconds=60, samples=cache(), facts=two))
    for settings in (
        {"db-cache-size": "0", "db-cache-percent": "20"},
        {"db-cache-size": "1 mb", "java-args.heap": str(GIB)},
    ):
        pieces = {piece.id for piece in advise(found, two, settings=settings)}
        assert not pieces & {"je-cache-percent", "je-cache-size"}
        assert "heap-larger" in pieces


def changed(took_s):
    log = Log()
    for n in range(30):
        log.add("MOD", 2.0 * n, took_s)
    return log


@pytest.mark.parametrize(
    ("a_second", "took_s", "no_sync", "slow"),
    [
        (2.1, 0.006, "false", True),
        (1.9, 0.006, "false", False),
        (2.1, 0.004, "false", False),
        (2.1, 0.006, "true", False),
        (9.0, 0.006, "false", False),  # of something else: 18 for each change
    ],
)
def test_changes_that_wait_for_flushes(a_second, took_s, no_sync, slow):
    samples, settings = grown(NFSyncs=a_second), {"db-txn-write-no-sync": no_sync}
    seen = view(changed(took_s), seconds=60, samples=samples, facts=OPENDJ, settings=settings)
    found = java.find(seen)
    assert [seen.id for seen in found] == ["je_flush"] * slow


def test_flushes_are_left_out_at_a_risk_and_never_alone():
    alone = java.find(view(changed(0.01), seconds=60, samples=grown(NFSyncs=2.1), facts=OPENDJ))
    assert advise(alone, OPENDJ) == []
    samples = grown(NFSyncs=2.1, NFileOpens=5.0)
    both = java.find(view(changed(0.01), seconds=60, samples=samples, facts=OPENDJ))
    pieces = {piece.id for piece in advise(both, OPENDJ, settings={"db-log-filecache-size": "3"})}
    assert pieces == {"je-open-files", "je-no-sync"}


@pytest.mark.parametrize(
    ("settings", "a_second", "finding"),
    [
        ({"access-log-enabled": "true", "json-access-log-enabled": "true"}, 600, "log_twice"),
        ({"access-log-enabled": "true", "json-access-log-enabled": "true"}, 400, ""),
        ({"access-log-enabled": "false", "json-access-log-enabled": "true"}, 600, ""),
        ({"access-log-suppress-internal-operations": "false"}, 10, "log_internal"),
        ({"access-log-suppress-internal-operations": "true"}, 10, ""),
        ({"access-log-internal-operations": "false"}, 10, "log_internal"),  # as of 4.6.5 before
    ],
)
def test_logs_that_say_too_much(settings, a_second, finding):
    log = Log()
    for n in range(a_second):
        log.add("SRCH", n / a_second, 0.0001)
    found = log_cost.find(view(log, seconds=1, settings=settings, facts=OPENDJ))
    assert [seen.id for seen in found] == [finding] * bool(finding)


def test_the_audit_log_beside_the_database():
    log = Log()
    for n in range(20):
        log.add("MOD", n / 20, 0.001)
    facts = replace(OPENDJ, audit_log="/ds/logs/audit", audit_device="vda")
    for on, wanted in (("true", ["log_audit"]), ("false", [])):
        settings = {"audit-log-enabled": on}
        found = log_cost.find(view(log, seconds=1, settings=settings, facts=facts))
        assert [seen.id for seen in found] == wanted


@pytest.mark.parametrize(("waiting", "is_full"), [(7, True), (0, False)])
def test_requests_in_the_queue_of_opendj_say_that_all_workers_are_busy(waiting, is_full):
    samples = {f"{QUEUE}:currentRequestBacklog": at([0.0] * 3 + [float(waiting)] * 7)}
    found = threads.find_worker_pool(view(seconds=10, samples=samples, facts=OPENDJ))
    assert [seen.id for seen in found] == ["pool_full"] * is_full
    if found:
        assert "all workers were busy and up to 7 operations" in str(found[0].sentence)


def test_a_log_that_is_written_by_whoever_serves_the_request():
    settings = {"access-log-asynchronous": "false"}
    found = log_cost.find(view(seconds=60, settings=settings, facts=OPENDJ))
    assert "access-log-asynchronous is false." in str(
        only(found, "log_unbuffered").evidence[0].text
    )


def advised(samples, settings=None):
    """Settings of the advice that an OpenDJ with these counters gets."""
    seen = findings_in(view(Log().background(60), seconds=60, samples=samples, facts=OPENDJ))
    return {
        piece.id: [setting.argument for setting in piece.treatment.settings]
        for piece in advise(seen, OPENDJ, settings=settings or {})
        if piece.treatment
    }


def test_a_larger_heap_for_a_cache_that_is_a_share_of_it():
    assert advised(cache(), {"java-args.heap": str(GIB)})["heap-larger"] == [
        "java-args.heap=2147483648"
    ]


def test_another_collector_unless_it_is_that_one():
    samples = collections(quiet_but_for(21, 1800.0), "mark-sweep-compact")
    assert advised(samples)["java-collector-g1"] == ["java-args.collector=G1"]
    assert "java-collector-g1" not in advised(samples, {"java-args.collector": "G1"})


@pytest.mark.parametrize(("settings", "threads"), [({}, "32"), ({"num-worker-threads": "4"}, "8")])
def test_twice_the_workers_by_the_setting_or_by_what_absent_means(settings, threads):
    samples = {f"{QUEUE}:currentRequestBacklog": at([7.0] * 60)}
    assert advised(samples, settings)["opendj-threads-more"] == [f"num-worker-threads={threads}"]


def test_a_larger_heap_only_where_old_objects_fill_it():
    for used, is_advised in ((0.9, True), (0.4, False)):
        samples = collections(quiet_but_for(21, 1800.0), used=used)
        seen = findings_in(view(Log().background(60), seconds=60, samples=samples, facts=OPENDJ))
        pieces = {piece.id for piece in advise(seen, OPENDJ)}
        assert ("heap-larger" in pieces) is is_advised


def reading(used=0.97, ms=18_000_000.0, count=3000.0, tasks=304.0):
    """One reading of a JVM: what its last collection left, and all of them since the start."""
    return {
        f"{JVM}:g1-old-generation-total-collection-duration": at([ms]),
        f"{JVM}:g1-old-generation-total-collection-count": at([count]),
        f"{JVM}:g1-old-gen-bytes-used-after-last-collection": at([used * GIB]),
        f"{SYSTEM}:maxMemory": at([GIB]),
        "cn=tasks Backend,cn=monitor:ds-backend-entry-count": at([tasks]),
    }


@pytest.mark.parametrize("where", ["samples", "monitor_apart"])
def test_a_heap_that_one_reading_shows_to_be_full(where):
    seen = view(facts=OPENDJ, **{where: reading()})
    full = only(java.find(seen), "java_heap_full")
    assert full.severity == 3
    assert "97 % of the Java heap (1 GiB)" in str(full.sentence)
    assert "took 6.00 s on average" in str(full.sentence)
    assert "304 entries" in str(full.sentence)
    assert "heap-larger" in [advice.id for advice in advise([full], OPENDJ)]


def test_a_full_heap_that_is_collected_quickly_and_has_few_tasks():
    full = only(
        java.find(view(facts=OPENDJ, samples=reading(ms=300.0, tasks=9.0))), "java_heap_full"
    )
    assert full.severity == 2
    assert "tasks" not in str(full.sentence)


def test_what_collections_took_before_the_window_blames_no_quick_ones():
    two = {name: (np.append(t, t + 1), np.append(v, v)) for name, (t, v) in reading().items()}
    full = only(java.find(view(facts=OPENDJ, samples=two)), "java_heap_full")
    assert full.severity == 2
    duration = f"{JVM}:g1-old-generation-total-collection-duration"
    count = f"{JVM}:g1-old-generation-total-collection-count"
    two[duration] = at([18_000_000.0, 18_000_400.0])
    two[count] = at([3000.0, 3001.0])
    seen = view(facts=OPENDJ, samples=two, monitor_apart=reading())
    full = only(java.find(seen), "java_heap_full")
    assert full.severity == 2
    assert "In this window one took 400 ms on average" in str(full.sentence)


def test_the_windows_own_reading_is_believed_before_another_one():
    samples = reading(used=0.0)
    assert java.find(view(facts=OPENDJ, samples=samples, monitor_apart=reading())) == []


def test_a_heap_with_room():
    assert java.find(view(facts=OPENDJ, samples=reading(used=0.8))) == []


def test_the_log_of_the_collector_has_each_pause_by_itself():
    """The counters beside it say the same once more, and less exactly."""
    log = Log().background(60)
    for n in range(5):
        log.add("SRCH", 20.2, 1.9 - n / 100, filter="(mail=?)")
    seconds = np.array([22, 30])
    logged = T0 + seconds * NS_PER_S, np.array([1790.0, 3.0])
    samples = collections(quiet_but_for(21, 1800.0)) | {"gc:pause": logged}
    found = only(java.find(view(log, seconds=60, samples=samples, facts=OPENDJ)), "java_collector")
    assert found.numbers["longest_ns"] == 1_790_000_000
    assert found.numbers["long_pauses"] == 1
    assert found.numbers["share"] == pytest.approx(1.793 / 60)
    assert len(found.evidence[0].rows) == 5
    assert found.evidence[0].series == "gc:pause"
