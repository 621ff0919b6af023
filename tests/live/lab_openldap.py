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
from ldap3.core.exceptions import LDAPException

from ldap_workbench.model.profile import Profile
from tests.live.lab_leftovers import PREFIX, sign, sweep
from tests.live.lab_sshd import free_port
from tests.live.lab_users import SUFFIX, write_ldif

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
olcLogFile: {folder}/logs/slapd.log
olcToolThreads: 1
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
# With -d it stays in the foreground and writes what stats logs to olcLogFile, also in 2.5.
_CONTROL = """\
#!/bin/sh
# Stops and starts the private slapd of this folder.
set -eu
pidfile={folder}/run/slapd.pid
alive() {{
    [ -r "/proc/$1/stat" ] && ! grep -q ') Z ' "/proc/$1/stat"
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
    setsid {command} </dev/null >>{folder}/logs/output 2>&1 &
}}
case ${{1:-restart}} in
stop) stop ;;
start) start ;;
restart) stop; start ;;
*) echo "usage: $0 stop|start|restart" >&2; exit 2 ;;
esac
"""


def missing() -> list[str]:
    """Debian packages that are not installed."""
    return sorted({package for program, package in _TOOLS.items() if not shutil.which(program)})


class OpenLdap:
    """One slapd with all its files in a folder of its own; `start` it, `stop` it.

    As root it runs as the package's user `openldap`, as anybody else as that user.
    """

    def __init__(self, users: int = 500) -> None:
        sweep()
        self.port = free_port()
        self.password = secrets.token_hex(12)
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._ds = self.folder / "ds"
        self.control = self._ds / "control"
        self._pidfile = self._ds / "run" / "slapd.pid"
        root = os.geteuid() == 0
        self.user = "openldap" if root else pwd.getpwuid(os.geteuid()).pw_name
        sign(self.folder, "")
        self._make(users)

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
                return self

    def stop(self) -> None:
        """End it and remove all its files; may be called twice."""
        if self.folder.exists():
            self._run_control("stop")
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
        """Whether its process is at work: neither gone nor waiting to be buried."""
        try:
            state = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (OSError, ValueError):
            return False
        return state not in "ZX"

    @property
    def environment(self) -> dict[str, str]:
        return {PASSWORD_VARIABLE: self.password}

    @property
    def profile(self) -> Profile:
        """How to reach it, with the rights of the root of cn=config and a shell here."""
        return Profile(
            name="openldap",
            ldap_url=f"ldap://127.0.0.1:{self.port}",
            bind_dn=ADMIN,
            password_env=PASSWORD_VARIABLE,
            local=True,
            restart_command=f"{self.control} restart",
        )

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
        """Search; a link that slapd closes, as some settings make it, is opened anew."""
        number = 0
        while not over.is_set():
            try:
                link = self.client()
                while not over.is_set():
                    link.search(SUFFIX, f"(uid=user{number % 500:06d})", attributes=["cn"])
                    number += 1
                link.unbind()
            except LDAPException:
                over.wait(0.1)

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

    def _make(self, users: int) -> None:
        for name in ("slapd.d", "db", "logs", "run"):
            (self._ds / name).mkdir(parents=True)
        words = {
            "folder": self._ds,
            "admin": ADMIN,
            "external": f"gidNumber={os.getegid()}+uidNumber={os.geteuid()},{_PEER}",
            "suffix": SUFFIX,
            "password": self.password,
        }
        config, people = self._ds / "config.ldif", self._ds / "people.ldif"
        config.write_text(_CONFIG.format(**words))
        write_ldif(people, users)
        people.write_text(_without_aci(people.read_text()))
        self._add("-n", "0", "-l", str(config))
        self._add("-n", "1", "-q", "-l", str(people))
        self._write_control()
        self.folder.chmod(0o755)
        if os.geteuid() == 0:
            for path in (self._ds, *self._ds.rglob("*")):
                shutil.chown(path, self.user, self.user)

    def _write_control(self) -> None:
        listen = f"'ldap://127.0.0.1:{self.port}/ {self.ldapi_url}'"
        command = f"{SLAPD} -d stats -F {self._ds}/slapd.d -h {listen}"
        if os.geteuid() == 0:
            command += f" -u {self.user} -g {self.user}"
        self.control.write_text(_CONTROL.format(folder=self._ds, command=command))
        self.control.chmod(0o755)

    def _add(self, *argv: str) -> None:
        command = ["/usr/sbin/slapadd", "-F", str(self._ds / "slapd.d"), *argv]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            raise RuntimeError(f"slapadd: {done.stderr[-2000:]}")

    def _run_control(self, word: str) -> None:
        done = subprocess.run(
            [str(self.control), word], capture_output=True, text=True, timeout=60, check=False
        )
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
