"""The commands of the practice host: what the workbench sends, and what people try."""

from __future__ import annotations

import fnmatch
import itertools
import os
import posixpath
import re
import shlex
import stat
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from ldap_workbench.practice.host import DEVICE, HostError, PracticeHost
from ldap_workbench.practice.iostat import iostat, vmstat

NOT_FOUND = 127
PIECE = 1 << 18


@dataclass
class Call:
    """One run of a command: who asks, its outputs, its input, and the wish that it end."""

    host: PracticeHost
    out: Callable[[bytes], None]
    err: Callable[[bytes], None]
    stdin: Callable[[], bytes]
    """Everything sent to the command, up to its end."""
    ended: threading.Event
    """Set when the client has closed the channel, or its end of a watched command's stdin."""
    watch: Callable[[], None]
    """Let the end of stdin end the command."""
    restart: Callable[[str], int]
    root: bool = False
    environment: dict[str, str] = field(default_factory=dict)

    def say(self, text: str) -> None:
        self.out(text.encode())

    def fail(self, text: str, status: int = 1) -> int:
        self.err(f"{text}\n".encode())
        return status


Command = Callable[[Call, list[str]], int]


class Commands:
    """Runs command lines; those nobody knows end with 127 and are kept in `unknown`."""

    def __init__(self) -> None:
        self.unknown: list[str] = []

    def run(self, call: Call, line: str) -> int:
        """Run one command line and return its exit status."""
        try:
            argv = shlex.split(line)
        except ValueError as error:
            return call.fail(f"sh: 1: Syntax error: {error}", 2)
        return self.run_words(call, argv)

    def run_words(self, call: Call, argv: list[str]) -> int:
        if not argv:
            return 0
        name, arguments = posixpath.basename(argv[0]), argv[1:]
        if name in ("sudo", "env", "sh", "bash", "nice", "ionice"):
            return getattr(self, f"_{'sh' if name == 'bash' else name}")(call, arguments)  # type: ignore[no-any-return]
        if name not in _COMMANDS or any(word in ("|", ";", "&&", ">", "<") for word in argv):
            self.unknown.append(shlex.join(argv))
            return call.fail(f"sh: 1: {argv[0]}: not found", NOT_FOUND)
        try:
            return _COMMANDS[name](call, arguments)
        except HostError as error:
            return call.fail(f"{name}: {_last_path(arguments)}: {error}")

    def _sudo(self, call: Call, argv: list[str]) -> int:
        while argv and argv[0].startswith("-"):
            option, argv = argv[0], argv[1:]
            if option == "--":
                break
        return self.run_words(replace(call, root=True), argv)

    def _env(self, call: Call, argv: list[str]) -> int:
        environment = dict(call.environment)
        while argv and "=" in argv[0]:
            name, _, value = argv[0].partition("=")
            environment[name] = value
            argv = argv[1:]
        return self.run_words(replace(call, environment=environment), argv)

    def _nice(self, call: Call, argv: list[str]) -> int:
        while argv and (argv[0].startswith("-") or argv[0].isdigit()):
            argv = argv[1:]
        return self.run_words(call, argv)

    _ionice = _nice

    def _sh(self, call: Call, argv: list[str]) -> int:
        """The two scripts of the workbench, known by what they do, and single commands."""
        if len(argv) < 2 or argv[0] != "-c":
            return call.fail("sh: only -c is known here", 2)
        script, parameters = argv[1], argv[3:]
        if '"$@"' in script and "wait" in script:
            call.watch()
            return self.run_words(call, parameters)
        if "stat -L -c" in script and "tail -c" in script and "head -c" in script:
            return _read_piece(call, parameters)
        return self.run(call, script)


def _last_path(arguments: list[str]) -> str:
    paths = [word for word in arguments if word.startswith("/")]
    return paths[-1] if paths else ""


def _read_piece(call: Call, parameters: list[str]) -> int:
    """Inode and size of a file on one line, then bytes of it: PATH FIRST-BYTE-FROM-1 COUNT."""
    path, first, count = parameters[0], int(parameters[1]), int(parameters[2])
    try:
        real = call.host.real(path, root=call.root)
    except HostError as error:
        return call.fail(f"sh: 1: cannot open {path}: {error}", 2)
    if real is None:
        return call.fail(f"sh: 1: cannot open {path}: No such file", 2)
    with real.open("rb") as file:
        found = _file_status(file)
        call.say(f"{found[0]} {found[1]}\n")
        file.seek(max(0, first - 1))
        _copy(file, call, count)
    return 0


def _file_status(file: BinaryIO) -> tuple[int, int]:
    status = os.fstat(file.fileno())
    return status.st_ino, status.st_size


def _copy(file: BinaryIO, call: Call, count: int) -> None:
    while count > 0 and not call.ended.is_set():
        data = file.read(min(count, PIECE))
        if not data:
            return
        call.out(data)
        count -= len(data)


def _files(arguments: list[str]) -> list[str]:
    return [word for word in arguments if word.startswith("/")]


def _cat(call: Call, arguments: list[str]) -> int:
    for path in _files(arguments):
        real = call.host.real(path, root=call.root)
        if real is None:
            call.out(call.host.read(path, root=call.root))
        else:
            with real.open("rb") as file:
                _copy(file, call, 1 << 62)
    return 0


def _tail(call: Call, arguments: list[str]) -> int:
    """tail [-c +N|-c N|-n N] [-f|-F] FILE"""
    path = _files(arguments)[-1]
    text = " ".join(arguments)
    real = call.host.real(path, root=call.root)
    data = call.host.read(path, root=call.root)
    if found := re.search(r"-c ?(\+?)(\d+)", text):
        n = int(found[2])
        start = n - 1 if found[1] else max(0, len(data) - n)
    else:
        lines = re.search(r"-n ?(\d+)", text)
        kept = data.splitlines(keepends=True)[-(int(lines[1]) if lines else 10) :]
        start = len(data) - sum(map(len, kept))
    call.out(data[start:])
    if real and re.search(r"-[fF]|--follow", text):
        with real.open("rb") as file:
            file.seek(len(data))
            while not call.ended.wait(0.1):
                _copy(file, call, 1 << 62)
    return 0


def _head(call: Call, arguments: list[str]) -> int:
    data = call.host.read(_files(arguments)[-1], root=call.root)
    if found := re.search(r"-c ?(\d+)", " ".join(arguments)):
        call.out(data[: int(found[1])])
    else:
        lines = re.search(r"-n ?(\d+)", " ".join(arguments))
        call.out(b"".join(data.splitlines(keepends=True)[: int(lines[1]) if lines else 10]))
    return 0


def _dd(call: Call, arguments: list[str]) -> int:
    """dd if=PATH bs=N skip=N count=N, in bytes with iflag=skip_bytes,count_bytes."""
    options = dict(word.partition("=")[::2] for word in arguments)
    flags = options.get("iflag", "")
    block = _size(options.get("bs", "512"))
    skip = int(options.get("skip", "0")) * (1 if "skip_bytes" in flags else block)
    count = int(options.get("count", str(1 << 40))) * (1 if "count_bytes" in flags else block)
    real = call.host.real(options["if"], root=call.root)
    if real is None:
        call.out(call.host.read(options["if"], root=call.root)[skip : skip + count])
        return 0
    with real.open("rb") as file:
        file.seek(skip)
        _copy(file, call, count)
    return 0


def _size(text: str) -> int:
    scale = {"K": 1024, "M": 1024**2, "G": 1024**3}.get(text[-1:].upper(), 1)
    return int(text.rstrip("KMGkmg")) * scale


def _tee(call: Call, arguments: list[str]) -> int:
    text = call.stdin()
    call.out(text)
    for path in _files(arguments):
        call.host.write(path, text.decode("utf-8", "replace"), root=call.root)
    return 0


def _stat(call: Call, arguments: list[str]) -> int:
    """stat [-L] -c FORMAT FILE..., with %i %s %n %Y %a %F."""
    form = "%n %s"
    for before, word in itertools.pairwise(arguments):
        form = word if before in ("-c", "--format", "-Lc") else form
    for path in _files(arguments):
        found = call.host.status(path, root=call.root)
        kind = "directory" if stat.S_ISDIR(found.mode) else "regular file"
        values = {
            "%i": found.inode, "%s": found.size, "%n": path, "%Y": found.modified,
            "%a": f"{stat.S_IMODE(found.mode):o}", "%F": kind, "%U": "dirsrv", "%G": "dirsrv",
        }  # fmt: skip
        call.say(re.sub("%[a-zA-Z]", lambda m: str(values.get(m[0], m[0])), form) + "\n")
    return 0


def _ls(call: Call, arguments: list[str]) -> int:
    paths = [word for word in arguments if not word.startswith("-")] or ["/"]
    long = any("l" in word for word in arguments if word.startswith("-"))
    for path in paths:
        for name in call.host.names(path) or [path]:
            where = posixpath.join(path, name)
            if not long:
                call.say(f"{name}\n")
                continue
            found = call.host.status(where, root=call.root)
            when = time.strftime("%b %e %H:%M", time.gmtime(found.modified))
            call.say(f"{stat.filemode(found.mode)} 1 root root {found.size:>9} {when} {name}\n")
    return 0


def _find(call: Call, arguments: list[str]) -> int:
    """find FOLDER -maxdepth 1 -name PATTERN [-printf FORMAT], with %f %i %s %p."""
    options = dict(zip(arguments[1::2], arguments[2::2], strict=False))
    folder, form = arguments[0], options.get("-printf", "%p\\n")
    if folder.startswith("/var/log/dirsrv") and not call.root:
        raise HostError("Permission denied")
    for name in call.host.names(folder):
        if fnmatch.fnmatch(name, options.get("-name", "*")):
            text, path = form, posixpath.join(folder, name)
            found = call.host.status(path, root=call.root)
            values = {"%f": name, "%i": found.inode, "%s": found.size, "%p": path, "\\n": "\n"}
            for sign, value in values.items():
                text = text.replace(sign, str(value))
            call.say(text)
    return 0


def _date(call: Call, arguments: list[str]) -> int:
    ns = call.host.engine.clock.now_ns()
    whole, fraction = divmod(ns, 1_000_000_000)
    wanted = [word[1:] for word in arguments if word.startswith("+")]
    form = wanted[0] if wanted else "%a %b %e %H:%M:%S UTC %Y"
    form = form.replace("%s", str(whole)).replace("%N", f"{fraction:09d}")
    form = form.replace("%z", "+0000").replace("%Z", "UTC")
    call.say(time.strftime(form, time.gmtime(whole)) + "\n")
    return 0


def _iostat(call: Call, arguments: list[str]) -> int:
    if "-V" in arguments:
        call.say("sysstat version 12.6.1 (practice simulation)\n")
        return 0
    iso = call.environment.get("S_TIME_FORMAT") == "ISO"
    return iostat(call.host.engine, arguments, call.say, call.ended.wait, iso=iso)


def _vmstat(call: Call, arguments: list[str]) -> int:
    return vmstat(call.host.engine, arguments, call.say, call.ended.wait)


def _df(call: Call, arguments: list[str]) -> int:
    if "--output=source" in arguments:
        call.say(f"Filesystem\n/dev/{DEVICE}1\n")
    else:
        call.say("Filesystem     1K-blocks     Used Available Use% Mounted on\n")
        call.say(f"/dev/{DEVICE}1      264211888 58593750 205618138  22% /\n")
    return 0


def _lsblk(call: Call, arguments: list[str]) -> int:
    call.say(f"{DEVICE}\n" if "PKNAME" in " ".join(arguments) else f"{DEVICE}\n{DEVICE}1\n")
    return 0


def _findmnt(call: Call, arguments: list[str]) -> int:
    call.say(f"/dev/{DEVICE}1\n" if "SOURCE" in arguments else f"/ /dev/{DEVICE}1 ext4 rw\n")
    return 0


def _nproc(call: Call, _: list[str]) -> int:
    call.say(f"{call.host.engine.scenario.host.cores}\n")
    return 0


def _uname(call: Call, arguments: list[str]) -> int:
    flags = "".join(word.lstrip("-") for word in arguments) or "s"
    parts = {"s": "Linux", "n": "practice", "r": "6.1.0-practice", "m": "x86_64"}
    call.say(" ".join(v for k, v in parts.items() if k in flags or "a" in flags) + "\n")
    return 0


def _sleep(call: Call, arguments: list[str]) -> int:
    call.ended.wait(call.host.engine.clock.wall_seconds(float(arguments[0])))
    return 0


def _systemctl(call: Call, arguments: list[str]) -> int:
    """systemctl restart|stop|start|is-active dirsrv@practice; dsctl practice restart ..."""
    verbs = [word for word in arguments if word in ("restart", "stop", "start", "is-active")]
    if not verbs or not any("practice" in word for word in arguments):
        return call.fail("Failed: only the instance 'practice' is here.", 5)
    if verbs[0] == "is-active":
        call.say("active\n" if call.host.engine.running else "inactive\n")
        return 0 if call.host.engine.running else 3
    if not call.root:
        return call.fail("Failed: Access denied", 4)
    return call.restart(verbs[0])


def _echo(call: Call, arguments: list[str]) -> int:
    call.say(" ".join(arguments) + "\n")
    return 0


def _id(call: Call, arguments: list[str]) -> int:
    name, number = ("root", 0) if call.root else ("operator", 1000)
    if "-u" in arguments:
        call.say(f"{number}\n")
    else:
        call.say(f"uid={number}({name}) gid={number}({name})\n")
    return 0


def _true(_: Call, __: list[str]) -> int:
    return 0


def _hostname(call: Call, _: list[str]) -> int:
    call.say("practice\n")
    return 0


_COMMANDS: dict[str, Command] = {
    "cat": _cat, "tail": _tail, "head": _head, "dd": _dd, "tee": _tee, "stat": _stat, "ls": _ls,
    "find": _find, "date": _date, "iostat": _iostat, "vmstat": _vmstat, "df": _df,
    "lsblk": _lsblk, "findmnt": _findmnt, "nproc": _nproc, "uname": _uname, "sleep": _sleep,
    "systemctl": _systemctl, "dsctl": _systemctl, "echo": _echo, "id": _id, "true": _true,
    "hostname": _hostname,
}  # fmt: skip
