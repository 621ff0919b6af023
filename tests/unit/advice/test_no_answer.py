"""A server that did not answer: from when to when, and whether its host did."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.advice.evidence.companions import StackDump
from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.families import no_answer
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState
from ldap_workbench.session.unanswered import Waiting
from tests.unit.advice.material import T0, Log, only, view

SPAN = (T0 + 100 * NS_PER_S, T0 + 130 * NS_PER_S)


def monitor(*spans: tuple[int, int]) -> Source:
    details = {"no_answer": [list(span) for span in spans]}
    return Source(1, 1, SourceKind.MONITOR, "cn=monitor", SourceState.PARTIAL, details=details)


def test_a_link_that_was_cut_for_a_moment_is_no_outage() -> None:
    assert no_answer.find(view(sources=(monitor((T0, T0 + 2 * NS_PER_S)),))) == []
    assert no_answer.find(view(sources=(monitor(),))) == []


@pytest.mark.parametrize(
    ("second", "says"), [(110, "Its host answered meanwhile"), (99, "not heard of either")]
)
def test_it_names_the_time_and_tells_the_server_from_the_way_to_it(second: int, says: str) -> None:
    told = np.array([T0 + second * NS_PER_S]), np.array([1.0])
    seen = view(sources=(monitor(SPAN),), samples={"psi:cpu:some": told})
    found = only(no_answer.find(seen), "no_answer")
    assert says in str(found.sentence)
    assert [(each.start_ns, each.end_ns) for each in found.evidence] == [SPAN]
    assert found.numbers["silent_s"] == 30


def test_lines_of_the_error_log_around_it_are_evidence() -> None:
    lines = (
        ErrorLine(T0, "long before"),
        ErrorLine(SPAN[0], "slapd shutting down"),
        ErrorLine(SPAN[1] + 60 * NS_PER_S, "long after"),
    )
    seen = view(sources=(monitor(SPAN),), errors=lines)
    found = only(no_answer.find(seen), "no_answer")
    assert [str(each.text) for each in found.evidence[1:]] == ["slapd shutting down"]


def test_a_server_that_took_the_connection_and_said_nothing_has_no_free_worker() -> None:
    stuck = Source(
        1, 1, SourceKind.MONITOR, "cn=monitor", SourceState.FAILED,
        details={"no_answer": [list(SPAN)], "no_worker_s": 30},
    )  # fmt: skip
    found = only(no_answer.find(view(sources=(stuck,))), "no_answer")
    assert "no free worker answered for 30 s" in str(found.sentence)


# --- requests of clients --------------------------------------------------------------------------


def hang(count: int = 12, *, at: float = 540.0, window: float = 600.0, **changed):
    """Quick searches all along; `count` others, each on a connection of its own, have no answer."""
    log = Log().background(window, rate=5)
    waiting = tuple(
        Waiting(
            T0 + round((at + i) * NS_PER_S),
            conn=300 + i,
            client="192.0.2.7",
            base="dc=example,dc=com",
            at=0,
            **({"filter": "(uid=?)", "boot": 0} | changed),
        )
        for i in range(count)
    )
    return log, waiting


def test_requests_that_are_open_while_others_are_answered_were_never_answered():
    log, waiting = hang()
    found = only(no_answer.find(view(log, waiting=waiting)), "unanswered")
    assert found.numbers["operations"] == found.numbers["connections"] == 12
    assert found.numbers["longest_ns"] == 60 * NS_PER_S
    assert found.user_ns == sum(60 - i for i in range(12)) * NS_PER_S
    assert "12 SRCH" in str(found.sentence)
    assert "300 others were answered meanwhile" in str(found.sentence)
    assert "conn=300 of 192.0.2.7: SRCH (uid=?)" in str(found.evidence[0].text)


def asked_before(seconds, dn="cn=reindex 1,cn=index,cn=tasks,cn=config"):
    """The sentence about a hang, so long after a task was added."""
    log, waiting = hang()
    log.add("ADD", 540 - seconds, 0.01, base=dn, client="10.0.0.99", conn=99)
    return str(only(no_answer.find(view(log, waiting=waiting)), "unanswered").sentence)


def test_a_task_that_began_just_before_is_named() -> None:
    text = asked_before(3)
    assert "Shortly before, the server was asked for: ADD of cn=reindex 1,cn=index" in text
    assert "Shortly before" not in asked_before(90)
    assert "Shortly before" not in asked_before(-5), "it came after them"
    assert "Shortly before" not in asked_before(3, "uid=a,dc=x")


@pytest.mark.parametrize("kind", ["BIND", "MOD", "ADD", "CMP", "EXT"])
def test_requests_of_every_type_count(kind):
    log, waiting = hang(type=kind, filter="")
    found = only(no_answer.find(view(log, waiting=waiting)), "unanswered")
    assert found.numbers["types"] == {kind: 12}


def test_where_the_whole_server_hangs_nothing_else_is_answered():
    log, waiting = hang(at=601, window=600)
    found = only(no_answer.find(view(log, waiting=waiting, seconds=660)), "unanswered")
    assert found.numbers["answered_meanwhile"] == 0


@pytest.mark.parametrize(
    "case",
    [
        {"count": 4},
        {"at": 592.0},
        {"boot": -2},
        {"conn": 7},
    ],
    ids=["few", "not long", "before a restart", "all on one connection"],
)
def test_what_does_not_wait_is_no_hang(case):
    moved = {name: case.pop(name) for name in ("boot", "conn") if name in case}
    log, waiting = hang(**case)
    waiting = tuple(replace(operation, **moved) for operation in waiting)
    assert no_answer.find(view(log, waiting=waiting)) == []


def test_operations_that_usually_take_as_long_do_not_hang():
    log, waiting = hang()
    for i in range(100):
        log.add("SRCH", 5.0 * i, 25.0, filter="(report=?)")
    assert no_answer.find(view(log, waiting=waiting)) == []


def test_a_connection_that_went_on_lost_its_result_and_does_not_wait():
    log, waiting = hang()
    for operation in waiting:
        log.add("SRCH", 590, 0.001, conn=operation.conn)
    assert no_answer.find(view(log, waiting=waiting)) == []


@pytest.mark.parametrize(
    ("changes", "last", "hangs"), [(80, 530.0, True), (80, 548.0, False), (20, 530.0, False)]
)
def test_a_type_of_which_none_ends_any_more_waits_whatever_its_connections_do(changes, last, hangs):
    log, waiting = hang(type="MOD", filter="")
    for n in range(changes):
        log.add("MOD", last - 2 * (changes - 1 - n), 0.01, conn=7)
    for operation in waiting:
        log.add("SRCH", 590.0, 0.001, conn=operation.conn)
    found = no_answer.find(view(log, waiting=waiting))
    assert [seen.numbers["types"] for seen in found] == [{"MOD": 12}] * hangs


def stacks(second=None):
    """Three dumps of eight threads that wait for one lock, and one that waits for another."""
    crowd = ("pthread_mutex_lock", "txn_begin", "ldbm_back_modify", "do_modify", "worker")
    trimming = ("pthread_mutex_lock", "cache_lock_entry", "trim_changelog", "trim_thread")
    threads = {str(n): crowd for n in range(8)} | {"8": trimming}
    return tuple(StackDump(None, threads if n != 1 else second or threads) for n in range(3))


def test_stack_dumps_say_where_threads_stand_and_which_stand_elsewhere():
    log, waiting = hang()
    sentence = str(
        only(no_answer.find(view(log, waiting=waiting, stacks=stacks())), "unanswered").sentence
    )
    assert (
        "In 3 stack dumps 8 threads wait for a lock at one place (txn_begin, ldbm_back_modify)."
        in sentence
    )
    assert "So do, elsewhere, cache_lock_entry, trim_changelog, trim_thread" in sentence


PARKED = ("LockSupport.park", "AbstractQueuedSynchronizer$ConditionObject.await")
OF_LOG = (*PARKED, "ArrayBlockingQueue.put", "JsonFileWriter.put", "BindOperationBasis.run")
AT_REST = (*PARKED, "LinkedBlockingQueue.take", "TraditionalWorkQueue.retryNextOperation")


def test_threads_of_java_that_wait_for_a_log_and_those_that_have_nothing_to_do():
    threads = {str(n): OF_LOG for n in range(5)} | {str(n): AT_REST for n in range(5, 20)}
    said = str(no_answer.standing([StackDump(None, threads)] * 2))
    assert "5 threads wait for a lock at one place (JsonFileWriter.put" in said
    assert "turn one of them off" in said
    assert "elsewhere" not in said
    at_rest = StackDump(None, {str(n): AT_REST for n in range(9)})
    assert no_answer.standing([at_rest, at_rest]) is None


PAIR = {str(n): ("pthread_mutex_lock", "txn_begin", "do_modify") for n in range(2)}


@pytest.mark.parametrize(
    "dumps",
    [
        (),
        stacks()[:1],
        stacks({str(n): ("poll",) for n in range(9)}),
        (StackDump(None, PAIR), StackDump(None, PAIR)),  # two that wait are no crowd
    ],
)
def test_threads_that_move_or_are_seen_once_are_no_reason(dumps):
    log, waiting = hang()
    sentence = str(
        only(no_answer.find(view(log, waiting=waiting, stacks=dumps)), "unanswered").sentence
    )
    assert "Two stack dumps of all server threads while it lasts" in sentence


def test_persistent_searches_do_not_wait_for_an_answer():
    log, waiting = hang()
    line = 'conn=300 op=0 SRCH base="" scope=2 filter="(uid=?)" options=persistent'
    assert no_answer.find(view(log, waiting=waiting, line_at=lambda at: line)) == []


@pytest.mark.parametrize(("client", "first", "hangs"), [
    ("", 200, False), ("", 400, True), ("192.0.2.7", 200, True),
], ids=["ended long ago", "from before the log", "known"])  # fmt: skip
def test_a_connection_that_the_log_no_longer_knows_has_ended(client, first, hangs):
    log, waiting = hang(boot=0)
    log.add("BIND", 1, 0.001, conn=first, opened_ns=T0)
    waiting = tuple(replace(operation, client=client) for operation in waiting)
    assert bool(no_answer.find(view(log, waiting=waiting))) is hangs


# --- requests that were given up ------------------------------------------------------------------


def given_up(count=12, *, apart=1.0, lasted=30.0, **changed):
    """Quick searches all along; others had no result when their connections were closed."""
    log, waiting = hang(count, at=100.0)
    ended = tuple(
        replace(
            operation,
            time_ns=(start := T0 + round((100 + apart * n) * NS_PER_S)),
            closed_ns=start + round(lasted * NS_PER_S),
            **changed,
        )
        for n, operation in enumerate(waiting)
    )
    return log, ended


def test_requests_that_many_give_up_at_a_time_were_never_answered():
    log, ended = given_up()
    finding = only(no_answer.find(view(log, given_up=ended)), "unanswered")
    assert finding.numbers["given_up"] == 12
    assert finding.user_ns == 12 * 30 * NS_PER_S
    assert "12 were given up: their connections were closed, after up to 30" in str(
        finding.sentence
    )
    assert finding.numbers["answered_meanwhile"] < 300


def test_one_that_is_given_up_now_and_then_is_no_hang():
    log, ended = given_up(apart=40)
    assert no_answer.find(view(log, given_up=ended)) == []


def test_an_idle_connection_that_the_server_closed_had_nothing_at_work():
    log, ended = given_up(closed_at=7)
    line = "conn=300 fd=12 closed (idletimeout)"
    assert no_answer.find(view(log, given_up=ended, line_at=lambda at: line)) == []
    other = "conn=300 fd=12 closed (connection lost)"
    assert no_answer.find(view(log, given_up=ended, line_at=lambda at: other))


def test_a_wait_of_minutes_is_not_believed_where_an_abandon_has_no_time():
    source = Source(1, 1, SourceKind.ACCESS_LOG, "a", SourceState.COMPLETE, dialect="openldap")
    log, ended = given_up(lasted=150.0)
    assert no_answer.find(view(log, given_up=ended))
    assert no_answer.find(view(log, given_up=ended, sources=(source,), facts=None)) == []


def test_consumers_that_connect_again_were_not_left_without_an_answer():
    log, ended = given_up(base="cn=accesslog")
    assert no_answer.find(view(log, given_up=ended, line_at=lambda at: "")) == []


def test_a_session_that_does_not_say_the_start_of_the_server_is_judged_by_its_newest():
    log, waiting = hang(boot=-1)
    assert no_answer.find(view(log, waiting=waiting))
    for operation in waiting:
        log.add("SRCH", 590, 0.001, conn=operation.conn)
    assert no_answer.find(view(log, waiting=waiting)) == []
