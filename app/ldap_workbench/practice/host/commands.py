"""Command lines on the practice host: what the workbench sends, and what people try.

The scripts that read logs are played on the practice host's real files.
"""

from __future__ import annotations

import base64
import os
import posixpath
import shlex
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ldap_workbench.practice.host.file_commands import FILE_COMMANDS, copy_file
from ldap_workbench.practice.host.files import DEVICE, Call, Command, HostError
from ldap_workbench.practice.host.iostat import iostat, vmstat
from ldap_workbench.practice.model.caches import DATABASE_BYTES

NOT_FOUND = 127
_HEAD = 2048
_MOST = 2 << 20
_BACK = 256
_MOVED, _CUT_SHORT = 75, 76


class Commands:
    """Runs command lines; those nobody knows end with 127 and are kept in `unknown`."""

    def __init__(self) -> None:
        self.unknown: list[str] = []
        self._wrappers: dict[str, Command] = {
            "sudo": self._sudo,
            "env": self._env,
            "sh": self._sh,
            "bash": self._sh,
            "nice": self._nice,
            "ionice": self._nice,
        }

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
        if name in self._wrappers:
            return self._wrappers[name](call, arguments)
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

    def _sh(self, call: Call, argv: list[str]) -> int:
        """The scripts of the workbench, known by what they do, and single commands."""
        if len(argv) < 2 or argv[0] != "-c":
            return call.fail("sh: only -c is known here", 2)
        script, parameters = argv[1], argv[3:]
        if '"$@"' in script and "<&3" in script:  # connect/children.py
            call.watch()
            return self.run_words(call, parameters)
        if script.startswith("for p in zstd gzip"):
            return 0  # nothing to pack with
        if "/proc/[0-9]*/stat" in script:
            return 0  # no processes to tell of
        played = _log_script(call, argv[2], parameters) if parameters else None
        return self.run(call, script) if played is None else played


def _last_path(arguments: list[str]) -> str:
    paths = [word for word in arguments if word.startswith("/")]
    return paths[-1] if paths else ""


def _log_script(call: Call, name: str, words: list[str]) -> int | None:
    """Play a script known by its name; None where it is none of these."""
    scripts: dict[str, Callable[..., int]] = {
        "follow-log": _follow,
        "list-logs": _list,
        "read-logs": _read,
    }
    return scripts[name](call, *words) if name in scripts else None


def _follow(call: Call, path: str, inode: str, known: str, _: str, pause: str) -> int:
    """FOLLOW of capture/past/host_files.py."""
    try:
        real = _real(call, path)
    except HostError as error:
        return _MOVED if "No such" in str(error) else call.fail(f"sh: 1: {path}: {error}", 2)
    with real.open("rb") as file:
        if os.fstat(file.fileno()).st_ino != int(inode):
            return _MOVED
        at = int(known)
        while not call.ended.is_set():
            left = _replaced(real, int(inode))
            status = os.fstat(file.fileno())
            count = min(status.st_size - at, _MOST)
            if count < 0:
                return _CUT_SHORT
            back = min(at, _BACK)
            at += count
            size, written, up = status.st_size, int(status.st_mtime), int(time.monotonic())
            call.say(f"{count} {back} {at} {size} {written} {up}\n")
            if count:
                file.seek(at - count - back)
                copy_file(file, call, back + count)
            if at < status.st_size:
                continue
            if left or pause == "0":
                return _MOVED if left else 0
            call.ended.wait(float(pause))
    return 0


def _replaced(real: Path, inode: int) -> bool:
    try:
        status = real.stat()
    except FileNotFoundError:
        return False
    return status.st_ino != inode and status.st_size > 0


def _list(call: Call, path: str, since: str) -> int:
    folder, name = posixpath.split(path)
    heads: list[bytes] = []
    for entry in call.host.names(folder):
        if not entry.startswith(name):
            continue
        try:
            with _real(call, posixpath.join(folder, entry)).open("rb") as file:
                status = os.fstat(file.fileno())
                head = file.read(min(status.st_size, _HEAD))
        except (FileNotFoundError, HostError):
            continue  # rotated away or not ours to read, as the real script finds it
        if entry == name or status.st_mtime > int(since):
            meta = f"{status.st_ino} {status.st_size} {status.st_mtime:.9f} 0 - - +0000"
            call.say(f"{meta}\n{posixpath.join(folder, entry)}\n")
            heads.append(head)
    call.say(f"\0{base64.b64encode(b''.join(heads)).decode()}\0whole\0")
    return 0


def _read(call: Call, path: str, inode: str, *words: str) -> int:
    _, first, count, *_ = words
    try:
        real = _real(call, path)
    except HostError:
        return _MOVED
    with real.open("rb") as file:
        if os.fstat(file.fileno()).st_ino != int(inode):
            return _MOVED
        file.seek(int(first) - 1)
        copy_file(file, call, int(count))
    return 0


def _real(call: Call, path: str) -> Path:
    real = call.host.real(path, root=call.root)
    if real is None:
        raise HostError("No such file or directory")
    return real


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


def _du(call: Call, _: list[str]) -> int:
    """The size of the database: its entries with their indexes."""
    users = call.host.engine.scenario.workload.users
    call.say(f"{int(users * DATABASE_BYTES)}\t/var/lib/dirsrv/slapd-practice/db\n")
    return 0


def _df(call: Call, arguments: list[str]) -> int:
    if "--output=source" in arguments:
        call.say(f"Filesystem\n/dev/{DEVICE}1\n")
    else:
        call.say("Filesystem     1K-blocks     Used Available Use% Mounted on\n")
        call.say(f"/dev/{DEVICE}1      264211888 58593750 205618138  22% /\n")
    return 0


def _lsblk(call: Call, arguments: list[str]) -> int:
    if "KNAME,TYPE" in arguments:
        call.say(f"{DEVICE}1 part\n{DEVICE} disk\n")
        return 0
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
    if {"-un", "-gn"} & set(arguments):
        call.say(f"{name}\n")
    elif {"-u", "-g"} & set(arguments):
        call.say(f"{number}\n")
    else:
        call.say(f"uid={number}({name}) gid={number}({name})\n")
    return 0


def _true(_: Call, __: list[str]) -> int:
    return 0


def _test(call: Call, arguments: list[str]) -> int:
    """test -d PATH, test -x PATH: folders are here, programs are not."""
    return 0 if arguments[:1] == ["-d"] and call.host.names(arguments[-1]) else 1


def _hostname(call: Call, _: list[str]) -> int:
    call.say("practice\n")
    return 0


_HOST_COMMANDS: dict[str, Command] = {
    "date": _date,
    "iostat": _iostat,
    "vmstat": _vmstat,
    "df": _df,
    "du": _du,
    "lsblk": _lsblk,
    "findmnt": _findmnt,
    "nproc": _nproc,
    "uname": _uname,
    "sleep": _sleep,
    "systemctl": _systemctl,
    "dsctl": _systemctl,
    "echo": _echo,
    "id": _id,
    "true": _true,
    "sync": _true,
    "test": _test,
    "hostname": _hostname,
}
_COMMANDS = {**FILE_COMMANDS, **_HOST_COMMANDS}
