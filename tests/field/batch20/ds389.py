"""The twentieth ten, 389 DS: a false limit of pages, a changelog made anew, an unknown CA."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX
from tests.field.batch6 import SUFFIX
from tests.field.batch9.school import Endings, service
from tests.field.batch19.ds389 import LDBM, entry, note, settings
from tests.field.case import DISK, DS, INDEX_ADVICE, THREADS, Case
from tests.field.dialects import Lines, Log389
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
    HANDSHAKE_S,
    PEOPLE,
    binding,
    changes,
    monitoring,
    office,
    search,
    user,
)

_REPLICA = f'cn=replica,cn="{SUFFIX}",cn=mapping tree,cn=config'


def replica(number: int, *agreements: tuple[str, str]) -> str:
    """The replica of the suffix and its agreements, by name and host."""
    text = entry(
        _REPLICA,
        f"objectClass: nsDS5Replica\ncn: replica\nnsDS5ReplicaRoot: {SUFFIX}",
        f"nsDS5ReplicaId: {number}\nnsDS5ReplicaType: 3\nnsds5ReplicaPurgeDelay: 604800",
    )
    for name, host in agreements:
        text += entry(
            f"cn={name},{_REPLICA}",
            f"objectClass: nsDS5ReplicationAgreement\ncn: {name}",
            f"nsDS5ReplicaHost: {host}\nnsDS5ReplicaPort: 636",
            f"nsDS5ReplicaRoot: {SUFFIX}\nnsDS5ReplicaTransportInfo: SSL",
        )
    return text


# ---- a limit of paged searches that was not reached ------------------------------------------

_T3 = "Disconnect - Paged Search Limit Exceeded - T3"
_PAGE = 250


class _Handshakes(Endings):
    """Connections of one address do not get through their handshake, of which a line tells."""

    def opened(self, at: float, connection: Connection) -> None:
        if connection.address != _PEER:
            super().opened(at, connection)
            return
        fd = f"conn={connection.number} fd={connection.fd} slot={connection.fd}"
        self.line(at, f"{fd} SSL connection from {connection.address} to 10.2.52.2")


class _Sent(Endings):
    """A request that was sent, and that nobody takes up any more."""

    def never(self, at: float, request: Request) -> None:
        self.asked(at, request)


def write_false_limit(folder: Path) -> Waited:
    """A request that comes while the last page is sent ends the connection, as if out of time."""
    log = _Sent("2.5.2", "ds1.example.com", "10.2.50.2")
    sim = Simulation(log, utc(2025, 1, 16, 10, 20), 1500, workers=16, seed=2001)
    office(sim, network="10.2.50", pace=1.3)
    sim.start(4, monitoring(sim, "10.2.50.9", service("monitor"), every=20, base="cn=monitor"))
    for number in range(3):
        sim.start(9 + 4.1 * number, _reads_by_pages(sim, log, number))
    sim.run()
    log.write(folder / "access", log.header)
    text = settings(threads=16, kind="mdb")
    text = text.replace("cn: config\n", "cn: config\nnsslapd-timelimit: 3600\n", 1)
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _reads_by_pages(sim: Simulation, log: _Sent, number: int) -> Client:
    """A department by pages, and the next question already before the last page is there."""
    while True:
        connection = sim.connect("10.2.50.41")
        yield HANDSHAKE_S
        yield binding(sim, connection, service("provisioning"))
        for turn in range(40):
            for page in range(5):
                asked = search(sim, connection, PEOPLE, "(departmentNumber=4711)", 0.03)
                asked.entries = 113 if page == 4 else _PAGE
                asked.notes = f"P pr_idx=0 pr_cookie={-1 if page == 4 else 0}"
                yield asked
                yield sim.about(0.004)
            if turn and sim.random.random() < 0.16:
                break
            yield search(sim, connection, PEOPLE, f"(uid={user(turn * 7 + number)})", 0.0008)
            yield sim.random.uniform(2, 9)
        lost = search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0008)
        lost.number = connection.operations
        log.never(sim.now, lost)
        log.endings[connection.number] = _T3
        yield 0.0003
        sim.close(connection, clean=False)
        yield sim.random.uniform(0.2, 1.0)


# ---- a changelog that an index made anew -----------------------------------------------------

_AGREEMENT = 'agmt="cn=meToipa2.example.com" (ipa2:389)'
_INDEX_S = 310.0


def write_changelog_made_anew(folder: Path) -> Waited:
    """An index is built online; the server takes it for an import and begins a new changelog."""
    log, errors = Log389("3.0.0", "ipa1.example.com", "10.2.51.2"), Lines()
    sim = Simulation(log, utc(2024, 1, 23, 8, 11), 1800, workers=16, seed=2002)
    office(sim, network="10.2.51", pace=1.4)
    sim.start(4, monitoring(sim, "10.2.51.9", service("monitor"), every=20, base="cn=monitor"))
    sim.start(15, changes(sim, "10.2.51.62", service("hr"), every=8))
    sim.start(_INDEX_S, _builds_an_index(sim, errors))
    sim.start(_INDEX_S + 4, _cannot_send(sim, errors))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    text = settings(threads=16, kind="mdb")
    text += replica(4, ("meToipa2.example.com", "ipa2.example.com"))
    text += entry(
        f"cn=changelog,cn=userRoot,{LDBM}",
        "objectClass: extensibleObject\ncn: changelog\nnsslapd-changelogmaxage: 30d",
    )
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _builds_an_index(sim: Simulation, errors: Lines) -> Client:
    """A task of an upgrade, by the socket of the host."""
    connection = sim.connect("local", "/run/slapd-EXAMPLE-COM.socket")
    yield 0.001
    task = "cn=indextask_ipaidpconfiglink_138950,cn=index,cn=tasks,cn=config"
    yield Request(connection, "ADD", sim.about(0.003), task)
    index = "INFO - dbmdb_db2index - userRoot: Indexing attribute: ipaidpconfiglink"
    note(errors, sim.now + 0.01, index)
    done = "reindex userRoot: Reindexing complete.  Processed 55402 entries in 6 seconds. "
    note(
        errors,
        sim.now + 6.1,
        f"INFO - dbmdb_public_dbmdb_import_main - {done}(9233.67 entries/sec)",
    )
    note(
        errors,
        sim.now + 6.11,
        "WARN - NSMMReplicationPlugin - replica_reload_ruv - New data for replica "
        f"{SUFFIX} does not match the data in the changelog.\n Recreating the changelog file. "
        "This could affect replication with replica's consumers in which case the consumers "
        "should be reinitialized.",
    )
    for _ in range(7):
        yield 1.0
        state = Request(connection, "SRCH", sim.about(0.0006), task, 0, "(objectClass=*)")
        state.entries = 1
        yield state
    sim.close(connection)


def _cannot_send(sim: Simulation, errors: Lines) -> Client:
    """What the other one has not got yet is not in the new changelog."""
    yield 2.6
    pause = 3.0
    while True:
        note(
            errors,
            sim.now,
            "ERR - NSMMReplicationPlugin - changelog program - repl_plugin_name_cl - "
            f"{_AGREEMENT}: CSN 65af75da000200030000 not found, we aren't as up to date, "
            "or we purged",
        )
        note(
            errors,
            sim.now + 2e-4,
            f"ERR - NSMMReplicationPlugin - send_updates - {_AGREEMENT}: Data required to update "
            "replica has been purged from the changelog. If the error persists the replica must be "
            "reinitialized.",
        )
        yield pause
        pause = min(300.0, pause * 2)


# ---- a peer that does not know the CA --------------------------------------------------------

_PEER = "10.2.52.3"
_TO_PEER = 'agmt="cn=ldap1-ldap2" (ldap2:636)'


def write_unknown_ca(folder: Path) -> Waited:
    """Two suppliers have got certificates of another CA, which neither of them trusts yet."""
    log, errors = _Handshakes("2.4.4", "ldap1.example.com", "10.2.52.2"), Lines()
    sim = Simulation(log, utc(2023, 12, 11, 9, 29), 1800, workers=16, seed=2003)
    office(sim, network="10.2.52", pace=1.4)
    sim.start(4, monitoring(sim, "10.2.52.9", service("monitor"), every=20, base="cn=monitor"))
    sim.start(15, changes(sim, "10.2.52.62", service("hr"), every=8))
    sim.start(12, _comes_from_the_peer(sim, log))
    sim.start(7, _goes_to_the_peer(sim, errors))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    text = settings(threads=16, kind="bdb") + replica(1, ("ldap1-ldap2", "ldap2.example.com"))
    text = text.replace(
        "nsDS5ReplicaTransportInfo: SSL",
        "nsDS5ReplicaTransportInfo: SSL\nnsDS5ReplicaBindMethod: SSLCLIENTAUTH",
    )
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _comes_from_the_peer(sim: Simulation, log: Endings) -> Client:
    """Sessions of the other supplier that end in the handshake, without a word of TLS."""
    pause = 3.0
    while True:
        connection = sim.connect(_PEER)
        yield 0.035
        log.endings[connection.number] = "Disconnect - unknown error"
        sim.close(connection, clean=False)
        yield pause
        pause = min(60.0, pause * 2)


def _goes_to_the_peer(sim: Simulation, errors: Lines) -> Client:
    """The server's own sessions do not get through the handshake either."""
    pause = 3.0
    while True:
        note(
            errors,
            sim.now,
            "ERR - slapi_ldap_bind - Could not send bind request for id [(anon)] authentication "
            "mechanism [EXTERNAL]: error -1 (Can't contact LDAP server), system error -5987 "
            "(Invalid function argument.), network error 0 (Unknown error, host "
            '"ldap2.example.com:636")',
        )
        if pause == 3.0:
            note(
                errors,
                sim.now + 4e-4,
                f"ERR - NSMMReplicationPlugin - bind_and_check_pwp - {_TO_PEER} - Replication bind "
                "with EXTERNAL auth failed: LDAP error -1 (Can't contact LDAP server) ()",
            )
        yield pause
        pause = min(60.0, pause * 2)


_SERVERS_WORK = (BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS)

CASES: tuple[Case, ...] = (
    Case(
        "false_limit",
        "Race condition with Paged Result searches causes a connection error T3 (2025)",
        "https://github.com/389ds/389-ds-base/issues/6509",
        DS,
        "a request that comes while the last page of a paged search is sent makes the server close "
        "the connection for a time limit of paged searches (T3) that was not reached (a defect)",
        r"\bT3\b|paged search limit|pages?\b.{0,80}\b(closed|disconnect|cut|ends?|ended)|"
        r"\b(close[sd]?|disconnect\w*|cut|ends?|ended)\b.{0,90}\b(paged?|pages)",
        (r"10\.2\.50\.41\b|cn=provisioning", r"\bT3\b|\bpaged\b|\bpages\b"),
        r"upgrade|newer (version|release)|fixed in|time ?limit",
        write_false_limit,
        accused=(*_SERVERS_WORK, r"firewall|load balancer"),
    ),
    Case(
        "changelog_made_anew",
        "using lmdb the changelog is wrongly recreated by reindex task (2024)",
        "https://github.com/389ds/389-ds-base/issues/6049",
        DS,
        "building an index online made the server take its data for new and begin a new changelog "
        "(a defect with LMDB): what the other replica has not got yet is lost, and replication "
        "to it stands still",
        r"changelog|replicat|agreement",
        (
            r"re-?index|index task|recreat|does not match|made anew|begun anew|was (re)?created",
            r"meToipa2|ipa2|agmt|consumer|replica",
        ),
        r"re-?initiali[sz]|upgrade|newer (version|release)",
        write_changelog_made_anew,
        accused=_SERVERS_WORK,
    ),
    Case(
        "unknown_ca",
        "No logging of SSL events: error -1 ... system error -5987 (2023)",
        "https://github.com/389ds/389-ds-base/issues/6006",
        DS,
        "two suppliers do not trust the CA of each other's certificate: their sessions end in the "
        "TLS handshake (unknown error, -5987), and no change goes over",
        r"replicat|agreement|handshake|certificate|\bTLS\b|\bCA\b|supplier",
        (
            r"ldap2|10\.2\.52\.3\b",
            r"handshake|certificate|\bTLS\b|\bCA\b|trust",
        ),
        r"trust|\bCA\b|certificate",
        write_unknown_ca,
        accused=(*_SERVERS_WORK, r"wrong password|firewall"),
    ),
)
