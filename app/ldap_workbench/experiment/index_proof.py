"""Which logged searches an index would serve, and whether they used it once it was built."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.indexes import (
    Database,
    database_of,
    databases,
    real_name,
    terms_of,
)
from ldap_workbench.advice.evidence.unindexed import FULLY, PARTLY, narrowed_by_none
from ldap_workbench.advice.evidence.view import configuration_of
from ldap_workbench.model.configuration import normal_dn
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message, Value
from ldap_workbench.model.operations import TYPES, Operations, client_operations, text_at
from ldap_workbench.model.window import Window
from ldap_workbench.servers.product import product_of
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.values import ABSENT
from ldap_workbench.tuning.vlv import SortedList

_SRCH = TYPES.index("SRCH")
INDEX, _LIST = "index.", "vlv."


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
    for setting in treatment.settings:
        wanted = SortedList.parse(setting.value) if setting.knob.startswith(_LIST) else None
        if wanted:
            arms = [_pages(session, wanted, (w for w in windows if w.arm == arm)) for arm in "AB"]
            said.append(_list_sentence(setting.knob.removeprefix(_LIST), *arms))
    return tuple(said)


def indexes_added(treatment: Treatment) -> list[Setting]:
    """The settings that make an index: all of index.* but those that remove one."""
    return [s for s in treatment.settings if s.knob.startswith(INDEX) and s.value != ABSENT]


def would_serve(session: Session, treatment: Treatment) -> list[Message]:
    """A sentence for each index the treatment adds: the logged searches without one it is for.

    Where the log calls no search by the attribute unindexed, they may have an index already.
    """
    return [_need(session, setting) for setting in indexes_added(treatment)]


def _need(session: Session, setting: Setting) -> Message:
    attribute, types = setting.knob.removeprefix(INDEX), setting.value.split(",")
    searches = unindexed = waited_ns = every_ns = 0
    for window in session.windows():
        operations = session.operations(window)
        clients = client_operations(operations)
        rows = clients & _served(session, window, operations, setting)
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


def _served(
    session: Session, window: Window, operations: Operations, setting: Setting
) -> NDArray[np.bool_]:
    """Searches that an index is for, in its back end where the configuration is known."""
    name, types = real_name(setting.knob.removeprefix(INDEX)), frozenset(setting.value.split(","))
    index = Database("", "", {name: types}, product_of(session.facts))
    known = databases(configuration_of(session, tuple(session.sources(window.id))))
    there = next((one for one in known if one.name.lower() == setting.place.lower()), None)
    having = there and replace(there, indexes=there.indexes | {name: there.types(name) | types})
    shapes = [
        shape
        for shape, text in enumerate(operations.fingerprints)
        if _serves(index, having, text.lower())
    ]
    rows: NDArray[np.bool_] = (operations.kind == _SRCH) & np.isin(operations.fingerprint, shapes)
    if there:
        others = [
            number
            for number, base in enumerate(operations.bases)
            if database_of(known, base) not in (there, None)
        ]
        rows &= ~np.isin(operations.base, others)
    return rows


def _serves(index: Database, having: Database | None, text: str) -> bool:
    """Whether an index is for a filter, where `having` is its back end once it is built.

    An '|' of which another part has no index reads every entry all the same.
    """
    if having and narrowed_by_none(text, having):
        return False
    return any(index.serves(term) for term in terms_of(text) if not term.negated)


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


def _pages(session: Session, wanted: SortedList, windows: Iterable[Window]) -> tuple[int, int]:
    """Pages of sorted lists that clients asked for at a base, and how many were unindexed."""
    pages = unindexed = 0
    for window in windows:
        operations = session.operations(window)
        at = [n for n, b in enumerate(operations.bases) if normal_dn(b) == normal_dn(wanted.base)]
        rows = client_operations(operations) & operations.vlv & np.isin(operations.base, at)
        pages += int(rows.sum())
        unindexed += int((rows & ((operations.notes & (FULLY | PARTLY)) != 0)).sum())
    return pages, unindexed


def _list_sentence(name: str, without: tuple[int, int], having: tuple[int, int]) -> Message:
    numbers: dict[str, Value] = {
        "name": name,
        "unindexed": without[1],
        "pages": without[0],
        "still": having[1],
        "later": having[0],
    }
    if without[1] and having[0] and not having[1]:
        return Message(
            "Mechanism verified: without the list {name} {unindexed} of {pages} pages were "
            "unindexed, with it none of {later}.",
            **numbers,
        )
    return Message(
        "Whether pages come from the list {name} is not proved: without it {unindexed} of {pages} "
        "were unindexed, with it {still} of {later}.",
        **numbers,
    )


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
