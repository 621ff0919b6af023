"""The checker of the kills of a campaign: what the journal says, against what the server reads."""

from __future__ import annotations

import pytest

from tests.faults.campaign_kills import disagreements

BEFORE = {"cn=config": {"nsslapd-x": ("1",), "nsslapd-y": ("5",)}, "cn=other": {"a": ("b",)}}


def entry(state, number=1, before="1", asked="2", got="2", attribute="nsslapd-X"):
    values = {"before": before, "asked": asked, "got": got}
    lists = {name: None if value is None else [value] for name, value in values.items()}
    return {"id": number, "dn": "cn=Config", "attribute": attribute, "state": state} | lists


def reads(value, name="nsslapd-x"):
    now = {name: (value,)} if value is not None else {}
    left = {key: old for key, old in BEFORE["cn=config"].items() if key != name}
    return BEFORE | {"cn=config": left | now}


@pytest.mark.parametrize(
    ("state", "allowed"),
    [
        ("applied", "2"),
        ("kept", "2"),
        ("reverted", "1"),
        ("refused", "1"),
        ("intended", "12"),
        ("reverting", "12"),
    ],
)
def test_each_state_of_an_entry_allows_what_it_says(state, allowed):
    for value in "123":
        agrees = disagreements(BEFORE, reads(value), [entry(state)]) == []
        assert agrees == (value in allowed), value


def test_what_no_entry_names_is_as_it_was():
    assert disagreements(BEFORE, BEFORE, []) == []
    assert len(disagreements(BEFORE, reads("6", "nsslapd-y"), [entry("applied")])) == 2
    assert len(disagreements(BEFORE, reads(None, "nsslapd-y"), [])) == 1
    assert len(disagreements(BEFORE, {"cn=config": BEFORE["cn=config"]}, [])) == 1
    assert len(disagreements(BEFORE, BEFORE | {"cn=new": {"c": ("d",)}}, [])) == 1


def test_the_last_entry_of_an_attribute_is_right():
    journal = [entry("applied", number=2, before="2", asked="3", got="3"), entry("kept", number=1)]
    assert disagreements(BEFORE, reads("3"), journal) == []
    assert disagreements(BEFORE, reads("2"), journal) != []


def test_what_the_server_made_of_a_value_counts_and_absent_is_a_value():
    assert disagreements(BEFORE, reads("100"), [entry("applied", asked="50", got="100")]) == []
    without = reads(None)
    assert disagreements(without, without, [entry("reverted", before=None)]) == []
    assert disagreements(without, reads("2"), [entry("reverted", before=None)]) != []
