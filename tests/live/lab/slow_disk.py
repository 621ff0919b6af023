"""A disk whose flushes take as long as a test says: iostat counts and times them. Root only.

    python -m tests.live.lab.slow_disk FOLDER

serves one file by the protocol of FUSE (linux/fuse.h, version 7.31) as FOLDER/served/disk, until it
is unmounted. Its bytes are those of FOLDER/bytes; a flush takes the seconds that are written in
FOLDER/delay. A loop device over the file is the disk.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

SIZE = 4 << 30
"""Bytes, of which only those that are written take room."""
_ROOT, _DISK = 1, 2
"""Numbers of the two files."""
_MOST = 128 << 10
"""Bytes of a write."""
_HEADER = struct.Struct("<IIQQIIII")
_UNANSWERED = {2, 36, 42}
"""FORGET, INTERRUPT and BATCH_FORGET."""


@contextmanager
def slow_disk(folder: Path, mounted_at: Path) -> Iterator[Path]:
    """The folder `mounted_at`, with what is in it, on such a disk for a while; gives the file of
    the delay. Nothing may use the folder when it begins or ends. Skips where it is not allowed."""
    served, whole = folder / "served", folder / "whole"
    for each in (served, whole):
        each.mkdir(parents=True)
    (folder / "delay").write_text("0")
    (folder / "bytes").touch()
    os.truncate(folder / "bytes", SIZE)
    with ExitStack() as undo:
        server = subprocess.Popen([sys.executable, "-m", __name__, str(folder)])
        undo.callback(server.wait, 20)
        undo.callback(server.terminate)
        try:
            _wait_for(served / "disk", server)
            # The device may be in use a little longer than the folder that is mounted from it.
            undo.callback(_run, "umount", "--lazy", str(served))
            device = _run("losetup", "--find", "--show", str(served / "disk"))
            undo.callback(_run, "losetup", "--detach", device)
            _run("mkfs.ext4", "-q", device)
            _run("mount", device, str(whole))
            _run("cp", "-a", f"{mounted_at}/.", str(whole))
            _run("umount", str(whole))
            _run("mount", device, str(mounted_at))
        except (OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"no disk can be made here: {error}")
        undo.callback(_run, "umount", "--lazy", str(mounted_at))
        yield folder / "delay"
        (folder / "delay").write_text("0")


def _run(*argv: str) -> str:
    done = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=60)
    return done.stdout.strip()


def _wait_for(file: Path, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 10
    while not file.exists():
        if server.poll() is not None or time.monotonic() > until:
            raise OSError("a file system of our own is not allowed")
        time.sleep(0.05)


class _Served:
    """Answers of the file system to the kernel."""

    def __init__(self, folder: Path) -> None:
        self._delay = folder / "delay"
        self._file = os.open(folder / "bytes", os.O_RDWR)
        self._answers: dict[int, Callable[[int, bytes], bytes]] = {
            1: self._lookup, 3: self._getattr, 4: self._getattr, 14: self._open, 15: self._read,
            16: self._write, 17: lambda *_: bytes(80), 18: lambda *_: b"", 20: self._flush,
            25: lambda *_: b"", 26: self._begin,
        }  # fmt: skip

    def serve(self, kernel: int) -> None:
        """Until it is unmounted."""
        while True:
            try:
                request = os.read(kernel, _MOST + 4096)
            except OSError as error:
                if error.errno == errno.ENODEV:
                    return
                raise
            _, code, unique, node, *_ = _HEADER.unpack_from(request)
            if code in _UNANSWERED:
                continue
            answer, error_code = b"", 0
            try:
                answer = self._answers[code](node, request[_HEADER.size :])
            except KeyError:
                error_code = errno.ENOSYS
            except FileNotFoundError:
                error_code = errno.ENOENT
            head = struct.pack("<IiQ", 16 + len(answer), -error_code, unique)
            os.write(kernel, head + answer)

    def _begin(self, _node: int, request: bytes) -> bytes:
        ahead = struct.unpack_from("<III", request)[2]
        return struct.pack("<IIIIHHIIHH", 7, 31, ahead, 0, 8, 6, _MOST, 1, 32, 0) + bytes(32)

    def _lookup(self, _node: int, request: bytes) -> bytes:
        if request != b"disk\0":
            raise FileNotFoundError
        return struct.pack("<QQQQII", _DISK, 0, 60, 60, 0, 0) + _attributes(_DISK)

    def _getattr(self, node: int, _request: bytes) -> bytes:
        return struct.pack("<QII", 60, 0, 0) + _attributes(node)

    def _open(self, _node: int, _request: bytes) -> bytes:
        return bytes(16)

    def _read(self, _node: int, request: bytes) -> bytes:
        _, at, size = struct.unpack_from("<QQI", request)
        return os.pread(self._file, size, at)

    def _write(self, _node: int, request: bytes) -> bytes:
        _, at, size = struct.unpack_from("<QQI", request)
        os.pwrite(self._file, request[40 : 40 + size], at)
        return struct.pack("<II", size, 0)

    def _flush(self, _node: int, _request: bytes) -> bytes:
        time.sleep(float(self._delay.read_text() or 0))
        return b""


def _attributes(node: int) -> bytes:
    mode, size = (stat.S_IFDIR | 0o700, 0) if node == _ROOT else (stat.S_IFREG | 0o600, SIZE)
    times = [0] * 6
    return struct.pack(
        "<6Q10I", node, size, size // 512, *times[:3], *times[:3], mode, 1, 0, 0, 0, 4096, 0
    )


def main() -> None:
    """Mount it and serve."""
    folder = Path(sys.argv[1])
    kernel = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={kernel},rootmode=40000,user_id=0,group_id=0".encode()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"slow", os.fsencode(folder / "served"), b"fuse", 0, options):
        raise OSError(ctypes.get_errno(), "mount")
    _Served(folder).serve(kernel)


if __name__ == "__main__":
    main()
