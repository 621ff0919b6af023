"""What speaks for a value being in force: the same number elsewhere, perhaps in other units."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from ldap_workbench.model.change import Change, ChangeState, ProofResult
from ldap_workbench.model.knob import Effect, Knob, Proof, Risk, ValueKind
from ldap_workbench.model.message import Message
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.proof import effective, prove

MAP = load_catalogue("openldap").knob("olcDbMaxSize")
CHANGE = Change(
    id=1,
    group="g",
    server="ldap://here",
    profile="p",
    knob=MAP.name,
    dn="olcDatabase={1}mdb,cn=config",
    attribute=MAP.name,
    before=None,
    asked=("1073741824",),
    got=("1073741824",),
    state=ChangeState.APPLIED,
    needs_restart=False,
    created_ns=0,
    updated_ns=0,
)


def shown_as(pages: str) -> ProofResult:
    def evidence(dn: str, attribute: str) -> tuple[str, ...]:
        assert (dn, attribute) == ("cn=Database 1,cn=Databases,cn=Monitor", "olmMDBPagesMax")
        return (pages,)

    return prove(MAP, CHANGE, CHANGE.got, "{1}mdb", restarted=False, evidence=evidence)


def test_bytes_that_show_as_pages() -> None:
    proof = shown_as("262144")
    assert proof.effective is True
    assert "is in force: olmMDBPagesMax is 262144" in str(proof.sentence)
    assert effective(MAP, "{1}mdb", lambda *_: ("262144",)) == "1073741824"


def test_a_page_too_few_is_not_in_force() -> None:
    proof = shown_as("262143")
    assert proof.effective is False
    assert "262144 was expected" in str(proof.sentence)


def test_a_value_that_is_not_ours_any_more_is_not_in_force() -> None:
    change = dataclasses.replace(CHANGE, got=("4096",))
    proof = prove(
        MAP, change, ("8192",), "{1}mdb", restarted=False, evidence=lambda *_: ("not asked",)
    )
    assert (proof.stored, proof.effective) == (False, False)


def threads(**proof: Any) -> Knob:
    """A knob that cn=monitor shows as `count`."""
    shown = Proof(
        kind="monitor", dn="cn=monitor", attribute="count", says=Message("as is"), **proof
    )
    return Knob("t", Message("T"), ValueKind.INTEGER, Effect.LIVE, Risk.LOW, proof=shown)


def proved(knob: Knob, seen: tuple[str, ...] | None, **fields: Any) -> ProofResult:
    """What proves a change of `knob` to 100 where the server shows `seen`."""
    change = dataclasses.replace(CHANGE, asked=("100",), got=("100",), **fields)

    def evidence(dn: str, attribute: str) -> tuple[str, ...] | None:
        return seen if (dn, attribute) == ("cn=monitor", "count") else ("7",)

    return prove(knob, change, ("100",), "", restarted=False, evidence=evidence)


@pytest.mark.parametrize(
    ("proof", "seen", "works"),
    [
        ({}, "100", True),
        ({}, "101", False),
        ({}, "99", False),
        ({"offset": 2}, "102", True),
        ({"offset": 2}, "100", False),
        ({"offset": 1, "plus": "more"}, "108", True),
        ({"offset": 1, "plus": "more"}, "101", False),
        ({"slack": 2}, "100", True),
        ({"slack": 2}, "102", True),
        ({"slack": 2}, "103", False),
        ({"slack": 2}, "99", False),
        ({"tolerance": 0.25}, "75", True),
        ({"tolerance": 0.25}, "125", True),
        ({"tolerance": 0.25}, "74", False),
        ({"tolerance": 0.25}, "126", False),
        ({"tolerance": 0.25, "slack": 1}, "126", True),
        ({"scale": 10}, "10", True),
        ({"scale": 10}, "100", False),
    ],
)
def test_a_count_proves_a_value_as_exactly_as_the_knob_says(
    proof: dict[str, Any], seen: str, works: bool
) -> None:
    result = proved(threads(**proof), (seen,))
    assert (result.stored, result.effective) == (True, works)
    said = "t=100 is in force: " if works else "t=100 is not in force: "
    assert str(result.sentence).startswith(f"{said}count is {seen}")


@pytest.mark.parametrize(
    ("proof", "wanted"),
    [
        ({}, "100 was"),
        ({"slack": 2}, "100 to 102 was"),
        ({"tolerance": 0.1}, "about 100 was"),
        ({"slack": 2, "tolerance": 0.1}, "about 100 to 102 was"),
    ],
)
def test_what_was_expected_is_said_as_exactly(proof: dict[str, Any], wanted: str) -> None:
    assert f"count is 1, {wanted} expected (as is)." in str(
        proved(threads(**proof), ("1",)).sentence
    )


def test_values_are_counted_where_their_number_is_the_evidence() -> None:
    knob = threads(counting="listener")
    seen = tuple(f"listener {number}" for number in range(100))
    assert proved(knob, (*seen, "worker 1")).effective is True
    assert proved(knob, seen[1:]).effective is False


def test_what_the_server_does_not_show_proves_nothing() -> None:
    result = proved(threads(), None)
    assert (result.stored, result.effective) == (True, None)
    assert str(result.sentence) == "t reads 100; the server does not show count."


def test_before_a_restart_nothing_is_proved() -> None:
    result = proved(threads(), ("100",), needs_restart=True)
    assert (result.stored, result.effective) == (True, None)
    assert str(result.sentence) == "t reads 100; it takes effect after a restart."


@pytest.mark.parametrize(
    ("kind", "effective", "said"),
    [
        ("sysfs", True, "t@vda reads 100: as is."),
        ("stored", None, "t@vda reads 100; no counter of the server shows whether it is in force."),
    ],
)
def test_without_a_counter_reading_back_is_all_there_is(
    kind: str, effective: bool | None, said: str
) -> None:
    knob = dataclasses.replace(threads(), proof=Proof(kind=kind, says=Message("as is")))
    change = dataclasses.replace(CHANGE, asked=("100",), got=None)
    result = prove(knob, change, ("100",), "vda", restarted=False, evidence=lambda *_: ("1",))
    assert (result.stored, result.effective, str(result.sentence)) == (True, effective, said)


def test_an_absent_value_has_no_counter() -> None:
    change = dataclasses.replace(CHANGE, asked=None, got=None)
    result = prove(threads(), change, None, "", restarted=False, evidence=lambda *_: ("1",))
    assert (result.stored, result.effective) == (True, None)
    assert "t reads absent; no counter" in str(result.sentence)


@pytest.mark.parametrize(
    ("proof", "seen", "value"),
    [
        ({}, ("64",), "64"),
        ({}, ("auto",), "auto"),
        ({}, None, None),
        ({"offset": 2}, ("64",), "62"),
        ({"plus": "more"}, ("64",), "57"),
        ({"scale": 4096}, ("2",), "8192"),
        ({"offset": 1, "scale": 4096}, ("2",), "4096"),
        ({"slack": 2}, ("64",), None),
        ({"counting": "a"}, ("ab", "b", "ca"), "2"),
    ],
)
def test_the_value_in_force_is_read_from_the_counter(
    proof: dict[str, Any], seen: tuple[str, ...] | None, value: str | None
) -> None:
    def evidence(dn: str, attribute: str) -> tuple[str, ...] | None:
        return seen if attribute == "count" else ("7",)

    assert effective(threads(**proof), "", evidence) == value
    stored = dataclasses.replace(threads(), proof=Proof())
    assert effective(stored, "", evidence) is None
