"""The eighteenth ten, 389 DS: a poll of 100 ms, sudo commands in one filter, a flush each time."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX
from tests.field.batch6 import SUFFIX
from tests.field.batch9.school import service, sign_in
from tests.field.case import DISK, DS, STANDS_OUT, THREADS, Case, Healthy
from tests.field.dialects import Lines, Log13, Log389, stamp_389
from tests.field.simulation import Client, Request, Simulation, Waited, utc
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
    sasl,
    search,
    user,
)

BLAMES_A_HASH = r"password (hash|storage)|pbkdf2|iteration"
_LDBM = "cn=ldbm database,cn=plugins,cn=config"
_EQUAL = "nsIndexType: eq\nnsIndexType: pres"
_INDEXED = ("objectclass", "uid", "mail", "member", "memberOf", "ipaUniqueID", "entryUUID", "aci")


def _entry(dn: str, *lines: str) -> str:
    """An entry of an LDIF file."""
    return "\n".join((f"dn: {dn}", "objectClass: top", *lines)) + "\n\n"


def _settings(*more: str, threads: int, database: tuple[str, ...]) -> str:
    """What dse.ldif says of the server, its database, its one back end and the indexes there."""
    text = _entry(
        "cn=config",
        f"objectClass: nsslapdConfig\ncn: config\nnsslapd-threadnumber: {threads}",
        *more,
    )
    text += _entry(f"cn=config,{_LDBM}", "objectClass: extensibleObject\ncn: config", *database)
    text += _entry(
        f"cn=userRoot,{_LDBM}",
        f"objectClass: nsBackendInstance\ncn: userRoot\nnsslapd-suffix: {SUFFIX}",
        "nsslapd-cachememsize: 2147483648\nnsslapd-dncachememsize: 134217728",
    )
    for name in _INDEXED:
        text += _entry(
            f"cn={name},cn=index,cn=userRoot,{_LDBM}",
            f"objectClass: nsIndex\ncn: {name}\nnsSystemIndex: false",
            _EQUAL,
        )
    return text


def _lmdb(*more: str) -> tuple[str, ...]:
    """Settings of an LMDB database."""
    return ("nsslapd-backend-implement: mdb\nnsslapd-mdb-max-size: 21474836480", *more)


def _note(lines: Lines, at: float, text: str) -> None:
    """A line of the error log."""
    lines.add(at, f"{stamp_389(at)} - {text}")


# ---- 100 ms before the first byte of a request -----------------------------------------------

_POLL_S = 0.1


class _Polls(Log389):
    """The wait for the first byte of a request is over before the request is logged."""

    def asked(self, at: float, request: Request) -> None:
        super().asked(at + (_POLL_S if request.culprit else 0.0), request)

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        polled = _POLL_S if request.culprit else 0.0
        super().answered(at, request, queued + polled, worked - polled)


def write_poll_of_100_ms(folder: Path) -> Waited:
    """Of the searches in a row over one connection, every tenth waits 100 ms to be read."""
    log = _Polls("3.2.1", "ds-a.example.com", "10.220.0.2")
    sim = Simulation(log, utc(2026, 8, 3, 9, 30), 1500, workers=16, seed=1800)
    office(sim, network="10.220.0", pace=1.2)
    sim.start(4, monitoring(sim, "10.220.0.9", service("monitor"), every=20, base="cn=monitor"))
    for number, name in enumerate(("crm", "badges", "payroll"), start=51):
        sim.start(9 * number - 440, _in_a_row(sim, f"10.220.0.{number}", name))
    sim.run()
    log.write(folder / "access", log.header)
    text = _settings("nsslapd-numlisteners: 1", threads=16, database=_lmdb())
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _in_a_row(sim: Simulation, address: str, name: str) -> Client:
    """A job that looks a thousand people up, one after the other, and later again."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service(name))
    while True:
        for _ in range(1000):
            asked = search(sim, connection, PEOPLE, f"(uid={user(sim.random.randrange(4000))})",
                           0.0004)  # fmt: skip
            if sim.random.random() < 0.1:
                asked.culprit = True
                asked.took += _POLL_S + sim.random.uniform(0.00005, 0.0004)
            yield asked
            yield sim.about(0.0009)
        yield sim.random.uniform(250, 330)


# ---- all commands of sudo in one filter ------------------------------------------------------

_SUDO = f"cn=sudo,{SUFFIX}"
_COMMANDS = 148


def write_sudo_in_one_filter(folder: Path) -> Waited:
    """Each host asks for all commands its sudo rules name in one filter, again at each refresh."""
    log = Log13("1.3.6.1", "ipa2.example.com", "10.221.0.2", ten_digits=False)
    sim = Simulation(log, utc(2017, 9, 7, 7, 50), 1800, workers=30, seed=1801)
    office(sim, network="10.221.0", pace=1.4)
    for number in range(46):
        begin = sim.random.uniform(5, 880)
        sim.start(begin, _sudo_host(sim, f"10.221.2.{20 + number}", _COMMANDS, 5.2))
    sim.run()
    log.write(folder / "access", log.header)
    database = ("nsslapd-backend-implement: ldbm\nnsslapd-dbcachesize: 1610612736",)
    (folder / "dse.ldif").write_text(_settings(threads=30, database=database), "utf-8")
    return sim.waited


def _sudo_host(sim: Simulation, address: str, commands: int, took: float) -> Client:
    """SSSD of an IPA client: a ticket, the rules that changed, and what commands they name."""
    name = f"node{address.rsplit('.', 1)[1]}.example.com"
    while True:
        connection = sim.connect(address)
        yield 0.002
        host = f"fqdn={name},cn=computers,cn=accounts,{SUFFIX}"
        yield from sasl(sim, connection, host, "GSSAPI")
        rules = search(
            sim,
            connection,
            _SUDO,
            f"(&(objectClass=ipasudorule)(ipaEnabledFlag=TRUE)(|(cn=defaults)(memberHost={host})"
            "(hostCategory=ALL)))",
            0.004,
            entries=23,
        )
        rules.attributes = "objectClass cn ipaUniqueID memberUser memberAllowCmd memberDenyCmd"
        yield rules
        yield 0.02
        named = "".join(f"(ipaUniqueID={_unique(number)})" for number in range(commands))
        wanted = search(
            sim,
            connection,
            _SUDO,
            f"(&(objectClass=ipasudocmd)(|{named}))",
            0.0,
            entries=commands,
        )
        wanted.attributes = "objectClass ipaUniqueID sudoCmd memberOf"
        wanted.took, wanted.culprit = sim.about(took, 0.12), took > 1
        yield wanted
        yield sim.about(2.0)
        sim.close(connection)
        yield sim.random.uniform(860, 905)


def _unique(number: int) -> str:
    """The identifier of a command."""
    return f"{0x5A1C7E02 + 7919 * number:08x}-6c40-11e7-{0x8001 + number:04x}-001a4a160156"


# ---- a flush for each commit of a total update -----------------------------------------------

_TOTAL_S = 120.0
_START = "2.16.840.1.113730.3.5.12"
_TOTAL_ENTRY = "2.16.840.1.113730.3.5.6"


def write_flush_for_each_commit(folder: Path) -> Waited:
    """A replica on network storage is filled online; each commit is flushed, slower and slower."""
    log, errors = Log389("3.2.0", "ds-c.example.com", "10.222.0.2"), Lines()
    sim = Simulation(log, utc(2026, 7, 22, 20, 10), 1500, workers=16, seed=1802)
    sim.start(3, monitoring(sim, "10.222.0.9", service("monitor"), every=15, base="cn=monitor"))
    sent = [0]
    sim.start(_TOTAL_S - 0.5, _total_update(sim, sent))
    sim.start(_TOTAL_S, _says_import(sim, errors, sent))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    (folder / "iostat.txt").write_text(_network_disk(sim), "utf-8")
    text = _settings(threads=16, database=_lmdb("nsslapd-db-durable-transactions: on"))
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _flush_s(sim: Simulation, second: float) -> float:
    """What a flush takes at a second of the window: 14 ms at first, 95 ms at the end."""
    grown = max(0.0, second - _TOTAL_S) / (sim.seconds - _TOTAL_S)
    return 0.014 + 0.081 * grown


def _total_update(sim: Simulation, sent: list[int]) -> Client:
    """A supplier sends everything it has, an entry after the other."""
    connection = sim.connect("10.222.0.1")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=replication manager,cn=config")
    start = Request(connection, "EXT", 0.012, query=_START)
    start.attributes = "replication-multisupplier-extop"
    yield start
    yield 0.35
    while True:
        took = sim.about(_flush_s(sim, sim.now - sim.begin), 0.2)
        entry = Request(connection, "EXT", took, query=_TOTAL_ENTRY, culprit=True)
        entry.attributes = "Netscape Replication Total Update Entry"
        yield entry
        sent[0] += 1


def _says_import(sim: Simulation, errors: Lines, sent: list[int]) -> Client:
    """What the import says of itself, every 20 s."""
    _note(
        errors,
        sim.now,
        f"NOTICE - NSMMReplicationPlugin - multisupplier_be_state_change - Replica {SUFFIX} is "
        "going offline; disabling replication",
    )
    began, last = sim.now, 0
    while True:
        yield 20.0
        average, recent = sent[0] / (sim.now - began), (sent[0] - last) / 20
        last = sent[0]
        _note(
            errors,
            sim.now,
            f"INFO - dbmdb_import_monitor_threads - import userRoot: Processed {sent[0]} entries "
            f"-- average rate {average:.1f}/sec, recent rate {recent:.1f}/sec, hit ratio 100%",
        )


def _network_disk(sim: Simulation) -> str:
    """Reports of `iostat -xdt 10`: the volume of the database waits for its flushes."""
    columns = (
        "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   "
        "wrqm/s  %wrqm w_await wareq-sz     f/s f_await  aqu-sz  %util"
    )
    text = "Linux 6.12.0-55.el10.x86_64 (ds-c) \t07/22/26 \t_x86_64_\t(8 CPU)\n\n"
    for number in range(1, int(sim.seconds / 10)):
        second = 10.0 * number
        moment = datetime.fromtimestamp(sim.begin + second, UTC)
        busy = second > _TOTAL_S
        flush_ms = _flush_s(sim, second) * 1000 * sim.random.uniform(0.9, 1.1) if busy else 1.9
        flushes = 1000 / flush_ms if busy else 0.3
        writes = flushes * sim.random.uniform(9, 12)
        wait = flush_ms * 0.32
        used = min(99.6, flushes * flush_ms / 10.1) if busy else 0.2
        text += (
            f"{moment:%m/%d/%y %H:%M:%S}\n{columns}\n"
            f"nvme0n1          0.20      1.60     0.00   0.00    0.40     8.00    2.10     21.00   "
            f"  1.20  36.36    0.70    10.00    0.40    0.60    0.00   0.20\n"
            f"nvme1n1          0.00      0.00     0.00   0.00    0.00     0.00 {writes:7.2f} "
            f"{writes * 4.4:9.2f}     0.40   0.10 {wait:7.2f}     4.40 {flushes:7.2f} "
            f"{flush_ms:7.2f} {(writes * wait + flushes * flush_ms) / 1000:7.2f} {used:6.2f}\n\n"
        )
    return text


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_monday(folder: Path) -> Waited:
    """Jobs look people up in a row, hosts ask for a few commands of sudo, people come at nine."""
    log, errors = Log389("3.1.3", "ds9.example.com", "10.223.0.2"), Lines()
    sim = Simulation(log, utc(2026, 9, 14, 8, 50), 1800, workers=24, seed=1810)
    office(sim, network="10.223.0", pace=2.1)
    sim.start(5, monitoring(sim, "10.223.0.9", service("monitor"), every=15, base="cn=monitor"))
    sim.start(2, following(sim, "10.223.0.8", service("dns"), "cn=dns," + SUFFIX, "(cn=*)"))
    for number, name in enumerate(("wiki", "vpn", "tickets"), start=51):
        sim.start(0.3 * number, application(sim, f"10.223.0.{number}", service(name), every=0.8))
    for number in range(24):
        begin = sim.random.uniform(5, 880)
        sim.start(begin, _sudo_host(sim, f"10.223.2.{20 + number}", 6, 0.003))
    sim.start(20, changes(sim, "10.223.0.62", service("self-service"), every=15))
    sim.start(700, _joins(sim, "10.223.0.63"))
    for seat in range(60):
        begin = 500 + sim.random.uniform(0, 500)
        sim.start(begin, sign_in(sim, f"10.223.1.{20 + seat}", 1 if seat % 19 == 4 else 0))
    sim.run()
    _note(errors, sim.begin - 86_400 * 12, "INFO - main - 389-Directory/3.1.3 B2026.120.0000 "
          "starting up")  # fmt: skip
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    (folder / "dse.ldif").write_text(_settings(threads=24, database=_lmdb()), "utf-8")
    return sim.waited


def _joins(sim: Simulation, address: str) -> Client:
    """Somebody puts a few people into a group, and looks whether they are there."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("groups"))
    for number in range(12):
        group = f"cn=team-{number % 3},{GROUPS}"
        yield Request(connection, "MOD", sim.about(0.007), group, query="member")
        yield sim.about(0.4)
        mine = f"(member={person(310 + number)})"
        yield search(sim, connection, GROUPS, mine, 0.0009, entries=3)
        yield sim.random.uniform(9, 30)
    sim.close(connection)


CASES: tuple[Case, ...] = (
    Case(
        "poll_of_100_ms",
        "connection_read_operation waits 100 ms in PR_Poll before checking new_operation (2026)",
        "https://github.com/389ds/389-ds-base/issues/7685",
        DS,
        "a defect: now and then a thread waits 100 ms for the first byte of the next request on "
        "a connection, so that every tenth search of three jobs waits 0.1 s before it begins, "
        "while the threads are idle and the search itself takes 0.4 ms",
        rf"\bconstant|same (length|time)|\b0?[.,]1\d* ?s\b|\b100([.,]\d+)? ?ms|\bwtime|\bqueue|"
        rf"before (it|they|the)|\bpoll|\bread(ing)? (of )?the request|waits? (to be|for a) |"
        rf"{STANDS_OUT}",
        (
            r"\b0[.,]1\d* ?s\b|\b10[0-2]([.,]\d+)? ?ms|\bconstant",
            r"10\.220\.0\.5[123]|cn=(crm|badges|payroll)|one connection|in a row|one after",
        ),
        r"upgrade|newer (version|release)|update the server|7685|fixed in|turbo|defect|\bbug\b",
        write_poll_of_100_ms,
        share=0.92,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "sudo_commands_in_one_filter",
        "IPA: Add threshold for sudo command and command group searches (2017)",
        "https://github.com/SSSD/sssd/pull/374",
        DS,
        "SSSD of each of 46 hosts asks for the 148 commands of its sudo rules in one filter with "
        "148 terms: ns-slapd takes 5 s for such a search, and all else is answered at once",
        rf"\bterms?\b|\b(large|long|huge|big)\w* (\w+ )?filter|filters? (with|of) \d+|\bsudo|"
        rf"ipasudocmd|or.?filter|{STANDS_OUT}",
        (r"ipasudocmd|ipaUniqueID|\bsudo", r"\bterms?\b|filter|ipaUniqueID"),
        r"ipa_sudo_command_threshold|threshold|SSSD|fewer|short(er)?|smaller|split|whole|"
        r"once (a|per)|interval|refresh",
        write_sudo_in_one_filter,
        share=0.97,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "flush_for_each_commit",
        "Replication performance degradation during total init on high-latency storage (2026)",
        "https://github.com/389ds/389-ds-base/issues/7666",
        DS,
        "an online total update into LMDB flushes each commit to network storage; a flush takes "
        "14 ms at first and 95 ms after 23 min, and the rate falls from 70 to 10 entries a second",
        r"flush|fsync|\bdisks?\b|storage|device|nvme1n1|commit|initiali[sz]|total update|import|"
        r"slower and slower",
        (
            r"flush|fsync|\bf_await|\bdisks?\b|storage|device|nvme1n1",
            r"initiali[sz]|total|import|replica|supplier|3\.5\.6|10\.222\.0\.1\b",
        ),
        r"nosync|durable-transactions|faster|lower latency|latency|IOPS|local (disk|ssd|nvme)|"
        r"upgrade|7666|offline|ldif2db|from an LDIF",
        write_flush_for_each_commit,
        accused=(BLAMES_AN_INDEX, THREADS, BLAMES_A_HASH),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_busy_monday",
        "hosts ask for a few commands of sudo, groups are changed, people come at nine",
        DS,
        write_healthy_monday,
    ),
)
