"""The files in which a server keeps its configuration: where they are, whose, and what they say.

389 DS has one, dse.ldif. slapd has a file for each entry below slapd.d, which begins with a
checksum and names the entry by its first part alone (back-ldif).
"""

from __future__ import annotations

import base64
import posixpath
import re
import zlib

from ldap_workbench.connect.commands import host_path
from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.change import WHOLE_ENTRY
from ldap_workbench.model.errors import ChangeError
from ldap_workbench.model.message import Message
from ldap_workbench.model.server_identity import ServerIdentity
from ldap_workbench.servers.entry import identity_of_389ds, identity_of_openldap
from ldap_workbench.servers.product import product_of
from ldap_workbench.tuning.entries import is_back_end
from ldap_workbench.tuning.ldif import ldif_line
from ldap_workbench.tuning.place import Values
from ldap_workbench.tuning.tunable import Tunable

_CONFIG = "cn=config"
_NAMES = ("nsslapd-localhost", "nsslapd-port", "nsslapd-certdir")
_OF_SLAPD = ("entryUUID", "createTimestamp", "olcPidFile")
_GLOBAL = re.compile(r"^objectClass:\s*olcGlobal\s*$", re.MULTILINE | re.IGNORECASE)
_BETWEEN_ENTRIES = re.compile(r"\n(?:\r?\n)+")
_CHECKSUM = re.compile(r"(# AUTO-GENERATED FILE[^\n]*\n# CRC32 )[0-9a-f]{8}\n")
_STARTED_WITH = re.compile(r"(?:^|\s)-F\s*(/\S+)")
# slapd 2.5.13 and 2.6.10 add such an entry while they run, and do not delete it again.
_BACK_END_FILE = """\
# AUTO-GENERATED FILE - DO NOT EDIT!! Use ldapmodify.
# CRC32 00000000
dn: olcBackend={name}
objectClass: olcBackendConfig
objectClass: olcMdbBkConfig
olcBackend: {name}
structuralObjectClass: olcMdbBkConfig
entryUUID: 6c646170-776f-726b-6265-6e6368000001
creatorsName: cn=config
createTimestamp: 20260101000000Z
entryCSN: 20260101000000.000000Z#000000#000#000000
modifiersName: cn=config
modifyTimestamp: 20260101000000Z
"""
_FOLDERS = (
    "/etc/ldap/slapd.d",
    "/etc/openldap/slapd.d",
    "/opt/symas/etc/openldap/slapd.d",
    "/usr/local/etc/openldap/slapd.d",
)
"""Where slapd.d is as Debian, Red Hat, Symas and OpenLDAP itself install it."""


def config_file(target: Tunable, dn: str = _CONFIG) -> str:
    """The path of the file that keeps an entry. Raises ChangeError where nothing tells it."""
    if product_of(target.facts) == "openldap":
        return _file_of_slapd(_slapd_folder(target), dn)
    return _dse(target)


def identity_file(path: str) -> str:
    """The file beside that one which says whose both are."""
    above, between, _ = path.partition(f"/{_CONFIG}/")
    return f"{above}/{_CONFIG}.ldif" if between else path


def _dse(target: Tunable) -> str:
    entries = target.directory.search(_CONFIG, attributes=("nsslapd-certdir", "nsslapd-schemadir"))
    entry = entries[0] if entries else None
    folder = (entry.first("nsslapd-certdir") or "") if entry else ""
    if entry and not folder:
        folder = posixpath.dirname(entry.first("nsslapd-schemadir") or "")
    if not folder.startswith("/"):
        raise _unknown_folder("dse.ldif", "cn=Directory Manager")
    return posixpath.join(folder, "dse.ldif")


def _slapd_folder(target: Tunable) -> str:
    """As slapd was started, else as it says it, else where it usually is.

    It may say where its configuration was converted, and has been moved from since.
    """
    entries = target.directory.search(_CONFIG, attributes=("olcConfigDir", "olcArgsFile"))
    folder = (entries[0].first("olcConfigDir") or "") if entries else ""
    arguments = (entries[0].first("olcArgsFile") or "") if entries else ""
    shell = target.shell
    if shell is not None and arguments:
        text = shell.run(["cat", host_path(arguments)]).stdout.decode(errors="replace")
        if started := _STARTED_WITH.search(text):
            return started[1]
    if folder.startswith("/"):
        return folder
    if shell is not None:
        for usual in _FOLDERS:
            if shell.run(["test", "-d", usual]).status == 0:
                return usual
    raise _unknown_folder("slapd.d", "cn=admin,cn=config")


def _file_of_slapd(folder: str, dn: str) -> str:
    """cn=config/olcDatabase={1}mdb.ldif of olcDatabase={1}mdb,cn=config."""
    return posixpath.join(folder, *reversed(dn.split(","))) + ".ldif"


def _unknown_folder(name: str, user: str) -> ChangeError:
    return ChangeError(
        Message("The server does not say in which folder its {name} is.", name=name),
        safe=Message("Nothing was changed."),
        remedy=Message("Bind as a user who may read cn=config, for example {user}.", user=user),
    )


def values_in(text: str, dn: str, attribute: str) -> Values:
    """The values that a file has for an attribute, None where absent.

    Of a whole entry these are its lines. Raises ChangeError when it has no such entry.
    """
    if attribute == WHOLE_ENTRY:
        return _lines_of_entry(text, dn)
    if not text and is_back_end(dn):
        return None
    start, end = _entry(text, dn)
    values = [_value(line) for line in _lines(text[start:end]) if _is(line, attribute)]
    return tuple(values) or None


def identity_in_file(text: str) -> ServerIdentity:
    """Of the instance whose dse.ldif, or cn=config.ldif of slapd, this is.

    Not known where the file lacks a part of it.
    """
    if _CHECKSUM.match(text) or _GLOBAL.search(text):
        known = {name: values_in(text, _CONFIG, name) for name in _OF_SLAPD}
        entry = Entry(_CONFIG, {name: values for name, values in known.items() if values})
        return ServerIdentity(identity_of_openldap(entry))
    try:
        made = values_in(text, "", "createTimestamp")
        config = {name: values_in(text, _CONFIG, name) for name in _NAMES}
    except ChangeError:
        return ServerIdentity()
    there = {name: values for name, values in config.items() if values}
    if not made or len(there) < len(_NAMES):
        return ServerIdentity()
    root = Entry("", {"createTimestamp": made})
    host = there["nsslapd-localhost"][0]
    return ServerIdentity(identity_of_389ds(root, Entry(_CONFIG, there)), host)


def with_values(text: str, dn: str, attribute: str, values: Values) -> str:
    """The text with other values for one attribute of one entry; None takes it out.

    All other bytes but the checksum stay as they are; a whole entry comes back at the end. The
    entry of slapd's mdb back end is made where there is none, and one of ours that says nothing any
    more is taken out. Raises ChangeError when it has no such entry.
    """
    if attribute == WHOLE_ENTRY:
        return _with_entry(text, dn, values)
    if not text and is_back_end(dn):
        if values is None:
            return ""
        text = _back_end_file(dn)
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
    changed = _summed(text[:start] + "\n".join([*others[:at], *new, *others[at:]]) + text[end:])
    ours_alone = is_back_end(dn) and changed == _back_end_file(dn)
    return "" if ours_alone else changed


def _back_end_file(dn: str) -> str:
    """The file of slapd's mdb back end that says nothing."""
    return _summed(_BACK_END_FILE.format(name=dn.partition(",")[0].partition("=")[2]))


def _lines_of_entry(text: str, dn: str) -> Values:
    """As they stand in the file, folded ones in one; None where it has no such entry."""
    try:
        start, end = _entry(text, dn)
    except ChangeError:
        return None
    return tuple(line.replace("\n ", "") for line in _lines(text[start:end])[1:])


def _with_entry(text: str, dn: str, lines: Values) -> str:
    if lines is not None:
        return "\n".join((text.rstrip("\n"), "", ldif_line("dn", dn), *lines, ""))
    start, end = _entry(text, dn)
    rest = text[end:].lstrip("\n")
    return text[:start] + rest if rest else text[:start].rstrip("\n") + "\n"


def _summed(text: str) -> str:
    """With the checksum of what is behind it, where slapd keeps one."""
    head = _CHECKSUM.match(text)
    if head is None:
        return text
    body = text[head.end() :]
    return f"{head[1]}{zlib.crc32(body.encode('utf-8', 'surrogateescape')):08x}\n{body}"


def _entry(text: str, dn: str) -> tuple[int, int]:
    """Where an entry begins and ends, without the empty line behind it."""
    start = 0
    if head := _CHECKSUM.match(text):
        start, dn = head.end(), dn.partition(",")[0]
    while start < len(text):
        gap = _BETWEEN_ENTRIES.search(text, start)
        end = gap.start() if gap else len(text.rstrip("\n"))
        first = next(iter(_lines(text[start:end])), "")
        if _is(first, "dn") and _plain(_value(first)) == _plain(dn):
            return start, end
        start = gap.end() if gap else len(text)
    raise ChangeError(
        Message("The stored configuration has no entry {dn}.", dn=dn),
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
