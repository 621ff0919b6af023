"""A private 389 DS of the lab: ns-slapd from the package's templates, no systemd, no dscreate."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import subprocess
import time
from pathlib import Path

import ldap3
from ldap3.core.exceptions import LDAPException

from tests.live.lab.host import Host
from tests.live.lab.sshd import free_port
from tests.live.lab.tls import Authority, fill_nss_database
from tests.live.lab.users import SUFFIX, write_ldif

ROOT_DN = "cn=Directory Manager"
BACKEND = "userRoot"
_TEMPLATES = "/usr/share/dirsrv/data"
# The import queue is 80 % of the entry cache: at the forced minimum 10,000 users take 40 s, not 3.
_ENTRY_CACHE = 209_715_200
# ns-slapd refuses to start while its former process exists, also as a zombie that nobody has
# waited for (in containers without an init), so the lock of a zombie is taken away.
_CONTROL = """\
#!/bin/sh
# Stops and starts the private directory server of this folder.
set -eu
pidfile={pidfile}
# Its first thread may be a zombie while others have still to close the port.
alive() {{
    cat "/proc/$1"/task/*/stat 2>/dev/null | grep -qv ') Z '
}}
stop() {{
    [ -s "$pidfile" ] || return 0
    pid=$(cat "$pidfile")
    alive "$pid" && kill -TERM "$pid"
    waited=0
    while alive "$pid"; do
        [ "$waited" -lt 1200 ] || {{ echo "ns-slapd $pid does not end" >&2; exit 1; }}
        waited=$((waited + 1))
        sleep 0.05
    done
    rm -f "$pidfile" {locks}/server/* {locks}/imports/* {locks}/exports/*
}}
start() {{
    # No output of the daemon may hold the caller's connection open.
    /usr/sbin/ns-slapd -D {config} -i "$pidfile" </dev/null >>{output} 2>&1
}}
case ${{1:-restart}} in
stop) stop ;;
start) start ;;
restart) stop; start ;;
*) echo "usage: $0 stop|start|restart" >&2; exit 2 ;;
esac
"""


class Slapd:
    """One ns-slapd instance with all its files under `folder`."""

    def __init__(self, folder: Path, backend: str, host: Host, config: str = "") -> None:
        """`config` are further lines of its entry cn=config."""
        self._config = config
        self.folder = folder
        self.host = host
        self.library = backend
        self.port, self.tls_port = free_port(), free_port()
        self.instance = f"wb{self.port}{secrets.token_hex(2)}"
        self.password = secrets.token_hex(12)
        self.user = "dirsrv" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        # Machine-wide unique: the server names a semaphore in /dev/shm after this folder, and one
        # that another user's server left or uses keeps it from starting.
        self.config = folder / f"slapd-{self.instance}"
        self.database = folder / "db"
        self.logs = folder / "logs"
        self.socket = folder / "run" / "slapd.socket"
        self.control = folder / "control"
        self._pidfile = folder / "run" / "slapd.pid"
        self._output = folder / "logs" / "output"

    def make(self, users: int) -> None:
        """Files, certificates and a database with `users` people; the server is not started."""
        (self.config / "schema").mkdir(parents=True)
        for name in ("db", "bak", "ldif", "logs", "run", "lock", "tmp", "inst"):
            (self.folder / name).mkdir()
        self._write_configuration()
        fill_nss_database(self.config, Authority())
        self._write_control()
        people = self.folder / "ldif" / "people.ldif"
        write_ldif(people, users)
        self._give_to_server()
        self._run("ldif2db", "-D", str(self.config), "-n", BACKEND, "-i", str(people))

    def start(self, timeout: float = 60.0) -> None:
        """Start and wait until it answers."""
        self._run_control("start")
        self.wait(timeout)

    def stop(self) -> None:
        self._run_control("stop")

    def restart(self, timeout: float = 60.0) -> None:
        self._run_control("restart")
        self.wait(timeout)

    def remove_traces(self) -> None:
        """What a stopped server leaves outside its folder."""
        for name in (f"sem.slapd-{self.instance}.stats", f"slapd-{self.instance}"):
            left = self.host.path("/dev/shm") / name
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)

    @property
    def pid(self) -> int:
        return int(self._pidfile.read_text())

    @property
    def url(self) -> str:
        return f"ldap://127.0.0.1:{self.port}"

    @property
    def ldapi_url(self) -> str:
        return "ldapi://" + str(self.socket).replace("/", "%2F")

    def link(self) -> ldap3.Connection:
        """A connection of the lab's own, bound as the root DN; the caller unbinds it."""
        server = ldap3.Server("127.0.0.1", self.port, get_info=ldap3.NONE, connect_timeout=5)
        return ldap3.Connection(
            server, ROOT_DN, self.password, auto_bind=True, check_names=False, receive_timeout=60
        )

    def wait(self, timeout: float) -> None:
        """Until the server answers a bind. Raises RuntimeError with the end of its error log."""
        end = time.monotonic() + timeout
        while True:
            try:
                self.link().unbind()
            except (LDAPException, OSError) as error:
                if time.monotonic() > end:
                    raise RuntimeError(f"no answer: {error}\n{self._last_words()}") from error
                time.sleep(0.05)
            else:
                return

    def _write_configuration(self) -> None:
        dse = self._fill("template-dse.ldif")
        port = f"nsslapd-port: {self.port}\n"
        dse = dse.replace(
            port,
            f"{port}nsslapd-listenhost: 127.0.0.1\nnsslapd-security: on\n"
            f"nsslapd-secureport: {self.tls_port}\nnsslapd-securelistenhost: 127.0.0.1\n"
            f"{self._config}",
            1,
        )
        suffix = "\n".join(
            line for line in self._fill("template-suffix-db.ldif").splitlines() if line[:1] != "#"
        ).replace(
            f"nsslapd-suffix: {SUFFIX}",
            f"nsslapd-suffix: {SUFFIX}\nnsslapd-cachememsize: {_ENTRY_CACHE}",
        )
        # Two blank lines in a row are an entry without a DN to the server.
        (self.config / "dse.ldif").write_text(f"{dse.rstrip()}\n\n{suffix.strip()}\n")
        # Without it in the instance's own schema folder the server refuses to start.
        (self.config / "schema" / "99user.ldif").write_text("dn: cn=schema\n")
        for name in ("certmap.conf", "slapd-collations.conf"):
            (self.config / name).touch()

    def _fill(self, template: str) -> str:
        text = self.host.path(f"{_TEMPLATES}/{template}").read_text()
        for key, value in self._words().items():
            text = text.replace(f"%{key}%", str(value))
        return text

    def _words(self) -> dict[str, object]:
        # 1.4.4 knows no PBKDF2-SHA512.
        hashed = self._run_tool("pwdhash", "-s", "SSHA512", self.password)
        folders = {
            "schema_dir": self.config / "schema", "lock_dir": "lock", "tmp_dir": "tmp",
            "cert_dir": self.config, "ldif_dir": "ldif", "bak_dir": "bak", "run_dir": "run",
            "inst_dir": "inst", "log_dir": "logs", "config_dir": self.config, "db_dir": "db",
            "db_home_dir": "db",
        }  # fmt: skip
        return {key: self.folder / name for key, name in folders.items()} | {
            "fqdn": "localhost", "ds_port": self.port, "ds_user": self.user,
            "rootdn": ROOT_DN, "ds_passwd": hashed, "ldapi_enabled": "on",
            "ldapi_autobind": "on", "ldapi": self.socket, "ds_suffix": SUFFIX,
            "db_lib": self.library, "ds_bename": BACKEND,
        }  # fmt: skip

    def _write_control(self) -> None:
        self.control.write_text(
            _CONTROL.format(
                pidfile=self._pidfile,
                config=self.config,
                output=self._output,
                locks=self.folder / "lock",
            )
        )

    def _give_to_server(self) -> None:
        """As a package does it: the server's user owns the files, others may only pass."""
        if os.geteuid() == 0:
            owner = f"{self.user}:{self.user}"
            give = self.host.argv("chown", "-R", owner, str(self.folder))
            subprocess.run(give, check=True, capture_output=True)
        for path in self.folder.iterdir():
            if path.is_dir():
                path.chmod(0o770)
        for path in (self.folder, self.folder / "run"):
            path.chmod(0o755)  # the socket is for everybody
        self.control.chmod(0o755)

    def _run_control(self, word: str) -> None:
        done = subprocess.run(
            self.host.argv(str(self.control), word),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"control {word}: {done.stdout}{done.stderr}{self._last_words()}")

    def _run(self, *argv: str) -> None:
        done = subprocess.run(
            self.host.argv("/usr/sbin/ns-slapd", *argv),
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"ns-slapd {argv[0]}: {done.stderr[-2000:]}{self._last_words()}")

    def _run_tool(self, *argv: str) -> str:
        argv = tuple(self.host.argv(*argv))
        return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()

    def _last_words(self) -> str:
        words = [
            path.read_text(errors="replace")[-1500:]
            for path in (self.logs / "errors", self._output)
            if path.exists()
        ]
        return "\n".join(words)
