"""What is asked of the desktop of this machine: a notification, and not to fall asleep."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ldap_workbench.connect.children import environment

_NAME = "LDAP Tuning Workbench"
_SHOWN_MS = -1
"""As long as the desktop likes."""
# Each holds its lock for as long as the command behind it runs, and `cat` runs until our end of
# its pipe is closed: by us, or by the kernel where we were killed.
_INHIBIT = {
    "linux": (
        *("systemd-inhibit", "--what=sleep:idle", "--mode=block", f"--who={_NAME}"),
        "--why=An experiment is running",
        "cat",
    ),
    "darwin": ("caffeinate", "-i", "cat"),
}


def has_display() -> bool:
    """Whether there is a screen to open a window on: of X11, Wayland, Windows or macOS."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def draw_unseen() -> None:
    """Let Qt draw without a screen, before it starts.

    Windows needs none for that, and Qt's `offscreen` has no fonts there: each letter is a box.
    """
    if sys.platform != "win32":
        os.environ["QT_QPA_PLATFORM"] = os.environ.get("QT_QPA_PLATFORM") or "offscreen"


@contextmanager
def kept_awake() -> Iterator[None]:
    """Ask the machine not to fall asleep meanwhile. It may refuse, and a closed lid wins.

    So a sleep is noticed in the windows, too (`experiment/guards.py`).
    """
    if sys.platform == "win32":
        with _kept_awake_on_windows():
            yield
        return
    command = _INHIBIT.get(sys.platform, ())
    if not command or shutil.which(command[0]) is None:
        yield
        return
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, env=environment()
    ):
        yield


def notify(heading: str, sentence: str) -> bool:
    """A notification of a Linux desktop; False where there is no session bus or nobody shows it.

    Source: the Desktop Notifications Specification 1.2 of freedesktop.org.
    """
    from jeepney import DBusAddress, MessageType, new_method_call  # there on Linux alone
    from jeepney.io.blocking import open_dbus_connection

    server = DBusAddress(
        "/org/freedesktop/Notifications",
        bus_name="org.freedesktop.Notifications",
        interface="org.freedesktop.Notifications",
    )
    words: tuple[object, ...] = (_NAME, 0, "ldap-workbench", heading, sentence, [], {}, _SHOWN_MS)
    try:
        with open_dbus_connection("SESSION") as bus:
            call = new_method_call(server, "Notify", "susssasa{sv}i", words)
            answer = bus.send_and_get_reply(call, timeout=5)
    except (OSError, KeyError, TimeoutError):
        return False  # no desktop to tell: the window and the journal say it all the same
    return bool(answer.header.message_type is MessageType.method_return)


@contextmanager
def _kept_awake_on_windows() -> Iterator[None]:
    """For the thread that runs the experiment."""
    import ctypes

    continuous, system_required = 0x80000000, 0x00000001
    ask = ctypes.windll.kernel32.SetThreadExecutionState  # type: ignore[attr-defined,unused-ignore]
    ask(continuous | system_required)
    try:
        yield
    finally:
        ask(continuous)
