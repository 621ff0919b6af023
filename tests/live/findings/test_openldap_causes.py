"""Causes set up on a real slapd: its log, configuration and process show each.

LDAP_WORKBENCH_LARGE=1 adds those that need a large database; some minutes.
"""

from __future__ import annotations

import os
import re
import resource
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import ldap3
import pytest
from ldap3.operation.search import search_operation
from ldap3.protocol.rfc4511 import LDAPMessage, MessageID, ProtocolOp
from pyasn1.codec.ber.encoder import encode

from ldap_workbench.advice.evidence.wording import limits
from ldap_workbench.advice.families.pressure import FILES, OWN
from ldap_workbench.model.finding import Finding
from tests.live.lab.host import LOCAL, chosen
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.steps import connected, large, seen
from tests.live.lab.users import SUFFIX
from tests.unit.capture.test_host_state import ticks
from tests.unit.cases.published import tell_files

GROUPS = f"ou=groups,{SUFFIX}"
DYNLIST = "olcOverlay={4}dynlist,olcDatabase={1}mdb,cn=config"
DATABASE = "olcDatabase={1}mdb,cn=config"
MANY_FILES = 16_384
REFUSED = "errno=24|fd=1023 DENIED"
"""Without a descriptor; with the last one hosts.allow cannot be opened, and all are denied."""
NOBODY = "127.91.0.1"
"""An address of this host on which nothing answers."""
ENTRIES = 60_000
"""With two pages of LMDB each; every second one is deleted."""
SPAN = 66_000
"""Entries of one value: more than the 65,536 of an index key."""

pytestmark = pytest.mark.skipif(chosen("openldap") != LOCAL, reason="for the slapd of this host")


@pytest.fixture(scope="module")
def own() -> Iterator[OpenLdap]:
    """One of this module's own: its log and its overlays are looked at."""
    server = OpenLdap(users=200, overlays=True)
    try:
        yield server.start()
    finally:
        server.stop()


def told(server: OpenLdap, log: str, where: Path) -> dict[str, Finding]:
    """What is said of a part of its log beside its configuration."""
    config = server.ldif_of_config().replace("\ndn: ", "\n\ndn: ")
    return tell_files({"slapd.log": log, "slapcat.ldif": config}, where).findings


def written(server: OpenLdap, start: int, searches: int, words: str = "") -> str:
    """Its log from a byte on, once it holds the results of so many searches, and some words."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        text = server.log.read_bytes()[start:].decode()
        if text.count("SEARCH RESULT") >= searches and re.search(words, text):
            return text
        time.sleep(0.1)
    pytest.fail(f"no {searches} results, or no {words!r}, in:\n{text}")


def of_database(server: OpenLdap) -> ldap3.Connection:
    """A link that may write entries."""
    return server.link(f"cn=admin,{SUFFIX}")


@contextmanager
def open_files(files: int) -> Iterator[None]:
    """So many files may be open, of this process and of those that it starts."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def restarted(server: OpenLdap, files: int) -> dict[str, float]:
    """What its process has in memory when it is started with so many descriptors."""
    subprocess.run([server.control, "stop"], check=True)
    with open_files(files):
        server.start()
    return ticks(server.folder / "ds" / "run" / "slapd.pid", "-", "0.1", "-", count=1)


@pytest.mark.skipif(
    resource.getrlimit(resource.RLIMIT_NOFILE)[1] < MANY_FILES,
    reason="the limit of open files cannot be raised here",
)
def test_the_memory_that_slapd_takes_for_each_file_it_may_open(own: OpenLdap) -> None:
    few, many = restarted(own, 1024), restarted(own, MANY_FILES)
    assert (few[FILES], many[FILES]) == (1024, MANY_FILES)
    each = (many[OWN] - few[OWN]) / (many[FILES] - few[FILES])
    assert each == pytest.approx(limits("descriptor_memory")["bytes_each"], rel=0.25)


@pytest.mark.skipif(
    resource.getrlimit(resource.RLIMIT_NOFILE)[1] < MANY_FILES,
    reason="the limit of open files cannot be raised here",
)
def test_who_holds_the_descriptors_when_none_is_left(own: OpenLdap, tmp_path: Path) -> None:
    """slapd may open 1,024 files; one program never closes a connection."""
    restarted(own, 1024)
    start = own.log.stat().st_size
    link = own.client()
    with open_files(MANY_FILES), ExitStack() as leaked:
        for _ in range(1040):
            leaked.enter_context(socket.create_connection(("127.0.0.1", own.port), 5))
        for n in range(5):
            search_for(link, n, ldap3.DEREF_NEVER)
        link.unbind()
        # It may serve the first connection before it comes to those that find no descriptor.
        log = written(own, start, searches=5, words=REFUSED)
    # Who asks for the configuration needs a descriptor.
    seen = told(own, log, tmp_path)
    assert len(re.findall(REFUSED, log)) == seen["refused"].numbers["lines"] > 0
    assert "clients_denied" not in seen
    assert 900 < seen["refused"].numbers["open_connections"]["127.0.0.1"] < 1024


def test_whose_connections_a_limit_of_slapd_ends(own: OpenLdap, tmp_path: Path) -> None:
    """After a second: ten that ask for nothing, and one that reads none of its answers."""
    limit(own, "1")
    start = own.log.stat().st_size
    try:
        with ExitStack() as connections:
            for _ in range(10):
                connections.enter_context(socket.create_connection(("127.0.0.1", own.port), 5))
            deaf = connections.enter_context(socket.socket())
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            deaf.connect(("127.0.0.1", own.port))
            deaf.setblocking(False)
            # Of more than a hundred that wait slapd would close the connection.
            deaf.send(b"".join(map(search_for_all, range(1, 90))))
            written(own, start, searches=1, words=r"closed \(writetimeout\)")
            ends = r"(?s)(?:closed \(idletimeout\).*){10}"
            log = written(own, start, searches=1, words=ends)
    finally:
        limit(own, "0")
    seen = told(own, log, tmp_path)
    assert seen["closed_idle"].numbers["addresses"] == {"127.0.0.1": 10}
    assert seen["closed_unread"].numbers["addresses"] == {"127.0.0.1": 1}


def limit(server: OpenLdap, seconds: str) -> None:
    """How long a connection may be idle, and an answer unread; "0" for as long as it likes."""
    changes = {
        name: [(ldap3.MODIFY_REPLACE, [seconds])] for name in ("olcIdleTimeout", "olcWriteTimeout")
    }
    config = server.link()
    assert config.modify("cn=config", changes), config.result
    config.unbind()


def search_for_all(number: int) -> bytes:
    """A search for all entries as it is sent: a library would read what comes back."""
    message = LDAPMessage()
    message["messageID"] = MessageID(number)
    what = (SUFFIX, "(objectClass=*)", ldap3.SUBTREE, ldap3.DEREF_NEVER, ["*"])
    request = search_operation(*what, 0, 0, False, False, False)
    message["protocolOp"] = ProtocolOp().setComponentByName("searchRequest", request)
    return bytes(encode(message))


@pytest.mark.clock("the finding is one of measured times")
def test_what_dynlist_costs_each_search(own: OpenLdap, tmp_path: Path) -> None:
    """Of 2.5.13: before each search it looks up all dynamic groups."""
    config = own.link()
    value = "groupOfURLs memberURL member+memberOf@groupOfNames"
    assert config.modify(DYNLIST, {"olcDynListAttrSet": [(ldap3.MODIFY_REPLACE, [value])]})
    root = of_database(own)
    for n in range(400):
        url = f"ldap:///ou=people,{SUFFIX}??sub?(uid=user0000{n % 10}*)"
        assert root.add(f"cn=dynamic{n},{GROUPS}", "groupOfURLs", {"memberURL": url}), root.result
    root.unbind()
    start = own.log.stat().st_size
    for n in range(30):
        link = own.client()
        link.search(SUFFIX, f"(uid=user{n:06d})", ldap3.SUBTREE, attributes=["cn"])
        link.unbind()
    found = told(own, written(own, start, searches=30), tmp_path)
    assert found["dynlist_cost"].numbers["searches"] == 30
    config.modify(DYNLIST, {"olcDynListAttrSet": [(ldap3.MODIFY_DELETE, [])]})
    config.unbind()


def test_aliases_that_are_followed(tmp_path: Path) -> None:
    """Searches of the same people: those that follow aliases look at all of them each time."""
    with server_with(aliases(3000), tmp_path) as server, server.client() as link:
        start = server.log.stat().st_size
        for n in range(20):
            search_for(link, n, ldap3.DEREF_NEVER)
        quiet = told(server, written(server, start, searches=20), tmp_path / "quiet")
        for n in range(40):
            search_for(link, n // 2, ldap3.DEREF_ALWAYS if n % 2 else ldap3.DEREF_NEVER)
        # 61 results: the configuration was read for the first part.
        found = told(server, written(server, start, searches=61), tmp_path / "following")
    assert "alias_dereferencing" not in quiet
    assert found["alias_dereferencing"].numbers["searches"] == 20
    assert found["alias_dereferencing"].confidence == "high"


def search_for(link: ldap3.Connection, person: int, aliases: str) -> None:
    asked = f"(uid=user{person:06d})"
    link.search(SUFFIX, asked, ldap3.SUBTREE, dereference_aliases=aliases, attributes=["cn"])
    assert len(link.entries) == 1


def aliases(count: int) -> str:
    """LDIF of so many, below a unit of their own."""
    unit = f"ou=aliases,{SUFFIX}"
    alias = "dn: uid=alias{},{}\nobjectClass: alias\nobjectClass: extensibleObject\n{}\n\n"
    person = f"aliasedObjectName: uid=user000001,ou=people,{SUFFIX}"
    head = f"dn: {unit}\nobjectClass: organizationalUnit\nou: aliases\n\n"
    return head + "".join(alias.format(n, unit, person) for n in range(count))


@contextmanager
def server_with(ldif: str, folder: Path) -> Iterator[OpenLdap]:
    """One of a test's own, started with further entries."""
    server = OpenLdap(users=200)
    try:
        offline(server, "slapadd", ldif, folder)
        yield server.start()
    finally:
        server.stop()


@pytest.mark.clock("the finding is one of measured times")
def test_every_connection_waits_for_the_dns(tmp_path: Path) -> None:
    """A worker thread asks before ACCEPT is logged: with all of them waiting, others wait too, and
    neither qtime nor etime shows it (2.5.13)."""
    with server_with("", tmp_path) as server:
        config = server.link()
        settings = {"olcReverseLookup": "TRUE", "olcThreads": "2"}
        changes = {name: [(ldap3.MODIFY_REPLACE, [value])] for name, value in settings.items()}
        assert "reverse_lookup" not in told(server, "", tmp_path / "before")
        assert config.modify("cn=config", changes), config.result
        config.unbind()
        with without_dns(server), ThreadPoolExecutor(6) as others, server.client() as link:
            start = server.log.stat().st_size
            clients = [others.submit(connect_once, server) for _ in range(6)]
            longest = 0.0
            while not all(client.done() for client in clients):
                began = time.monotonic()
                search_for(link, 1, ldap3.DEREF_NEVER)
                longest = max(longest, time.monotonic() - began)
            waited = [client.result() for client in clients]
        log = server.log.read_bytes()[start:].decode()
        found = told(server, log, tmp_path / "after")
    assert "reverse_lookup" in found
    assert min(waited) >= 1
    assert longest >= 0.5
    assert max(map(float, re.findall(r"[qe]time=(\d+\.\d+)", log))) < 0.5


def connect_once(server: OpenLdap) -> float:
    """Seconds that a client takes to connect and bind."""
    began = time.monotonic()
    server.client().unbind()
    return time.monotonic() - began


@contextmanager
def without_dns(server: OpenLdap) -> Iterator[None]:
    """slapd started anew where the only name server takes questions and never answers, for 1 s."""
    silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    files = {
        "resolv.conf": f"nameserver {NOBODY}\noptions timeout:1 attempts:1\n",
        "nsswitch.conf": "hosts: dns\npasswd: files\ngroup: files\n",
    }
    for name, text in files.items():
        (server.folder / name).write_text(text)
    mounts = " && ".join(f"mount --bind {server.folder}/{name} /etc/{name}" for name in files)
    subprocess.run([server.control, "stop"], check=True)
    start = f"{mounts} && exec {server.control} start"
    try:
        silent.bind((NOBODY, 53))
        subprocess.run(["unshare", "-m", "sh", "-c", start], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        silent.close()
        pytest.skip(f"no name server of our own here: {error}")
    until = time.monotonic() + 30
    while not (server.alive and listens(server)):
        assert time.monotonic() < until, "slapd does not start"
        time.sleep(0.1)
    yield
    silent.close()


def listens(server: OpenLdap) -> bool:
    with socket.socket() as link:
        return link.connect_ex(("127.0.0.1", server.port)) == 0


@large
@pytest.mark.timeout(3600)
def test_a_key_that_had_too_many_entries_is_a_range(tmp_path: Path) -> None:
    """66,000 entries have a value, all but three lose it: slapd still reads as many."""
    server = OpenLdap(users=10)
    try:
        subprocess.run([server.control, "stop"], check=True)
        server.start()
        config = server.link()
        indexed = {"olcDbIndex": [(ldap3.MODIFY_ADD, ["departmentNumber eq"])],
                   "olcDbNoSync": [(ldap3.MODIFY_REPLACE, ["TRUE"])]}  # fmt: skip
        assert config.modify(DATABASE, indexed), config.result
        load(server, tmp_path)
        start, link = server.log.stat().st_size, server.client()
        for n in range(20):
            for value in ("old", f"d{n}"):
                link.search(SUFFIX, f"(departmentNumber={value})", attributes=["cn"])
                assert len(link.response) == (3 if value == "old" else 1)
        link.unbind()
        with server.log.open("rb") as lines:
            lines.seek(start)
            seen = told(server, lines.read().decode(), tmp_path)["index_range"]
    finally:
        server.stop()
    assert "(departmentNumber=old)" in str(seen.sentence)
    assert seen.confidence == "medium"


@large
@pytest.mark.timeout(600)
def test_a_long_list_of_free_pages(tmp_path: Path) -> None:
    """No two of the free pages are neighbours: a value that needs ten in a row looks through all of
    them, and one that fits into a page takes the first (2.5.13)."""
    server = OpenLdap(users=10)
    people = [f"cn=p{n},ou=people,{SUFFIX}" for n in range(ENTRIES)]
    entry = "dn: {}\nobjectClass: inetOrgPerson\nsn: x\ndescription: " + "x" * 3000 + "\n\n"
    try:
        offline(server, "slapadd", "".join(map(entry.format, people)), tmp_path)
        server.start()
        before = after_writing(server, people[1::2], 40_000, tmp_path / "before.ldapwb")
        delete = "".join(f"dn: {dn}\nchangetype: delete\n\n" for dn in people[::2])
        offline(server, "slapmodify", delete, tmp_path)
        server.start()
        small = after_writing(server, people[1::2], 100, tmp_path / "small.ldapwb")
        found = after_writing(server, people[1::2], 40_000, tmp_path / "after.ldapwb")
    finally:
        server.stop()
    assert "lmdb_free_list" not in before
    assert "lmdb_free_list" not in small
    assert found["lmdb_free_list"].numbers["free"] >= 0.9 * ENTRIES


def after_writing(
    server: OpenLdap, people: list[str], length: int, path: Path
) -> dict[str, Finding]:
    """What a window shows in which some of them get a description of this length."""

    def write() -> None:
        with of_database(server) as link:
            for n, dn in enumerate(people[:40]):
                value = [(ldap3.MODIFY_REPLACE, [f"{n}".zfill(length)])]
                assert link.modify(dn, {"description": value}), link.result

    with pytest.MonkeyPatch.context() as environment, connected(server, environment) as target:
        found, _ = seen(write, target, path, 8)
    return found


def offline(server: OpenLdap, tool: str, ldif: str, folder: Path) -> None:
    """Stop it, and have a tool read this."""
    subprocess.run([server.control, "stop"], check=True)
    (folder / "offline.ldif").write_text(ldif)
    argv = [f"/usr/sbin/{tool}", "-q", "-n", "1", "-F", str(server.folder / "ds/slapd.d")]
    subprocess.run([*argv, "-l", str(folder / "offline.ldif")], check=True)
    give_to_server(server)


def load(server: OpenLdap, folder: Path) -> None:
    """Add the people offline, and take the value away from all but three of them."""
    everyone = [f"cn=p{n},ou=people,{SUFFIX}" for n in range(SPAN)]
    entry = "dn: {}\nobjectClass: inetOrgPerson\nsn: x\ndepartmentNumber: {}\n\n"
    others = "".join(entry.format(f"cn=q{n},ou=people,{SUFFIX}", f"d{n}") for n in range(20))
    change = "dn: {}\nchangetype: modify\nreplace: departmentNumber\ndepartmentNumber: new\n\n"
    offline(server, "slapadd", "".join(entry.format(dn, "old") for dn in everyone) + others, folder)
    offline(server, "slapmodify", "".join(change.format(dn) for dn in everyone[3:]), folder)
    server.start()


def give_to_server(server: OpenLdap) -> None:
    """What slapadd wrote as root."""
    if os.geteuid() == 0:
        owner = ["chown", "-R", f"{server.user}:{server.user}", str(server.folder / "ds/db")]
        subprocess.run(owner, check=True)
