"""Threads: waiting for a worker, connections held back, more threads than cores."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.families import threads
from ldap_workbench.advice.families.find import review
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.model.operations import ABSENT
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import FACTS, T0, Log, at, counter, only, view

WORKERS = 16


def waiting(share, etime=0.1, count=1500):
    """All workers at work all the time, and further operations in the queue."""
    log = Log()
    for i in range(count):
        start = i * etime * (1 - share) / WORKERS
        log.add("SRCH", start, etime, conn=i % 40, wtime_ns=int(share * etime * 1e9))
    return log


def pausing(clients, pause=0.02, served=0.001, count=1500):
    """Clients that rest between two requests, as 389 DS logs them in turbo mode."""
    log = Log()
    for i in range(count):
        round_, client = divmod(i, clients)
        start = round_ * (pause + served) + client * served / clients
        log.add("SRCH", start, pause + served, conn=client, wtime_ns=int(pause * 1e9))
    return log


THREADS = {"cn=monitor:threads": at([WORKERS + 1] * 6)}


def test_pauses_of_clients_are_no_waiting_for_a_worker():
    finding = only(threads.find(view(pausing(4), samples=THREADS)), "client_pauses")
    assert finding.numbers["etime_p50_ns"] == 21_000_000
    assert finding.numbers["served_p50_ns"] == 1_000_000
    assert "turbo mode" in str(finding.sentence)


def test_what_the_server_does_inside_is_not_the_answer_before():
    log = pausing(4)
    for row in list(log.rows):
        end = (row["end_ns"] - T0) / 1e9
        log.add("SRCH", end - 0.0009, 0.0008, internal=True, nesting=1, conn=row["conn"],
                op=row["op"])  # fmt: skip
    assert only(threads.find(view(log, samples=THREADS)), "client_pauses")


def test_free_workers_that_wait_for_a_processor_are_no_pauses_of_clients():
    def findings_at(idle):
        return threads.find(
            view(pausing(4), samples=THREADS | {"iostat:cpu:idle": at([idle] * 60)})
        )

    assert only(findings_at(60.0), "client_pauses")
    assert findings_at(1.0) == []


def handed_on_late(waiting=20, clients=20, wait=0.4):
    """Requests that arrive at any time, and of which `waiting` clients' wait for a worker."""
    log = Log()
    for n in range(3000):
        client = n % clients
        late = wait if client < waiting else 0.0
        who = {"conn": client, "client": f"10.0.0.{client}"}
        log.add("SRCH", n * 0.19, late + 0.001, wtime_ns=int(late * 1e9), **who)
    return log


def test_requests_that_wait_though_workers_are_free_and_no_client_pauses():
    settings = {"nsslapd-numlisteners": "4"}
    seen = review(view(handed_on_late(), samples=THREADS, settings=settings))
    finding = only(seen.findings, "picked_up_late")
    assert "the listener threads (nsslapd-numlisteners=4), which hand requests on late" in str(
        finding.sentence
    )
    assert finding.numbers["wait_p50_ns"] == 400_000_000
    assert finding.numbers["connections"] == 20
    assert "client_pauses" not in {seen.id for seen in seen.findings}
    assert seen.account.explained_share > 0.95, "what users waited is in the account"


@pytest.mark.parametrize(
    "log",
    [handed_on_late(waiting=3), handed_on_late(wait=0.009), pausing(40, pause=0.4)],
    ids=["some clients", "soon", "their pauses"],
)
def test_what_is_no_listener_that_comes_late(log):
    assert "picked_up_late" not in {seen.id for seen in threads.find(view(log, samples=THREADS))}


def test_without_turbo_mode_it_is_the_network():
    settings = {"nsslapd-enable-turbo-mode": "off"}
    finding = only(
        threads.find(view(pausing(4), samples=THREADS, settings=settings)), "client_pauses"
    )
    assert "look at the network" in str(finding.sentence)


def test_short_pauses_and_busy_workers_are_no_pauses():
    assert threads.find(view(pausing(4, pause=0.0008), samples=THREADS)) == []
    assert threads.find(view(pausing(4, pause=0.003, served=0.02), samples=THREADS)) == []
    findings = threads.find(view(waiting(0.6), samples=THREADS))
    assert [finding.id for finding in findings] == ["work_queue"]


def test_waiting_for_a_worker_with_idle_processors_asks_for_more():
    samples = {"iostat:cpu:idle": at([60.0] * 60), "cn=monitor:threads": at([17] * 6)}
    finding = only(threads.find(view(waiting(0.6), samples=samples)), "work_queue")
    assert finding.numbers["threads"] == 16
    assert finding.numbers["cpu_idle_percent"] == 60.0
    assert "more threads may help" in str(finding.sentence)


def test_with_busy_processors_it_does_not():
    samples = {"iostat:cpu:idle": at([15.0] * 60)}
    finding = only(threads.find(view(waiting(0.6), samples=samples)), "work_queue")
    assert "would only queue for them" in str(finding.sentence)


def test_with_no_idle_processor_threads_are_not_the_matter():
    samples = {"iostat:cpu:idle": at([2.0] * 60)}
    findings = threads.find(view(waiting(0.6), samples=samples))
    assert [finding.id for finding in findings] == ["processors_busy"]
    assert "Only 2 %" in str(findings[0].sentence)


def test_short_waits_and_small_shares_are_left_alone():
    assert threads.find(view(waiting(0.2))) == []
    assert threads.find(view(waiting(0.6, etime=0.002))) == []
    assert threads.find(view(waiting(0.6, count=500))) == []


def test_logs_without_wtime_say_nothing():
    log = waiting(0.6)
    for row in log.rows:
        row["wtime_ns"] = ABSENT
    assert threads.find(view(log)) == []


def test_connections_at_their_limit():
    often = {"cn=monitor:maxthreadsperconnhits": counter(5)}
    rarely = {"cn=monitor:maxthreadsperconnhits": counter(0.1)}
    settings = {"nsslapd-maxthreadsperconn": "5"}
    finding = only(
        threads.find(view(samples=often, seconds=60, settings=settings)), "connection_threads"
    )
    assert finding.numbers["allowed"] == 5
    assert threads.find(view(samples=rarely, seconds=60)) == []


def test_listeners_are_no_workers():
    """389 DS 3.1.2 counts them with its threads."""
    assert threads.working_threads(view(samples=THREADS)) == WORKERS
    settings = {"nsslapd-numlisteners": "2"}
    assert threads.working_threads(view(samples=THREADS, settings=settings)) == WORKERS - 2


def test_many_threads_on_few_busy_cores():
    samples = {"iostat:cpu:idle": at([1.0] * 60), "cn=monitor:threads": at([65] * 6)}
    finding = only(threads.find(view(samples=samples, facts=FACTS)), "too_many_threads")
    assert (finding.numbers["threads"], finding.numbers["cores"]) == (64, 4)
    idle = samples | {"iostat:cpu:idle": at([30.0] * 60)}
    assert threads.find(view(samples=idle)) == []
    default = samples | {"cn=monitor:threads": at([17] * 6)}
    assert threads.find(view(samples=default)) == []


OPENLDAP = replace(FACTS, product="OpenLDAP", db_library="mdb")
POOL = {"cn=max,cn=threads,cn=monitor:monitoredinfo": at([16] * 6)}


def test_qtime_of_slapd_is_the_wait_for_a_thread_and_nothing_else():
    """No turbo mode: where 389 DS would count the pause of a client, slapd counts its queue."""
    by_facts = threads.find(view(pausing(4), samples=POOL, facts=OPENLDAP))
    assert [f.id for f in by_facts] == ["work_queue"]
    assert by_facts[0].numbers["threads"] == 16
    log = Source(1, 1, SourceKind.ACCESS_LOG, "log", SourceState.COMPLETE, dialect="openldap")
    by_log = threads.find(view(pausing(4), sources=(log,), facts=None))
    assert [f.id for f in by_log] == ["work_queue"]


def test_many_threads_of_slapd_on_few_busy_cores():
    samples = {"iostat:cpu:idle": at([1.0] * 60)} | POOL
    facts = replace(OPENLDAP, cores=2)
    assert threads.find(view(samples=samples, facts=facts)) == [], "16 is its default"
    many = samples | {"cn=max,cn=threads,cn=monitor:monitoredinfo": at([64] * 6)}
    findings = threads.find(view(samples=many, facts=facts))
    assert [finding.id for finding in findings] == ["too_many_threads"]
    (advice, *_) = advise(findings, facts)
    assert str(advice.treatment) == "olcThreads=4"


def with_wqtime(share_of_wait):
    """Operations that wait long before a worker has them, in the queue for such a share of it."""
    log = Log()
    for n in range(2000):
        wait = int(0.03 * 1e9)
        log.add("SRCH", n * 0.04, 0.04, wtime_ns=wait, wqtime_ns=int(wait * share_of_wait))
    return view(log, samples={"iostat:cpu:idle": at([80] * 5)})


def test_with_wqtime_the_queue_is_told_from_a_slow_request():
    findings = threads.find(with_wqtime(0.9))
    assert only(findings, "work_queue").numbers["wait_p95_ns"] == 27_000_000
    assert [finding.id for finding in findings] == ["work_queue"]
    assert [finding.id for finding in threads.find(with_wqtime(0.05))] == ["client_pauses"]


def impatient(clients, own=True, requests=2000, took=0.004):
    """Clients that send all they want to know at once, each in turn, or all at the same time."""
    log = Log()
    for client in range(clients):
        begin = client * (requests * took + 5) if own else 0.0
        for n in range(requests // (1 if own else clients)):
            place = n if own else n * clients + client
            sent = begin + n * 0.0001
            waited = max(begin + place * took - sent, 0.0)
            log.add("SRCH", sent, waited + took, filter="(sn=?)", conn=client, op=n,
                    client=f"10.0.2.{client}", wtime_ns=int(waited * 1e9))  # fmt: skip
    return log


@pytest.mark.parametrize("product", ["OpenLDAP", "389 Directory Server"])
def test_a_client_that_waits_behind_its_own_requests_needs_no_threads(product):
    facts = replace(FACTS, product=product, cores=8)
    seen = only(threads.find(view(impatient(3), facts=facts)), "work_queue")
    assert seen.numbers["own_share"] > 0.95
    assert "queueing behind their own requests, most of all 10.0.2." in str(seen.sentence)
    assert "wait for answers" in str(seen.owner_steps[0])
    assert not {"threads-more", "olc-threads-more"} & {
        advice.id for advice in advise([seen], facts)
    }


def test_clients_that_wait_for_each_other_are_short_of_threads():
    facts = replace(FACTS, product="OpenLDAP")
    seen = only(threads.find(view(impatient(6, own=False), facts=facts)), "work_queue")
    assert seen.numbers["own_share"] == pytest.approx(1 / 6, abs=0.02)
    assert "own requests" not in str(seen.sentence)
    assert "olc-threads-more" in {advice.id for advice in advise([seen], facts)}


@pytest.mark.parametrize(
    ("product", "kind", "share"),
    [
        ("OpenLDAP", "MOD", 1.0),
        ("389 Directory Server", "MOD", 1.0),
        ("OpenLDAP", "CMP", 0.0),
        ("OpenDJ", "MOD", 0.0),
    ],
)
def test_who_waits_behind_writes_needs_no_threads(product, kind, share):
    """Four workers, with as many operations of one kind at work at any time; searches wait."""
    facts, log = replace(FACTS, product=product), Log()
    for n in range(1500):
        log.add(kind, n * 0.05, 0.2, conn=n % 4, op=n, wtime_ns=0)
        log.add("SRCH", n * 0.05, 0.15, conn=4 + n, wtime_ns=149_000_000)
    seen = only(threads.find(view(log, facts=facts)), "work_queue")
    assert seen.numbers["writes_share"] == pytest.approx(share, abs=0.05)
    assert ("behind writes, which take turns" in str(seen.sentence)) == bool(share)
    more = {"threads-more", "olc-threads-more"} & {each.id for each in advise([seen], facts)}
    assert bool(more) == (not share and product != "OpenDJ")


def test_an_application_server_with_a_request_on_each_connection_is_short_of_threads():
    """Two in five operations come from one address, in bursts over 60 connections."""
    log, took = Log(), 0.01
    for burst in range(20):
        for place in range(150):
            sent, waited = 5.0 * burst, place * took
            client = "10.6.0.1" if place < 60 else f"10.6.1.{place}"
            log.add("SRCH", sent, waited + took, filter="(sn=?)", conn=place, op=burst,
                    client=client, wtime_ns=int(waited * 1e9))  # fmt: skip
    facts = replace(FACTS, product="OpenLDAP")
    samples = {"iostat:cpu:idle": at([60.0] * 60)}
    seen = only(threads.find(view(log, facts=facts, samples=samples)), "work_queue")
    assert seen.numbers["own_share"] < 0.1
    assert "more threads may help" in str(seen.sentence)
    assert "olc-threads-more" in {advice.id for advice in advise([seen], facts)}


def test_of_one_client_that_asks_for_nearly_all_it_is_each_connection():
    """A proxy has many users, which wait for each other."""
    log = impatient(6, own=False)
    for row in log.rows:
        row["client"] = 0
    assert only(threads.find(view(log)), "work_queue").numbers["own_share"] < 0.2
