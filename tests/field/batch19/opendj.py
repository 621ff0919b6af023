"""The nineteenth ten, OpenDJ: an index with gaps, a log that blocks, a change that cannot be."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX, BLOCKS
from tests.field.batch6 import SUFFIX
from tests.field.case import DISK, INDEX_ADVICE, OPENDJ, THREADS, Case
from tests.field.dialects import Lines, LogOpenDJ
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
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
_DOMAINS = "cn=domains,cn=Multimaster Synchronization,cn=Synchronization Providers,cn=config"


def note(lines: Lines, at: float, text: str) -> None:
    """A line of an error log."""
    moment = datetime.fromtimestamp(at, UTC)
    lines.add(at, f"[{moment:%d/%b/%Y:%H:%M:%S} +0000] {text}")


def backend(*indexes: str) -> str:
    """The one back end of an OpenDJ, with what is indexed for equality."""
    text = (
        "dn: ds-cfg-backend-id=userRoot,cn=Backends,cn=config\nobjectClass: top\n"
        "objectClass: ds-cfg-backend\nobjectClass: ds-cfg-pluggable-backend\n"
        "objectClass: ds-cfg-je-backend\nds-cfg-backend-id: userRoot\nds-cfg-enabled: true\n"
        f"ds-cfg-base-dn: {SUFFIX}\nds-cfg-db-directory: db\nds-cfg-db-cache-percent: 50\n"
        "ds-cfg-index-entry-limit: 4000\n\n"
    )
    for name in ("objectClass", "uid", "mail", "cn", "member", "entryUUID", *indexes):
        text += (
            f"dn: ds-cfg-attribute={name},cn=Index,ds-cfg-backend-id=userRoot,cn=Backends,"
            "cn=config\nobjectClass: top\nobjectClass: ds-cfg-backend-index\n"
            f"ds-cfg-attribute: {name}\nds-cfg-index-type: equality\n\n"
        )
    return text


def replicated(number: int, *servers: str) -> str:
    """The replication of the suffix."""
    domain = SUFFIX.replace(",", "\\,")
    return (
        f"dn: cn={domain},{_DOMAINS}\nobjectClass: ds-cfg-replication-domain\ncn: {SUFFIX}\n"
        f"ds-cfg-base-dn: {SUFFIX}\nds-cfg-server-id: {number}\n"
        + "".join(f"ds-cfg-replication-server: {server}:8989\n" for server in servers)
        + "\n"
    )


class _WithReplayed(LogOpenDJ):
    """An access log with what is replayed from another server, on a negative connection."""

    def line(self, at: float, text: str) -> None:
        if " conn=-" in text:
            text = text.replace(" dn=", " type=synchronization dn=", 1)
        super().line(at, text)


# ---- an index with gaps ----------------------------------------------------------------------

_CLASS = "campusMailPerson"


def write_index_with_gaps(folder: Path) -> Waited:
    """What is replicated is not entered in the index of objectClass: searches by it miss people."""
    log = _WithReplayed("10.249.0.3")
    sim = Simulation(log, utc(2026, 9, 10, 8, 20), 1800, workers=24, seed=1940, first_connection=40)
    office(sim, network="10.249.0", pace=1.5)
    sim.start(4, monitoring(sim, "10.249.0.9", f"cn=check,{SERVICES}", every=20, base="cn=monitor"))
    sim.start(1.2, _replayed(sim))
    for number in range(3):
        sim.start(6 + number, _mail_gateway(sim))
    sim.run()
    log.write(folder / "access")
    text = backend() + replicated(14712, "dj1.example.com", "dj2.example.com", "dj3.example.com")
    (folder / "config.ldif").write_text(text, "utf-8")
    return sim.waited


def _replayed(sim: Simulation) -> Client:
    """Changes of people that came from another server."""
    connection = Connection(-1, 0, "", 0)
    while True:
        yield sim.random.expovariate(1 / 5)
        who = person(sim.random.randrange(4000))
        yield Request(connection, "MOD", sim.about(0.006), who, query="objectClass")


def _mail_gateway(sim: Simulation) -> Client:
    """Who is it, by the class first; where nobody is found, once more without the class."""
    connection = sim.connect("10.249.0.40")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=mailgw,{SERVICES}")
    while True:
        yield sim.random.expovariate(1 / 4)
        number = sim.random.randrange(4000)
        missed = number % 5 < 2
        address = f"{user(number)}@example.com"
        asked = search(
            sim, connection, PEOPLE, f"(&(objectClass={_CLASS})(mail={address}))", 0.0011
        )
        asked.entries, asked.culprit = 0 if missed else 1, missed
        asked.attributes = "objectClass mailForwardingAddress"
        yield asked
        if missed:
            yield 0.003
            yield search(sim, connection, PEOPLE, f"(mail={address})", 0.0009)


# ---- a log that blocks -----------------------------------------------------------------------

_PUT = (
    "java.util.concurrent.locks.LockSupport.park(LockSupport.java:194)",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await"
    "(AbstractQueuedSynchronizer.java:2081)",
    "java.util.concurrent.ArrayBlockingQueue.put(ArrayBlockingQueue.java:367)",
    "org.forgerock.audit.handlers.json.JsonFileWriter.put(JsonFileWriter.java:157)",
    "org.forgerock.audit.handlers.json.JsonAuditEventHandler.publishEvent"
    "(JsonAuditEventHandler.java:226)",
    "org.forgerock.audit.AuditServiceImpl.publish(AuditServiceImpl.java:414)",
    "org.opends.server.loggers.CommonAuditAccessLogPublisher.logBindResponse"
    "(CommonAuditAccessLogPublisher.java:184)",
    "org.opends.server.loggers.AccessLogger.logBindResponse(AccessLogger.java:120)",
    "org.opends.server.core.BindOperationBasis.run(BindOperationBasis.java:522)",
    "org.opends.server.extensions.TraditionalWorkerThread.run(TraditionalWorkerThread.java:163)",
)
_IDLE = (
    "java.util.concurrent.locks.LockSupport.park(LockSupport.java:194)",
    "java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:433)",
    "org.opends.server.extensions.TraditionalWorkQueue.retryNextOperation"
    "(TraditionalWorkQueue.java:561)",
    "org.opends.server.extensions.TraditionalWorkerThread.run(TraditionalWorkerThread.java:121)",
)
_WORKERS = 16


def write_log_that_blocks(folder: Path) -> Waited:
    """Every operation is logged twice, and workers wait until the JSON log takes their record."""
    log = LogOpenDJ("10.250.0.2")
    sim = Simulation(log, utc(2026, 7, 2, 10, 0), 340, workers=_WORKERS, seed=1941)
    office(sim, network="10.250.0", pace=1.0)
    sim.start(4, monitoring(sim, "10.250.0.9", f"cn=check,{SERVICES}", every=20, base="cn=monitor"))
    for number in range(24):
        sim.start(30 + 0.2 * number, _binds(sim, f"10.250.1.{20 + number}"))
    sim.run()
    log.write(folder / "access")
    publishers = "cn=Loggers,cn=config"
    text = backend()
    for name, file in (
        ("File-Based Access Logger", "logs/access"),
        ("Json File-Based Access Logger", "logs/ldap-access.audit.json"),
    ):
        kind = "json-file-access" if name.startswith("Json") else "file-based-access"
        text += (
            f"dn: cn={name},{publishers}\nobjectClass: top\nobjectClass: ds-cfg-log-publisher\n"
            f"objectClass: ds-cfg-access-log-publisher\n"
            f"objectClass: ds-cfg-{kind}-log-publisher\ncn: {name}\nds-cfg-enabled: true\n"
            f"ds-cfg-log-file: {file}\nds-cfg-asynchronous: true\n\n"
        )
    (folder / "config.ldif").write_text(text, "utf-8")
    for sample in range(1, 4):
        (folder / f"jstack.{sample}.txt").write_text(_jstack(sim, sample), "utf-8")
    return sim.waited


def _binds(sim: Simulation, address: str) -> Client:
    """A load of logins; each waits for room in the queue of the log."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    while True:
        bind = binding(sim, connection, person(sim.random.randrange(4000)), 0.145)
        bind.culprit = True
        yield bind
        yield sim.about(0.03)


def _jstack(sim: Simulation, sample: int) -> str:
    """All threads in one moment: most workers wait to hand over a record."""
    moment = datetime.fromtimestamp(sim.begin + 100 * sample, UTC)
    text = (
        f"{moment:%Y-%m-%d %H:%M:%S}\n"
        "Full thread dump OpenJDK 64-Bit Server VM (11.0.22+7 mixed mode):\n\n"
    )
    for number in range(_WORKERS):
        frames = _IDLE if number in (3, 11) else _PUT
        text += (
            f'"Worker Thread {number}" #{40 + number} prio=5 os_prio=0 cpu=90122.11ms '
            f"elapsed=1811.20s tid=0x00007f2a4c{number:02x}1800 nid=0x{7100 + number:x} waiting on "
            f"condition  [0x00007f29f{number:02x}e0000]\n"
            "   java.lang.Thread.State: WAITING (parking)\n"
            + "".join(f"\tat {frame}\n" for frame in frames)
            + "\n"
        )
    return text


# ---- a change that cannot be replayed --------------------------------------------------------

_CSN = "0000019920f1a0383781000004a7"


def write_change_again_and_again(folder: Path) -> Waited:
    """One change cannot be replayed: the session begins anew each 10 s, and the rest waits."""
    log, errors = _WithReplayed("10.251.0.4"), Lines()
    sim = Simulation(log, utc(2026, 9, 7, 6, 0), 1800, workers=24, seed=1942, first_connection=90)
    office(sim, network="10.251.0", pace=1.4)
    sim.start(4, monitoring(sim, "10.251.0.9", f"cn=check,{SERVICES}", every=20, base="cn=monitor"))
    sim.start(2, application(sim, "10.251.0.44", f"cn=sso,{SERVICES}", every=1.0))
    sim.start(1.5, _delivered(sim, errors))
    sim.run()
    log.write(folder / "access")
    errors.write(folder / "errors")
    text = backend() + replicated(1191, "dj1.example.com", "dj2.example.com")
    (folder / "config.ldif").write_text(text, "utf-8")
    (folder / "monitor.ldif").write_text(_behind(), "utf-8")
    return sim.waited


def _delivered(sim: Simulation, errors: Lines) -> Client:
    """The change comes, fails, and the session is begun anew to have it once more."""
    connection = Connection(-1, 0, "", 0)
    peer = f'replication server RS(20211) for domain "{SUFFIX}" at 10.251.0.2:8989'
    while True:
        add = Request(connection, "ADD", 0.004, f"uid=printer-7,ou=devices,{SUFFIX}")
        add.error, add.culprit = 65, True
        yield add
        note(
            errors,
            sim.now,
            "category=SYNC severity=WARNING msgID=307 msg=The change "
            f'{_CSN} for domain "{SUFFIX}" could not be applied (Object Class Violation: Entry '
            f'"uid=printer-7,ou=devices,{SUFFIX}" violates the Directory Server schema '
            'configuration because it includes attribute "printer-queue" which is not allowed by '
            "any of the object classes defined in that entry). It is asked for again in 10000 ms",
        )
        note(
            errors,
            sim.now + 10.0,
            "category=SYNC severity=NOTICE msgID=62 msg=Directory server DS(1191) has connected to "
            f"{peer} with generation ID 77300415",
        )
        yield 10.02


def _behind() -> str:
    """What the replication server says of the directories at the end of the window."""
    domain = SUFFIX.replace(",", "\\,")
    text = ""
    for name, number, missing, delay in (
        ("dj1.example.com", 9077, 0, 0),
        ("dj3.example.com", 1191, 6_213, 10_840),
    ):
        text += (
            f"dn: cn=Connected directory server DS({number}) {name}:40112,cn=RS(20211),"
            f"cn={domain},cn=Replication,cn=monitor\nobjectClass: top\n"
            "objectClass: ds-monitor-entry\nobjectClass: extensibleObject\n"
            f"cn: Connected directory server DS({number}) {name}:40112\n"
            f"domain-name: {SUFFIX}\nserver-id: {number}\nconnected-to: RS(20211)\n"
            f"missing-changes: {missing}\napproximate-delay: {delay}\n"
            "following: false\nlate-queue-size: 100\n\n"
        )
    return text


_SERVERS_WORK = (BLAMES_AN_INDEX, DISK, THREADS)

CASES: tuple[Case, ...] = (
    Case(
        "index_with_gaps",
        "Replicated objectClass value additions are not written to the objectClass equality index "
        "(2026)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/issues/1021",
        OPENDJ,
        "values of objectClass that come by replication are not entered into its index: two of "
        "five searches by objectClass=campusMailPerson find nobody, and the same person is found "
        "without it",
        r"(find|found|return|match)\w* (nothing|nobody|no)|no (entr(y|ies)|results?)|in vain|"
        r"\bempty\b|0 entries|\bmiss(es|ed|ing)\b|\bstale\b|incomplete|verify",
        (
            r"campusMailPerson|10\.249\.0\.40\b|cn=mailgw",
            r"objectClass|index|no (entr(y|ies)|results?)|nothing|nobody|in vain|\bempty\b",
        ),
        r"rebuild-index|verify-index|verify|upgrade|newer|re-?index|initiali[sz]",
        write_index_with_gaps,
        accused=(DISK, THREADS, r"create-backend-index"),
    ),
    Case(
        "log_that_blocks",
        "Disable duplicate JSON access logger in the default configuration (2026)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/pull/668",
        OPENDJ,
        "two access logs are on, and each operation is written to both: workers wait until the "
        "queue of the JSON log has room (JsonFileWriter.put), 14 of 16 at a time, so that a bind "
        "takes 145 ms",
        rf"JsonFileWriter|\blog(s|ger|gers|ging)?\b.{{0,60}}(block|wait|twice|both|queue|slow)|"
        rf"(block|wait|twice|both|queue|slow).{{0,60}}\blog(s|ger|gers|ging)?\b|access log|"
        rf"publisher|stack|{BLOCKS}",
        (
            r"\bjson|JsonFileWriter|access log|publisher|logger",
            r"\bput\b|JsonFileWriter|queue|wait|block|both|twice|second",
        ),
        r"disable|switch(ed)? off|turn(ed)? off|enabled:? ?false|set-log-publisher-prop|only one|"
        r"upgrade|one of (the|them)|668",
        write_log_that_blocks,
        share=0.98,
        accused=(*_SERVERS_WORK, INDEX_ADVICE, r"password (hash|storage)|pbkdf2|bcrypt"),
    ),
    Case(
        "change_again_and_again",
        "Replication: the replay retry warning is logged once per delivery, with nothing bounding "
        "it once the give-up budget is raised (2026)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/issues/942",
        OPENDJ,
        "one change cannot be replayed (65, the schemas differ): the session begins anew each "
        "10 s to have it again, and the replica is 6,213 changes and 3 h behind",
        r"replicat|replay|synchroni[sz]|missing changes|\bbehind\b|\blag|could not be applied",
        (
            r"printer-7|DS\(1191\)|dj3|0000019920f1a038|ou=devices",
            r"again|repeat|every|each|\b10(\.0)? ?s|6[,. ]?213|behind|lag|schema|\b65\b|violat|"
            r"could not|fail|refus",
        ),
        r"schema|re-?initiali[sz]|dsreplication|give-up|skip|add the attribute|object ?class",
        write_change_again_and_again,
        accused=(*_SERVERS_WORK, INDEX_ADVICE),
    ),
)
