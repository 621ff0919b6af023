"""Whether searches used an index that an experiment has built, by the notes of the access log."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from ldap_workbench.advice.evidence.unindexed import FULLY, PARTLY
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import Message, Value
from ldap_workbench.model.operations import TYPES, client_operations, text_at
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.values import ABSENT

_SRCH = TYPES.index("SRCH")
INDEX = "index."


def seen_in_log(
    session: Session, treatment: Treatment, windows: Sequence[Window]
) -> tuple[Message, ...]:
    """A sentence for each index the treatment adds: proved, or not and why.

    Proved is that searches with the attribute were noted as unindexed in windows without the index
    (notes=A, U; slapd's lines 'not indexed' are read as such), and none was in windows with it.
    """
    said = []
    for setting in treatment.settings:
        if setting.knob.startswith(INDEX) and setting.value != ABSENT:
            attribute = setting.knob.removeprefix(INDEX)
            arms = [
                _counts(session, attribute, (w for w in windows if w.arm == arm)) for arm in "AB"
            ]
            said.append(_sentence(attribute, *arms))
    return tuple(said)


def _counts(session: Session, attribute: str, windows: Iterable[Window]) -> tuple[int, int]:
    """Searches of clients with the attribute in their filter, and how many were unindexed."""
    term = re.compile(rf"\({re.escape(attribute)}[;~<>=:]", re.IGNORECASE)
    searches = unindexed = 0
    for window in windows:
        operations = session.operations(window)
        rows = client_operations(operations) & (operations.kind == _SRCH)
        shapes = np.unique(operations.fingerprint[rows])
        naming = [n for n in shapes if term.search(text_at(operations.fingerprints, int(n)))]
        rows &= np.isin(operations.fingerprint, naming)
        noted = (operations.notes & (FULLY | PARTLY)) != 0
        searches += int(rows.sum())
        unindexed += int((rows & noted).sum())
    return searches, unindexed


def _sentence(attribute: str, without: tuple[int, int], having: tuple[int, int]) -> Message:
    numbers: dict[str, Value] = {
        "attribute": attribute,
        "unindexed": without[1],
        "searches": without[0],
        "still": having[1],
        "later": having[0],
    }
    if not having[0] or not without[1]:
        return Message(
            "Whether searches use the index of {attribute} is not proved: of {searches} without "
            "it the log calls {unindexed} unindexed, and {later} came with it.",
            **numbers,
        )
    if having[1]:
        return Message(
            "The index of {attribute} does not serve all searches: of {later} with it {still} are "
            "unindexed all the same (without it {unindexed} of {searches}).",
            **numbers,
        )
    return Message(
        "Mechanism verified: without the index of {attribute} {unindexed} of {searches} searches "
        "were unindexed, with it none of {later}.",
        **numbers,
    )
