"""Which part of a server's configuration is kept, and how it is read; data in resources/servers.

Nothing but the attributes named there is kept: cn=config holds passwords and keys.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from ldap_workbench.connect.directory import Directory
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry, normal_dn
from ldap_workbench.resources import resource

_ROOT = "cn=config"
_BLANKS = re.compile(r"\s*,\s*")
_MOST_ENTRIES, _MOST_VALUES, _MOST_TEXT = 5_000, 200, 500
"""A server with a thousand indexes is within these; a file that goes beyond is no configuration."""


def select_configuration(
    entries: Iterable[tuple[str, Mapping[str, tuple[str, ...]]]],
) -> Configuration:
    """Select what a session may hold of entries (DN, attributes) below cn=config.

    An entry without any such attribute is left out, unless its mere presence means something.
    """
    selected: list[ConfigurationEntry] = []
    for dn, attributes in entries:
        name = normal_dn(dn)
        if len(selected) >= _MOST_ENTRIES:
            break
        if name != _ROOT and not name.endswith("," + _ROOT):
            continue
        values = {
            attribute.lower(): tuple(value[:_MOST_TEXT] for value in values[:_MOST_VALUES])
            for attribute, values in attributes.items()
            if may_be_kept(attribute)
        }
        if values or name.startswith(_entries()):
            selected.append(ConfigurationEntry(_BLANKS.sub(",", dn.strip()), values))
    return Configuration(tuple(selected))


def read_configuration(directory: Directory, product: str) -> Configuration:
    """Ask a server for what its product has: one search. Raises DirectoryError where it refuses.

    A product of which nothing is kept is not asked.
    """
    names = _names(product)
    if not names:
        return Configuration()
    entries = directory.search(_ROOT, scope="sub", attributes=("cn", *names))
    return select_configuration((entry.dn, entry.attributes) for entry in entries)


@cache
def may_be_kept(attribute: str) -> bool:
    """Whether a value of it holds no secret."""
    return any(
        fnmatchcase(attribute.lower(), name.lower())
        for names in _document()["attributes"].values()
        for name in names
    )


@cache
def _document() -> dict[str, Any]:
    return tomllib.loads(resource("servers/configuration.toml").read_text("utf-8"))


@cache
def _entries() -> tuple[str, ...]:
    return tuple(_document()["entries"])


def _names(product: str) -> list[str]:
    """The names a server of a product is asked for; those with numbers behind them spelled out."""
    names: list[str] = []
    for name in _document()["attributes"].get(product, ()):
        names += [name.replace("*", str(n)) for n in range(10)] if "*" in name else [name]
    return names
