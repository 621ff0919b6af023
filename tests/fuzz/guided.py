"""Fuzz the same readers with atheris, guided by their coverage:

    pip install atheris
    python -m tests.fuzz.guided FOLDER -max_total_time=300

Kept: of the kernel as of commit 57b77e5, 301 s on a busy machine were 1,390 inputs from the seeds,
and 240 s of `fuzz_logs` 2,201 mutations, without a crash. An earlier run (310 s, 7,410 inputs)
had found an empty audit log and a vmstat heading without 'sr', mended since. With wrappers and rare
columns, 300 s each on a machine at load 20: 798 mutations of `fuzz_logs`, 575 archives, no crash;
later, 180 s each at load 24, 246 and 200. With documents of JSON and CSV: docs/benchmarks.md.

FOLDER keeps the inputs that reached something new; the seeds are put there first. What is behind
it are libFuzzer's own options. atheris has wheels for Linux only and is no dependency; a failing
input is written to `crash-*` in the working folder, an input that takes long to `timeout-*`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris  # type: ignore[import-not-found]

with atheris.instrument_imports(include=["ldap_workbench"]):
    from tests.fuzz.fuzz_logs import SEEDS, one_input


def main(folder: Path, options: list[str]) -> None:
    """Fuzz until an option of libFuzzer says stop; the program ends there."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS):
        (folder / f"seed-{number:02}").write_bytes(seed)
    atheris.Setup([sys.argv[0], str(folder), "-timeout=20", *options], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
