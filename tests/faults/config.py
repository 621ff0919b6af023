"""The configuration of a server as a value: read over LDAP and from its dse.ldif, and compared."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from tests.live.lab.ds389 import Lab, config_through
from tests.live.lab.slapd import Slapd

Config = dict[str, dict[str, tuple[str, ...]]]
"""DN -> attribute -> values, sorted; names in lower case."""

_VOLATILE = {"modifytimestamp", "modifiersname", "createtimestamp", "creatorsname", "nsstate",
             "numsubordinates", "entryid", "nsuniqueid", "nsslapd-accesslog-list",
             "nsslapd-errorlog-list", "nsslapd-auditlog-list", "nsslapd-securitylog-list",
             "nsslapd-auditfaillog-list", "nsslapd-ldapssotoken-secret"}  # fmt: skip
_TASKS = "cn=index,cn=tasks,cn=config"
"""The server keeps the entries of tasks that have ended for a while, in its file as well."""


def parse(ldif: str) -> Config:
    """LDIF without what a server changes by itself; long lines may be folded."""
    found: Config = {}
    for text in ldif.replace("\n ", "").split("\n\n"):
        lines = [line for line in text.splitlines() if line and line[0] != "#"]
        values: dict[str, list[str]] = {}
        for line in lines:
            name, _, value = line.partition(":")
            values.setdefault(name.lower(), []).append(value.strip())
        dn = values.pop("dn", None)
        if dn and not dn[0].lower().endswith(_TASKS):
            found[dn[0].lower()] = {
                name: tuple(sorted(each)) for name, each in values.items() if name not in _VOLATILE
            }
    return found


def live_config(lab: Lab) -> Config:
    """The whole of cn=config as the server tells it."""
    return parse(lab.ldif_of_config())


def config_of(slapd: Slapd) -> Config:
    """The whole of cn=config of a server beside the lab's."""
    return parse(config_through(slapd.link()))


def file_config(lab: Lab) -> Config:
    """The whole of dse.ldif."""
    return parse(Path(lab.slapd.config / "dse.ldif").read_text())


def differences(before: Config, after: Config) -> list[str]:
    """'DN: attribute before -> after', one for each attribute that differs."""
    found = []
    for dn in sorted(before.keys() | after.keys()):
        old, new = before.get(dn, {}), after.get(dn, {})
        found += [
            f"{dn}: {name} {_shown(old.get(name))} -> {_shown(new.get(name))}"
            for name in sorted(old.keys() | new.keys())
            if old.get(name) != new.get(name)
        ]
    return found


def differences_of_file(
    before: Config, after: Config, live: Config, pinned: Set[tuple[str, str]]
) -> list[str]:
    """As `differences`; what is `pinned`, DN and attribute, may be spelled out with the value that
    the server showed before."""
    same = {
        dn: {
            name: values
            for name, values in attributes.items()
            if (dn, name) not in pinned
            or name in before.get(dn, {})
            or live.get(dn, {}).get(name) != values
        }
        for dn, attributes in after.items()
    }
    return differences(before, same)


def _shown(values: tuple[str, ...] | None) -> str:
    return "absent" if values is None else ", ".join(values)
