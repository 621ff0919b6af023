"""One table of the words of a verdict, and what became of those of earlier versions."""

import json
from pathlib import Path

import pytest
import zstandard

from ldap_workbench.experiment.history import Tried
from ldap_workbench.model.verdict import EARLIER_WORDS, Judgement, MetricVerdict
from ldap_workbench.session.codec import from_json, to_json
from ldap_workbench.session.reader import Session

FROM_0_1 = Path(__file__).parents[1] / "packaging" / "from_0_1" / "experiment.ldapwb.zst"


def test_each_judgement_has_its_own_words_and_exit_status():
    words = {str(each.word) for each in Judgement}
    headings = {str(each.heading) for each in Judgement}
    statuses = {each.exit_status for each in Judgement}
    assert len(words) == len(headings) == len(statuses) == len(Judgement)


def test_people_read_the_word_that_files_have():
    assert [str(each.word) for each in Judgement] == [each.value for each in Judgement]


def test_only_better_is_a_success_and_none_looks_like_a_failure_or_a_signal():
    statuses = {each: each.exit_status for each in Judgement}
    assert statuses.pop(Judgement.BETTER) == 0
    assert all(10 <= status < 126 for status in statuses.values())


def test_a_sentence_begins_with_a_capital():
    assert str(Judgement.IMMATERIAL.opening) == "Too small to matter"
    assert str(Judgement.BETTER.heading) == "B is better"


@pytest.mark.parametrize(("before", "now"), EARLIER_WORDS.items())
def test_a_word_of_an_earlier_version_is_read_as_the_one_of_today(before, now):
    stored = to_json(MetricVerdict("p50", before))
    assert json.loads(stored)["verdict"] == before
    assert from_json(MetricVerdict, stored).verdict == now
    line = to_json(Tried("s", "", "p", (), 0, 0, "reverted", "x", verdict=before))
    assert from_json(Tried, line).verdict == now


def test_the_word_of_a_stranger_stays():
    assert from_json(MetricVerdict, to_json(MetricVerdict("p50", "splendid"))).verdict == "splendid"
    assert Judgement.known("splendid") is None
    assert str(Judgement.named("splendid")) == "splendid"


def test_a_session_of_0_1_opens_with_the_words_of_today(tmp_path: Path):
    path = tmp_path / "experiment.ldapwb"
    packed = FROM_0_1.read_bytes()
    path.write_bytes(zstandard.ZstdDecompressor().stream_reader(packed).read())
    with Session.open(path) as session:
        [(body,)] = session.rows("SELECT body FROM experiment")
        [experiment] = session.experiments()
    assert '"insufficient"' in body
    assert experiment.verdict is not None
    judged = [each.verdict for each in experiment.verdict.metrics.values()]
    assert "not enough data" in judged
    assert set(judged) <= set(Judgement)


def test_the_page_on_the_verdict_lists_every_word_with_its_exit_status():
    page = (Path(__file__).parents[3] / "docs" / "verdict.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and line.count(" | ") == 2]
    listed = [tuple(row.strip("| ").split(" | ")[:2]) for row in rows]
    start = listed.index(("better", "0"))
    written = listed[start : start + len(Judgement)]
    assert written == [(each.value, str(each.exit_status)) for each in Judgement]
