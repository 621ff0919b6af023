"""A filter finds exactly the operations of its evidence, or there is none."""

import json

import numpy as np
import pytest
import zstandard
from typer.testing import CliRunner

from ldap_workbench.advice import findings
from ldap_workbench.advice.evidence.rows import filter_of
from ldap_workbench.cli.app import app
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.operations import TYPES, client_operations
from ldap_workbench.practice.samples import samples
from ldap_workbench.resources import resource
from ldap_workbench.session import Session
from ldap_workbench.session.conditions import parse_conditions, words_of
from ldap_workbench.session.search import Search, counted, ordered, rows
from tests.sessions import build_experiment_session

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


def test_operations_that_no_filter_tells_from_others_have_none(session):
    operations = session.operations(session.windows()[0])
    chosen = np.flatnonzero(client_operations(operations))
    assert filter_of(operations, chosen[::2]) is None
    internal = np.flatnonzero(operations.internal)
    assert len(internal)
    assert filter_of(operations, internal) is None, "Operations lists those of clients"


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
