"""One run of a command on the practice host."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from ldap_workbench.practice.host.files import PracticeHost


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
"""Takes the words after the command's name, returns the exit status; may raise HostError."""
