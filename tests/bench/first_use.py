"""What the translation of the log reader costs: python -m tests.bench.first_use [ROUNDS]

Whole processes in turns that get the reader ready and nothing else: with an empty cache, with the
machine code of an earlier start in it, and with a cache that cannot be written. Prints medians of
the wall time of that step alone, which is what `import` waits for under its progress.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

PROGRAM = """
import time
from ldap_workbench.logs.access.warm import warm_up
began = time.perf_counter()
warm_up()
print(time.perf_counter() - began)
"""


def once(cache: Path) -> float:
    """Seconds until the reader is ready, in a process with this cache."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"XDG_CACHE_HOME": str(cache)},
        check=True, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    return float(done.stdout)


def one_round(folder: Path) -> tuple[float, float, float]:
    """First use, a later one, and one that can keep nothing."""
    cache, blocked = folder / "cache", folder / "blocked"
    blocked.touch()  # a file where the folder would be: not even root can write into it
    return once(cache), once(cache), once(blocked)


def main() -> None:
    """Measure in turns and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    found = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            found.append(one_round(Path(folder)))
    print(f"{rounds} rounds, load {os.getloadavg()[0]:.1f}\n")
    print("| the log reader | goal, s | median, s | slowest, s |\n|---|---|---|---|")
    names = (("first use", 5), ("later start", 0.2), ("cache not writable", 5))
    for (name, goal), times in zip(names, zip(*found, strict=True), strict=True):
        print(f"| {name} | {goal} | {median(times):.2f} | {max(times):.2f} |")


if __name__ == "__main__":
    main()
