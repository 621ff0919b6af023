"""The port through which the workbench speaks LDAP; ldap3 stands behind it in ldap.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

OWN_BASE = "cn=ldap-workbench-"
"""Every connection of ours asks for an entry whose name begins so, and nobody else does: by that an
access log tells our operations from those of clients, also without an address or a DN."""


@dataclass(frozen=True)
class Entry:
    """One LDAP entry. Attribute names are looked up without regard to case."""

    dn: str
    attributes: Mapping[str, tuple[str, ...]]

    def values(self, name: str) -> tuple[str, ...] | None:
        """The values of an attribute, None where the entry does not have it."""
        wanted = name.lower()
        for attribute, values in self.attributes.items():
            if attribute.lower() == wanted:
                return values
        return None

    def first(self, name: str) -> str | None:
        """The first value of an attribute, None where the entry does not have it."""
        values = self.values(name)
        return values[0] if values else None

    def __iter__(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        return iter(self.attributes.items())


@runtime_checkable
class ShowsCertificate(Protocol):
    """A connection that knows which certificate its server showed."""

    @property
    def certificate(self) -> bytes:
        """In DER; b'' on a plain connection."""
        ...


@runtime_checkable
class Announced(Protocol):
    """A connection that says by a search that it is the workbench's own."""

    def announce(self) -> None: ...


def announce(directory: Directory) -> None:
    """Let the access log tell that a connection is ours, where it leads to a real server."""
    if isinstance(directory, Announced):
        directory.announce()


class Directory(Protocol):
    """A bound LDAP connection, used from one thread at a time.

    Every method raises DirectoryError for an LDAP error code and ConnectError when the link broke.
    """

    @property
    def url(self) -> str: ...

    def search(
        self,
        base: str,
        *,
        scope: str = "base",
        filter: str = "(objectClass=*)",  # noqa: A002 - the field's word
        attributes: Sequence[str] = ("*",),
    ) -> list[Entry]:
        """Entries under `base`; scope is base, one or sub. A missing base is an empty list."""
        ...

    def replace(
        self,
        dn: str,
        attribute: str,
        values: Sequence[str] | None,
        *,
        expected: Sequence[str] | None,
    ) -> str:
        """Set an attribute (None: remove it) only if it still reads `expected` (None: absent).

        Of a list only the values that differ are removed and added, where that leaves the order.
        Returns the message the server sent along with success, '' if none. Raises ConflictError
        when the attribute reads something else now.
        """
        ...

    def add(self, dn: str, attributes: Mapping[str, str | Sequence[str]]) -> None:
        """A new entry, with one value for each attribute or several."""
        ...

    def delete(self, dn: str) -> None:
        """Remove an entry without children; one that is not there is no error."""
        ...

    def children(self, dn: str, most: int) -> list[str]:
        """DNs of entries right below one: all of them, or some if there are more than `most`."""
        ...

    def close(self) -> None: ...
