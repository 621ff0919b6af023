"""What a client measured beside what the server logged: compared only where both counted alike."""

import pytest

from ldap_workbench.figures.client_view import client_view, type_of
from ldap_workbench.session import Session
from ldap_workbench.statistics import tails
from tests.sessions import MS, build_capture_session, with_client


def view_of(path):
    with Session.open(path) as session:
        (window,) = session.windows()
        server = next(t for t in tails(session.latencies(window), window="") if t.type == "SRCH")
        return client_view(session, window), server


def test_labels_have_tails_and_failures_of_their_own(tmp_path):
    view, server = view_of(with_client(tmp_path / "s.ldapwb", more=10))
    (row,) = view.rows
    assert (row.label, row.type, row.failed) == ("Search by uid", "SRCH", 3)
    assert row.elapsed.n == server.n + 10
    assert row.elapsed.max_ns == (server.max_ns // MS + 2) * MS
    assert row.elapsed.resolution_ns == MS


def test_both_sides_are_compared_where_they_count_alike(tmp_path):
    view, server = view_of(with_client(tmp_path / "s.ldapwb"))
    (gap,) = view.gaps
    assert gap.comparable
    assert (gap.server.n, gap.server.p50_ns) == (server.n, server.p50_ns)
    assert gap.client.p99_ns == (server.p99_ns // MS + 2) * MS
    assert "at the client and" in str(gap.sentence)


def test_where_the_counts_differ_nothing_is_compared(tmp_path):
    view, _ = view_of(with_client(tmp_path / "s.ldapwb", more=100))
    (gap,) = view.gaps
    assert not gap.comparable
    assert "not compared with the server" in str(gap.sentence)


def test_a_label_that_names_no_type_is_compared_with_nothing(tmp_path):
    view, _ = view_of(with_client(tmp_path / "s.ldapwb", label="LDAP Extended Request"))
    assert view.rows
    assert view.gaps == ()


def test_without_a_client_there_is_no_view(tmp_path):
    view, _ = view_of(build_capture_session(tmp_path / "s.ldapwb", seconds=5))
    assert view is None


@pytest.mark.parametrize(
    ("label", "kind"),
    [("Search by uid", "SRCH"), ("01-srch", "SRCH"), ("Thread bind", "BIND"), ("Unbind", ""),
     ("Single bind/unbind", ""), ("search, then bind", ""), ("modify mail", "MOD"), ("mail", ""),
     ("Rename", "MODRDN"), ("address", "")],
)  # fmt: skip
def test_a_label_names_a_type_by_whole_words(label, kind):
    assert type_of(label) == kind
