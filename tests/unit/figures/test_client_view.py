"""What a client measured beside what the server logged: compared only where both counted alike."""

import numpy as np
import pytest

from ldap_workbench.figures.client_view import client_view, type_of
from ldap_workbench.model.window import Sample, Source, SourceKind, SourceState
from ldap_workbench.session import Session, SessionWriter
from ldap_workbench.statistics import tails
from tests.sessions import build_capture_session

MS = 1_000_000


def with_client(path, *, more=0, label="Search by uid"):
    """Every search of the server as a client saw it: 2 ms longer, and `more` that never came."""
    build_capture_session(path, seconds=10)
    with Session.open(path) as session:
        (window,) = session.windows()
        seen = session.latencies(window)
    asked = ~(seen.internal | seen.own)
    searches = asked & (seen.kind == 0)
    starts = (seen.end_ns - seen.etime_ns)[searches]
    took = seen.etime_ns[searches] // MS + 2
    samples = [
        Sample(int(at), f"client:{label}:elapsed", float(ms))
        for at, ms in zip(starts, took, strict=True)
    ]
    middle = int(np.median(starts))
    samples += [Sample(middle, f"client:{label}:elapsed", 9.0)] * more
    samples += [Sample(middle, f"client:{label}:failed", 1.0)] * 3
    # Sent before the window: none of its requests.
    samples += [Sample(window.start_ns - MS, f"client:{label}:elapsed", 5000.0)]
    with SessionWriter.append(path) as writer:
        number = writer.next_id("source")
        writer.add_samples(number, samples)
        source = Source(number, window.id, SourceKind.CLIENT, "run.csv", SourceState.COMPLETE)
        writer.put_source(source)
    return path


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
