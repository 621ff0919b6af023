"""A private slapd of OpenLDAP on loopback: cn=config, one mdb database, cn=Monitor."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import ldap3
from cryptography.hazmat.primitives import serialization
from ldap3.core.exceptions import LDAPException

from ldap_workbench.model.profile import Profile, SshAddress
from tests.live.lab.host import LOCAL, SUITES, Host, SuiteHost, chosen
from tests.live.lab.leftovers import PREFIX, sign, sweep
from tests.live.lab.sshd import Sshd, free_port
from tests.live.lab.steady import PAUSE_S
from tests.live.lab.tls import Authority
from tests.live.lab.users import SUFFIX, write_ldif

SLAPD = "/usr/sbin/slapd"
ADMIN = "cn=admin,cn=config"
PASSWORD_VARIABLE = "LDAP_WORKBENCH_OPENLDAP_PASSWORD"
_PEER = "cn=peercred,cn=external,cn=auth"
_TOOLS = {SLAPD: "slapd", "/usr/sbin/slapadd": "slapd", "ldapsearch": "ldap-utils"}
# As Debian's package makes it, with a monitor and a log file besides. Many attributes are left out
# on purpose: what is absent must be absent again after a revert.
_CONFIG = """\
dn: cn=config
objectClass: olcGlobal
cn: config
olcPidFile: {folder}/run/slapd.pid
olcArgsFile: {folder}/run/slapd.args
olcLogLevel: stats
{log_file}olcToolThreads: 1
olcConnMaxPending: 200
olcConnMaxPendingAuth: 1000

dn: cn=module{{0}},cn=config
objectClass: olcModuleList
cn: module{{0}}
olcModulePath: /usr/lib/ldap
olcModuleLoad: back_mdb
olcModuleLoad: back_monitor

dn: cn=schema,cn=config
objectClass: olcSchemaConfig
cn: schema

include: file:///etc/ldap/schema/core.ldif
include: file:///etc/ldap/schema/cosine.ldif
include: file:///etc/ldap/schema/inetorgperson.ldif

dn: olcDatabase={{-1}}frontend,cn=config
objectClass: olcDatabaseConfig
objectClass: olcFrontendConfig
olcDatabase: {{-1}}frontend
olcSizeLimit: 500
olcAccess: {{0}}to dn.exact="" by * read
olcAccess: {{1}}to dn.base="cn=Subschema" by * read

dn: olcDatabase={{0}}config,cn=config
objectClass: olcDatabaseConfig
olcDatabase: {{0}}config
olcRootDN: {admin}
olcRootPW: {password}
olcAccess: {{0}}to * by dn.exact="{external}" manage

dn: olcDatabase={{1}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{1}}mdb
olcSuffix: {suffix}
olcDbDirectory: {folder}/db
olcDbMaxSize: 1073741824
olcDbIndex: objectClass eq
olcDbIndex: uid,member eq
olcDbCheckpoint: 512 30
olcRootDN: cn=admin,{suffix}
olcRootPW: {password}
olcAccess: {{0}}to * by * read

dn: olcDatabase={{2}}monitor,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMonitorConfig
olcDatabase: {{2}}monitor
olcAccess: {{0}}to * by dn.exact="{admin}" read by dn.exact="{external}" read
"""
# What a provider of replication has, and the overlays that a directory of people has.
_OVERLAYS = """
dn: olcDatabase={{3}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{3}}mdb
olcSuffix: cn=accesslog
olcDbDirectory: {folder}/accesslog
olcDbIndex: reqStart eq
olcRootDN: cn=admin,cn=accesslog

dn: olcOverlay={{0}}syncprov,olcDatabase={{1}}mdb,cn=config
objectClass: olcOverlayConfig
objectClass: olcSyncProvConfig
olcOverlay: {{0}}syncprov

dn: olcOverlay={{1}}accesslog,olcDatabase={{1}}mdb,cn=config
objectClass: olcOverlayConfig
objectClass: olcAccessLogConfig
olcOverlay: {{1}}accesslog
olcAccessLogDB: cn=accesslog
olcAccessLogOps: writes

dn: olcOverlay={{2}}ppolicy,olcDatabase={{1}}mdb,cn=config
objectClass: olcOverlayConfig
objectClass: olcPPolicyConfig
olcOverlay: {{2}}ppolicy

dn: olcOverlay={{3}}sssvlv,olcDatabase={{1}}mdb,cn=config
objectClass: olcOverlayConfig
objectClass: olcSssVlvConfig
olcOverlay: {{3}}sssvlv

dn: olcOverlay={{4}}dynlist,olcDatabase={{1}}mdb,cn=config
objectClass: olcOverlayConfig
objectClass: {dynlist}
olcOverlay: {{4}}dynlist

dn: olcOverlay={{5}}memberof,olcDatabase={{1}}mdb,cn=config
objectClass: olcOverlayConfig
objectClass: {memberof}
olcOverlay: {{5}}memberof
"""
_OVERLAY_MODULES = ("syncprov", "accesslog", "ppolicy", "sssvlv", "dynlist", "memberof")
# With -d it stays in the foreground and writes what stats logs to olcLogFile, also in 2.5.
_CONTROL = """\
#!/bin/sh
# Stops and starts the private slapd of this folder.
set -eu
pidfile={folder}/run/slapd.pid
# Its first thread may be a zombie while others have still to close the port.
alive() {{
    cat "/proc/$1"/task/*/stat 2>/dev/null | grep -qv ') Z '
}}
stop() {{
    [ -s "$pidfile" ] || return 0
    pid=$(cat "$pidfile")
    if alive "$pid"; then kill -INT "$pid"; fi
    waited=0
    while alive "$pid"; do
        [ "$waited" -lt 600 ] || {{ echo "slapd $pid does not end" >&2; exit 1; }}
        waited=$((waited + 1))
        sleep 0.05
    done
    rm -f "$pidfile"
}}
start() {{
    setsid {command} </dev/null {output} &
}}
case ${{1:-restart}} in
stop) stop ;;
start) start ;;
restart) stop; start ;;
*) echo "usage: $0 stop|start|restart" >&2; exit 2 ;;
esac
"""

# As rsyslog does it with RSYSLOG_FileFormat: the time of each line, to the microsecond.
_SYSLOG = """\
#!/usr/bin/perl -n
use Time::HiRes qw(time);
use POSIX qw(strftime);
BEGIN { $| = 1 }
s/^[0-9a-f]{8}\\S* //;
my $now = time;
my $seconds = strftime("%Y-%m-%dT%H:%M:%S", gmtime($now));
printf "%s.%06d+00:00 localhost slapd[1]: %s", $seconds, ($now - int $now) * 1e6, $_;
"""


def missing() -> list[str]:
    """Debian packages that are not installed."""
    return sorted({package for program, package in _TOOLS.items() if not shutil.which(program)})


def _works(thread: Path) -> bool:
    """Whether a thread, by its folder in /proc, is neither gone nor waiting to be buried."""
    try:
        state = (thread / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


class OpenLdap:
    """One slapd with all its files in a folder of its own; `start` it, `stop` it.

    As root it runs as the package's user `openldap`, as anybody else as that user. The one that is
    installed here is reached by a shell here, one of another release by SSH.
    """

    has_log_file = True

    def __init__(
        self, users: int = 500, version: str = "", *, overlays: bool = False, syslog: bool = False
    ) -> None:
        """With `syslog` its lines have the times that rsyslog gives them: 2.4 has whole seconds."""
        sweep()
        self._syslog = syslog
        self.version = version or chosen("openldap") or LOCAL
        self._overlays = overlays
        self.label = ""
        self.port = free_port()
        self.password = secrets.token_hex(12)
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._ds = self.folder / "ds"
        self.control = self._ds / "control"
        self._pidfile = self._ds / "run" / "slapd.pid"
        root = os.geteuid() == 0
        self.user = "openldap" if root else pwd.getpwuid(os.geteuid()).pw_name
        self.folder.chmod(0o755)
        self.host, self._sshd = self._place()
        sign(self.folder, self._sshd.user if self._sshd else "")
        try:
            self._make(users)
            if self._sshd:
                self._sshd.start()
        except BaseException:
            self.stop()
            raise

    def start(self, timeout: float = 60.0) -> OpenLdap:
        """Start and wait until it answers a bind."""
        self._run_control("start")
        end = time.monotonic() + timeout
        while True:
            try:
                self.link().unbind()
            except (LDAPException, OSError) as error:
                if time.monotonic() > end:
                    raise RuntimeError(f"no answer: {error}\n{self._last_words()}") from error
                time.sleep(0.05)
            else:
                self.label = self._label()
                return self

    def stop(self) -> None:
        """End it and remove all its files; may be called twice."""
        if not self.folder.exists():
            return
        if self.control.exists():
            self._run_control("stop")
        if self._sshd:
            self._sshd.stop()
        self.host.stop()
        shutil.rmtree(self.folder)

    def revive(self) -> bool:
        """Start it again if it died, and say whether it had: one test must not fail all others."""
        if self.alive:
            return False
        self._pidfile.unlink(missing_ok=True)
        self.start()
        return True

    @property
    def pid(self) -> int:
        return int(self._pidfile.read_text())

    @property
    def alive(self) -> bool:
        """Whether a thread of it is at work: its port is closed by the last of them."""
        try:
            threads = list(Path(f"/proc/{self.pid}/task").iterdir())
        except (OSError, ValueError):
            return False
        return any(_works(thread) for thread in threads)

    def _label(self) -> str:
        """Which server it is, by what it tells: 'OpenLDAP 2.5.13'."""
        link = self.link()
        link.search("cn=Monitor", "(objectClass=*)", ldap3.BASE, attributes=["monitoredInfo"])
        told = str(link.response[0]["attributes"]["monitoredInfo"])
        link.unbind()
        return f"OpenLDAP {told.partition('slapd ')[2].partition('+')[0].split()[0]}"

    @property
    def environment(self) -> dict[str, str]:
        return {PASSWORD_VARIABLE: self.password}

    @property
    def profile(self) -> Profile:
        """How to reach it, with the rights of the root of cn=config and a shell on its host."""
        ssh = self._sshd
        return Profile(
            name="openldap",
            ldap_url=f"ldap://127.0.0.1:{self.port}",
            bind_dn=ADMIN,
            password_env=PASSWORD_VARIABLE,
            local=ssh is None,
            ssh=SshAddress("127.0.0.1", ssh.user, ssh.port, str(ssh.identity)) if ssh else None,
            sudo=ssh is not None,
            restart_command=f"{self.control} restart",
            access_log=str(self._ds / "logs" / "syslog") if self._syslog else None,
        )

    def trust(self, home: Path) -> None:
        """Write the host key to the known_hosts of a LDAP_WORKBENCH_HOME."""
        if self._sshd:
            (home / "config").mkdir(parents=True, exist_ok=True)
            known = f"[127.0.0.1]:{self._sshd.port} {self._sshd.host_key}\n"
            (home / "config" / "known_hosts").write_text(known)

    @property
    def ldapi_url(self) -> str:
        return "ldapi://" + str(self._ds / "run" / "slapd.socket").replace("/", "%2F")

    @property
    def log(self) -> Path:
        return self._ds / "logs" / "slapd.log"

    @property
    def database(self) -> Path:
        return self._ds / "db"

    def link(self, dn: str = ADMIN) -> ldap3.Connection:
        """A connection of the lab's own; the caller unbinds it."""
        server = ldap3.Server("127.0.0.1", self.port, get_info=ldap3.NONE, connect_timeout=5)
        return ldap3.Connection(
            server, dn, self.password, auto_bind=True, check_names=False, receive_timeout=30
        )

    def client(self) -> ldap3.Connection:
        """A link of somebody who did not bind."""
        server = ldap3.Server("127.0.0.1", self.port, get_info=ldap3.NONE)
        return ldap3.Connection(server, auto_bind=True, receive_timeout=30, check_names=False)

    def search_until(self, over: threading.Event) -> None:
        """Search some 200 times a second.

        A link that slapd closes, as some settings make it, is opened anew.
        """
        number = 0
        while not over.is_set():
            try:
                link = self.client()
                while not over.is_set():
                    link.search(SUFFIX, f"(uid=user{number % 500:06d})", attributes=["cn"])
                    number += 1
                    over.wait(PAUSE_S)
                link.unbind()
            except LDAPException:
                over.wait(0.1)

    def load(self, ldif: str) -> None:
        """Add entries to the database of people while it is stopped, 20,000 in a second."""
        path = self._ds / "more.ldif"
        path.write_text(ldif)
        self._add("-n", "1", "-q", "-l", str(path))
        path.unlink()
        self._give_to_server()

    def certify(self, authority: Authority) -> Path:
        """Give it a certificate of that authority, and return the authority's own as a file."""
        folder = self._ds / "tls"
        folder.mkdir(exist_ok=True)
        key, certificate = authority.sign("localhost", "127.0.0.1")
        private = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        (folder / "key.pem").write_bytes(private)
        (folder / "server.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        trusted = authority.write(folder / "ca.pem")
        self._give_to_server()
        names = {"CACertificate": "ca", "CertificateKey": "key", "Certificate": "server"}
        changes = {
            f"olcTLS{name}File": [(ldap3.MODIFY_REPLACE, [f"{folder}/{file}.pem"])]
            for name, file in names.items()
        }
        link = self.link()
        assert link.modify("cn=config", changes), link.result
        link.unbind()
        return trusted

    @property
    def stored(self) -> Path:
        """The folder of its configuration, a file for each entry."""
        return self._ds / "slapd.d"

    def ldif_of_config(self) -> str:
        """All of cn=config but what slapd notes about its changes, in a fixed order."""
        link = self.link()
        try:
            link.search("cn=config", "(!(cn:dn:=schema))", ldap3.SUBTREE, attributes=["*"])
            entries = sorted(link.response, key=lambda entry: str(entry["dn"]))
        finally:
            link.unbind()
        lines = []
        for entry in entries:
            lines.append(f"dn: {entry['dn']}")
            for name, values in sorted(entry["raw_attributes"].items()):
                lines += [f"{name}: {value.decode()}" for value in values]
        return "\n".join(lines)

    def _place(self) -> tuple[Host, Sshd | None]:
        """Where it runs, and who lets a login in there; None where that is a shell here."""
        if self.version == LOCAL:
            return Host(), None
        host = SuiteHost(SUITES[self.version], self.folder)
        return host, Sshd(self.folder / "sshd", f"wblab{self.port}", host)

    def _make(self, users: int) -> None:
        for name in ("slapd.d", "db", "accesslog", "logs", "run"):
            (self._ds / name).mkdir(parents=True)
        config, people = self._ds / "config.ldif", self._ds / "people.ldif"
        config.write_text(self._configuration())
        write_ldif(people, users)
        people.write_text(_without_aci(people.read_text()))
        self._add("-n", "0", "-l", str(config))
        self._add("-n", "1", "-q", "-l", str(people))
        self._write_control()
        self._give_to_server()

    def _give_to_server(self) -> None:
        if os.geteuid() == 0:
            owner = f"{self.user}:{self.user}"
            subprocess.run(self.host.argv("chown", "-R", owner, str(self._ds)), check=True)

    def _configuration(self) -> str:
        # 2.4 has other names for the classes of two overlays, and policies are a schema of theirs.
        old = self.version == "openldap-2.4"
        words = {
            "folder": self._ds,
            "log_file": f"olcLogFile: {self.log}\n" if self.has_log_file else "",
            "admin": ADMIN,
            "external": f"gidNumber={os.getegid()}+uidNumber={os.geteuid()},{_PEER}",
            "suffix": SUFFIX,
            "password": self.password,
            "dynlist": "olcDynamicList" if old else "olcDynListConfig",
            "memberof": "olcMemberOf" if old else "olcMemberOfConfig",
        }
        text = _CONFIG.format(**words)
        if not self._overlays:
            return text
        modules = "".join(f"olcModuleLoad: {name}\n" for name in _OVERLAY_MODULES)
        text = text.replace(
            "olcModuleLoad: back_monitor\n", f"olcModuleLoad: back_monitor\n{modules}"
        )
        schemas = ("dyngroup", "ppolicy") if old else ("dyngroup",)
        last = "include: file:///etc/ldap/schema/inetorgperson.ldif\n"
        more = "".join(f"include: file:///etc/ldap/schema/{name}.ldif\n" for name in schemas)
        text = text.replace(last, f"{last}{more}")
        return text + _OVERLAYS.format(**words)

    def _write_control(self) -> None:
        listen = f"'ldap://127.0.0.1:{self.port}/ {self.ldapi_url}'"
        # Without -d its lines go to syslog.
        foreground = "-d stats " if self.has_log_file else ""
        command = f"{SLAPD} {foreground}-F {self._ds}/slapd.d -h {listen}"
        if os.geteuid() == 0:
            command += f" -u {self.user} -g {self.user}"
        output = f">>{self._ds}/logs/output 2>&1"
        if self._syslog:
            stamps = self._ds / "syslog"
            stamps.write_text(_SYSLOG)
            stamps.chmod(0o755)
            output = f"2>&1 | {stamps} >>{self._ds}/logs/syslog 2>/dev/null"
        words = {"folder": self._ds, "command": command, "output": output}
        self.control.write_text(_CONTROL.format(**words))
        self.control.chmod(0o755)

    def _add(self, *argv: str) -> None:
        done = self.host.run("/usr/sbin/slapadd", "-F", str(self._ds / "slapd.d"), *argv)
        if done.returncode:
            raise RuntimeError(f"slapadd: {done.stderr[-2000:]}")

    def _run_control(self, word: str) -> None:
        done = self.host.run(str(self.control), word, timeout=60)
        if done.returncode:
            raise RuntimeError(f"control {word}: {done.stdout}{done.stderr}{self._last_words()}")

    def _last_words(self) -> str:
        output = self._ds / "logs" / "output"
        return output.read_text(errors="replace")[-2000:] if output.exists() else ""


def _without_aci(ldif: str) -> str:
    """Access rules of 389 DS lie in its entries; those of slapd do not."""
    kept, dropping = [], False
    for line in ldif.splitlines():
        dropping = line.startswith("aci:") or (dropping and line.startswith(" "))
        if not dropping:
            kept.append(line)
    return "\n".join(kept) + "\n"
