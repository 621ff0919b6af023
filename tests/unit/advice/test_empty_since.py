"""A base below which nobody finds anything from a moment on."""

import pytest

from ldap_workbench.advice.families import slower_since
from ldap_workbench.model.units import NS_PER_S
from tests.unit.advice.material import T0, Log, only, view

BASE = "ou=printers,o=site"


def log(*, until=300, clients=3, usual=1, later=0, turn=None):
    """Some clients look below a base; from a second on they get `later` entries each."""
    made = Log().background(600)
    for second in range(600):
        for client in range(clients):
            entries = usual if second < until else later
            shape = "(cn=?)" if turn is None or second < until else turn
            made.add("SRCH", second + 0.1 * client, 0.001, filter=shape, base=BASE,
                     nentries=entries, client=f"192.0.2.{client}")  # fmt: skip
    return made


def test_a_base_that_is_hidden_is_named_with_what_was_changed_above_it():
    seen = log().add("MOD", 299.5, 0.003, base="o=site", client="192.0.2.77")
    seen.add("MOD", 299.7, 0.003, base="ou=other,o=site", client="192.0.2.78")
    found = only(slower_since.find_empty_since(view(seen)), "empty_since")
    assert found.numbers["searches"] == found.numbers["before"] == 900
    assert found.numbers["base"] == BASE
    assert "MOD of o=site at" in str(found.sentence)
    assert "ou=other" not in str(found.sentence)
    assert "3 clients asked the same" in str(found.sentence)
    assert len(found.evidence[0].rows) == 900


@pytest.mark.parametrize(
    "seen",
    [
        log(later=1),
        log(until=595),  # a few in vain
        log(usual=0),
        log(clients=1),  # one program that looks for something else
        log(turn="(uid=?)"),  # another question
        log().add("SRCH", 599, 0.001, filter="(cn=?)", base=BASE, nentries=1),
    ],
)
def test_what_still_finds_something_and_what_never_did_is_left_alone(seen):
    assert slower_since.find_empty_since(view(seen)) == []


def test_a_base_below_which_half_is_found_at_best():
    seen = log()
    for second in range(300):
        for n in range(3):
            seen.add("SRCH", second + 0.05 * n, 0.001, filter="(cn=?)", base=BASE, nentries=0,
                     client=f"192.0.2.{n}")  # fmt: skip
    assert slower_since.find_empty_since(view(seen)) == []


def jobs(*, until=300, boot=0, goes_on=True, every=20):
    """A client with a job at a steady pace up to a second, and with other requests throughout."""
    made = Log()
    for second in range(600):
        of = {"client": "192.0.2.9", "boot": boot if second >= until else 0}
        if second % every == 3 and second < until:
            made.add("SRCH", second, 0.001, filter="(expires<=?)", **of)
        if goes_on or second < until:
            made.add("SRCH", second + 0.5, 0.001, filter="(uid=?)", **of)
    return made


def test_a_job_that_is_gone_since_the_server_was_started_again():
    gone = only(slower_since.find_gone_since(view(jobs(boot=1))), "gone_since")
    assert gone.severity == 2
    assert gone.numbers["times"] == 15
    assert gone.numbers["every_ns"] == 20_000_000_000
    assert "SRCH (expires<=?)" in str(gone.sentence)
    assert "started again" in str(gone.sentence)


def test_a_restart_long_after_a_job_ended_did_not_end_it():
    seen = jobs(until=200)
    for row in seen.rows:
        row["boot"] = int(row["end_ns"] > T0 + 400 * NS_PER_S)
    gone = only(slower_since.find_gone_since(view(seen)), "gone_since")
    assert gone.severity == 1
    assert "started again" not in str(gone.sentence)


def test_a_client_that_does_nothing_since_the_restart_is_away():
    seen = jobs(until=400)
    seen.rows = [row for row in seen.rows if row["end_ns"] < T0 + 460 * NS_PER_S]
    assert len(slower_since.find_gone_since(view(seen))) == 1
    for row in seen.rows:
        row["boot"] = int(row["end_ns"] > T0 + 420 * NS_PER_S)
    assert slower_since.find_gone_since(view(seen)) == []


def test_a_job_that_ends_while_the_server_goes_on_is_worth_knowing_at_most():
    gone = only(slower_since.find_gone_since(view(jobs())), "gone_since")
    assert gone.severity == 1
    assert "started again" not in str(gone.sentence)


@pytest.mark.parametrize(
    "seen", [jobs(until=580), jobs(goes_on=False), jobs(every=100), jobs(until=60, every=6)]
)
def test_a_job_that_goes_on_or_whose_client_is_done_is_left_alone(seen):
    assert slower_since.find_gone_since(view(seen)) == []
