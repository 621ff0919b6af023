"""How large entries are, from an LDIF of them, and the database page that fits.

Berkeley DB keeps an entry of 389 DS as its LDIF, so that an export tells the sizes. Not a finding
of a window: the operator names the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from ldap_workbench.advice.evidence.wording import finding
from ldap_workbench.advice.families.disk import DEFAULT_PAGE_KB, PAGE_SIZE
from ldap_workbench.logs.reading.files import LogFile
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import Int64
from ldap_workbench.model.target import TargetFacts

PAGES_KB = (16, 32, 64)
PAGES_AN_ENTRY = 4
"""A larger entry than this part of a page goes to overflow pages."""
_BLANK = re.compile(rb"\n\s*\n")
_COMMENT = re.compile(rb"(?m)^#.*\n?(?: .*\n?)*")
_ENCODED = re.compile(rb"(?m)^([^:\s]+):: *([A-Za-z0-9+/=]*)$")


def page_size(entry_bytes: Sequence[int] | Int64) -> int:
    """Database page for entries of these sizes: 4 x trimmed mean, as 16, 32 or 64 KB.

    A page is never above 64 KB. Raises ValueError without entries.
    """
    wanted = PAGES_AN_ENTRY * trimmed_mean(entry_bytes)
    return next((kb for kb in PAGES_KB if kb * 1024 >= wanted), PAGES_KB[-1]) * 1024


def trimmed_mean(entry_bytes: Sequence[int] | Int64) -> float:
    """Mean without the largest 5 % and the smallest 10 %. Raises ValueError without entries."""
    if not len(entry_bytes):
        raise ValueError("no entries")
    sizes = np.sort(np.asarray(entry_bytes))
    return float(sizes[len(sizes) // 10 : len(sizes) - len(sizes) // 20].mean())


def sizes_in(path: Path) -> Int64:
    """Bytes of each entry of an LDIF, packed or not. Raises LogError where it holds none."""
    sizes = [size for block in _blocks(path) if (size := _size(block))]
    if not sizes:
        raise LogError(
            Message("{path} holds no entry.", path=str(path)),
            remedy=Message(
                "Name an LDIF with the entries, as an export of the database writes it."
            ),
        )
    return np.array(sizes, np.int64)


def _blocks(path: Path) -> Iterator[bytes]:
    """The text between blank lines; the file is read piece by piece."""
    rest = b""
    for piece in LogFile(path).pieces():
        *whole, rest = _BLANK.split(rest + piece.replace(b"\r", b""))
        yield from whole
    yield rest


def _size(block: bytes) -> int:
    """Bytes of an entry as the server keeps it: unfolded, base64 decoded; 0 for anything else."""
    text = _COMMENT.sub(b"", block).strip(b"\n").replace(b"\n ", b"").removeprefix(b"version: 1\n")
    if not text.lower().startswith(b"dn:"):
        return 0
    encoded = sum(len(match[2]) - len(match[2]) // 4 * 3 for match in _ENCODED.finditer(text))
    return len(text) - encoded


def size_findings(
    sizes: Int64, settings: Mapping[str, str], facts: TargetFacts | None
) -> list[Finding]:
    """Told where a quarter of the database page does not hold the trimmed mean entry."""
    if facts and facts.db_library == "mdb":
        return []  # LMDB's page is that of memory
    text = settings.get(PAGE_SIZE, "")
    now = (int(text) if text.isdigit() else 0) or round(DEFAULT_PAGE_KB * 1024)
    mean, page = trimmed_mean(sizes), page_size(sizes)
    if PAGES_AN_ENTRY * mean <= now or page <= now:
        return []
    overflowing = float((PAGES_AN_ENTRY * sizes > now).mean())
    numbers = {
        "entries": len(sizes),
        "trimmed_mean_bytes": round(mean),
        "page_bytes": page,
        "page_now_bytes": now,
        "overflowing_share": overflowing,
    }
    return [
        finding(
            "entry_sizes",
            numbers=numbers,
            quarter=now // 4,
        )
    ]
