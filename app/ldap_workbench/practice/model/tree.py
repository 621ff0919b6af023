"""Entries of the practice directory: LDIF as they are stored, people as they are asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

SUFFIX = "dc=example,dc=com"
PEOPLE = f"ou=people,{SUFFIX}"
GROUPS = f"ou=groups,{SUFFIX}"


def normal(dn: str) -> str:
    """A DN for comparing: lower case, no blanks around commas and equal signs."""
    dn = re.sub(r'"([^"]*)"', lambda quoted: re.sub("([,=])", r"\\\1", quoted[1]), dn)
    dn = re.sub(r"\\([,=])", lambda special: f"\\{ord(special[1]):02x}", dn)
    parts = (part.partition("=") for part in dn.lower().split(","))
    return ",".join(f"{name.strip()}={value.strip()}" if value else name.strip()
                    for name, _, value in parts)  # fmt: skip


def parent(dn: str) -> str:
    """The DN above one (both normal), '' at the top."""
    return dn.partition(",")[2]


class Entry:
    """A DN and its attributes: names keep their case and order, look-up ignores it."""

    def __init__(self, dn: str, attributes: Iterable[tuple[str, str]]) -> None:
        self.dn = dn
        self._values: dict[str, tuple[str, list[str]]] = {}
        for name, value in attributes:
            self._values.setdefault(name.lower(), (name, []))[1].append(value)

    def values(self, name: str) -> list[str]:
        """The values of an attribute, [] where it is absent."""
        stored = self._values.get(name.lower())
        return list(stored[1]) if stored else []

    def first(self, name: str, default: str = "") -> str:
        values = self.values(name)
        return values[0] if values else default

    def put(self, name: str, values: Iterable[str]) -> None:
        """Replace the values; none removes the attribute."""
        texts = [str(value) for value in values]
        old = self._values.pop(name.lower(), None) if not texts else self._values.get(name.lower())
        if texts:
            self._values[name.lower()] = (old[0] if old else name, texts)

    def copy(self) -> Entry:
        return Entry(self.dn, ((name, value) for name, values in self for value in values))

    def __iter__(self) -> Iterator[tuple[str, list[str]]]:
        return iter(self._values.values())


def parse_ldif(text: str) -> list[Entry]:
    """Entries of simple LDIF: no base64, no comments inside entries."""
    entries = []
    for block in text.replace("\n ", "").split("\n\n"):
        pairs = [line.partition(":") for line in block.splitlines() if line[:1] not in ("", "#")]
        attributes = [(name, value.strip()) for name, _, value in pairs]
        if attributes and attributes[0][0] == "dn":
            entries.append(Entry(attributes[0][1], attributes[1:]))
    return entries


class People:
    """The suffix: `users` people uid=user0000000.. and 100 groups, made up when asked for."""

    def __init__(self, users: int) -> None:
        self.users = users
        self._written: dict[str, Entry] = {}
        self._fixed = {normal(entry.dn): entry for entry in _containers()}

    def get(self, dn: str) -> Entry | None:
        """The entry with this normal DN, None where there is none."""
        entry = self._written.get(dn) or self._fixed.get(dn)
        if entry or parent(dn) not in (PEOPLE, GROUPS):
            return entry
        name = dn.partition(",")[0].partition("=")[2]
        index = name.removeprefix("user").removeprefix("group")
        if not index.isdigit():
            return None
        made = self._user(int(index)) if parent(dn) == PEOPLE else self._group(int(index))
        return made if made and normal(made.dn) == dn else None

    def keep(self, dn: str, entry: Entry) -> None:
        """From now on this is the entry."""
        self._written[dn] = entry

    def below(self, base: str) -> Iterator[Entry]:
        """Entries strictly below a normal DN, at any depth."""
        if base == SUFFIX:
            yield from self.units()
        if base in (SUFFIX, PEOPLE):
            yield from self._made(PEOPLE, "uid=user{:07d}", self.users)
        if base in (SUFFIX, GROUPS):
            yield from self._made(GROUPS, "cn=group{:03d}", 100)

    def units(self) -> Iterator[Entry]:
        """The entries right below the suffix."""
        yield from (self.get(dn) or entry for dn, entry in self._fixed.items() if dn != SUFFIX)

    def named(self, beginning: str) -> Iterator[Entry]:
        """The people whose uid begins so: `user` and the first digits of the number."""
        digits = beginning.removeprefix("user")
        if digits == beginning or not digits.isdigit() or len(digits) > 7:
            return
        step = 10 ** (7 - len(digits))
        for index in range(int(digits) * step, min((int(digits) + 1) * step, self.users)):
            if entry := self.get(f"uid=user{index:07d},{PEOPLE}"):
                yield entry

    def _made(self, above: str, rdn: str, count: int) -> Iterator[Entry]:
        for index in range(count):
            entry = self.get(f"{rdn.format(index)},{above}")
            if entry:
                yield entry

    def _user(self, index: int) -> Entry | None:
        if index >= self.users:
            return None
        uid = f"user{index:07d}"
        classes = ("top", "person", "organizationalPerson", "inetOrgPerson", "posixAccount")
        return Entry(
            f"uid={uid},{PEOPLE}",
            [
                *(("objectClass", name) for name in classes),
                ("uid", uid), ("cn", f"Given{index % 997} Family{index % 1009}"),
                ("sn", f"Family{index % 1009}"), ("givenName", f"Given{index % 997}"),
                ("mail", f"{uid}@example.com"), ("uidNumber", str(100_000 + index)),
                ("gidNumber", str(5000 + index % 50)), ("homeDirectory", f"/home/{uid}"),
                ("employeeNumber", str(index)), ("description", f"generated user {index}"),
            ],
        )  # fmt: skip

    def _group(self, index: int) -> Entry | None:
        if index >= 100:
            return None
        members = range(index, min(self.users, 10_000), 100)
        return Entry(
            f"cn=group{index:03d},{GROUPS}",
            [
                ("objectClass", "top"), ("objectClass", "groupOfNames"),
                ("cn", f"group{index:03d}"),
                *(("member", f"uid=user{member:07d},{PEOPLE}") for member in members),
            ],
        )  # fmt: skip


def _containers() -> list[Entry]:
    units = [(f"ou={name},{SUFFIX}", name) for name in ("people", "groups", "services")]
    top = Entry(SUFFIX, [("objectClass", "top"), ("objectClass", "domain"), ("dc", "example")])
    return [top] + [
        Entry(dn, [("objectClass", "top"), ("objectClass", "organizationalUnit"), ("ou", name)])
        for dn, name in units
    ]
