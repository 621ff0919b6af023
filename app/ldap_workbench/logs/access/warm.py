"""Get the scanner ready: the first use on a machine costs seconds, later ones next to nothing."""

from __future__ import annotations

from ldap_workbench.logs.access.kernel import shipped
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import OnProgress, Progress, no_progress


def warm_up(progress: OnProgress = no_progress) -> None:
    """Translate the scanner, or load what was translated. Call it off the thread that draws.

    `progress` is told where somebody has to wait for it.
    """
    if not shipped.is_kept():
        progress(Progress(Message("Preparing the log reader (once on this machine)")))
    scanner = Scanner()
    # More connections, requests and strings than the first tables hold, so that all of it is used.
    line = "[21/Nov/2026:02:20:00.151797648 +0000] conn={0} "
    opened = line + "fd=64 slot=64 connection from local to /run/slapd.socket\n"
    asked = line + 'op=1 SRCH base="ou={0}" scope=2 filter="(uid=a)" attrs=ALL\n'
    scanner.feed("".join((opened + asked).format(i) for i in range(1, 400)).encode())
