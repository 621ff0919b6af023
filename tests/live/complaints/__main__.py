"""Set up complaints and print how each was named: python -m tests.live.complaints"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.field.scoring import FIRST, Score
from tests.live.complaints import opendj, openldap, trackers
from tests.live.complaints.complaint import HEAD, Complaint, Server, row, score

EVERY: tuple[tuple[Callable[[], Server], tuple[Complaint, ...]], ...] = (
    (openldap.made, (*openldap.COMPLAINTS, *trackers.ON_OPENLDAP)),
    (opendj.made, (*opendj.COMPLAINTS, *trackers.ON_OPENDJ)),
)


@contextmanager
def running(made: Callable[[], Server]) -> Iterator[Server]:
    """A server for several complaints, in turn."""
    server = made()
    try:
        yield server
    finally:
        server.stop()


def main() -> None:
    """Score the complaints one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", help="the complaints of this name")
    parser.add_argument("--all", action="store_true", help="what was said of each")
    parser.add_argument("-o", "--keep", type=Path, help="leave the sessions in this folder")
    chosen = parser.parse_args()
    rows, first, remedies = [HEAD], 0, 0
    for made, complaints in EVERY:
        wanted = [one for one in complaints if not chosen.only or one.name in chosen.only]
        if not wanted:
            continue
        with running(made) as server, tempfile.TemporaryDirectory() as room:
            for complaint in wanted:
                try:
                    result = score(complaint, server, chosen.keep or Path(room))
                except (pytest.skip.Exception, TimeoutError) as why:
                    print(f"{complaint.name}: not set up, {why!r}", flush=True)
                    continue
                print_said(result, everything=chosen.all)
                rows.append(row(result))
                first += result.verdict == FIRST
                remedies += result.remedy
    print("\n".join(rows))
    print(f"\n{len(rows) - 1} complaints: {first} first or second, {remedies} with their remedy.")


def print_said(result: Score, *, everything: bool) -> None:
    """What was said of one that was missed."""
    if result.verdict == FIRST and result.remedy and not everything:
        return
    print(f"{result.case.name}: {result.verdict}. Truth: {result.case.cause}")
    for place, group in enumerate(result.said.groups, 1):
        print(f"  {place}. {'!' * group.severity} {group.heads}".replace("\n", "\n       "))
    for advised in result.said.advice:
        print(f"  advice: {advised.title}: {advised.asks[:200]!r}")
    print(flush=True)


if __name__ == "__main__":
    main()
