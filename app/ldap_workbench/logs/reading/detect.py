"""What a file is, from its content and never from its name.

Every format counts the lines it recognises; the one that recognises most, weighted, wins. The
reason says how many lines spoke for it, so that a person can judge and override it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ldap_workbench.logs.reading.formats import FORMATS, Format
from ldap_workbench.logs.reading.wrapping.lines import ISO, SYSLOG
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.window import SourceKind

_LINES = 5000
_SURE = 20
"""So many lines of one kind leave no doubt."""
_WHICH = {"first": Message("first"), "last": Message("last")}


@dataclass(frozen=True)
class Detection:
    """What a text is taken for, and how sure that is.

    `dialect` is a key of DIALECTS for access logs, else the name of the format, 'unknown' if
    nothing fits; `kind` None where the workbench has no use for it, and `instead` says what would
    tell the same; `confidence` 0..1. Where a person says that it is something else, `content` is
    what the text looks like, and `doubt` says so.
    """

    dialect: str
    kind: SourceKind | None
    title: Message
    reason: Message
    confidence: float
    doubt: Message = NOTHING
    instead: Message = NOTHING
    content: Detection | None = None


@dataclass(frozen=True)
class _Look:
    """How a text that nothing reads may look, and the formats that look alike."""

    title: Message
    pattern: re.Pattern[bytes]
    alike: tuple[str, ...]


_LOOKS = (
    _Look(
        Message("JSON"), re.compile(rb'\s*[\[{]\s*(?:"|$)|\s*"[\w.@-]+"\s*:'),
        ("389-json", "opendj-json", "iostat-json"),
    ),
    _Look(Message("XML or HTML"), re.compile(rb"\s*<[/!?a-zA-Z]"), ("jtl-xml", "iostat-json")),
    _Look(
        Message("lines with a time in brackets"), re.compile(rb"\[[^\]]{0,30}\d\d:\d\d"),
        ("389", "errors389", "opendj"),
    ),
    _Look(
        Message("a syslog or journal without lines of a directory server"),
        re.compile(SYSLOG + rb"|" + ISO + rb"|<\d{1,3}>"), ("openldap", "389", "sar"),
    ),
    _Look(
        Message("a table of numbers"), re.compile(rb"\s*\S*(?:[\s,;|]+-?\d+(?:[.,]\d+)?%?){4}"),
        ("iostat-linux", "vmstat-linux", "sar"),
    ),
    _Look(
        Message("attributes with values, without the dn: line of an entry"),
        re.compile(rb"\s*[A-Za-z][\w;.-]*::? ?\S"), ("ldif", "dsconf", "logconv"),
    ),
    _Look(
        Message("settings or program text"), re.compile(rb"\s*(?:#|//|[\w.-]+\s*=)"),
        ("ldif", "sysctl", "389"),
    ),
    _Look(Message("text"), re.compile(rb".*\w"), ("389", "openldap", "opendj")),
)  # fmt: skip
_BINARY = re.compile(rb"[\0-\x08\x0e-\x1a]")


def what_is_read(head: bytes) -> Message:
    """What a text that matches no format looks like, and the formats nearest to that."""
    lines = [line for line in _text(head).splitlines()[:_LINES] if line.strip(b"\0 \t")]
    if any(_BINARY.search(line) for line in lines):
        return Message("It looks like a binary file. Import text: access logs, for a start.")
    best = next(
        (
            look
            for look in _LOOKS
            if 2 * sum(1 for line in lines if look.pattern.match(line)) >= len(lines)
        ),
        _LOOKS[-1],
    )
    by_name = {f.dialect: f.title for f in reversed(FORMATS) if f.kind is not None}
    return Message(
        "It looks like {look}. The closest formats that can be read: {titles}.",
        look=best.title,
        titles=tuple(by_name[name] for name in best.alike),
    )


def detect(head: bytes, which: str = "first") -> Detection:
    """Name what begins with `head` (whole lines; 64 KiB or more say more than the first few).

    `which` of its lines they are, for the reason: its "first" or its "last".
    """
    lines = _text(head).replace(b"\r\n", b"\n").split(b"\n")[:_LINES]
    lines = [line for line in lines if line.strip(b"\0 \t")]
    if not lines:
        title, reason = Message("empty file"), Message("There is no text in it.")
        return Detection("unknown", None, title, reason, 1.0)
    hits = {format_: _count(format_, lines) for format_ in FORMATS}
    best = max(hits, key=lambda format_: hits[format_] * format_.weight)
    if not hits[best]:
        reason = count_of(
            "Its only line matches no known format.",
            "None of its {which} {n} lines matches a known format.",
            n=len(lines),
            which=_WHICH[which],
        )
        return Detection("unknown", None, Message("unknown file"), reason, 0.0)
    others = [n * f.weight for f, n in hits.items() if f.dialect != best.dialect]
    ours = hits[best] * best.weight
    share = ours / (ours + max(others, default=0))
    few = min(1.0, 0.5 + hits[best] / (2 * min(_SURE, len(lines))))
    reason = Message(
        "{hits} of its {which} {lines} lines match it.",
        hits=hits[best],
        which=_WHICH[which],
        lines=len(lines),
    )
    return Detection(
        best.dialect,
        best.kind,
        best.title,
        reason,
        round(share * few, 3),
        instead=best.instead,
    )


def with_chosen_dialect(dialect: str, detection: Detection) -> Detection:
    """What somebody says it is, with doubt where the text looks like something else.

    Raises UsageError for what is not a dialect of logs.
    """
    said = next((f for f in FORMATS if f.dialect == dialect and f.kind is not None), None)
    if said is None:
        known = tuple(sorted({f.dialect for f in FORMATS if f.kind is not None}))
        raise UsageError(
            Message("'{dialect}' is not a dialect of logs.", dialect=dialect),
            remedy=Message("Choose auto, {known}.", known=known),
        )
    chosen = Detection(dialect, said.kind, said.title, Message("you said so."), 1.0)
    if detection.dialect in (dialect, "unknown"):
        return chosen
    doubt = Message("Its content looks like: {title}.", title=detection.title)
    return replace(chosen, doubt=doubt, content=detection)


def _count(format_: Format, lines: list[bytes]) -> int:
    match = format_.pattern.match
    return sum(1 for line in lines if match(line))


def _text(head: bytes) -> bytes:
    """The text without byte order marks and UTF-16."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "replace").encode()
    return head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\0")
