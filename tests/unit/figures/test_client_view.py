"""What a client measured beside what the server logged: compared only where both counted alike."""

import pytest

from ldap_workbench.figures.tails.client_view import (
    client_numbers,
    client_view,
    client_views,
    type_of,
)
from ldap_workbench.inference.counts.tails import tails
from ldap_workbench.model.units import format_duration
from ldap_workbench.report.write import write_report
from ldap_workbench.session.reader import Session
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


def table_of(path):
    with Session.open(path) as session:
        return client_numbers(client_views(session, session.windows())).texts()


def test_the_table_has_both_sides_and_the_time_between_them(tmp_path):
    path = with_client(tmp_path / "s.ldapwb")
    headings, *rows = table_of(path)
    assert [row[2] for row in rows] == [
        "by the client", "to connect", "by the client", "by the server", "difference",
    ]  # fmt: skip
    label, connect, client, server, between = (
        dict(zip(headings, row, strict=True)) for row in rows
    )
    assert (label["Requests"], label["Failed"], client["Requests"]) == (
        "Search by uid",
        "3",
        "SRCH",
    )
    assert (connect["Count"], connect["Mean"], connect["Longest"]) == ("3", "3.00 ms", "6 to 7 ms")
    view, of_server = view_of(path)
    whole_ms = view.gaps[0].client.sum_ns - of_server.sum_ns
    assert between["Mean"] == format_duration(round(whole_ms / of_server.n))
    assert between["p99"] == format_duration(view.gaps[0].client.p99_ns - of_server.p99_ns)
    assert (between["Count"], server["Failed"]) == ("–", "–")


def test_the_table_says_where_nothing_is_compared(tmp_path):
    *_, last = table_of(with_client(tmp_path / "s.ldapwb", more=100))
    assert last[2] == "counts differ: not compared"
    assert set(last[3:]) == {"–"}


def test_the_report_has_the_client_s_view(tmp_path):
    path = with_client(tmp_path / "s.ldapwb")
    for suffix, cell in (("md", "| SRCH | difference |"), ("html", "<td>difference</td>")):
        text = write_report(path, tmp_path / f"r.{suffix}").read_text()
        assert "What the client measured" in text
        assert cell in text
    plain = build_capture_session(tmp_path / "p.ldapwb", seconds=5)
    assert "the client measured" not in write_report(plain, tmp_path / "p.md").read_text()
