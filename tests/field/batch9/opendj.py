"""The ninth ten, OpenDJ: groups that are computed, changes that wait, and a healthy morning."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch6 import SUFFIX
from tests.field.dialects import LogOpenDJ, LogOpenDJJson
from tests.field.simulation import Client, Request, Simulation, Waited, utc
from tests.field.traffic import (
    HANDSHAKE_S,
    PEOPLE,
    binding,
    changes,
    monitoring,
    office,
    person,
    search,
    user,
)

# ---- a virtual attribute ---------------------------------------------------------------------

_VIRTUAL = f"""dn: ds-cfg-backend-id=userRoot,cn=Backends,cn=config
objectClass: top
objectClass: ds-cfg-backend
objectClass: ds-cfg-pluggable-backend
objectClass: ds-cfg-je-backend
ds-cfg-backend-id: userRoot
ds-cfg-enabled: true
ds-cfg-java-class: org.opends.server.backends.jeb.JEBackend
ds-cfg-base-dn: {SUFFIX}
ds-cfg-db-directory: db
ds-cfg-db-cache-percent: 50
ds-cfg-index-entry-limit: 4000
ds-cfg-writability-mode: enabled

dn: ds-cfg-attribute=uid,cn=Index,ds-cfg-backend-id=userRoot,cn=Backends,cn=config
objectClass: top
objectClass: ds-cfg-backend-index
ds-cfg-attribute: uid
ds-cfg-index-type: equality

dn: ds-cfg-attribute=mail,cn=Index,ds-cfg-backend-id=userRoot,cn=Backends,cn=config
objectClass: top
objectClass: ds-cfg-backend-index
ds-cfg-attribute: mail
ds-cfg-index-type: equality

dn: ds-cfg-attribute=member,cn=Index,ds-cfg-backend-id=userRoot,cn=Backends,cn=config
objectClass: top
objectClass: ds-cfg-backend-index
ds-cfg-attribute: member
ds-cfg-index-type: equality

dn: cn=isMemberOf,cn=Virtual Attributes,cn=config
objectClass: top
objectClass: ds-cfg-virtual-attribute
objectClass: ds-cfg-is-member-of-virtual-attribute
cn: isMemberOf
ds-cfg-java-class: org.opends.server.extensions.IsMemberOfVirtualAttributeProvider
ds-cfg-enabled: true
ds-cfg-attribute-type: isMemberOf
ds-cfg-filter: (objectClass=person)
ds-cfg-conflict-behavior: virtual-overrides-real

"""


def write_virtual_groups(folder: Path) -> Waited:
    """The members of two groups are looked for by an attribute that only exists when computed."""
    log = LogOpenDJ("10.99.0.2")
    sim = Simulation(log, utc(2025, 7, 3, 8, 0), 3600, workers=24, seed=653, first_connection=700)
    office(sim, network="10.99.0", pace=0.9)
    reader = f"cn=monitor,ou=services,{SUFFIX}"
    sim.start(3, monitoring(sim, "10.99.0.9", reader, every=15, base="cn=monitor"))
    sim.start(75, _administrators(sim))
    sim.run()
    log.write(folder / "access")
    (folder / "config.ldif").write_text(_VIRTUAL, "utf-8")
    return sim.waited


def _administrators(sim: Simulation) -> Client:
    """A portal wants to know who may administer it, and gets 35 of 120,000 people."""
    apps = f"ou=synergy,ou=apps,{SUFFIX}"
    either = f"(|(isMemberOf=cn=admingrp,{apps})(isMemberOf=cn=servicegrp,{apps}))"
    while True:
        connection = sim.connect("10.99.0.44")
        yield HANDSHAKE_S
        yield binding(sim, connection, f"cn=synergy,ou=services,{SUFFIX}")
        query = f"(&(objectClass=person){either})"
        asked = Request(connection, "SRCH", sim.about(430, 0.06), PEOPLE, 2, query, "cn")
        asked.entries, asked.notes, asked.culprit = 35, "unindexed", True
        yield asked
        sim.close(connection)
        yield sim.random.uniform(90, 150)


# ---- changes that wait for another server ----------------------------------------------------


_PROVIDER = "cn=Multimaster Synchronization,cn=Synchronization Providers,cn=config"
_ASSURED = f"""dn: cn=example,cn=domains,{_PROVIDER}
objectClass: top
objectClass: ds-cfg-replication-domain
cn: example
ds-cfg-base-dn: {SUFFIX}
ds-cfg-server-id: 11
ds-cfg-replication-server: dj1.example.com:8989
ds-cfg-replication-server: dj2.dc2.example.com:8989
ds-cfg-assured-type: safe-read
ds-cfg-assured-timeout: 2000 ms

dn: cn=replication server,{_PROVIDER}
objectClass: top
objectClass: ds-cfg-replication-server
cn: replication server
ds-cfg-replication-port: 8989
ds-cfg-replication-server-id: 21
ds-cfg-replication-server: dj1.example.com:8989
ds-cfg-replication-server: dj2.dc2.example.com:8989
ds-cfg-assured-timeout: 5000 ms

"""


class _Assured(Simulation):
    """From some moment on the other server is behind: it never acknowledges a change in time."""

    behind_s = 380.0

    def _serve(self, request: Request, client: Client) -> None:
        if request.kind in ("MOD", "ADD") and self.now - self.begin >= self.behind_s:
            request.took += 2.0 + self.random.uniform(0.0002, 0.0028)
            request.culprit = True
        super()._serve(request, client)


def write_assured_replication(folder: Path) -> Waited:
    """All changes wait two seconds for another server to acknowledge them, which it does not."""
    log = LogOpenDJJson("10.107.0.2")
    sim = _Assured(log, utc(2026, 2, 11, 10, 0), 1500, workers=24, seed=654, first_connection=90)
    office(sim, network="10.107.0", pace=1.5)
    desk = f"cn=helpdesk,ou=services,{SUFFIX}"
    sim.start(3, changes(sim, "10.107.0.17", desk, every=2.5))
    sim.start(640, _new_staff(sim))
    sim.run()
    log.write(folder / "ldap-access.audit.json")
    (folder / "config.ldif").write_text(_ASSURED, "utf-8")
    return sim.waited


def _new_staff(sim: Simulation) -> Client:
    """The people who begin this month."""
    connection = sim.connect("10.107.0.16")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=hr-import,ou=services,{SUFFIX}")
    for number in range(4000, 4090):
        yield Request(connection, "ADD", sim.about(0.008), person(number))
        yield sim.about(0.3)
    sim.close(connection)


# ---- healthy ---------------------------------------------------------------------------------


def write_after_the_cut(folder: Path) -> Waited:
    """After a power cut 60 hosts come back; a backup, leavers, and a curious administrator."""
    log = LogOpenDJ("10.108.0.2")
    sim = Simulation(log, utc(2025, 3, 17, 7, 0), 1500, workers=24, seed=655, first_connection=3100)
    office(sim, network="10.108.0", pace=0.9)
    reader = f"cn=monitor,ou=services,{SUFFIX}"
    sim.start(5, monitoring(sim, "10.108.0.9", reader, every=30, base="cn=monitor"))
    for number in range(60):
        sim.start(300 + sim.random.uniform(0, 40), _returning(sim, f"10.108.1.{20 + number}"))
    sim.start(520, _backup(sim))
    sim.start(760, _leavers(sim))
    sim.start(1010, _curious(sim))
    for number in range(5):
        sim.start(420 + 170 * number, _forgotten(sim, f"10.108.1.{24 + 9 * number}"))
    sim.run()
    log.write(folder / "access")
    return sim.waited


def _returning(sim: Simulation, address: str) -> Client:
    """A host binds, asks for three of its accounts, and stays."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=hosts,ou=services,{SUFFIX}")
    for _ in range(3):
        yield search(sim, connection, PEOPLE, f"(uid={user(sim.random.randrange(4000))})", 0.0008)
        yield sim.about(0.2)
    while True:
        yield sim.random.expovariate(1 / 240)
        yield search(sim, connection, PEOPLE, f"(uid={user(sim.random.randrange(4000))})", 0.0008)


def _backup(sim: Simulation) -> Client:
    """A tool asks for a backup and looks now and then whether it is done."""
    connection = sim.connect("127.0.0.1", "administration")
    task = "ds-task-id=20250317070840123,cn=Scheduled Tasks,cn=Tasks"
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=Directory Manager", 0.004)
    yield Request(connection, "ADD", 0.021, task)
    for _ in range(24):
        yield 2.0
        yield Request(connection, "SRCH", sim.about(0.001), task, 0, "(objectClass=*)", entries=1)
    sim.close(connection)


def _leavers(sim: Simulation) -> Client:
    """Some people have left; one of the new ones is there already."""
    connection = sim.connect("10.108.0.16")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=hr,ou=services,{SUFFIX}")
    for number in range(3100, 3126):
        yield Request(connection, "DEL", sim.about(0.007), person(number))
        yield sim.about(0.9)
    again = Request(connection, "ADD", sim.about(0.002), person(3200))
    again.error = 68
    yield again
    sim.close(connection)


def _curious(sim: Simulation) -> Client:
    """An administrator looks around, and once for a word that has no index."""
    connection = sim.connect("10.108.0.40")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=Directory Manager")
    for number in (7, 1290, 44):
        yield Request(connection, "SRCH", 0.001, person(number), 0, "(objectClass=*)", entries=1)
        yield sim.random.uniform(6, 15)
    words = Request(connection, "SRCH", 0.9, SUFFIX, 2, "(description=*projector*)", "cn")
    words.entries, words.notes = 3, "unindexed"
    yield words
    yield 30.0
    sim.close(connection)


def _forgotten(sim: Simulation, address: str) -> Client:
    """A password that is wrong once and then right."""
    number = sim.random.randrange(4000)
    for error in (49, 0):
        connection = sim.connect(address)
        yield HANDSHAKE_S
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0008)
        bind = binding(sim, connection, person(number), 0.0025)
        bind.error = error
        yield bind
        sim.close(connection)
        yield sim.random.uniform(7, 14)
