"""What a database does to its clients, set up on a real 389 DS with Berkeley DB."""

from __future__ import annotations

import random
from collections.abc import Iterator

import ldap3
import pytest

from ldap_workbench.model.finding import Finding
from ldap_workbench.servers import Target
from tests.live.lab import Lab
from tests.live.lab_host import LOCAL, chosen
from tests.live.steps import connected, seen
from tests.live.test_advice import BDB, PEOPLE

INDEX = "cn={},cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
CHARACTERS = range(0x4E00, 0x9FA0)
"""So many that a random text hardly repeats three of them, each a key of a substring index."""
INDEXED = ("description", "street", "l")

pytestmark = pytest.mark.skipif(chosen("389ds") != LOCAL, reason="for the 389 DS of this host")


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


def test_a_change_that_takes_the_locks_of_the_database(own_lab, own_target, tmp_path):
    """4,000 of 10,000 are none too many. 2.3.1 goes on when there are none left: the change fails.
    A text that is new to an index takes fewer locks than one whose keys are all over it."""
    codes = []

    def change(user: int, **lengths: int) -> None:
        codes.append(write_texts(own_lab, user, **lengths))

    def window(user: int, **lengths: int) -> Finding | None:
        path = tmp_path / f"{user}.ldapwb"
        found, advised = seen(lambda: change(user, **lengths), own_target, path, 6)
        assert ("more-locks" in advised) is ("db_locks" in found)
        return found.get("db_locks")

    few = window(1, description=60_000)
    many = window(2, description=10_000, street=60_000)
    none_left = window(3, description=60_000, street=60_000, l=60_000)
    assert few is None
    assert 8_000 <= many.numbers["locks"] <= many.numbers["most"] == 10_000
    assert "Lock table is out of available lock entries" in str(none_left.sentence)
    assert codes == [0, 0, 1]
