"""What tuning asks of a connected server."""

from __future__ import annotations

from typing import Protocol

from ldap_workbench.connect.directory import Directory
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.target import TargetFacts


class Tunable(Protocol):
    """A server with its facts and its two links; servers.Target is one."""

    @property
    def profile(self) -> Profile: ...
    @property
    def facts(self) -> TargetFacts: ...
    @property
    def directory(self) -> Directory: ...
    @property
    def shell(self) -> RemoteShell | None: ...
    def reconnect(self) -> None: ...
    def reconnect_shell(self) -> None: ...
