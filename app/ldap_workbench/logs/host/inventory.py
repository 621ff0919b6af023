"""What a host has of a directory server: installed packages, and the files of its databases.

Settings of a Linux host as its files and sysctl print them -> knob names and values.

| text | knob |
|---|---|
| /sys/block/DEVICE/queue/scheduler: `noop [cfq]` | io-scheduler, io-scheduler@DEVICE |
| sched_features, sched/features: `GENTLE_FAIR_SLEEPERS NO_HRTICK ...` | sched-features |
| sysctl: `vm.dirty_bytes = 0` | vm.dirty_bytes |
"""

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


_SCHEDULER = re.compile(r"(?:[\w-]+ )*\[[\w-]+\](?: [\w-]+)*")
_PATH = re.compile(r"/sys/block/([^/\s]+)/queue/scheduler")
_FEATURES = re.compile(r"(?:[A-Z]+(?:_[A-Z]+)*\s+){2,}[A-Z]+(?:_[A-Z]+)*")
_SYSCTL = re.compile(r"([a-z]+(?:\.[\w-]+)+)\s*=\s*(\S.*)")


def read_host_settings(data: bytes, tally: Tally) -> dict[str, str]:
    """Every setting of a text, the first of each name; `tally` is told what each line is."""
    settings: dict[str, str] = {}
    device = ""
    for line in data.decode("utf-8", "replace").splitlines():
        text = line.strip()
        path = _PATH.search(text)
        device = path[1] if path else device
        text = text[path.end() :].lstrip(": ") if path else text
        if _SCHEDULER.fullmatch(text):
            settings.setdefault("io-scheduler", text)
            if device:
                settings.setdefault(f"io-scheduler@{device}", text)
            device = ""
        elif _FEATURES.fullmatch(text):
            settings.setdefault("sched-features", text)
        elif match := _SYSCTL.fullmatch(text):
            settings.setdefault(match[1], match[2].strip())
        elif not text:
            tally.set_aside("blank line")
            continue
        elif not path:
            tally.unknown()
            continue
        tally.understood()
    return settings
