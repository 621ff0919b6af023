"""Run one command on many session files in one process, as a person would one after the other.

python -m tests.hostile_commands FOLDER COMMAND [WORD...] < paths: prints a JSON object a file,
with exit status, what was said, seconds of the processor, and the largest memory of the process
so far (bytes).
{file} and {out} in words are the file, and a folder for what the command writes.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import time
from pathlib import Path

from ldap_workbench.cli.app import main


def run(words: list[str]) -> tuple[object, str]:
    """Exit status and all that was said."""
    said = io.StringIO()
    sys.argv = ["ldap-workbench", *words]
    status: object = None
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
        except BaseException as error:  # noqa: BLE001 - the test shows it
            status = f"raised {error!r}"
    return status, said.getvalue()


def report(folder: Path, words: list[str], number: int, path: str) -> dict[str, object]:
    """One file, with what became of it."""
    out = folder / str(number)
    out.mkdir()
    began = time.process_time()
    status, said = run([w.replace("{file}", path).replace("{out}", str(out)) for w in words])
    # Not ru_maxrss: that of the process which started this one counts there, too.
    [peak] = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    took = time.process_time() - began
    return {
        "path": path,
        "status": status,
        "said": said[:20000],
        "seconds": took,
        "peak": int(peak) << 10,
    }


if __name__ == "__main__":
    stdout, (place, *wanted) = sys.stdout, sys.argv[1:]
    for index, line in enumerate(sys.stdin.read().splitlines()):
        found = report(Path(place), wanted, index, line)
        stdout.write(json.dumps(found) + "\n")
        stdout.flush()
