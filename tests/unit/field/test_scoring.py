"""How what the program said is scored against the truth of a case."""

from __future__ import annotations

from dataclasses import replace

from tests.field.case import OPENLDAP, Case, Healthy
from tests.field.scoring import Advised, Group, Said, alarms, judge, table
from tests.field.simulation import Waited

CASE = Case(
    "leak",
    "A leak",
    "https://example.com/1",
    OPENLDAP,
    "one client leaks",
    mechanism="never close",
    names=(r"10\.0\.0\.1\b",),
    remedy="unbind",
    write=lambda folder: Waited(),
    accused=("index",),
)


def _group(heads: str, evidence: str = "", severity: int = 2) -> Group:
    return Group(heads, severity, heads, f"{heads}\n{evidence}", frozenset({"x"}))


RIGHT = _group("Connections are never closed", "of 10.0.0.1")
OTHER = _group("A disk is slow")


def test_cause_named_second_counts_and_third_is_later() -> None:
    assert judge(CASE, Said((OTHER, RIGHT), ())).verdict == "first or second"
    assert judge(CASE, Said((OTHER, OTHER, RIGHT), ())).verdict == "later"
    assert judge(CASE, Said((OTHER,), ())).verdict == "not named"


def test_cause_is_not_named_without_its_client() -> None:
    unnamed = _group("Connections are never closed", "of 10.0.0.12")
    assert judge(CASE, Said((unnamed,), ())).place is None


def test_mechanism_in_the_evidence_alone_does_not_name_the_cause() -> None:
    beside = _group("Something", "10.0.0.1 never closes")
    assert judge(CASE, Said((beside,), ())).place is None


def test_accusation_and_settings_of_another_product_are_counted() -> None:
    advised = Advised("More threads", "nsslapd-threadnumber", "More threads\nnsslapd-threadnumber")
    score = judge(CASE, Said((_group("An index is missing"), RIGHT), (advised,)))
    assert score.accusations == ("An index is missing",)
    assert score.foreign == ("nsslapd-",)
    assert not judge(replace(CASE, product="389 DS"), score.said).foreign


def test_healthy_window_is_silent_with_notes_and_loud_with_a_warning_or_advice() -> None:
    assert alarms(Said((_group("It is fine", severity=1),), ())) == []
    advised = Advised("Do this", "", "Do this")
    assert alarms(Said((OTHER,), (advised,))) == ["A disk is slow", "advice: Do this"]


def test_table_counts_each_kind() -> None:
    scores = [judge(CASE, Said((RIGHT,), ())), judge(CASE, Said((OTHER,), ()))]
    window = Healthy("calm", "calm", OPENLDAP, lambda folder: Waited())
    text = table(scores, [(window, [])])
    assert "2 cases: 1 named first or second, 0 later, 1 not" in text
    assert "1 of 1 healthy windows silent" in text
