"""What the build of an index needs, by what the server and its host say. No server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import DirectoryError, KnobError
from ldap_workbench.model.message import Message
from ldap_workbench.model.target import Backend
from ldap_workbench.tuning.index_budget import IndexBudget, read_budget
from tests.unit.tuning.fakes import BACKEND, FACTS, FakeTarget
from tests.unit.tuning.test_indexes import Server, apply

MB = 1_000_000


@pytest.fixture
def target(monkeypatch: pytest.MonkeyPatch) -> FakeTarget:
    """A database of 100 MB in /srv/db/userRoot beside others, and a host that says so."""
    target = FakeTarget(facts=replace(FACTS, db_directory="/srv/db"))
    target.directory = Server()
    target.directory.entries[BACKEND]["nsslapd-directory"] = ("/srv/db/userRoot",)
    said = {
        ("du", "-sB1", "/srv/db/userRoot"): b"100000000\t/srv/db/userRoot\n",
        ("du", "-sB1", "/srv/db"): b"500000000\t/srv/db\n",
        ("df", "--output=avail", "-B1", "/srv/db/userRoot"): b"  Avail\n900000000\n",
        ("df", "--output=avail", "-B1", "/srv/db"): b"  Avail\n900000000\n",
    }
    shell = target.shell
    assert shell is not None
    run = shell.run

    def answer(argv: Sequence[str], **how: object) -> CommandResult:
        if argv[0] in ("du", "df"):
            known = said.get(tuple(map(str, argv)), b"")
            return CommandResult(0 if known else 1, known, b"")
        return run(argv, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(shell, "run", answer)
    return target


def disk(target: FakeTarget, *partitions: tuple[str, int]) -> None:
    lines = (f'partition="{mount}" size="9" used="1" available="{n}" use%="1"'
             for mount, n in partitions)  # fmt: skip
    target.directory.entries["cn=disk space,cn=monitor"] = {"dsDisk": tuple(lines)}


def test_the_server_s_own_word_on_its_disk_goes_before_df(target: FakeTarget) -> None:
    budget = read_budget(target, BACKEND)
    assert (budget.database, budget.free, budget.disk) == (100 * MB, 900 * MB, "/srv/db/userRoot")
    disk(target, ("/", 5 * MB), ("/srv", 7 * MB), ("/srv/d", 9 * MB))
    budget = read_budget(target, BACKEND)
    assert (budget.database, budget.free, budget.disk) == (100 * MB, 7 * MB, "/srv")


def test_all_back_ends_of_389_ds_on_lmdb_are_one_file(target: FakeTarget) -> None:
    target.facts = replace(target.facts, db_library="mdb")
    budget = read_budget(target, BACKEND)
    assert budget.database == 500 * MB
    assert "Whether nsslapd-mdb-max-size leaves as much is not checked." in str(
        budget.describe(["eq"], 1.0)
    )


def test_the_map_of_slapd_is_read_from_its_monitor(target: FakeTarget) -> None:
    others = [f"olcDatabase={{{n}}}mdb,cn=config" for n in (1, 2)]
    target.facts = replace(
        target.facts,
        product="OpenLDAP",
        db_library="mdb",
        backends=(Backend("{1}mdb", "dc=b", others[0]), Backend("{2}mdb", "dc=a", others[1])),
    )
    target.directory.entries[others[1]] = {"olcDbDirectory": ("/srv/db",)}
    entry = {"namingContexts": ("dc=a",), "olmMDBEntries": ("7",), "olmMDBPagesMax": ("1000",),
             "olmMDBPagesUsed": ("300",),
             "olmMDBPagesFree": ("100",)}  # fmt: skip
    target.directory.entries["cn=Database 1,cn=Databases,cn=Monitor"] = entry
    budget = read_budget(target, others[1])
    assert (budget.database, budget.free_map, budget.entries) == (200 * 4096, 800 * 4096, 7)
    assert "olcDbMaxSize leaves 3.1 MiB." in str(budget.describe(["eq"], 1.0))
    assert (budget.disk, budget.at_least, budget.map_unchecked) == ("/srv/db", False, False)
    assert read_budget(target, others[0]).free_map is None


def test_entries_are_counted_without_reading_those_that_have_none_below(
    target: FakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    suffix = FACTS.backends[0].suffix
    target.directory.entries |= {
        suffix: {"numSubordinates": ("2",)},
        f"ou=people,{suffix}": {"numSubordinates": ("9997",)},
    }
    asked, search = [], target.directory.search

    def limited(base: str, **how: Any) -> list[Entry]:
        if base == suffix:
            asked.append((how["scope"], how["filter"]))
        if base == suffix and how["scope"] == "one" and limits:
            raise DirectoryError(Message("sizeLimitExceeded"), code=4)
        return search(base, **how)

    limits = False
    monkeypatch.setattr(target.directory, "search", limited)
    said = str(read_budget(target, BACKEND).describe(["eq"], None))
    assert "may take 30.0 s or longer: 3 ms for each of at least 10,000 entries" in said
    assert set(asked) == {("base", "(numSubordinates=*)"), ("one", "(numSubordinates=*)")}
    limits = True
    assert read_budget(target, BACKEND).entries is None


def test_words_of_slapd_are_types_of_index() -> None:
    budget = IndexBudget(100 * MB, 900 * MB)
    assert budget.growth(["subinitial", "subany", "subfinal"]) == 50 * MB
    assert budget.growth(["eq", "nolang", "nosubtypes"]) == 10 * MB


def test_the_plan_says_growth_free_space_and_time(target: FakeTarget) -> None:
    said = IndexBudget(100 * MB, 900 * MB, entries=20_000).describe(["eq"], None)
    assert str(said) == (
        "The database has 95.4 MiB; the index may add 9.5 MiB, and its build may write as much "
        "again to the transaction log or to free pages. 858.3 MiB is free. The build may "
        "take 60.0 s: 3 ms for each of 20,000 entries, until the first one here is timed."
    )
    timed = IndexBudget(100 * MB, 900 * MB).describe(["eq"], 61.0)
    assert "The last build here took 61.0 s" in str(timed)


def test_what_cannot_be_read_is_said(target: FakeTarget) -> None:
    target.shell = None
    said = str(read_budget(target, BACKEND).describe(["eq"], 4.0))
    assert said.startswith("How much room the index needs is not known: the profile has no shell")
    assert "The last build here took 4.00 s" in said


def test_each_size_has_its_own_reason(target: FakeTarget) -> None:
    shell = target.shell
    assert shell is not None
    run = shell.run

    def without_df(argv: Sequence[str], **how: Any) -> CommandResult:
        return CommandResult(1, b"", b"") if argv[0] == "df" else run(argv, **how)

    shell.run = without_df  # type: ignore[method-assign]
    said = str(read_budget(target, BACKEND).describe(["eq"], 1.0))
    assert (
        "How much is free is not known: 'df --output=avail -B1 /srv/db/userRoot' failed on the "
        "host (status 1)." in said
    )


def test_several_indexes_need_room_together(target: FakeTarget) -> None:
    disk(target, ("/", 39 * MB))
    with pytest.raises(KnobError, match=r"may need 38.1 MiB"):
        apply(target, "index.mail=eq", "index.sn=eq")
    disk(target, ("/", 41 * MB))
    apply(target, "index.mail=eq", "index.sn=eq")


def test_a_full_disk_refuses_the_index(target: FakeTarget) -> None:
    disk(target, ("/", 19 * MB))
    with pytest.raises(KnobError, match="and the disk of the database has"):
        apply(target, "index.mail=eq")
    assert not [dn for dn in target.directory.entries if dn.startswith("cn=mail,")]
    disk(target, ("/", 21 * MB))
    apply(target, "index.mail=eq")


def test_a_full_map_refuses_the_index() -> None:
    with pytest.raises(KnobError, match="olcDbMaxSize leaves"):
        IndexBudget(100 * MB, 900 * MB, free_map=99 * MB).check(50 * MB)


def test_a_build_is_timed_for_the_next_switch(target: FakeTarget) -> None:
    tuner, group, _ = apply(target, "index.mail=eq")
    tuner.revert(group)
    wanted = tuner.catalogue.treatment(["index.sn=eq"], target.facts)
    (planned,) = tuner.plan(wanted)
    assert "The last build here took" in str(planned.describe())
