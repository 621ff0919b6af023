"""Complaints of administrators of OpenLDAP, set up on slapd."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import ldap3
import pytest

from ldap_workbench.model.profile import Profile
from tests.field.case import NEW_CONNECTIONS, OPENLDAP, STANDS_OUT, UNINDEXED
from tests.live.complaints.complaint import CULPRIT, Complaint, Server, Stage, linked, together
from tests.live.findings.test_openldap_causes import open_files, restarted, search_for_all
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.slow_disk import slow_disk
from tests.live.lab.tls import Authority
from tests.live.lab.users import SUFFIX

USERS = 20_000
PEOPLE, GROUPS = f"ou=people,{SUFFIX}", f"ou=groups,{SUFFIX}"
DATABASE = "olcDatabase={1}mdb,cn=config"
PROGRAM, SECRET = f"cn=program,{SUFFIX}", "program"
"""An account without a limit of size, as consumers and exports have."""
EVERYBODY = f"cn=everybody,{GROUPS}"
MEMBERS = 20_000
LOGINS = 60
"""People whose password slapd can check."""
DROPPED_FROM = 300
"""Messages in two seconds from which on syslog drops those of a process."""


_PREPARED = f"""\
dn: {DATABASE}
changetype: modify
add: olcDbIndex
olcDbIndex: entryCSN,entryUUID eq
-
add: olcLimits
olcLimits: dn.exact="{PROGRAM}" size=unlimited time=unlimited
"""


def made() -> OpenLdap:
    """The slapd that most of them share, with overlays and the account of a program."""
    server = OpenLdap(users=USERS, overlays=True)
    members = "".join(f"member: uid=user{n:06d},{PEOPLE}\n" for n in range(MEMBERS))
    server.load(f"dn: {EVERYBODY}\nobjectClass: groupOfNames\ncn: everybody\n{members}\n")
    prepare(server)
    server.start()
    root = server.link(f"cn=admin,{SUFFIX}")
    account = {"userPassword": SECRET, "description": "reads everything"}
    kinds = ["simpleSecurityObject", "organizationalRole"]
    assert root.add(PROGRAM, kinds, account), root.result
    for n in range(LOGINS):
        # slapd without pw-sha2 cannot check the passwords of the lab's people.
        password = {"userPassword": [(ldap3.MODIFY_REPLACE, [SECRET])]}
        assert root.modify(f"uid=user{n:06d},{PEOPLE}", password), root.result
    root.unbind()
    return server


def prepare(server: OpenLdap) -> None:
    """What a provider of replication needs; a slapd that runs would flush for each entry."""
    folder = server.folder / "ds"
    (folder / "prepared.ldif").write_text(_PREPARED)
    for tool in (
        ["slapmodify", "-n", "0", "-l", str(folder / "prepared.ldif")],
        ["slapindex", "-q", "-n", "1", "entryCSN", "entryUUID"],
    ):
        argv = [f"/usr/sbin/{tool[0]}", "-F", str(folder / "slapd.d"), *tool[1:]]
        subprocess.run(argv, check=True, timeout=60)
    subprocess.run(["chown", "-R", f"{server.user}:{server.user}", str(folder)], check=True)


def change(server: OpenLdap, dn: str, **values: str) -> None:
    link = server.link()
    changes = {name: [(ldap3.MODIFY_REPLACE, [value])] for name, value in values.items()}
    assert link.modify(dn, changes), link.result
    link.unbind()


@contextmanager
def setting(server: Server, dn: str, **values: str) -> Iterator[OpenLdap]:
    """Attributes of cn=config with these values for a while, and absent or as before after."""
    assert isinstance(server, OpenLdap)
    link = server.link()
    link.search(dn, "(objectClass=*)", ldap3.BASE, attributes=list(values))
    attributes = link.response[0]["raw_attributes"]
    before = {name: attributes.get(name, []) for name in values}
    link.unbind()
    change(server, dn, **values)
    try:
        yield server
    finally:
        link = server.link()
        link.modify(dn, {name: [(ldap3.MODIFY_REPLACE, old)] for name, old in before.items()})
        link.unbind()


@contextmanager
def no_index(server: Server, _: Path) -> Iterator[Stage]:
    def work() -> None:
        link = linked(server)
        for n in range(60):
            link.search(SUFFIX, f"(mail=user{n:06d}@example.com)", attributes=["cn"])
        link.unbind()

    yield Stage(server, lambda: together(work, work))


@contextmanager
def no_pool_with_tls(server: Server, _: Path) -> Iterator[Stage]:
    assert isinstance(server, OpenLdap)
    server.certify(Authority())
    place = ldap3.Server("127.0.0.1", server.port, get_info=ldap3.NONE)

    def work() -> None:
        for n in range(150):
            link = ldap3.Connection(place, PROGRAM, SECRET, source_address=CULPRIT)
            link.start_tls()
            assert link.bind(), link.result
            link.search(SUFFIX, f"(uid=user{n:06d})", attributes=["cn"])
            link.unbind()
            time.sleep(0.03)

    yield Stage(server, work)


@contextmanager
def log_level(server: Server, _: Path) -> Iterator[Stage]:
    def work() -> None:
        link = linked(server)
        for n in range(200):
            link.search(SUFFIX, f"(uid=user{n:06d})", attributes=["cn"])
        link.unbind()

    with setting(server, "cn=config", olcLogLevel="any"):
        yield Stage(server, work)


@contextmanager
def last_bind(server: Server, _: Path) -> Iterator[Stage]:
    def work() -> None:
        for n in range(300):
            linked(server, f"uid=user{n % LOGINS:06d},{PEOPLE}", SECRET).unbind()

    with setting(server, DATABASE, olcLastBind="TRUE"):
        yield Stage(server, work)


@contextmanager
def refresh_storm(server: Server, _: Path) -> Iterator[Stage]:
    """A consumer that compares all entries every second, as there is no session log."""
    assert isinstance(server, OpenLdap)
    consumer = copy_of(server)
    consumer.start()
    asks = (
        f"rid=001 provider=ldap://127.0.0.1:{server.port}/ bindmethod=simple "
        f'binddn="{PROGRAM}" credentials={SECRET} searchbase="{SUFFIX}" type=refreshOnly '
        'interval=00:00:00:01 retry="1 +" schemachecking=off'
    )
    link = consumer.link()
    assert link.modify(DATABASE, {"olcSyncrepl": [(ldap3.MODIFY_ADD, [asks])]}), link.result
    link.unbind()

    def work() -> None:
        root = server.link(f"cn=admin,{SUFFIX}")
        for n in range(60):
            text = [(ldap3.MODIFY_REPLACE, [f"changed {n} {time.time()}"])]
            root.modify(f"uid=user{n:06d},{PEOPLE}", {"description": text})
            time.sleep(0.2)
        root.unbind()

    try:
        yield Stage(server, work, 12)
    finally:
        consumer.stop()


def copy_of(server: OpenLdap) -> OpenLdap:
    """A slapd that has the entries of another one; not started."""
    copy = OpenLdap(users=1, overlays=True)
    folder, entries = copy.folder / "ds", copy.folder / "entries.ldif"
    for file in copy.database.iterdir():
        file.unlink()
    of = ["-F", str(server.folder / "ds" / "slapd.d"), "-n", "1", "-l", str(entries)]
    subprocess.run(["/usr/sbin/slapcat", *of], check=True, timeout=60)
    to = ["-F", str(folder / "slapd.d"), "-n", "1", "-q", "-w", "-l", str(entries)]
    subprocess.run(["/usr/sbin/slapadd", *to], check=True, timeout=60)
    subprocess.run(["chown", "-R", f"{copy.user}:{copy.user}", str(folder)], check=True)
    return copy


@contextmanager
def deferring(server: Server, _: Path) -> Iterator[Stage]:
    """One connection asks for 150 things at once, sixteen times."""

    def work() -> None:
        place = ldap3.Server("127.0.0.1", server.port, get_info=ldap3.NONE)
        link = ldap3.Connection(
            place,
            client_strategy=ldap3.ASYNC,
            auto_bind=True,
            check_names=False,
            source_address=CULPRIT,
        )
        for _ in range(16):
            asked = [
                link.search(SUFFIX, f"(uid=user{n:06d})", attributes=["cn"]) for n in range(150)
            ]
            for message in asked:
                link.get_response(message, timeout=60)
        link.unbind()

    yield Stage(server, work)


@contextmanager
def no_descriptors(server: Server, _: Path) -> Iterator[Stage]:
    assert isinstance(server, OpenLdap)
    restarted(server, 1024)

    def work() -> None:
        with open_files(16_384), ExitStack() as leaked:
            for _ in range(1040):
                address = ("127.0.0.1", server.port)
                leaked.enter_context(
                    socket.create_connection(address, 5, source_address=(CULPRIT, 0))
                )
            time.sleep(4)

    yield Stage(server, work)
    subprocess.run([server.control, "restart"], check=True)
    server.start()


@contextmanager
def crawler(server: Server, _: Path) -> Iterator[Stage]:
    """A program reads all entries so slowly that the window ends before it does."""
    over = threading.Event()

    def read() -> None:
        with linked(server, PROGRAM, SECRET) as link:
            link.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 10)
            link.socket.sendall(search_for_all(99))
            while not over.wait(0.02):
                link.socket.recv(2048)
            link.socket.close()

    reader = threading.Thread(target=read)
    yield Stage(server, reader.start, 10)
    over.set()
    reader.join()


@contextmanager
def hot_group(server: Server, _: Path) -> Iterator[Stage]:
    """People join and leave a group of 20,000, which others read whole."""
    assert isinstance(server, OpenLdap)

    def read() -> None:
        link = linked(server)
        for _ in range(15):
            link.search(EVERYBODY, "(objectClass=groupOfNames)", ldap3.BASE, attributes=["*"])
        link.unbind()

    def join_and_leave() -> None:
        link = linked(server, f"cn=admin,{SUFFIX}", server.password)
        for n in range(40):
            guest = f"uid=guest{n}-{time.time_ns()},{PEOPLE}"
            for operation in (ldap3.MODIFY_ADD, ldap3.MODIFY_DELETE):
                assert link.modify(EVERYBODY, {"member": [(operation, [guest])]}), link.result
        link.unbind()

    yield Stage(server, lambda: together(read, join_and_leave, join_and_leave))


class SyslogOpenLdap(OpenLdap):
    """A slapd whose lines go to a rsyslog of its own, which limits how many it takes."""

    has_log_file = False

    def start(self, timeout: float = 60.0) -> OpenLdap:
        """Start rsyslog, and slapd where /dev/log is its socket."""
        if not self._rsyslog.exists():
            self._start_rsyslog()
            self._in_own_dev()
        return super().start(timeout)

    def stop(self) -> None:
        if self._rsyslog.exists():
            subprocess.run(["kill", self._rsyslog.read_text().strip()], check=False)
        super().stop()

    @property
    def log(self) -> Path:
        return self.folder / "syslog"

    @property
    def profile(self) -> Profile:
        return replace(super().profile, access_log=str(self.log))

    @property
    def _rsyslog(self) -> Path:
        return self.folder / "rsyslog.pid"

    def _start_rsyslog(self) -> None:
        program = shutil.which("rsyslogd")
        if program is None:
            pytest.skip("rsyslogd is not installed")
        self.log.touch()
        (self.folder / "rsyslog.conf").write_text(
            'global(processInternalMessages="on")\n'
            f'module(load="imuxsock" SysSock.Name="{self.folder}/log.socket" '
            f'SysSock.RateLimit.Interval="2" SysSock.RateLimit.Burst="{DROPPED_FROM}" '
            'SysSock.UsePIDFromSystem="on")\n'
            'module(load="builtin:omfile" Template="RSYSLOG_FileFormat")\n'
            f"*.* {self.log}\n"
        )
        subprocess.run(
            [program, "-f", str(self.folder / "rsyslog.conf"), "-i", str(self._rsyslog)],
            check=True,
            timeout=20,
        )

    def _in_own_dev(self) -> None:
        """Its control script starts it where /dev/log leads to the socket of rsyslog."""
        devices = self.folder / "dev"
        lines = [
            f"mkdir -p {devices}",
            f"mount -t tmpfs tmpfs {devices}",
            f"cp -a /dev/null /dev/zero /dev/random /dev/urandom {devices}",
            f"ln -s {self.folder}/log.socket {devices}/log",
            f"mount --rbind {devices} /dev",
        ]
        inner = self.control.with_name("control-inside")
        self.control.rename(inner)
        script = " && ".join([*lines, f"exec {inner} $1"])
        self.control.write_text(
            '#!/bin/sh\n[ "$1" = stop ] && exec '
            + f'{inner} stop\n[ "$1" = restart ] && {inner} stop'
            f" && set -- start\nexec unshare -m sh -c '{script}' sh \"$1\"\n"
        )
        self.control.chmod(0o755)


@contextmanager
def lossy_log(_server: Server, _: Path) -> Iterator[Stage]:
    server = SyslogOpenLdap(users=500)

    def work() -> None:
        link = linked(server)
        for n in range(3000):
            link.search(SUFFIX, f"(uid=user{n % 500:06d})", attributes=["cn"])
        link.unbind()

    try:
        server.start()
        yield Stage(server, work, 8)
    finally:
        server.stop()


@contextmanager
def slow_flushes(_server: Server, folder: Path) -> Iterator[Stage]:
    """Each change waits for a disk that takes 12 ms to flush."""
    server = OpenLdap(users=500)

    def write() -> None:
        root = server.link(f"cn=admin,{SUFFIX}")
        for n in range(100):
            text = [(ldap3.MODIFY_REPLACE, [f"{time.time_ns()}"])]
            assert root.modify(f"uid=user{n:06d},{PEOPLE}", {"description": text}), root.result
        root.unbind()

    try:
        with slow_disk(folder / "disk", server.database) as delay:
            server.start()
            delay.write_text("0.012")
            yield Stage(server, lambda: together(*[write] * 3), 10)
            delay.write_text("0")
            subprocess.run([server.control, "stop"], check=True)
    finally:
        server.stop()


@contextmanager
def stuck_writers(server: Server, _: Path) -> Iterator[Stage]:
    """Three of four threads write to clients that do not read."""
    with setting(server, "cn=config", olcThreads="4"), ExitStack() as deaf:

        def work() -> None:
            for _ in range(3):
                link = linked(server, PROGRAM, SECRET)
                deaf.callback(link.socket.close)
                link.socket.sendall(search_for_all(99))
            together(*[_ask] * 6)

        def _ask() -> None:
            link = linked(server, address="127.0.0.11")
            for n in range(150):
                link.search(SUFFIX, f"(uid=user{n:06d})", attributes=["cn"])
            link.unbind()

        yield Stage(server, work, 8)


COMPLAINTS = (
    Complaint(
        "index", "Searches by mail are slow", "slapd-mdb(5), index", OPENLDAP,
        "mail has no index", UNINDEXED, ("mail", CULPRIT.replace(".", r"\.")), r"olcDbIndex",
        stage=no_index,
    ),
    Complaint(
        "pooling_tls", "Each lookup makes a connection", "slapd.conf(5), TLS", OPENLDAP,
        "a TLS handshake for each search: StartTLS, bind, search, close", NEW_CONNECTIONS,
        (r"\bTLS\b", CULPRIT), r"pool|keep (its|the|their)? ?connections?", stage=no_pool_with_tls,
    ),
    Complaint(
        "log_level", "The log fills the disk", "slapd-config(5), olcLogLevel", OPENLDAP,
        "olcLogLevel is any", r"debug|log ?level", ("olcLogLevel",), r"olcLogLevel\W+stats",
        stage=log_level,
    ),
    Complaint(
        "lastbind", "Every login writes", "slapd-config(5), olcLastBind", OPENLDAP,
        "olcLastBind writes pwdLastSuccess at each bind", r"login writes|bind\w* (is|are|writes?)",
        ("olcLastBind",), r"olcLastBind\W+(\{1\}mdb\W+)?FALSE", accused=("olcLastBindPrecision",),
        stage=last_bind,
    ),
    Complaint(
        "refresh_storm", "The provider is busy since a consumer was added", "slapo-syncprov(5)",
        OPENLDAP, "a consumer compares all entries every second, as there is no session log",
        r"consumer|syncrepl|refresh", ("cn=program", CULPRIT.replace(".77", r"\.1")),
        r"olcSpSessionlog|refreshAndPersist", stage=refresh_storm,
    ),
    Complaint(
        "deferring", "connection_input: deferring operation: pending operations",
        "slapd-config(5), olcConnMaxPending", OPENLDAP,
        "one connection sends 150 requests at once",
        r"defer|put off|held back|half of the worker threads", (CULPRIT,),
        r"olcConnMaxPending|fewer|at a time|several connections", stage=deferring,
    ),
    Complaint(
        "descriptors", "accept(7) failed errno=24 (Too many open files)", "slapd(8)", OPENLDAP,
        "one client holds 1,000 connections, and slapd may open 1,024 files",
        r"descriptor|refused", (CULPRIT,), r"LimitNOFILE|olcIdleTimeout", stage=no_descriptors,
    ),
    Complaint(
        "crawler", "slapd has been busy for minutes, and the log shows nothing",
        "slapd-config(5), olcLimits", OPENLDAP, "a program reads everything, beyond the window",
        r"unanswered|never answered|without an answer|still (run|being sent)",
        (r"127\.0\.0\.77|cn=program",), r"olcLimits|olcSizeLimit|in pages|paged", stage=crawler,
    ),
    Complaint(
        "hot_group", "One group takes most of the time", "slapd-mdb(5), multival; olcSortVals",
        OPENLDAP, "a group of 20,000 members is read whole and changed",
        rf"{STANDS_OUT}|large|members|whole", ("cn=everybody",),
        r"olcSortVals|olcDbMultival|not ask for|only the attributes|compare", stage=hot_group,
    ),
    Complaint(
        "lossy_log", "imuxsock begins to drop messages due to rate-limiting", "rsyslog imuxsock",
        OPENLDAP, "rsyslog drops what slapd logs beyond its rate limit",
        r"dropp|lost|missing|not complete|incomplete", (r"rate[- ]?limit",),
        r"RateLimit|olcLogFile", stage=lossy_log,
    ),
    Complaint(
        "flush", "Changes take 12 ms each", "slapd-mdb(5), checkpoint, dbnosync", OPENLDAP,
        "each change waits for the disk to flush", r"flush", (), r"olcDbCheckpoint|olcDbNoSync",
        stage=slow_flushes,
    ),
    Complaint(
        "stuck_writers", "slapd hangs, and more threads do not help",
        "slapd-config(5), olcWriteTimeout", OPENLDAP,
        "three of four threads write to clients that do not read",
        r"not read|(take|read) their answers|stuck|never answered", (CULPRIT,),
        r"olcWriteTimeout", stage=stuck_writers,
    ),
)  # fmt: skip
