"""A sorted list of 389 DS: two entries and a build, undone wherever they broke off. No server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.change import WHOLE_ENTRY
from ldap_workbench.model.errors import ChangeError, KnobError
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from ldap_workbench.tuning.vlv import SortedList
from tests.unit.tuning.fakes import BACKEND, FACTS, FakeDirectory, FakeTarget
from tests.unit.tuning.test_indexes import Server, apply

BASE = "ou=people,dc=example,dc=com"
WANTED = f"vlv.by-name@userRoot={BASE} sub (objectClass=person) sn -cn"
SEARCH = f"cn=by-name,{BACKEND}"
ORDER = f"cn=by-name,{SEARCH}"


class Lists(Server):
    """Shows in the entry of an order what it does not store, as 389 DS does."""

    builds = True

    def __init__(self) -> None:
        super().__init__()
        self.entries[BASE] = {"ou": ("people",)}

    def search(
        self,
        base: str,
        *,
        scope: str = "base",
        filter: str = "",  # noqa: A002 - the field's word
        attributes: Sequence[str] = ("*",),
    ) -> list[Entry]:
        if scope == "sub":
            orders = [
                dn for dn in self.entries if dn.endswith(base) and "vlvSort" in self.entries[dn]
            ]
            return [
                e for dn in orders for e in FakeDirectory.search(self, dn, attributes=attributes)
            ]
        return super().search(base, scope=scope, filter=filter, attributes=attributes)

    def add(self, dn: str, attributes: Mapping[str, str | Sequence[str]]) -> None:
        if "nsIndexVLVAttribute" in attributes:
            self.entries[dn] = {"nsTaskExitCode": ("0",)}
            self.built += [str(attributes["nsIndexVLVAttribute"])]
            enabled = "1" if self.builds else "0"
            self.entries[ORDER] |= {"vlvEnabled": (enabled,)}
            return
        super().add(dn, attributes)
        if "vlvSort" in attributes:
            self.entries[dn] |= {"vlvEnabled": ("0",), "vlvUses": ("7",)}

    def delete(self, dn: str) -> None:
        below = [other for other in self.entries if other.endswith(f",{dn}")]
        assert not below, f"{dn} is no leaf"
        super().delete(dn)


@pytest.fixture
def target() -> FakeTarget:
    target = FakeTarget()
    target.directory = Lists()
    return target


def lists(target: FakeTarget) -> Lists:
    assert isinstance(target.directory, Lists)
    return target.directory


def left(target: FakeTarget) -> dict[str, dict[str, tuple[str, ...]]]:
    return {dn: entry for dn, entry in lists(target).entries.items() if "cn=tasks" not in dn}


def test_two_entries_are_added_built_proved_and_absent_again(target: FakeTarget) -> None:
    before = left(target)
    tuner = Tuner(target, Journal())
    done = tuner.apply(tuner.catalogue.treatment([WANTED], target.facts))
    assert [(change.dn, change.attribute) for change in done.changes] == [
        (SEARCH, WHOLE_ENTRY), (ORDER, WHOLE_ENTRY),
    ]  # fmt: skip
    there = lists(target).entries
    assert there[SEARCH] == {
        "cn": ("by-name",), "objectClass": ("top", "vlvSearch"), "vlvBase": (BASE,),
        "vlvScope": ("2",), "vlvFilter": ("(objectClass=person)",),
    }  # fmt: skip
    assert there[ORDER]["vlvSort"] == ("sn -cn",)
    assert lists(target).built == ["by-name"]
    assert [proof.effective for proof in done.proofs] == [None, True]
    assert "vlvUses is 7" in str(done.proofs[1].sentence)
    assert tuner.read("vlv.by-name").value == WANTED.partition("=")[2]
    assert ("vlv.by-name", "userRoot") in {(r.knob.name, r.place) for r in tuner.readings()}
    tuner.revert(done.group)
    assert left(target) == before


def test_the_plan_says_that_changes_are_refused_meanwhile(target: FakeTarget) -> None:
    tuner = Tuner(target, Journal())
    search, order = tuner.plan(tuner.catalogue.treatment([WANTED], target.facts))
    assert f"vlv.by-name@userRoot: absent → {BASE} sub (objectClass=person)." in str(
        search.describe()
    )
    assert "refuses every change in this back end (err=53" in str(order.describe())
    assert "refuses" not in str(search.describe())


@pytest.mark.parametrize("made", [0, 1, 2])
def test_a_kill_at_any_step_is_recovered_to_absent(target: FakeTarget, made: int) -> None:
    before = left(target)
    tuner = Tuner(target, Journal())
    wanted = tuner.catalogue.treatment([WANTED], target.facts)
    steps: list[str] = []

    def dying(dn: str, attributes: Mapping[str, str | Sequence[str]]) -> None:
        if len(steps) == made:
            raise KeyboardInterrupt
        steps.append(dn)
        Lists.add(lists(target), dn, attributes)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lists(target), "add", dying)
        patch.setattr(Tuner, "_take_back", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            tuner.apply(wanted)
    assert steps == [SEARCH, ORDER][:made]
    tuner.close()
    Tuner(target, Journal()).recover()
    assert left(target) == before


def test_a_task_that_ends_well_and_leaves_the_list_unused_is_taken_back(target: FakeTarget) -> None:
    before = left(target)
    lists(target).builds = False
    with pytest.raises(ChangeError, match="is not in use"):
        apply(target, WANTED)
    assert left(target) == before


def test_a_list_is_removed_from_below_and_built_when_it_comes_back(target: FakeTarget) -> None:
    tuner, group, _ = apply(target, WANTED)
    tuner.keep(group)
    there = left(target)
    with pytest.raises(KnobError, match="would be removed"):
        apply(target, "vlv.by-name=absent")
    object.__setattr__(target.profile, "test_server", True)
    tuner, group, _ = apply(target, "vlv.by-name=absent")
    assert SEARCH not in lists(target).entries
    tuner.revert(group)
    assert left(target) == there
    assert lists(target).built == ["by-name"] * 2


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        (WANTED.replace("by-name@", "n@").replace("dc=example", "dc=x"), "not in the back end of"),
        (WANTED.replace("by-name@", "n@").replace("ou=people", "ou=no"), "There is no entry"),
        (WANTED.replace("by-name@", "by-Name-@"), "has the same file"),
        (WANTED.replace("sn -cn", "sn"), "holds something else"),
        (WANTED.replace("vlv.by-name@", "vlv.monitor@"), "holds something else"),
    ],
)
def test_a_list_that_would_serve_nobody_or_harm_another_is_refused(
    target: FakeTarget, setting: str, why: str
) -> None:
    tuner, group, _ = apply(target, WANTED)
    tuner.keep(group)
    before = left(target)
    with pytest.raises(KnobError, match=why):
        apply(target, setting)
    assert left(target) == before


@pytest.mark.parametrize(
    "text",
    ["ou=people sub cn", "sub (a=b) cn", "ou=people,dc=x tree (a=b) cn", "ou=people sub (a=b)",
     "ou=people sub (a=b) cn,sn"],
)  # fmt: skip
def test_what_is_no_list_is_refused(text: str) -> None:
    assert SortedList.parse(text) is None


def test_a_base_with_spaces_and_an_order_by_a_rule_are_read() -> None:
    text = "ou=All People, dc=x one (&(a=b c)(d=*)) -cn:2.5.13.3 sn"
    assert str(SortedList.parse(text)) == text


def test_it_is_not_offered_with_lmdb() -> None:
    """Until it is built every write fails there, and 2.3.1 stays read-only after the build."""
    with pytest.raises(KnobError, match="There is no knob"):
        load_catalogue().treatment([WANTED], replace(FACTS, db_library="mdb"))
