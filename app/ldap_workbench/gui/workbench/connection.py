"""A server the window is connected to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import NoAnswerError
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.servers.target import silence_of

if TYPE_CHECKING:
    from ldap_workbench.servers.target import Target
    from ldap_workbench.tuning.journal import Journal
    from ldap_workbench.tuning.tuner import Tuner


class Connection:
    """A connected server; its target and tuner are touched in the thread of its key only."""

    def __init__(self, target: Target, tuner: Tuner) -> None:
        self.target = target
        self.tuner = tuner

    @property
    def profile(self) -> Profile:
        return self.target.profile

    @property
    def silence(self) -> NoAnswerError | None:
        """Why only the host can be asked; None where the server answers."""
        return silence_of(self.target.directory)

    @property
    def key(self) -> str:
        return server_key(self.profile)

    def is_of(self, change: Change) -> bool:
        """Whether this is the server that was changed."""
        from ldap_workbench.tuning.journal import server_name

        return change.profile == self.profile.name or change.server == server_name(
            self.profile.server_url
        )

    def close(self) -> None:
        """Called in its thread."""
        self.tuner.close()
        self.target.close()


ServerWork = Callable[[Connection, OnProgress, Cancel], Any]
"""What runs in the thread of a connected server."""


def open_connection(
    profile: Profile,
    secrets: Secrets,
    journal: Callable[[], Journal],
    progress: OnProgress,
    _: Cancel,
) -> Connection:
    """Connect; called in the thread of the server's key. Raises ConnectError and its kinds.

    Of a server that takes connections and does not answer, its host can still be captured.
    """
    # The window is there before what only links to servers need.
    from ldap_workbench.servers.target import connect_or_reach_host
    from ldap_workbench.tuning.tuner import Tuner

    target = connect_or_reach_host(profile, secrets, progress=progress)
    return Connection(target, Tuner(target, journal()))


def server_key(profile: Profile) -> str:
    """Under which its jobs run, one after the other."""
    return f"server {profile.name}"
