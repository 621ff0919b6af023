"""LDIF as servers and ldapsearch print it: entries, and the counters in them as samples."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ldap_workbench.logs.reading.reports import Tally
from ldap_workbench.model.window import LineCounts

_LINE = re.compile(rb"([A-Za-z0-9][A-Za-z0-9;.-]*):(:?)\s*(.*)", re.DOTALL)
_CONFIG = "cn=config"
_TRAILER = re.compile(rb"(search|result): \d+")


@dataclass(frozen=True)
class Entry:
    """One entry; attribute names are in lower case, values as they are."""

    dn: str
    attributes: dict[str, tuple[bytes, ...]]

    def text(self, attribute: str) -> str | None:
        """The first value of an attribute as text."""
        values = self.attributes.get(attribute.lower())
        return values[0].decode("utf-8", "replace") if values else None


def read_ldif(data: bytes) -> list[Entry]:
    """Every entry: folded lines joined, base64 decoded, comments and trailers left out.

    URLs (attribute:< url) are never followed: such a value is left out.
    """
    entries: list[Entry] = []
    dn: str | None = None
    attributes: dict[str, list[bytes]] = {}
    for line in (*_logical_lines(data), b""):
        match = _LINE.fullmatch(line)
        if not line.strip():
            if dn is not None:
                entries.append(Entry(dn, {name: tuple(v) for name, v in attributes.items()}))
            dn, attributes = None, {}
        elif match is not None and (value := _value(match)) is not None:
            name = match[1].decode("ascii").lower()
            if dn is None and name == "dn":
                dn = value.decode("utf-8", "replace")
            elif dn is not None and not (_TRAILER.fullmatch(line)):
                attributes.setdefault(name, []).append(value)
    return entries


def folder_of_slapd(path: Path) -> Path | None:
    """The folder of cn=config.ldif that a file of slapd's configuration (slapd.d) belongs to."""
    if path.name.lower() == f"{_CONFIG}.ldif":
        return path.parent
    return next((p.parent for p in path.parents if p.name.lower() == _CONFIG), None)


def with_whole_names(entries: list[Entry], path: Path) -> list[Entry]:
    """The same entries, those of slapd.d with the names they have below cn=config.

    A file there names its entry 'olcDatabase={1}mdb': the folders around it hold the rest. Where
    its folders are unknown, an overlay belongs to the database before it.
    """
    around = [part for part in path.parts[:-1] if "=" in part]
    folders = around[around.index(_CONFIG) :] if _CONFIG in around else []
    named, database = [], ""
    for entry in entries:
        dn = entry.dn
        first = dn.lower()
        if _is_of_slapd(entry) and not first.endswith(_CONFIG):
            above = list(reversed(folders)) or [_CONFIG]
            if first.startswith("olcoverlay=") and database and len(above) == 1:
                above = [database]
            dn = ",".join([dn, *above])
        if first.startswith("olcdatabase="):
            database = dn
        named.append(replace(entry, dn=dn))
    return named


def _is_of_slapd(entry: Entry) -> bool:
    return any(v.lower().startswith(b"olc") for v in entry.attributes.get("objectclass", ()))


_BLANK = b"\xc2\xa0"
"""A no-break space, which chats and pages make of a blank."""
_MARGIN = re.compile(rb"^((?:[ \t>|]|\xc2\xa0)+)dn::?[ \xc2][^\n]*=", re.MULTILINE)
_DN = re.compile(rb"^dn:", re.MULTILINE)


def without_margin(data: bytes) -> bytes:
    """LDIF as it was before somebody pasted it: without indents, marks of quotes, no-break spaces.

    What has not the margin of its first entry is the text around it, and becomes a comment.
    """
    margin = _MARGIN.search(data)
    if _DN.search(data) or margin is None:
        return data.replace(_BLANK, b" ") if b":" + _BLANK in data else data
    lines = []
    for line in data.replace(b"\r\n", b"\n").split(b"\n"):
        if line.startswith(margin[1]):
            lines.append(line[len(margin[1]) :].replace(_BLANK, b" "))
        elif line.strip() in (b"", margin[1].strip()):
            lines.append(b"")
        else:
            lines.append(b"# " + line)
    return b"\n".join(lines)


def _logical_lines(data: bytes) -> Iterator[bytes]:
    """Lines with their continuations, without comments."""
    logical: bytes | None = None
    for line in data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").split(b"\n"):
        if line.startswith(b" ") and logical is not None:
            logical += line[1:]
            continue
        if logical is not None and not logical.startswith(b"#"):
            yield logical
        logical = line
    if logical is not None and not logical.startswith(b"#"):
        yield logical


def _value(match: re.Match[bytes]) -> bytes | None:
    if match[3].startswith(b"<") and not match[2]:
        return None
    if not match[2]:
        return match[3].rstrip(b" ")
    try:
        return base64.b64decode(match[3], validate=True)
    except binascii.Error:
        return None


def dumps_of(entries: list[Entry]) -> list[list[Entry]]:
    """Dumps that follow each other in one file: an entry seen again begins the next."""
    dumps: list[list[Entry]] = []
    seen: set[str] = set()
    for entry in entries:
        dn = entry.dn.lower()
        if not dumps or dn in seen:
            dumps.append([])
            seen = set()
        dumps[-1].append(entry)
        seen.add(dn)
    return dumps


def count_lines(data: bytes) -> LineCounts:
    """What the lines of an LDIF file are; values of URLs and broken base64 are set aside."""
    tally = Tally()
    for line in data.removeprefix(b"\xef\xbb\xbf").splitlines():
        match = _LINE.fullmatch(line)
        if not line.strip():
            tally.set_aside("blank line")
        elif line.startswith(b"#"):
            tally.set_aside("comment")
        elif line.startswith(b" ") or line.strip() == b"-":
            tally.understood()
        elif match is None:
            tally.unknown()
        elif match[3].startswith(b"<") and not match[2]:
            tally.set_aside("value behind a URL")
        else:
            tally.understood()
    return tally.counts


def monitor_time(entries: list[Entry]) -> int | None:
    """When a dump of cn=monitor was taken, by the server's own word; None if it does not say."""
    # OpenLDAP stamps its start too; the entry of the time that is now goes first.
    for entry in sorted(entries, key=lambda e: not e.dn.lower().startswith("cn=current,cn=time")):
        for name in ("currenttime", "monitortimestamp", "ds-mon-current-time"):
            if (text := entry.text(name)) and (time_ns := generalized_time(text)) is not None:
                return time_ns
    return None


def generalized_time(text: str) -> int | None:
    """ns since 1970 of '20261121022000Z' or '20261121022000.5Z'."""
    match = re.fullmatch(r"(\d{14})(?:[.,](\d{1,9}))?Z", text)
    if match is None:
        return None
    try:
        moment = datetime.strptime(match[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return int(moment.timestamp()) * 10**9 + int((match[2] or "0").ljust(9, "0"))
