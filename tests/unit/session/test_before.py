"""A session written by the program before verdicts and messages had types opens as it was."""

import json
from pathlib import Path

import pytest
import zstandard

from ldap_workbench.advice.evidence.view import settings_now, view_window
from ldap_workbench.advice.families.find import findings
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.model.stored import as_stored
from ldap_workbench.session.reader import Session

BEFORE = Path(__file__).parent / "before"
"""Made by tests/sessions.py at commit 5a9d924 (6 pairs of 20 s, 20 operations a second)."""


@pytest.fixture
def before(tmp_path):
    path = tmp_path / "experiment.ldapwb"
    packed = (BEFORE / "experiment.ldapwb.zst").read_bytes()
    path.write_bytes(zstandard.ZstdDecompressor().stream_reader(packed).read())
    with Session.open(path) as session:
        yield session


def test_every_number_and_text_of_the_verdict_is_there(before):
    [(body,)] = before.rows("SELECT body FROM experiment")
    [experiment] = before.experiments()
    assert '"insufficient"' in body, "a word of then"
    written = json.loads(body.replace('"insufficient"', '"not enough data"'))["verdict"]
    # It was not stored which windows were measured again, and in which the server hung.
    written["details"] |= {"lost": [], "hung": []}
    assert present(written | {"rules": 0}) == present(as_stored(experiment.verdict))


def test_findings_advice_and_stalls_are_the_same(before):
    expected = json.loads((BEFORE / "expected.json").read_text("utf-8"))
    found = findings(before)
    # A finding may have more numbers than it had then, and those of then as they were.
    assert [
        {
            "id": finding.id,
            "severity": finding.severity,
            "numbers": {name: finding.numbers[name] for name in then["numbers"]},
        }
        for finding, then in zip(found, expected["findings"], strict=True)
    ] == expected["findings"]
    # Of one stall nobody knows that a checkpoint made it, as was said then.
    assert advise(found, before.facts, settings_now(before)) == []
    counted = [view_window(before, window).stalls for window in before.windows()]
    lengths = [stall.length_ns for stalls in counted for stall in stalls]
    assert lengths == [stall["length_ns"] for stall in expected["stalls"]]


def present(value):
    """What a stored noun says; a key without a value says nothing."""
    if isinstance(value, dict):
        return {key: present(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [present(each) for each in value]
    return value
