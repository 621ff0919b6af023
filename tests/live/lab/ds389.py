"""A real directory server to try on: 389 DS and sshd, private, on loopback, gone afterwards.

    python -m tests.live.lab up [--users N] [--backend bdb|mdb]    runs until Ctrl-C

As root the server runs as `dirsrv` and the login is a user made for the lab who may sudo; as
anybody else everything runs as that user, without sudo. Needs the packages named by `missing()`.
"""

from __future__ import annotations

import atexit
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import ldap3

from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile, SshAddress
from tests.live.lab.host import LOCAL, SUITES, Host, SuiteHost, chosen
from tests.live.lab.leftovers import PREFIX, sign, sweep
from tests.live.lab.slapd import ROOT_DN, Slapd
from tests.live.lab.sshd import Sshd
from tests.live.lab.users import PASSWORD, SUFFIX

PASSWORD_VARIABLE = "LDAP_WORKBENCH_LAB_PASSWORD"
SSH_PASSWORD_VARIABLE = "LDAP_WORKBENCH_LAB_SSH_PASSWORD"
_PROGRAMS = {
    "/usr/sbin/ns-slapd": "389-ds-base",
    "pwdhash": "389-ds-base",
    "ldclt": "389-ds-base",
    "certutil": "libnss3-tools",
    "pk12util": "libnss3-tools",
    "/usr/sbin/sshd": "openssh-server",
    "ssh-keygen": "openssh-client",
    "iostat": "sysstat",
    "sudo": "sudo",
}
_LOGS = {
    "seconds": "nsslapd-logging-hr-timestamps-enabled: off\n",
}
"""What makes a variant of a server."""
# What a running server changes by itself, or only counts.
VOLATILE = {"nsslapd-accesslog-list", "nsslapd-errorlog-list", "nsslapd-auditlog-list",
             "nsslapd-auditfaillog-list", "nsslapd-securitylog-list",
             "nsslapd-ldapssotoken-secret", "nsstate", "nsds5replicachangecount",
             "nsds5replicareapactive"}  # fmt: skip
_STATUS = "nsds5replicalast"
"""Begins the names of what an agreement tells of its sessions, with the time of asking."""
_VOLATILE_ENTRIES = ("cn=monitor,", "cn=tasks,", "cn=database,cn=monitor,")


def missing() -> list[str]:
    """Debian packages the lab needs that are not installed."""
    return sorted({package for program, package in _PROGRAMS.items() if not shutil.which(program)})


class Lab:
    """One private 389 DS and one sshd; `start` them, `stop` them.

    `environment` holds what a process needs to use `profile`: the variables with its passwords and
    LDAP_WORKBENCH_HOME, a folder of the lab's own in which the host key is known.
    """

    real = True
    slack_s = 2.0
    ten_users = "(uid=user00000*)"

    def __init__(self, version: str = "", config: str = "") -> None:
        """`config` are further lines of the server's entry cn=config."""
        self._config = config
        self.version = version or chosen("389ds") or LOCAL
        self.folder = Path()
        self.label = ""
        self.users = 0
        self.host = Host()

    def start(self, users: int = 2000, backend: str = "") -> Lab:
        """Up with `users` people in a few seconds. Raises UsageError where packages are missing."""
        if packages := missing():
            raise UsageError(
                Message("The lab needs programs that are not installed here."),
                remedy=Message(
                    "apt-get install -y --no-install-recommends {packages}",
                    packages=" ".join(packages),
                ),
            )
        sweep()
        self.users = users
        backend = backend or ("mdb" if self.version.endswith("-lmdb") else "bdb")
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.folder.chmod(0o755)
        if self.version != LOCAL:
            self.host = SuiteHost(SUITES[self.version], self.folder)
        config = self._config + _LOGS.get(self._variant, "")
        self.slapd = Slapd(self.folder / "ds", backend, self.host, config)
        self.sshd = Sshd(self.folder / "sshd", f"wblab{self.slapd.port}", self.host)
        sign(self.folder, self.sshd.user if self.sshd.made_user else "")
        atexit.register(self.stop)
        try:
            self.slapd.make(users)
            self.slapd.start()
            self.label = self._label()
            self.sshd.start()
            self.trust(self.home)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End both servers and remove everything `start` made; may be called twice."""
        if not self.folder.name:
            return
        if self.slapd.control.exists():
            self.slapd.stop()
        self.slapd.remove_traces()
        self.sshd.stop()
        self.host.stop()
        shutil.rmtree(self.folder)
        self.folder = Path()
        atexit.unregister(self.stop)

    def __enter__(self) -> Lab:
        return self if self.folder.name else self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def _variant(self) -> str:
        return self.version.split("-")[2] if self.version.count("-") > 1 else ""

    def _label(self) -> str:
        """Which server it is, by what it tells: '389 DS 3.1.2 (LMDB)'."""
        link = self.slapd.link()
        link.search("", "(objectClass=*)", ldap3.BASE, attributes=["vendorVersion"])
        version = str(link.response[0]["attributes"]["vendorVersion"][0])
        link.unbind()
        number = version.partition("/")[2].split()[0]
        parts = ["LMDB"] if self.slapd.library == "mdb" else []
        parts += ["seconds"] if self._variant == "seconds" else []
        return f"389 DS {number}" + (f" ({', '.join(parts)})" if parts else "")

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def environment(self) -> dict[str, str]:
        """Variables to add to the environment of whoever uses the profile."""
        passwords = {PASSWORD_VARIABLE: self.slapd.password}
        if self.sshd.password:
            passwords[SSH_PASSWORD_VARIABLE] = self.sshd.password
        return passwords | {"LDAP_WORKBENCH_HOME": str(self.home)}

    @property
    def profile(self) -> Profile:
        """How to reach the lab, with all rights it gives."""
        return Profile(
            name="lab",
            ldap_url=self.slapd.url,
            bind_dn=ROOT_DN,
            password_env=PASSWORD_VARIABLE,
            ssh=SshAddress("127.0.0.1", self.sshd.user, self.sshd.port, str(self.sshd.identity)),
            ssh_password_env=SSH_PASSWORD_VARIABLE if self.sshd.password else None,
            sudo=self.sshd.made_user,
            instance=self.slapd.instance,
            restart_command=shlex.join([str(self.slapd.control), "restart"]),
        )

    @property
    def user(self) -> str:
        """The login that the profile names."""
        return self.sshd.user

    @property
    def has_sudo(self) -> bool:
        """Whether the login has a password and may sudo: only root can make such a one."""
        return self.sshd.made_user

    @property
    def password(self) -> str:
        return self.slapd.password

    @property
    def login_password(self) -> str | None:
        """Of the SSH login; None where there is none."""
        return self.sshd.password

    @property
    def port(self) -> int:
        return self.slapd.port

    @property
    def secure_url(self) -> str:
        return f"ldaps://127.0.0.1:{self.slapd.tls_port}"

    @property
    def identity(self) -> Path:
        return self.sshd.identity

    @property
    def fingerprint(self) -> str:
        """SHA256 fingerprint of the SSH host key, as OpenSSH says it."""
        argv = ["ssh-keygen", "-lf", str(self.sshd.folder / "host_ed25519.pub")]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()[1]

    @property
    def access_log(self) -> Path:
        return self.slapd.logs / "access"

    @property
    def ca_file(self) -> Path:
        """The certificate a client must trust for LDAPS and StartTLS. Readable by everybody."""
        copy = self.folder / "ca.pem"
        if not copy.exists():
            copy.write_bytes((self.slapd.config / "ca.pem").read_bytes())
        return copy

    def trust(self, home: Path) -> None:
        """Write the lab's host key to the known_hosts of a LDAP_WORKBENCH_HOME."""
        config = home / "config"
        config.mkdir(parents=True, exist_ok=True)
        known = f"[127.0.0.1]:{self.sshd.port} {self.sshd.host_key}\n"
        (config / "known_hosts").write_text(known)

    def restart(self) -> None:
        """Restart the directory server and wait until it answers."""
        self.slapd.restart()

    def stop_server(self) -> None:
        """Stop only the directory server, as a crash or an operator would."""
        self.slapd.stop()

    def start_server(self) -> None:
        self.slapd.start()

    def drive(self, kind: str, seconds: float, threads: int = 4) -> list[str]:
        """argv of an ldclt that loads the server for `seconds` and then ends with status 0.

        kind is search, bind, mod or unindexed. It ends early on SIGINT. ldclt adds up every 10 s:
        its rates and totals are whole only for multiples of that. It asks as fast as it can;
        `drive_steadily` leaves the processors to others, for a test that needs few operations.
        """
        people = f"ou=people,{SUFFIX}"
        root = ["-D", ROOT_DN, "-w", self.slapd.password]
        chosen = ["-r", "0", "-R", str(self.users - 1), "-f", "uid=userXXXXXX"]
        scan = [*chosen[:-1], "(description=*user XXXXXX*)"]
        bind = f"bindeach,bindonly,randombinddn,randombinddnlow=0,randombinddnhigh={self.users - 1}"
        kinds = {
            "search": ["-b", people, "-e", "esearch,random", *chosen],
            "bind": ["-e", bind, "-D", f"uid=userXXXXXX,{people}", "-w", PASSWORD],
            "mod": [*root, "-b", people, "-e", "attreplace=description:changed XXXXXX,random",
                    *chosen],
            "unindexed": [*root, "-b", people, "-e", "esearch,random", *scan],
        }  # fmt: skip
        if kind not in kinds:
            raise UsageError(
                Message("'{kind}' is no load.", kind=kind),
                remedy=Message("Choose one of {kinds}.", kinds=", ".join(kinds)),
            )
        where = ["-h", "127.0.0.1", "-p", str(self.slapd.port), "-n", str(threads)]
        samples, rest = divmod(seconds, 10)
        limit = ["timeout", "--preserve-status", "--signal=INT", f"{seconds:g}"] if rest else []
        return [*limit, "ldclt", *where, "-N", str(int(samples) + (rest > 0)), *kinds[kind]]

    def drive_steadily(self, kind: str, seconds: float, rate: float = 200) -> list[str]:
        """argv of one client that asks `rate` times a second for `seconds`; SIGTERM ends it.

        kind is search, bind (of one connection, again and again) or mod.
        """
        password = PASSWORD if kind == "bind" else self.slapd.password
        where = [str(self.slapd.port), kind, f"{rate:g}", f"{seconds:g}"]
        whom = [str(self.users), f"ou=people,{SUFFIX}", "-w", password]
        return [sys.executable, str(Path(__file__).with_name("steady.py")), *where, *whom]

    def drive_fresh_binds(self, seconds: float, windows: int, threads: int = 4) -> list[str]:
        """argv of a bind load that takes the next of `windows` blocks of users at each start.

        A bind rehashes its user's password for good while nsslapd-enable-upgrade-hash is on, so
        windows that are to be compared must not share users.
        """
        script, count = self.folder / "fresh-binds", self.folder / "fresh-binds.count"
        block = self.users // windows
        low, high = "randombinddnlow=0", f"randombinddnhigh={self.users - 1}"
        load = shlex.join(self.drive("bind", seconds, threads))
        load = load.replace(low, "randombinddnlow=$low").replace(high, "randombinddnhigh=$high")
        count.write_text("0")
        script.write_text(
            f"#!/bin/sh\nn=$(cat {count})\necho $((n + 1)) >{count}\n"
            f"low=$((n % {windows} * {block})) high=$((n % {windows} * {block} + {block} - 1))\n"
            f"exec {load}\n"
        )
        script.chmod(0o755)
        return [str(script)]

    def ldif_of_config(self) -> str:
        """All of cn=config without what a server changes by itself, in a fixed order."""
        return config_through(self.slapd.link())


def config_through(link: ldap3.Connection) -> str:
    """`Lab.ldif_of_config` by a link to any server, which is unbound afterwards."""
    try:
        link.search("cn=config", "(objectClass=*)", ldap3.SUBTREE, attributes=["*"])
        entries = sorted(link.response, key=lambda entry: str(entry["dn"]).lower())
    finally:
        link.unbind()
    return "\n".join(_ldif(entry) for entry in entries if not _volatile(entry["dn"]))


def _volatile(dn: str) -> bool:
    task = dn.lower().endswith(",cn=index,cn=tasks,cn=config")
    return task or dn.lower().startswith(_VOLATILE_ENTRIES) or dn.lower() == "cn=monitor"


def _ldif(entry: Any) -> str:
    lines = [f"dn: {entry['dn']}"]
    # 3.1 writes nsslapd-pluginDescription in other letters after a restart.
    attributes = {name.lower(): values for name, values in entry["raw_attributes"].items()}
    for name, values in sorted(attributes.items()):
        if name not in VOLATILE and not name.startswith(_STATUS):
            lines += [f"{name}: {value.decode(errors='backslashreplace')}" for value in values]
    return "\n".join(lines) + "\n"
