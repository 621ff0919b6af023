"""What a report says of the evidence of a verdict."""

from dataclasses import replace

from ldap_workbench.figures.verdict.stored import ledger_of, shift_of
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message
from ldap_workbench.report.html import to_html
from ldap_workbench.report.tables import finding_rows
from ldap_workbench.report.trial import notes_of
from ldap_workbench.report.write import to_markdown
from tests.unit.report.stored_verdicts import LEDGER, SHIFT, a_verdict


def test_notes_say_what_was_done():
    verdict = a_verdict(
        trimmed_s=60.0, clients={"closed": True}, planning={"p50": {"detectable": 1.25}}
    )
    first, second, third = notes_of(verdict)
    assert "The first 60 s" in first
    assert "wait for an answer" in second
    assert "×1.25 (or ×0.8)" in third
    assert notes_of(a_verdict(trimmed_s=0.0)) == []


def test_what_these_pairs_find_is_a_range():
    known = {"detectable": 1.25, "detectable_at_best": 1.1}
    (note,) = notes_of(a_verdict(planning={"p50": known}))
    assert "lies between ×1.1 and ×1.25, or their inverses" in note


def test_the_report_shows_all_of_it(experiment):
    [group] = experiment.groups
    verdict = a_verdict(ledger=LEDGER, shift=SHIFT)
    told = replace(
        group.experiment,
        shift=shift_of(verdict),
        ledger=ledger_of(verdict, [part.window for part in group.windows]),
        notes=("A note <b>.",),
    )
    model = replace(experiment, groups=(replace(group, experiment=told),))
    html, markdown = to_html(model), to_markdown(model)
    assert "<h3>Stalls</h3>" in html
    assert "9.00 s" in html
    assert "12.5 s/h" in html
    assert "Ratio of etime B to A at each percentile" in html
    assert "A note &lt;b&gt;." in html
    assert "### Stalls" in markdown
    assert "12.5 s/h" in markdown


def test_a_finding_tells_its_cost_and_what_would_disprove_it():
    found = Finding("x", Message("Seen"), Message("Once."), 2, (), confidence="low",
                    worker_ns=10**10, over_ns=36 * 10**11, disproof=Message("It stays."),
                    owner_steps=(Message("Stop."),))  # fmt: skip
    [row] = finding_rows([found])
    assert row["beside"] == (
        "Cost: 10.0 s of worker threads an hour. Confidence: low. It is one of several "
        "explanations. What would rule this out: It stays."
    )
    assert [str(step) for step in row["owner"]] == ["Stop."]
