"""The twenty-first ten, OpenLDAP: a map that fills, no unbind twice, a limit at each key."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX
from tests.field.batch6 import SUFFIX
from tests.field.batch19.openldap import SERVICES, mdb
from tests.field.case import DISK, INDEX_ADVICE, OPENLDAP, THREADS, Case
from tests.field.dialects import LogOpenLDAP
from tests.field.simulation import Client, Request, Simulation, Waited, utc
from tests.field.traffic import (
    HANDSHAKE_S,
    PEOPLE,
    binding,
    changes,
    office,
    person,
    search,
    user,
)

_INDEXES = "olcDbIndex: objectClass,uid,cn,member,entryUUID,entryCSN eq"

# ---- a map that is full at a third -----------------------------------------------------------


def write_full_at_a_third(folder: Path) -> Waited:
    """Large changes fail, as the pages they copy do not fit into the map, which is a third full."""
    log = LogOpenLDAP("primary", pid=1_204)
    sim = Simulation(log, utc(2025, 11, 5, 9, 0), 1800, seed=2120, first_connection=3_300)
    office(sim, network="10.2.80", pace=1.2)
    sim.start(40, _large_changes(sim, log))
    sim.run()
    log.write(folder / "slapd.log")
    text = mdb(_INDEXES).replace("olcDbMaxSize: 8589934592", "olcDbMaxSize: 4295000000")
    (folder / "cn=config.ldif").write_text(text, "utf-8")
    monitor = (
        "dn: cn=Database 1,cn=Databases,cn=Monitor\nobjectClass: olmMDBDatabase\n"
        f"cn: Database 1\nmonitoredInfo: mdb\nnamingContexts: {SUFFIX}\n"
        "olmMDBPagesMax: 1048583\nolmMDBPagesUsed: 346101\nolmMDBPagesFree: 2120\n"
        "olmMDBReadersMax: 126\nolmMDBReadersUsed: 14\n\n"
    )
    (folder / "monitor.ldif").write_text(monitor, "utf-8")
    return sim.waited


def _large_changes(sim: Simulation, log: LogOpenLDAP) -> Client:
    """A school year is turned over: groups with tens of thousands of members are written."""
    connection = sim.connect("10.2.80.40")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=school,{SERVICES}")
    while True:
        group = f"cn=everyone{sim.random.randrange(9)},ou=groups,{SUFFIX}"
        change = Request(connection, "MOD", sim.about(4.5, 0.1), group, query="member")
        change.error, change.notes, change.culprit = 80, "entry update failed", True
        yield change
        log.line(
            sim.now,
            "mdb_id2entry_put: mdb_put failed: MDB_MAP_FULL: Environment mapsize limit "
            f'reached(-30792) "{group}"',
        )
        yield sim.random.uniform(30, 60)


# ---- no unbind -------------------------------------------------------------------------------

_CASDOOR = "10.2.81.20"


def write_sync_leaves_open(folder: Path) -> Waited:
    """A synchronisation opens a connection each time and leaves it; slapd runs out of files."""
    log = LogOpenLDAP("ldap0", pid=1)
    sim = Simulation(
        log, utc(2023, 11, 28, 7, 0), 1800, seed=2121, first_connection=1_900, first_fd=930,
        last_fd=1023,
    )  # fmt: skip
    office(sim, network="10.2.81", pace=1.0)
    sim.start(5, _syncs(sim))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(mdb(_INDEXES), "utf-8")
    return sim.waited


def _syncs(sim: Simulation) -> Client:
    """All users of an organisation, every 20 s, over a connection that nobody closes."""
    while True:
        sim.start(sim.now - sim.begin, _one_sync(sim))
        yield 20.0


def _one_sync(sim: Simulation) -> Client:
    connection = sim.connect(_CASDOOR)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=casdoor,{SERVICES}")
    asked = search(sim, connection, PEOPLE, "(objectClass=posixAccount)", 0.04, entries=310)
    asked.culprit = True
    yield asked


_ZAMMAD = "10.2.82.20"


def write_never_unbinds(folder: Path) -> Waited:
    """A help desk ends each connection without an unbind, after a search or a login."""
    log = LogOpenLDAP("localhost", pid=20_216)
    sim = Simulation(log, utc(2020, 10, 8, 9, 0), 1800, seed=2122, first_connection=1_323)
    office(sim, network="10.2.82", pace=1.0)
    for number in range(3):
        sim.start(3 + number, _requests_of_zammad(sim))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(mdb(_INDEXES), "utf-8")
    return sim.waited


def _requests_of_zammad(sim: Simulation) -> Client:
    """A connection for each question, which is dropped behind the answer."""
    while True:
        yield sim.random.expovariate(1 / 1.3)
        connection = sim.connect(_ZAMMAD)
        yield HANDSHAKE_S
        bind = binding(sim, connection, f"cn=zammad,{SERVICES}")
        bind.culprit = True
        yield bind
        number = sim.random.randrange(4000)
        asked = search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0009)
        asked.culprit = True
        yield asked
        yield 0.0008
        sim.close(connection, clean=False)


# ---- a limit at each key ---------------------------------------------------------------------

_GRAVITEE = "10.2.83.30"


def write_limit_at_each_key(folder: Path) -> Waited:
    """A form searches at each key that is pressed; for one or two letters too many would match."""
    log = LogOpenLDAP("ldap2", pid=733)
    sim = Simulation(log, utc(2018, 2, 20, 13, 0), 1800, seed=2123, first_connection=2_040)
    office(sim, network="10.2.83", pace=1.2)
    sim.start(9, changes(sim, "10.2.83.62", f"cn=hr,{SERVICES}", every=14))
    sim.start(12, _types(sim))
    sim.run()
    log.write(folder / "slapd.log")
    text = mdb(
        _INDEXES, "olcDbIndex: displayName,mail sub", "olcSizeLimit: size.unchecked=500 size=500"
    )
    (folder / "cn=config.ldif").write_text(text, "utf-8")
    return sim.waited


def _types(sim: Simulation) -> Client:
    """Administrators type names, letter by letter."""
    connection = sim.connect(_GRAVITEE)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=gravitee,{SERVICES}")
    while True:
        name = user(sim.random.randrange(4000))[:6]
        for end in range(1, len(name) + 1):
            asked = search(sim, connection, PEOPLE, f"(displayName=*{name[:end]}*)", 0.002)
            asked.entries = 0 if end <= 3 else sim.random.randrange(1, 40)
            asked.error = 11 if end <= 3 else 0
            asked.culprit = end <= 3
            yield asked
            yield sim.random.uniform(0.15, 0.6)
        yield sim.random.expovariate(1 / 18)
        yield Request(connection, "SRCH", sim.about(0.0007), person(3), 0, "(objectClass=*)")


_SERVERS_WORK = (BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS)

CASES: tuple[Case, ...] = (
    Case(
        "full_at_a_third",
        "How to properly configure LMDB maxsize in LDAP (2025)",
        "https://help.univention.com/t/how-to-properly-configure-lmdb-maxsize-in-ldap/24558",
        OPENLDAP,
        "changes of groups with tens of thousands of members fail with 80: the pages they copy do "
        "not fit into the map (MDB_MAP_FULL), of which 33 % are in use between them",
        r"MAP_FULL|\bmap\b|mapsize|\bfull\b|maxsize",
        (r"MAP_FULL|mapsize|olcDbMaxSize|maxsize", r"\b80\b|\bfull\b|fail|entry update"),
        r"olcDbMaxSize|maxsize",
        write_full_at_a_third,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, THREADS),
    ),
    Case(
        "sync_leaves_open",
        "Add ldap unbind operator after syncing (2023)",
        "https://github.com/casdoor/casdoor/issues/2520",
        OPENLDAP,
        "a synchronisation opens a connection every 20 s and never closes one: slapd reaches its "
        "1,024 open files and refuses all others",
        r"(never|not|does not) closed?|left open|stay(s|ed)? open|\bleak|descriptor|open files|"
        r"refused|open connections",
        (r"10\.2\.81\.20\b|cn=casdoor", r"connection"),
        r"\bclose|unbind|\bpool|idle|LimitNOFILE|descriptors|open files",
        write_sync_leaves_open,
        accused=_SERVERS_WORK,
    ),
    Case(
        "never_unbinds",
        "LDAP connection not closed cleanly (no unbind, connection lost) (2020)",
        "https://github.com/zammad/zammad/issues/3241",
        OPENLDAP,
        "a help desk opens a connection for each question and drops it without an unbind "
        "(connection lost)",
        r"connection|unbind|\bpool|\blost\b",
        (r"10\.2\.82\.20\b|cn=zammad", r"without an unbind|unbind|\blost\b|dropp|abort|not closed"),
        r"unbind|\bclose|\bpool|keep|upgrade|newer",
        write_never_unbinds,
        accused=_SERVERS_WORK,
    ),
    Case(
        "limit_at_each_key",
        "Do not treat LDAP adminLimitExceeded as an error (2018)",
        "https://github.com/gravitee-io/issues/issues/1091",
        OPENLDAP,
        "a form searches for a part of a name at each key that is pressed; for up to three letters "
        "too many entries may match, and the search ends with 11",
        r"administrative limit|\b11\b|limit|fail|refus|in vain",
        (r"10\.2\.83\.30\b|cn=gravitee|displayName", r"administrative limit|\b11\b"),
        r"letters|characters|narrow|longer|more of|expects? this code|olcSizeLimit|olcLimits|"
        r"unchecked|for less",
        write_limit_at_each_key,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
)
