"""Times in which a server sends all its clients elsewhere, and what is beside them."""

from __future__ import annotations

import pytest

from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.families import errors
from tests.unit.advice.material import T0, Log, only, view


def log(*spans, others=()):
    """A search each second, by four clients; those within the spans (s) are referred."""
    seen = Log()
    for n in range(600):
        inside = any(start <= n < end for start, end in spans)
        seen.add("SRCH", n, 0.001, filter="(uid=?)", client=f"192.0.2.{n % 4}",
                 err=10 if inside else 0)  # fmt: skip
    for second in others:
        seen.add("SRCH", second, 0.001, filter="(mail=?)", base="ou=a,dc=b", client="192.0.2.9")
    return seen


def test_a_time_in_which_all_are_referred_is_named_with_its_length():
    finding = only(errors.find_referrals(view(log((100, 190)))), "sent_elsewhere")
    assert finding.severity == 2
    assert (finding.numbers["operations"], finding.numbers["spans"]) == (90, 1)
    sentence = str(finding.sentence)
    assert sentence.startswith("Once, for up to 89")
    assert "90 searches and binds of 4 addresses got a referral" in sentence
    assert finding.numbers["longest_ns"] == pytest.approx(89e9, rel=1e-3)
    assert "Meanwhile" not in sentence


def test_what_failed_and_what_the_error_log_said_is_beside_it():
    seen = log((100, 190), (300, 360))
    for second in (99.5, 299.5):
        seen.add("EXT", second, 0.001, client="192.0.2.71", err=51)
    lines = tuple(
        ErrorLine(T0 + round(second * 1e9), f"[time] - {text}")
        for second, text in [
            (99.8, "ERR - factory_destructor - bulk import abandoned"),
            (190.5, "ERR - agmt - an error of something else"),
            (240, "ERR - import of another time"),
            (300.2, "ERR - factory_destructor - bulk import abandoned"),
        ]
    )
    finding = only(errors.find_referrals(view(seen, errors=lines)), "sent_elsewhere")
    assert finding.severity == 3
    sentence = str(finding.sentence)
    assert sentence.startswith("2 times, for up to")
    assert "Meanwhile 2 extended operations of 192.0.2.71 failed with err=51." in sentence
    assert 'then, 2 times: "ERR - factory_destructor - bulk import abandoned"' in sentence
    assert "another time" not in sentence
    assert "something else" not in sentence


@pytest.mark.parametrize(
    "seen",
    [
        log((100, 140)),
        log((100, 190), others=range(101, 190, 15)),
        log((0, 600)),
        log(*((n, n + 10) for n in range(0, 600, 20))),
    ],
    ids=["few", "somebody gets data", "always: a smart referral", "beside others"],
)
def test_other_referrals_are_by_design(seen):
    assert errors.find_referrals(view(seen)) == []
