"""Which layers lie around the lines of a text, from many of its lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ldap_workbench.logs.reading.wrapping.lines import (
    ISO,
    SYSLOG,
    Line,
    Wrapper,
    is_bare,
    is_speaking,
)
from ldap_workbench.logs.reading.wrapping.prefixes import PREFIXES
from ldap_workbench.logs.reading.wrapping.records import (
    ContainerRuntime,
    JournalEntries,
    JsonRecords,
    RubyRecords,
)
from ldap_workbench.logs.reading.wrapping.terminal import (
    BrokenLines,
    Colours,
    EscapedHtml,
    QuotedPrintable,
    Typeset,
)
from ldap_workbench.model.message import NOTHING, Message

WRAPPERS: tuple[Wrapper, ...] = (
    Colours(), QuotedPrintable(), Typeset(), EscapedHtml(), JsonRecords(cut=True), JsonRecords(),
    ContainerRuntime(), JournalEntries(), RubyRecords(), *PREFIXES,
)  # fmt: skip
_MOST = 5
"""Layers around one line; a container in a journal in a mail has as many."""
_SAMPLE = 300
_SHARE = 0.6
"""Of the lines of a server, so many have the layer: others are cut, or were put between them."""

HOST = re.compile(
    rb"(?:<\d{1,3}>)?(?:1 )?(?:"
    + SYSLOG
    + rb"|"
    + ISO
    + rb") (?P<host>[^\s:\[]+) (?:(?P<tag>\S*slapd\[)|\S+: )"
)
"""A line of syslog as it stays, which names its host; `tag` where slapd wrote it."""


@dataclass(frozen=True)
class Wrapping:
    """The layers, outermost first. `hosts`: what is left are lines of syslog that name hosts.

    `around`: what was undone before there were lines: a document, an order.
    """

    layers: tuple[Wrapper, ...] = ()
    hosts: bool = False
    around: tuple[Message, ...] = ()

    @property
    def title(self) -> Message:
        """What was taken off, in words; NOTHING for nothing."""
        titles = tuple(dict.fromkeys((*self.around, *(layer.title for layer in self.layers))))
        return Message("{layers}", layers=titles) if titles else NOTHING

    def __bool__(self) -> bool:
        return bool(self.layers) or self.hosts


def find_wrapping(head: bytes) -> Wrapping:
    """The layers around the lines of a text that begins with `head`.

    None where the text has no lines of servers, or is not understood without layers either.
    """
    every = head.split(b"\n")
    lines = [line for line in every if is_speaking(line)]
    if len(lines) > _SAMPLE:
        # From all over the head, for a log may begin with other things; neighbours, for every
        # second line may be of one kind.
        part, last = _SAMPLE // 3, len(lines) - _SAMPLE // 3
        lines = [*lines[:part], *lines[last // 2 : last // 2 + part], *lines[last:]]
    result = _layers([(b"", line) for line in lines], _MOST)
    if result is None:
        return Wrapping()
    layers, bare = result
    if broken := _broken_lines(every[:_SAMPLE], layers):
        layers.append(broken)
    named = [HOST.match(line) for _, line in bare]
    hosts = sum(match is not None and match["tag"] is not None for match in named)
    return Wrapping(tuple(layers), hosts=2 * hosts > len(bare) > 0)


def _broken_lines(lines: list[bytes], layers: list[Wrapper]) -> BrokenLines | None:
    """How the lines below the other layers were broken; None where they are whole."""
    if all(is_bare(line) for line in lines if line.strip()):
        return None
    inner: list[Line] = [(b"", line.rstrip(b"\r")) for line in lines]
    for layer in layers:
        at_work = layer.start()
        inner = at_work.peel(inner) + at_work.finish()
    return BrokenLines.of([text for _, text in inner])


def _layers(lines: list[Line], left: int) -> tuple[list[Wrapper], list[Line]] | None:
    """(layers, the lines without them); None where lines stay that no server writes."""
    for layer in WRAPPERS if lines else ():
        if layer.sure and left and _share(layer, lines):
            return _below(layer, lines, left)
    if not lines:
        return None
    if sum(is_bare(text) for _, text in lines) >= _SHARE * len(lines):
        return [], lines
    for layer in WRAPPERS if left else ():
        result = _below(layer, lines, left) if not layer.sure and _share(layer, lines) else None
        if result is not None:
            return result
    return None


def _below(layer: Wrapper, lines: list[Line], left: int) -> tuple[list[Wrapper], list[Line]] | None:
    at_work = layer.start()
    peeled = at_work.peel(lines) + at_work.finish()
    inner = [line for line in peeled if is_speaking(line[1])]
    if not inner or inner == lines:
        return None
    result = _layers(inner, left - 1)
    return None if result is None else ([layer, *result[0]], result[1])


def _share(layer: Wrapper, lines: list[Line]) -> bool:
    answers = [layer.fits(text) for _, text in lines]
    known = [fits for fits in answers if fits is not None]
    return len(known) > 0 and sum(known) >= _SHARE * len(known)
