"""The verdict in a sentence, in its colour, with a word that says the same."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ldap_workbench.gui.retold import retold
from ldap_workbench.gui.style.language import QT_TRANSLATE_NOOP, shown
from ldap_workbench.gui.widgets.bands import Band
from ldap_workbench.model.verdict import Judgement, Verdict

_HEADINGS = {
    Judgement.BETTER: (QT_TRANSLATE_NOOP("VerdictBand", "B is better"), "good"),
    Judgement.WORSE: (QT_TRANSLATE_NOOP("VerdictBand", "B is worse"), "bad"),
    Judgement.SUGGESTS_BETTER: (QT_TRANSLATE_NOOP("VerdictBand", "Suggests that B is better"), ""),
    Judgement.SUGGESTS_WORSE: (
        QT_TRANSLATE_NOOP("VerdictBand", "Suggests that B is worse"),
        "warn",
    ),
    Judgement.IMMATERIAL: (
        QT_TRANSLATE_NOOP("VerdictBand", "Too small to matter"),
        "",
    ),
    Judgement.EQUIVALENT: (QT_TRANSLATE_NOOP("VerdictBand", "No material change"), ""),
    Judgement.INCONCLUSIVE: (QT_TRANSLATE_NOOP("VerdictBand", "Inconclusive"), "warn"),
    Judgement.INSUFFICIENT: (QT_TRANSLATE_NOOP("VerdictBand", "Not enough data"), "warn"),
    Judgement.NOT_COMPARABLE: (
        QT_TRANSLATE_NOOP("VerdictBand", "A and B are not comparable"),
        "warn",
    ),
}


class VerdictBand(Band):
    """Shows a verdict, or why there is none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.show_none("")

    def show_verdict(self, verdict: Verdict) -> None:
        """The heading names the judgement, the sentence gives the numbers."""
        heading, mood = _HEADINGS[Judgement(verdict.primary.verdict)]
        words = _without_heading(verdict)
        notes = " ".join(map(shown, (*verdict.warnings, *verdict.dropped)))
        self.say(self.tr(heading), f"{words} {notes}".strip(), mood)
        self.show()

    def show_none(self, why: str) -> None:
        """No verdict; hidden where there is nothing to say either."""
        self.say(self.tr("No comparison"), retold(why), "")
        self.setVisible(bool(why))


def _without_heading(verdict: Verdict) -> str:
    """The sentence without the word that the heading says; a metric's name keeps its p."""
    text = shown(verdict.explanation)
    return text if text[1:2].isdigit() else text[:1].upper() + text[1:]
