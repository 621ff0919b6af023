"""The verdict in one line, in its colour; below it the sentence with its statistics."""

from __future__ import annotations

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import Band
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Judgement, Mood, Verdict

_LOOKS = {Mood.GOOD: "good", Mood.BAD: "bad", Mood.OPEN: "warn", Mood.PLAIN: ""}
"""Mood of a judgement -> that of bands and badges in the style sheet."""


class VerdictBand(Band):
    """Shows a verdict, or why there is none."""

    def __init__(self) -> None:
        super().__init__("")
        self.show_none(NOTHING)

    def show_verdict(self, verdict: Verdict) -> None:
        """The heading says what the change did, the sentence gives the statistics."""
        words = _without_heading(verdict)
        notes = " ".join(map(shown, (*verdict.warnings, *verdict.dropped)))
        self.say(_headline(verdict), f"{words} {notes}".strip(), look_of(verdict.primary.verdict))
        self.show()

    def show_line(self, verdict: Verdict, tested: Message) -> None:
        """The heading alone, and what was tested."""
        self.say(_headline(verdict), shown(tested), look_of(verdict.primary.verdict))

    def show_none(self, why: Message) -> None:
        """No verdict; hidden where there is nothing to say either."""
        self.say(self.tr("No comparison"), shown(why), "")
        self.setVisible(bool(why))


def _headline(verdict: Verdict) -> str:
    from ldap_workbench.inference.verdict.headline import headline  # the window starts without

    return shown(headline(verdict.primary))


def look_of(word: str) -> str:
    """How a judgement is shown; one that only a stranger's file has is plain."""
    known = Judgement.known(word)
    return _LOOKS[known.mood] if known else ""


def _without_heading(verdict: Verdict) -> str:
    """The sentence without the word that the heading says; a metric's name keeps its p."""
    text = shown(verdict.explanation)
    return text if text[1:2].isdigit() else text[:1].upper() + text[1:]
