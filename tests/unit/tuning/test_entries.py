"""Where a knob lies: under the number slapd gave it, in an agreement, or one entry higher."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.knob import BIND_DN, Effect, Knob, Risk, ValueKind
from ldap_workbench.model.message import Message
from ldap_workbench.tuning.entries import Entries
from tests.unit.tuning.fakes import BACKEND, FakeTarget

KNOB = Knob("busywait", Message("Wait"), ValueKind.INTEGER, Effect.LIVE, Risk.LOW)
AGREEMENT = replace(KNOB, dn="{agreement}")


class Searched(FakeTarget):
    """A target whose directory has these entries below whatever is searched."""

    def __init__(self, *below: Entry) -> None:
        super().__init__()
        self.asked: list[tuple[str, str, str]] = []

        def search(
            base: str,
            *,
            scope: str = "base",
            filter: str = "",  # noqa: A002 - the field's word
            **_: object,
        ) -> list[Entry]:
            self.asked.append((base, scope, filter))
            return list(below)

        self.directory.search = search  # type: ignore[method-assign, assignment]


def agreements(*names: str) -> Searched:
    return Searched(*(Entry(f"cn={name},cn=replica", {"cn": (name,)}) for name in names))


def located(target: FakeTarget, knob: Knob, place: str) -> str:
    return Entries(target).locate(knob, place)


def test_an_agreement_is_found_by_its_name_and_the_only_one_without() -> None:
    target = agreements("to-b", "to-c")
    assert located(target, AGREEMENT, "to-c") == "cn=to-c,cn=replica"
    kind = "(objectClass=nsds5replicationagreement)"
    assert target.asked == [("cn=mapping tree,cn=config", "sub", kind)]
    assert located(agreements("to-b"), AGREEMENT, "") == "cn=to-b,cn=replica"


@pytest.mark.parametrize(
    ("names", "place", "remedy"),
    [
        ((), "", "This server has none."),
        (("to-c", "to-b"), "", "Write busywait@to-b or busywait@to-c."),
        (("to-b",), "to-x", "Write busywait@to-b."),
    ],
)
def test_an_agreement_that_is_left_open_names_the_choice(
    names: tuple[str, ...], place: str, remedy: str
) -> None:
    with pytest.raises(KnobError) as caught:
        located(agreements(*names), AGREEMENT, place)
    assert str(caught.value.what) == "busywait needs the name of an agreement of replication."
    assert str(caught.value.remedy) == remedy


def test_an_overlay_is_found_whatever_its_number() -> None:
    above = "olcDatabase={1}mdb,cn=config"
    names = ("olcOverlay={0}memberof", "olcoverlay={2}syncprov", "olcOverlay={3}syncprov")
    overlays = [f"{name},{above}" for name in names]
    target = Searched(*(Entry(dn, {}) for dn in overlays))
    knob = replace(KNOB, dn=f"olcOverlay={{*}}syncprov,{above}")
    assert located(target, knob, "") == overlays[1]
    assert target.asked == [(above, "one", "")]
    assert located(Searched(), knob, "") == knob.dn, "named all the same where there is none"


def test_what_was_found_once_is_not_searched_again() -> None:
    target = agreements("to-b", "to-c")
    entries = Entries(target)
    for place in ("to-b", "to-b", "to-c"):
        assert entries.locate(AGREEMENT, place) == f"cn={place},cn=replica"
    assert len(target.asked) == 2


def test_settings_of_bdb_are_in_the_entry_above_on_old_servers() -> None:
    knob = replace(KNOB, dn="cn=bdb,cn=config,cn=ldbm")
    assert located(Searched(), knob, "") == "cn=config,cn=ldbm"
    assert located(Searched(Entry(knob.dn, {})), knob, "") == knob.dn


def test_a_suffix_is_that_of_the_backend() -> None:
    knob = replace(KNOB, dn="cn={suffix},cn=mapping tree")
    target = FakeTarget()
    assert target.facts.backends[0].dn == BACKEND
    assert located(target, knob, "userRoot") == 'cn="dc=example,dc=com",cn=mapping tree'
    assert located(target, knob, "other") == 'cn="",cn=mapping tree'


PORTAL = "uid=Portal,dc=example,dc=com"
LIMIT = replace(KNOB, dn=BIND_DN)


def test_a_limit_lies_in_the_entry_of_the_bind_dn_as_the_server_writes_it() -> None:
    assert located(Searched(Entry(PORTAL, {})), LIMIT, PORTAL.lower()) == PORTAL


@pytest.mark.parametrize(
    ("target", "dn", "reason"),
    [
        (Searched(Entry(PORTAL, {})), "cn=Directory Manager", "is not in a back end"),
        (
            Searched(Entry(PORTAL, {})),
            "uid=portal,dc=another-example,dc=com",
            "is not in a back end",
        ),
        (Searched(), PORTAL, "There is no entry uid=Portal"),
    ],
)
def test_an_identity_without_limits_of_its_own_is_refused(
    target: Searched, dn: str, reason: str
) -> None:
    with pytest.raises(KnobError, match=reason):
        located(target, LIMIT, dn)
