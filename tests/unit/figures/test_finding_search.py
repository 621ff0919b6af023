"""The words of a finding find its operations and no others, however many they are."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import zstandard
from typer.testing import CliRunner

from ldap_workbench.advice.evidence import rows as evidence_rows
from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.families import find
from ldap_workbench.api import import_logs
from ldap_workbench.cli.app import app
from ldap_workbench.figures.operations.view import resolved
from ldap_workbench.figures.overview.findings import findings_of
from ldap_workbench.figures.timeline.view import TimelineReader
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operation_filter import RowSet
from ldap_workbench.practice.samples import samples
from ldap_workbench.report.anonymous.copy import anonymise
from ldap_workbench.resources import resource
from ldap_workbench.session.conditions import parse_conditions, words_of
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search, counted, ordered, rows
from tests.sessions import build_capture_session, build_experiment_session
from tests.unit.logs.material import CORPUS

LOGS = sorted({path.parent for path in CORPUS.glob("cases/**/access*")})
"""Folders of the corpus with an access log."""
EVERY_OTHER = "every_other"
"""The id of a finding that is made here."""


def recorded(folder: Path) -> Path:
    """The session of a real server that comes with the program."""
    path = folder / "sample.ldapwb"
    path.write_bytes(zstandard.decompress(resource(f"samples/{samples()[0].file}").read_bytes()))
    return path


def two_servers(folder: Path) -> Path:
    """Windows of the same time, as of two servers behind one balancer, with like operations."""
    path = folder / "two.ldapwb"
    one = build_capture_session(folder / "one.ldapwb", seconds=10, per_second=60)
    with Session.open(one) as session:
        text = session.raw(session.operation_source(session.windows()[0]), 0, 1 << 30)
    logs = []
    for name in ("east", "west"):
        (folder / name).mkdir()
        logs.append(folder / name / "access")
        logs[-1].write_bytes(text)
    import_logs(logs, path)
    return path


SAMPLES = {
    "recorded": recorded,
    "experiment": lambda folder: build_experiment_session(
        folder / "e.ldapwb", pairs=2, seconds=5, per_second=60
    ),
    "capture": lambda folder: build_capture_session(
        folder / "c.ldapwb", seconds=10, per_second=60, windows=2
    ),
    "two servers": two_servers,
}


@pytest.fixture(scope="module", params=SAMPLES)
def sample(request, tmp_path_factory):
    return SAMPLES[request.param](tmp_path_factory.mktemp("sample"))


@pytest.fixture
def chosen(monkeypatch):
    """What the families chose: by count and times the operations' places in their logs."""
    record = defaultdict(list)
    real = evidence_rows.filter_of

    def noted(operations, rows):
        which = real(operations, rows)
        if which is not None:
            places = frozenset(operations.result_at[rows].tolist())
            record[which.start_ns, which.end_ns, len(places)].append(places)
        return which

    for name, module in list(sys.modules.items()):
        if name.startswith("ldap_workbench.advice") and getattr(module, "filter_of", None) is real:
            monkeypatch.setattr(module, "filter_of", noted)
    return record


def every_other(view):
    """A finding whose operations have nothing in common that the others lack: too many to list."""
    clients = np.flatnonzero(~(view.operations.internal | view.operations.own))
    wanted = clients[np.random.default_rng(5).random(len(clients)) < 0.5]
    if not len(wanted):
        return []
    text = Message("Every other.")
    evidence = tuple(
        evidence_of_rows(view.operations, text, part, part[:3])
        for part in (wanted, clients[:2], wanted[: len(wanted) // 2])
    )
    return [Finding(EVERY_OTHER, Message("Every other"), Message("By chance."), 1, evidence)]


@pytest.fixture
def with_every_other(monkeypatch):
    monkeypatch.setattr(find, "FAMILIES", (*find.FAMILIES, every_other))
    monkeypatch.setattr(evidence_rows, "MOST_LISTED", 20)


def asked(session, words):
    return resolved(session, Search(tuple(session.windows()), parse_conditions(words)))


def places_of(session, words):
    """(source, place in its log) of all that is listed."""
    search = asked(session, words)
    listed = rows(session, search, ordered(session, search))
    return set(zip(listed.sources.tolist(), listed.operations.result_at.tolist(), strict=True))


def holds_for_all(session, chosen):
    """Each filter of each finding; gives how many there were, and how many needed their rows."""
    filters = by_rows = 0
    for finding in findings_of(session):
        together = set()
        for number, evidence in enumerate(finding.evidence, start=1):
            assert evidence.which is not None or not evidence.operations, finding.id
            if (which := evidence.which) is None:
                continue
            filters += 1
            by_rows += which.rows is not None
            places = places_of(session, words_of(which))
            assert len(places) == which.count > 0, finding.id
            assert len({source for source, _ in places}) == 1, finding.id
            key = which.start_ns, which.end_ns, which.count
            assert frozenset(place for _, place in places) in chosen[key], finding.id
            if which.rows is None:
                assert places_of(session, f"finding={finding.id}/{number}") == places
            together |= places
        if together:
            assert places_of(session, f"finding={finding.id}") == together
    return filters, by_rows


def test_what_a_finding_lists_is_what_it_counted(sample, chosen):
    with Session.open(sample) as session:
        filters, _ = holds_for_all(session, chosen)
    assert filters
    assert chosen


def test_words_of_before_mean_the_finding_of_today(sample):
    with Session.open(sample) as session, pytest.raises(UsageError, match="'n_plus_one'"):
        asked(session, "finding=look_ups")


@pytest.mark.parametrize("name", ["capture", "two servers"])
def test_any_number_of_operations_with_nothing_in_common_is_listed(
    name, tmp_path, chosen, with_every_other
):
    with Session.open(SAMPLES[name](tmp_path)) as session:
        _, by_rows = holds_for_all(session, chosen)
    assert by_rows


@pytest.mark.full
@pytest.mark.skipif(not LOGS, reason="the corpus of logs is not on this machine")
def test_what_a_finding_of_the_corpus_lists_is_what_it_counted(tmp_path, chosen):
    filters = 0
    for number, folder in enumerate(LOGS):
        import_logs([folder], tmp_path / f"{number}.ldapwb")
        with Session.open(tmp_path / f"{number}.ldapwb") as session:
            filters += holds_for_all(session, chosen)[0]
    assert filters >= len(LOGS), "two of them are too short to have one, others have several"


def test_a_copy_without_names_finds_the_same_number(tmp_path, with_every_other):
    path = build_capture_session(tmp_path / "c.ldapwb", per_second=60)
    anonymise(path, tmp_path / "copy.ldapwb")
    found = []
    for each in (path, tmp_path / "copy.ldapwb"):
        with Session.open(each) as session:
            words = f"finding={EVERY_OTHER}/1"
            found.append({place for _, place in places_of(session, words)})
            assert len(found[-1]) > 300
    assert len(found[0]) == len(found[1])


def test_the_timeline_shows_no_others(tmp_path, with_every_other):
    path = build_capture_session(tmp_path / "c.ldapwb", per_second=300)
    with Session.open(path) as session:
        [finding] = [each for each in findings_of(session) if each.id == EVERY_OTHER]
        which = finding.evidence[0].which
        assert which.rows is not None
        reader = TimelineReader(session).narrowed(parse_conditions(words_of(which)))
        grid = reader.grid(session.windows())
        assert int(grid.counts.sum()) == which.count > 1500


def test_the_command_takes_the_name_of_a_finding(tmp_path, with_every_other):
    path = build_capture_session(tmp_path / "c.ldapwb", per_second=300)
    runner = CliRunner()
    document = json.loads(runner.invoke(app, ["findings", str(path), "--json"]).output)
    [finding] = [each for each in document["findings"] if each["id"] == EVERY_OTHER]
    evidence = finding["evidence"][0]
    assert evidence["find"] == f"finding={EVERY_OTHER}/1"
    words = ["groups", str(path), "--by", "type", "--find", evidence["find"], "--json"]
    groups = json.loads(runner.invoke(app, words).output)
    assert sum(group["n"] for group in groups) == evidence["which"]["count"] > 1500
    words = ["slowest", str(path), "-n", "1", "--find", f"finding={EVERY_OTHER}/2", "--json"]
    assert len(json.loads(runner.invoke(app, words).output)) == 1


def test_a_finding_that_is_not_there_is_named(tmp_path, with_every_other):
    path = build_capture_session(tmp_path / "c.ldapwb", per_second=10)
    with Session.open(path) as session:
        for words, reason in (
            ("finding=no_such", "This session has no finding 'no_such'."),
            ("finding=every_other/77", "'every_other/77' names no operations."),
            ("finding=every_other/x", "'every_other/x' names no operations."),
        ):
            with pytest.raises(UsageError) as refused:
                asked(session, words)
            assert str(refused.value.what) == reason


def test_a_name_that_was_not_looked_up_finds_nothing(tmp_path):
    """Lest all operations pass for those of a finding."""
    path = build_capture_session(tmp_path / "c.ldapwb", per_second=10)
    with Session.open(path) as session:
        search = Search(tuple(session.windows()), parse_conditions("finding=stall"))
        assert counted(session, search) == 0


@pytest.mark.parametrize("total", [1, 7, 8, 9, 1000])
def test_a_set_of_rows_is_the_rows_it_was_made_of(total):
    rows = np.flatnonzero(np.random.default_rng(total).random(total) < 0.4)
    assert np.flatnonzero(RowSet.of(total, rows).mask()).tolist() == rows.tolist()


def test_half_of_ten_million_rows_take_little_room():
    rows = np.arange(0, 10_000_000, 2)
    assert len(RowSet.of(10_000_000, rows).packed) < 1_300_000
