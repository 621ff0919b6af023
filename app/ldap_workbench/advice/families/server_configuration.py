"""Settings that cost by themselves: debugging output, the DNS, searches without a limit."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ldap_workbench.advice.evidence.indexes import LDBM
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding
from ldap_workbench.model.configuration import Configuration
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message

_LEVELS_389 = {
    1: Message("function calls"),
    2: Message("packets"),
    4: Message("function calls in detail"),
    8: Message("connections"),
    16: Message("packets sent and received"),
    32: Message("search filters"),
    128: Message("access control"),
    2048: Message("parsing of entries"),
    4096: Message("housekeeping"),
    8192: Message("replication"),
    32768: Message("the database cache"),
    65536: Message("plug-ins"),
    262144: Message("a summary of access control"),
}
"""Parts of nsslapd-errorlog-level that write lines in normal operation (389 DS slapi-plugin.h);
64 reads the configuration at the start only, and 16384 is the default."""
_LEVELS_OPENLDAP = {
    1: "trace",
    2: "packets",
    4: "args",
    8: "conns",
    16: "BER",
    32: "filter",
    128: "ACL",
    2048: "parse",
}
"""Parts of olcLogLevel (slapd-config(5)); 256 and 512 are statistics, 16384 is replication."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    configuration = view.configuration
    return [
        *_debugging(configuration),
        *_reverse_lookup(configuration),
        *_look_through(configuration),
    ]


def _debugging(configuration: Configuration) -> list[Finding]:
    name = "olcLogLevel" if configuration.is_openldap else "nsslapd-errorlog-level"
    root = configuration.at("cn=config")
    values = root.values(name) if root else ()
    parts: tuple[Message | str, ...] = _parts_of_389(values)
    if configuration.is_openldap:
        parts = _parts_of_openldap(values)
    if not parts:
        return []
    value = " ".join(values)
    text = Message("{setting} is {value}.", setting=name, value=value)
    return [
        finding(
            "debug_logging",
            numbers={"setting": name, "value": value, "parts": [str(part) for part in parts]},
            evidence=[Evidence(text)],
            setting=name,
            value=value,
            parts=parts,
        )
    ]


def _parts_of_389(values: Iterable[str]) -> tuple[Message, ...]:
    level = 0
    for value in values:
        level |= int(value) if value.isdecimal() else 0
    return tuple(what for bit, what in _LEVELS_389.items() if level & bit)


def _parts_of_openldap(values: Iterable[str]) -> tuple[str, ...]:
    """Words or numbers; 'any' and -1 stand for all."""
    levels = " ".join(values).split()
    if any(word.lower() in ("any", "-1") for word in levels):
        return ("any",)
    level = 0
    for word in levels:
        level |= int(word, 0) if re.fullmatch(r"\d+|0x[0-9a-fA-F]+", word) else 0
    names = {word.lower() for word in levels}
    return tuple(
        what for bit, what in _LEVELS_OPENLDAP.items() if level & bit or what.lower() in names
    )


def _reverse_lookup(configuration: Configuration) -> list[Finding]:
    root = configuration.at("cn=config")
    if root is None or not root.is_on("olcReverseLookup"):
        return []
    text = Message("olcReverseLookup is {value}.", value=root.first("olcReverseLookup"))
    return [finding("reverse_lookup", numbers={}, evidence=[Evidence(text)])]


def _look_through(configuration: Configuration) -> list[Finding]:
    """One unindexed search may read the whole database; a limit of its own back end counts, too."""
    name = "nsslapd-lookthroughlimit"
    places = [
        entry.dn
        for entry in configuration.entries
        if entry.dn.lower().endswith(LDBM) and entry.first(name) == "-1"
    ]
    if not places:
        return []
    evidence = [Evidence(Message("{dn}: nsslapd-lookthroughlimit: -1.", dn=dn)) for dn in places]
    return [finding("look_through_unlimited", numbers={"places": places}, evidence=evidence)]
