"""Why a search was slow: its index plan from the log's own lines, else what its result tells."""

import json

import pytest

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.cli.operations import why as command
from ldap_workbench.model.errors import UsageError
from ldap_workbench.session.writer import SessionWriter
from tests.unit.logs.lines389 import T

HEAD = T + "conn=1 op=73 "
ASKED = 'SRCH base="dc=a" scope=2 filter="(&(cn=*ser*)(o=x))" attrs=ALL\n'
OTHER = T + "conn=2 op=73 "
LOG = (
    HEAD + ASKED
    + HEAD + "STAT read index: attribute=objectclass key(eq)=referral --> count 0\n"
    + OTHER + "STAT read index: attribute=uid key(eq)=x --> count 999999\n"
    + HEAD + "STAT read index: attribute=cn key(sub)=ser --> count 25000 (duration 0.25)\n"
    + HEAD + "RESULT err=0 tag=101 nentries=2 wtime=0.01 optime=0.3 etime=0.31\n"
)  # fmt: skip
PLAIN = (
    HEAD + ASKED + HEAD + "RESULT err=0 tag=101 nentries=1200 wtime=0.3 optime=0.1 etime=0.4 "
    'notes=U details="Partially Unindexed Filter"\n'
)


@pytest.fixture
def session_of(tmp_path):
    def make(text):
        log, file = tmp_path / "access", tmp_path / "s.ldapwb"
        log.write_text(text)
        with SessionWriter.create(file) as writer:
            import_logs([log], writer)
        return file

    return make


def told(file, capsys, **numbers):
    command(file, **numbers, json=True)
    return json.loads(capsys.readouterr().out)


def test_the_index_plan_stands_in_the_order_of_the_log(session_of, capsys):
    found = told(session_of(LOG), capsys)
    assert found["plan"] == [
        {"attribute": "objectclass", "kind": "eq", "value": "referral", "entries": 0,
         "time_ns": None},
        {"attribute": "cn", "kind": "sub", "value": "ser", "entries": 25000,
         "time_ns": 250_000_000},
    ]  # fmt: skip
    assert found["reasons"] == [
        "The index key cn (sub) = ser lists 25,000 entries, and the search returned 2: the rest "
        "was read for nothing. Search for a rarer value, or index the rest of the filter."
    ]


def test_a_term_that_the_others_make_needless_is_named(session_of, capsys):
    few = HEAD + "STAT read index: attribute=uid key(eq)=jdoe --> count 2 (duration 0.00002)\n"
    (reason,) = told(session_of(LOG.replace(OTHER, few + OTHER, 1)), capsys)["reasons"]
    assert "cn (sub) = ser lists 25,000 entries, uid (eq) = jdoe lists 2, and" in reason
    assert "Leave the first out of the filter" in reason


def test_without_a_plan_the_result_line_tells_and_a_window_is_offered(session_of, capsys):
    file = session_of(PLAIN)
    reasons = " ".join(told(file, capsys)["reasons"])
    assert "It waited 300 ms of 400 ms before a worker thread" in reasons
    assert "No index helped with all of its filter (notes=U)." in reasons
    assert "It returned 1,200 entries." in reasons
    command(file)
    assert "--seconds 120 --statistics" in capsys.readouterr().out


def test_a_search_that_is_not_there_is_said(session_of):
    file = session_of(PLAIN)
    with pytest.raises(UsageError, match="these numbers"):
        command(file, conn=9)
