"""The fourteenth ten, 389 DS: a sorted list, repairs in a row, silence, long names, an import."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX, BLOCKS, REFUSED
from tests.field.batch6 import SUFFIX
from tests.field.batch9.school import read, service, sign_in
from tests.field.case import DISK, DS, STANDS_OUT, THREADS, Case, Healthy
from tests.field.dialects import Lines, Log389, stamp_389
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
    HANDSHAKE_S,
    PEOPLE,
    application,
    binding,
    changes,
    monitoring,
    office,
    sasl,
    search,
    user,
)

BLAMES_A_HASH = r"password (hash|storage)|pbkdf2|iteration"
_LDBM = "cn=ldbm database,cn=plugins,cn=config"


def _entry(dn: str, *lines: str) -> str:
    """An entry of an LDIF file."""
    return "\n".join((f"dn: {dn}", "objectClass: top", *lines)) + "\n\n"


def _server(threads: int, *more: str) -> str:
    lines = ("objectClass: nsslapdConfig", "cn: config", f"nsslapd-threadnumber: {threads}")
    return _entry("cn=config", *lines, "nsslapd-errorlog-level: 16384", *more)


def _database(kind: str, *more: str) -> str:
    """The settings that all back ends share, and the library below them."""
    lines = ("objectClass: extensibleObject", "cn: config", f"nsslapd-backend-implement: {kind}")
    return _entry(f"cn=config,{_LDBM}", *lines, *more)


def _backend(name: str, suffix: str, memory: int) -> str:
    return _entry(
        f"cn={name},{_LDBM}",
        f"objectClass: nsBackendInstance\ncn: {name}\nnsslapd-suffix: {suffix}",
        f"nsslapd-cachememsize: {memory}\nnsslapd-dncachememsize: 134217728",
    )


def _indexes(*names: str) -> str:
    """Indexes for equality and presence."""
    return "".join(
        _entry(
            f"cn={name},cn=index,cn=userRoot,{_LDBM}",
            f"objectClass: nsIndex\ncn: {name}\nnsSystemIndex: false",
            "nsIndexType: eq\nnsIndexType: pres",
        )
        for name in ("objectclass", "uid", "mail", "cn", "sn", "member", *names)
    )


def _note(lines: Lines, at: float, text: str) -> None:
    """A line of the error log."""
    lines.add(at, f"{stamp_389(at)} - {text}")


# ---- a list is sorted anew for each of its pages ---------------------------------------------

_ACCOUNTS = 118_406


def _browsing_index() -> str:
    """The one list for which there is an index: the phone book, by surname."""
    above = f"cn=phone book,cn=userRoot,{_LDBM}"
    return _entry(
        above,
        f"objectClass: vlvSearch\ncn: phone book\nvlvBase: {PEOPLE}\nvlvScope: 1",
        "vlvFilter: (objectClass=inetOrgPerson)",
    ) + _entry(f"cn=by sn,{above}", "objectClass: vlvIndex\ncn: by sn\nvlvSort: sn givenName")


def write_sorted_list(folder: Path) -> Waited:
    """25 of 118,406 accounts by their names take over a minute, whichever page it is."""
    log = Log389("2.4.5", "ds-docker.example.com", "10.160.0.2", 3636)
    sim = Simulation(log, utc(2025, 8, 12, 9, 0), 2400, workers=16, seed=1400)
    office(sim, network="10.160.0", pace=1.4)
    sim.start(6, monitoring(sim, "10.160.0.9", service("monitor"), every=30, base="cn=monitor"))
    sim.start(11, _phone_book(sim, "10.160.0.51"))
    for number in range(4):
        sim.start(70 + 31 * number, _account_list(sim, f"10.160.0.{61 + number}"))
    sim.run()
    log.write(folder / "access", log.header)
    caches = _backend("userRoot", SUFFIX, 4294967296) + _browsing_index()
    (folder / "dse.ldif").write_text(
        f"{_server(16)}{_database('bdb')}{caches}{_indexes()}", "utf-8"
    )
    return sim.waited


def _page(sim: Simulation, connection: Connection, took: float, first: int, count: int) -> Request:
    """A page of a sorted list, 25 entries from a place on."""
    page = search(sim, connection, PEOPLE, "(objectClass=inetOrgPerson)", took, entries=25)
    page.scope = 1
    page.attributes = "cn sn mail telephoneNumber"
    page.before = ("SORT sn givenName", f"VLV 0:24:{first}:0 {first}:{count} (0)")
    return page


def _phone_book(sim: Simulation, address: str) -> Client:
    """Pages of a list that has a browsing index."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("phone-book"))
    while True:
        yield sim.random.expovariate(1 / 5)
        first = 1 + 25 * sim.random.randrange(4000)
        yield _page(sim, connection, 0.0024, first, _ACCOUNTS)


def _account_list(sim: Simulation, address: str) -> Client:
    """An operator turns pages of all accounts; the list of the groups is the shorter one."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("account-console"))
    first = 1
    while True:
        groups = search(sim, connection, GROUPS, "(objectClass=groupOfNames)", 0.34, entries=25)
        groups.before = ("SORT cn (912)", "VLV 0:24:1:0 1:912 (0)")
        yield groups
        yield sim.random.uniform(5, 20)
        for _ in range(sim.random.randrange(2, 5)):
            page = _page(sim, connection, 1.0, first, _ACCOUNTS)
            page.scope, page.query, page.took = 2, "(objectClass=posixAccount)", sim.about(71, 0.1)
            page.before = (f"SORT cn ({_ACCOUNTS})", f"VLV 0:24:{first}:0 {first}:{_ACCOUNTS} (0)")
            page.culprit = True
            yield page
            first += 25
            yield sim.random.uniform(3, 12)


# ---- memberships are repaired again for every group ----------------------------------------


class _Repairing(Simulation):
    """While a repair is at work, all changes wait for it, and what is read takes longer."""

    errors: Lines
    asked_for: list[float]
    until = 0.0

    def _serve(self, request: Request, client: Client) -> None:
        if self.now < self.until and request.kind == "SRCH":
            request.took *= 25
        super()._serve(request, client)


def write_repairs(folder: Path) -> Waited:
    """For each group a task goes through all 52,000 entries: more come than can be done."""
    log, errors = Log389("1.4.3.29", "rhds2.example.com", "10.161.0.2"), Lines()
    sim = _Repairing(log, utc(2022, 8, 9, 13, 0), 2700, workers=24, seed=1401)
    sim.errors, sim.asked_for = errors, []
    office(sim, network="10.161.0", pace=1.3, lock="backend")
    for number, (name, every) in enumerate((("self-service", 8), ("badges", 12)), start=24):
        client = changes(sim, f"10.161.0.{number}", service(name), every=every, lock="backend")
        sim.start(0.6 * number, client)
    sim.start(410, _group_script(sim, "10.161.0.47"))
    sim.start(411, _repairs(sim))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    plugin = _entry(
        "cn=MemberOf Plugin,cn=plugins,cn=config",
        "objectClass: nsSlapdPlugin\nobjectClass: extensibleObject\ncn: MemberOf Plugin",
        "nsslapd-pluginEnabled: on\nmemberofgroupattr: member\nmemberofattr: memberOf",
    )
    caches = _backend("userRoot", SUFFIX, 2147483648)
    text = f"{_server(24)}{plugin}{_database('bdb')}{caches}{_indexes('memberOf')}"
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _group_script(sim: _Repairing, address: str) -> Client:
    """A script goes through the groups, and has all memberships repaired for each of them."""
    number = 0
    while True:
        connection = sim.connect(address)
        yield HANDSHAKE_S
        yield binding(sim, connection, "cn=Directory Manager")
        group = f"cn=project-{number},{GROUPS}"
        yield read(sim, connection, group)
        task = f"cn=memberOf_fixup_{int(sim.now)},cn=memberof task,cn=tasks,cn=config"
        yield Request(connection, "ADD", sim.about(0.002), task)
        starts = 'Memberof task starts (filter: "(objectClass=*)") ...'
        _note(
            sim.errors,
            sim.now,
            f"INFO - memberof-plugin - memberof_fixup_task_thread - {starts}",
        )
        sim.asked_for.append(sim.now)
        sim.close(connection)
        number += 1
        yield sim.random.uniform(3, 9)


def _repairs(sim: _Repairing) -> Client:
    """One repair after another, in the order in which they were asked for."""
    while True:
        if not sim.asked_for:
            yield 0.1
            continue
        asked, took = sim.asked_for.pop(0), sim.about(27, 0.06)
        sim.until = sim.now + took
        sim.hold("backend", took)
        yield took
        done = f"Memberof task finished (processed 52114 entries in {sim.now - asked:.0f} seconds)"
        _note(sim.errors, sim.now, f"INFO - memberof-plugin - memberof_fixup_task_thread - {done}")
        yield 0.25


# ---- nobody's request is read while a page is on its way ------------------------------------


class _Deaf(Simulation):
    """The thread that reads requests waits for a lock while a page of a search is sent."""

    until = 0.0

    def _serve(self, request: Request, client: Client) -> None:
        if self.now < self.until:
            wait = self.until - self.now + self.random.uniform(1e-5, 2e-3)
            self.waited.total += wait
            self.waited.culprit += wait
            self.at(self.now - self.begin + wait, lambda: self._serve(request, client))
            return
        if request.culprit:
            self.until = self.now + request.took + 1e-3
        super()._serve(request, client)

    def close(self, connection: Connection, *, clean: bool = True) -> None:
        """That a client goes is read no sooner than anything else."""
        if self.now < self.until:
            after = self.until - self.begin + 4e-3
            self.at(after, lambda: self.close(connection, clean=clean))
            return
        super().close(connection, clean=clean)


def write_silence(folder: Path) -> Waited:
    """For 3 to 15 s the server reads no request at all, and then all of them at once."""
    log = Log389("2.5.2", "ldap1.example.com", "10.162.0.2", 389)
    sim = _Deaf(log, utc(2025, 1, 16, 8, 30), 2100, workers=32, seed=1402)
    office(sim, network="10.162.0", pace=2.0)
    for number, name in enumerate(("wiki", "crm", "git", "vpn", "radius"), start=51):
        client = application(sim, f"10.162.0.{number}", service(name), every=0.8)
        sim.start(0.4 * number, client)
    sim.start(140, _sssd(sim, "10.188.4.7", blocked=0.2))
    sim.start(33, _sssd(sim, "10.162.0.77", blocked=0.0))
    sim.run()
    log.write(folder / "access", log.header)
    server = _server(32, "nsslapd-ioblocktimeout: 10000", "nsslapd-numlisteners: 1")
    caches = _backend("userRoot", SUFFIX, 1610612736)
    text = f"{server}{_database('bdb')}{caches}{_indexes('memberUid', 'uidNumber')}"
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _sssd(sim: Simulation, address: str, *, blocked: float, every: float = 300.0) -> Client:
    """A host reads all users and all groups at once over one connection, page by page."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("sssd"))
    while True:
        for index, (kind, count) in enumerate((("posixAccount", 14), ("posixGroup", 8))):
            query = f"(&(objectClass={kind})({'uid' if index == 0 else 'cn'}=*))"
            pages = _pages(sim, connection, index, query, count=count, blocked=blocked)
            sim.start(sim.now - sim.begin + 0.004 * index, pages)
        yield every


def _pages(
    sim: Simulation,
    connection: Connection,
    index: int,
    query: str,
    *,
    count: int,
    blocked: float,
) -> Client:
    """The pages of one search; one that does not fit through the link is long on its way."""
    for number in range(count):
        cookie = -1 if number == count - 1 else 0
        page = search(sim, connection, SUFFIX, query, 0.024, entries=1000)
        page.notes = f"P pr_idx={index} pr_cookie={cookie}"
        if sim.random.random() < blocked:
            page.took, page.culprit = sim.random.uniform(3, 15), True
        yield page
        yield sim.about(0.05)


# ---- a name is too long for the database -----------------------------------------------------

_BAD_SIZE = (
    "ERR - dbmdb_map_error - dbmdb_public_db_op failed with db error -30781 : MDB_BAD_VALSIZE: "
    "Unsupported size of key/DB name/data, or wrong DUPFIXED size"
)


def write_long_names(folder: Path) -> Waited:
    """Services of a cloud with names of 260 characters cannot be added, those of others can."""
    log, errors = Log389("3.0.1", "ipa1.example.com", "10.163.0.2"), Lines()
    sim = Simulation(log, utc(2024, 2, 21, 10, 15), 1800, workers=16, seed=1403)
    office(sim, network="10.163.0", pace=1.3)
    for number in range(3):
        client = _new_services(sim, errors, f"10.163.0.{61 + number}", long=number != 1)
        sim.start(25 + 14 * number, client)
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    size = "nsslapd-mdb-max-size: 21474836480"
    caches = _backend("userRoot", SUFFIX, 1073741824)
    text = f"{_server(16)}{_database('mdb', size)}{caches}{_indexes('krbPrincipalName')}"
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _new_services(sim: Simulation, errors: Lines, address: str, *, long: bool) -> Client:
    """Adds services as they are deployed; one that is refused is tried again."""
    number = 0
    while True:
        yield sim.random.expovariate(1 / 18)
        number += 1
        host = f"web{number}.apps.example.com"
        if long and number % 5:
            parts = (
                f"release-{number}",
                *(f"customer-portal-frontend-{part}" for part in "abcdef"),
            )
            host = f"{'.'.join(parts)}.eu-central-1.apps.internal.cloud.production.example.com"
        name = f"krbprincipalname=HTTP/{host}@EXAMPLE.COM"
        dn = f"{name},cn=services,cn=accounts,{SUFFIX}"
        for _ in range(3 if len(name) > 250 else 1):
            connection = sim.connect(address)
            yield HANDSHAKE_S
            yield from sasl(sim, connection, f"uid=deploy,{PEOPLE}", "GSSAPI")
            query = f"(krbPrincipalName=HTTP/{host}@EXAMPLE.COM)"
            yield search(sim, connection, SUFFIX, query, 0.0007, entries=0)
            new = Request(connection, "ADD", sim.about(0.007), dn)
            if len(name) > 250:
                new.error, new.culprit = 1, True
                _note(errors, sim.now + 0.003, _BAD_SIZE)
            yield new
            yield sim.about(0.01)
            sim.close(connection)
            yield sim.random.uniform(10, 30)


# ---- after an import that failed, the next one creeps ----------------------------------------

_STUDENTS = "o=students"
_OFFLINE = "ERR - mtn_get_be - Warning: Operation attempted on backend in OFFLINE state : students"


def write_creeping_import(folder: Path) -> Waited:
    """A mistyped file name, then 3 entries a second, and after a restart 900 a second."""
    log, errors = Log389("1.4.4.8", "ds6.example.com", "10.164.0.2"), Lines()
    sim = Simulation(log, utc(2020, 11, 2, 15, 30), 3000, workers=16, seed=1404)
    office(sim, network="10.164.0", pace=1.5)
    _imported(errors, sim.begin - 86_400 * 7, 873.4, 61_230)
    sim.start(300, _imports(sim, errors))
    sim.start(20, _student_portal(sim, errors, "10.164.0.44"))
    sim.run()
    restart = sim.end + 95
    _note(
        errors,
        sim.end + 40,
        "INFO - slapd_daemon - slapd shutting down - signaling operation threads",
    )
    _note(errors, restart, "INFO - main - 389-Directory/1.4.4.8 B2020.303.1415 starting up")
    _imported(errors, restart + 60, 902.1, 61_977)
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    caches = _backend("userRoot", SUFFIX, 1073741824)
    caches += _backend("students", _STUDENTS, 1073741824)
    text = f"{_server(16)}{_database('bdb')}{caches}{_indexes()}"
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _progress(errors: Lines, at: float, done: int, rate: float, hits: int) -> None:
    _note(
        errors,
        at,
        f"INFO - import_monitor_threads - import students: Processed {done} entries -- average "
        f"rate {rate:.1f}/sec, recent rate {rate:.1f}/sec, hit ratio {hits}%",
    )


def _imported(errors: Lines, at: float, rate: float, count: int) -> None:
    """An import as it should be, about a minute for all students."""
    for number in range(1, int(count / rate / 20) + 1):
        _progress(errors, at + 20 * number, int(20 * number * rate), rate, 0 if number < 2 else 100)
    seconds = count / rate
    _note(
        errors,
        at + seconds,
        f"INFO - bdb_import_main - import students: Import complete.  Processed {count} entries "
        f"in {seconds:.0f} seconds. ({rate:.2f} entries/sec)",
    )


def _imports(sim: Simulation, errors: Lines) -> Client:
    """The import with the mistyped name, and the one with the right name a minute later."""
    connection = sim.connect("10.164.0.21")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=Directory Manager")
    task = "cn=import_2020-11-02T{},cn=import,cn=tasks,cn=config"
    yield Request(connection, "ADD", sim.about(0.004), task.format("15:35:00"))
    for later, text in (
        (0.1, 'ERR - import_producer - import students: Could not open LDIF file "/var/lib/dirsrv/'
         'slapd-EXAMPLE-COM/ldif/studnets.ldif", errno 2 (No such file or directory)'),
        (0.9, "ERR - bdb_import_run_pass - import students: Thread monitoring returned: -23"),
        (1.2, "ERR - bdb_import_main - import students: Aborting all Import threads..."),
        (6.3, "ERR - bdb_import_main - import students: Import threads aborted."),
        (6.4, "ERR - bdb_import_main - import students: Import failed."),
    ):  # fmt: skip
        _note(errors, sim.now + later, text)
    yield 70.0
    yield Request(connection, "ADD", sim.about(0.004), task.format("15:36:10"))
    sim.close(connection)
    began = sim.now
    while True:
        yield 20.0
        rate = sim.about(2.7, 0.03)
        hits = 100 if sim.now - began > 30 else 0
        _progress(errors, sim.now, int(2.7 * (sim.now - began)), rate, hits)


def _student_portal(sim: Simulation, errors: Lines, address: str) -> Client:
    """Looks up students, whose back end is offline from the first import on."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("student-portal"))
    while True:
        yield sim.random.expovariate(1 / 3)
        query = f"(uid={user(sim.random.randrange(60_000))})"
        asked = search(sim, connection, _STUDENTS, query, 0.0007)
        if sim.now - sim.begin > 300:
            asked.took, asked.entries, asked.error = sim.about(0.0002), 0, 1
            asked.culprit = True
            _note(errors, sim.now + 1e-4, _OFFLINE)
        yield asked


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_migration(folder: Path) -> Waited:
    """A busy morning: lists by pages, one small repair, a service that is there already."""
    log = Log389("3.1.2", "ds9.example.com", "10.165.0.2")
    sim = Simulation(log, utc(2025, 4, 28, 8, 40), 2400, workers=24, seed=1410)
    office(sim, network="10.165.0", pace=2.2)
    sim.start(7, monitoring(sim, "10.165.0.9", service("monitor"), every=20, base="cn=monitor"))
    sim.start(12, _phone_book(sim, "10.165.0.51"))
    sim.start(100, _sssd(sim, "10.165.0.77", blocked=0.0, every=3600.0))
    sim.start(620, _one_repair(sim))
    for seat in range(60):
        begin = 1180 + sim.random.uniform(0, 90)
        sim.start(begin, sign_in(sim, f"10.165.1.{20 + seat}", 1 if seat % 19 == 4 else 0))
    sim.run()
    log.write(folder / "access", log.header)
    size = "nsslapd-mdb-max-size: 42949672960"
    caches = _backend("userRoot", SUFFIX, 2147483648) + _browsing_index()
    text = f"{_server(24)}{_database('mdb', size)}{caches}{_indexes('memberOf')}"
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _one_repair(sim: Simulation) -> Client:
    """An administrator adds a service that exists, and repairs the members of one branch."""
    connection = sim.connect("10.165.0.23")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=Directory Manager")
    again = Request(connection, "ADD", sim.about(0.001), service("wiki"))
    again.error = 68
    yield again
    yield 9.0
    yield read(sim, connection, service("wiki"))
    yield 30.0
    task = "cn=memberOf_fixup_2025-04-28,cn=memberof task,cn=tasks,cn=config"
    yield Request(connection, "ADD", sim.about(0.003), task)
    for _ in range(3):
        yield 1.0
        yield read(sim, connection, task)
    sim.close(connection)


CASES: tuple[Case, ...] = (
    Case(
        "sorted_anew_for_each_page",
        "Poor search performance with VLV and Sort controls (2025)",
        "https://github.com/389ds/389-ds-base/issues/6939",
        DS,
        "a console shows 25 of 118,406 accounts sorted by cn, for which there is no VLV index: for "
        "each page the server reads and sorts all of them, 71 s",
        rf"\bVLV\b|virtual list|browsing|\bsort|account-console|posixAccount|{STANDS_OUT}",
        (
            r"account-console|10\.160\.0\.6[1-4]|posixAccount",
            r"\bVLV\b|virtual list|browsing|\bsort",
        ),
        r"vlv ?(index|search|sort)|VLV|browsing index|virtual list|paged|narrower|smaller|"
        r"sort (in|at|by) the (client|console|application)|without (the )?sort",
        write_sorted_list,
        share=0.99,
        accused=(DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "repair_for_every_group",
        "Only allow one fixup task at a time (2022)",
        "https://github.com/389ds/389-ds-base/issues/5413",
        DS,
        "a script starts a memberOf fixup task of everything for each group: the tasks, 27 s "
        "each, queue up, and all changes wait for them",
        rf"fix-?up|member.?of\b|\btasks?\b|{BLOCKS}|{STANDS_OUT}",
        (
            r"fix-?up|\btasks?\b|repair",
            r"member.?of\b|memberships?",
        ),
        r"(stop|remov|delet|cancel|fewer|\bone\b|no more|without|only|not).{0,40}"
        r"(fix-?up|tasks?\b)|(fix-?up|tasks?\b).{0,60}(\bonce\b|\bone\b|single|quiet|night|"
        r"not need|stop|fewer|smaller|narrower|filter)|upgrade|newer version|5413",
        write_repairs,
        share=0.99,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "deaf_while_a_page_is_sent",
        "Look into paged result search locking (2025)",
        "https://github.com/389ds/389-ds-base/issues/6518",
        DS,
        "one host runs two paged searches at once on a connection: while a page cannot be sent, "
        "3 to 15 s, the thread that polls waits for its lock, and no request is read at all",
        r"\bpaged?\b|\bpages\b|silen|\bquiet\b|stood still|standstill|\bstall|\bpaus(e|es|ed)\b|"
        r"nothing (is|was|happen)|no (request|operation|line)|\bgaps?\b|"
        r"listen|poll(s|ing)? thread|nobody|no one",
        (
            r"\bpaged?\b|\bpages\b|pr_idx|simple paged",
            r"10\.188\.4\.7|\bsssd\b|one (connection|host|client)|same connection",
            r"silen|\bquiet\b|stood still|standstill|\bstall|\bpaus(e|es|ed)\b|\bgaps?\b|nothing|"
            r"nobody|no one|no (other )?(request|operation|line)|listen|poll(s|ing)? thread|"
            r"\block(s|ed|ing)?\b|at the same time|concurrent|two paged|in parallel|others wait",
        ),
        r"\bpag(e|ed|ing|es)\b|enumerat|ioblocktimeout|listener|upgrade|newer version|651[89]|"
        r"network|\blink\b|separate connection|connection of its own",
        write_silence,
        share=0.99,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "names_too_long_for_lmdb",
        "lmdb - Cannot create entries with long rdn (2024)",
        "https://github.com/389ds/389-ds-base/issues/6105",
        DS,
        "LMDB takes no key and value above 511 bytes together: services whose RDN has more than "
        "about 250 bytes cannot be added (err=1, MDB_BAD_VALSIZE)",
        rf"BAD_VALSIZE|\blmdb\b|\bmdb\b|30781|\bADDs?\b|\badd(s|ed|ing)?\b|\bRDNs?\b|"
        rf"long (name|DN)|too long|{REFUSED}",
        (
            r"\bADDs?\b|\badd(s|ed|ing)?\b|creat|new (entr|service)|krbprincipalname",
            r"BAD_VALSIZE|\blmdb\b|\bmdb\b|30781",
            r"too (long|large|big)|(?<!no )\blong(er)? (\w+ )?(names?|RDNs?|DNs?|keys?|values?|"
            r"principals?)|length|(key|name|RDN|value)s? size|exceed|\bbytes|characters",
        ),
        r"short(er|en)|\b(to|use|with) (bdb|berkeley)|upgrade|newer version|6105|fixed in",
        write_long_names,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH, r"mdb-max-size|map is full"),
    ),
    Case(
        "creeps_after_a_failure",
        "After a failed online import the next imports are very slow (2020)",
        "https://github.com/389ds/389-ds-base/issues/4432",
        DS,
        "an import failed for a mistyped file name and left the back end's caches with size zero: "
        "the next one reads 3 entries/s instead of 900, and students stay offline until a restart",
        r"import|offline",
        (
            r"import",
            r"fail|abort|could not open|no such file|studnets|mistyped|wrong (file )?name",
            r"entries ?(/|per|a) ?s|/sec|per second|\brates?\b|slow|creep|\bcach|hit ratio",
        ),
        r"restart|ldif2db|off-?line import|import.{0,30}(server|it) (is )?stopped|upgrade|"
        r"newer version|4432",
        write_creeping_import,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_migration",
        "lists by pages with an index, one small repair, a service added twice, people at nine",
        DS,
        write_healthy_migration,
    ),
)
