"""Stacks of threads: gdb, pstack, gstack, eu-stack, coredumpctl, Solaris pstack, jstack of Java.

A series of dumps shows what threads do over time: the same thread in the same call in consecutive
dumps was there all the while between them. What grep found in many dumps is a series as well: each
line says its file, though not its thread.

Folded stacks: a line for each stack, its frames from the outermost inwards, and its samples.

    ns-slapd;start_thread;op_shared_search;id2entry;slapi_str2entry 12

Brendan Gregg's format: stackcollapse-perf.pl, bpftrace, py-spy, async-profiler and others write it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ldap_workbench.logs.reading.reports import Tally
from ldap_workbench.logs.reading.stamps import ctime, epoch_time, report_time

_THREAD = (
    re.compile(
        r"\"(?P<name>[^\"]*)\" (?:#\d+ |\[\d+\] |daemon |prio=|os_prio=).*\bnid=(?P<id>\w+)"
    ),
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
_SOLARIS_FRAME = re.compile(r"\s*[0-9a-f]{8,16} (?P<call>\S+)\s*\(")
_JAVA_FRAME = re.compile(
    r"\s+at (?:[\w.]+(?:@[\w.+-]+)?//?)?(?P<call>[A-Za-z][^\s(/]*(?:/0x[0-9a-f]+[^\s(]*)?)\("
)
_JAVA_DUMP = "Full thread dump"
_JAVA_END = re.compile(r"JNI global ref|Heap\b|Found (?:one|\d+) (?:Java-level )?deadlock")
"""What the JVM prints behind the threads: a deadlock has frames of threads that were shown."""
_NEW_DUMP = re.compile(r"\d+:\s+\S|core '|# (?:pstack|gstack|eu-stack)|PID \d+|\[New LWP|Attaching")
_GREP = re.compile(
    r"(?P<file>\S*[^\s:-])[:-](?P<line>\s*(?:-+\s+(?:lwp|thread)# ?\d+|(?:Thread |TID )\d+"
    r"|#\d+\s+0x[0-9a-f]+ in |[0-9a-f]{8,16} \S+\s*\().*)"
)
_LINE_NUMBER = re.compile(r"[:-]\d{1,5}$")
"""What grep -n prints behind a file's name; the time of day in a name has six digits."""
_REMARK = re.compile(
    r"\s*\[(?:Thread debugging|Inferior|IDLE|New )|Using host|warning:|Reading symbols|Detaching"
    r"|\s*Id +Target|#|\.\.\.|\(gdb\)|\$\d|\s+\S+ = "
)
_WAITING = (
    "pthread_cond_wait", "pthread_cond_timedwait", "futex", "poll", "epoll_wait", "select",
    "__pollsys", "__lwp_park", "sigsuspend", "accept", "__read", "nanosleep",
    "jdk.internal.misc.Unsafe.park", "sun.misc.Unsafe.park", "java.lang.Object.wait",
    "java.lang.Thread.sleep", "sun.nio.ch.EPoll", "sun.nio.ch.Net.accept", "sun.nio.ch.Net.poll",
    "sun.nio.ch.SocketDispatcher.read", "java.net.SocketInputStream.socketRead",
    "java.net.PlainSocketImpl.socketAccept",
)  # fmt: skip


UNNAMED = "?"
"""Id of a thread that is not told, as grep does not."""


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
    """All threads at one moment; `time_ns` None where nothing in the file says when.

    `file` is the name of the file it was in, where the text tells.
    """

    threads: tuple[Thread, ...]
    time_ns: int | None = None
    file: str = ""


@dataclass(frozen=True)
class Held:
    """A thread in the same call in `dumps` consecutive dumps, the first of them number `first`."""

    thread: str
    call: str
    first: int
    dumps: int


def read_stacks(data: bytes, zone_offset_ns: int = 0, tally: Tally | None = None) -> list[Dump]:
    """The dumps of a file, in order. A thread seen again begins the next dump.

    A line that is a date or an epoch, as a loop around pstack prints it, is the time of the dump
    that follows. `tally` is told what each line is.
    """
    reader = _Reader(zone_offset_ns, tally if tally is not None else Tally())
    for line in data.decode("utf-8", "replace").splitlines():
        reader.line(line)
    return reader.dumps()


class _Reader:
    def __init__(self, zone_offset_ns: int, tally: Tally) -> None:
        self._zone = zone_offset_ns
        self._tally = tally
        self._dumps: list[list[Thread]] = [[]]
        self._times: list[int | None] = [None]
        self._files: list[str] = [""]
        self._current: tuple[str, str] | None = None
        self._calls: list[str] = []
        self._java = False
        """Within a dump of a JVM, which prints states, locks and its heap between the frames."""

    def dumps(self) -> list[Dump]:
        self._close()
        recorded = zip(self._dumps, self._times, self._files, strict=True)
        return [
            Dump(tuple(threads), time_ns, file) for threads, time_ns, file in recorded if threads
        ]

    def line(self, line: str) -> None:
        if (grepped := _GREP.fullmatch(line)) is not None:
            self._in_file(_LINE_NUMBER.sub("", grepped["file"]))
            line = grepped["line"]
        if not line.strip():
            self._tally.set_aside("blank line")
        elif (time_ns := self._time(line)) is not None:
            self._close()
            self._next_dump()
            self._times[-1] = time_ns
            self._tally.understood()
        elif self._of_java(line) or self._thread(line) or self._frame(line):
            self._tally.understood()
        elif _NEW_DUMP.match(line):
            self._close()
            self._next_dump()
            self._tally.understood()
        elif self._java or _REMARK.match(line):
            self._tally.set_aside("remark of the debugger")
        else:
            self._tally.unknown()

    def _in_file(self, name: str) -> None:
        """What follows was found in the file of that name: a dump of its own."""
        if name != self._files[-1]:
            self._close()
            self._next_dump()
            self._files[-1] = name

    def _time(self, line: str) -> int | None:
        text = line.lstrip("#= ").rstrip("= ")
        for read in (report_time, ctime):
            if (time_ns := read(text, self._zone)) is not None:
                return time_ns
        return epoch_time(text)

    def _of_java(self, line: str) -> bool:
        """Take a line that begins or ends the threads of a JVM."""
        if line.startswith(_JAVA_DUMP):
            self._close()
            self._next_dump()
            self._java = True
        elif not self._java or not _JAVA_END.match(line):
            return False
        else:
            self._close()
        return True

    def _thread(self, line: str) -> bool:
        """Take a line that begins a thread, or is one of gdb's table."""
        if info := _INFO.match(line):
            self._begin(info["id"], info["name"] or "")
            self._calls.append(_call(info["frame"]))
            self._close()
        elif (match := _thread(line)) is not None:
            groups = match.groupdict()
            name = groups.get("name") or ""
            self._begin(name if groups["id"] == "na" else groups["id"], name)
        else:
            return False
        return True

    def _frame(self, line: str) -> bool:
        frame = _FRAME.match(line) or _SOLARIS_FRAME.match(line)
        if frame is None and self._current is not None:
            frame = _JAVA_FRAME.match(line)
        if frame is None:
            return False
        if self._current is None:
            self._current = (UNNAMED if self._files[-1] else "1", "")
        self._calls.append(_symbol(frame["call"]))
        return True

    def _begin(self, thread: str, name: str) -> None:
        self._close()
        self._current = (thread, name)

    def _next_dump(self) -> None:
        if self._dumps[-1]:
            self._dumps.append([])
            self._times.append(None)
            self._files.append("")

    def _close(self) -> None:
        if self._current is not None:
            if any(thread.id == self._current[0] for thread in self._dumps[-1]):
                self._next_dump()
            self._dumps[-1].append(Thread(*self._current, tuple(self._calls)))
        self._current, self._calls = None, []


def _thread(line: str) -> re.Match[str] | None:
    return next((match for pattern in _THREAD if (match := pattern.match(line))), None)


def _call(frame: str) -> str:
    """The function in a frame of gdb's table: '0x7f.. in f (..)' or 'f (..)'."""
    text = frame.split(" in ", 1)[-1] if frame.startswith("0x") else frame
    return _symbol(text.split("(")[0].strip() or "??")


def _symbol(call: str) -> str:
    """A function's name without its version; unknown ones are all alike."""
    name = call.split("@@")[0].split("+0x")[0]
    name = re.sub(r"/0x[0-9a-f]+", "", name)  # of a lambda of Java, another in each process
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
        for thread, stay in list(running.items()):
            if now.get(thread) != stay.call:
                ended.append(running.pop(thread))
        for thread, call in now.items():
            before = running.get(thread)
            first = before.first if before else number
            running[thread] = Held(thread, call, first, number - first + 1)
    ended += running.values()
    return sorted(
        (stay for stay in ended if stay.dumps > 1), key=lambda h: (-h.dumps, h.first, h.thread)
    )


Folded = Mapping[tuple[str, ...], int]
"""Samples of each stack, its frames from the outermost inwards."""

MOST_STACKS = 5_000
"""Stacks told apart, those with the most samples; a profile of a busy server has hundreds."""
DEEPEST = 128
"""Frames of a stack, counted from the outermost."""
OTHERS = ("(other stacks)",)
_UNKNOWN = "[unknown]"
_NAME = 200
_MOST_TEXT = 8 << 20
"""Characters of all stacks together."""
_DIGITS = 15
_LINE = re.compile(r"(?P<frames>\S.*?) (?P<count>\d+)\s*")
_ADDRESS = re.compile(r"\[?0x[0-9a-f]+\]?|[0-9a-f]{8,16}")
_NUMBERED = re.compile(r" (?=\d+$)")
"""A number at the end of a name, which would be read as a count."""
_TWO_COUNTS = re.compile(r".* \d+ \d+\s*")


def read_folded(data: bytes, tally: Tally | None = None) -> Folded:
    """The samples of each stack, within bounds; `tally` is told what each line is.

    A line with two counts, as difffolded.pl writes it, is not understood: which of them counts?
    """
    tally = tally if tally is not None else Tally()
    stacks: Counter[tuple[str, ...]] = Counter()
    for line in data.decode("utf-8", "replace").splitlines():
        match = _LINE.fullmatch(line)
        if not line.strip():
            tally.set_aside("blank line")
        elif match is None or _TWO_COUNTS.fullmatch(line) or len(match["count"]) > _DIGITS:
            tally.unknown()
        else:
            tally.understood()
            stacks[_frames(match["frames"].split(";"))] += int(match["count"])
    return bounded(stacks)


def fold(dumps: Iterable[Dump]) -> list[Folded]:
    """Each dump of threads as a profile: a sample is a thread."""
    profiles = []
    for dump in dumps:
        stacks = Counter(_frames(thread.calls[::-1]) for thread in dump.threads if thread.calls)
        profiles.append(bounded(stacks))
    return profiles


def bounded(stacks: Counter[tuple[str, ...]]) -> Folded:
    """The stacks with the most samples, and all others as one."""
    largest: dict[tuple[str, ...], int] = {}
    text = rest = 0
    for stack, count in sorted(stacks.items(), key=lambda item: (-item[1], item[0])):
        text += sum(map(len, stack))
        if not count:
            continue
        if len(largest) < MOST_STACKS and text <= _MOST_TEXT:
            largest[stack] = count
        else:
            rest += count
    return largest | ({OTHERS: largest.get(OTHERS, 0) + rest} if rest else {})


def folded_text(folded: Folded) -> bytes:
    """What `read_folded` reads, an empty line at its end: where the next profile begins."""
    lines = [f"{';'.join(stack)} {count}\n" for stack, count in folded.items()]
    return "".join([*lines, "\n"]).encode()


def profiles_in(text: bytes) -> list[Folded]:
    """The profiles of a text in which each ends with an empty line."""
    profiles = (read_folded(part) for part in text.split(b"\n\n"))
    return [folded for folded in profiles if folded]


def _frames(names: Iterable[str]) -> tuple[str, ...]:
    """Names without what would break a line; an address is another at each start of a server."""
    shortened = []
    for name in list(names)[:DEEPEST]:
        short = _NUMBERED.sub("_", " ".join(name.replace(";", ":").split())[:_NAME].strip())
        shortened.append(_UNKNOWN if not short or _ADDRESS.fullmatch(short) else short)
    return tuple(shortened)
