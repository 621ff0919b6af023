"""How fast every dialect is read: python -m tests.bench.dialect_speed [--size MB] [NAME ...]

For each the largest file of the reference material, repeated in memory: each copy a day later and
with connections of its own. The scanner alone, on one processor, in processor time, best of some
rounds in turns; and `ldap-workbench import`, a whole process with its start-up. Prints a table for
docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.files import LogFile
from tests.bench.import_speed import imported, machine

CORPUS = Path(
    os.environ.get("LDAP_WORKBENCH_CORPUS")
    or Path(__file__).resolve().parents[3] / "shared" / "corpus"
)
MATERIAL = {
    "389 DS 2.3": "389ds-2.3.1-lab/access-1M.log.zst",
    "389 DS 2.3, internal operations": "389ds-2.3.1-lab/access-internal.log.zst",
    "389 DS 1.2, whole seconds": "389ds-1.2/access-insights-rhel6.log",
    "389 DS JSON": "389ds-json/access-json-design-examples.jsonl",
    "Sun DSEE 7": "sun-dsee/access-dsee7-teampass-2025.log",
    "OpenDJ": "opendj-text/gen-opendj-4.6.5-access-ms-then-ns.log",
    "OpenDJ, combined": "opendj-text/gen-opendj-4.6.5-access-combined-internal.log",
    "OpenDJ JSON": "opendj-json/ldap-access-real-bind-2023.audit.json",
    "UnboundID": "unboundid/gen-ldapsdk-6.0.11-inmemory-access.log",
    "OpenLDAP 2.5, debug": "openldap/gen-slapd-2.5.13-debug-stats.log",
    "OpenLDAP 2.4, syslog": "openldap/slapd-2.4-syslog-forum.log",
    "OpenLDAP 2.6, RFC 5424": "openldap/slapd-2.6-rfc5424-parmenide-2023.log",
}
GOAL = {True: 100, False: 200}
"""MB/s of JSON, and of any other text."""
_CONN = re.compile(rb'(conn=|"conn_?[iI]d": ?)(\d+)')
_DATES = {
    "%d/%b/%Y": re.compile(rb"(?<=\[)(\d\d/[A-Z][a-z]{2}/\d{4})(?=:)"),
    "%Y-%m-%d": re.compile(rb"\b(\d{4}-\d\d-\d\d)(?=[T ])"),
    "%b %d": re.compile(rb"(?m)^([A-Z][a-z]{2} [ \d]\d)(?= \d\d:)"),
}
_SECONDS = re.compile(rb"(?m)^([0-9a-f]{8})(?=[. ])")
_DAY = timedelta(days=1)


def later(text: bytes, copy: int) -> bytes:
    """A copy of a log so many days later, with other connections."""

    @cache
    def moved(date: bytes, form: str) -> bytes:
        # A leap year for dates without one.
        year = "" if "%Y" in form else " 2024"
        moment = datetime.strptime(date.decode() + year, form + (" %Y" if year else ""))
        return (moment + copy * _DAY).strftime(form).encode()

    for form, pattern in _DATES.items():
        text = pattern.sub(lambda match, form=form: moved(match[0], form), text)  # type: ignore[misc]
    text = _SECONDS.sub(lambda match: b"%08x" % (int(match[0], 16) + 86400 * copy), text)
    shift = copy * (max((int(match[2]) for match in _CONN.finditer(text)), default=0) + 1)
    return _CONN.sub(lambda match: match[1] + b"%d" % (int(match[2]) + shift), text)


def repeated(path: Path, size: int) -> Iterator[bytes]:
    """Copies of a file until `size` bytes, or so much of it where it is larger."""
    text = b"".join(LogFile(path).pieces())
    text = text[: text.rfind(b"\n", 0, size) + 1] or text + b"\n"
    text += b"" if text.endswith(b"\n") else b"\n"
    for copy in range(max(1, size // len(text))):
        yield later(text, copy) if copy else text


def alone(text: bytes, dialect: str, rounds: int) -> tuple[float, Scanner]:
    """Bytes per second of processor time of the scanner, and what it counted."""
    pieces = [text[at : at + (8 << 20)] for at in range(0, len(text), 8 << 20)]
    best = float("inf")
    for _ in range(rounds):
        scanner = Scanner(dialect)
        began = time.thread_time()
        for piece in pieces:
            scanner.feed(piece)
        best = min(best, time.thread_time() - began)
    return len(text) / best, scanner


def measure(name: str, folder: Path, size: int, rounds: int) -> str:
    """One row of the table."""
    text = b"".join(repeated(CORPUS / MATERIAL[name], size))
    dialect = detect(text[: 256 << 10]).dialect
    rate, scanner = alone(text, dialect, rounds)
    lines = scanner.counts
    path = folder / "access"
    path.write_bytes(text)
    done = imported(path)
    total = lines.understood + lines.set_aside + lines.unknown
    goal = GOAL["json" in dialect]
    return (
        f"| {name} | {len(text) / 1e6:,.0f} MB, {total:,} lines | {goal} | {rate / 1e6:,.0f} "
        f"| {len(text) / 1e6 / done.wall:,.0f} | {len(text) / 1e6 / done.cpu:,.0f} |"
    )


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("names", nargs="*", default=list(MATERIAL), metavar="NAME")
    words.add_argument("--size", type=int, default=100, help="megabytes of each")
    words.add_argument("--rounds", type=int, default=5)
    asked = words.parse_args()
    if not CORPUS.is_dir():
        sys.exit(f"{CORPUS} is not there: name the folder of logs in LDAP_WORKBENCH_CORPUS.")
    folder = Path(tempfile.mkdtemp(prefix="ldap-workbench-dialects-"))
    try:
        print(f"{machine()}, load {os.getloadavg()}\n")
        print("| dialect | text | goal | scanner alone | import | of its processor time |")
        print("|---|---|---|---|---|---|")
        for name in asked.names:
            print(measure(name, folder, asked.size * 10**6, asked.rounds), flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
