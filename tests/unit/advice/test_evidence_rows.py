"""A filter finds exactly the operations of its evidence."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
import zstandard
from typer.testing import CliRunner

from ldap_workbench.advice.evidence.rows import evidence_of_rows, filter_of, slowest
from ldap_workbench.advice.evidence.stalls import find_stalls
from ldap_workbench.advice.families import checkpoint
from ldap_workbench.advice.families.find import findings
from ldap_workbench.cli.app import app
from ldap_workbench.figures.operations.view import of_filter
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import TYPES, client_operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.practice.samples import samples
from ldap_workbench.resources import resource
from ldap_workbench.session.conditions import parse_conditions, words_of
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search, counted, ordered, rows
from tests.sessions import build_experiment_session
from tests.unit.advice.material import T0, Log, only, view

BIND, SRCH = TYPES.index("BIND"), TYPES.index("SRCH")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    built = tmp_path_factory.mktemp("rows") / "e.ldapwb"
    return build_experiment_session(built, pairs=4, seconds=10, per_second=60)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The sample that comes with the program: binds of a real server, with and without rehash."""
    path = tmp_path_factory.mktemp("sample") / "sample.ldapwb"
    packed = resource(f"samples/{samples()[0].file}").read_bytes()
    path.write_bytes(zstandard.decompress(packed))
    return path


@pytest.fixture
def session(path):
    with Session.open(path) as opened:
        yield opened


def search_of(session, which):
    """All windows, as Operations and `slowest --find` look for it."""
    return Search(tuple(session.windows()), parse_conditions(words_of(which)))


def keys_of(operations, places):
    names = ("boot", "conn", "op")
    return {tuple(int(getattr(operations, name)[i]) for name in names) for i in places}


def found_by(session, which):
    search = search_of(session, which)
    operations = rows(session, search, ordered(session, search)).operations
    return keys_of(operations, range(len(operations)))


SETS = {
    "binds": lambda o: (o.kind == BIND) & (o.err == 0),
    "searches": lambda o: o.kind == SRCH,
    "one filter": lambda o: o.fingerprint == o.fingerprint[o.kind == SRCH][0],
    "one client": lambda o: o.client == o.client[client_operations(o)][0],
    "slow ones": lambda o: o.etime_ns >= int(np.median(o.etime_ns)),
    "slow searches of one client": lambda o: (
        (o.kind == SRCH)
        & (o.client == o.client[client_operations(o)][0])
        & (o.etime_ns >= int(np.median(o.etime_ns)))
    ),
    "quick ones": lambda o: o.etime_ns <= int(np.median(o.etime_ns)),
    "all but one filter": lambda o: o.fingerprint != o.fingerprint[o.kind == SRCH][0],
    "all but one type": lambda o: o.kind != BIND,
    "one here and one there": lambda o: np.arange(len(o)) % 3 == 0,
}


@pytest.mark.parametrize("name", SETS)
def test_the_filter_finds_these_operations_and_no_other(session, name):
    """In one window of several, with others like them before and after."""
    operations = session.operations(session.windows()[2])
    chosen = np.flatnonzero(client_operations(operations) & SETS[name](operations))
    which = filter_of(operations, chosen)
    assert which is not None
    assert which.count == len(chosen) > 0
    assert counted(session, search_of(session, which)) == len(chosen)
    assert found_by(session, which) == keys_of(operations, chosen)


def test_the_filter_says_no_more_than_is_needed(session):
    operations = session.operations(session.windows()[0])
    binds = np.flatnonzero(client_operations(operations) & (operations.kind == BIND))
    which = filter_of(operations, binds)
    assert words_of(which).split()[0] == "type=BIND"
    assert which.least_ns is None
    assert which.base is None


def test_what_the_server_asked_itself_is_found_too(session):
    """Though Operations lists those of clients else."""
    operations = session.operations(session.windows()[0])
    internal = np.flatnonzero(operations.internal & ~operations.own)
    which = filter_of(operations, internal)
    assert which.internal
    assert which.count == len(internal) > 0
    assert found_by(session, which) == keys_of(operations, internal)


def test_too_many_to_be_listed_are_kept_as_rows():
    """Every second of thousands that are alike; what finds them is in figures."""
    log = Log()
    for i in range(4000):
        log.add("SRCH", i / 10, 0.001, filter="(uid=?)")
    operations = log.done()
    which = filter_of(operations, np.arange(0, 4000, 2))
    assert which.count == 2000
    assert np.flatnonzero(which.rows.mask()).tolist() == list(range(0, 4000, 2))
    few = filter_of(operations, np.arange(0, 2000, 2))
    assert few.count == 1000
    assert few.rows is None


def test_a_piece_of_evidence_covers_its_rows_or_the_span_it_is_for():
    operations = Log().add("SRCH", 1, 0.5).add("SRCH", 2, 0.1).add("SRCH", 5, 0.2).done()
    some, none = np.array([0, 1]), np.array([], np.intp)
    text = Message("slow")
    whole = evidence_of_rows(operations, text, some, some[:1])
    assert (whole.start_ns, whole.end_ns) == (T0 + NS_PER_S, T0 + 2_100_000_000)
    assert (whole.operations, whole.which.count) == ((0,), 2)
    spanned = evidence_of_rows(operations, text, none, span=(3, 4), series="vmstat:r")
    assert (spanned.start_ns, spanned.end_ns, spanned.series) == (3, 4, "vmstat:r")
    assert (spanned.operations, spanned.which) == ((), None)


def test_the_slowest_rows_come_first_and_equal_ones_in_their_order():
    log = Log()
    for start, etime in enumerate((0.1, 0.4, 0.2, 0.4)):
        log.add("SRCH", start, etime)
    operations, rows = log.done(), np.arange(4)
    assert slowest(operations, rows).tolist() == [1, 3, 2, 0]
    assert slowest(operations, rows, 2).tolist() == [1, 3]


def test_evidence_of_a_view_is_its_whole_window():
    seen = view(Log().add("SRCH", 1, 0.5).done())
    evidence = seen.evidence(Message("all along"), "vmstat:r")
    assert (evidence.start_ns, evidence.end_ns) == (seen.window.start_ns, seen.window.end_ns)
    assert (evidence.series, evidence.operations) == ("vmstat:r", ())


def test_what_the_workbench_asked_is_kept_as_rows(session):
    """Else no search lists it."""
    window = session.windows()[0]
    operations = session.operations(window)
    own = np.flatnonzero(operations.own)
    assert len(own)
    which = filter_of(operations, own)
    assert which.own
    which = replace(which, source=session.operation_source(window))
    search = Search((window,), (of_filter(session, which),))
    assert counted(session, search) == which.count == len(own)


def test_a_stall_leaves_out_what_is_always_slow():
    """Searches that wait together, and beside them a report that is always slow."""
    log = Log().background(600, rate=5)
    victims = [log.add("SRCH", 400 - n, 20 + n, filter="(uid=?)") and len(log.rows) - 1
               for n in range(8)]  # fmt: skip
    for n in range(60):
        log.add("SRCH", 10 * n - 1, 25, filter="(description=*?*)", notes="A")
    operations = log.done()
    (stall,) = find_stalls(operations)
    finding = only(checkpoint.find_stalls(view(operations)), "stall")
    which = finding.evidence[0].which
    assert which.count == len(stall.rows) == len(victims)
    assert which.filter == "(uid=?)" or which.not_filters == ("(description=*?*)",)


@pytest.mark.parametrize(
    "words",
    [
        "ops=1",
        "ops=",
        "ops=a/b",
        "ops!=1/2",
        "internal=no",
        "internal!=yes",
        "end>=",
        "end=x",
        "finding=",
        "finding!=stall",
        "source=x",
        "source>1",
    ],
)
def test_words_that_name_no_operations_are_refused(words):
    with pytest.raises(UsageError):
        parse_conditions(words)


def test_single_operations_and_the_end_of_them_can_be_asked_for(session):
    operations = session.operations(session.windows()[0])
    row = int(np.flatnonzero(client_operations(operations))[5])
    key = f"{operations.conn[row]}/{operations.op[row]}"
    windows = tuple(session.windows()[:1])
    assert counted(session, Search(windows, parse_conditions(f"ops={key},1000/1"))) == 1
    every = counted(session, Search(windows))
    seconds = int(operations.end_ns[row]) // 1000 / 1e6
    moment = datetime.fromtimestamp(seconds, UTC).isoformat()
    early = counted(session, Search(windows, parse_conditions(f"end<{moment}")))
    late = counted(session, Search(windows, parse_conditions(f"end>={moment}")))
    assert early + late == every
    assert early > 0 < late


def test_every_filter_of_a_finding_finds_its_operations(recorded):
    with Session.open(recorded) as session:
        shown = {
            finding.id: evidence
            for finding in findings(session)
            for evidence in finding.evidence
            if evidence.which is not None
        }
        for evidence in shown.values():
            assert counted(session, search_of(session, evidence.which)) == evidence.which.count
            assert len(evidence.operations) <= evidence.which.count
    assert words_of(shown["slow_binds"].which).startswith("type=BIND ")


def test_the_command_takes_the_words_of_a_finding(recorded):
    runner = CliRunner()
    listed = json.loads(runner.invoke(app, ["findings", str(recorded), "--json"]).output)
    (slow,) = [each for each in listed["findings"] if each["id"] == "slow_binds"]
    (evidence, *_) = slow["evidence"]
    words = ["groups", str(recorded), "--by", "type", "--find", evidence["find"], "--json"]
    (group,) = json.loads(runner.invoke(app, words).output)
    assert (group["name"], group["n"]) == ("BIND", evidence["which"]["count"])


def test_a_search_without_a_match_says_so(path):
    words = ["slowest", str(path), "--find", "etime>1000s"]
    assert "No operation of a client" in CliRunner().invoke(app, words).output


def test_a_moment_that_is_no_iso_time_is_refused():
    with pytest.raises(UsageError, match="not an ISO time"):
        parse_conditions("from=yesterday")
    with pytest.raises(UsageError, match="cannot be searched for"):
        parse_conditions("to>2026-11-20")
