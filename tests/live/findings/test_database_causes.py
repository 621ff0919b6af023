"""What a database does to its clients, set up on a real 389 DS with Berkeley DB.

LDAP_WORKBENCH_LARGE=1 adds one that writes 100 MB, and one that needs a disk of its own.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from string import ascii_lowercase

import ldap3
import pytest

from ldap_workbench.model.finding import Finding
from ldap_workbench.servers.target import Target
from tests.live.findings.test_advice import BDB, PEOPLE
from tests.live.lab.ds389 import Lab
from tests.live.lab.host import LOCAL, chosen
from tests.live.lab.slow_disk import slow_disk
from tests.live.lab.steps import connected, large, load, modify, seen

LDBM = "cn=config,cn=ldbm database,cn=plugins,cn=config"
INDEX = "cn={},cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
CHARACTERS = range(0x4E00, 0x9FA0)
"""So many that a random text hardly repeats three of them, each a key of a substring index."""
GIVEN_UP = "Retry count exceeded in modify"
COMPACTED = "Compacting databases finished"
WRITERS, PICTURES = 40, 250
INDEXED = ("description", "street", "l")

pytestmark = [
    pytest.mark.skipif(chosen("389ds") != LOCAL, reason="for the 389 DS of this host"),
    pytest.mark.clock("the finding has to show up in seconds of real load"),
]


@pytest.fixture(scope="module")
def own_lab() -> Iterator[Lab]:
    """Pages of its indexes have 512 bytes, so that one change locks thousands of them: a server
    takes no fewer locks than 10,000."""
    with Lab(config="nsslapd-accesslog-logbuffering: off\n").start(users=500) as lab:
        lab.stop_server()
        dse, entry = lab.slapd.config / "dse.ldif", f"dn: {BDB}\n"
        text = dse.read_text()
        assert entry in text
        dse.write_text(text.replace(entry, f"{entry}nsslapd-db-index-page-size: 512\n"))
        lab.start_server()
        link = lab.slapd.link()
        for name in INDEXED:
            index = {"nsSystemIndex": "false", "nsIndexType": "sub"}
            assert link.add(INDEX.format(name), ["top", "nsIndex"], index), link.result
        link.unbind()
        yield lab


@pytest.fixture
def own_target(own_lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Iterator[Target]:
    with connected(own_lab, monkeypatch) as target:
        yield target


def write_texts(lab: Lab, user: int, **lengths: int) -> int:
    """Give somebody random texts of so many characters in one change; its result code."""
    draw = random.Random(user)
    changes = {
        name: [(ldap3.MODIFY_REPLACE, ["".join(map(chr, draw.choices(CHARACTERS, k=length)))])]
        for name, length in lengths.items()
    }
    link = lab.slapd.link()
    link.modify(f"uid=user{user:06d},{PEOPLE}", changes)
    code = link.result["result"]
    link.unbind()
    return code


@large
def test_a_change_that_takes_the_locks_of_the_database(own_lab, own_target, tmp_path):
    """4,000 of 10,000 are none too many. 2.3.1 goes on when there are none left: the change fails.
    A text that is new to an index takes fewer locks than one whose keys are all over it."""
    codes = []

    def change(user: int, **lengths: int) -> None:
        codes.append(write_texts(own_lab, user, **lengths))

    def window(user: int, **lengths: int) -> Finding | None:
        path = tmp_path / f"{user}.ldapwb"
        found, advised = seen(lambda: change(user, **lengths), own_target, path, 9)
        assert ("more-locks" in advised) is ("db_locks" in found)
        return found.get("db_locks")

    few = window(1, description=60_000)
    many = window(2, description=10_000, street=60_000)
    none_left = window(3, description=60_000, street=60_000, l=60_000)
    assert few is None
    assert 8_000 <= many.numbers["locks"] <= many.numbers["most"] == 10_000
    assert "Lock table is out of available lock entries" in str(none_left.sentence)
    assert codes == [0, 0, 1]


@large
def test_writes_that_deadlock(own_lab, own_target, tmp_path):
    """Without the lock of the back end the writes of twelve clients deadlock: 2.3.1 tries each of
    them 50 times and answers busy. It names no code of the database then."""
    errors = own_lab.slapd.logs / "errors"

    def write_at_once() -> None:
        with ThreadPoolExecutor(12) as clients:
            list(clients.map(write_on, range(12)))

    def write_on(number: int) -> None:
        draw, link, over = random.Random(number), own_lab.slapd.link(), time.monotonic() + 12
        while time.monotonic() < over and GIVEN_UP not in errors.read_text():
            changes = {name: ["".join(draw.choices(ascii_lowercase, k=400))] for name in INDEXED}
            person = f"uid=user{draw.randrange(100, 500):06d},{PEOPLE}"
            link.modify(person, {n: [(ldap3.MODIFY_REPLACE, v)] for n, v in changes.items()})
        link.unbind()

    serial, _ = seen(write_at_once, own_target, tmp_path / "serial.ldapwb", 13)
    modify(own_lab, LDBM, "nsslapd-serial-lock", "off")
    own_lab.restart()
    own_target.reconnect()
    found, advised = seen(write_at_once, own_target, tmp_path / "at-once.ldapwb", 13)
    modify(own_lab, LDBM, "nsslapd-serial-lock", "on")
    own_lab.restart()
    assert "deadlock" not in serial
    assert GIVEN_UP in str(found["deadlock"].evidence[0].text)
    assert {"serial-lock", "deadlock-policy"} <= set(advised)


@large
def test_a_compaction_that_stops_writes(own_lab, own_target, tmp_path):
    """It moves the pages of large entries to where others were deleted, in one transaction for
    which every write waits. The task itself never says that it has ended."""
    errors = own_lab.slapd.logs / "errors"

    def compact() -> None:
        before, over = errors.read_text().count(COMPACTED), threading.Event()
        with ThreadPoolExecutor(WRITERS) as clients:
            done = [clients.submit(write_until, over, n) for n in range(WRITERS)]
            time.sleep(2)
            link = own_lab.slapd.link()
            task = f"cn=now{before},cn=compact db,cn=tasks,cn=config"
            assert link.add(task, "extensibleObject"), link.result
            link.unbind()
            until = time.monotonic() + 20
            while errors.read_text().count(COMPACTED) == before and time.monotonic() < until:
                time.sleep(0.1)
            time.sleep(1)
            over.set()
            for each in done:
                each.result()

    def write_until(over: threading.Event, number: int) -> None:
        link = own_lab.slapd.link()
        while not over.wait(0.3):
            value = [(ldap3.MODIFY_REPLACE, [str(time.time_ns())])]
            link.modify(f"uid=user{number:06d},{PEOPLE}", {"employeeNumber": value})
        link.unbind()

    small, _ = seen(compact, own_target, tmp_path / "small.ldapwb", 9)
    link = own_lab.slapd.link()
    pictures = [f"uid=big{n},{PEOPLE}" for n in range(PICTURES)]
    for dn in pictures:
        person = {"cn": "x", "sn": "x", "jpegPhoto": b"x" * 400_000}
        assert link.add(dn, "inetOrgPerson", person), link.result
    for dn in pictures[::2]:
        assert link.delete(dn), link.result
    link.unbind()
    large, advised = seen(compact, own_target, tmp_path / "large.ldapwb", 9)
    assert "compaction" in small["server_tasks"].numbers["tasks"]
    assert "compaction" not in small
    assert large["compaction"].numbers["times"] >= 3
    assert "compaction-at-night" in advised


@large
def test_writes_that_wait_for_the_flush_of_their_disk(monkeypatch, tmp_path):
    """The same disk with flushes of 15 ms, and with quick ones."""

    def write() -> None:
        with load(lab, "mod", 7):
            time.sleep(6)

    with Lab(config="nsslapd-accesslog-logbuffering: off\n").start(users=200) as lab:
        lab.stop_server()
        with slow_disk(lab.folder / "disk", lab.slapd.database) as delay:
            lab.start_server()
            with connected(lab, monkeypatch) as target:
                quick, _ = seen(write, target, tmp_path / "quick.ldapwb", 8)
                delay.write_text("0.015")
                slow, _ = seen(write, target, tmp_path / "slow.ldapwb", 8)
            lab.stop_server()
    assert "slow_flush" not in quick
    assert slow["slow_flush"].numbers["flush_ms"] == pytest.approx(15, rel=0.5)
    assert slow["slow_flush"].numbers["device"].startswith("loop")
