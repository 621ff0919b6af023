"""Ten more complaints, from trackers of both servers and of programs that use them.

Set-ups and expectations were committed before the first of them ran (docs/benchmarks.md).
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import ldap3
from ldap3.core.exceptions import LDAPException

from tests.field.case import NEW_CONNECTIONS, OPENDJ, OPENLDAP, STANDS_OUT, UNINDEXED
from tests.live.complaints.complaint import CULPRIT, Complaint, Server, Stage, linked, together
from tests.live.complaints.openldap import DATABASE, PROGRAM, SECRET, copy_of, setting
from tests.live.lab.opendj import ADMIN
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.users import SUFFIX

SORTED = "1.2.840.113556.1.4.473"
BY_SURNAME = b"\x30\x06\x30\x04\x04\x02sn"
"""SortKeyList of RFC 2891: sn, in its own order."""
IN_CLIENT = CULPRIT.replace(".", r"\.")


@contextmanager
def kept_open(server: Server, _: Path) -> Iterator[Stage]:
    """A program opens a connection for each look-up and closes none of them."""
    with ExitStack() as open_links:

        def work() -> None:
            for n in range(120):
                link = linked(server, PROGRAM, SECRET)
                open_links.callback(link.unbind)
                link.search(SUFFIX, f"(uid=user{n:06d})", attributes=["cn", "mail"])
                time.sleep(0.03)

        yield Stage(server, work, 8)


@contextmanager
def idle_closed(server: Server, _: Path) -> Iterator[Stage]:
    """slapd closes idle connections after 4 s; the client expects them to live."""

    def ask_now_and_then() -> None:
        link = linked(server, PROGRAM, SECRET)
        for n in range(4):
            try:
                link.search(SUFFIX, f"(uid=user{n:06d})", attributes=["cn"])
            except (LDAPException, OSError):
                link = linked(server, PROGRAM, SECRET)
            time.sleep(6)

    with setting(server, "cn=config", olcIdleTimeout="4"):
        yield Stage(server, lambda: together(*[ask_now_and_then] * 6), 25)


@contextmanager
def substring_page(server: Server, _: Path) -> Iterator[Stage]:
    """A page of users looks for a part of names and addresses."""

    def work() -> None:
        link = linked(server)
        for n in range(15):
            part = f"{n:02d}77"
            link.search(
                SUFFIX, f"(|(cn=*{part}*)(sn=*{part}*)(mail=*{part}*))", attributes=["cn", "mail"]
            )
        link.unbind()

    yield Stage(server, lambda: together(work, work), 10)


@contextmanager
def enumeration(server: Server, _: Path) -> Iterator[Stage]:
    """A client that enumerates: it reads all people every few seconds, in pages."""

    def work() -> None:
        for _ in range(4):
            link = linked(server, PROGRAM, SECRET)
            pages = link.extend.standard.paged_search(
                SUFFIX,
                "(&(objectClass=inetOrgPerson)(uid=*))",
                attributes=["uid", "cn", "mail"],
                paged_size=1000,
            )
            assert sum(1 for _ in pages) >= 20_000
            link.unbind()
            time.sleep(1)

    yield Stage(server, work, 20)


@contextmanager
def size_limit(server: Server, _: Path) -> Iterator[Stage]:
    """An application reads all users without paging, and gets the first 500 each time."""

    def work() -> None:
        link = linked(server)
        for _ in range(25):
            link.search(SUFFIX, "(objectClass=inetOrgPerson)", attributes=["uid"])
            assert link.result["result"] == 4, link.result
            time.sleep(0.1)
        link.unbind()

    yield Stage(server, work, 10)


@contextmanager
def consumer_refused(server: Server, _: Path) -> Iterator[Stage]:
    """A consumer has an old password, and tries again every second; seen at its provider."""
    assert isinstance(server, OpenLdap)
    consumer = copy_of(server)
    consumer.start()
    asks = (
        f"rid=001 provider=ldap://127.0.0.1:{server.port}/ bindmethod=simple "
        f'binddn="{PROGRAM}" credentials=old searchbase="{SUFFIX}" type=refreshAndPersist '
        'retry="1 +" schemachecking=off'
    )
    link = consumer.link()
    assert link.modify(DATABASE, {"olcSyncrepl": [(ldap3.MODIFY_ADD, [asks])]}), link.result
    link.unbind()
    try:
        yield Stage(server, lambda: time.sleep(14), 15)
    finally:
        consumer.stop()


@contextmanager
def is_member_of(server: Server, _: Path) -> Iterator[Stage]:
    """People of a group by isMemberOf, which the server computes."""
    group = f"cn=admingrp,{SUFFIX}"
    root = server.link(ADMIN)
    members = [f"uid=user.{n},ou=People,{SUFFIX}" for n in range(35)]
    root.add(group, ["groupOfNames"], {"member": members})
    root.unbind()

    def work() -> None:
        link = linked(server, ADMIN, server.password)
        for _ in range(8):
            link.search(SUFFIX, f"(&(objectClass=person)(isMemberOf={group}))", attributes=["cn"])
        link.unbind()

    yield Stage(server, lambda: together(work, work), 15)


@contextmanager
def connects_only(server: Server, _: Path) -> Iterator[Stage]:
    """Somebody connects and closes all the time, and asks nothing."""

    def work() -> None:
        for _ in range(400):
            address = ("127.0.0.1", server.port)
            socket.create_connection(address, 5, source_address=(CULPRIT, 0)).close()
            time.sleep(0.01)

    yield Stage(server, work, 8)


@contextmanager
def reapers(server: Server, _: Path) -> Iterator[Stage]:
    """Three instances look for expired tokens every half second, and delete the same ones."""
    people = f"ou=People,{SUFFIX}"
    root = server.link(ADMIN)
    for n in range(30):
        kinds = ["inetOrgPerson"]
        token = {"cn": f"token {n}", "sn": "token", "carLicense": "expired"}
        root.add(f"uid=token{n},{people}", kinds, token)
    root.unbind()
    over = threading.Event()

    def reap() -> None:
        link = linked(server, ADMIN, server.password)
        for _ in range(14):
            now = datetime.now(UTC).strftime("%Y%m%d%H%M%SZ")
            expired = f"(&(carLicense=expired)(modifyTimestamp<={now}))"
            link.search(people, expired, attributes=["1.1"], size_limit=10)
            for entry in link.response or ():
                if "dn" in entry:
                    link.delete(entry["dn"])
            over.wait(0.5)
        link.unbind()

    yield Stage(server, lambda: together(reap, reap, reap), 15)


@contextmanager
def sorted_lists(server: Server, _: Path) -> Iterator[Stage]:
    """An address book asks for sorted lists, and no VLV index is there."""

    def work() -> None:
        link = linked(server, ADMIN, server.password)
        for _ in range(12):
            link.search(
                SUFFIX,
                "(|(sn=A*)(sn=B*)(sn=C*))",
                attributes=["sn", "cn"],
                controls=[(SORTED, False, BY_SURNAME)],
            )
        link.unbind()

    yield Stage(server, lambda: together(work, work), 12)


ON_OPENLDAP = (
    Complaint(
        "kept_open", "A new connection for each request, which stays open",
        "keycloak/keycloak#38660", OPENLDAP,
        "a client opens a connection for each look-up and closes none",
        rf"{NEW_CONNECTIONS}|not closed|stay open|left open", (IN_CLIENT,),
        r"pool|keep (its|the|their) connection|close (its|the|their)|olcIdleTimeout",
        stage=kept_open,
    ),
    Complaint(
        "idle_closed", "ldap_result() failed: Can't contact LDAP server", "debops/debops#1458",
        OPENLDAP, "olcIdleTimeout closes connections that a client expects to use again",
        r"\bidle", (IN_CLIENT,), r"olcIdleTimeout|idle_timelimit|idle time", stage=idle_closed,
    ),
    Complaint(
        "substring_page", "The page of users loads slowly or hangs", "owncloud/core#13151",
        OPENLDAP, "a search for parts of cn, sn and mail without a substring index", UNINDEXED,
        (r"\bmail\b", IN_CLIENT), r"olcDbIndex[^\n]*\bsub\b", stage=substring_page,
    ),
    Complaint(
        "enumeration", "enumerate = True, and the server is busy", "SSSD/sssd#7977", OPENLDAP,
        "a client reads all people every few seconds",
        rf"{STANDS_OUT}|poll|again and again|repeat|every \d|whole|everything|all entries",
        (IN_CLIENT, r"uid=\*|inetOrgPerson"),
        r"enumerat|less often|what (has )?changed|cache|modifyTimestamp", stage=enumeration,
    ),
    Complaint(
        "size_limit", "Partial search results returned: Sizelimit exceeded",
        "nextcloud/server#2947", OPENLDAP, "olcSizeLimit cuts what an application reads",
        r"size ?limit|cut (short|off)|err=4\b", (IN_CLIENT,),
        r"paged|in pages|olcLimits|olcSizeLimit", stage=size_limit,
    ),
    Complaint(
        "consumer_refused", "slap_client_connect: ldap_sasl_bind_s failed (49)",
        "osixia/container-openldap#316", OPENLDAP,
        "a consumer binds with an old password every second; seen at its provider",
        r"wrong password|fail|err=49|invalid credentials", ("cn=program",),
        r"password|credentials", stage=consumer_refused,
    ),
)  # fmt: skip

ON_OPENDJ = (
    Complaint(
        "is_member_of", "Using isMemberOf in a search takes long",
        "OpenIdentityPlatform/OpenDJ#525", OPENDJ,
        "a filter on isMemberOf, which the server computes for each entry",
        rf"comput|virtual|{UNINDEXED}", ("isMemberOf", IN_CLIENT),
        r"read the group|members? of the group|search (for )?the group|attribute member|\bmember=",
        stage=is_member_of,
    ),
    Complaint(
        "connects_only", "Connections are opened and closed constantly",
        "OpenIdentityPlatform/OpenDJ#78", OPENDJ, "a client connects and closes, and asks nothing",
        r"without (a|any) (request|operation)|no (request|operation)s?|ask(s|ed)? nothing|"
        r"health check|probe|nothing (was |is )?asked", (IN_CLIENT,),
        r"health check|probe|load balancer|keep (its|the|their) ?connection|less often",
        stage=connects_only,
    ),
    Complaint(
        "reapers", "Reapers compete for the same expired tokens", "WrenSecurity/wrends#92", OPENDJ,
        "three instances search for expired tokens without an index, and delete the same ones",
        UNINDEXED, (r"carLicense|modifyTimestamp", IN_CLIENT), r"create-backend-index",
        stage=reapers,
    ),
    Complaint(
        "sorted_lists", "A list of users without a VLV index", "GluuFederation/oxTrust#394", OPENDJ,
        "the server sorts some thousand entries for each list", r"\bsort", (IN_CLIENT,),
        r"\bvlv|sorts? (it|them)sel|sort in the client|not ask for sort", stage=sorted_lists,
    ),
)  # fmt: skip
