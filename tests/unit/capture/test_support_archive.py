"""One support archive in: logs, configuration, health check, sizes, load; and what is left out."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from ldap_workbench.model.window import SourceKind
from ldap_workbench.session.reader import Session
from tests.unit.advice.configurations import LDBM, dse, entry, plugin
from tests.unit.cases.published import Told, tell
from tests.unit.logs.test_support_files import CHECK, LS, RPM

INSTANCE = "etc/dirsrv/slapd-EX"
CACHE = entry(f"cn=userRoot,{LDBM}", nsslapd_suffix="dc=a", nsslapd_cachememsize="209715200")
MEMBEROF = plugin("MemberOf", "libmemberof-plugin", memberOfGroupAttr="member")
ACCESS = "".join(
    f'[21/Nov/2026:02:36:{n:02d}.5 +0000] conn=1 op={n} SRCH base="dc=a" scope=2 '
    f'filter="(uid=u{n})"\n'
    f"[21/Nov/2026:02:36:{n:02d}.6 +0000] conn=1 op={n} RESULT err=0 tag=101 nentries=1"
    f" wtime=0.0001 optime=0.001 etime=0.0011\n"
    for n in range(60)
)
SAR = """\
Linux 5.14.0 (ldap1) \t11/21/2026 \t_x86_64_\t(4 CPU)

02:36:00        CPU     %user     %nice   %system   %iowait    %steal     %idle
02:36:10        all      5.00      0.00      2.00      1.00     20.00     72.00
02:36:20        all      5.00      0.00      2.00      1.00     20.00     72.00
02:36:30        all      5.00      0.00      2.00      1.00     20.00     72.00
02:36:40        all      5.00      0.00      2.00      1.00     20.00     72.00
02:36:50        all      5.00      0.00      2.00      1.00     20.00     72.00
"""
FILES = {
    f"{INSTANCE}/dse.ldif": dse(MEMBEROF, member=None).replace(
        f"dn: cn=userRoot,{LDBM}\nnsslapd-suffix: dc=example,dc=com\n", CACHE
    ),
    "var/log/dirsrv/slapd-EX/access": ACCESS,
    "var/log/sa/sar21": SAR,
    "sos_commands/ds/dsctl_slapd-EX_healthcheck": CHECK.decode(),
    "sos_commands/ds/ls_-l_.var.lib.dirsrv.slapd-.db": LS.decode(),
    "installed-rpms": RPM.decode(),
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\n",
    "etc/dirsrv/slapd-EX/pwdfile.txt": "s3cret\n",
}


def sosreport(files: dict[str, str], path: Path) -> Path:
    with tarfile.open(path, "w:xz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(f"sosreport-ldap1-2026-11-21/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return path


def part(kind: str, what: str, text: str) -> str:
    return f"#==[ {kind} ]{'=' * 40}#\n# {what}\n{text}\n"


SUSE = "389-ds                  SUSE Linux Enterprise 15        2.2.8~git51.3688d68-150500.3.11.1\n"
SUPPORTCONFIG = {
    "ldap.txt": "=" * 70
    + "\n            Support Utilities - Supportconfig\n"
    + part("Configuration File", f"/{INSTANCE}/dse.ldif", FILES[f"{INSTANCE}/dse.ldif"])
    + part("Command", "/usr/bin/id dirsrv", "uid=389(dirsrv)")
    + part("Log File", "/var/log/dirsrv/slapd-EX/access - Last 1000 Lines", ACCESS),
    "rpm.txt": part("Command", "/bin/rpm -qa --queryformat", f"NAME  DIST  VERSION\n{SUSE}"),
    "sar.txt": part("Command", "/usr/bin/sar -u", SAR),
    "network.txt": part("Command", "/sbin/ip addr", "1: lo: <LOOPBACK,UP> mtu 65536"),
}


def test_a_supportconfig_is_taken_apart(tmp_path: Path) -> None:
    told = tell(sosreport(SUPPORTCONFIG, tmp_path / "scc_ldap1.txz"), tmp_path)
    kinds = {source.kind for source in told.imported.sources}
    assert kinds == {SourceKind.ACCESS_LOG, SourceKind.CONFIG, SourceKind.IOSTAT}
    assert set(told.findings) == {"plugin_unindexed", "cpu_stolen", "client_takes_time"}
    with Session.open(told.path) as session:
        versions = [source.details.get("packages") for source in session.sources()]
    assert {"389-ds": "2.2.8~git51.3688d68"} in versions
    assert [path.name for path in told.imported.left_out] == ["network.txt"]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    folder = tmp_path_factory.mktemp("sos")
    return tell(sosreport(FILES, folder / "sosreport-ldap1.tar.xz"), folder)


def test_everything_of_one_host_is_one_window(told: Told) -> None:
    kinds = {source.kind: source.window for source in told.imported.sources}
    assert len(told.imported.windows) == 1
    assert set(kinds.values()) == {told.imported.windows[0].id}
    wanted = {SourceKind.ACCESS_LOG, SourceKind.CONFIG, SourceKind.IOSTAT, SourceKind.SUMMARY}
    assert set(kinds) == wanted
    assert len(told.imported.sources) == 6


def test_what_each_part_tells(told: Told) -> None:
    assert set(told.findings) == {
        "plugin_unindexed",
        "cache_below_database",
        "healthcheck",
        "healthcheck_other",
        "cpu_stolen",
        "client_takes_time",
    }
    assert "DSMOLE0001" in str(told.findings["healthcheck"].sentence)
    assert "DSCERTLE" not in str(told.findings["healthcheck"].sentence)
    assert told.findings["healthcheck"].severity == 2
    assert "DSCERTLE0001" in str(told.findings["healthcheck_other"].sentence)
    assert "400 MiB" in str(told.findings["cache_below_database"].sentence)


def test_what_was_left_out_is_listed_with_the_reason(told: Told) -> None:
    left = {path.name: str(why) for path, why in told.imported.left_out.items()}
    assert set(left) == {"passwd", "pwdfile.txt"}
    assert all(left.values())


def test_no_secret_gets_into_the_session(told: Told) -> None:
    with Session.open(told.path) as session:
        assert "s3cret" not in str([source.details for source in session.sources()])
        versions = [source.details.get("packages") for source in session.sources()]
    assert {"389-ds-base": "1.4.3.39"} in versions
