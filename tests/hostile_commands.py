"""Run commands on session files in one process, as a person would one after the other.

python -m tests.hostile_commands FOLDER < commands: each is a JSON list of words; prints a JSON
object for each, with exit status, what was said, seconds of the processor, and the largest memory
of the process so far (bytes). {out} in words is a folder for what the command writes.
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


def report(out: Path, words: list[str]) -> dict[str, object]:
    """What became of a command."""
    out.mkdir()
    began = time.process_time()
    status, said = run([word.replace("{out}", str(out)) for word in words])
    # Not ru_maxrss: that of the process which started this one counts there, too.
    [peak] = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    took = time.process_time() - began
    return {"status": status, "said": said[:20000], "seconds": took, "peak": int(peak) << 10}


if __name__ == "__main__":
    stdout, folder = sys.stdout, Path(sys.argv[1])
    for number, line in enumerate(sys.stdin.read().splitlines()):
        stdout.write(json.dumps(report(folder / str(number), json.loads(line))) + "\n")
        stdout.flush()
