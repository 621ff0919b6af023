"""What the build of an index needs, by what the server and its host say. No server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import KnobError
from ldap_workbench.tuning.index_budget import IndexBudget, read_budget
from tests.unit.tuning.fakes import FACTS, FakeTarget
from tests.unit.tuning.test_indexes import Server, apply

MB = 1_000_000


@pytest.fixture
def target(monkeypatch: pytest.MonkeyPatch) -> FakeTarget:
    """A database of 100 MB in /srv/db, and a host that says so."""
    target = FakeTarget(facts=replace(FACTS, db_directory="/srv/db"))
    target.directory = Server()
    said = {"du": b"100000000\t/srv/db\n", "df": b"  Avail\n900000000\n"}
    shell = target.shell
    assert shell is not None
    run = shell.run

    def answer(argv: Sequence[str], **how: object) -> CommandResult:
        if argv[0] in said:
            return CommandResult(0, said[argv[0]], b"")
        return run(argv, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(shell, "run", answer)
    return target


def disk(target: FakeTarget, *partitions: tuple[str, int]) -> None:
    lines = (f'partition="{mount}" size="9" used="1" available="{n}" use%="1"'
             for mount, n in partitions)  # fmt: skip
    target.directory.entries["cn=disk space,cn=monitor"] = {"dsDisk": tuple(lines)}


def test_the_server_s_own_word_on_its_disk_goes_before_df(target: FakeTarget) -> None:
    assert read_budget(target, "") == IndexBudget(100 * MB, 900 * MB)
    disk(target, ("/", 5 * MB), ("/srv", 7 * MB), ("/srv/d", 9 * MB))
    assert read_budget(target, "") == IndexBudget(100 * MB, 7 * MB)


def test_the_map_of_slapd_is_read_from_its_monitor(target: FakeTarget) -> None:
    entry = {"namingContexts": ("dc=a",), "olmMDBEntries": ("7",), "olmMDBPagesMax": ("1000",),
             "olmMDBPagesUsed": ("300",),
             "olmMDBPagesFree": ("100",)}  # fmt: skip
    target.directory.entries["cn=Database 1,cn=Databases,cn=Monitor"] = entry
    budget = read_budget(target, "dc=a")
    assert (budget.database, budget.free_map, budget.entries) == (200 * 4096, 800 * 4096, 7)
    assert read_budget(target, "dc=b").free_map is None


def test_the_plan_says_growth_free_space_and_time(target: FakeTarget) -> None:
    said = IndexBudget(100 * MB, 900 * MB, entries=20_000).describe(["eq"], None)
    assert str(said) == (
        "The database has 95.4 MiB; the index may add 9.5 MiB. 858.3 MiB is free. The build may "
        "take 60.0 s: 3 ms for each of 20,000 entries, until the first one here is timed."
    )
    timed = IndexBudget(100 * MB, 900 * MB).describe(["eq"], 61.0)
    assert "The last build here took 61.0 s" in str(timed)


def test_what_cannot_be_read_is_said(target: FakeTarget) -> None:
    target.shell = None
    said = str(read_budget(target, "").describe(["eq"], 4.0))
    assert said.startswith("How much room the index needs is not known: the profile has no shell")
    assert "The last build here took 4.00 s" in said


def test_a_full_disk_refuses_the_index(target: FakeTarget) -> None:
    disk(target, ("/", 19 * MB))
    with pytest.raises(KnobError, match="and the disk of the database has"):
        apply(target, "index.mail=eq")
    assert not [dn for dn in target.directory.entries if dn.startswith("cn=mail,")]
    disk(target, ("/", 21 * MB))
    apply(target, "index.mail=eq")


def test_a_full_map_refuses_the_index() -> None:
    with pytest.raises(KnobError, match="olcDbMaxSize leaves"):
        IndexBudget(100 * MB, 900 * MB, free_map=99 * MB).describe(["sub"], None)


def test_a_build_is_timed_for_the_next_switch(target: FakeTarget) -> None:
    tuner, group, _ = apply(target, "index.mail=eq")
    tuner.revert(group)
    wanted = tuner.catalogue.treatment(["index.sn=eq"], target.facts)
    (planned,) = tuner.plan(wanted)
    assert "The last build here took" in str(planned.describe())
