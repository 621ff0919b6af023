"""What verdicts, plans, findings and advice say is told in German, template by template."""

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel

import ldap_workbench
from ldap_workbench.advice import disk, findings
from ldap_workbench.advice.entry_sizes import size_findings
from ldap_workbench.experiment import describe, make_plan
from ldap_workbench.experiment.plan import parse_design
from ldap_workbench.gui.experiment.run_page import STATE_WORDS
from ldap_workbench.gui.findings.cards import AdviceCard, FindingCard
from ldap_workbench.gui.findings.reader import ranked
from ldap_workbench.gui.retold import KINDS, by_id, retold, templates
from ldap_workbench.gui.sentences import LANGUAGE, SENTENCES
from ldap_workbench.gui.widgets.progress import ProgressLine
from ldap_workbench.gui.widgets.verdict_band import VerdictBand
from ldap_workbench.gui.words import said
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.progress import Progress
from ldap_workbench.model.verdict import Judgement, MetricVerdict, Verdict
from ldap_workbench.resources import resource
from ldap_workbench.statistics.rare import rare_events
from ldap_workbench.statistics.wording import design_words, one_shot_sentence, sentence
from tests.gui.english import english_left
from tests.unit.advice.material import FACTS, at, view
from tests.unit.advice.test_find import session as troubled  # noqa: F401

FILES = ("findings", "389ds", "openldap", "host-linux")
FIELDS = {
    "title", "sentence", "why", "expected", "cost", "risk_words", "needs", "steps", "disagree"
}  # fmt: skip
PLACE = re.compile(r"\{[^}]*\}")
CORE = (
    "advice", "capture", "connect", "experiment", "gui/tails", "logs", "model", "report", "servers",
    "statistics", "tuning",
)  # fmt: skip
COMPOSED = {
    "sits between the usual and the stalled operations: small changes of how many stall move it "
    "far",
    "sit between the usual and the stalled operations: small changes of how many stall move it far",
    "Afterwards: ask",
    "Afterwards: keep",
    "Afterwards: revert",
    "Afterwards: keep-if-better",
    "A stall begins at",
    "A burst of writing begins at",
    "consecutive stack dumps",
    "distances fit, which chance alone gives 1 in",
    "That is what the default of",
    "as yours is not known, gives: itself, 0 to 2.5 s until the server looks, and the checkpoint's "
    "own duration",
    "That is what the configured interval of",
    "gives: itself, 0 to 2.5 s until the server looks, and the checkpoint's own duration",
    "other on the same entry",
    "others on the same entry",
    "other of its kind",
    "others of its kind",
    "DB cache; the rest 90:10 =",
    "DB cache; the rest over",
    "back ends 90:10 =",
}
"""Parts of sentences that the code puts together of two or three strings."""


def texts(node: object, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every text a person reads of a file of resources/advice, and where it stands."""
    if isinstance(node, str):
        yield place, node
    elif isinstance(node, dict):
        for key, value in node.items():
            if not isinstance(value, str | list) or key in FIELDS or key == "advice":
                yield from texts(value, (*place, key))
    elif isinstance(node, list):
        for at, value in enumerate(node):
            yield from texts(value, (*place, str(at)))


def read(path: str) -> dict[tuple[str, ...], str]:
    document = tomllib.loads(resource(path).read_text("utf-8"))
    return dict(texts({key: by_id(value) for key, value in document.items()}))


@pytest.mark.parametrize("name", FILES)
def test_a_translation_stands_where_its_sentence_stands(name):
    english, german = read(f"advice/{name}.toml"), read(f"translations/de/{name}.toml")
    assert german.keys() - english.keys() == set()
    for place, text in german.items():
        places = sorted(PLACE.findall(english[place]))
        assert sorted(PLACE.findall(text)) == places, place
        assert text.endswith(".") == english[place].endswith("."), place


@pytest.mark.parametrize("name", FILES)
def test_every_sentence_of_the_advice_is_known_again(german, name):
    """Filled with anything, each is told by its own translation and by none of another."""
    told = {template.source: template.target for template in templates("de")}
    for place, text in read(f"advice/{name}.toml").items():
        if PLACE.sub("", text).strip(" .:;") and not text.startswith(
            ("dsconf", "echo", "389 DS 3")
        ):
            assert text in told, place
            assert retold(filled(text)) == filled(told[text]), place


def filled(template: str) -> str:
    return re.sub(r"\{(\w+)(:\w+)?\}", r"<\1>", template)


def test_places_name_kinds_that_exist():
    kinds = {kind for each in SENTENCES for kind in re.findall(r"\{\w+:(\w+)\}", each)}
    assert kinds <= KINDS.keys()
    assert all(each.count("{") == each.count("}") for each in SENTENCES)


@pytest.fixture(scope="module")
def core() -> str:
    """All strings of the rooms whose sentences are retold, their places empty."""
    root = Path(ldap_workbench.__file__).parent
    files = [file for room in CORE for file in sorted((root / room).rglob("*.py"))]
    strings = [
        bare(node) for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))
    ]
    data = [*read("advice/findings.toml").values(), resource("advice/autotune.toml").read_text()]
    return "\n".join([*strings, *data]).lower()


def bare(node: ast.AST) -> str:
    """A string or f-string of the source with {} for what is filled in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            bare(part) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def words_of(template: str) -> list[str]:
    """The parts between the places that say something."""
    parts = (part.strip(" .,:;()[]%") for part in re.split(r"\{[^}]*\}|\): ", template))
    return [part for part in parts if len(part) > 3]


def test_the_sentences_are_those_of_the_code(core):
    """A sentence that was worded anew must be listed anew, or it stays in English."""
    gone = {
        each: part for each in SENTENCES for part in words_of(each) if not spoken_in(core, part)
    }
    assert gone == {}


def spoken_in(core: str, part: str) -> bool:
    """Whether the code has it; a count has its noun there, without the 1."""
    bare_part = part.removeprefix("1 ").lower()
    return bare_part in core or (part in COMPOSED and in_strings(core, bare_part, 4))


def in_strings(core: str, part: str, most: int) -> bool:
    """Whether it can be put together of so many strings of the code."""
    words = part.split(" ")
    if not part or (most and part in core):
        return True
    heads = (" ".join(words[:end]) for end in range(len(words) - 1, 0, -1))
    return most > 1 and any(
        head in core and in_strings(core, part[len(head) + 1 :], most - 1) for head in heads
    )


def metric(name: str, verdict: str, **more) -> MetricVerdict:
    given = {"ratio": 0.65, "low": 0.5, "high": 0.8, "p": 0.0078, "a": 12e6, "b": 7.8e6}
    return MetricVerdict(name, verdict, **(given | {"n_pairs": 8} | more))


@pytest.mark.parametrize("verdict", [j for j in Judgement if j != Judgement.NOT_COMPARABLE])
def test_a_verdict_is_told_in_german(german, verdict):
    first = metric("p99", verdict, takes="at least 40 stalls; there were 3")
    others = {
        "slo": metric("slo", Judgement.WORSE, a=0.001, b=0.02),
        "stall_len": metric("stall_len", Judgement.WORSE, type="SRCH"),
        "stall_n": metric("stall_n", Judgement.BETTER),
        "stall_time": metric("stall_time", Judgement.EQUIVALENT),
        "p50": metric("p50", Judgement.EQUIVALENT),
    }
    for design in ("pairs:8", "abba:4"):
        told = retold(sentence(first, others, design_words(design, 8, 300)))
        assert english_left(told) == set(), told
        assert "p99 ging von 12.0 ms auf 7.80 ms" in told
        assert "×0.65 in einem typischen Fenster [×0.5 bis ×0.8]" in told
        assert "p = 0.0078" in told
    assert english_left(retold(one_shot_sentence(first))) == set()


@pytest.mark.stall_allowed  # scipy comes with it
def test_rare_stalls_are_told_in_german(german):
    told = retold(rare_events(3, 1.0, 0, 1.0).sentence)
    assert told == (
        "Staus von 10 s oder mehr: 3 in 1 h von A, 0 in 1 h von B; so häufig wie in A wären in B 3 "
        "zu erwarten, darum sagt das nichts vor 2.42 h von B."
    )


@pytest.mark.parametrize("design", ["pairs:8", "pairs:1", "abba:4", "ab"])
def test_a_plan_is_told_in_german(german, design):
    looks = (8,) if design == "pairs:8" else ()
    plan = make_plan(
        Treatment(()), parse_design(design), window_s=300, seed=7, restart=True, looks=looks
    )
    for line in describe(plan):
        assert english_left(retold(line)) == set()
        assert retold(line) != line


@pytest.mark.stall_allowed  # a whole session is looked through
def test_cards_are_told_in_german(german, qtbot, troubled):  # noqa: F811
    seen = ranked((*findings(troubled), *_in_samples()), troubled, "p99.9")
    assert len({each.id for each in seen.findings}) >= 7
    assert len(seen.advice) > 9
    cards = [*map(FindingCard, seen.findings), *map(AdviceCard, seen.advice)]
    for card in cards:
        qtbot.addWidget(card)
        for told in (card.accessibleName(), *(each.text() for each in card.findChildren(QLabel))):
            quoted = told.startswith("Quelle:") or " - ERR - " in told or "ERR - pool" in told
            assert quoted or english_left(told) == set(), told
    assert seen.conflicts
    assert all(english_left(retold(line)) == set() for line in seen.conflicts)


def _in_samples() -> list[Finding]:
    """What a disk in trouble and a small host give."""
    busy = {
        "iostat:vda:r/s": at([200.0] * 60), "iostat:vda:rkB/s": at([21000.0] * 60),
        "iostat:vda:util": at([97.0] * 60), "iostat:vda:r_await": at([45.0] * 60),
        "vmstat:so": at([900.0] * 60), "vmstat:r": at([40.0] * 60),
    }  # fmt: skip
    seen = view(samples=busy, facts=replace(FACTS, device="vda", cores=4))
    return [*disk.find(seen), *size_findings(np.full(100, 9000), {}, FACTS)]


def test_a_verdict_band_is_german_to_the_last_notice(german, qtbot):
    first = metric("p99", Judgement.BETTER)
    band = VerdictBand()
    qtbot.addWidget(band)
    band.show_verdict(
        Verdict(
            primary=first,
            metrics={"p99": first},
            comparable=True,
            why="",
            design="pairs:8",
            sentence=sentence(first, {"p99": first}, design_words("pairs:8", 8, 300)),
            dropped=("Pair 3 was left out: hardly any of its load was common.",),
            warnings=("There were 12 connections in arm A and 48 in arm B.",),
        )
    )
    assert band.sentence.text() == (
        "p99 ging von 12.0 ms auf 7.80 ms, ×0.65 in einem typischen Fenster [×0.5 bis ×0.8]. "
        "8 Paare in zufälliger Reihenfolge × 5 min, p = 0.0078. In Arm A gab es 12 Verbindungen, "
        "in Arm B 48. Paar 3 blieb außen vor: kaum etwas von seiner Last war beiden gemeinsam."
    )


def test_what_nobody_translated_stays(german):
    for text in ("", "  ", "(cn=smith)", "cn=a, and b", "Too many open files; accept", "12,345"):
        assert retold(text) == text


def test_english_stays_english(qapp):
    assert retold("The server started.") == "The server started."
    assert LANGUAGE == "en"


@pytest.mark.parametrize(
    ("text", "german_text"),
    [
        (
            "Window 3 of 16 (arm A): Measuring, 12 s left",
            "Fenster 3 von 16 (Arm A): Messen, noch 12 s",
        ),
        ("Fetching, 10.0 MiB of about 4 GiB", "Holen, 10.0 MiB von etwa 4 GiB"),
        (
            "A guard rail was crossed in window B2: p99 was 1.20 s.",
            "Im Fenster B2 wurde eine Leitplanke überschritten: p99 war 1.20 s.",
        ),
    ],
)
def test_work_tells_its_progress_and_its_end_in_german(german, qtbot, text, german_text):
    line = ProgressLine("x")
    qtbot.addWidget(line)
    line.show_progress(Progress(text, 0.5))
    assert line.text.text() == german_text


@pytest.mark.parametrize("state", list(STATE_WORDS))
def test_the_state_of_a_run_has_german_words(german, state):
    assert said(STATE_WORDS[state][0]) != STATE_WORDS[state][0]
