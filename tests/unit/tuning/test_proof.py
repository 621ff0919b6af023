"""What speaks for a value being in force: the same number elsewhere, perhaps in other units."""

from __future__ import annotations

import dataclasses

from ldap_workbench.model.change import Change, ChangeState, ProofResult
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
