"""How fast logs become a session: python -m tests.bench.import_speed [--large] [--growth]

`ldap-workbench import` of the reference log, whole processes with their start-up, in turns with
logconv.pl, the logconv.py of 389 DS 3.1 where it is found, and the floor: a process that reads the
file and counts its newlines. With --large
also ten copies of it with time and conn shifted. With --growth the import alone of 10^5 lines, and
of ten times as many until 10^8 (14 GB; twice as much room is needed): time, peak memory, session;
--plot draws them. Prints tables for docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median

import numpy as np
import zstandard

from ldap_workbench.logs.access.scanner import Scanner
from tests.bench.growth_plot import Grown, draw
from tests.live.lab.host import in_suite

LOG = "389ds-2.3.1-lab/access-1M.log.zst"
LOGCONV = "/usr/bin/logconv"
_LOGCONV_PY = "LDAP_WORKBENCH_LOGCONV_PY"
"""Names the logconv.py of 389 DS 3; without it that of the lab's Debian trixie is taken."""
_MAGIC = """
class Magic:
    def __init__(self, **_): pass
    def from_file(self, path): return "text/plain"
"""
"""It asks libmagic whether a file is packed; here, where that is not installed, none is."""
_COUNT = "import sys; f = open(sys.argv[1], 'rb'); print(sum(b.count(b'\\n') for b in iter(lambda: f.read(8 << 20), b'')))"  # noqa: E501
_STAMP = re.compile(rb"(?m)^\[([^\]]{20})\.")
_CONN = re.compile(rb"(?<= conn=)\d+")
_FORMAT = "%d/%b/%Y:%H:%M:%S"
_WIDTH = 20


@dataclass(frozen=True)
class Run:
    """One process: wall and processor time in seconds, peak resident memory in bytes."""

    wall: float
    cpu: float
    peak: int


_MEASURED = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
wall = time.perf_counter() - began
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([wall, used.ru_utime + used.ru_stime, used.ru_maxrss << 10]))
sys.stderr.buffer.write(done.stdout[-2000:])
sys.exit(done.returncode)
"""


def run(argv: Sequence[str]) -> Run:
    """The process from its start to its end. Raises RuntimeError when it fails."""
    # An installed program has been compiled; with this variable each start does it again.
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    # Started by a small process: a child's peak counts what its parent held when it was forked.
    process = subprocess.run(
        [sys.executable, "-c", _MEASURED, *argv],
        capture_output=True,
        text=True,
        check=False,
        env=env,
    )
    if process.returncode:
        raise RuntimeError(f"{argv[0]}: {process.stderr}")
    return Run(*json.loads(process.stdout))


def reference_log(folder: Path) -> Path:
    """The reference log, unpacked into `folder`; ends with a sentence where it is absent."""
    default = Path(__file__).parents[3] / "shared" / "corpus"
    packed = Path(os.environ.get("LDAP_WORKBENCH_CORPUS") or default) / LOG
    if not packed.is_file():
        sys.exit(f"{packed} is not there: name the folder of logs in LDAP_WORKBENCH_CORPUS.")
    path = folder / "access"
    with packed.open("rb") as source, path.open("wb") as out:
        zstandard.ZstdDecompressor().copy_stream(source, out)
    return path


def copies(path: Path, count: int) -> Path:
    """A file of `count` copies one after the other, each later and with connections of its own."""
    large = path.with_name(f"access-{count}")
    data = path.read_bytes()
    with large.open("wb") as out:
        for text in shifted(data, count):
            out.write(text)
    return large


def shifted(data: bytes, count: int) -> Iterator[bytes]:
    """Copies of a log, each beginning when the one before ends; conn has nine digits in all."""
    data = _CONN.sub(lambda match: b"%09d" % int(match[0]), data)
    text = np.frombuffer(bytearray(data), np.uint8)
    stamps = np.array([match.start(1) for match in _STAMP.finditer(data)])
    numbers = np.array([match.start() for match in _CONN.finditer(data)])
    conns = np.array([int(match[0]) for match in _CONN.finditer(data)])
    which: dict[bytes, int] = {}
    rows = np.array([which.setdefault(data[at : at + _WIDTH], len(which)) for at in stamps])
    moments = [datetime.strptime(stamp.decode(), _FORMAT) for stamp in which]
    length = max(moments) - min(moments) + timedelta(seconds=1)
    for copy in range(count):
        later = "".join((moment + copy * length).strftime(_FORMAT) for moment in moments).encode()
        table = np.frombuffer(later, np.uint8).reshape(-1, _WIDTH)
        for k in range(_WIDTH):
            text[stamps + k] = table[rows, k]
        moved = conns + copy * (int(conns.max()) + 1)
        for k in range(9):
            text[numbers + k] = 48 + moved // 10 ** (8 - k) % 10
        yield text.tobytes()


def imported(path: Path) -> Run:
    """`ldap-workbench import` of one log into a fresh session."""
    session = path.with_suffix(".ldapwb")
    session.unlink(missing_ok=True)
    program = [sys.executable, "-m", "ldap_workbench", "import", str(path), "-o", str(session)]
    return run(program)


def contenders(path: Path) -> dict[str, Callable[[], Run]]:
    """What takes turns on one log."""
    found = {
        "floor: newlines counted": lambda: run([sys.executable, "-c", _COUNT, str(path)]),
        "ldap-workbench import": lambda: imported(path),
    }
    if Path(LOGCONV).exists():
        found["logconv.pl"] = lambda: run([LOGCONV, str(path)])
    if logconv_py := os.environ.get(_LOGCONV_PY) or in_suite("trixie", "/usr/bin/logconv"):
        (path.parent / "magic.py").write_text(_MAGIC)
        command = ["env", f"PYTHONPATH={path.parent}", sys.executable, str(logconv_py), str(path)]
        found["logconv.py"] = lambda: run(command)
    return found


def compare(path: Path, rounds: int) -> None:
    """Everybody in turns; the median of the rounds, and ratios within them."""
    size = path.stat().st_size
    path.read_bytes()  # into the page cache
    runs: dict[str, list[Run]] = {}
    for _ in range(rounds):
        for name, work in contenders(path).items():
            runs.setdefault(name, []).append(work())
    print(f"\n{size / 1e6:,.0f} MB, medians of {rounds} rounds in turns, load {os.getloadavg()}\n")
    print("| what | wall | MB/s | processor | peak memory |\n|---|---|---|---|---|")
    for name, those in runs.items():
        wall, cpu = median(r.wall for r in those), median(r.cpu for r in those)
        peak = max(r.peak for r in those) / 2**20
        print(
            f"| {name} | {wall:.2f} s | {size / 1e6 / wall:,.0f} | {cpu:.2f} s | {peak:,.0f} MiB |"
        )
    ours = runs["ldap-workbench import"]
    for name, those in runs.items():
        if those is not ours:
            ratio = median(b.wall / a.wall for a, b in zip(ours, those, strict=True))
            print(f"\nwall time of {name} / ldap-workbench import: {ratio:.3g}")
    session = path.with_suffix(".ldapwb")
    print(f"\nsession / log in bytes: {session.stat().st_size / size:.3f}")


def growth(path: Path, plot: Path | None) -> None:
    """The import alone, of ever longer logs."""
    runs: list[Grown] = []
    print("\n| lines | log | wall | processor | of a GB | peak memory | session / log |")
    print("|---|---|---|---|---|---|---|")
    lines = path.read_bytes().splitlines(keepends=True)
    for count in (10**5, 10**6, 10**7, 10**8):
        log = path.with_name(f"access-{count}-lines")
        with log.open("wb") as out:
            for text in shifted(b"".join(lines[:count]), max(1, count // len(lines))):
                out.write(text)
        size, done = log.stat().st_size, imported(log)
        session = log.with_suffix(".ldapwb")
        runs.append(Grown(count, size, done.wall, done.cpu, done.peak, session.stat().st_size))
        share = runs[-1].session / size
        print(
            f"| {count:,} | {size / 1e6:,.0f} MB | {done.wall:.2f} s | {done.cpu:.2f} s "
            f"| {done.cpu / size * 1e9:.2f} s | {done.peak / 2**20:,.0f} MiB | {share:.3f} |",
            flush=True,
        )
        log.unlink()
        session.unlink()
        if plot is not None and len(runs) > 1:
            draw(runs, plot)


def scanner_alone(path: Path) -> float:
    """Bytes per second of processor time of the scanner on one core, best of seven."""
    data = path.read_bytes()
    pieces = [data[start : start + (8 << 20)] for start in range(0, len(data), 8 << 20)]
    times = []
    for _ in range(7):
        scanner = Scanner("389")
        began = time.thread_time()
        for piece in pieces:
            scanner.feed(piece)
        times.append(time.thread_time() - began)
    return len(data) / min(times)


def machine() -> str:
    """The processor, how many of them, memory, and what runs on it."""
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return (
        f"{model[1] if model else platform.machine()}, {os.cpu_count()} processors, "
        f"{pages / 2**30:.0f} GiB, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}"
    )


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--large", action="store_true", help="also ten copies, 1.6 GB")
    words.add_argument("--growth", action="store_true", help="import alone, to 10^8 lines")
    words.add_argument("--plot", type=Path, help="draw the growth into this SVG file")
    words.add_argument("--rounds", type=int, default=3, help="0 leaves the comparison out")
    asked = words.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="ldap-workbench-import-"))
    try:
        path = reference_log(folder)
        print(machine())
        if asked.rounds:
            compare(path, asked.rounds)
        print(f"\nscanner alone, one core: {scanner_alone(path) / 1e6:,.0f} MB/s of processor time")
        if asked.large:
            compare(copies(path, 10), 1)
        if asked.growth:
            growth(path, asked.plot)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
