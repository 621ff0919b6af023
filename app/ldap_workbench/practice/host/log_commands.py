"""The scripts with which the workbench reads logs, played on the practice host's real files."""

from __future__ import annotations

import base64
import os
import posixpath
import time
from collections.abc import Callable
from pathlib import Path

from ldap_workbench.practice.host.call import Call
from ldap_workbench.practice.host.file_commands import copy_file
from ldap_workbench.practice.host.files import HostError

_HEAD = 2048
_MOST = 2 << 20
_BACK = 256
_MOVED, _CUT_SHORT = 75, 76


def log_script(call: Call, name: str, words: list[str]) -> int | None:
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
