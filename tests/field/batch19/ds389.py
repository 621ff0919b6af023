"""The nineteenth ten, 389 DS: pages that slow all, a hundred parents, a purged change, a circle."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import ALL_OF_IT, BLAMES_AN_INDEX, BLOCKS
from tests.field.batch6 import SUFFIX
from tests.field.batch9.school import read, service, sign_in
from tests.field.case import AGAIN, DISK, DS, FOLLOWS, STANDS_OUT, THREADS, Case, Healthy
from tests.field.dialects import Lines, Log389, stamp_389
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
    search,
    user,
)

BLAMES_A_HASH = r"password (hash|storage)|pbkdf2|iteration"
_PLUGINS = "cn=plugins,cn=config"
LDBM = f"cn=ldbm database,{_PLUGINS}"
_INDEXED = ("objectclass", "uid", "cn", "mail", "member", "memberOf", "entryUUID", "aci")


def entry(dn: str, *lines: str) -> str:
    """An entry of an LDIF file."""
    return "\n".join((f"dn: {dn}", "objectClass: top", *lines)) + "\n\n"


def settings(*, threads: int, kind: str) -> str:
    """What dse.ldif says of the server, its database, its one back end and the indexes there."""
    text = entry(
        "cn=config",
        f"objectClass: nsslapdConfig\ncn: config\nnsslapd-threadnumber: {threads}",
    )
    text += entry(
        f"cn=config,{LDBM}",
        f"objectClass: extensibleObject\ncn: config\nnsslapd-backend-implement: {kind}",
    )
    text += entry(
        f"cn=userRoot,{LDBM}",
        f"objectClass: nsBackendInstance\ncn: userRoot\nnsslapd-suffix: {SUFFIX}",
        "nsslapd-cachememsize: 2147483648\nnsslapd-dncachememsize: 134217728",
    )
    for name in _INDEXED:
        text += entry(
            f"cn={name},cn=index,cn=userRoot,{LDBM}",
            f"objectClass: nsIndex\ncn: {name}\nnsSystemIndex: false",
            "nsIndexType: eq\nnsIndexType: pres",
        )
    return text


def note(lines: Lines, at: float, text: str) -> None:
    """A line of the error log."""
    lines.add(at, f"{stamp_389(at)} - {text}")


# ---- pages that slow all others --------------------------------------------------------------

_PAGED = "10.240.0.77"
_FROM_S, _TO_S = 150.0, 300.0


class _Queued(Log389):
    """Time before a worker has a request is part of wtime, though workers are idle."""

    def __init__(self, version: str, host: str, server: str) -> None:
        super().__init__(version, host, server)
        self.waits: dict[Request, float] = {}

    def asked(self, at: float, request: Request) -> None:
        super().asked(at + self.waits.get(request, 0.0), request)

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        waited = self.waits.pop(request, 0.0)
        super().answered(at, request, queued + waited, worked - waited)


def write_pages_slow_all(folder: Path) -> Waited:
    """A script reads all people by pages, again and again; what others ask is taken up late."""
    log = _Queued("1.4.4.9", "ds-a.example.com", "10.240.0.2")
    sim = Simulation(log, utc(2021, 1, 18, 13, 10), 480, workers=16, seed=1900)
    office(sim, network="10.240.0", pace=1.1)
    sim.start(4, monitoring(sim, "10.240.0.9", service("monitor"), every=20, base="cn=monitor"))
    for number, name in enumerate(("portal", "sso", "mailgw", "vpn"), start=51):
        sim.start(0.7 * number - 30, _busy(sim, log, f"10.240.0.{number}", name))
    sim.start(_FROM_S, _pages_again(sim))
    sim.run()
    log.write(folder / "access", log.header)
    (folder / "dse.ldif").write_text(settings(threads=16, kind="bdb"), "utf-8")
    return sim.waited


def _busy(sim: Simulation, log: _Queued, address: str, name: str) -> Client:
    """An application that binds and looks somebody up, four times a second."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    while True:
        number = sim.random.randrange(4000)
        bind = binding(sim, connection, service(name), 0.0003)
        asked = search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0004)
        for request in (bind, asked):
            if _FROM_S < sim.now - sim.begin < _TO_S:
                waited = sim.random.uniform(0.004, 0.032)
                log.waits[request] = waited
                request.took += waited
                request.culprit = True
            yield request
        yield sim.random.expovariate(1 / 0.25)


def _pages_again(sim: Simulation) -> Client:
    """All people, a hundred a page, as an ordinary user, for as long as it runs."""
    connection = sim.connect(_PAGED)
    yield HANDSHAKE_S
    yield binding(sim, connection, person(17))
    while sim.now - sim.begin < _TO_S:
        for page in range(400):
            asked = search(sim, connection, PEOPLE, "(uid=*)", 0.022, entries=100)
            last = page == 399
            asked.notes = f"P pr_idx=0 pr_cookie={-1 if last else 0}"
            asked.culprit = True
            yield asked
            yield sim.about(0.0011)
    sim.close(connection)


# ---- a group in a hundred groups -------------------------------------------------------------

_IPA_GROUPS = f"cn=groups,cn=accounts,{SUFFIX}"
_GROUP = f"cn=user-group,{_IPA_GROUPS}"
_ADDS = ((150.0, 128.0), (560.0, 141.0), (1090.0, 152.0))
_MEMBER_OF = entry(
    f"cn=MemberOf Plugin,{_PLUGINS}",
    "objectClass: nsSlapdPlugin\nobjectClass: extensibleObject\ncn: MemberOf Plugin",
    "nsslapd-pluginPath: libmemberof-plugin\nnsslapd-pluginInitfunc: memberof_postop_init",
    "nsslapd-pluginType: betxnpostoperation\nnsslapd-pluginEnabled: on",
    "memberofgroupattr: member\nmemberofattr: memberOf\nmemberofentryscope: " + SUFFIX,
)


def write_group_in_a_hundred(folder: Path) -> Waited:
    """One person more in a group that is in a hundred others: two minutes, and all wait."""
    log = Log389("2.2.3", "ipa1.example.com", "10.241.0.2")
    sim = Simulation(log, utc(2023, 12, 26, 20, 40), 1700, workers=24, seed=1901)
    office(sim, network="10.241.0", pace=1.2, lock="txn")
    sim.start(6, monitoring(sim, "10.241.0.9", service("monitor"), every=20, base="cn=monitor"))
    sim.start(9, _vpn_checks(sim))
    for second, took in _ADDS:
        sim.start(second, _one_more(sim, took))
    sim.run()
    log.write(folder / "access", log.header)
    text = settings(threads=24, kind="bdb") + _MEMBER_OF
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _one_more(sim: Simulation, took: float) -> Client:
    """ipa group-add-member: read the group, add one member, read it again."""
    connection = sim.connect("10.241.0.31")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"uid=admin,cn=users,cn=accounts,{SUFFIX}")
    yield read(sim, connection, _GROUP)
    change = Request(connection, "MOD", took, _GROUP, query="member", lock="txn")
    change.culprit = True
    yield change
    yield read(sim, connection, _GROUP)
    sim.close(connection)


def _vpn_checks(sim: Simulation) -> Client:
    """A VPN asks every few seconds which groups somebody is in; it needs pages the change has."""
    connection = sim.connect("10.241.0.40")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("vpn"))
    while True:
        yield sim.random.expovariate(1 / 3)
        mine = f"(&(objectClass=groupOfNames)(member={person(sim.random.randrange(4000))}))"
        asked = search(sim, connection, _IPA_GROUPS, mine, 0.0012, entries=3)
        asked.lock = "txn"
        yield asked


# ---- what a replica needs is gone ------------------------------------------------------------

_AGREEMENT = 'agmt="cn=replica1-3" (server03:636)'


def write_purged_before_it_came(folder: Path) -> Waited:
    """A server was off for nine days; the changelog of its supplier goes back for two."""
    log, errors = Log389("2.3.4", "server01.example.com", "10.242.0.2"), Lines()
    sim = Simulation(log, utc(2023, 6, 9, 1, 4), 1800, workers=16, seed=1902)
    office(sim, network="10.242.0", pace=1.5)
    sim.start(4, monitoring(sim, "10.242.0.9", service("monitor"), every=20, base="cn=monitor"))
    sim.start(20, changes(sim, "10.242.0.62", service("hr"), every=9))
    sim.start(3, _tries_to_send(sim, errors))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    replica = f'cn=replica,cn="{SUFFIX}",cn=mapping tree,cn=config'
    text = settings(threads=16, kind="bdb")
    text += entry(
        replica,
        "objectClass: nsDS5Replica\ncn: replica\nnsDS5ReplicaRoot: " + SUFFIX,
        "nsDS5ReplicaId: 1\nnsDS5ReplicaType: 3\nnsds5ReplicaPurgeDelay: 604800",
    )
    for number in (2, 3):
        text += entry(
            f"cn=replica1-{number},{replica}",
            f"objectClass: nsDS5ReplicationAgreement\ncn: replica1-{number}",
            f"nsDS5ReplicaHost: server0{number}.example.com\nnsDS5ReplicaPort: 636",
            f"nsDS5ReplicaRoot: {SUFFIX}\nnsDS5ReplicaTransportInfo: SSL",
        )
    text += entry(
        f"cn=changelog,cn=userRoot,{LDBM}",
        "objectClass: extensibleObject\ncn: changelog\nnsslapd-changelogmaxage: 2d",
    )
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _tries_to_send(sim: Simulation, errors: Lines) -> Client:
    """The supplier finds in each session that it has not got what comes next."""
    pause = 3.0
    while True:
        note(
            errors,
            sim.now,
            "ERR - NSMMReplicationPlugin - changelog program - repl_plugin_name_cl - "
            f"{_AGREEMENT}: CSN 6477c1d2000000030000 not found, we aren't as up to date, "
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


# ---- groups that are in each other -----------------------------------------------------------

_CLUSTER = "10.243.0.50"
_CIRCLE = ("ops", "platform", "oncall")
_SIGN_IN_S = 200.0


def write_groups_in_a_circle(folder: Path) -> Waited:
    """After one login a cluster follows three groups that are members of each other for ever."""
    log = Log389("2.6.1", "freeipa-1.example.com", "10.243.0.2")
    sim = Simulation(log, utc(2026, 1, 12, 8, 30), 560, workers=16, seed=1903)
    office(sim, network="10.243.0", pace=1.3)
    sim.start(4, monitoring(sim, "10.243.0.9", service("monitor"), every=20, base="cn=monitor"))
    sim.start(7, _logins_of_the_cluster(sim))
    sim.start(_SIGN_IN_S, _round_and_round(sim))
    sim.run()
    log.write(folder / "access", log.header)
    (folder / "dse.ldif").write_text(settings(threads=16, kind="mdb"), "utf-8")
    return sim.waited


def _logins_of_the_cluster(sim: Simulation) -> Client:
    """Most people are in groups that end somewhere."""
    while True:
        yield sim.random.expovariate(1 / 25)
        connection = sim.connect(_CLUSTER)
        yield HANDSHAKE_S
        yield binding(sim, connection, service("opensearch"))
        number = sim.random.randrange(4000)
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0009)
        yield search(sim, connection, _IPA_GROUPS, f"(member={person(number)})", 0.001, entries=2)
        for group in ("staff", "search-users"):
            above = f"(member=cn={group},{_IPA_GROUPS})"
            yield search(sim, connection, _IPA_GROUPS, above, 0.001, entries=0)
        sim.close(connection)


def _round_and_round(sim: Simulation) -> Client:
    """A group, what it is a member of, what that is a member of, and so on."""
    connection = sim.connect(_CLUSTER)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("opensearch"))
    yield search(sim, connection, PEOPLE, f"(uid={user(203)})", 0.0009)
    yield search(sim, connection, _IPA_GROUPS, f"(member={person(203)})", 0.001, entries=1)
    step = 0
    while True:
        above = f"(member=cn={_CIRCLE[step % 3]},{_IPA_GROUPS})"
        asked = search(sim, connection, _IPA_GROUPS, above, 0.011, entries=1)
        asked.culprit = True
        yield asked
        yield sim.about(0.0014)
        step += 1


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_tuesday(folder: Path) -> Waited:
    """A report is read by pages once, groups are looked up, people come at nine."""
    log, errors = Log389("3.1.2", "ds7.example.com", "10.244.0.2"), Lines()
    sim = Simulation(log, utc(2026, 9, 15, 8, 45), 1800, workers=24, seed=1910)
    office(sim, network="10.244.0", pace=2.0)
    sim.start(5, monitoring(sim, "10.244.0.9", service("monitor"), every=15, base="cn=monitor"))
    sim.start(2, following(sim, "10.244.0.8", service("dns"), "cn=dns," + SUFFIX, "(cn=*)"))
    for number, name in enumerate(("wiki", "vpn", "tickets"), start=51):
        sim.start(0.3 * number, application(sim, f"10.244.0.{number}", service(name), every=0.9))
    sim.start(640, _report(sim))
    sim.start(20, changes(sim, "10.244.0.62", service("self-service"), every=15))
    sim.start(900, _new_colleagues(sim))
    for seat in range(55):
        begin = 500 + sim.random.uniform(0, 550)
        sim.start(begin, sign_in(sim, f"10.244.1.{20 + seat}", 1 if seat % 18 == 4 else 0))
    sim.run()
    note(errors, sim.begin - 86_400 * 9, "INFO - main - 389-Directory/3.1.2 B2026.120.0000 "
          "starting up")  # fmt: skip
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    (folder / "dse.ldif").write_text(settings(threads=24, kind="mdb") + _MEMBER_OF, "utf-8")
    return sim.waited


def _report(sim: Simulation) -> Client:
    """All people once, by pages of 500."""
    connection = sim.connect("10.244.0.66")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("report"))
    for page in range(8):
        asked = search(sim, connection, PEOPLE, "(objectClass=person)", 0.018, entries=500)
        asked.notes = f"P pr_idx=0 pr_cookie={-1 if page == 7 else 0}"
        yield asked
        yield sim.about(0.05)
    sim.close(connection)


def _new_colleagues(sim: Simulation) -> Client:
    """Four people are added and put into two groups each."""
    connection = sim.connect("10.244.0.63")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("hr"))
    for number in range(4):
        yield Request(connection, "ADD", sim.about(0.012), person(5000 + number))
        yield sim.about(0.4)
        for group in ("staff", f"team-{number}"):
            yield Request(connection, "MOD", sim.about(0.014), f"cn={group},{GROUPS}")
            yield sim.about(0.5)
        yield sim.random.uniform(20, 50)
    sim.close(connection)


CASES: tuple[Case, ...] = (
    Case(
        "pages_slow_all",
        "Paged search impacts performance (2021)",
        "https://github.com/389ds/389-ds-base/issues/4551",
        DS,
        "while an ordinary user reads all 40,000 people by pages again and again, the lock of its "
        "connection keeps the thread that takes requests up waiting: what others ask waits 18 ms "
        "before it begins, though it takes 0.4 ms and threads are idle",
        rf"\bpag(e|es|ed|ing)\b|\bwtime|\bqueue|before (it|they|the) (begin|work|thread)|"
        rf"waits? (to be|for a) |{ALL_OF_IT}|{STANDS_OUT}|{AGAIN}",
        (
            r"10\.240\.0\.77\b",
            r"\bpag(e|es|ed|ing)\b|\(uid=\*\)",
        ),
        r"upgrade|newer (version|release)|update the server|4551|fixed in|(larger|bigger|fewer|"
        r"more entries (a|per)) pages?|at night|less often|off.?hours|\bonce\b|cache|only what "
        r"changed",
        write_pages_slow_all,
        share=0.975,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "group_in_a_hundred",
        "Troubleshooting of slow user add or modify operation in certain conditions (2023)",
        "https://github.com/389ds/389-ds-base/issues/6020",
        DS,
        "one person more in a group that is in a hundred others: the MemberOf plug-in works out "
        "all groups of all its members in one transaction, 2 min and more, and other changes and "
        "the searches of a VPN wait for it",
        rf"memberOf|nested|{BLOCKS}|long(est)? (change|MOD|operation)|{STANDS_OUT}",
        (r"cn=user-group|10\.241\.0\.31\b", r"\bMODs?\b|chang|member"),
        r"memberOfDeferredUpdate|deferred|nested|fewer|skip|upgrade|newer|at night|off.?hours|"
        r"quiet|maintenance|lmdb|smaller",
        write_group_in_a_hundred,
        share=0.99,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "purged_before_it_came",
        "I have some error with 389 ldap when multi master replica from server01 to server 03 "
        "(2023)",
        "https://github.com/389ds/389-ds-base/issues/5794",
        DS,
        "what the replica server03 needs next is purged from the changelog of its supplier, which "
        "keeps two days: it gets no change any more until it is initialised again",
        r"purg|changelog|re-?initiali[sz]|replicat|\breplica\b|\bbehind\b",
        (r"replica1-3|server03", r"purg|changelog|re-?initiali[sz]|\bCSN\b"),
        r"re-?initiali[sz]|\bdsconf\b.{0,40}init|changelogmaxage",
        write_purged_before_it_came,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "groups_in_a_circle",
        "[BUG] LDAP auth fails and authz group search continues recursively (2026)",
        "https://github.com/opensearch-project/security/issues/5907",
        DS,
        "three groups are members of each other: since one login a search cluster asks what each "
        "of them is a member of, one after the other, 80 times a second without an end",
        rf"{AGAIN}|{FOLLOWS}|in a row|in turn|sequen|\bloops?\b|circ|cycl|without (an )?end|"
        rf"{STANDS_OUT}",
        (
            r"10\.243\.0\.50\b|cn=opensearch",
            r"member=|\bcn=(ops|platform|oncall)\b|groups? of|same|again|repeat|\bloop|circ|cycl",
        ),
        r"circ|cycl|nested|recurs|depth|loop|cache|\bonce\b|upgrade|client|restart|no setting of "
        r"the server|fewer|member(ship)?s? of each other",
        write_groups_in_a_circle,
        share=0.99,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_busy_tuesday",
        "a report is read by pages once, new colleagues join groups, people come at nine",
        DS,
        write_healthy_tuesday,
    ),
)
