"""Commands that read, list and set files of the practice host."""

from __future__ import annotations

import fnmatch
import itertools
import posixpath
import re
import stat
import time
from collections.abc import Mapping
from typing import BinaryIO

from ldap_workbench.practice.host.files import Call, Command, HostError

PIECE = 1 << 18


def copy_file(file: BinaryIO, call: Call, count: int) -> None:
    """Up to `count` bytes of a file from where it stands, until the command is ended."""
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
                copy_file(file, call, 1 << 62)
    return 0


def _grep(call: Call, arguments: list[str]) -> int:
    """grep -H '' FILE...: every line with its file before it."""
    status = 0
    for path in _files(arguments):
        try:
            lines = call.host.read(path, root=call.root).splitlines(keepends=True)
        except HostError as error:
            status = call.fail(f"grep: {path}: {error}", 2)
            continue
        for line in lines:
            call.out(path.encode() + b":" + line)
    return status


def _tail(call: Call, arguments: list[str]) -> int:
    """tail [-c +N|-c N|-n N] [-f|-F] FILE."""
    path = _files(arguments)[-1]
    text = " ".join(arguments)
    real = call.host.real(path, root=call.root)
    data = call.host.read(path, root=call.root)
    if match := re.search(r"-c ?(\+?)(\d+)", text):
        n = int(match[2])
        start = n - 1 if match[1] else max(0, len(data) - n)
    else:
        lines = re.search(r"-n ?(\d+)", text)
        tail = data.splitlines(keepends=True)[-(int(lines[1]) if lines else 10) :]
        start = len(data) - sum(map(len, tail))
    call.out(data[start:])
    if real and re.search(r"-[fF]|--follow", text):
        with real.open("rb") as file:
            file.seek(len(data))
            while not call.ended.wait(0.1):
                copy_file(file, call, 1 << 62)
    return 0


def _head(call: Call, arguments: list[str]) -> int:
    data = call.host.read(_files(arguments)[-1], root=call.root)
    if match := re.search(r"-c ?(\d+)", " ".join(arguments)):
        call.out(data[: int(match[1])])
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
        copy_file(file, call, count)
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
        status = call.host.status(path, root=call.root)
        kind = "directory" if stat.S_ISDIR(status.mode) else "regular file"
        values = {
            "%i": status.inode, "%s": status.size, "%n": path, "%Y": status.modified,
            "%a": f"{stat.S_IMODE(status.mode):o}", "%F": kind, "%U": "dirsrv", "%G": "dirsrv",
        }  # fmt: skip
        call.say(_filled(form, values) + "\n")
    return 0


def _filled(form: str, values: Mapping[str, object]) -> str:
    for sign, value in values.items():
        form = form.replace(sign, str(value))
    return form


def _ls(call: Call, arguments: list[str]) -> int:
    paths = [word for word in arguments if not word.startswith("-")] or ["/"]
    long = any("l" in word for word in arguments if word.startswith("-"))
    for path in paths:
        for name in call.host.names(path) or [path]:
            where = posixpath.join(path, name)
            if not long:
                call.say(f"{name}\n")
                continue
            status = call.host.status(where, root=call.root)
            when = time.strftime("%b %e %H:%M", time.gmtime(status.modified))
            call.say(f"{stat.filemode(status.mode)} 1 root root {status.size:>9} {when} {name}\n")
    return 0


def _find(call: Call, arguments: list[str]) -> int:
    """find FOLDER -maxdepth 1 -name PATTERN [-printf FORMAT], with %f %i %s %p %T@."""
    options = dict(zip(arguments[1::2], arguments[2::2], strict=False))
    folder, form = arguments[0].rstrip("/"), options.get("-printf", "%p\\n")
    if folder.startswith("/var/log/dirsrv") and not call.root:
        raise HostError("Permission denied")
    for name in call.host.names(folder):
        if fnmatch.fnmatch(name, options.get("-name", "*")):
            path = posixpath.join(folder, name)
            status = call.host.status(path, root=call.root)
            values = {
                "%f": name,
                "%i": status.inode,
                "%s": status.size,
                "%p": path,
                "\\n": "\n",
                "\\0": "\0",
            }
            values["%T@"] = f"{status.modified}.0"
            call.say(_filled(form, values))
    return 0


FILE_COMMANDS: dict[str, Command] = {
    "cat": _cat,
    "grep": _grep,
    "tail": _tail,
    "head": _head,
    "dd": _dd,
    "tee": _tee,
    "stat": _stat,
    "ls": _ls,
    "find": _find,
}
