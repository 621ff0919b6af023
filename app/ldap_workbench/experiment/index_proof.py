"""Which logged searches an index would serve, and whether they used it once it was built."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from ldap_workbench.advice.evidence.indexes import real_name, terms_of
from ldap_workbench.advice.evidence.unindexed import FULLY, PARTLY
from ldap_workbench.model.knob import Setting, Treatment
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
    for setting in indexes_added(treatment):
        attribute = setting.knob.removeprefix(INDEX)
        arms = [_counts(session, attribute, (w for w in windows if w.arm == arm)) for arm in "AB"]
        said.append(_sentence(attribute, *arms))
    return tuple(said)


def indexes_added(treatment: Treatment) -> list[Setting]:
    """The settings that make an index: all of index.* but those that remove one."""
    return [s for s in treatment.settings if s.knob.startswith(INDEX) and s.value != ABSENT]


def would_serve(session: Session, treatment: Treatment) -> list[Message]:
    """A sentence for each index the treatment adds: the logged searches without one it is for.

    Where the log calls no search by the attribute unindexed, they may have an index already.
    """
    return [
        _need(session, setting.knob.removeprefix(INDEX), setting.value.split(","))
        for setting in indexes_added(treatment)
    ]


def _need(session: Session, attribute: str, types: Sequence[str]) -> Message:
    searches = unindexed = waited_ns = every_ns = 0
    for window in session.windows():
        operations = session.operations(window)
        clients = client_operations(operations)
        served = [
            shape
            for shape, text in enumerate(operations.fingerprints)
            for term in terms_of(text.lower())
            if term.attribute == real_name(attribute) and not term.negated
            # A range is served by eq, or by an index type of its own.
            if term.kind in types or (term.kind == "ordering" and "eq" in types)
        ]
        rows = clients & (operations.kind == _SRCH) & np.isin(operations.fingerprint, served)
        noted = rows & ((operations.notes & (FULLY | PARTLY)) != 0)
        searches += int(rows.sum())
        unindexed += int(noted.sum())
        waited_ns += int(operations.etime_ns[noted].sum())
        every_ns += int(operations.etime_ns[clients].sum())
    numbers: dict[str, Value] = {
        "attribute": attribute,
        "types": tuple(types),
        "searches": searches,
        "unindexed": unindexed,
        "share": waited_ns / max(every_ns, 1),
        "waited": waited_ns,
    }
    if not unindexed:
        return Message(
            "Logged searches that an index of {attribute} ({types:list}) could serve: "
            "{searches}; the log marks none of them as unindexed.",
            **numbers,
        )
    return Message(
        "Logged searches that an index of {attribute} ({types:list}) could serve: {searches}, of "
        "which unindexed: {unindexed}. Clients waited {waited:duration} for the unindexed ones, "
        "{share:percent} of all their waiting.",
        **numbers,
    )


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
