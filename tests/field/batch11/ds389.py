"""The eleventh ten, 389 DS: nested groups, huge ID lists, roles, last logins, a farm given up."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch3 import END_SESSION, START_SESSION
from tests.field.batch5 import ALL_OF_IT, BLAMES_AN_INDEX, BLOCKS, REFUSED
from tests.field.batch6 import SOCKET, SUFFIX
from tests.field.batch8.ds389 import EXTENSION
from tests.field.batch9.school import read, service, sign_in
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
    search,
    user,
)

BLAMES_A_HASH = r"password (hash|storage)|pbkdf2|iteration"


def _say(errors: Lines, at: float, text: str) -> None:
    errors.add(at, f"{stamp_389(at)} - {text}")


def _entry(dn: str, *lines: str) -> str:
    """An entry of dse.ldif."""
    return "\n".join((f"dn: {dn}", "objectClass: top", *lines)) + "\n\n"


def _server(threads: int, *more: str) -> str:
    level = "nsslapd-errorlog-level: 16384"
    lines = ("objectClass: nsslapdConfig", "cn: config", f"nsslapd-threadnumber: {threads}", level)
    return _entry("cn=config", *lines, *more)


def _database(*more: str) -> str:
    where = "cn=config,cn=ldbm database,cn=plugins,cn=config"
    return _entry(where, "objectClass: extensibleObject", "cn: config", *more)


def _index(name: str, *, system: bool = False) -> str:
    """An index for equality."""
    where = f"cn={name},cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
    is_system = f"nsSystemIndex: {'true' if system else 'false'}"
    return _entry(where, "objectClass: nsIndex", f"cn: {name}", is_system, "nsIndexType: eq")


def _usual_indexes() -> str:
    plain = "".join(map(_index, ("uid", "mail", "member", "memberOf")))
    return _index("objectclass", system=True) + plain


# ---- a group of many members becomes a member ------------------------------------------------

_TEAMS = ((310, 0.136), (125, 0.139))
"""Members of a team, and what a change of one of them takes, s."""
_MEMBER_OF = _entry(
    "cn=MemberOf Plugin,cn=plugins,cn=config",
    "objectClass: nsSlapdPlugin\nobjectClass: extensibleObject\ncn: MemberOf Plugin",
    "nsslapd-pluginPath: libmemberof-plugin\nnsslapd-pluginInitfunc: memberof_postop_init",
    "nsslapd-pluginType: betxnpostoperation\nnsslapd-pluginEnabled: on",
    "memberofgroupattr: member\nmemberofattr: memberOf\nmemberofskipnested: off",
)


class _Internal(Log389):
    """With internal operations in the log: a member of a group is looked for, and changed."""

    def __init__(self, version: str, host: str, server: str) -> None:
        super().__init__(version, host, server)
        self.members: dict[Request, tuple[str, ...]] = {}

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        members = self.members.pop(request, ())
        step = request.took / (len(members) + 1)
        for place, member in enumerate(members):
            self._member(at - request.took + place * step, step, request, 2 * place + 1, member)
        super().answered(at, request, queued, worked)

    def _member(self, at: float, step: float, request: Request, nested: int, member: str) -> None:
        """The groups of a member, then what memberOf says of it."""
        head = f"conn={request.connection.number} (Internal) op={request.number}"
        looked = step * 0.3
        looks, writes = f"{head}({nested})(1)", f"{head}({nested + 1})(1)"
        groups = f'SRCH base="{SUFFIX}" scope=2 filter="(member={member})" attrs=ALL'
        self.line(at, f"{looks} {groups}")
        self.line(at + looked, f"{looks} {self._inner_result(4, looked)}")
        self.line(at + looked + 4e-5, f'{writes} MOD dn="{member}"')
        csn = f"{int(at):08x}{nested + 1:04x}00040000"
        self.line(
            at + step - 1e-5,
            f"{writes} {self._inner_result(0, step - looked - 5e-5)} csn={csn}",
        )

    @staticmethod
    def _inner_result(entries: int, took: float) -> str:
        return (
            f"RESULT err=0 tag=48 nentries={entries} wtime={2.2e-6:.9f} optime={took:.9f} "
            f"etime={took + 1e-7:.9f}"
        )


class _Pages(Simulation):
    """While members are changed in one transaction, many a search needs a page it holds back."""

    changing = 0.0

    def _serve(self, request: Request, client: Client) -> None:
        if request.culprit:
            self.changing = self.now + request.took
        elif request.kind == "SRCH" and self.now < self.changing and request.dn.endswith(SUFFIX):
            request.lock = "backend" if self.random.random() < 0.45 else request.lock
        super()._serve(request, client)


def write_nested_groups(folder: Path) -> Waited:
    """Two teams become members of the group of each new environment, 17 and 42 s each."""
    log = _Internal("1.4.3.39", "ds1.example.com", "10.120.0.2")
    sim = _Pages(log, utc(2024, 7, 4, 9, 0), 3000, workers=24, seed=800)
    office(sim, network="10.120.0", pace=1.2, lock="backend")
    sim.start(8, monitoring(sim, "10.120.0.9", service("monitor"), every=20, base="cn=monitor"))
    sim.start(240, _environments(sim, log))
    sim.start(35, _room_list(sim, log))
    sim.run()
    log.write(folder / "access", log.header)
    server = _server(24, "nsslapd-accesslog-level: 260", "nsslapd-plugin-logging: on")
    (folder / "dse.ldif").write_text(f"{server}{_MEMBER_OF}{_usual_indexes()}", "utf-8")
    return sim.waited


def _environments(sim: Simulation, log: _Internal) -> Client:
    connection = sim.connect("10.120.0.26")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("environments"))
    for number in range(61, 67):
        group = f"cn=env-{number},{GROUPS}"
        yield Request(connection, "ADD", sim.about(0.02), group, lock="backend")
        yield sim.about(2)
        first = 0
        for members, change_s in _TEAMS:
            change = Request(connection, "MOD", members * sim.about(change_s, 0.04), group)
            change.lock, change.culprit = "backend", True
            log.members[change] = tuple(person(first + place) for place in range(members))
            first += members
            yield change
            yield sim.about(3)
        yield sim.random.uniform(290, 380)


def _room_list(sim: Simulation, log: _Internal) -> Client:
    """People become members of groups too, which is done in a moment."""
    connection = sim.connect("10.120.0.27")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("rooms"))
    while True:
        yield sim.random.expovariate(1 / 40)
        room = f"cn=room-{sim.random.randrange(80)},{GROUPS}"
        yield read(sim, connection, room)
        change = Request(connection, "MOD", sim.about(0.03), room, lock="backend")
        log.members[change] = (person(sim.random.randrange(4000)),)
        yield change


# ---- a list of all entries below the base ----------------------------------------------------

_BELOW = {PEOPLE: (3, 1_804_211), GROUPS: (4, 3_127)}
"""By base: its entry's number, and how many entries are below it."""


class _IndexReads(Log389):
    """With what each search reads in the indexes, right before its result."""

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        if request.kind == "SRCH" and request.scope == 2 and request.dn in _BELOW:
            number, below = _BELOW[request.dn]
            attribute, value = request.query.strip("()").split("=", 1)
            for key, count in (
                ("objectclass key(eq)=referral", 0),
                (f"{attribute} key(eq)={value}", request.entries),
                (f"ancestorid key(eq)={number}", below),
            ):
                self._stat(at, request, f"attribute={key} --> count {count}")
            self._stat(at, request, f"duration {0.982 * worked:.9f}")
        super().answered(at, request, queued, worked)

    def _stat(self, at: float, request: Request, what: str) -> None:
        head = f"conn={request.connection.number} op={request.number}"
        self.line(at - 2e-6, f"{head} STAT read index: {what}")


class _HugeLists(Simulation):
    """What is below a base is read as a list of numbers, however few entries match."""

    def _serve(self, request: Request, client: Client) -> None:
        if request.kind == "SRCH" and request.scope == 2 and request.dn == PEOPLE:
            request.took, request.culprit = self.about(0.94, 0.1), True
        super()._serve(request, client)


def write_huge_lists(folder: Path) -> Waited:
    """Since an upgrade lists of IDs have no limit: each search below the people takes a second."""
    log = _IndexReads("2.6.1", "ds2.example.com", "10.121.0.2")
    sim = _HugeLists(log, utc(2025, 9, 3, 14, 0), 1500, workers=16, seed=801)
    office(sim, network="10.121.0", pace=2.2)
    sim.start(6, monitoring(sim, "10.121.0.9", service("monitor"), every=30, base="cn=monitor"))
    for number in range(3):
        sim.start(14 + 5 * number, _help_desk(sim, f"10.121.0.{50 + number}"))
    sim.run()
    log.write(folder / "access", log.header)
    limits = _database(
        "nsslapd-backend-implement: bdb",
        "nsslapd-idlistscanlimit: 2147483646",
        "nsslapd-lookthroughlimit: 5000",
    )
    tree = "".join(_index(name, system=True) for name in ("ancestorid", "parentid"))
    (folder / "dse.ldif").write_text(
        f"{_server(16, 'nsslapd-statlog-level: 1')}{limits}{tree}{_usual_indexes()}", "utf-8"
    )
    return sim.waited


def _help_desk(sim: Simulation, address: str) -> Client:
    """Entries are read by their names, which costs nothing."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("help-desk"))
    while True:
        yield sim.random.expovariate(1 / 5)
        yield read(sim, connection, person(sim.random.randrange(4000)))


# ---- who has a role --------------------------------------------------------------------------

_WARM_S = 120.0
"""So long after a search for a role the caches hold what the next one needs."""
_ROLE_CACHES = (
    "nsslapd-ndn-cache-enabled: on",
    "nsslapd-ndn-cache-max-size: 20971520",
    "nsslapd-sizelimit: 20000",
)
_ROOT = _entry(
    "cn=userRoot,cn=ldbm database,cn=plugins,cn=config",
    f"objectClass: nsBackendInstance\ncn: userRoot\nnsslapd-suffix: {SUFFIX}",
    "nsslapd-cachememsize: 33554432\nnsslapd-dncachememsize: 10485760",
)


class _Roles(Simulation):
    """The roles of all entries are worked out; at first the entries have to be fetched again."""

    errors: Lines
    fetched = 0.0
    warm = 0.0

    def _serve(self, request: Request, client: Client) -> None:
        if request.kind == "SRCH" and "nsRole=" in request.query:
            if self.now > self.warm:
                self.fetched = self.now + self.about(168, 0.05)
            self.warm = max(self.now, self.fetched) + _WARM_S
            missing = max(0.0, self.fetched - self.now)
            request.took, request.culprit = missing + self.about(0.56, 0.08), True
            request.notes = "A"
            _say(
                self.errors,
                self.now + 0.001,
                f'NOTICE - ldbm_back_search - Unindexed search: search base="{request.dn}" '
                f'scope=2 filter="{request.query}" conn={request.connection.number} '
                f"op={request.connection.operations}",
            )
        super()._serve(request, client)


def write_roles(folder: Path) -> Waited:
    """After a pause it takes three minutes to say who has a role, and else half a second."""
    log = Log389("1.4.3.30", "rhds1.example.com", "10.122.0.2")
    sim = _Roles(log, utc(2023, 3, 14, 7, 30), 3600, workers=16, seed=802)
    sim.errors = Lines()
    office(sim, network="10.122.0")
    sim.start(70, _role_members(sim, "10.122.0.30", "payroll", "payroll-clerks", 170))
    sim.start(95, _role_members(sim, "10.122.0.31", "approvals", "approvers", 260))
    sim.run()
    log.write(folder / "access", log.header)
    sim.errors.write(folder / "errors", log.header)
    limits = _database("nsslapd-cache-autosize: 0", "nsslapd-lookthroughlimit: -1")
    indexes = _index("nsRoleDN") + _usual_indexes()
    (folder / "dse.ldif").write_text(
        f"{_server(16, *_ROLE_CACHES)}{limits}{_ROOT}{indexes}", "utf-8"
    )
    return sim.waited


def _role_members(sim: Simulation, address: str, name: str, role: str, every: float) -> Client:
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service(name))
    query = f"(&(nsRole=cn={role},{SUFFIX})(objectClass=person))"
    while True:
        asked = Request(connection, "SRCH", 0.5, SUFFIX, 2, query, "uid cn mail", entries=11)
        yield asked
        for _ in range(sim.random.randrange(1, 4)):
            yield sim.about(0.5)
            yield read(sim, connection, person(sim.random.randrange(4000)))
        yield sim.random.expovariate(1 / every)


# ---- when a user last logged in --------------------------------------------------------------

USERS = f"cn=users,cn=accounts,{SUFFIX}"
_RUSH_S = (600.0, 1140.0)
_PRINCIPAL = (
    "(&(|(objectClass=krbprincipalaux)(objectClass=krbprincipal)(objectClass=ipakrbprincipal))"
    "(|(ipaKrbPrincipalAlias={name}@EXAMPLE.COM)(krbPrincipalName={name}@EXAMPLE.COM)))"
)
_KEYS = "krbPrincipalName krbCanonicalName krbPrincipalKey krbLastSuccessfulAuth krbTicketFlags"
_REPLICA = _entry(
    "cn=replica,cn=dc\\3Dexample\\2Cdc\\3Dcom,cn=mapping tree,cn=config",
    f"objectClass: nsds5replica\ncn: replica\nnsDS5ReplicaRoot: {SUFFIX}",
    "nsDS5ReplicaId: 4\nnsDS5ReplicaType: 3\nnsDS5Flags: 1",
)


def write_last_logins(folder: Path) -> Waited:
    """For each login the KDC of the same host writes when it was; at eight they all wait."""
    log = Log13("1.3.5.10", "ipa1.example.com", "10.123.0.2", ten_digits=False)
    sim = Simulation(log, utc(2017, 3, 20, 7, 50), 1800, workers=30, seed=803)
    for number, (name, every) in enumerate((("mail", 1.1), ("wiki", 1.7), ("vpn", 2.4)), start=11):
        dn = f"uid={name},cn=sysaccounts,cn=etc,{SUFFIX}"
        client = application(sim, f"10.123.0.{number}", dn, every=every, people=USERS)
        sim.start(0.7 * number, client)
    admin = f"uid=onboarding,cn=sysaccounts,cn=etc,{SUFFIX}"
    sim.start(9, changes(sim, "10.123.0.14", admin, every=12, lock="backend", people=USERS))
    for number in range(8):
        sim.start(0.2 + 0.03 * number, _kdc(sim, log))
    sim.run()
    log.write(folder / "access", log.header)
    (folder / "dse.ldif").write_text(f"{_server(30)}{_REPLICA}", "utf-8")
    return sim.waited


def _kdc(sim: Simulation, log: Log13) -> Client:
    """One process of the KDC, which has other logins to do at once during the rush."""
    connection = sim.connect("", SOCKET)
    manager = "cn=Directory Manager"
    log.line(sim.now + 2e-5, f'conn={connection.number} AUTOBIND dn="{manager}"')
    yield 0.0004
    yield Request(connection, "BIND", sim.about(0.0003), manager, query="EXTERNAL")
    while True:
        rush = _RUSH_S[0] <= sim.now - sim.begin < _RUSH_S[1]
        yield sim.about(0.004) if rush else sim.random.expovariate(1 / 14)
        number = sim.random.randrange(4000)
        for name in (user(number), user(number), "krbtgt/EXAMPLE.COM"):
            query = _PRINCIPAL.format(name=name)
            asked = Request(connection, "SRCH", sim.about(0.0012), SUFFIX, 2, query, _KEYS)
            asked.entries = 1
            yield asked
            yield 0.001
        written = Request(connection, "MOD", sim.about(0.21, 0.15), person(number, USERS))
        written.lock, written.culprit = "backend", True
        yield written


# ---- a farm of servers that is given up ------------------------------------------------------

_STARVED_S = 900.0
_TIMEOUT_S = 15.0
_AGAIN_S = 30.0
_CHAINING = _entry(
    "cn=chainbe1,cn=chaining database,cn=plugins,cn=config",
    f"objectClass: nsBackendInstance\ncn: chainbe1\nnsslapd-suffix: {SUFFIX}",
    "nsfarmserverurl: ldap://master1.example.com:389 master2.example.com:389/",
    "nsmultiplexorbinddn: cn=proxy user,cn=config\nnsCheckLocalACI: on",
    "nsBindTimeout: 15\nnsBindRetryLimit: 3",
    "nsMaxResponseDelay: 60\nnsMaxTestResponseDelay: 15",
) + _entry(
    "cn=dc\\3Dexample\\2Cdc\\3Dcom,cn=mapping tree,cn=config",
    f"objectClass: nsMappingTree\ncn: {SUFFIX}\nnsslapd-state: backend",
    "nsslapd-backend: userRoot\nnsslapd-backend: chainbe1",
    "nsslapd-distribution-plugin: libreplication-plugin",
    "nsslapd-distribution-funct: repl_chain_on_update",
)


class _Chained(Simulation):
    """Binds are passed on to the masters, until these are late once."""

    tested = 0.0

    def _serve(self, request: Request, client: Client) -> None:
        if request.kind == "BIND" and request.dn.endswith(SUFFIX):
            self._pass_on(request, self.now - self.begin)
        super()._serve(request, client)

    def _pass_on(self, request: Request, second: float) -> None:
        if second < _STARVED_S:
            request.took = self.about(0.012)
            return
        request.error, request.culprit = 1, True
        if second < _STARVED_S + _TIMEOUT_S:
            request.took = _TIMEOUT_S + self.about(0.004)
        elif self.now >= self.tested + _AGAIN_S:
            # An anonymous look whether the masters are there, which they do not allow.
            self.tested, request.took = self.now, self.about(0.007)
        else:
            request.took = self.about(0.0002)


def write_farm(folder: Path) -> Waited:
    """A consumer passes all binds on; after a bad quarter of a minute it refuses them for good."""
    log, errors = Log389("1.4.4.13", "consumer1.example.com", "10.124.0.2"), Lines()
    sim = _Chained(log, utc(2021, 3, 9, 10, 0), 3000, workers=24, seed=804)
    for number, (name, every) in enumerate((("mail", 0.8), ("portal", 1.5)), start=11):
        client = application(sim, f"10.124.0.{number}", service(name), every=every)
        sim.start(0.6 * number, client)
    sim.start(15, _visitors(sim))
    sim.start(22, _cron_job(sim))
    _say(
        errors,
        sim.begin + _STARVED_S + _TIMEOUT_S + 0.8,
        "ERR - chaining database - cb_sasl_bind_once_s - Failed (Can't contact LDAP server)",
    )
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    (folder / "dse.ldif").write_text(f"{_server(24)}{_CHAINING}{_usual_indexes()}", "utf-8")
    return sim.waited


def _visitors(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 2.8)
        address = f"10.124.1.{20 + sim.random.randrange(40)}"
        mistakes = 1 if sim.random.random() < 0.08 else 0
        sim.start(sim.now - sim.begin, sign_in(sim, address, mistakes))


def _cron_job(sim: Simulation) -> Client:
    while True:
        connection = sim.connect("10.124.0.18")
        yield HANDSHAKE_S
        bind = binding(sim, connection, service("print-quota"))
        yield bind
        if not bind.error:
            for _ in range(6):
                number = sim.random.randrange(4000)
                yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
        sim.close(connection)
        yield 60.0


# ---- healthy ---------------------------------------------------------------------------------

_STAFF = 8_214
_BROWSED = "cn=staff by name,cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
_BROWSING = _entry(
    _BROWSED,
    f"objectClass: vlvSearch\ncn: staff by name\nvlvBase: {PEOPLE}",
    "vlvScope: 2\nvlvFilter: (objectClass=inetOrgPerson)",
) + _entry(f"cn=by cn,{_BROWSED}", "objectClass: vlvIndex\ncn: by cn\nvlvSort: cn")


def write_healthy_browsing(folder: Path) -> Waited:
    """People leaf through the staff list, a small index is built, a supplier has much to send."""
    log, errors = Log389("2.7.0", "ds6.example.com", "10.125.0.2"), Lines()
    sim = Simulation(log, utc(2026, 6, 30, 12, 40), 2400, workers=16, seed=810)
    office(sim, network="10.125.0", pace=2)
    sim.start(8, monitoring(sim, "10.125.0.9", service("monitor"), every=30, base="cn=monitor"))
    names = f"cn=dns,{SUFFIX}"
    zones = "(objectClass=idnsZone)"
    sim.start(3, following(sim, "10.125.0.8", service("named"), names, zones))
    for number in range(4):
        sim.start(40 + 17 * number, _staff_list(sim, f"10.125.0.{50 + number}"))
    sim.start(800, _builds_index(sim, errors))
    for second in (130, 1210, 1900):
        sim.start(second, _supplier(sim))
    for seat in range(70):
        begin = 1200 + sim.random.uniform(0, 40)
        sim.start(begin, sign_in(sim, f"10.125.1.{20 + seat}", 1 if seat % 14 == 6 else 0))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    (folder / "dse.ldif").write_text(f"{_server(16)}{_BROWSING}{_usual_indexes()}", "utf-8")
    return sim.waited


def _staff_list(sim: Simulation, address: str) -> Client:
    """Pages of a sorted list, for which there is an index."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("staff-list"))
    while True:
        first = 1 + 25 * sim.random.randrange(_STAFF // 25 - 8)
        for _ in range(sim.random.randrange(2, 7)):
            query = "(objectClass=inetOrgPerson)"
            page = search(sim, connection, PEOPLE, query, 0.004, entries=25)
            page.before = ("SORT cn", f"VLV 0:24:{first}:0 {first}:{_STAFF} (0)")
            yield page
            yield sim.about(4)
            first += 25
        yield sim.random.expovariate(1 / 60)


def _builds_index(sim: Simulation, errors: Lines) -> Client:
    """An administrator has an index built, and looks every second whether it is done."""
    connection = sim.connect("", SOCKET)
    task = "cn=index_attrs_06302026_125320,cn=index,cn=tasks,cn=config"
    yield 0.01
    yield Request(connection, "ADD", sim.about(0.011), task)
    where = "INFO - bdb_db2index - userroot:"
    _say(errors, sim.now, f"{where} Indexing attribute: employeeNumber")
    for _ in range(7):
        yield 1.0
        yield read(sim, connection, task)
    _say(errors, sim.now - 0.4, f"{where} Finished indexing.")
    sim.close(connection)


def _supplier(sim: Simulation) -> Client:
    connection = sim.connect("10.125.0.71")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=replication manager,cn=config", 0.003)
    yield Request(connection, "EXT", 0.004, query=START_SESSION, attributes=EXTENSION)
    for number in range(340):
        csn = f"{int(sim.now):08x}{number:04x}00020000"
        who = person(sim.random.randrange(4000))
        yield Request(connection, "MOD", sim.about(0.005), who, csn=csn)
        yield sim.about(0.02)
    yield Request(connection, "EXT", 0.004, query=END_SESSION, attributes=EXTENSION)
    sim.close(connection)


CASES: tuple[Case, ...] = (
    Case(
        "teams_within_groups",
        "Server hangs during group membership update (2024)",
        "https://github.com/389ds/389-ds-base/issues/6237",
        DS,
        "a team becomes a member of a group: memberOf is changed in all of the team's members in "
        "one transaction, 17 to 42 s, and other changes and many searches wait for its pages",
        rf"member.?of\b|nested|internal|\bMODs?\b|chang|\bwrit|groups?\b|{BLOCKS}|{STANDS_OUT}",
        (
            r"cn=env-|10\.120\.0\.26|cn=environments",
            r"member.?of\b|nested|internal (operation|change|modif|write|MOD)|fan.?out|"
            r"plug-?ins?\b.{0,40}(member|group|internal)|"
            r"(each|every|all|its|their) (of )?(the |its |their )?members?\b",
        ),
        r"memberOf|member-of|nested|deferred|quiet|at night|off.?hours|outside|maintenance|"
        r"smaller|in parts|upgrade|newer version",
        write_nested_groups,
        share=0.98,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "lists_of_all_below",
        "On large DB, unlimited IDL scan limit reduce the SRCH performance (2025)",
        "https://github.com/389ds/389-ds-base/issues/6966",
        DS,
        "lists of IDs have no limit: for one person by an indexed name the server reads in "
        "ancestorid that 1.8 million entries are below the base, 0.9 s a search",
        rf"ancestorid|\bID.?lists?\b|\bIDLs?\b|scan ?limit|sub-?tree|index (reads?|keys?|look)|"
        rf"read(s|ing)? (of |in )?(the|an|its|from) (\w+ )?index|\bindex(es)?\b|{ALL_OF_IT}|"
        rf"{STANDS_OUT}",
        (
            r"ancestorid|\bID.?lists?\b|\bIDLs?\b|scan ?limit",
            r"1[,.'’\s]?804[,.'’\s]?211|1\.8 ?(M|million)|ou=people|sub-?tree|below the base|"
            r"all (the )?(entries|IDs)|huge|unlimited|no limit",
        ),
        r"idlistscanlimit|nsIndexIDListScanLimit|scan ?limit|upgrade|newer version|fixed in|6966|"
        r"(smaller|narrower|deeper) base|by (its|their|the) DN|base search|scope base",
        write_huge_lists,
        share=0.99,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH, r"--attr (uid|mail|objectclass)"),
    ),
    Case(
        "who_has_a_role",
        "nsRoles doesn't seem to be cached for a slapd instance that has been running for a long "
        "period of time (2023)",
        "https://github.com/389ds/389-ds-base/issues/5695",
        DS,
        "nsRole is worked out for all entries and has no index: where the caches, which are too "
        "small, have lost them, a search for a role takes 168 s instead of 0.6 s",
        rf"nsRole|\broles?\b|\bcaches?\b|unindexed|not indexed|virtual|{ALL_OF_IT}|{STANDS_OUT}",
        (
            r"nsRole",
            r"virtual|comput|calculat|evaluat|worked out|at run.?time|generated|operational|"
            r"can(no|')t (be )?(\w+ )?index|(not|never) (be )?indexed by its nature|"
            r"no index (can|could|would|will|helps)|index\w* (does|do|would|will|can)( not|n[o']t)|"
            r"\bcach(e|es|ed|ing)\b|\bcold\b|in memory|nsRoleDN",
        ),
        r"nsRoleDN|\bcach(e|es|ing)\b|cachememsize|ndn-cache|autosize|rewrit|upgrade|"
        r"newer version|5722",
        write_roles,
        share=0.99,
        accused=(
            DISK,
            THREADS,
            BLAMES_A_HASH,
            r"--attr \"?nsRole\b|index (for|on|of) nsRole\b.{0,20}(is missing|would help)|"
            r"(add|create|build) an? (\w+ )?index (for|on|of) nsRole\b",
        ),
    ),
    Case(
        "last_login_of_everybody",
        'Set "KDC:Disable Last Success" by default (2017)',
        "https://github.com/freeipa/freeipa/pull/641",
        DS,
        "the KDC writes into each user's entry when they last logged in: at eight these changes, "
        "0.2 s each and one at a time, wait for each other, and so do all other changes",
        rf"\bMODs?\b|chang|\bwrit|modif|updat|last (success|login|log-in)|{BLOCKS}|{STANDS_OUT}",
        (
            r"\blocal\b|socket|\bKDC\b|\bkrb|Kerberos|Directory Manager",
            r"\bMODs?\b|chang|modif|\bwrit|updat",
            r"cn=users|uid=|\busers?\b|person|people|log ?-?ins?\b|authenticat|principal|sign.?in",
        ),
        r"last.?(success|login|log-in|authent)|disable_lockout|krbLast|ipaConfigString|"
        r"(fewer|avoid|stop|skip|without|less often).{0,40}(\bwrit|chang|\bMODs?\b|updat)|"
        r"(\bwrit|chang|\bMODs?\b|updat).{0,40}(less often|only when|at most once|switched off)",
        write_last_logins,
        share=0.98,
        accused=(BLAMES_AN_INDEX, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "farm_never_asked_again",
        "Database chaining doesn't fail to other servers in farm when bind fails and disallowing "
        "anonymous bind (2021)",
        "https://github.com/389ds/389-ds-base/issues/4666",
        DS,
        "binds are chained to two masters; after these were late once, the consumer's anonymous "
        "test of them fails for ever, and it refuses all binds (err=1) without asking them",
        rf"\bbinds?\b|log ?-?ins?\b|chain|\bfarm\b|database link|{REFUSED}",
        (
            r"chain|\bfarm\b|database link|master[12]|remote (server|LDAP)|forward|"
            r"pass(es|ed)? .{0,20}on to",
            r"\berr(or)?[ =]*1\b|operations ?error|unavailable|\bfail|refus|without success|"
            r"can(no|')t contact",
        ),
        r"anonymous|rootdse|LDAPBASE|ldap\.conf|restart|nsFarmServerURL|"
        r"nsMax(Test)?ResponseDelay|nsBindTimeout|chaining|database link|\bfarm\b|upgrade|"
        r"newer version|4666",
        write_farm,
        accused=(
            BLAMES_AN_INDEX,
            DISK,
            THREADS,
            BLAMES_A_HASH,
            r"wrong (password|credential)|brute|guess|attack",
        ),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_browsing",
        "a sorted list is leafed through, an index is built, a supplier catches up",
        DS,
        write_healthy_browsing,
    ),
)
