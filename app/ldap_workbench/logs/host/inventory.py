"""What a host has of a directory server: installed packages, and the files of its databases."""

from __future__ import annotations

import re

from ldap_workbench.logs.reading.reports import Tally

_PACKAGES = (
    r"(?P<name>389-ds-base|redhat-ds-base|openldap-servers|symas-openldap-servers|openldap2|slapd)"
)
_RPM = re.compile(_PACKAGES + r"-(?P<version>\d[\w.+~]*)-\S+\.(?:x86_64|aarch64|ppc64le|s390x)\b")
_DEB = re.compile(r"ii\s+" + _PACKAGES + r"\s+(?P<version>\d\S*)\s")
_SUSE = re.compile(r"(?P<name>389-ds|openldap2)\s{2,}.*?\s(?P<version>\d[\w.+~]*)-\S+\s*$")
_LISTED = re.compile(
    r"-[rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+(\d+)\s+\S+\s+\S+\s+\S+\s+(\S+)\s*$"
)
_FOLDER = re.compile(r"(/\S+):\s*$")
_DATABASE = re.compile(r"(?:\.db4?|\.mdb)$")
_MOST = 5_000


def read_packages(data: bytes, tally: Tally) -> dict[str, str]:
    """Package of a directory server -> its version, of `rpm -qa`, `dpkg -l` or supportconfig."""
    packages: dict[str, str] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        match = _RPM.match(line) or _DEB.match(line) or _SUSE.match(line)
        if match:
            packages.setdefault(match["name"], match["version"])
            tally.understood()
        else:
            tally.set_aside("package of something else" if line.strip() else "blank line")
    return packages


def read_database_files(data: bytes, tally: Tally) -> dict[str, int]:
    """Path of each file of a database -> its size in bytes, of `ls -l`."""
    sizes: dict[str, int] = {}
    folder = ""
    for line in data.decode("utf-8", "replace").splitlines():
        listed, heading = _LISTED.match(line), _FOLDER.match(line)
        if heading:
            folder = heading[1]
        if listed and _DATABASE.search(listed[2]) and len(sizes) < _MOST:
            path = listed[2] if listed[2].startswith("/") else f"{folder}/{listed[2]}"
            sizes[path] = int(listed[1])
            tally.understood()
        else:
            tally.set_aside("file of something else" if line.strip() else "blank line")
    return sizes
