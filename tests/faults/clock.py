"""The clock of a host that is set in mid-command: of its log alone, or what `date` says as well.

Nobody sets the clock of the machine that the campaign runs on. The profile's log command prints the
server's log with the times it would have; `date` comes from a folder that a start-up file puts
first into the login's PATH.
"""

from __future__ import annotations

import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tests.faults.plain_log import Operation

_AHEAD_NS = 250_000_000
"""The step lies so far ahead when it is ordered: no line of after it is printed before that."""

_PRINTS = """
import datetime, functools, os, subprocess, sys

log, order = sys.argv[1:]
form = "[%d/%b/%Y:%H:%M:%S"
moment_ns, step = None, None

@functools.lru_cache
def moved(stamp):
    return (datetime.datetime.strptime(stamp, form) + step).strftime(form)

@functools.lru_cache
def seconds(stamp, zone):
    return int(datetime.datetime.strptime(stamp + zone, form + "%z").timestamp())

# A line or so of before, so that nothing is missing that is logged while this starts.
tail = subprocess.Popen(["tail", "-c", "100000", "-F", log], stdout=subprocess.PIPE, text=True)
for line in tail.stdout:
    if line[:1] != "[" or line[21] != ".":
        continue
    if step is None and os.path.exists(order):
        with open(order) as file:
            words = file.read().split()
        moment_ns, step = int(words[0]), datetime.timedelta(seconds=int(words[1]))
    if step is not None:
        time_ns = seconds(line[:21], line[32:37]) * 10**9 + int(line[22:31])
        if time_ns >= moment_ns:
            line = moved(line[:21]) + line[21:]
    print(line, end="", flush=True)
"""

_DATE = """\
#!/bin/sh
# The time of a host whose clock is set by what is written in `order`.
if read -r moment step 2>/dev/null <{order} && [ "$(/bin/date +%s%N)" -ge "$moment" ]; then
    exec /bin/date -d "$step seconds" "$@"
fi
exec /bin/date "$@"
"""


@dataclass(frozen=True)
class Step:
    """From `moment_ns` of the true time on the clock is wrong by `step_s`."""

    moment_ns: int
    step_s: int

    def logged(self, operation: tuple[int, Operation]) -> tuple[int, Operation]:
        """An operation (start, (end, connection, number)) with the times the log has."""
        start_ns, (end_ns, conn, op) = operation
        if end_ns < self.moment_ns:
            return operation
        step_ns = self.step_s * 10**9
        return start_ns + step_ns, (end_ns + step_ns, conn, op)


class Clock:
    """Files of a host whose clock can be set; `path` is for its login."""

    def __init__(self, folder: Path, log: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._order = folder / "order"
        self._program = folder / "print-log.py"
        self._log = log
        self.path = folder
        self.step: Step | None = None
        self._program.write_text(_PRINTS)
        date = folder / "date"
        date.write_text(_DATE.format(order=shlex.quote(str(self._order))))
        for file, mode in ((folder, 0o755), (self._program, 0o644), (date, 0o755)):
            file.chmod(mode)

    @property
    def log_command(self) -> str:
        words = [sys.executable, "-I", "-S", "-u", self._program, self._log, self._order]
        return shlex.join(map(str, words))

    def set(self, step_s: int) -> None:
        """Set it by so many seconds, in a moment; returns when that has passed."""
        self.step = Step(time.time_ns() + _AHEAD_NS, step_s)
        draft = self._order.with_suffix(".draft")
        draft.write_text(f"{self.step.moment_ns} {step_s}\n")
        draft.chmod(0o644)
        draft.rename(self._order)
        time.sleep(_AHEAD_NS / 1e9)

    def undo(self) -> None:
        """The true time again."""
        self._order.unlink(missing_ok=True)
        self.step = None
