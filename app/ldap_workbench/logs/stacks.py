"""Stacks of threads: gdb, pstack, gstack, eu-stack, coredumpctl, Solaris pstack.

A series of dumps shows what threads do over time: the same thread in the same call in consecutive
dumps was there all the while between them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

_THREAD = (
    re.compile(
        r"[* ]*\d*\s*Thread (?P<n>\d+) \((?:Thread )?\S+ \(LWP (?P<id>\d+)\)"
        r"(?: \"(?P<name>[^\"]*)\")?"
    ),
    re.compile(r"\s*Thread (?P<n>\d+) \(LWP (?P<id>\d+)\)"),
    re.compile(r"\s*Thread (?P<n>\d+) \(process (?P<id>\d+)\)"),
    re.compile(r"-+\s+lwp# ?\d+ / thread# ?(?P<id>\d+)\s*(?:\((?P<name>[^)]*)\))? ?-"),
    re.compile(r"-+\s+thread# ?(?P<id>\d+)"),
    re.compile(r"\s*Stack trace of thread (?P<id>\d+):"),
    re.compile(r"TID (?P<id>\d+):"),
)  # fmt: skip
_INFO = re.compile(
    r"[* ]+\d+\s+Thread \S+ \(LWP (?P<id>\d+)\)(?: \"(?P<name>[^\"]*)\")?\s+(?P<frame>.*)"
)
_FRAME = re.compile(r"\s*#\d+\s+(?:0x[0-9a-f]+ in |0x[0-9a-f]+ )?(?:\[[^\]]*\] )?(?P<call>[^\s(]+)")
_SOLARIS_FRAME = re.compile(r"\s+[0-9a-f]{8,16} (?P<call>\S+)\s*\(")
_NEW_DUMP = re.compile(r"\d+:\s+\S|core '|# (?:pstack|gstack|eu-stack)|PID \d+|\[New LWP|Attaching")
_WAITING = (
    "pthread_cond_wait", "pthread_cond_timedwait", "futex", "poll", "epoll_wait", "select",
    "__pollsys", "__lwp_park", "sigsuspend", "accept", "__read", "nanosleep",
)  # fmt: skip


@dataclass(frozen=True)
class Thread:
    """One thread of one dump: calls from the innermost outwards."""

    id: str
    name: str
    calls: tuple[str, ...]

    @property
    def waiting(self) -> bool:
        """Whether it waits for somebody rather than works."""
        return bool(self.calls) and self.calls[0].lstrip("_").startswith(
            tuple(call.lstrip("_") for call in _WAITING)
        )


@dataclass(frozen=True)
class Dump:
    """All threads at one moment."""

    threads: tuple[Thread, ...]


@dataclass(frozen=True)
class Held:
    """A thread in the same call in `dumps` consecutive dumps, the first of them number `first`."""

    thread: str
    call: str
    first: int
    dumps: int


def read_stacks(data: bytes) -> list[Dump]:
    """The dumps of a file, in order. A thread seen again begins the next dump."""
    dumps: list[list[Thread]] = [[]]
    current: tuple[str, str] | None = None
    calls: list[str] = []

    def close() -> None:
        nonlocal current, calls
        if current is not None:
            if any(thread.id == current[0] for thread in dumps[-1]):
                dumps.append([])
            dumps[-1].append(Thread(*current, tuple(calls)))
        current, calls = None, []

    for line in data.decode("utf-8", "replace").splitlines():
        if info := _INFO.match(line):
            close()
            current = (info["id"], info["name"] or "")
            calls = [_call(info["frame"])]
            close()
        elif (match := _thread(line)) is not None:
            close()
            groups = match.groupdict()
            current = (groups["id"], groups.get("name") or "")
        elif frame := (_FRAME.match(line) or _SOLARIS_FRAME.match(line)):
            if current is None:
                current = ("1", "")
            calls.append(_symbol(frame["call"]))
        elif _NEW_DUMP.match(line):
            close()
            if dumps[-1]:
                dumps.append([])
    close()
    return [Dump(tuple(threads)) for threads in dumps if threads]


def _thread(line: str) -> re.Match[str] | None:
    return next((match for pattern in _THREAD if (match := pattern.match(line))), None)


def _call(frame: str) -> str:
    """The function in a frame of gdb's table: '0x7f.. in f (..)' or 'f (..)'."""
    text = frame.split(" in ", 1)[-1] if frame.startswith("0x") else frame
    return _symbol(text.split("(")[0].strip() or "??")


def _symbol(call: str) -> str:
    """A function's name without its version; unknown ones are all alike."""
    name = call.split("@@")[0].split("+0x")[0]
    return "??" if set(name) <= {"?"} else name


def top_calls(dumps: list[Dump], depth: int = 3) -> Counter[tuple[str, ...]]:
    """How many threads of all dumps are in which innermost calls."""
    return Counter(
        thread.calls[:depth] for dump in dumps for thread in dump.threads if thread.calls
    )


def held_calls(dumps: list[Dump]) -> list[Held]:
    """Calls in which a thread stayed over consecutive dumps, longest first; waiting is left out."""
    running: dict[str, Held] = {}
    ended: list[Held] = []
    for number, dump in enumerate(dumps):
        now = {t.id: t.calls[0] for t in dump.threads if t.calls and not t.waiting}
        for thread, held in list(running.items()):
            if now.get(thread) != held.call:
                ended.append(running.pop(thread))
        for thread, call in now.items():
            before = running.get(thread)
            first = before.first if before else number
            running[thread] = Held(thread, call, first, number - first + 1)
    ended += running.values()
    return sorted(
        (held for held in ended if held.dumps > 1), key=lambda h: (-h.dumps, h.first, h.thread)
    )
