"""Which kinds of operation of a session are offered to judge a change by."""

import pytest

from ldap_workbench.experiment.counting import counted, kind_in
from ldap_workbench.experiment.kinds_offered import frequent_kinds
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.sessions import FACTS, build_capture_session, build_experiment_session


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    path = build_capture_session(tmp_path_factory.mktemp("kinds") / "c.ldapwb", windows=2)
    with Session.open(path) as session:
        return [str(kind) for kind in frequent_kinds(session)]


def test_searches_by_filter_come_first_then_clients_and_bind_dns(kinds):
    filters = {"SRCH[(uid=?)]", "SRCH[(&(objectclass=person)(mail=?))]", "SRCH[(member=?)]"}
    assert set(kinds[:3]) == filters
    assert all(kind.startswith("ALL[client=") for kind in kinds[3:6])
    assert set(kinds[6:]) == {
        "ALL[dn=uid=app1,ou=services,dc=example,dc=com]",
        "ALL[dn=cn=directory manager]",
    }


def test_each_kind_that_is_offered_is_in_the_session(kinds, tmp_path):
    path = build_capture_session(tmp_path / "c.ldapwb")
    with Session.open(path) as session:
        for kind in kinds:
            wanted = kind_in(f"{kind}:p50")
            [window] = counted(session, session.windows(), 10**8, wanted=wanted)
            assert window.of(kind).n > 0, kind


def test_a_filter_that_no_plan_can_hold_is_not_offered(tmp_path):
    path = build_experiment_session(tmp_path / "h.ldapwb", pairs=1, seconds=5, hostile=True)
    with Session.open(path) as session:
        kinds = frequent_kinds(session)
    assert all(len(kind.value) <= 300 for kind in kinds)
    assert any("script" in kind.value for kind in kinds)


def test_a_session_without_operations_offers_nothing(tmp_path):
    with SessionWriter.create(tmp_path / "e.ldapwb", FACTS) as writer, writer.reader() as session:
        assert frequent_kinds(session) == ()
