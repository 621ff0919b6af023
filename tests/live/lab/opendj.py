"""A private OpenDJ on loopback, and the in-memory server of the UnboundID LDAP SDK."""

from __future__ import annotations

import os
import secrets
import shutil
import ssl
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import ClassVar

import ldap3
from ldap3.core.exceptions import LDAPException

from ldap_workbench.model.profile import Profile
from tests.live.lab.java import fetched
from tests.live.lab.leftovers import PREFIX, sign, sweep
from tests.live.lab.sshd import free_port
from tests.live.lab.steady import PAUSE_S

ADMIN = "cn=Directory Manager"
SUFFIX = "dc=example,dc=com"
PASSWORD_VARIABLE = "LDAP_WORKBENCH_OPENDJ_PASSWORD"
VERSION = "4.6.5"
IN_CAPITALS = "ds-cfg-enabled"
"""true becomes TRUE when an index is rebuilt, and no modify brings it back: both are equal."""
_OPENDJ = (
    f"org/openidentityplatform/opendj/opendj-server-legacy/{VERSION}/opendj-server-legacy-{VERSION}.zip",
    "b554047ee9d3f4bd2a68787b19b43e7213e23a4129afd37a44b04a7f0eaf433f",
)
UNBOUNDID_VERSION = "7.0.3"
_UNBOUNDID = (
    f"com/unboundid/unboundid-ldapsdk/{UNBOUNDID_VERSION}/unboundid-ldapsdk-{UNBOUNDID_VERSION}.jar",
    "7f1b9141f2c955d3a03b3f5da2c450bd616826e921a87fc19264a3f22b35e2fb",
)
_JAVA = "-Xms192m -Xmx384m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# start-ds without --nodetach returns before the server answers, and at times without one.
_CONTROL = """\
#!/bin/sh
# Stops and starts the private OpenDJ of this folder.
set -eu
cd {folder}
alive() {{ [ -r "/proc/$1/stat" ] && ! grep -q ') Z ' "/proc/$1/stat"; }}
stop() {{
    [ -s logs/server.pid ] || return 0
    pid=$(cat logs/server.pid)
    if alive "$pid"; then kill -TERM "$pid"; fi
    waited=0
    while alive "$pid"; do
        [ "$waited" -lt 600 ] || {{ echo "OpenDJ $pid does not end" >&2; exit 1; }}
        waited=$((waited + 1))
        sleep 0.1
    done
    rm -f logs/server.pid
}}
start() {{ setsid ./bin/start-ds --nodetach --quiet </dev/null >>logs/output 2>&1 & }}
case ${{1:-restart}} in
stop) stop ;;
start) start ;;
restart) stop; start ;;
*) echo "usage: $0 stop|start|restart" >&2; exit 2 ;;
esac
"""


class OpenDj:
    """One OpenDJ with all its files in a folder of its own; `start` it, `stop` it."""

    def __init__(self, users: int = 500) -> None:
        sweep()
        archive = fetched(*_OPENDJ)
        self.port, self.admin_port = free_port(), free_port()
        self.password = secrets.token_hex(12)
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.instance = self.folder / "ds"
        self.control = self.instance / "control"
        sign(self.folder, "")
        self._make(archive, users)

    def start(self) -> OpenDj:
        """Start and wait until it answers a bind. Now and then a start hangs: try again."""
        for _ in range(2):
            subprocess.run([str(self.control), "restart"], check=True, timeout=120)
            if self._answers(90.0):
                return self
        raise RuntimeError(f"no answer: {self._last_words()}")

    def _answers(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                self.link().unbind()
            except (LDAPException, OSError):
                time.sleep(0.2)
            else:
                return True
        return False

    def stop(self) -> None:
        """End it and remove all its files; may be called twice."""
        if self.folder.exists():
            subprocess.run([str(self.control), "stop"], check=True, timeout=120)
            shutil.rmtree(self.folder)

    @property
    def label(self) -> str:
        """As docs/servers.md calls it."""
        return f"OpenDJ {VERSION}"

    @property
    def environment(self) -> dict[str, str]:
        return {PASSWORD_VARIABLE: self.password}

    def trust(self, home: Path) -> None:
        """It has a shell here: there is no host key."""

    @property
    def profile(self) -> Profile:
        """How to reach it on its LDAP port, with a shell here."""
        return Profile(
            name="opendj",
            ldap_url=f"ldap://127.0.0.1:{self.port}",
            bind_dn=ADMIN,
            password_env=PASSWORD_VARIABLE,
            local=True,
            restart_command=f"{self.control} restart",
        )

    @property
    def admin_profile(self) -> Profile:
        """The same server by its administration port, whose certificate it has made itself."""
        found = ssl.get_server_certificate(("127.0.0.1", self.admin_port))
        certificate = self.folder / "administration.pem"
        certificate.write_text(found)
        return Profile(
            name="administration",
            ldap_url=f"ldaps://localhost:{self.admin_port}",
            bind_dn=ADMIN,
            password_env=PASSWORD_VARIABLE,
            ca_file=str(certificate),
            local=True,
        )

    def link(self, dn: str | None = ADMIN) -> ldap3.Connection:
        """A connection of the lab's own; the caller unbinds it."""
        server = ldap3.Server("127.0.0.1", self.port, get_info=ldap3.NONE, connect_timeout=5)
        return ldap3.Connection(
            server,
            dn,
            self.password if dn else None,
            auto_bind=True,
            check_names=False,
            receive_timeout=30,
        )

    def search_until(self, over: threading.Event) -> None:
        """Search as somebody who did not bind, some 200 times a second.

        After a restart by another link.
        """
        number = 0
        while not over.is_set():
            try:
                link = self.link(None)
                while not over.is_set():
                    link.search(SUFFIX, f"(uid=user.{number % 500})", attributes=["cn"])
                    number += 1
                    over.wait(PAUSE_S)
                link.unbind()
            except (LDAPException, OSError):
                over.wait(0.1)

    @property
    def stored(self) -> Path:
        """The file of its configuration."""
        return self.instance / "config" / "config.ldif"

    @property
    def java_properties(self) -> Path:
        """The arguments of its JVM."""
        return self.instance / "config" / "java.properties"

    def databases(self) -> set[str]:
        """The names of all databases in the files of its back end: each index is one or more."""
        argv = ["java", "-XX:TieredStopAtLevel=1", "-cp", str(self.instance / "lib" / "*")]
        argv += ["com.sleepycat.je.util.DbDump", "-l", "-h", str(self.instance / "db/userRoot")]
        listed = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=True)
        return set(listed.stdout.split())

    def ldif_of_config(self) -> str:
        """All of cn=config in a fixed order."""
        link = self.link()
        try:
            link.search("cn=config", "(objectClass=*)", ldap3.SUBTREE, attributes=["*"])
            entries = sorted(link.response, key=lambda entry: str(entry["dn"]))
        finally:
            link.unbind()
        lines = []
        for entry in entries:
            lines.append(f"dn: {entry['dn']}")
            for name, values in sorted(entry["raw_attributes"].items()):
                said = [value.lower() for value in values] if name == IN_CAPITALS else values
                lines += [f"{name}: {value!r}" for value in sorted(said)]
        return "\n".join(lines)

    def _make(self, archive: Path, users: int) -> None:
        subprocess.run(["unzip", "-q", str(archive), "-d", str(self.folder)], check=True)
        (self.folder / "opendj").rename(self.instance)
        argv = [
            *("./setup", "--cli", "--no-prompt", "--acceptLicense", "--doNotStart"),
            *("-D", ADMIN, "-w", self.password, "-b", SUFFIX, "-h", "localhost"),
            *("-p", str(self.port), "--adminConnectorPort", str(self.admin_port)),
            *("-d", str(users)),
        ]
        made = subprocess.run(
            argv,
            cwd=self.instance,
            env={**os.environ, "OPENDJ_JAVA_ARGS": _JAVA},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        if made.returncode:
            raise RuntimeError(f"setup of OpenDJ: {made.stdout}{made.stderr}")
        (self.instance / "logs").mkdir(exist_ok=True)
        text = self.java_properties.read_text()
        own = text.replace("\nstart-ds.java-args=\n", f"\nstart-ds.java-args={_JAVA}\n")
        assert own != text
        self.java_properties.write_text(own)
        self.control.write_text(_CONTROL.format(folder=self.instance))
        self.control.chmod(0o755)

    def _last_words(self) -> str:
        return (self.instance / "logs" / "output").read_text()[-2000:]


class InMemory:
    """The UnboundID in-memory server, with an access log; `start` it, `stop` it."""

    label = f"UnboundID in-memory {UNBOUNDID_VERSION}"
    cannot: ClassVar = {
        "experiment": "nothing to set", "restarts": "nothing to set", "offline edits": "no file",
        "revert exact": "nothing to set", "kill -9": "nothing to set",
        "knobs tried": "no cn=config", "proved by a counter": "no cn=monitor",
    }  # fmt: skip
    """Columns of docs/servers.md that it has nothing for, and why."""

    def __init__(self) -> None:
        self._jar = fetched(*_UNBOUNDID)
        self.port = free_port()
        self.password = secrets.token_hex(12)
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.log = self.folder / "access.log"
        sign(self.folder, "")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        return {PASSWORD_VARIABLE: self.password}

    def trust(self, home: Path) -> None:
        """It has a shell here: there is no host key."""

    def start(self, timeout: float = 60.0) -> InMemory:
        ldif = self.folder / "base.ldif"
        ldif.write_text(f"dn: {SUFFIX}\nobjectClass: domain\ndc: example\n")
        argv = [
            *("java", "-jar", str(self._jar), "in-memory-directory-server"),
            *("-p", str(self.port), "-b", SUFFIX, "-l", str(ldif), "-D", ADMIN),
            *("-w", self.password, "--accessLogFile", str(self.log)),
        ]
        self._process = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            try:
                self.link().unbind()
            except (LDAPException, OSError):
                time.sleep(0.2)
            else:
                return self
        raise RuntimeError("the in-memory server does not answer")

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)

    def link(self) -> ldap3.Connection:
        """A connection of the lab's own; the caller unbinds it."""
        server = ldap3.Server("127.0.0.1", self.port, get_info=ldap3.NONE, connect_timeout=5)
        return ldap3.Connection(server, ADMIN, self.password, auto_bind=True)

    @property
    def profile(self) -> Profile:
        return Profile(
            name="in-memory",
            ldap_url=f"ldap://127.0.0.1:{self.port}",
            bind_dn=ADMIN,
            password_env=PASSWORD_VARIABLE,
            local=True,
            access_log=str(self.log),
        )
