"""Work on a server whose link may break: done again over a new link, with bounded patience."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from ldap_workbench.model.errors import (
    AuthenticationError,
    ChangedHostKeyError,
    CommandError,
    ConnectError,
    DirectoryError,
    TlsError,
    UnknownHostKeyError,
)
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import OnProgress, Progress, no_progress
from ldap_workbench.servers.same_server import BUSY_OR_STARTING
from ldap_workbench.tuning.tunable import Tunable

PATIENCE_S = 120.0
_PAUSE_S = 0.5
_WAITING_DOES_NOT_HELP = (AuthenticationError, TlsError, UnknownHostKeyError, ChangedHostKeyError)

Result = TypeVar("Result")


def is_broken_link(error: BaseException) -> bool:
    """Whether the server could not be asked, and may be later; what it refused is no such thing."""
    if isinstance(error, DirectoryError):
        return error.code in BUSY_OR_STARTING
    if isinstance(error, CommandError):
        return error.status is None  # it did not end in time: a link that is half open, for one
    return isinstance(error, ConnectError) and not isinstance(error, _WAITING_DOES_NOT_HELP)


def over_any_link(
    target: Tunable,
    work: Callable[[], Result],
    *,
    patience_s: float = PATIENCE_S,
    progress: OnProgress = no_progress,
    reconnect: Callable[[], None] | None = None,
) -> Result:
    """Do `work`; where the link breaks, connect again and do it anew.

    Once, and again until `patience_s` have passed since it broke. Connecting is `reconnect`, else
    the target's.

    `work` must look before it writes: the answer to its last write may have been lost. Raises what
    broke the link when the server does not come back in time, and anything else at once.
    """
    end: float | None = None
    while True:
        try:
            if end is not None:
                (reconnect or target.reconnect)()
            return work()
        except (ConnectError, DirectoryError, CommandError) as error:
            now = time.monotonic()
            if not is_broken_link(error) or (end is not None and now >= end):
                raise
            # The work itself may have taken long: a build, a start that was waited for.
            end = now + patience_s if end is None else end
            left = end - now
        progress(
            Progress(
                Message("The server does not answer; retrying for another {left:.0f} s", left=left)
            )
        )
        time.sleep(min(_PAUSE_S, left))
