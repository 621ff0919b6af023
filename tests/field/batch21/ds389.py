"""The twenty-first ten, 389 DS: an index without the RUV, no cipher, a read ahead, three times."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX
from tests.field.batch6 import SUFFIX
from tests.field.batch9.school import service, sign_in
from tests.field.batch19.ds389 import entry, note, settings
from tests.field.batch20.ds389 import replica
from tests.field.case import AGAIN, DISK, DS, INDEX_ADVICE, THREADS, Case, Healthy
from tests.field.dialects import Lines, Log389
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
    HANDSHAKE_S,
    PEOPLE,
    application,
    binding,
    changes,
    following,
    monitoring,
    office,
    person,
    search,
    user,
)

# ---- an index without the tombstone of the RUV -----------------------------------------------

_RUV = f"nsuniqueid=ffffffff-ffffffff-ffffffff-ffffffff,{SUFFIX}"
_INDEX_S = 420.0


def write_index_without_ruv(folder: Path) -> Waited:
    """After all indexes were built online, the entry with the RUV is not found by its name."""
    log, errors = Log389("1.4.3.23", "ds2.example.com", "10.2.70.2"), Lines()
    sim = Simulation(log, utc(2021, 9, 8, 9, 10), 1800, workers=16, seed=2101)
    office(sim, network="10.2.70", pace=1.4)
    sim.start(15, changes(sim, "10.2.70.62", service("hr"), every=8))
    sim.start(6, _looks_at_the_ruv(sim))
    sim.start(_INDEX_S, _indexes(sim, errors))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    text = settings(threads=16, kind="bdb") + replica(2, ("ds2-ds1", "ds1.example.com"))
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _looks_at_the_ruv(sim: Simulation) -> Client:
    """A monitor of replication reads the RUV each half minute."""
    connection = sim.connect("10.2.70.9")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("monitor"))
    while True:
        asked = Request(connection, "SRCH", sim.about(0.0006), _RUV, 0, "(objectClass=nsTombstone)")
        lost = sim.now - sim.begin > _INDEX_S + 9
        asked.attributes, asked.entries, asked.error = "nsds50ruv", int(not lost), 32 * int(lost)
        asked.culprit = lost
        yield asked
        yield 30.0


def _indexes(sim: Simulation, errors: Lines) -> Client:
    """A task that builds all indexes of the back end; from then on the RUV cannot be written."""
    connection = sim.connect("local", "/run/slapd-EXAMPLE-COM.socket")
    yield 0.001
    yield Request(connection, "ADD", sim.about(0.003), "cn=reindex_all,cn=index,cn=tasks,cn=config")
    for name in ("nsuniqueid", "objectclass", "uid", "member"):
        note(errors, sim.now, f"INFO - bdb_db2index - userRoot: Indexing attribute: {name}")
    done = "INFO - bdb_db2index - userRoot: Finished indexing."
    note(errors, sim.now + 8.2, done)
    sim.close(connection)
    yield 12.0
    while True:
        note(
            errors,
            sim.now,
            "ERR - NSMMReplicationPlugin - replica_write_ruv - Failed to update RUV tombstone for "
            f"{SUFFIX}; LDAP error - 32",
        )
        yield 30.0


# ---- no cipher is left -----------------------------------------------------------------------

_DENIED = (
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_DHE_RSA_WITH_AES_128_CBC_SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA",
)
_LDAPS = "10.2.71.2"


class _NoCipher(Log389):
    """LDAPS ends in the handshake; on port 389 all is well."""

    def opened(self, at: float, connection: Connection) -> None:
        fd = f"conn={connection.number} fd={connection.fd} slot={connection.fd}"
        kind = "SSL " if _is_tls(connection) else ""
        self.line(at, f"{fd} {kind}connection from {connection.address} to {_LDAPS}")

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        if not _is_tls(connection):
            super().closed(at, connection, clean)
            return
        why = "Cannot communicate securely with peer: no common encryption algorithm(s)."
        self.line(at, f"conn={connection.number} op=-1 fd={connection.fd} closed - {why}")


def _is_tls(connection: Connection) -> bool:
    return connection.address.startswith("10.2.71.1") and len(connection.address) > 10


def write_no_cipher(folder: Path) -> Waited:
    """All ciphers of a list are taken away and none is given: no handshake succeeds."""
    log = _NoCipher("1.4.4.19", "ds.example.com", _LDAPS, 389)
    sim = Simulation(log, utc(2023, 4, 17, 10, 0), 1500, workers=16, seed=2102)
    office(sim, network="10.2.72", pace=1.3)
    for number in range(22):
        sim.start(2 + 3 * number, _tries_tls(sim, f"10.2.71.1{10 + number}"))
    sim.run()
    log.write(folder / "access", log.header)
    text = settings(threads=16, kind="bdb") + entry(
        "cn=encryption,cn=config",
        "objectClass: nsEncryptionConfig\ncn: encryption\nnsSSL3: off\nnsTLS1: on",
        f"nsSSL3Ciphers: {','.join(f'-{name}' for name in _DENIED)}",
    )
    text = text.replace("cn: config\n", "cn: config\nnsslapd-security: on\n", 1)
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _tries_tls(sim: Simulation, address: str) -> Client:
    """A client that does not give up."""
    while True:
        connection = sim.connect(address)
        yield 0.004
        sim.close(connection, clean=False)
        yield sim.random.uniform(15, 40)


# ---- what is read ahead counts ---------------------------------------------------------------

_MOST, _THERE = 1_220, 1_010


def write_read_ahead_counts(folder: Path) -> Waited:
    """Each page reads one entry more than it shows, and the limit counts these as well."""
    log = Log389("2.0.2", "ds5.example.com", "10.2.73.2")
    sim = Simulation(log, utc(2021, 2, 4, 14, 0), 1500, workers=16, seed=2103)
    office(sim, network="10.2.73", pace=1.3)
    sim.start(4, monitoring(sim, "10.2.73.9", service("monitor"), every=20, base="cn=monitor"))
    sim.start(11, _reads_on(sim))
    sim.run()
    log.write(folder / "access", log.header)
    text = settings(threads=16, kind="bdb").replace(
        "nsslapd-backend-implement: bdb",
        f"nsslapd-backend-implement: bdb\nnsslapd-lookthroughlimit: {_MOST}",
    )
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _reads_on(sim: Simulation) -> Client:
    """A job that reads all of 1,010 entries by pages of ten, and never gets to the end."""
    base = f"ou=lab,{SUFFIX}"
    while True:
        connection = sim.connect("10.2.73.44")
        yield HANDSHAKE_S
        yield binding(sim, connection, service("inventory"))
        for page in range(98):
            asked = search(sim, connection, base, "(description=test0*)", 0.003, entries=10)
            asked.notes, asked.culprit = "P,A pr_idx=0 pr_cookie=0", True
            if page == 97:
                asked.entries, asked.error = 4, 11
                asked.notes = "P,A pr_idx=0 pr_cookie=-1"
            yield asked
            yield sim.about(0.003)
        sim.close(connection)
        yield sim.random.uniform(45, 60)


# ---- three times the same question -----------------------------------------------------------

_APP = "10.2.74.30"


def write_three_times(folder: Path) -> Waited:
    """Who signs in is looked up three times with the same filter, for other attributes."""
    log = Log389("1.4.3.8", "ds6.example.com", "10.2.74.2")
    sim = Simulation(log, utc(2020, 6, 25, 9, 0), 1500, workers=16, seed=2104)
    office(sim, network="10.2.74", pace=1.1)
    sim.start(4, monitoring(sim, "10.2.74.9", service("monitor"), every=20, base="cn=monitor"))
    for number in range(4):
        sim.start(3 + number, _calls(sim))
    sim.run()
    log.write(folder / "access", log.header)
    (folder / "dse.ldif").write_text(settings(threads=16, kind="bdb"), "utf-8")
    return sim.waited


def _calls(sim: Simulation) -> Client:
    """A service that asks who calls it, with each call."""
    connection = sim.connect(_APP)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("quarkus"))
    while True:
        yield sim.random.expovariate(1 / 0.55)
        number = sim.random.randrange(4000)
        for attributes in ("", "1.1", "cn memberOf"):
            asked = search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0009)
            asked.attributes, asked.culprit = attributes, True
            yield asked
            yield sim.about(0.0012)


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_handover(folder: Path) -> Waited:
    """A second supplier is taken out for an hour: its clients come over, and are there to stay."""
    log = Log389("3.1.3", "ds8.example.com", "10.2.75.2")
    sim = Simulation(log, utc(2026, 11, 4, 21, 0), 1800, workers=24, seed=2110)
    office(sim, network="10.2.75", pace=1.2)
    sim.start(5, monitoring(sim, "10.2.75.9", service("monitor"), every=15, base="cn=monitor"))
    sim.start(2, following(sim, "10.2.75.8", service("dns"), f"cn=dns,{SUFFIX}", "(cn=*)"))
    for number in range(14):
        begin = 600 + 25 * number + sim.random.uniform(0, 12)
        name = service(f"moved{number}")
        sim.start(begin, application(sim, f"10.2.76.{20 + number}", name, every=1.4))
    for seat in range(12):
        sim.start(sim.random.uniform(30, 1700), sign_in(sim, f"10.2.75.{70 + seat}"))
    sim.start(300, _tidies_up(sim))
    sim.run()
    log.write(folder / "access", log.header)
    (folder / "dse.ldif").write_text(settings(threads=24, kind="mdb"), "utf-8")
    return sim.waited


def _tidies_up(sim: Simulation) -> Client:
    """An administrator takes people who left out of their groups."""
    connection = sim.connect("10.2.75.91")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("administration"))
    for number in range(30):
        mine = f"(member={person(number)})"
        yield search(sim, connection, GROUPS, mine, 0.001, entries=3)
        yield sim.random.uniform(4, 20)
        yield Request(connection, "MOD", sim.about(0.005), f"cn=team{number},{GROUPS}",
                      query="member")  # fmt: skip
    sim.close(connection)


_SERVERS_WORK = (BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS)

CASES: tuple[Case, ...] = (
    Case(
        "index_without_ruv",
        "db reindex corrupts RUV tombstone nsuniqueid index (2021)",
        "https://github.com/389ds/389-ds-base/issues/4910",
        DS,
        "all indexes were built anew, which leaves the entry with the RUV out of its index (a "
        "defect): since then it is not found (32), cannot be written, and replication is broken",
        r"\bRUV\b|tombstone|replicat|re-?index|since|no longer|any ?more",
        (
            r"\bRUV\b|tombstone|ffffffff",
            r"re-?index|building of an index|\bindex(es|ing)?\b",
        ),
        r"re-?index|index task|upgrade|newer (version|release)|re-?initiali|import",
        write_index_without_ruv,
        accused=(DISK, THREADS),
    ),
    Case(
        "no_cipher",
        "Ciphers exclusion not allowing to query the 389DS LDAP (2023)",
        "https://github.com/389ds/389-ds-base/issues/5731",
        DS,
        "nsSSL3Ciphers only takes ciphers away and allows none: each TLS handshake ends (no common "
        "encryption algorithm), and 22 hosts try again and again",
        r"\bTLS\b|handshake|cipher|encrypt|connections?",
        (r"cipher|encryption algorithm|handshake|\bTLS\b", r"10\.2\.71\.1|\b22\b|nsSSL3Ciphers"),
        r"cipher|\+all",
        write_no_cipher,
        accused=_SERVERS_WORK,
    ),
    Case(
        "read_ahead_counts",
        "Paged search lookthroughlimit counter doesnt take read ahead into account (2021)",
        "https://github.com/389ds/389-ds-base/issues/4595",
        DS,
        "a paged search without an index is ended by the look-through limit (11) before it has all "
        "1,010 entries, though the limit is 1,220: entries that pages read ahead count (a defect)",
        r"administrative limit|\b11\b|look-?through|limit|fail|refus|cut|ended",
        (
            r"10\.2\.73\.44\b|cn=inventory|description",
            r"administrative limit|err(or)?\W*11\b|look-?through",
        ),
        r"look-?through|upgrade|newer (version|release)|index",
        write_read_ahead_counts,
        accused=(DISK, THREADS),
    ),
    Case(
        "three_times",
        "LDAP plugin - don't do the same ldap query multiple times (2020)",
        "https://github.com/quarkusio/quarkus/issues/10258",
        DS,
        "a service looks up who calls it three times with the same filter, one after the other, "
        "and again at the next call",
        rf"{AGAIN}|same (filter|entry)|times",
        (r"10\.2\.74\.30\b|cn=quarkus", r"again|same|\b(3|three) times|repeat"),
        r"\bcache|once|remember|one (search|request)|fewer",
        write_three_times,
        share=0.85,
        accused=_SERVERS_WORK,
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_handover",
        "the clients of a server that is taken out come over one by one, and people leave groups",
        DS,
        write_healthy_handover,
    ),
)
