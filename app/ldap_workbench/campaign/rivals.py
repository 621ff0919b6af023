"""What the treatments that stayed make of the rest of the queue."""

from __future__ import annotations

from collections.abc import Sequence

from ldap_workbench.campaign.plan import Candidate
from ldap_workbench.model.message import NOTHING, Message


def excluded_by(candidate: Candidate, winners: Sequence[Candidate]) -> Message:
    """Why a treatment is not tried beside those that stayed; nothing where it is.

    A knob has one value at one place, what other knobs need included; and advice says what
    excludes what.
    """
    wanted = _values(candidate)
    for winner in winners:
        for place, value in _values(winner).items():
            if wanted.get(place, value) != value:
                return Message(
                    "{winner} stayed, and the two contradict each other in {knob}.",
                    winner=str(winner.treatment),
                    knob=place[0],
                )
        if candidate.advice and candidate.advice in winner.excludes:
            return Message("{winner} stayed, which excludes it.", winner=str(winner.treatment))
    return NOTHING


def _values(candidate: Candidate) -> dict[tuple[str, str], str]:
    return {
        (setting.knob, setting.place): setting.value for setting in candidate.treatment.settings
    }
