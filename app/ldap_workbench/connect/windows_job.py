"""A job object of Windows: a process and all that it starts, which the kernel ends together."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Sequence
from ctypes import wintypes
from typing import Any, ClassVar

assert sys.platform == "win32"

_SUSPENDED = 0x4
_KILL_ON_JOB_CLOSE = 0x2000
_EXTENDED_LIMITS = 9
_KILLED = 1
"""Exit status of what is ended."""

_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel.CreateJobObjectW.restype = wintypes.HANDLE
_ntdll = ctypes.WinDLL("ntdll")


class _Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION, of which the flags alone are set."""

    _fields_: ClassVar = [
        ("times", ctypes.c_int64 * 2),
        ("flags", wintypes.DWORD),
        ("working_set", ctypes.c_size_t * 2),
        ("processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("classes", wintypes.DWORD * 2),
        ("io", ctypes.c_uint64 * 6),
        ("memory", ctypes.c_size_t * 4),
    ]


class Job:
    """Ends what it has started with its last handle, which is ours: also when we are killed."""

    def __init__(self) -> None:
        self._handle = wintypes.HANDLE(_kernel.CreateJobObjectW(None, None))
        limits = _Limits(flags=_KILL_ON_JOB_CLOSE)
        _check(
            _kernel.SetInformationJobObject(
                self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
            )
        )

    def start(self, argv: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        """Popen of a command that runs once it is in the job, so all it starts is. Raises OSError.

        It has a console of its own that nobody sees: no window pops up, and Ctrl-C is for us alone.
        """
        flags = _SUSPENDED | subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
        process = subprocess.Popen(argv, creationflags=flags, **options)
        handle = wintypes.HANDLE(int(process._handle))  # type: ignore[attr-defined]
        try:
            _check(_kernel.AssignProcessToJobObject(self._handle, handle))
        except OSError:
            process.kill()
            raise
        _ntdll.NtResumeProcess(handle)
        return process

    def end(self) -> None:
        """End all of them at once."""
        _kernel.TerminateJobObject(self._handle, _KILLED)

    def __del__(self) -> None:
        _kernel.CloseHandle(self._handle)


def _check(done: int) -> None:
    if not done:
        raise ctypes.WinError(ctypes.get_last_error())
