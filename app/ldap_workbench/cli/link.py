"""Reaching the server a command names, asking the operator for what only they know."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from enum import StrEnum

from ldap_workbench.cli.console import ask_secret, confirm, note
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.ssh import accept_host_key, open_shell
from ldap_workbench.model.errors import (
    ChangeError,
    ConnectError,
    UnknownHostKeyError,
)
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile
from ldap_workbench.servers.target import (
    HOST_ALONE,
    Target,
    connect,
    connect_or_reach_host,
    silence_of,
)
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.link import is_broken_link
from ldap_workbench.tuning.place import describe_values
from ldap_workbench.tuning.revive import may_keep_it_down, revive


class Writer(StrEnum):
    """The command lines that can change a server, as README and docs/security.md name them.

    All others open the journal to read, and a journal that was opened so notes no change.
    """

    EXPERIMENT = "experiment"
    CAMPAIGN = "campaign"
    CANARY = "canary"
    REVERT = "revert"
    CAPTURE = "capture --statistics"


@contextmanager
def secrets_of_operator() -> Iterator[Secrets]:
    """Secrets from keyring, environment or descriptor, else asked on the terminal."""
    yield Secrets(ask=ask_secret if sys.stdin.isatty() else None)


@contextmanager
def opened_journal(writer: Writer | None = None) -> Iterator[Journal]:
    """The journal of this user, closed afterwards; without a writer only to be read."""
    with closing(Journal(read_only=writer is None)) as journal:
        yield journal


@contextmanager
def connected(name: str) -> Iterator[Target]:
    """The target of a profile, closed afterwards; says when a change is still open on it."""
    profile = ProfileStore().get(name)
    with secrets_of_operator() as secrets:
        target = _connect(profile, secrets)
    try:
        say_what_is_open(profile)
        yield target
    finally:
        target.close()


@contextmanager
def connected_to_capture(name: str) -> Iterator[Target]:
    """As `connected`, also where the server does not answer and its host can be reached."""
    profile = ProfileStore().get(name)
    with secrets_of_operator() as secrets:
        target = _connect(profile, secrets, connect_or_reach_host)
    try:
        if silence := silence_of(target.directory):
            note(silence.what, HOST_ALONE)
        say_what_is_open(profile)
        yield target
    finally:
        target.close()


@contextmanager
def connected_to_revert(name: str, journal: Journal, offline: bool) -> Iterator[Target]:
    """As `connected`, also where an interrupted edit left the server stopped."""
    profile = ProfileStore().get(name)
    with secrets_of_operator() as secrets:
        target = _connect_or_revive(profile, secrets, journal, offline)
    try:
        yield target
    finally:
        target.close()


def _connect_or_revive(
    profile: Profile, secrets: Secrets, journal: Journal, offline: bool
) -> Target:
    try:
        return _connect(profile, secrets)
    except ConnectError as error:
        if not is_broken_link(error):  # a password or a certificate that is refused: it runs
            raise
        if not may_keep_it_down(journal, journal.open_changes(profile.server_url)):
            raise
        if not offline:
            error.remedy = Message(
                "A change in its files may have left it stopped, or may keep it from starting: add "
                "--offline to put the files back and start the server."
            )
            raise
        shell = open_shell(profile, secrets)
        if shell is None:
            raise
    with closing(shell):
        note("The server does not answer: its configuration is put back, then it is started.")
        server, command = profile.server_url, profile.restart_command
        return revive(server, shell, journal, lambda: _connect(profile, secrets), command)


def say_what_is_open(profile: Profile) -> None:
    """`warn_of_open_changes`, for a command that needs no journal: one that is broken is named."""
    try:
        with opened_journal() as journal:
            warn_of_open_changes(profile, journal)
    except ChangeError as error:
        note(error.explanation)


def warn_of_open_changes(profile: Profile, journal: Journal) -> None:
    """Tell about changes left open on this server, and entries of replays, by a crash for one."""
    from ldap_workbench.replay.tidying import leftovers  # loads asyncio, which few commands need

    changes = journal.open_changes(profile.server_url)
    if changes:
        note(f"You have {len(changes)} open change(s) on {profile.name}:")
        for change in changes:
            was, asked = describe_values(change.before), describe_values(change.asked)
            note(f"  {change.knob}: was {was}, asked {asked}")
        if alive := journal.lock(profile.server_url).holder():
            note(str(alive.why_not_revert))
        else:
            note(f"Undo with: ldap-workbench revert {profile.name} --all")
    for left in leftovers(profile.name):
        note(f"A replay that writes below {left.container} is still running, or was killed.")
        note(f"Remove what it left: ldap-workbench replay clean {profile.name}")


def agree_to_key(error: UnknownHostKeyError) -> bool:
    """Ask whether a host key is the host's; without a terminal it is not accepted."""
    note(str(error))
    return confirm("Is that the fingerprint of the host?")


def _connect(
    profile: Profile, secrets: Secrets, reach: Callable[[Profile, Secrets], Target] | None = None
) -> Target:
    # Looked up when it is called: a test puts another in its place.
    reach = reach or connect
    try:
        return reach(profile, secrets)
    except UnknownHostKeyError as error:
        if not agree_to_key(error):
            raise
        accept_host_key(error)
        return reach(profile, secrets)
