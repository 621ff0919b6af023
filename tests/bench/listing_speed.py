"""How long a host takes to list a log that was rotated often: python -m tests.bench.listing_speed

A reader that is behind lists the files again before it reads on. Run by a shell on this machine, as
it would be by sshd; the median of some listings of plain files, then of as many packed by gzip.
"""

from __future__ import annotations

import gzip
import statistics
import sys
import tempfile
import time
from pathlib import Path

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.past.host_files import HostFiles
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.model.progress import Cancel

_ROUNDS = 7
_LINE = (
    b"[21/Nov/2026:03:%02d:%02d.000000000 +0000] conn=%d op=1 SRCH "
    b'base="dc=x" scope=2 filter="(uid=a)" attrs=ALL\n'
)


def _rotate(log: Path, count: int, *, packed: bool) -> None:
    for number in range(1, count + 1):
        text = b"".join(_LINE % (second // 60, second % 60, number) for second in range(3600))
        if packed:
            log.with_name(f"access.{number}.gz").write_bytes(gzip.compress(text, 1))
        else:
            log.with_name(f"access.{number}").write_bytes(text)


def _seconds(log: Path, files: int) -> float:
    host = HostFiles(HostLink(LocalShell, Cancel(), 0.0), str(log), Cancel())
    taken = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        assert len(host.listed()) == files
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main(count: int) -> None:
    for packed in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "access"
            log.write_bytes(_LINE % (0, 0, 0))
            _rotate(log, count, packed=packed)
            kind = "compressed by gzip" if packed else "plain"
            print(f"{count} files, {kind}: {_seconds(log, count + 1):.3f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
