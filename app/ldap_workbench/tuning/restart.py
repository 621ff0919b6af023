"""Restarting a server, or waiting until its operator has."""

from __future__ import annotations

import shlex
import time

from ldap_workbench.model.errors import (
    AuthenticationError,
    CommandError,
    ConnectError,
    DirectoryError,
    ExperimentError,
)
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.servers.entry import ServerRun, current_run
from ldap_workbench.servers.product import product_of
from ldap_workbench.tuning.tunable import Tunable

COMMAND_TIMEOUT_S = 600.0
"""A server with large caches may take minutes to write them out."""
ANSWER_TIMEOUT_S = 300.0
_POLL_S = 0.5
_UNITS = {"openldap": "slapd", "opendj": "opendj"}
"""Units of systemd that carry no name of an instance."""


def restart(
    target: Tunable,
    *,
    progress: OnProgress = no_progress,
    cancel: Cancel | None = None,
    timeout_s: float = ANSWER_TIMEOUT_S,
) -> None:
    """Run the profile's restart command on the host and wait until the new server answers.

    The command is split into words as a shell would and run without one, through sudo where the
    profile says so. It is never interrupted; `cancel` ends only the waiting. Raises ExperimentError
    without a command or when the server does not come back, CommandError when the command fails.
    """
    argv = _command(target)
    assert target.shell is not None
    before = _current_run(target)
    progress(Progress(Message("Restarting the server: {command}", command=shlex.join(argv))))
    result = target.shell.run(argv, sudo=True, timeout=COMMAND_TIMEOUT_S)
    if result.status != 0:
        said = result.stderr.decode(errors="replace").strip() or Message(
            "exit status {status:plain}", status=result.status
        )
        raise CommandError(
            Message(
                "The restart command '{command}' failed: {said}.",
                command=shlex.join(argv),
                said=said,
            ),
            status=result.status,
            stderr=str(said),
            safe=Message("Check first that the server is still running."),
            remedy=Message(
                "Try the command on the host; with sudo it must work without a password."
            ),
        )
    _wait(target, before, timeout_s, progress, Cancel() if cancel is None else cancel)


def wait_for_restart(
    target: Tunable,
    cancel: Cancel,
    *,
    progress: OnProgress = no_progress,
    timeout_s: float | None = None,
) -> None:
    """Wait until the operator has restarted the server and it answers again.

    Raises CancelledError, and ExperimentError after `timeout_s` (None: wait for ever).
    """
    before = _current_run(target)
    progress(Progress(Message("Waiting for the server to be restarted by its operator")))
    _wait(target, before, timeout_s, progress, cancel)


def _command(target: Tunable) -> list[str]:
    command = target.profile.restart_command
    argv = shlex.split(command) if command else []
    if argv and target.shell is not None:
        return argv
    lacking = Message("shell on the host") if argv else Message("restart command")
    instance = target.facts.instance or "INSTANCE"
    unit = _UNITS.get(product_of(target.facts), f"dirsrv@{instance}")
    raise ExperimentError(
        Message(
            "The server must be restarted, and profile {profile} has no {lacking}.",
            profile=target.profile.name,
            lacking=lacking,
        ),
        safe=Message("Nothing was restarted."),
        remedy=Message(
            "Restart it by hand (systemctl restart {unit}), or add SSH and "
            "--restart-command to the profile.",
            unit=unit,
        ),
    )


def _wait(
    target: Tunable,
    before: ServerRun,
    timeout_s: float | None,
    progress: OnProgress,
    cancel: Cancel,
) -> None:
    begin = time.monotonic()
    answered = True
    while timeout_s is None or time.monotonic() - begin < timeout_s:
        cancel.check()
        now = _look(target)
        if now is not None and before.ended_before(now):
            progress(Progress(Message("The server answers again")))
            return
        if answered and now is None:
            progress(Progress(Message("The server is down; waiting until it answers")))
        answered = now is not None
        cancel.wait(_POLL_S)
    what = Message("does not answer")
    if answered:
        what = Message("still runs since the same time")
    raise ExperimentError(
        Message(
            "{limit:.0f} s after the restart was requested, the server {what}.",
            limit=timeout_s,
            what=what,
        ),
        safe=Message("The journal records which changes are open."),
        remedy=Message("Read the server's log, start the server, then revert."),
    )


def _look(target: Tunable) -> ServerRun | None:
    """The server that answers now, over a new link where the old one broke; None for none."""
    try:
        return _current_run(target)
    except AuthenticationError:
        raise
    except (ConnectError, DirectoryError):
        pass
    try:
        target.reconnect()
        return _current_run(target)
    except AuthenticationError:
        raise
    except (ConnectError, DirectoryError):
        return None


def _current_run(target: Tunable) -> ServerRun:
    now = current_run(target.directory, product_of(target.facts))
    if now is None:
        raise ExperimentError(
            Message("This bind user cannot read cn=monitor, so a restart would go unnoticed."),
            safe=Message("Nothing was restarted."),
            remedy=Message("Bind as a user who may read cn=monitor."),
        )
    return now
