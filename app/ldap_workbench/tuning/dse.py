"""dse.ldif as text: whose it is, and values of one attribute of one entry, read and replaced."""

from __future__ import annotations

import base64
import re

from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.errors import ChangeError
from ldap_workbench.model.message import Message
from ldap_workbench.model.server_identity import ServerIdentity
from ldap_workbench.servers.identity import identity_of_389ds
from ldap_workbench.tuning.ldif import ldif_line
from ldap_workbench.tuning.place import Values

_CONFIG = "cn=config"
_NAMES = ("nsslapd-localhost", "nsslapd-port", "nsslapd-certdir")
_BETWEEN_ENTRIES = re.compile(r"\n(?:\r?\n)+")


def values_in(text: str, dn: str, attribute: str) -> Values:
    """The values a dse.ldif has for an attribute, None where absent.

    Raises ChangeError when it has no such entry.
    """
    start, end = _entry(text, dn)
    values = [_value(line) for line in _lines(text[start:end]) if _is(line, attribute)]
    return tuple(values) or None


def identity_in_dse(text: str) -> ServerIdentity:
    """Of the instance whose dse.ldif this is; not known where the file lacks a part of it."""
    try:
        made = values_in(text, "", "createTimestamp")
        config = {name: values_in(text, _CONFIG, name) for name in _NAMES}
    except ChangeError:
        return ServerIdentity()
    known = {name: values for name, values in config.items() if values}
    if not made or len(known) < len(_NAMES):
        return ServerIdentity()
    root = Entry("", {"createTimestamp": made})
    host = known["nsslapd-localhost"][0]
    return ServerIdentity(identity_of_389ds(root, Entry(_CONFIG, known)), host)


def with_values(text: str, dn: str, attribute: str, values: Values) -> str:
    """The dse.ldif with other values for one attribute of one entry; None takes it out.

    All other bytes stay as they are. Raises ChangeError when it has no such entry.
    """
    start, end = _entry(text, dn)
    others: list[str] = []
    at: int | None = None
    for line in _lines(text[start:end]):
        if _is(line, attribute):
            at = len(others) if at is None else at
        else:
            others.append(line)
    new = [ldif_line(attribute, value) for value in values or ()]
    at = len(others) if at is None else at
    return text[:start] + "\n".join([*others[:at], *new, *others[at:]]) + text[end:]


def _entry(text: str, dn: str) -> tuple[int, int]:
    """Where an entry begins and ends, without the empty line behind it."""
    start = 0
    while start < len(text):
        gap = _BETWEEN_ENTRIES.search(text, start)
        end = gap.start() if gap else len(text.rstrip("\n"))
        first = next(iter(_lines(text[start:end])), "")
        if _is(first, "dn") and _plain(_value(first)) == _plain(dn):
            return start, end
        start = gap.end() if gap else len(text)
    raise ChangeError(
        Message("dse.ldif has no entry {dn}.", dn=dn),
        safe=Message("Nothing was changed."),
        remedy=Message("Check that it is the file of this instance."),
    )


def _lines(entry: str) -> list[str]:
    """Lines with their continuations, which begin with a space."""
    lines: list[str] = []
    for line in entry.split("\n"):
        if line.startswith(" ") and lines:
            lines[-1] += f"\n{line}"
        else:
            lines.append(line)
    return lines


def _is(line: str, attribute: str) -> bool:
    return line.partition(":")[0].lower() == attribute.lower()


def _value(line: str) -> str:
    _, _, value = line.replace("\n ", "").partition(":")
    if value.startswith(":"):
        return base64.b64decode(value[1:].strip()).decode("utf-8", "replace")
    return value.strip()


def _plain(dn: str) -> str:
    return re.sub(r"\s*([,=])\s*", r"\1", dn.strip().lower())
