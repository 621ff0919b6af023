"""What to capture in one window."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.capture.link import PATIENCE_S
from ldap_workbench.model.window import SourceKind

ALL_SOURCES = frozenset(
    {
        SourceKind.MONITOR,
        SourceKind.IOSTAT,
        SourceKind.HOST,
        SourceKind.ACCESS_LOG,
        SourceKind.ERROR_LOG,
    }
)


@dataclass(frozen=True)
class CapturePlan:
    """One window to capture: `seconds` of *server* time, which sources, its name and arm.

    `linger_s`, of server time too, is how long after the end the log is read on, so that operations
    that began in the window come to their results. `flush_wait_s` is how long the access log is
    waited for after that: the server writes its buffer out at the latest after 30 s. A link slower
    than the log is waited for without a limit.
    `patience_s` is how long a cut of a link is borne before its source is given up.
    `host_alone`: a server that takes connections and does not answer at the start does not end the
    capture; what its host tells is captured.
    """

    seconds: float
    sources: frozenset[SourceKind] = ALL_SOURCES
    name: str = "window"
    arm: str = ""
    pair: int = -1
    linger_s: float = 1.0
    flush_wait_s: float = 35.0
    poll_s: float = 1.0
    patience_s: float = PATIENCE_S
    host_alone: bool = False
