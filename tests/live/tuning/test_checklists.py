"""What needs an export and import stays by hand: its printed steps, run on real servers.

Each line of commands is taken from the text that a person is shown, and does what it says on a
supplier that has another one beside it, also where that is written to meanwhile.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import ldap3
import numpy as np
import pytest

from ldap_workbench.advice.evidence.wording import finding
from ldap_workbench.advice.families.disk import PAGES_AN_ENTRY, size_findings
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.advice.rules.rule import every_rule
from ldap_workbench.model.finding import Deployment, Finding
from ldap_workbench.servers.product import product_of
from ldap_workbench.servers.target import Target
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.administrator import Administrator, commands_of, page_size, steps_in
from tests.live.lab.ds389 import Lab
from tests.live.lab.matrix import check
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.record import key_of
from tests.live.lab.replication import replicating
from tests.live.lab.steps import connected, until
from tests.live.lab.stored_config import differences, stored_config
from tests.live.lab.users import SUFFIX

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]
_PEOPLE, _LIMIT_S = 500, 180
_PAGE, _USUAL_PAGE = 16384, 8192
_RUV = re.compile(r"\{replica (\d+) [^}]*\} \w+ (\w+)")
_LDBM = "cn=config,cn=ldbm database,cn=plugins,cn=config"


def _had(names: Sequence[str]) -> list[str]:
    """Those that this run of tests is about."""
    chosen = os.environ.get("LDAP_WORKBENCH_LAB", "")
    return [name for name in names if chosen in ("", name)]


@pytest.fixture(scope="module")
def suppliers(request: pytest.FixtureRequest) -> Iterator[list[Lab]]:
    check(request.param)
    with replicating(2, _PEOPLE, request.param) as labs:
        for lab in labs:
            lab.restart()  # the first start completes dse.ldif
        yield labs


@pytest.fixture
def supplier(suppliers: list[Lab]) -> Lab:
    return suppliers[0]


def wrote(lab: Lab, number: int, text: str) -> None:
    link = lab.slapd.link()
    dn = f"uid=user{number:06d},ou=people,{SUFFIX}"
    assert link.modify(dn, {"description": (ldap3.MODIFY_REPLACE, [text])}), link.result
    link.unbind()


def has(lab: Lab, number: int, text: str) -> Callable[[], bool]:
    def look() -> bool:
        link = lab.slapd.link()
        link.search(SUFFIX, f"(&(uid=user{number:06d})(description={text}))", attributes=["1.1"])
        came = len(link.entries) == 1
        link.unbind()
        return came

    return look


def replicates(one: Lab, other: Lab, text: str) -> None:
    """A change on either of them gets to the other."""
    wrote(one, 1, f"{text} there")
    wrote(other, 2, f"{text} back")
    until(has(other, 1, f"{text} there"), _LIMIT_S)
    until(has(one, 2, f"{text} back"), _LIMIT_S)


def planned(target: Target, path: Path, setting: str) -> list[str]:
    """The steps that the plan of an experiment with the setting prints."""
    with closing(Journal(path / "journal")) as journal, closing(Tuner(target, journal)) as tuner:
        (change,) = tuner.plan(tuner.catalogue.treatment([setting], target.facts))
    return steps_in(change.operator)


def advised(target: Target, seen: Finding, advice: str) -> list[str]:
    """The steps of a piece of advice for the server."""
    server = Deployment(product_of(target.facts), db_library=target.facts.db_library or "")
    given = advise([replace(seen, server=server)], target.facts)
    return next([str(step) for step in each.steps] for each in given if each.id == advice)


def rule_ran_on(advice: str) -> tuple[str, ...]:
    return next(rule.ran_on for rule in every_rule() if rule.id == advice)


def newest(ruv: Path) -> dict[str, str]:
    """The newest change of each replica."""
    return dict(_RUV.findall(ruv.read_text()))


class Checklist:
    """The steps for a supplier, done beside another one; the last one goes back."""

    def __init__(self, steps: Sequence[str], one: Lab, other: Lab) -> None:
        self.one, self.other, self._admin = one, other, Administrator(one)
        stop = next(n for n, step in enumerate(steps) if step.startswith("Stop the server"))
        back = next(n for n, step in enumerate(steps) if "To go back" in step)
        self._begin, self._rest = steps[: stop + 1], [*steps[stop + 1 : back], *steps[back + 1 :]]
        self._back = steps[back]
        assert all(map(commands_of, [*self._begin, *self._rest, self._back])), steps

    def change(self) -> None:
        """All but the last."""
        replicates(self.one, self.other, "before")
        self._admin.do(self._begin)
        wrote(self.other, 3, "meanwhile")
        self._admin.do(self._rest)
        before, after = (newest(self._admin.folder / f"ruv-{when}") for when in ("before", "after"))
        assert len(before) == 2, before
        assert all(after[replica] >= csn for replica, csn in before.items()), (before, after)
        until(has(self.one, 3, "meanwhile"), _LIMIT_S)
        replicates(self.one, self.other, "after")

    def go_back(self) -> None:
        self._admin.do([self._back])
        wrote(self.other, 4, "back again")
        until(has(self.one, 4, "back again"), _LIMIT_S)
        # What was written here since comes again, as nobody has written here before it does.
        until(has(self.one, 1, "after there"), _LIMIT_S)
        replicates(self.one, self.other, "at last")


def read(lab: Lab, dn: str, attribute: str) -> str:
    link = lab.slapd.link()
    link.search(dn, "(objectClass=*)", ldap3.BASE, attributes=[attribute])
    value = str(link.entries[0][attribute].value)
    link.unbind()
    return value


def set_apart(stored: dict[str, list[str]], lab: Lab) -> list[str]:
    """What is stored otherwise than before, but how far replication has got."""
    lines = differences(stored, stored_config(lab)).splitlines()
    return [line for line in lines if "cn=mapping tree,cn=config" not in line]


def pages(lab: Lab) -> tuple[int, int]:
    """Of the entries, and of an index."""
    folder = lab.slapd.database / "userRoot"
    return page_size(folder / "id2entry.db"), page_size(folder / "uid.db")


_BDB = _had(["389ds-1.4", "389ds-2.3", "389ds-3.1"])


_WITH_IT = {
    "nsslapd-db-page-size": (_PAGE, _USUAL_PAGE),
    "nsslapd-db-index-page-size": (_USUAL_PAGE, _PAGE),
}


@pytest.mark.parametrize(
    ("suppliers", "attribute", "with_it"),
    [
        pytest.param(name, attribute, pages)
        for name in _BDB
        for attribute, pages in _WITH_IT.items()
        # 1.4.4 reads no index of such pages, and the knob is not offered there.
        if (name, attribute) != ("389ds-1.4", "nsslapd-db-index-page-size")
    ],
    indirect=["suppliers"],
)
def test_a_page_size(
    suppliers: list[Lab],
    supplier: Lab,
    attribute: str,
    with_it: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    with connected(supplier, monkeypatch) as target:
        version = target.facts.version
        steps = planned(target, tmp_path, f"{attribute}={_PAGE}")
        if attribute == "nsslapd-db-page-size":
            sizes = np.full(100, _PAGE // PAGES_AN_ENTRY - 1)
            (seen,) = size_findings(sizes, {}, target.facts)
            advice = advised(target, seen, "page-size")
            assert advice[-len(steps) :] == steps
            steps = advice[0:1] + steps
    stored = stored_config(supplier)
    checklist = Checklist(steps, *suppliers)
    checklist.change()
    assert pages(supplier) == with_it
    (changed,) = set_apart(stored, supplier)
    assert changed.endswith(f": + {attribute}: {_PAGE}")
    checklist.go_back()
    assert pages(supplier) == (_USUAL_PAGE, _USUAL_PAGE)
    assert not set_apart(stored, supplier)
    record_property("knob", (key_of(load_catalogue().knob(attribute)), "stored"))
    assert version in rule_ran_on("page-size")


@pytest.mark.parametrize(
    ("suppliers", "library"),
    [
        pytest.param(name, library)
        # dsctl of 2.3.1 converts, starts the server, and fails at a bind of its own.
        for name, library in (("389ds-3.1", "mdb"), ("389ds-3.1-lmdb", "bdb"))
        if _had([name])
    ],
    indirect=["suppliers"],
)
def test_the_database_library(
    suppliers: list[Lab],
    supplier: Lab,
    library: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    before = read(supplier, _LDBM, "nsslapd-backend-implement")
    with connected(supplier, monkeypatch) as target:
        steps = planned(target, tmp_path, f"nsslapd-backend-implement={library}")
    stored = stored_config(supplier)
    checklist = Checklist(steps, *suppliers)
    checklist.change()
    assert read(supplier, _LDBM, "nsslapd-backend-implement") == library
    checklist.go_back()
    assert read(supplier, _LDBM, "nsslapd-backend-implement") == before
    assert not set_apart(stored, supplier)
    knob = load_catalogue().knob("nsslapd-backend-implement")
    record_property("knob", (key_of(knob), "stored"))


@pytest.fixture(
    params=_had(["openldap-2.4", "openldap-2.5", "openldap-2.6"]),
)
def slapd_of_release(request: pytest.FixtureRequest) -> Iterator[OpenLdap]:
    check(request.param)
    server = OpenLdap(_PEOPLE, request.param, overlays=True)
    try:
        yield server.start()
    finally:
        server.stop()


def of_database(server: OpenLdap) -> ldap3.Connection:
    return server.link(f"cn=admin,{SUFFIX}")


def contents(server: OpenLdap) -> list[object]:
    """All entries with what slapd notes of them."""
    link = of_database(server)
    link.search(SUFFIX, "(objectClass=*)", attributes=["*", "+"])
    entries = sorted((entry["dn"], entry["raw_attributes"]) for entry in link.response)
    link.unbind()
    return entries


def test_the_free_list_of_lmdb(
    slapd_of_release: OpenLdap, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    server = slapd_of_release
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    server.trust(tmp_path)
    link = of_database(server)
    for number in range(0, _PEOPLE, 2):
        assert link.delete(f"uid=user{number:06d},ou=people,{SUFFIX}"), link.result
    link.unbind()
    with connected(server, monkeypatch) as target:
        numbers = {"free": 90_000, "used": 100_000, "share": 0.9}
        seen = finding("lmdb_free_list", numbers=numbers, entry="", write=1)
        steps = advised(target, seen, "olc-shrink-free-list")
    entries, admin, full = contents(server), Administrator(server), free_pages(server)
    assert full
    admin.do(steps[:-1])
    before, after = (admin.folder / f"csn-{when}" for when in ("before", "after"))
    assert "contextCSN: " in before.read_text()
    assert after.read_text() == before.read_text()
    assert (free_pages(server), contents(server)) == (0, entries)
    admin.do(steps[-1:])
    assert (free_pages(server), contents(server)) == (full, entries)
    assert target.facts.version in rule_ran_on("olc-shrink-free-list")


def free_pages(server: OpenLdap) -> int:
    said = server.host.run("mdb_stat", "-f", str(server.database)).stdout
    (pages_free,) = map(int, re.findall(r"Free pages: (\d+)", said))
    return pages_free
