"""The restarts of an experiment, and whether the server was started with the treatment."""

from __future__ import annotations

from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.model.window import Mark
from ldap_workbench.servers.target import Target
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.restart import restart, wait_for_restart


class Restarts:
    """Restarts a target and marks it in the session. Used from the target's thread."""

    def __init__(
        self,
        target: Target,
        writer: SessionWriter,
        progress: OnProgress,
        *,
        with_treatment: bool,
        wait_s: float,
    ) -> None:
        self._target = target
        self._writer = writer
        self._report_progress = progress
        self._wait_s = wait_s
        self.with_treatment = with_treatment
        """Whether the server was started while the treatment was stored in it."""

    def restart(self, cancel: Cancel, *, with_treatment: bool) -> None:
        """By the profile's command, else by the operator, who is told and waited for."""
        # From now on, for a restart that fails may have been one all the same.
        self.with_treatment |= with_treatment
        if self._target.profile.restart_command:
            self._by_command(cancel)
        else:
            wait_for_restart(self._target, cancel, progress=self._report_progress)
        self.with_treatment = with_treatment
        said = Message("The experiment restarted the server.")
        self._writer.add_mark(Mark(self._target.now_ns(), "restart", said))

    def restart_in_abort(self) -> None:
        """By the profile's command only: nobody may be there to do it by hand."""
        self._by_command(Cancel())
        self.with_treatment = False

    def _by_command(self, cancel: Cancel) -> None:
        restart(self._target, progress=self._report_progress, cancel=cancel, timeout_s=self._wait_s)
