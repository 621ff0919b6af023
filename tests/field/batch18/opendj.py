"""The eighteenth ten, OpenDJ and its kin: a hundred late changes, backups, a deaf reaper."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX
from tests.field.batch6 import SUFFIX
from tests.field.case import DISK, INDEX_ADVICE, OPENDJ, THREADS, Case
from tests.field.dialects import Lines, LogOpenDJ, LogOpenDJJson
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
    HANDSHAKE_S,
    PEOPLE,
    application,
    binding,
    monitoring,
    office,
    person,
    search,
    user,
)

SERVICES = f"ou=services,{SUFFIX}"
_SYNCHRONIZATION = "cn=Multimaster Synchronization,cn=Synchronization Providers,cn=config"


def _line(lines: Lines, at: float, text: str) -> None:
    """A line of an error log."""
    moment = datetime.fromtimestamp(at, UTC)
    lines.add(at, f"[{moment:%d/%b/%Y:%H:%M:%S} +0000] {text}")


def _backend(suffix: str = SUFFIX) -> str:
    """The one back end of an OpenDJ."""
    return (
        "dn: ds-cfg-backend-id=userRoot,cn=Backends,cn=config\nobjectClass: top\n"
        "objectClass: ds-cfg-backend\nobjectClass: ds-cfg-pluggable-backend\n"
        "objectClass: ds-cfg-je-backend\nds-cfg-backend-id: userRoot\nds-cfg-enabled: true\n"
        f"ds-cfg-base-dn: {suffix}\nds-cfg-db-directory: db\nds-cfg-db-cache-percent: 50\n"
        "ds-cfg-index-entry-limit: 4000\n\n"
    )


# ---- a hundred of the late changes -----------------------------------------------------------

_LATE, _SENT = 1_460, 100
_NEW = 9_000
"""Numbers of people who came while the server was off."""


class _WithReplayed(LogOpenDJ):
    """An access log with what is replayed from another server, on a negative connection."""

    def line(self, at: float, text: str) -> None:
        if " conn=-" in text:
            text = text.replace(" dn=", " type=synchronization dn=", 1)
        super().line(at, text)


def write_hundred_late_changes(folder: Path) -> Waited:
    """A server that was off at night takes a hundred of the changes it missed, then new ones."""
    log, errors = _WithReplayed("10.229.0.3"), Lines()
    sim = Simulation(log, utc(2025, 9, 15, 7, 30), 1800, workers=24, seed=1840, first_connection=0)
    office(sim, network="10.229.0", pace=1.5)
    sim.start(4, monitoring(sim, "10.229.0.9", f"cn=check,{SERVICES}", every=20, base="cn=monitor"))
    sim.start(1.2, _replayed(sim))
    for seat in range(70):
        sim.start(sim.random.uniform(60, 1780), _newcomer(sim, f"10.229.1.{20 + seat}", seat))
    sim.run()
    connected = sim.begin + 0.9
    _line(
        errors,
        sim.begin - 2.1,
        "category=CORE severity=NOTICE msgID=135 msg=The Directory Server has started successfully",
    )
    _line(
        errors,
        connected,
        "category=SYNC severity=NOTICE msgID=62 msg=Directory server DS(14711) has connected to "
        f'replication server RS(20211) for domain "{SUFFIX}" at 10.229.0.2:8989 with generation '
        "ID 77300415",
    )
    log.write(folder / "access")
    errors.write(folder / "errors")
    domain = SUFFIX.replace(",", "\\,")
    config = _backend() + (
        f"dn: cn={domain},cn=domains,{_SYNCHRONIZATION}\n"
        f"objectClass: ds-cfg-replication-domain\ncn: {SUFFIX}\nds-cfg-base-dn: {SUFFIX}\n"
        "ds-cfg-server-id: 14711\nds-cfg-replication-server: dj1.example.com:8989\n"
        "ds-cfg-replication-server: dj2.example.com:8989\n\n"
    )
    (folder / "config.ldif").write_text(config, "utf-8")
    (folder / "monitor.ldif").write_text(_missing(domain), "utf-8")
    return sim.waited


def _missing(domain: str) -> str:
    """What the replication server says of the two directories at the end of the window."""
    text = ""
    for name, number, missing, delay in (
        ("dj1.example.com", 9077, 0, 0),
        ("dj2.example.com", 14711, _LATE - _SENT, 41_260),
    ):
        text += (
            f"dn: cn=Connected directory server DS({number}) {name}:40112,cn=RS(20211),"
            f"cn={domain},cn=Replication,cn=monitor\nobjectClass: top\n"
            "objectClass: ds-monitor-entry\nobjectClass: extensibleObject\n"
            f"cn: Connected directory server DS({number}) {name}:40112\n"
            f"domain-name: {SUFFIX}\nserver-id: {number}\nconnected-to: RS(20211)\n"
            f"missing-changes: {missing}\napproximate-delay: {delay}\n"
            "following: true\nlate-queue-size: 0\n\n"
        )
    return text


def _replayed(sim: Simulation) -> Client:
    """The first hundred of the late changes, and from then on only what is changed now."""
    connection = Connection(-1, 0, "", 0)
    for number in range(_SENT):
        kind = "ADD" if number % 4 == 0 else "MOD"
        who = person(_NEW + number // 4) if kind == "ADD" else person(number * 17 % 4000)
        yield Request(connection, kind, sim.about(0.007), who, query="telephoneNumber")
        yield sim.about(0.002)
    while True:
        yield sim.random.expovariate(1 / 7)
        who = person(sim.random.randrange(4000))
        yield Request(connection, "MOD", sim.about(0.006), who, query="telephoneNumber")


def _newcomer(sim: Simulation, address: str, seat: int) -> Client:
    """Somebody who was entered at night signs in: a few of them are there, most are not."""
    number = _NEW + seat * 5
    there = number < _NEW + _SENT // 4
    for _ in range(1 if there else 3):
        connection = sim.connect(address)
        yield HANDSHAKE_S
        who = search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0009)
        who.entries, who.culprit = int(there), not there
        yield who
        bind = binding(sim, connection, person(number), 0.0025)
        bind.error, bind.culprit = 0 if there else 49, not there
        yield bind
        sim.close(connection)
        yield sim.random.uniform(6, 15)


# ---- what backups keep in memory -------------------------------------------------------------

_BACKUP_S = 600.0
_TASKS = "cn=Scheduled Tasks,cn=Tasks"


class _StopsAt(LogOpenDJJson):
    """Nothing is written while the world stands still; what was due is written at its end."""

    def __init__(self, server: str, port: int) -> None:
        super().__init__(server, port)
        self.stops: list[tuple[float, float]] = []

    def awake(self, at: float) -> float:
        """The end of the standstill at a time, or the time itself."""
        return next((end + 2e-4 for begin, end in self.stops if begin <= at < end), at)

    def _record(
        self,
        at: float,
        connection: Connection,
        asked: dict[str, object],
        answer: dict[str, object],
        error: int = 0,
    ) -> None:
        super()._record(self.awake(at), connection, asked, answer, error)


class _Stopping(Simulation):
    """A server whose threads all stand still now and then; requests are read afterwards."""

    def _serve(self, request: Request, client: Client) -> None:
        log = self.dialect
        assert isinstance(log, _StopsAt)
        late = log.awake(self.now) - self.now
        if late > 0:
            self.waited.total += late
            self.waited.culprit += late
            self.at(self.now + late - self.begin, lambda: self._serve(request, client))
            return
        for begin, end in log.stops:
            if self.now < begin < self.now + request.took:
                request.took += end - begin
                request.culprit = True
        super()._serve(request, client)


def write_backups_in_memory(folder: Path) -> Waited:
    """Finished tasks of backups fill the heap, and collecting it stops everything."""
    log, errors = _StopsAt("10.230.0.2", 1636), Lines()
    sim = _Stopping(log, utc(2025, 1, 9, 10, 1), 1800, workers=24, seed=1841, first_connection=410)
    moment = sim.begin + 21
    while moment < sim.end - 20:
        length = sim.random.uniform(4.6, 8.2)
        log.stops.append((moment, moment + length))
        moment += length + sim.random.uniform(24, 66)
    office(sim, network="10.230.0", pace=2.4)
    for number, name in enumerate(("wiki", "vpn", "shop"), start=51):
        sim.start(0.3 * number, application(sim, f"10.230.0.{number}", f"cn={name},{SERVICES}",
                                            every=0.7))  # fmt: skip
    sim.start(6, _reports(sim))
    for number, begin in enumerate((60.0, 60.0 + _BACKUP_S, 60.0 + 2 * _BACKUP_S)):
        sim.start(begin, _backs_up(sim, errors, number))
    sim.run()
    log.write(folder / "ldap-access.audit.json")
    errors.write(folder / "errors")
    (folder / "config.ldif").write_text(_backend(), "utf-8")
    (folder / "monitor.ldif").write_text(_full_heap(), "utf-8")
    return sim.waited


def _reports(sim: Simulation) -> Client:
    """Reports that read all groups, 0.4 s each, now and then hit by a standstill."""
    connection = sim.connect("10.230.0.44")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=reports,{SERVICES}")
    while True:
        yield sim.random.expovariate(1 / 5)
        yield search(sim, connection, GROUPS, "(objectClass=groupOfNames)", 0.4, entries=340)


def _backs_up(sim: Simulation, errors: Lines, number: int) -> Client:
    """`backup --incremental` of a crontab, for each of three back ends in turn."""
    for part, name in enumerate(("schema", "tasks", "userRoot")):
        connection = sim.connect("127.0.0.1", "admin")
        yield HANDSHAKE_S
        yield binding(sim, connection, "cn=Directory Manager")
        moment = datetime.fromtimestamp(sim.now, UTC)
        identifier = f"{moment:%Y%m%d%H%M%S}{517 + 3 * number + part}"
        dn = f"ds-task-id={identifier},{_TASKS}"
        yield Request(connection, "ADD", sim.about(0.03), dn)
        _line(
            errors,
            sim.now,
            f"category=BACKEND severity=NOTICE msgID=413 msg=Backup task {identifier} started "
            "execution",
        )
        _line(
            errors,
            sim.now + 0.1,
            f"category=TOOLS severity=NOTICE msgID=280 msg=Starting backup for backend {name}",
        )
        for _ in range(3):
            yield 1.0
            state = Request(connection, "SRCH", sim.about(0.0012), dn, 0, "(objectclass=*)")
            state.entries = 1
            yield state
        _line(
            errors,
            sim.now,
            f"category=BACKEND severity=NOTICE msgID=414 msg=Backup task {identifier} finished "
            "execution in the state Completed successfully",
        )
        sim.close(connection)
        yield 0.4


def _full_heap() -> str:
    """What the server says of its memory, and of the tasks it keeps."""
    return (
        "dn: cn=System Information,cn=monitor\nobjectClass: top\n"
        "objectClass: ds-monitor-entry\nobjectClass: extensibleObject\ncn: System Information\n"
        "availableCPUs: 8\njavaVersion: 11.0.12\njvmArchitecture: 64-bit\n"
        'jvmArguments: "-Xms6g" "-Xmx6g" "-XX:+UseG1GC"\nmaxMemory: 6442450944\n'
        "usedMemory: 6442450944\nfreeUsedMemory: 118489088\n\n"
        "dn: cn=JVM Memory Usage,cn=monitor\nobjectClass: top\n"
        "objectClass: ds-monitor-entry\nobjectClass: extensibleObject\ncn: JVM Memory Usage\n"
        "g1-old-gen-current-bytes-used: 6301941760\n"
        "g1-old-gen-bytes-used-after-last-collection: 6287261696\n"
        "g1-old-generation-total-collection-count: 2911\n"
        "g1-old-generation-total-collection-duration: 18113402\n\n"
        "dn: cn=tasks Backend,cn=monitor\nobjectClass: top\n"
        "objectClass: ds-monitor-entry\nobjectClass: ds-backend-monitor-entry\n"
        "cn: tasks Backend\nds-backend-id: tasks\nds-base-dn-entry-count: 304 cn=Tasks\n"
        "ds-backend-entry-count: 304\n\n"
    )


# ---- nobody deletes any more -----------------------------------------------------------------

_CTS = "dc=cts,dc=example,dc=com"
_TOKENS = f"ou=famrecords,ou=openam-session,ou=tokens,{_CTS}"
_DOWN_S, _UP_S = 640.0, 702.0
_AM = ("10.231.0.21", "10.231.0.22")


class _Restarts(LogOpenDJ):
    """The server goes, and its clients with it."""

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        if clean or connection.address not in _AM:
            super().closed(at, connection, clean)
            return
        self.line(at, f'DISCONNECT conn={connection.number} reason="Server Shutdown"')


def write_nobody_deletes(folder: Path) -> Waited:
    """The store of tokens is started again; the thread that deletes the expired ones is stuck."""
    before, after, errors = _Restarts("10.231.0.2"), _Restarts("10.231.0.2"), Lines()
    waited = Waited()
    for log, begin, seconds, first in ((before, 0.0, _DOWN_S, 31), (after, _UP_S, 1200.0, 0)):
        sim = Simulation(
            log,
            utc(2019, 5, 10, 13, 0) + begin,
            seconds,
            workers=24,
            seed=1842 + int(begin),
            first_connection=first,
        )
        for number, address in enumerate(_AM):
            for part in range(4):
                sim.start(0.5 + 0.3 * part + number, _tokens(sim, address, seconds))
            if log is before:
                sim.start(9 + 14 * number, _reaper(sim, address))
        sim.start(2, monitoring(sim, "10.231.0.9", "cn=check,cn=Root DNs,cn=config", every=20,
                                base="cn=monitor"))  # fmt: skip
        sim.run()
        waited.total += sim.waited.total
    start = utc(2019, 5, 10, 13, 0)
    for second, text in (
        (_DOWN_S, "category=CORE severity=NOTICE msgID=203 msg=The Directory Server has started "
         "the shutdown process. The shutdown was initiated by an instance of class "
         "org.opends.server.core.DirectoryServerShutdownHook"),
        (_DOWN_S + 2, "category=CORE severity=NOTICE msgID=370 msg=The Directory Server is now "
         "stopped"),
        (_UP_S - 1, "category=CORE severity=NOTICE msgID=135 msg=The Directory Server has started "
         "successfully"),
    ):  # fmt: skip
        _line(errors, start + second, text)
    before.write(folder / "before")
    after.write(folder / "after")
    text = (folder / "before").read_text("utf-8") + (folder / "after").read_text("utf-8")
    (folder / "before").unlink()
    (folder / "after").unlink()
    (folder / "access").write_text(text, "utf-8")
    errors.write(folder / "errors")
    (folder / "config.ldif").write_text(_backend(_CTS), "utf-8")
    return waited


def _token(number: int) -> str:
    return f"coreTokenId={0x5CD57A00 + number * 40_503:010x}{number:06x},{_TOKENS}"


def _tokens(sim: Simulation, address: str, seconds: float) -> Client:
    """Sessions of an access manager: made, read and refreshed."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"uid=openam_cts,ou=admins,{_CTS}")
    while sim.now - sim.begin < seconds - 1.5:
        yield sim.random.expovariate(1 / 1.4)
        number = sim.random.randrange(900_000)
        yield Request(connection, "ADD", sim.about(0.003), _token(number))
        yield sim.about(0.2)
        for _ in range(sim.random.randrange(1, 4)):
            one = Request(connection, "SRCH", sim.about(0.0008), _token(number), 0)
            one.query, one.entries = "(objectclass=*)", 1
            yield one
            yield sim.about(0.1)
        yield Request(connection, "MOD", sim.about(0.003), _token(number), query="coreTokenObject")
    sim.close(connection, clean=False)


def _reaper(sim: Simulation, address: str) -> Client:
    """Every 30 s what has expired is looked for, and deleted; the last time is cut short."""
    while True:
        connection = sim.connect(address)
        yield HANDSHAKE_S
        yield binding(sim, connection, f"uid=openam_cts,ou=admins,{_CTS}")
        moment = datetime.fromtimestamp(sim.now, UTC)
        count = sim.random.randrange(28, 60)
        query = f"(coreTokenExpirationDate<={moment:%Y%m%d%H%M%S}.000+0000)"
        expired = Request(connection, "SRCH", sim.about(0.012), _TOKENS, 2, query)
        expired.attributes, expired.entries = "coreTokenId", count
        yield expired
        for _ in range(count):
            number = sim.random.randrange(900_000)
            yield Request(connection, "DEL", sim.about(0.003), _token(number))
        sim.close(connection)
        yield 30.0


_SERVERS_WORK = (BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS)

CASES: tuple[Case, ...] = (
    Case(
        "hundred_late_changes",
        "Replication failes to catch up when there are more than 100 late updates (2025)",
        "https://github.com/WrenSecurity/wrends/issues/96",
        OPENDJ,
        "a server that was off at night is given 100 of the 1,460 changes it missed and then only "
        "new ones (a defect): people entered at night are not found and cannot sign in",
        r"replicat|missing changes|\bmiss(es|ed|ing)\b|\bbehind\b|\blate\b|\blag|catch up|"
        r"out of (date|step)|1[,. ]?360",
        (
            r"replicat|\bDS\(14711\)|dj2|missing-changes|synchroni[sz]",
            r"1[,. ]?360|\b100\b|\bmiss(es|ed|ing)\b|behind|\blate\b|lag|41[,. ]?\d{3}|catch",
        ),
        r"restart|start (it|the server) again|upgrade|newer (version|release)|re-?initiali[sz]|"
        r"dsreplication|initialize",
        write_hundred_late_changes,
        accused=(*_SERVERS_WORK, r"guess|brute|attack"),
    ),
    Case(
        "backups_in_memory",
        "Memory leak caused by Incremental Backup (2025)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/issues/460",
        OPENDJ,
        "each finished task of a backup (one every 10 min for each back end, 300 kept) holds all "
        "of backup.info in memory: the heap is full, and its collection stops all threads for "
        "5 to 8 s, 36 times in half an hour",
        r"\bheap|garbage|collect(ion|or)|\bmemory\b|\bJVM\b|\bpaus|stand(s|ing)? still|stood "
        r"still|\bstall|standstill|nothing (was|is) (written|logged|answered)",
        (
            r"\bheap|garbage|collect(ion|or)|\bmemory\b|\bJVM\b|-Xm[sx]",
            r"backup|\btasks?\b",
        ),
        r"\bheap|-Xm[sx]|garbage|backup\.info|(fewer|remove|purge|delete|old|keep).{0,60}"
        r"(backups?|tasks?)|(backups?|tasks?).{0,60}(fewer|remove|purge|delete|less often|retention"
        r"|recurring)|memory",
        write_backups_in_memory,
        share=0.93,
        accused=_SERVERS_WORK,
    ),
    Case(
        "nobody_deletes_expired",
        "Expired Token remains in CTS (2019)",
        "https://github.com/openam-jp/openam/issues/88",
        OPENDJ,
        "the store of tokens was stopped while both access managers deleted what has expired; "
        "their deleting thread waits for a connection for ever since then: tokens are added and "
        "none is deleted after the restart",
        r"no longer|\bstopp?ed\b|\bceased|any ?more|since (the )?(re)?start|(is|are) gone|gone "
        r"since|not (seen|asked) (again|since)|\bno deletes?|(never|not|nothing) (is |was )?"
        r"deleted|without deletes|only before|did not come back",
        (
            r"\bDEL(ETE)?s?\b|delet|coreTokenExpirationDate|reaper|expired",
            r"start|shutdown|stopped|since|before|after",
        ),
        r"restart|start (it|them|OpenAM|the client|the access manager)|10\.231\.0\.2[12]|upgrade|"
        r"newer|client|reaper",
        write_nobody_deletes,
        accused=_SERVERS_WORK,
    ),
)
