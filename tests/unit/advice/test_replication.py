"""What the log of a consumer tells of its suppliers and of those that wait for changes."""

from datetime import UTC, datetime, timedelta

import pytest

from ldap_workbench.advice.evidence.companions import waiting_of
from ldap_workbench.advice.families import no_answer, replication
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import T0, at, only, view, window
from tests.unit.cases.published import tell_files

BEGIN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
START, END = "2.16.840.1.113730.3.5.12", "2.16.840.1.113730.3.5.5"


def stamp(seconds):
    return (BEGIN + timedelta(seconds=seconds)).strftime("[%d/%b/%Y:%H:%M:%S.%f000 +0000]")


class Access:
    """An access log of 389 DS, its lines in the order of their times."""

    def __init__(self):
        self.lines = []

    def say(self, seconds, text):
        self.lines.append((seconds, len(self.lines), f"{stamp(seconds)} {text}"))

    def connect(self, conn, client):
        self.say(0, f"conn={conn} fd=64 slot=64 connection from {client} to 10.0.0.1")

    def ask(self, seconds, conn, op, what, etime=0.001, result="tag=103 nentries=0", err=0):
        self.say(seconds, f"conn={conn} op={op} {what}")
        times = f"wtime=0.000010000 optime={etime:.9f} etime={etime:.9f}"
        head, _, rest = result.partition(" csn=")
        csn = f" csn={rest}" if rest else ""
        self.say(seconds + etime, f"conn={conn} op={op} RESULT err={err} {head} {times}{csn}")

    def extended(self, seconds, conn, op, oid):
        self.ask(
            seconds, conn, op, f'EXT oid="{oid}" name="replication"', result="tag=120 nentries=0"
        )

    def change(self, seconds, conn, op, made=None, etime=0.002, err=0, entry=None):
        csn = "" if made is None else f"{int(BEGIN.timestamp() + made):08x}000000020000"
        result = f"tag=103 nentries=0 csn={csn}" if csn else "tag=103 nentries=0"
        name = entry or f"u{op}"
        self.ask(seconds, conn, op, f'MOD dn="uid={name},dc=example,dc=com"', etime, result, err)

    def text(self):
        return "\n".join(line for _, _, line in sorted(self.lines)) + "\n"


def findings(tmp_path, *logs):
    names = [f"access.20260105-09000{n}" for n in range(len(logs) - 1)] + ["access"]
    texts = [log if isinstance(log, str) else log.text() for log in logs]
    return tell_files(dict(zip(names, texts, strict=True)), tmp_path).findings


def session_of(late):
    """Forty changes of one session, each so many seconds after it was made."""
    log = Access()
    log.connect(5, "10.0.0.2")
    log.extended(1, 5, 1, START)
    for n in range(40):
        log.change(2 + n, 5, 2 + n, made=2 + n - late)
    log.extended(60, 5, 50, END)
    return log


def test_changes_that_arrive_late(tmp_path):
    found = findings(tmp_path, session_of(late=600))["replication_queue"]
    assert found.numbers["changes"] == 40
    assert found.numbers["late_ns"] == 600_000_000_000
    assert found.worker_ns
    assert len(found.evidence[0].operations) == 40


def test_changes_that_arrive_at_once_and_late_ones_that_nobody_replicates(tmp_path):
    assert "replication_queue" not in findings(tmp_path, session_of(late=5))
    alone = session_of(late=600).text().replace(START, "1.3.6.1.4.1.1466.20037")
    assert "replication_queue" not in findings(tmp_path / "alone", alone)


@pytest.mark.parametrize(("every", "late"), [(1, True), (3, False)])
def test_a_clock_that_stands_still_says_nothing_of_when_changes_were_made(tmp_path, every, late):
    """Forty changes of one second are a burst where they arrive in one, too."""
    log = Access()
    log.connect(5, "10.0.0.2")
    log.extended(1, 5, 1, START)
    for n in range(40):
        log.change(2 + n * every, 5, 2 + n, made=-600)
    log.extended(200, 5, 50, END)
    assert ("replication_queue" in findings(tmp_path, log)) is late


@pytest.mark.parametrize(
    ("err", "says", "silent"),
    [(50, "no want of rights", None), (65, "err=65.", "rights")],
)
def test_changes_of_a_supplier_that_are_refused(tmp_path, err, says, silent):
    log = session_of(late=1)
    for n in range(3):
        log.change(50 + n, 5, 60 + n, err=err, entry=f"v{n}")
    log.change(54, 5, 65, entry="v1")
    found = findings(tmp_path, log)["replication_refused"]
    assert found.numbers.items() >= {"refused": 3, "of": 44, "code": err, "taken": 1}.items()
    assert "10.0.0.2 replicated to this server" in str(found.sentence)
    assert "1 of them was taken when it was sent again." in str(found.sentence)
    assert says in str(found.sentence)
    assert silent is None or silent not in str(found.sentence)


def test_changes_of_clients_that_are_refused_are_no_suppliers(tmp_path):
    log = session_of(late=1)
    log.connect(6, "10.0.0.3")
    for n in range(5):
        log.change(50 + n, 6, n + 1, err=50)
    assert "replication_refused" not in findings(tmp_path, log)


def two_suppliers(held, attempts):
    """One supplier that keeps the replica, another that tries to begin."""
    log = Access()
    for conn, client in ((5, "10.0.0.2"), (6, "10.0.0.3")):
        log.connect(conn, client)
    log.extended(1, 5, 1, START)
    for n in range(held):
        log.change(2 + n, 5, 2 + n, made=n)
    log.extended(2 + held, 5, 500, END)
    for n in range(attempts):
        log.extended(3 + n * 4, 6, n + 1, START)
    return log


def test_a_supplier_that_keeps_the_replica(tmp_path):
    found = findings(tmp_path, two_suppliers(90, 8))["replication_sessions"]
    assert found.numbers["refused"] == 7  # how the last one ended the log does not hold
    assert str(found.sentence).startswith("10.0.0.2 kept the replica for up to 91.")
    assert "10.0.0.3" in str(found.sentence)


@pytest.mark.parametrize(("held", "attempts"), [(30, 8), (90, 3)])
def test_suppliers_that_take_turns(tmp_path, held, attempts):
    assert "replication_sessions" not in findings(tmp_path, two_suppliers(held, attempts))


PERSISTENT = 'SRCH base="dc=example,dc=com" scope=2 filter="(objectClass=*)" attrs=ALL'


def waiting(searches, connections, changes=60, options=" options=persistent", closed=False):
    log = Access()
    for n in range(searches):
        conn = 10 + n % connections
        if n < connections:
            log.connect(conn, f"10.0.0.{conn}")
        log.say(1 + n / 100, f"conn={conn} op={n // connections + 1} {PERSISTENT}{options}")
    for n in range(changes):
        log.change(5 + n, 3, n + 1)
    if closed:
        for n in range(connections):
            log.say(90, f"conn={10 + n} op=-1 fd=64 Disconnect - Cleanly Closed Connection - U1")
    return log


def test_searches_that_wait_for_changes(tmp_path):
    found = findings(tmp_path, waiting(12, 12))["persistent_searches"]
    assert found.severity == 1
    assert found.numbers["searches"] == 12
    assert "(720 comparisons)" in str(found.sentence)
    assert "10.0.0.10" in str(found.evidence[0].text)


def test_a_connection_full_of_searches_that_wait(tmp_path):
    found = findings(tmp_path, waiting(5, 1, changes=2))["persistent_searches"]
    assert found.severity == 2
    assert "10.0.0.10 has 5 of them on one connection" in str(found.sentence)
    assert "may have 5 operations at once" in str(found.sentence)


@pytest.mark.parametrize(
    "log",
    [
        waiting(4, 2),
        waiting(12, 12, changes=3),
        waiting(12, 12, options=""),  # a log that was cut
        waiting(12, 12, closed=True),
    ],
)
def test_searches_that_do_not_wait_or_are_few(tmp_path, log):
    assert "persistent_searches" not in findings(tmp_path, log)


def test_threads_that_send_are_its_cost():
    none = view(samples={"thread:ps-send:cpu": at([20.0] * 10)}, seconds=100)
    assert no_answer.find_persistent_searches(none) == []
    assert no_answer._spent_ns(none) == 20_000_000_000


def rotated(pause, others=0.0):
    """Three files; at the end of each the log is silent for a while and two operations wait."""
    logs = []
    for part in range(3):
        log, begin = Access(), 60 * part
        for n in range(int(10 * (60 - pause))):
            log.ask(
                begin + pause + n / 10,
                7,
                1000 * part + n + 1,
                PERSISTENT,
                result="tag=101 nentries=1",
            )
        for n in range(2 if part else 0):
            held = pause + 0.1
            log.ask(begin - 0.05, 20 + 2 * part + n, 1, PERSISTENT, held, "tag=101 nentries=1")
        if others:
            log.ask(begin + 30, 40 + part, 1, PERSISTENT, others, "tag=101 nentries=1")
        logs.append(log.text())
    return logs


def test_operations_stop_while_the_log_is_rotated(tmp_path):
    found = findings(tmp_path, *rotated(1.5))["log_rotation"]
    assert found.numbers["pauses"] == found.numbers["rotations"] == 2
    assert found.user_ns == pytest.approx(4 * 1.6e9, rel=0.01)
    assert [each.which.count for each in found.evidence] == [2, 2]


def test_files_that_end_without_a_pause(tmp_path):
    assert "log_rotation" not in findings(tmp_path, *rotated(0.05, others=3.0))


@pytest.mark.parametrize(
    "changed",
    [{"at": 1 << 70}, {"at": "5"}, {"time_ns": -1}, {"time_ns": 1 << 70}, {"client": None}],
)
def test_what_a_strangers_session_says_of_open_searches_is_taken_as_it_may_be(changed):
    search = {"time_ns": T0 + 5, "conn": 1, "client": "", "base": "", "at": 7}
    kept = [search, search | changed, "no search"]
    source = Source(
        *(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE), details={"waiting": kept}
    )
    assert [each.at for each in waiting_of(window(), (source,))] == [7]


REPLICA = "cn=Connected directory server DS(14711) dj2:40112,cn=RS(20211),cn=Replication,cn=monitor"


def lacking(changes, delay):
    values = {"missing-changes": changes, "approximate-delay": delay}
    return view(samples={f"{REPLICA}:{name}": at([value]) for name, value in values.items()})


def test_a_replica_that_lacks_changes_for_hours():
    found = only(replication.find(lacking(1360, 41_260)), "replica_behind")
    assert "lacked up to 1,360 changes" in str(found.sentence)


@pytest.mark.parametrize(("changes", "delay"), [(0, 0), (1360, 12)])
def test_a_replica_that_is_on_its_way(changes, delay):
    assert replication.find(lacking(changes, delay)) == []
