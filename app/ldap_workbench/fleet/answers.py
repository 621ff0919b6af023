"""A worker as who asks it sees it. What it answers is a stranger's: bounded, checked, never run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from ldap_workbench import __version__
from ldap_workbench.connect.children import module_command
from ldap_workbench.connect.conversation import Conversation, LocalConversation
from ldap_workbench.fleet.packing import damaged
from ldap_workbench.fleet.summary import Summary, check_answer
from ldap_workbench.fleet.units import Unit
from ldap_workbench.fleet.worker import request
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message, from_json, verbatim

_LONGEST_HEAD, _LARGEST_BODY = 64 << 10, 64 << 20
"""Bytes of an answer: a line of JSON, and a packed summary; 256 MiB of a log make about 100 KB."""
_MOST_BEATS = 20_000
"""Lines that say that it is at work, one in 5 s: for a day."""
_ALONE = Message("Run `ldap-workbench import` on this log alone to see more.")


class Worker(Protocol):
    """Summarises units, for one thread at a time; `close`, of any thread, ends it at once."""

    def summarise(self, unit: Unit, parts: Path | None) -> Summary:
        """Raises LogError: the unit cannot be read, or the worker is gone or not one of ours."""
        ...

    def close(self) -> None: ...


class Speaker(Worker, Protocol):
    """A worker that answers other requests, too."""

    def ask(self, line: bytes) -> bytes:
        """What it answers to a request. Raises LogError for its reason why not, or its end."""
        ...

    def answers(self, line: bytes) -> Iterator[bytes]:
        """One answer after the other to a request. Raises LogError as `ask`."""
        ...


class Talker:
    """One process of `fleet.worker`, wherever it runs."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    def summarise(self, unit: Unit, parts: Path | None) -> Summary:
        return summary_of(self.ask(request(unit, parts)), unit)

    def ask(self, line: bytes) -> bytes:
        return next(self.answers(line))

    def answers(self, line: bytes) -> Iterator[bytes]:
        try:
            self._send(line)
            while True:
                yield answer_from(self._conversation.line, self._conversation.read)
        except TimeoutError as error:
            self.close()
            raise dead("it is silent") from error
        except (OSError, ValueError) as error:
            raise dead(self._conversation.last_words() or str(error)) from error

    def _send(self, line: bytes) -> None:
        try:
            self._conversation.send(line)
        except TimeoutError:
            raise
        except OSError:
            # It has ended already, or its link has: as after a request that it did read, its output
            # says why, or is at its end.
            return

    def close(self) -> None:
        self._conversation.end()


def local_worker() -> Talker:
    """A worker on this machine. Raises LogError where no more processes can be started."""
    try:
        return Talker(LocalConversation(module_command("ldap_workbench.fleet.worker")))
    except OSError as error:
        raise dead(str(error)) from error


class _Read(Protocol):
    def __call__(self, size: int, /) -> bytes: ...


def answer_from(line: _Read, read: _Read) -> bytes:
    """The body of the next answer. Raises LogError for the worker's reason why not, ValueError."""
    heads = (_head(line) for _ in range(_MOST_BEATS))
    head = next((head for head in heads if head), {})
    if not head:
        raise ValueError("it never answers")
    if head.get("version") != __version__:
        raise _other_version(str(head.get("version")))
    if "why" in head:
        raise LogError(from_json(head["why"]), remedy=_ALONE)
    size = head.get("size")
    if not isinstance(size, int) or not 0 < size <= _LARGEST_BODY:
        raise ValueError(f"an answer of {size} bytes")
    return read(size)


def _head(line: _Read) -> dict[str, Any]:
    text = line(_LONGEST_HEAD)
    try:
        head = json.loads(text)
    except (ValueError, RecursionError):
        head = None
    if isinstance(head, dict):
        return head
    raise ValueError(text[:200].decode("utf-8", "replace"))


def summary_of(body: bytes, unit: Unit) -> Summary:
    """What came back for a unit, if it can be its summary. Raises LogError."""
    summary = Summary.from_bytes(body)
    with damaged():
        check_answer(summary, unit)
    return summary


def dead(why: str) -> LogError:
    """The error for a worker that is gone."""
    what = Message("The worker ended: {why}", why=verbatim(why or "no reason given"))
    return LogError(what, remedy=Message("Import again, with fewer workers if memory was short."))


def _other_version(theirs: str) -> LogError:
    return LogError(
        Message(
            "A worker has version {theirs} of the workbench, and this is {ours}.",
            theirs=theirs[:40],
            ours=__version__,
        ),
        remedy=Message("Install the same version everywhere."),
    )
