"""Dropping the page cache of a server's host, so that windows begin alike: with nothing in it.

A drop cannot be taken back and needs not be: the kernel fills the cache again as files are read. So
the journal has each as done, with nothing to revert.
"""

from __future__ import annotations

from ldap_workbench.connect.commands import host_path
from ldap_workbench.connect.shell import CommandResult, RemoteShell
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import CommandError, ExperimentError
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.servers.same_server import identity_in
from ldap_workbench.tuning.host_values import command_failure
from ldap_workbench.tuning.journal import Journal, server_name
from ldap_workbench.tuning.tunable import Tunable

DROP_CACHES = host_path("/proc/sys/vm/drop_caches")
_ALL = "3"
"""Pages of files, and the directory entries and inodes that lead to them."""
_SYNC_TIMEOUT_S = 600.0
"""A slow disk may have gigabytes to write."""


class PageCache:
    """The page cache of a target's host. Used from the target's thread."""

    def __init__(self, target: Tunable, journal: Journal, *, session: str = "") -> None:
        self._target = target
        self._journal = journal
        self._session = session
        self._group = ""

    def check(self) -> None:
        """Raise ExperimentError where it cannot be dropped; nothing is dropped yet."""
        shell = self._target.shell
        if shell is None:
            raise _refused(Message("the profile has no shell on it"))
        if shell.run(["test", "-d", "/proc/sys/vm"]).status != 0:
            raise _refused(Message("it is not a Linux host (there is no /proc/sys/vm)"))
        # The very command of a drop, so that sudo is asked for that; the kernel's file is opened
        # for writing, and without a byte to write it drops nothing.
        if (opened := _write(shell, "")).status != 0:
            raise _refused(command_failure(opened))

    def drop(self) -> None:
        """Write dirty pages to disk, then drop all clean ones.

        In the journal before it is done. Raises CommandError where the host refuses it, ChangeError
        where the journal does not take it: then nothing is dropped.
        """
        shell = self._target.shell
        assert shell is not None
        synced = shell.run(["sync"], timeout=_SYNC_TIMEOUT_S)  # only clean pages can be dropped
        if synced.status != 0:
            raise _failed(synced)
        noted = self._journal.intend(
            group=self._group or self._begin(),
            server=shell.name,
            knob="vm.drop_caches",
            dn="",
            attribute=DROP_CACHES,
            before=(),
            asked=(_ALL,),
            profile=self._target.profile.name,
            session=self._session,
            state=ChangeState.DONE,
        )
        dropped = _write(shell, f"{_ALL}\n")
        if dropped.status != 0:
            self._journal.update(noted, state=ChangeState.REFUSED, message=command_failure(dropped))
            raise _failed(dropped)
        self._journal.update(noted, got=(_ALL,))

    def _begin(self) -> str:
        """One group for all drops of an experiment, found again by its directory server."""
        url = self._target.directory.url
        now = identity_in(self._target.facts, server_name(url))
        self._group = self._journal.begin(url, Treatment(()), "", now)
        return self._group


def _write(shell: RemoteShell, text: str) -> CommandResult:
    return shell.run(["tee", DROP_CACHES], stdin=text.encode(), sudo=True)


def _refused(why: Message) -> ExperimentError:
    return ExperimentError(
        Message("The page cache of the server's host cannot be dropped: {why}.", why=why),
        safe=Message("Nothing was changed."),
        remedy=Message(
            "Add SSH and sudo to the profile (ldap-workbench profile sudoers lists "
            "the command), or leave out --cold."
        ),
    )


def _failed(result: CommandResult) -> CommandError:
    reason = command_failure(result)
    return CommandError(
        Message(
            "The page cache of the server's host could not be dropped: {reason}.", reason=reason
        ),
        status=result.status,
        stderr=str(reason),
        safe=Message("A page cache holds only copies of files: nothing is lost."),
        remedy=Message("Run the command on the host to see why, or leave out --cold."),
    )
