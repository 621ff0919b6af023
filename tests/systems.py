"""What differs between the systems that the tests run on."""

import os
import socket
import stat
import sys
import threading
from pathlib import Path

IS_ROOT = sys.platform != "win32" and os.geteuid() == 0
KILLED = 9 if sys.platform == "win32" else -9
"""Return code of a process after `os.kill(its own id, 9)`."""


def is_private(path: Path) -> bool:
    """Whether a file's mode lets nobody but its owner read it; on Windows its folder decides."""
    return sys.platform == "win32" or stat.S_IMODE(path.stat().st_mode) == 0o600


def stop_listening(listener: socket.socket, thread: threading.Thread) -> None:
    """Close it, and wake the thread that waits in `accept`: a shutdown does so on Linux alone."""
    address = listener.getsockname()
    listener.close()
    for _ in range(600):
        if not thread.is_alive():
            return
        with socket.socket() as wake:
            wake.connect_ex(address)
        thread.join(0.1)
    raise TimeoutError("a connection is held")
