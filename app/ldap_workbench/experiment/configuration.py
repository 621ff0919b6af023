"""The configuration of a server at one moment: whether somebody else has changed it since."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ldap_workbench.connect.directory import Directory
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.servers.target import Target
from ldap_workbench.tuning.place import describe_values

Configuration = Mapping[tuple[str, str], tuple[str, ...] | None]
"""Values by entry and attribute, both in lower case."""

_SHOWN = 3
_LIVING_ENTRIES = re.compile(r"(^|,)cn=(monitor|tasks|snmp),|^cn=monitor|^cn=tasks")
"""Counters, and what a running server is asked to do."""
# What a server counts, lists or renews in its own configuration while nobody changes it: files of
# logs, the state of replication and of its unique ids, the secret of its single sign-on.
_LIVING = re.compile(
    r"nsslapd-.*log-list|nsslapd-ldapssotoken-secret|nsslapd-errorlog-list|nsstate|nsds50ruv"
    r"|nsds5replica(lastupdate|lastinit|update|changecount|reapactive|changessent|id$).*"
    r"|nsruvreplicalastmodified|modifytimestamp|modifiersname|entrycsn|contextcsn|numsubordinates"
)


class Watch:
    """Tells what somebody else changes, from `begin` until `end`: meanwhile we change nothing."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._seen: Configuration | None = None

    def begin(self) -> None:
        self._seen = read_configuration(self._target.directory)

    def end(self) -> None:
        self._seen = None

    def changed(self) -> Message:
        """What is not as it was when we last looked, in short; false for nothing."""
        if self._seen is None:
            return NOTHING
        before, self._seen = self._seen, read_configuration(self._target.directory)
        return in_short(differences(before, self._seen))


def read_configuration(directory: Directory) -> Configuration:
    """All of cn=config that this bind may see, without what a server changes by itself."""
    configuration = {}
    for entry in directory.search("cn=config", scope="sub", attributes=("*",)):
        dn = entry.dn.lower()
        if _LIVING_ENTRIES.search(dn):
            continue
        for name, values in entry:
            if not _LIVING.fullmatch(lowered := name.lower()):
                configuration[dn, lowered] = values
    return configuration


def differences(before: Configuration, after: Configuration) -> list[Message]:
    """'nsslapd-sizelimit of cn=config: 2000, now 100', in order of the names."""
    return [
        Message(
            "{attribute} of {dn}: {before}, now {now}",
            attribute=name,
            dn=dn,
            before=describe_values(before.get((dn, name))),
            now=describe_values(after.get((dn, name))),
        )
        for dn, name in sorted(before.keys() | after.keys())
        if _as_a_set(before.get((dn, name))) != _as_a_set(after.get((dn, name)))
    ]


def in_short(changes: list[Message]) -> Message:
    """The first few, and how many there are besides."""
    if not changes:
        return NOTHING
    first, more = tuple(changes[:_SHOWN]), len(changes) - _SHOWN
    if more > 0:
        return Message("{first}, and {more} more", first=first, more=more)
    return Message("{first}", first=first)


def _as_a_set(values: tuple[str, ...] | None) -> list[str] | None:
    """Values of an attribute have no order."""
    return None if values is None else sorted(values)
