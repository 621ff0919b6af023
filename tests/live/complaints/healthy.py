"""Windows of healthy servers, in which nothing may be found: OpenLDAP and OpenDJ, ten loads each.

    python -m tests.live.complaints.healthy openldap|opendj [--windows 20] [--seconds 20]

prints what was said of each window: findings of more than "worth knowing", and advice. Root only.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import ldap3
import pytest

from tests.field.scoring import alarms, said_of
from tests.live.complaints import opendj, openldap
from tests.live.complaints.__main__ import running
from tests.live.complaints.complaint import Server, linked, together
from tests.live.lab.opendj import ADMIN, OpenDj
from tests.live.lab.steps import capture_while, connected
from tests.live.lab.users import SUFFIX

Load = Callable[["People", threading.Event], None]
SERVERS = {"openldap": openldap.made, "opendj": opendj.made}


class People:
    """The people of a server, and how an application asks for them as it should."""

    def __init__(self, server: Server, seed: int) -> None:
        self.server = server
        self.is_opendj = isinstance(server, OpenDj)
        self.chance = random.Random(seed)
        self.address = f"127.0.0.{20 + seed % 60}"

    @property
    def uid(self) -> str:
        number = self.chance.randrange(60 if not self.is_opendj else 500)
        return f"user.{number}" if self.is_opendj else f"user{number:06d}"

    def dn(self, uid: str) -> str:
        return f"uid={uid},ou={'People' if self.is_opendj else 'people'},{SUFFIX}"

    @property
    def password(self) -> str:
        return "password" if self.is_opendj else openldap.SECRET

    def link(self, dn: str | None = None, password: str = "") -> ldap3.Connection:
        return linked(self.server, dn, password, address=self.address)

    def program(self) -> ldap3.Connection:
        """An application's own connection, which may change people."""
        root = ADMIN if self.is_opendj else f"cn=admin,{SUFFIX}"
        return self.link(root, self.server.password)

    def find(self, link: ldap3.Connection) -> None:
        link.search(SUFFIX, f"(uid={self.uid})", attributes=["cn", "mail"])

    def rest(self, over: threading.Event, mean_s: float) -> None:
        """A pause as people make them: no two are alike."""
        over.wait(self.chance.expovariate(1 / mean_s))


def lookups(people: People, over: threading.Event, mean_s: float = 0.05) -> None:
    """Indexed searches on one connection."""
    link = people.link()
    while not over.is_set():
        people.find(link)
        people.rest(over, mean_s)
    link.unbind()


def logins(people: People, over: threading.Event, mean_s: float = 0.15) -> None:
    """A pooled connection that finds people and one that binds as each of them."""
    search, login = people.link(), people.link()
    while not over.is_set():
        uid = people.uid
        search.search(SUFFIX, f"(uid={uid})", attributes=["1.1"])
        login.rebind(people.dn(uid), people.password)
        people.rest(over, mean_s)
    search.unbind()
    login.unbind()


def changes(people: People, over: threading.Event, mean_s: float = 0.5) -> None:
    """Now and then a change of somebody's description."""
    link = people.program()
    while not over.is_set():
        text = [(ldap3.MODIFY_REPLACE, [f"seen {time.time_ns()}"])]
        link.modify(people.dn(people.uid), {"description": text})
        people.rest(over, mean_s)
    link.unbind()


def compares(people: People, over: threading.Event) -> None:
    link = people.link()
    while not over.is_set():
        link.compare(people.dn(people.uid), "objectClass", "person")
        people.rest(over, 0.1)
    link.unbind()


def reads(people: People, over: threading.Event) -> None:
    """Entries by their names, with the attributes that a page shows."""
    link = people.link()
    while not over.is_set():
        dn = people.dn(people.uid)
        link.search(dn, "(objectClass=*)", ldap3.BASE, attributes=["cn", "sn", "mail"])
        people.rest(over, 0.1)
    link.unbind()


LOADS: dict[str, tuple[Load, ...]] = {
    "look-ups on four connections": (lookups,) * 4,
    "many look-ups": (partial(lookups, mean_s=0.005),) * 2,
    "logins of a pool": (logins,) * 3,
    "many logins": (partial(logins, mean_s=0.05),) * 2,
    "mixed": (lookups, logins, changes, reads),
    "light writing": (lookups, changes, changes),
    "entries by name": (reads,) * 3,
    "compares": (compares, compares, lookups),
    "all of it": (lookups, logins, changes, compares, reads),
    "hardly anything": (partial(lookups, mean_s=0.5), partial(changes, mean_s=3.0)),
}


def say(name: str, server: Server, folder: Path, number: int, seconds: float) -> list[str]:
    """What is said of one window with a load."""
    session, over = folder / f"healthy-{number}.ldapwb", threading.Event()
    applications = [
        partial(load, People(server, 10 * number + place), over)
        for place, load in enumerate(LOADS[name])
    ]
    ends = threading.Timer(seconds, over.set)
    with pytest.MonkeyPatch.context() as environment, connected(server, environment) as target:

        def work() -> None:
            ends.start()
            together(*applications)

        capture_while(work, target, session, seconds)
    return alarms(said_of(session))


def main() -> None:
    """Capture the windows one after the other, and print what is said of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", choices=SERVERS)
    parser.add_argument("--windows", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20.0)
    chosen = parser.parse_args()
    silent, names = 0, list(LOADS)
    with running(SERVERS[chosen.server]) as server, tempfile.TemporaryDirectory() as room:
        time.sleep(60)  # a server that has only just started is said to be one
        for number in range(chosen.windows):
            name = names[number % len(names)]
            said = say(name, server, Path(room), number, chosen.seconds)
            silent += not said
            print(f"| {number + 1} | {name} | {'; '.join(said) or 'silent'} |", flush=True)
    print(f"{silent} of {chosen.windows} windows of {chosen.server} silent.")


if __name__ == "__main__":
    main()
