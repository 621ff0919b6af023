"""Locates the entry that holds a knob: some are numbered, some are named by people."""

from __future__ import annotations

import re

from ldap_workbench.connect.commands import host_path
from ldap_workbench.model.configuration import normal_dn
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.knob import Knob
from ldap_workbench.model.message import Message
from ldap_workbench.servers.product import in_place
from ldap_workbench.tuning.tunable import Tunable

_BDB = "cn=bdb,"
_MAPPINGS = "cn=mapping tree,cn=config"
_BACK_END = "olcBackend={*}"
_AGREEMENT = "(objectClass=nsds5replicationagreement)"


def is_back_end(dn: str) -> bool:
    """Whether it is the entry of slapd's mdb back end, which need not be there."""
    return re.fullmatch(r"olcBackend=\{\d+\}mdb,cn=config", dn, re.IGNORECASE) is not None


class Entries:
    """Finds the entries of knobs on one server. Belongs to the target's thread."""

    def __init__(self, target: Tunable) -> None:
        self._target = target
        self._dns: dict[tuple[str, str], str] = {}

    def locate(self, knob: Knob, place: str) -> str:
        """The DN of the entry a knob has at a place: a back end, an agreement, a bind DN.

        An entry that is not there may be named all the same. Raises KnobError where a choice is
        left open.
        """
        key = (knob.dn, place)
        if key not in self._dns:
            self._dns[key] = self._locate(knob, place)
        return self._dns[key]

    def _locate(self, knob: Knob, place: str) -> str:
        if knob.dn == "{agreement}":
            return self._agreement(knob, place)
        if knob.of_bind_dn:
            return self._identity(knob, place)
        dn = in_place(knob.dn, place)
        if "{folder}" in dn:
            return self._file(dn)
        if "{suffix}" in dn:
            return dn.replace("{suffix}", f'"{self._suffix(place)}"')
        if "={*}" in dn:
            return self._numbered(dn)
        return self._older(dn) if dn.startswith(_BDB) else dn

    def _file(self, path: str) -> str:
        folder = self._target.facts.config_folder
        if folder is None:
            raise KnobError(
                Message("The server does not say in which folder its instance is."),
                safe=Message("Nothing was changed."),
                remedy=Message("Bind as a user who may read cn=monitor."),
            )
        return host_path(path.replace("{folder}", folder))

    def _older(self, dn: str) -> str:
        """Servers older than 1.4.2 keep the settings of cn=bdb in the entry above it."""
        there = self._target.directory.search(dn, attributes=("cn",))
        return dn if there else dn.removeprefix(_BDB)

    def _suffix(self, backend: str) -> str:
        suffixes = [
            database.suffix for database in self._target.facts.backends if database.name == backend
        ]
        return suffixes[0] if suffixes else ""

    def _numbered(self, dn: str) -> str:
        """slapd numbers its overlays: {*}syncprov is the one that is called so.

        The back end mdb need not have an entry; a new one comes behind those of others.
        """
        first, _, above = dn.partition(",")
        name = re.escape(first).replace(re.escape("{*}"), r"\{-?\d+\}")
        below = self._target.directory.search(above, scope="one", attributes=("cn",))
        matches = [entry.dn for entry in below if re.match(rf"{name},", entry.dn, re.IGNORECASE)]
        if matches or not dn.startswith(_BACK_END):
            return matches[0] if matches else dn
        others = [entry for entry in below if entry.dn.lower().startswith("olcbackend=")]
        return dn.replace("{*}", f"{{{len(others)}}}")

    def _identity(self, knob: Knob, dn: str) -> str:
        """An entry of user data as the server writes its DN; others have no limits of their own."""
        suffixes = [normal_dn(database.suffix) for database in self._target.facts.backends]
        wanted = f",{normal_dn(dn)}"
        if not any(suffix and wanted.endswith(f",{suffix}") for suffix in suffixes):
            raise KnobError(
                Message("{dn} is not in a back end: {knob} has no effect there.", dn=dn,
                        knob=knob.name),
                safe=Message("Nothing was changed."),
                remedy=Message("Name the entry that the client binds as."),
            )  # fmt: skip
        matches = self._target.directory.search(dn, attributes=("1.1",))
        if not matches:
            raise KnobError(
                Message("There is no entry {dn}, or this bind user may not read it.", dn=dn),
                safe=Message("Nothing was changed."),
                remedy=Message("Name the entry that the client binds as."),
            )
        return matches[0].dn

    def _agreement(self, knob: Knob, place: str) -> str:
        there = self._target.directory.search(
            _MAPPINGS, scope="sub", filter=_AGREEMENT, attributes=("cn",)
        )
        names = {entry.first("cn") or "": entry.dn for entry in there}
        if place in names:
            return names[place]
        if len(names) == 1 and not place:
            return next(iter(names.values()))
        what = Message("{knob} needs the name of an agreement of replication.", knob=knob.name)
        remedy = Message("This server has none.")
        if names:
            remedy = Message(
                "Write {names:or}.", names=tuple(f"{knob.name}@{name}" for name in sorted(names))
            )
        raise KnobError(what, safe=Message("Nothing was changed."), remedy=remedy)
