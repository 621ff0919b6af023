"""The thirteenth ten, 389 DS: compressed logs, rights, kinds of members, a cache, no children."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX, BLOCKS, REFUSED
from tests.field.batch6 import SOCKET, SUFFIX
from tests.field.batch9.school import read, service, sign_in
from tests.field.case import DISK, DS, STANDS_OUT, THREADS, Case, Healthy
from tests.field.dialects import Lines, Log389, stamp_389
from tests.field.simulation import Client, Inner, Request, Simulation, Waited, utc
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
_MANAGER = "cn=Directory Manager"


def _entry(dn: str, *lines: str) -> str:
    """An entry of an LDIF file."""
    return "\n".join((f"dn: {dn}", "objectClass: top", *lines)) + "\n\n"


def _server(threads: int, *more: str) -> str:
    level = "nsslapd-errorlog-level: 16384"
    lines = ("objectClass: nsslapdConfig", "cn: config", f"nsslapd-threadnumber: {threads}", level)
    return _entry("cn=config", *lines, *more)


def _database(*more: str) -> str:
    where = "cn=config,cn=ldbm database,cn=plugins,cn=config"
    return _entry(where, "objectClass: extensibleObject", "cn: config", *more)


def _backend(*more: str) -> str:
    """The back end of people and groups, with its caches."""
    return _entry(
        "cn=userRoot,cn=ldbm database,cn=plugins,cn=config",
        f"objectClass: nsBackendInstance\ncn: userRoot\nnsslapd-suffix: {SUFFIX}",
        *more,
    )


def _member_of(*attributes: str) -> str:
    """The plug-in that writes into people which groups they are in."""
    return _entry(
        "cn=MemberOf Plugin,cn=plugins,cn=config",
        "objectClass: nsSlapdPlugin\nobjectClass: extensibleObject\ncn: MemberOf Plugin",
        "nsslapd-pluginEnabled: on\nnsslapd-pluginType: betxnpostoperation",
        *(f"memberofgroupattr: {name}" for name in attributes),
        "memberofattr: memberOf\nmemberofskipnested: off",
    )


def _index(name: str, *more: str, system: str = "false") -> str:
    return _entry(
        f"cn={name},cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config",
        f"objectClass: nsIndex\ncn: {name}\nnsSystemIndex: {system}\nnsIndexType: eq",
        *more,
    )


def _indexes(*names: str) -> str:
    """Indexes for equality."""
    return "".join(_index(name) for name in ("objectclass", "uid", "mail", "cn", *names))


# ---- a log is compressed while all wait to write into it -------------------------------------

_ROTATES_S = 600.0
_COMPRESSED = (
    "nsslapd-accesslog-level: 256",
    "nsslapd-accesslog-logbuffering: on",
    "nsslapd-accesslog-compress: on",
    "nsslapd-accesslog-logrotationtime: 10",
    "nsslapd-accesslog-logrotationtimeunit: minute",
    "nsslapd-accesslog-maxlogsize: 800",
    "nsslapd-accesslog-maxlogsperdir: 60",
)


class _Rotating(Simulation):
    """Whoever wants to write into the log while the old one is compressed waits for the end."""

    until = 0.0

    def _serve(self, request: Request, client: Client) -> None:
        taken = max(self.now, self._free[0])
        request.took += max(0.0, self.until - taken)
        super()._serve(request, client)


def write_compressed_log(folder: Path) -> Waited:
    """Every ten minutes a new log begins, and for five seconds nobody has an answer."""
    log = Log389("3.1.4", "ds1.example.com", "10.150.0.2")
    sim = _Rotating(log, utc(2026, 7, 6, 8, 56), 2700, workers=16, seed=1000)
    office(sim, network="10.150.0", pace=1.6)
    sim.start(8, monitoring(sim, "10.150.0.9", service("monitor"), every=15, base="cn=monitor"))
    for number, name in enumerate(("wiki", "crm", "git", "print", "vpn", "radius"), start=50):
        client = application(sim, f"10.150.0.{number}", service(name), every=1.3)
        sim.start(0.6 * number - 25, client)
    sim.start(240, _rotations(sim, log, 5.4))
    sim.run()
    log.write(folder / "access", log.header)
    caches = _backend("nsslapd-cachememsize: 1610612736", "nsslapd-dncachememsize: 201326592")
    server = _server(16, *_COMPRESSED)
    (folder / "dse.ldif").write_text(f"{server}{caches}{_indexes('member')}", "utf-8")
    return sim.waited


def _rotations(sim: _Rotating, log: Log389, seconds: float) -> Client:
    """The head of each new file stands where the files were put together again."""
    while True:
        pause = sim.about(seconds, 0.12)
        log.add(sim.now, log.header[:-1])
        sim.until = sim.now + pause
        sim.hold("log", pause)
        yield _ROTATES_S


# ---- whether an entry may be read is worked out for each of its attributes -------------------

_WORDS = ("contract", "temporary", "guest", "external", "intern", "retired", "on leave", "agency")
_HR = service("hr-sync")


def _rights() -> str:
    """What `ldapsearch` shows of the access rules of the people."""
    rules = []
    for number, word in enumerate(_WORDS):
        tests = "".join(
            f"({name}=*{word}*)" for name in ("description", "title", "employeeType", "roomNumber")
        )
        rules.append(
            f'aci: (targetattr = "*")(targetfilter = "(|{tests}(street=*{word} wing*))")'
            f'(version 3.0; acl "HR {number + 1}: {word}"; allow (read, search, compare) '
            f'userdn = "ldap:///{_HR} || ldap:///{service("directory-pages")}";)'
        )
    everybody = (
        'aci: (targetattr = "cn || mail || uid || departmentNumber")(version 3.0; acl "all"; '
        'allow (read, search, compare) userdn = "ldap:///all";)'
    )
    return _entry(PEOPLE, "objectClass: organizationalUnit\nou: people", everybody, *rules)


def write_rights(folder: Path) -> Waited:
    """A department is read in 20 ms by the Directory Manager, and in a dozen seconds by others."""
    log = Log389("1.4.3.22", "rhds3.example.com", "10.151.0.2")
    sim = Simulation(log, utc(2021, 9, 7, 13, 20), 1800, workers=24, seed=1001)
    office(sim, network="10.151.0", pace=1.2)
    sim.start(14, _departments(sim, "10.151.0.33", _HR, 24.0, 0.021))
    sim.start(31, _departments(sim, "10.151.0.34", service("directory-pages"), 55.0, 0.021))
    sim.start(47, _departments(sim, "10.151.0.35", service("mail-lists"), 20.0, 0.0004))
    sim.start(20, _departments(sim, "", _MANAGER, 75.0, 0.00004))
    sim.run()
    log.write(folder / "access", log.header)
    (folder / "acis.ldif").write_text(_rights(), "utf-8")
    caches = _backend("nsslapd-cachememsize: 3221225472", "nsslapd-dncachememsize: 268435456")
    indexes = _indexes("member", "departmentNumber")
    (folder / "dse.ldif").write_text(f"{_server(24)}{caches}{indexes}", "utf-8")
    return sim.waited


def _departments(sim: Simulation, address: str, dn: str, every: float, entry_s: float) -> Client:
    """Everybody of a department, with all attributes or with two of them."""
    connection = sim.connect(address, "" if address else SOCKET)
    yield HANDSHAKE_S
    if address:
        yield binding(sim, connection, dn)
    sizes = tuple(sim.random.randrange(240, 780) for _ in range(30))
    while True:
        yield sim.random.expovariate(1 / every)
        number = sim.random.randrange(len(sizes))
        query = f"(departmentNumber={4100 + number})"
        took = 0.0008 + sizes[number] * sim.about(entry_s, 0.08)
        asked = Request(connection, "SRCH", took, PEOPLE, 2, query, entries=sizes[number])
        asked.attributes = "uid mail" if entry_s == 0.0004 else ""
        asked.culprit = entry_s > 0.01
        yield asked


# ---- members under several names -------------------------------------------------------------

_KINDS = ("member", "uniqueMember", "memberUser", "memberHost")


def write_kinds_of_members(folder: Path) -> Waited:
    """Whoever joins a group is looked for under four names at once, 0.13 s a person."""
    log = Log389("2.1.4", "ds4.example.com", "10.152.0.2")
    sim = Simulation(log, utc(2022, 9, 20, 9, 10), 2100, workers=16, seed=1002)
    office(sim, network="10.152.0", pace=1.3, lock="backend")
    for number, (name, every) in enumerate((("self-service", 6), ("phones", 9)), start=24):
        client = changes(sim, f"10.152.0.{number}", service(name), every=every, lock="backend")
        sim.start(0.7 * number, client)
    sim.start(60, _joins(sim, "10.152.0.41", "courses", 45.0, (14, 70)))
    sim.start(95, _joins(sim, "10.152.0.42", "idm", 30.0, (1, 12)))
    sim.run()
    log.write(folder / "access", log.header)
    caches = _backend("nsslapd-cachememsize: 2147483648", "nsslapd-dncachememsize: 268435456")
    server = _server(16, "nsslapd-accesslog-level: 260")
    text = f"{server}{_member_of(*_KINDS)}{caches}{_indexes(*_KINDS, 'memberOf')}"
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _joins(
    sim: Simulation, address: str, name: str, every: float, sizes: tuple[int, int]
) -> Client:
    """People are put into a group, several in one change."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service(name))
    while True:
        yield sim.random.expovariate(1 / every)
        group = f"cn={name}-{sim.random.randrange(300)},{GROUPS}"
        yield read(sim, connection, group)
        inside = tuple(_groups_of(sim) for _ in range(sim.random.randrange(*sizes)))
        took = 0.009 + sum(inner.took + 0.002 for inner in inside)
        change = Request(connection, "MOD", took, group, inside=inside, lock="backend")
        change.culprit = True
        yield change


def _groups_of(sim: Simulation) -> Inner:
    who = person(sim.random.randrange(4000))
    query = "".join(f"({name.lower()}={who})" for name in _KINDS)
    return Inner(SUFFIX, f"(|{query})", "cn", sim.about(0.13, 0.2), sim.random.randrange(4, 60))


# ---- entries leave the cache before they are locked ------------------------------------------

_CACHE = 10_485_760
_CACHE_STATE = f"""dn: cn=monitor,cn=userRoot,cn=ldbm database,cn=plugins,cn=config
objectClass: top
objectClass: extensibleObject
cn: monitor
database: ldbm database
readOnly: 0
entryCacheHits: 3911604
entryCacheTries: 14880217
entryCacheHitRatio: 26
currentEntryCacheSize: {_CACHE - 1904}
maxEntryCacheSize: {_CACHE}
currentEntryCacheCount: 1873
maxEntryCacheCount: -1
dnCacheHits: 9820144
dnCacheTries: 9881402
dnCacheHitRatio: 99
currentDnCacheSize: 8120344
maxDnCacheSize: 67108864
currentDnCacheCount: 62418
maxDnCacheCount: -1
"""


class _SmallCache(Simulation):
    """A change reads its entry anew until it can lock it, and gives up after a thousand times."""

    errors: Lines

    def _serve(self, request: Request, client: Client) -> None:
        if request.kind == "MOD":
            request.took, request.culprit = self.about(0.62, 0.9), True
            if self.random.random() < 0.05:
                request.took, request.error = self.about(6.3, 0.08), 32
                at = self.now + request.took - 1e-4
                text = f"find_entry_internal_dn - Retry count exceeded ({request.dn})"
                if at < self.end:
                    self.errors.add(at, f"{stamp_389(at)} - ERR - {text}")
        super()._serve(request, client)


def write_small_cache(folder: Path) -> Waited:
    """Changes try again and again to catch their entry in the cache, and some give up with 32."""
    log, errors = Log389("1.4.4.17", "ldap2.example.com", "10.153.0.2"), Lines()
    sim = _SmallCache(log, utc(2022, 4, 6, 10, 0), 1500, workers=32, seed=1003)
    sim.errors = errors
    office(sim, network="10.153.0", pace=1.5)
    for number, name in enumerate(("shop", "crm", "forum", "survey"), start=50):
        client = application(
            sim, f"10.153.0.{number}", service(name), every=0.45, took=0.0023, count=60_000
        )
        sim.start(0.3 * number, client)
    for number in range(6):
        sim.start(90 + 7 * number, _customer_updates(sim, f"10.153.0.{24 + number}"))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    (folder / "monitor.ldif").write_text(_CACHE_STATE, "utf-8")
    limits = _database("nsslapd-cache-autosize: 0", "nsslapd-dbcachesize: 1073741824")
    caches = _backend(f"nsslapd-cachememsize: {_CACHE}", "nsslapd-dncachememsize: 67108864")
    text = f"{_server(32)}{limits}{caches}{_indexes('member', 'memberOf')}"
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _customer_updates(sim: Simulation, address: str) -> Client:
    """Reads a customer and writes what is new; a change that is lost is made again later."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("customer-sync"))
    while True:
        yield sim.about(1.1)
        who = person(sim.random.randrange(60_000))
        yield read(sim, connection, who)
        yield Request(connection, "MOD", sim.about(0.006), who)


# ---- no entry has children -------------------------------------------------------------------

_IPA_MASTERS = f"cn=masters,cn=ipa,cn=etc,{SUFFIX}"
_STALE_SCHEMA = """dn: cn=schema
objectClass: top
objectClass: ldapSubentry
objectClass: subschema
cn: schema
attributeTypes: ( 2.16.840.1.113730.3.1.604 NAME 'parentid' DESC 'internal server
  defined attribute type' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.1
 21.1.15 SINGLE-VALUE NO-USER-MODIFICATION USAGE directoryOperation X-ORIGIN 'us
 er defined' )
attributeTypes: ( 1.3.6.1.4.1.99999.1.7 NAME 'exampleBadge' EQUALITY caseIgnoreMat
 ch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 X-ORIGIN 'user defined' )
"""


def write_no_children(folder: Path) -> Waited:
    """Since the new replica was installed, searches of one level return nothing at all."""
    log, errors = Log389("2.8.0", "ipa5.example.com", "10.154.0.2"), Lines()
    sim = Simulation(log, utc(2026, 5, 28, 9, 0), 1800, workers=16, seed=1004)
    _was_filled(errors, sim.begin - 3140)
    office(sim, network="10.154.0", pace=1.2)
    sim.start(9, _by_one_level(sim, "10.154.0.44"))
    sim.start(17, _by_subtree(sim, "10.154.0.45"))
    for number in range(24):
        begin = sim.random.uniform(5, 120)
        sim.start(begin, _web_interface(sim, f"10.154.2.{20 + number}", number))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    (folder / "99user.ldif").write_text(_STALE_SCHEMA, "utf-8")
    own = "nsMatchingRule: integerOrderingMatch"
    system = _index("parentid", own, system="true") + _index("entryrdn", system="true")
    text = f"{_server(16)}{system}{_indexes('member', 'memberOf')}"
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _was_filled(errors: Lines, at: float) -> None:
    """What the installation left in the error log, an hour before."""
    for later, text in (
        (0.0, "NOTICE - NSMMReplicationPlugin - multisupplier_be_state_change - Replica "
         f"{SUFFIX} is going offline; disabling replication"),
        (14.2, "INFO - bdb_import_monitor_threads - import userRoot: Workers finished; cleaning "
         "up..."),
        (14.6, "INFO - bdb_public_bdb_import_main - import userRoot: Import complete.  Processed "
         "9214 entries in 14 seconds. (658.14 entries/sec)"),
        (14.7, "NOTICE - NSMMReplicationPlugin - multisupplier_be_state_change - Replica "
         f"{SUFFIX} is coming online; enabling replication"),
    ):  # fmt: skip
        errors.add(at + later, f"{stamp_389(at + later)} - {text}")


def _by_one_level(sim: Simulation, address: str) -> Client:
    """A portal that looks for people one level below; whoever is not there tries again."""
    while True:
        yield sim.random.expovariate(1 / 4)
        sim.start(sim.now - sim.begin, _turned_away(sim, address, sim.random.randrange(4000)))


def _turned_away(sim: Simulation, address: str, number: int) -> Client:
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("staff-portal"))
    for _ in range(sim.random.randrange(1, 4)):
        asked = search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0006, entries=0)
        asked.scope, asked.culprit = 1, True
        yield asked
        yield sim.random.uniform(6, 18)
    sim.close(connection)


def _by_subtree(sim: Simulation, address: str) -> Client:
    """Another application asks for the same people, but for all that is below."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("vpn"))
    while True:
        yield sim.random.expovariate(1 / 3)
        number = sim.random.randrange(4000)
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)


def _web_interface(sim: Simulation, address: str, number: int) -> Client:
    """A command of an administrator begins with which servers there are."""
    host = f"krbprincipalname=HTTP/host{number}.example.com@EXAMPLE.COM,cn=services,{SUFFIX}"
    while True:
        connection = sim.connect(address)
        yield HANDSHAKE_S
        yield from sasl(sim, connection, host, "GSSAPI")
        yield read(sim, connection, _IPA_MASTERS)
        for scope, entries in ((1, 0), (2, 19)) if number % 4 == 0 else ((1, 0),):
            took = sim.about(0.0008)
            servers = Request(connection, "SRCH", took, _IPA_MASTERS, scope, "(objectClass=*)")
            servers.attributes, servers.entries = "cn ipaConfigString", entries
            servers.culprit = not entries
            yield servers
        sim.close(connection)
        yield sim.random.uniform(60, 240)


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_term(folder: Path) -> Waited:
    """Term begins: logs are compressed in no time, groups filled, a wrong name is looked for."""
    log = Log389("2.6.1", "ds7.example.com", "10.155.0.2")
    sim = _Rotating(log, utc(2025, 10, 6, 7, 50), 2400, workers=24, seed=1010)
    office(sim, network="10.155.0", pace=2.0)
    sim.start(8, monitoring(sim, "10.155.0.9", service("monitor"), every=30, base="cn=monitor"))
    names = f"cn=dns,{SUFFIX}"
    sim.start(5, following(sim, "10.155.0.8", service("named"), names, "(objectClass=idnsZone)"))
    sim.start(310, _rotations(sim, log, 0.03))
    sim.start(420, _new_courses(sim))
    sim.start(700, _console(sim))
    for seat in range(70):
        begin = 1150 + sim.random.uniform(0, 60)
        sim.start(begin, sign_in(sim, f"10.155.1.{20 + seat}", 1 if seat % 23 == 5 else 0))
    sim.run()
    log.write(folder / "access", log.header)
    caches = _backend("nsslapd-cachememsize: 1073741824", "nsslapd-dncachememsize: 134217728")
    server = _server(24, *_COMPRESSED)
    text = f"{server}{_member_of('member')}{caches}{_indexes('member', 'memberOf')}"
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _new_courses(sim: Simulation) -> Client:
    """Twenty groups get their members, each in a change that takes a moment."""
    connection = sim.connect("10.155.0.41")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("courses"))
    for number in range(20):
        group = f"cn=course-{number},{GROUPS}"
        yield read(sim, connection, group)
        yield Request(connection, "MOD", sim.about(0.05, 0.2), group)
        yield sim.random.uniform(15, 40)
    sim.close(connection)


def _console(sim: Simulation) -> Client:
    """An administrator opens branches of the tree, one of them empty, and mistypes a name."""
    connection = sim.connect("10.155.0.23")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"uid=admin,ou=people,{SUFFIX}")
    for base, entries in ((SUFFIX, 7), (GROUPS, 318), (f"ou=archive,{SUFFIX}", 0)):
        branch = Request(connection, "SRCH", sim.about(0.004), base, 1, "(objectClass=*)")
        branch.attributes, branch.entries = "objectClass hasSubordinates", entries
        yield branch
        yield sim.random.uniform(5, 14)
    for name in ("jnoes39", "jones39"):
        yield search(
            sim, connection, PEOPLE, f"(uid={name})", 0.0007, entries=int(name == "jones39")
        )
        yield sim.random.uniform(5, 14)
    sim.close(connection)


CASES: tuple[Case, ...] = (
    Case(
        "compressed_while_all_wait",
        "Move log compression outside of global write lock (2026)",
        "https://github.com/389ds/389-ds-base/issues/7639",
        DS,
        "every ten minutes the access log is rotated and compressed under its write lock: all "
        "threads that want to write a line, hence all requests, wait 5 s",
        rf"compress|rotat|\blogs?\b|\bgaps?\b|\bpaus|freez|froze|{BLOCKS}|every (10|ten) min|"
        r"at regular|periodic|(same|one) (moment|time|instant)|at once|nobody|all (requests|wait|"
        r"operations|clients|threads|connections)",
        (r"compress|gzip|rotat|new (access )?log|log file",),
        r"compress|gzip|rotat|maxlogsize|upgrade|newer version|fixed in|7639",
        write_compressed_log,
        share=0.90,
        accused=(BLAMES_AN_INDEX, r"checkpoint", THREADS, BLAMES_A_HASH),
    ),
    Case(
        "rights_for_each_attribute",
        "Performance ACI: targetfilter evaluation result can be reused (2021)",
        "https://github.com/389ds/389-ds-base/issues/4925",
        DS,
        "eight ACIs have target filters with substrings, tested for each attribute of each entry: "
        "a department is read in 20 ms by the Directory Manager, in 5 to 16 s by two services",
        rf"\bACIs?\b|access.?control|target.?filter|\brights?\b|permission|departmentNumber|"
        rf"hr-sync|Directory Manager|(per|each|every|many|returned|hundred\w*) .{{0,12}}entr|"
        rf"{STANDS_OUT}",
        (
            r"hr-sync|directory-pages|10\.151\.0\.3[34]|departmentNumber",
            r"\bACIs?\b|access.?control|target.?filter|access rules?|\brights\b|permission",
        ),
        r"\bACIs?\b|target.?filter|access.?control|access rules?|fewer attributes|"
        r"only (the )?attributes|(list|name|ask for) .{0,30}attributes|upgrade|newer version|4925",
        write_rights,
        share=0.98,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "members_under_four_names",
        "memberof is slow on update/fixup if there are several 'groupattr' (2022)",
        "https://github.com/389ds/389-ds-base/issues/5440",
        DS,
        "memberOf is set up for four group attributes: for each person who joins a group it "
        "searches by all four in one filter, 0.13 s each, and other changes wait meanwhile",
        rf"member.?of\b|internal|groups?\b|\bMODs?\b|chang|\bwrit|{BLOCKS}|{STANDS_OUT}",
        (
            r"member.?of\b|internal (operation|search|request)|plug-?in",
            r"uniqueMember|member(User|Host)|member.?of.?group.?attr|group ?attr|"
            r"(two|four|\b4|several|many|more than one|multiple|different|all) "
            r"(\w+ )?(\w+ )?attribut|\(\||\bOR\b.{0,12}filter|alternatives",
        ),
        r"member.?of|group ?attr|skipnested|deferred|smaller|fewer|split|quiet|at night|"
        r"off.?hours|outside|upgrade|newer version|5440",
        write_kinds_of_members,
        share=0.98,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "gone_before_it_is_locked",
        "high contention in find_entry_internal_dn on mixed load (2022)",
        "https://github.com/389ds/389-ds-base/pull/5264",
        DS,
        "the entry cache has 10 MB for 60,000 entries: a change loses its entry from it before it "
        "can lock it, and tries up to 1,000 times, 0.6 s or, in vain (32), 6 s",
        rf"\bcach|retry count|\bretr(y|ies|ied)|tries again|evict|find_entry|\bMODs?\b|chang|"
        rf"\bwrit|{REFUSED}|{STANDS_OUT}",
        (
            r"\bcach(e|es|ed|ing)\b|evict|cachememsize|entry ?cache",
            r"\bMODs?\b|chang|modif|\bwrit|updat",
            r"retry count|\bretr(y|ies|ied)|tries again|find_entry|evict|too small|\bfull\b|"
            r"hit ratio|\bhits?\b|\b26(\.\d+)? ?%|10(\.\d)? ?Mi?B|loses|thrown out|pushed out",
        ),
        r"cachememsize|entry ?cache|cache-autosize|(larger|bigger|enlarge|more).{0,30}cache|"
        r"cache.{0,40}(larger|bigger|enlarge|rais|more)|upgrade|newer version|526[24]",
        write_small_cache,
        share=0.99,
        accused=(BLAMES_AN_INDEX, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "no_children_at_all",
        "Replica install leaves parentid index in inconsistent state causing ONELEVEL searches to "
        "return no entries until reindex (2026)",
        "https://github.com/389ds/389-ds-base/issues/7518",
        DS,
        "an old schema of parentid (caseIgnoreMatch) left its index on a new replica in a wrong "
        "order: searches of one level return nothing, so that people cannot log in at the portal",
        r"one.?level|single.?level|scope|parentid|children|directly below|"
        r"\bno (entr|result|match)|\b(0|zero) entr|nothing|\bempty|without (an? )?(entr|result)|"
        r"not (be )?found|finds? no",
        (
            r"one.?level|single.?level|scope ?[=:]? ?(1|one)\b|parentid|children|directly below",
            r"parentid|sub-?tree|scope ?[=:]? ?2|\bindex",
        ),
        r"parentid|re-?index|db2index|rebuild|matching ?rule|integerOrderingMatch|"
        r"integerMatch|schema|re-?initiali[sz]|7518",
        write_no_children,
        accused=(DISK, THREADS, BLAMES_A_HASH, r"wrong password", r"idlistscanlimit"),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_term",
        "logs are rotated, courses filled, people come at nine, an administrator looks around",
        DS,
        write_healthy_term,
    ),
)
