"""The stacks of threads that a session holds, or a file beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ldap_workbench.advice.evidence.companions import stacks_of as dumps_of
from ldap_workbench.figures.tails.icicle import Profiles, Stacks, stacks_of
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.files import LogFile
from ldap_workbench.logs.server.folded import Folded, fold, profiles_in, read_folded
from ldap_workbench.logs.server.stacks import Dump, Thread, read_stacks
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message
from ldap_workbench.model.window import SourceKind, Window
from ldap_workbench.session.reader import Session

FOLDED = "stacks-folded"
_LARGEST = 64 << 20
"""Bytes of a file."""


def profiles_of(session: Session, windows: Iterable[Window]) -> Iterator[Folded]:
    """Profiles of these windows: a folded file is one, a dump of threads is one."""
    for window in windows:
        sources = session.sources(window.id)
        for source in sources:
            if source.kind is SourceKind.STACKS and source.dialect == FOLDED:
                yield from profiles_in(session.raw(source.id, 0, _LARGEST))
        dumps = [
            Dump(tuple(Thread(id_, "", calls) for id_, calls in dump.threads.items()))
            for dump in dumps_of(window, sources)
        ]
        yield from fold(dumps)


def session_stacks(
    session: Session, a: Sequence[Window], b: Sequence[Window], other: Session | None = None
) -> Stacks | None:
    """Stacks of windows A, against those of B where both have some; None where none has.

    With `other`, the windows of B are of that session.
    """
    of_a = list(profiles_of(session, a))
    of_b = list(profiles_of(other or session, b))
    if of_a and of_b:
        return stacks_of(of_a, of_b)
    return stacks_of(of_a or of_b)


def file_profiles(path: Path) -> Profiles:
    """Profiles of a file: folded stacks, or dumps of threads. Raises LogError for another."""
    log, text = LogFile(path), bytearray()
    for piece in log.pieces():
        text += piece[: _LARGEST - len(text)]
        if len(text) >= _LARGEST:
            break
    detection = detect(bytes(text[: 1 << 20]))
    if detection.kind is not SourceKind.STACKS:
        raise LogError(
            Message("{path} holds no stacks of threads.", path=str(path)),
            remedy=Message("Name folded stacks, or what gdb, pstack or eu-stack printed."),
        )
    if detection.dialect == FOLDED:
        return [read_folded(bytes(text))]
    return fold(read_stacks(bytes(text)))
