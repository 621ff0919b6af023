"""How fast logs are read: python -m tests.bench.logs ACCESS_LOG [DIALECT]

Prints the scanner's speed on one core, the floor (counting the newlines of the same bytes), and
the memory a stream of many copies needs.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path


def _best(runs: int, work: object) -> float:
    """The shortest processor time of some runs, in seconds."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()  # type: ignore[operator]
        times.append(time.process_time() - start)
    return min(times)


def main(path: Path, dialect: str) -> None:
    from ldap_workbench.logs.access.scanner import Scanner
    from ldap_workbench.logs.reading.files import LogFile

    data = b"".join(LogFile(path).pieces())
    megabytes = len(data) / 1e6

    def whole() -> None:
        Scanner(dialect).feed(data)

    def pieces() -> None:
        scanner = Scanner(dialect)
        for i in range(0, len(data), 8 << 20):
            scanner.feed(data[i : i + (8 << 20)])

    for name, work in (
        ("newlines counted", lambda: data.count(b"\n")),
        ("scanned at once", whole),
        ("scanned in pieces", pieces),
    ):
        print(f"{name:20}{megabytes / _best(5, work):8.0f} MB/s")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    scanner = Scanner(dialect)
    for _ in range(10):
        for i in range(0, len(data), 8 << 20):
            scanner.feed(data[i : i + (8 << 20)])
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{10 * megabytes:.0f} MB more          {grown / 1024:8.1f} MiB more memory")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "389")
