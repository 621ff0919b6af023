"""Clients with what they cost, as command and window list them."""

import json

import pytest

from ldap_workbench.advice.families.find import findings
from ldap_workbench.cli.account import clients as command
from ldap_workbench.figures.operations.clients import bind_dn_of, read_clients
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search
from ldap_workbench.session.writer import SessionWriter
from tests.unit.advice.material import Log, window
from tests.unit.advice.test_clients import APP, OTHER, pool, visits
from tests.unit.advice.test_find import put

APP_DN = "cn=portal,dc=example,dc=com"


@pytest.fixture
def file(tmp_path):
    log = visits(pool(Log(), rate=2, **OTHER), 300, every=2, **APP)
    for n in range(30):
        who = {"client": "192.0.2.9", "bind_dn": f"uid=u{n},dc=example,dc=com"}
        log.add("BIND", 10 * n, 0.001 * (n + 1), conn=5000 + n, op=0, **who)
    who = {"client": "192.0.2.9", "bind_dn": APP_DN}
    log.add("SRCH", 7, 0.4, conn=6000, op=1, **who)
    with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
        put(writer, window(600), log, 1)
    return tmp_path / "s.ldapwb"


def rows(file):
    with Session.open(file) as session:
        return read_clients(session, Search(tuple(session.windows())), findings(session))


def test_the_most_expensive_client_comes_first_with_its_share(file):
    view = rows(file)
    first, second = view.rows[:2]
    assert (first.address, first.bind_dn) == ("192.0.2.7", "cn=app,dc=example,dc=com")
    assert (first.connections, first.operations, first.binds) == (300, 600, 300)
    assert first.operations_per_connection == 2
    assert first.worker_ns == 300 * 5_000_000
    assert first.worker_ns_per_operation == 300 * 5_000_000 // 600
    assert first.worker_s_per_h == pytest.approx(9.0)
    assert first.connections_per_h == pytest.approx(1800)
    assert second.address == "192.0.2.8"
    assert second.connections == 10
    assert sum(row.share for row in view.rows) == pytest.approx(1)


def test_a_client_has_its_findings_beside_it(file):
    view = rows(file)
    assert view.rows[0].findings == ("no_pooling",)
    assert "connect" in str(view.titles["no_pooling"])
    assert view.rows[1].findings == ()


def test_many_names_of_one_address_are_told_together(file):
    last = [row for row in rows(file).rows if row.address == "192.0.2.9"]
    application, folded = sorted(last, key=lambda row: row.others)
    assert application.bind_dn == APP_DN
    assert folded.others == 30
    assert folded.worker_ns == sum(range(1, 31)) * 1_000_000
    assert str(bind_dn_of(folded)) == "(30 DNs)"


def test_the_command_tells_the_same_numbers(file, capsys):
    command(file, json=True)
    told = json.loads(capsys.readouterr().out)
    assert told[0]["address"] == "192.0.2.7"
    assert told[0]["worker_s_per_h"] == pytest.approx(9.0)
    command(file, count=2)
    text = capsys.readouterr().out
    assert "192.0.2.7" in text
    assert "Clients open a new connection for each piece of work" in text
    assert "2 more clients; -n 4 prints them all." in text


def test_a_session_without_operations_has_no_clients(tmp_path, capsys):
    with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
        writer.put_window(window())
    command(tmp_path / "s.ldapwb")
    assert capsys.readouterr().out == "No operation of a client is in these windows.\n"
