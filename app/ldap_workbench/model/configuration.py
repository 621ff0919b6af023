"""What a server's configuration says of indexes, plug-ins and limits, without its secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ConfigurationEntry:
    """One entry; the names of its attributes are in lower case, DN and values as they are."""

    dn: str
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def values(self, name: str) -> tuple[str, ...]:
        """All values of an attribute, () where the entry has none."""
        return self.attributes.get(name.lower(), ())

    def first(self, name: str) -> str:
        """The first value of an attribute, '' where the entry has none."""
        return next(iter(self.values(name)), "")

    def is_on(self, name: str) -> bool:
        """Whether a switch is on, as 389 DS and OpenLDAP write it."""
        return self.first(name).lower() in ("on", "true", "yes")


@dataclass(frozen=True)
class Configuration:
    """The entries of one server; none where no configuration was read."""

    entries: tuple[ConfigurationEntry, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.entries)

    def at(self, dn: str) -> ConfigurationEntry | None:
        """The entry with this DN; None where it is not there."""
        wanted = normal_dn(dn)
        return next((entry for entry in self.entries if normal_dn(entry.dn) == wanted), None)

    def matching(self, pattern: str) -> Iterator[tuple[re.Match[str], ConfigurationEntry]]:
        """Entries whose whole DN matches a regular expression, with the match."""
        compiled = re.compile(pattern, re.IGNORECASE)
        for entry in self.entries:
            if match := compiled.fullmatch(entry.dn):
                yield match, entry

    def plugins(self, path: str) -> Iterator[ConfigurationEntry]:
        """Entries of a plug-in of 389 DS where it is on, by the library that it is in."""
        for entry in self.entries:
            if entry.first("nsslapd-pluginPath") == path and entry.is_on("nsslapd-pluginEnabled"):
                yield entry

    def overlays(self, name: str) -> Iterator[tuple[str, ConfigurationEntry]]:
        """Entries of an overlay of OpenLDAP, each with the database that it is of."""
        overlay = rf"olcoverlay=(?:\{{\d+\}})?{name},olcdatabase=(\{{-?\d+\}}\w+),cn=config"
        for match, entry in self.matching(overlay):
            yield match[1], entry

    @property
    def is_openldap(self) -> bool:
        """Only OpenLDAP calls its databases olcDatabase."""
        return any(entry.dn.lower().startswith("olcdatabase=") for entry in self.entries)

    def as_stored(self) -> list[dict[str, Any]]:
        """As it stands in `Source.details["configuration"]`."""
        return [
            {"dn": entry.dn, "attributes": {name: list(v) for name, v in entry.attributes.items()}}
            for entry in self.entries
        ]


def stored_configuration(stored: Sequence[Mapping[str, Any]]) -> Configuration:
    """A configuration from `Source.details["configuration"]`."""
    return Configuration(
        tuple(
            ConfigurationEntry(
                row["dn"], {name: tuple(values) for name, values in row["attributes"].items()}
            )
            for row in stored
        )
    )


def normal_dn(dn: str) -> str:
    """A DN in lower case, without blanks around its commas."""
    return re.sub(r"\s*,\s*", ",", dn.strip().lower())
