"""What the core says is shown in German, and what is the user's stays as it is."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from ldap_workbench_kernel import REASONS
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from ldap_workbench.advice.families import disk
from ldap_workbench.advice.families.disk import size_findings
from ldap_workbench.advice.families.find import findings
from ldap_workbench.connect.tls import tls_error
from ldap_workbench.experiment.description import describe
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.figures.names import STATE_WORDS
from ldap_workbench.figures.overview.findings import ranked
from ldap_workbench.figures.overview.knobs import columns as knob_columns
from ldap_workbench.figures.table import Column
from ldap_workbench.figures.tails.table import COLUMNS as TAILS
from ldap_workbench.gui.parts.models.table import RowsModel, cell_text, tip_text
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import ErrorBar, VerdictBand
from ldap_workbench.gui.parts.widgets.progress import ProgressLine
from ldap_workbench.gui.screens.overview.cards import AdviceCard, FindingCard
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.inference.significance.rare import rare_events
from ldap_workbench.inference.verdict.wording import describe_design, sentence, unpaired_sentence
from ldap_workbench.model.errors import (
    DirectoryError,
    LogError,
    SessionError,
    UnknownHostKeyError,
    UsageError,
)
from ldap_workbench.model.finding import Finding, FindingGroup
from ldap_workbench.model.knob import Effect, Knob, KnobReading, Risk, Setting, Treatment, ValueKind
from ldap_workbench.model.message import NOTHING, Message, as_json, verbatim
from ldap_workbench.model.progress import Progress
from ldap_workbench.model.remarks import remarks
from ldap_workbench.model.tail import Tail
from ldap_workbench.model.verdict import Judgement, MetricVerdict, Verdict
from ldap_workbench.model.window import LineCounts, Source, SourceKind, SourceState
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.place import KnobLocation
from ldap_workbench.tuning.plan import PlannedChange
from tests.gui.english import english_left
from tests.unit.advice.material import FACTS, at, view
from tests.unit.advice.test_find import session as troubled  # noqa: F401


def metric(name: str, verdict: str, **more) -> MetricVerdict:
    given = {"ratio": 0.65, "low": 0.5, "high": 0.8, "p": 0.0078, "a": 12e6, "b": 7.8e6}
    return MetricVerdict(name, verdict, **(given | {"n_pairs": 8} | more))


@pytest.mark.parametrize("verdict", [j for j in Judgement if j != Judgement.NOT_COMPARABLE])
def test_a_verdict_is_told_in_german(german, verdict):
    first = metric(
        "p99",
        verdict,
        takes=Message("at least {least} stalls; there were {held}", least=40, held=3),
    )
    others = {
        "slo": metric("slo", Judgement.WORSE, a=0.001, b=0.02),
        "stall_len": metric("stall_len", Judgement.WORSE, type="SRCH"),
        "stall_n": metric("stall_n", Judgement.BETTER),
        "stall_time": metric("stall_time", Judgement.EQUIVALENT),
        "p50": metric("p50", Judgement.EQUIVALENT),
    }
    for design in ("pairs:8", "abba:4"):
        told = shown(sentence(first, others, describe_design(design, 8, 300)))
        assert english_left(told) == set(), told
        assert "p99 ging von 12,0 ms auf 7,80 ms" in told
        assert "×0,65 in einem typischen Fenster [×0,5 bis ×0,8]" in told
        assert "p = 0,0078" in told
    assert english_left(shown(unpaired_sentence(first))) == set()


def test_rare_stalls_are_told_in_german(german):
    told = shown(rare_events(3, 1.0, 0, 1.0).sentence)
    assert told == (
        "Staus von 10,0 s oder mehr: 3 in 1 h von A, 0 in 1 h von B. Bei der Rate von A wären in B "
        "3 zu erwarten. Vor 2,42 h von B sagt das nichts."
    )


@pytest.mark.parametrize("design", ["pairs:8", "pairs:1", "abba:4", "ab"])
def test_a_plan_is_told_in_german(german, design):
    looks = (8,) if design == "pairs:8" else ()
    plan = make_plan(
        Treatment(()), parse_design(design), window_s=300, seed=7, restart=True, looks=looks
    )
    for line in describe(plan):
        assert english_left(shown(line)) == set()
        assert shown(line) != str(line)


@pytest.mark.stall_allowed  # a whole session is looked through
def test_cards_are_told_in_german(german, qtbot, troubled):  # noqa: F811
    seen = ranked((*findings(troubled), *_in_samples()), troubled, "p99.9")
    assert len({each.id for each in seen.findings}) >= 7
    assert len(seen.advice) >= 7
    cards = [*map(FindingCard, map(FindingGroup, seen.findings)), *map(AdviceCard, seen.advice)]
    for card in cards:
        qtbot.addWidget(card)
        for told in (card.accessibleName(), *(each.text() for each in card.findChildren(QLabel))):
            quoted = told.startswith("Quelle:") or " - ERR - " in told or "ERR - pool" in told
            assert quoted or english_left(told) == set(), told
    assert seen.conflicts
    assert all(english_left(shown(line)) == set() for line in seen.conflicts)


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
            why=NOTHING,
            design="pairs:8",
            sentence=sentence(first, {"p99": first}, describe_design("pairs:8", 8, 300)),
            dropped=(
                Message(
                    "Pair {pair} was skipped: {reason}.",
                    pair=3,
                    reason=Message("hardly any of its load was common to both arms"),
                ),
            ),
            warnings=(
                Message("There were {a} connections in arm A and {b} in arm B.", a=12, b=48),
            ),
        )
    )
    assert band.sentence.text() == (
        "p99 ging von 12,0 ms auf 7,80 ms, ×0,65 in einem typischen Fenster [×0,5 bis ×0,8]. "
        "8 Paare in zufälliger Reihenfolge × 5 min, p = 0,0078. In Arm A gab es 12 Verbindungen, "
        "in Arm B 48. Paar 3 wurde übersprungen: kaum etwas von seiner Last war beiden Armen "
        "gemeinsam."
    )


@pytest.mark.parametrize("text", ["once", "Monday and Tuesday", "access log", "Stop slapd."])
def test_what_is_the_users_is_never_translated(german, text):
    """A value, the name of a window or file, or what a server says, that is a text of ours, too."""
    column: Column[str] = Column(Message("Name"), text=str)
    assert cell_text(column, text) == tip_text(column, text) == text
    assert shown(verbatim(text)) == text
    assert shown(Message("{file} does not exist.", file=text)) == f"{text} gibt es nicht."
    assert shown(LogError(verbatim(text), safe=NOTHING).explanation) == text


def test_a_value_of_a_knob_is_never_translated(german):
    knob = Knob("nsslapd-x", verbatim("x"), ValueKind.CHOICE, Effect.LIVE, Risk.LOW)
    model = RowsModel(knob_columns({}), [KnobReading(knob, "", "once")])
    assert "once" in cells(model)
    assert "einmal" not in cells(model)


def test_the_name_of_a_window_is_never_translated(german):
    tail = Tail("Monday and Tuesday", "ALL", 1, 10, 10, 10, 10, 10, 10, 10)
    assert "Monday and Tuesday" in cells(RowsModel(TAILS, [tail]))


def test_the_name_of_a_file_is_never_translated(german, qtbot):
    bench, bar = Workbench(), ErrorBar()
    qtbot.addWidget(bar)
    bench.failed.connect(bar.show_error)
    bench.fail(SessionError(Message("{file} does not exist.", file="once")))
    assert bar.heading.text() == "once gibt es nicht."


def cells(model) -> list[str]:
    """What a table shows, row by row."""
    places = itertools.product(range(model.rowCount()), range(model.columnCount()))
    return [model.data(model.index(row, column)) for row, column in places]


def test_english_stays_english(qapp):
    assert shown(Message("{file} does not exist.", file="x")) == "x does not exist."


def test_work_tells_its_progress_in_german(german, qtbot):
    line = ProgressLine("x")
    qtbot.addWidget(line)
    text = Message(
        "A safety limit was crossed in window {window}: {what}.",
        window="B2",
        what=Message("p99 was {p99:duration}", p99=1_200_000_000),
    )
    line.show_progress(Progress(text, 0.5))
    told = "Im Fenster B2 wurde eine Sicherheitsgrenze überschritten: p99 war 1,20 s."
    assert line.text.text() == told


@pytest.mark.parametrize("state", list(STATE_WORDS))
def test_the_state_of_a_run_has_german_words(german, state):
    heading = STATE_WORDS[state][0]
    assert shown(heading) != str(heading)


def test_knobs_are_told_in_german(german):
    model = RowsModel(
        knob_columns({}), [KnobReading(knob, "", None, None) for knob in every_knob()]
    )
    told = [
        model.data(model.index(row, column), role)
        for row in range(model.rowCount())
        for column in range(model.columnCount())
        for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
    ]
    assert len(told) > 1000
    # Names of features, of sources and of values that a person types.
    known = ("Class of Service", "AND values", "issues", "field trial of", "ITS#")
    known += ("Delta-Replikation braucht writes", "writes für die Replikation; reads, session")
    shown = {text for text in map(str, told) if not any(word in text for word in known)}
    assert {text for text in shown if english_left(text)} == set()


def every_knob() -> list[Knob]:
    return [knob for name in ("389ds", "openldap") for knob in load_catalogue(name).knobs]


@pytest.mark.parametrize("before", [None, ("60",)])
def test_a_planned_change_is_told_in_german(german, before):
    knob = load_catalogue("389ds").knob("nsslapd-db-checkpoint-interval")
    change = PlannedChange(
        Setting(knob.name, "15"),
        knob,
        KnobLocation("server", "cn=bdb,cn=config", knob.name),
        before,
        ("15",),
        needs_restart=True,
        operator=Message("You must restart the server: the profile has no restart command."),
        note=Message("Needed by {knob}, which the server refuses otherwise.", knob="nsslapd-x"),
    )
    told = shown(change.describe())
    assert english_left(told.replace("off", "")) == set(), told
    assert ("nicht gesetzt" in told) == (before is None)


NO_ZONE = Message(
    "The times in this log show no zone: they are read as of {zone}.", zone="UTC+01:00"
)


def test_what_is_said_of_a_source_is_german(german):
    source = Source(
        1, 1, SourceKind.ACCESS_LOG, "access", SourceState.PARTIAL, samples=9,
        why=Message("cancelled"),
        lines=LineCounts(9, 7, 0, dict.fromkeys((*REASONS, "report cut off"), 1)),
        resolution_ns=10**9,
        details={
            "title": Message("OpenLDAP slapd log"),
            "reason": Message(
                "{hits} of its {which} {lines} lines match it.",
                hits=1900, which=Message("first"), lines=2000,
            ),
            "open_operations": 1, "orphan_results": 2, "restarts": 1, "clock_steps_back": 3,
            "censored_below_ns": 10**9, "latencies_between_lines": 4,
            "notes": [as_json(NO_ZONE)],
            "held": [{"thread": "7", "call": "poll", "dumps": 3, "seconds": 2.0}],
        },
    )  # fmt: skip
    told = [shown(line) for line in remarks(source)]
    assert len(told) == 11
    assert told[0] == (
        "Gelesen als Protokoll von OpenLDAP slapd: 1.900 der ersten 2.000 Zeilen sehen danach aus."
    )
    skipped = next(line for line in told if "Kopfzeile 1" in line)
    assert "abgeschnittener Bericht 1" in skipped
    assert [reason for reason in REASONS if f"{reason} 1" in skipped] == []
    assert not set(told) & set(remarks(source))
    assert (
        english_left(" ".join(told)) | ({"line", "request"} & set(" ".join(told).split())) == set()
    )


@pytest.mark.parametrize(
    "error",
    [
        tls_error("ldaps://a:636", OSError("timed out")),
        UnknownHostKeyError("host", 22, "ssh-ed25519", "AAAA", "SHA256:x"),
        UsageError(Message("A window must be longer than 0 s.")),
        DirectoryError(
            Message(
                "{doing} was refused: {reason}.",
                doing=Message("Reading '{dn}'", dn="cn=config"),
                reason="insufficientAccessRights (50)",
            ),
            code=50,
        ),
    ],
)
def test_an_error_is_told_in_german(german, qtbot, error):
    bench, bar = Workbench(), ErrorBar()
    qtbot.addWidget(bar)
    bench.failed.connect(bar.show_error)
    bench.fail(error)
    told = f"{bar.heading.text()} {bar.sentence.text()}"
    assert str(error.what) not in told
    assert str(error.safe) not in told
    assert english_left(told) == set(), told
