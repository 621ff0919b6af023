"""Log cost, errors of the server, binds, and the shift of probe histograms."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.evidence.companions import Histogram
from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.families import binds, errors, index_keys, log_cost
from ldap_workbench.advice.families.find import review
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.model.units import NS_PER_S
from tests.unit.advice.material import FACTS, T0, Log, only, view


def ids(found):
    return [f.id for f in found]


def test_an_unbuffered_access_log_is_told():
    found = log_cost.find(view(settings={"nsslapd-accesslog-logbuffering": "off"}))
    assert ids(found) == ["log_unbuffered"]
    assert log_cost.find(view(settings={"nsslapd-accesslog-logbuffering": "on"})) == []
    assert log_cost.find(view()) == []


def test_a_configuration_alone_has_no_lines_to_count():
    settings = {"nsslapd-accesslog-logbuffering": "off", "nsslapd-accesslog-level": "260"}
    unbuffered, internal = log_cost.find(view(settings=settings))
    assert "written to disk by itself, and" in str(unbuffered.sentence)
    assert "set to have internal operations (nsslapd-accesslog-level: 260): use" in str(
        internal.sentence
    )
    busy = log_cost.find(view(Log().background(600, rate=5), settings=settings))
    assert "by itself, about 5 a second, and" in str(busy[0].sentence)


def test_internal_operations_in_the_log():
    log = Log().background(60, rate=5)
    for i in range(100):
        log.add("SRCH", i, 0.001, internal=True)
    assert ids(log_cost.find(view(log))) == ["log_internal"]
    extract = Log().add("SRCH", 1, 0.001, internal=True).add("MOD", 2, 0.001)
    assert log_cost.find(view(extract)) == []
    few = Log().background(60, rate=5).add("SRCH", 1, 0.001, internal=True)
    assert log_cost.find(view(few)) == []
    assert ids(log_cost.find(view(few, settings={"nsslapd-accesslog-level": "260"}))) == [
        "log_internal"
    ]
    assert log_cost.find(view(few, settings={"nsslapd-accesslog-level": "256"})) == []


def test_an_audit_log_beside_the_database():
    log = Log().background(60, rate=5, kind="MOD", filter="")
    facts = replace(FACTS, audit_log="/var/log/dirsrv/slapd-lab/audit", audit_device="vda")
    on, off = ({"nsslapd-auditlog-logging-enabled": word} for word in ("on", "off"))
    found = only(log_cost.find(view(log, seconds=60, settings=on, facts=facts)), "log_audit")
    assert "slapd-lab/audit is on vda" in str(found.sentence)
    assert found.numbers["writes_per_s"] == 5
    assert log_cost.find(view(log, seconds=60, settings=off, facts=facts)) == []
    assert log_cost.find(view(log, seconds=60, settings=on, facts=None)) == []
    reading = Log().background(60, rate=5)
    assert log_cost.find(view(reading, seconds=60, settings=on, facts=facts)) == []


def test_a_tail_in_the_log_functions():
    slow = Histogram("log_access_full", (0, 2, 512, 1024, 2048), (100, 9000, 10, 15, 5))
    quick = Histogram("log_access_full", (0, 2, 512, 1024), (100, 90_000, 10, 1))
    other = Histogram("do_search_full", (0, 1024), (100, 100))
    found = log_cost.find(view(histograms=(slow,)))
    assert only(found, "log_functions").numbers["slow"] == 20
    assert log_cost.find(view(histograms=(quick, other))) == []


def test_a_histogram_without_a_unit_is_not_judged():
    unknown = Histogram("@log_access", (0, 2, 512, 1024, 2048), (100, 9000, 10, 15, 5), "")
    (found,) = log_cost.find(view(histograms=(unknown,)))
    assert found.id == "no_unit"
    assert "not judged" in str(found.sentence)
    other = replace(unknown, name="@do_search", probe="")
    assert log_cost.find(view(histograms=(other,))) == []
    slow = replace(unknown, name="@log_access_us", unit="us")
    assert ids(log_cost.find(view(histograms=(unknown, slow)))) == ["no_unit", "log_functions"]


def test_tails_in_different_units_are_not_compared():
    few = Histogram("probe 1 threads", (1, 2, 4, 8), (500, 400, 90, 10), "us")
    many = Histogram("probe 16 threads", (1, 2, 4, 8), (100, 100, 400, 400), "")
    assert log_cost.find_tail_shift(view(histograms=(few, many))) == []
    found = only(
        log_cost.find_tail_shift(view(histograms=(replace(few, unit=""), many))), "tail_shift"
    )
    assert "(no unit is printed)" in str(found.sentence)


def shift_of(after):
    before = Histogram("op_shared_search 1 threads", (1, 2, 4, 8, 16), (500, 400, 90, 10, 0))
    return log_cost.find_tail_shift(
        view(histograms=(before, Histogram("op_shared_search 16 threads", (1, 2, 4, 8, 16), after)))
    )


def test_counts_moved_beyond_a_bucket():
    found = only(shift_of((200, 200, 200, 250, 150)), "tail_shift")
    assert found.numbers["threads"] == [1, 16]
    assert found.numbers["bound"] == 8  # where few calls were beyond: the tail, not the most moved
    assert found.numbers["share_before"] == pytest.approx(0.01)
    assert found.numbers["share_after"] == pytest.approx(0.4)
    assert found.numbers["beyond"][1] == [4, pytest.approx(0.1), pytest.approx(0.6)]
    assert len(found.evidence) == 5


def test_the_same_histogram_again_has_not_shifted():
    assert shift_of((500, 400, 90, 10, 0)) == []
    assert shift_of((480, 405, 100, 15, 0)) == []
    assert shift_of((5000, 3500, 1300, 200, 0)) == []  # sure, but half as much again only


def test_histograms_of_one_load_are_not_compared():
    one = Histogram("op_shared_search 16 threads", (1, 2), (500, 400))
    assert log_cost.find_tail_shift(view(histograms=(one, one))) == []


def line(second, text):
    return ErrorLine(T0 + second * NS_PER_S, text)


def test_deadlocks_against_etime():
    log = Log().background(600, rate=5)
    for i in range(10):
        log.add("MOD", 100 + i, 0.9)
    lines = tuple(
        line(100 + i, "ERR - libdb: BDB0068 DB_LOCK_DEADLOCK (-30993)") for i in range(11)
    )
    found = only(errors.find(view(log, errors=lines)), "deadlock")
    assert found.numbers["errors"] == 11
    assert found.numbers["etime_near_ns"] > 100 * found.numbers["etime_otherwise_ns"]
    assert found.severity == 3
    given_up = line(1, "ERR - ldbm_back_modify - Retry count exceeded in modify")
    assert ids(errors.find(view(errors=(given_up,)))) == ["deadlock"]


def test_other_lines_of_the_error_log_are_no_errors():
    lines = (line(1, "NOTICE - bdb_start_autotune - found 24202100k physical memory"),)
    assert errors.find(view(errors=lines)) == []


def test_refused_connections_and_busy_threads():
    lines = (
        line(1, "ERR - slapd_poll - Not listening for new connections - too many fds open"),
        line(2, "WARNING - connection_threadmain - all threads are busy"),
    )
    assert ids(errors.find(view(errors=lines))) == ["refused", "threads_exhausted"]


def test_operations_that_fail_for_the_servers_reasons():
    log = Log().background(600, rate=5)
    for i in range(12):
        log.add("SRCH", i, 0.001, err=51)
    assert only(errors.find(view(log)), "failed_operations").numbers["failed"] == 12
    client = Log().background(600, rate=5)
    for i in range(100):
        client.add("BIND", i, 0.001, err=49)
    assert errors.find(view(client)) == []


def bound(etime, count=50):
    log = Log().background(60, rate=20, etime=0.0006)
    for i in range(count):
        log.add("BIND", i, etime)
    return view(log, seconds=60)


def test_binds_that_hash():
    found = only(binds.find(bound(0.06)), "slow_binds")
    assert found.numbers["bind_p50_ns"] == 60_000_000
    assert binds.find(bound(0.002)) == []
    assert binds.find(bound(0.06, count=5)) == []


def test_a_server_that_has_no_descriptor_for_a_connection_stops_at_its_start():
    text = (
        "ERR - slapd_daemon - Not enough descriptors to accept any connections. This may be "
        "because the maxdescriptors configuration directive is too small"
    )
    lines = tuple(ErrorLine(T0 + n * 60 * NS_PER_S, text) for n in range(5))
    found = errors.find(view(errors=lines))
    assert "5 times the server stopped at its start" in str(only(found, "no_descriptors").sentence)
    assert [seen.id for seen in found] == ["no_descriptors"], "they are no complaints besides"


def test_a_full_heap_is_named_where_a_thread_says_so():
    text = (
        "category=CORE severity=ERROR msgID=108 msg=Worker Thread 7 encountered an uncaught "
        "exception while processing operation null: OutOfMemoryError: Java heap space ()"
    )
    facts = replace(FACTS, product="OpenDJ")
    seen = only(errors.find(view(errors=(ErrorLine(T0, text),), facts=facts)), "heap_full")
    assert "Once the error log said that the JVM had no memory left" in str(seen.sentence)
    assert [each.id for each in advise([seen], facts)] == ["heap-larger"]
    quiet = text.replace("OutOfMemoryError: Java heap space", "NullPointerException")
    assert errors.find(view(errors=(ErrorLine(T0, quiet),), facts=facts)) == []


@pytest.mark.parametrize("last", [True, False])
def test_binds_of_kerberos_hash_nothing(last):
    """The last of three steps is slow; or a simple bind beside steps that are quick."""
    log = Log().background(60, rate=20, etime=0.0006)
    for i in range(50):
        for op, err in ((0, 14), (1, 14), (2, 0)):
            log.add(
                "BIND",
                i + op / 10,
                0.06 if last and not err else 0.001,
                conn=900 + i,
                op=op,
                err=err,
            )
        if not last:
            log.add("BIND", i + 0.5, 0.06, conn=1900 + i)
            log.add("BIND", i + 0.6, 0.06, conn=2900 + i)
    seen = only(binds.find(view(log, seconds=60)), "slow_binds")
    assert ("SASL binds, such as Kerberos" in str(seen.sentence)) == last
    assert ("Password hashing" in str(seen.sentence)) != last
    ids = {each.id for each in advise([seen], FACTS)}
    assert ("upgrade-hash-off" in ids) != last


INTERNAL = (
    "ERR - log_result - Internal unindexed search: source (cn=server,cn=plugins,cn=config) "
    'search base="cn=changelog" filter="(&(changenumber>={n})(targetuniqueid=cb0c-{n}))" '
    "etime=0.00200000{n} nentries=1  notes=U"
)


def renames(number=4, etime=2.0, notes="A"):
    """Renames inside which the server searches all entries for a part of a DN."""
    log = Log().background(60)
    for row in range(number):
        log.add("MODRDN", 10 * row, etime + 0.1, base=f"uid=u{row}", conn=7, op=row)
        log.add("SRCH", 10 * row + 0.01, etime, filter="(member=*?)", base="dc=x", notes=notes,
                conn=7, op=row, internal=True, internal_op=1, nesting=1)  # fmt: skip
    return log.done()


def test_searches_of_the_server_itself_that_the_access_log_notes():
    seen = review(view(renames()))
    finding = only(seen.findings, "internal_unindexed")
    assert finding.worker_ns == 8_000_000_000
    assert "by the server, inside operations of clients, for (member=*?) below dc=x" in str(
        finding.sentence
    )
    assert "4 operations of clients, inside which" in str(finding.evidence[1].text)
    (explained,) = [row for row in seen.account.explained() if row.id == finding.id]
    assert explained.alone_ns == 4 * 2_100_000_000
    for almost in (renames(2), renames(etime=0.1), renames(notes="")):
        assert index_keys.find_internal_searches(view(almost)) == []


def test_searches_of_the_server_itself_that_the_error_log_names():
    told = tuple(ErrorLine(T0 + n, INTERNAL.replace("{n}", str(n))) for n in range(4))
    found = only(index_keys.find_internal_searches(view(errors=told)), "internal_unindexed")
    assert found.numbers["filter"] == "(&(changenumber>=?)(targetuniqueid=?))"
    assert found.worker_ns == 4 * 2_000_000 + 6
    assert len(found.evidence) == 1
    assert index_keys.find_internal_searches(view(errors=told[:2])) == []


def test_internal_searches_whose_operation_the_error_log_names():
    """389 DS 1.4.3 and later: at the begin of the search, without its etime."""
    notice = (
        "NOTICE - ldbm_back_search - Internal unindexed search: source (cn=unique,cn=plugins,"
        'cn=config) search base="dc=x" scope=2 filter="(badge={n})" conn=7 op={n} '
        "(internal op=1 count=1)"
    )
    log, lines = Log().background(60), []
    for n in range(4):
        log.add("ADD", 10 * n, 8.0, base=f"uid={n},dc=x", conn=7, op=n)
        log.add("ADD", 10 * n, 0.1, base=f"uid=b{n},dc=x", conn=8, op=n)
        log.add("ADD", 100 + n, 0.1, base=f"uid=c{n},dc=x", conn=7, op=n, boot=1)
        lines.append(ErrorLine(T0 + (10 * n + 1) * NS_PER_S, notice.replace("{n}", str(n))))
    seen = review(view(log, errors=tuple(lines)))
    finding = only(seen.findings, "internal_unindexed")
    assert finding.worker_ns is None
    assert finding.user_ns == 4 * 8 * NS_PER_S
    assert (
        "of the server itself; most of that by cn=unique,cn=plugins,cn=config, for (badge=?)"
        in str(finding.sentence)
    )
    assert "does not say how long" in str(finding.evidence[0].text)
    assert "4 operations of clients, inside which" in str(finding.evidence[1].text)
    (explained,) = [row for row in seen.account.explained() if row.id == finding.id]
    assert explained.alone_ns == 4 * 8 * NS_PER_S


@pytest.mark.parametrize(("n", "level", "severity"), [(2, "ERR", None), (3, "ERR", 1),
                                                      (20, "ERR", 2), (1, "CRIT", 2)])  # fmt: skip
def test_what_the_error_log_complains_of(n, level, severity):
    lines = [ErrorLine(T0 + at, f"{level} - agmt - cannot reach host{at}:389") for at in range(n)]
    lines += [
        ErrorLine(T0, "INFO - main - ERR - a word of somebody"),
        ErrorLine(T0, "WARN - x - y"),
    ]
    complaints = [
        seen for seen in errors.find(view(errors=tuple(lines))) if seen.id == "log_complaints"
    ]
    assert [seen.severity for seen in complaints] == ([severity] if severity else [])
    for seen in complaints:
        assert seen.numbers["lines"] == n
        assert "cannot reach host0:389" in str(seen.sentence)
