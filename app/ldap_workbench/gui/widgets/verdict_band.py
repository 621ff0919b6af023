"""The verdict in a sentence, in its colour, with a word that says the same."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ldap_workbench.gui.style.language import shown
from ldap_workbench.gui.widgets.bands import Band
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Judgement, Verdict

_HEADINGS = {
    Judgement.BETTER: (Message("B is better"), "good"),
    Judgement.WORSE: (Message("B is worse"), "bad"),
    Judgement.SUGGESTS_BETTER: (Message("Suggests that B is better"), ""),
    Judgement.SUGGESTS_WORSE: (
        Message("Suggests that B is worse"),
        "warn",
    ),
    Judgement.IMMATERIAL: (
        Message("Too small to matter"),
        "",
    ),
    Judgement.EQUIVALENT: (Message("No material change"), ""),
    Judgement.INCONCLUSIVE: (Message("Inconclusive"), "warn"),
    Judgement.INSUFFICIENT: (Message("Not enough data"), "warn"),
    Judgement.NOT_COMPARABLE: (
        Message("A and B are not comparable"),
        "warn",
    ),
}


class VerdictBand(Band):
    """Shows a verdict, or why there is none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.show_none(NOTHING)

    def show_verdict(self, verdict: Verdict) -> None:
        """The heading names the judgement, the sentence gives the numbers."""
        heading, mood = _HEADINGS[Judgement(verdict.primary.verdict)]
        words = _without_heading(verdict)
        notes = " ".join(map(shown, (*verdict.warnings, *verdict.dropped)))
        self.say(shown(heading), f"{words} {notes}".strip(), mood)
        self.show()

    def show_none(self, why: Message) -> None:
        """No verdict; hidden where there is nothing to say either."""
        self.say(self.tr("No comparison"), shown(why), "")
        self.setVisible(bool(why))


def _without_heading(verdict: Verdict) -> str:
    """The sentence without the word that the heading says; a metric's name keeps its p."""
    text = shown(verdict.explanation)
    return text if text[1:2].isdigit() else text[:1].upper() + text[1:]
