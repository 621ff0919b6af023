"""A sorted list (VLV) of 389 DS: built, served from, put back exactly, also after kill -9."""

from __future__ import annotations

import re

import pytest

from ldap_workbench.servers.target import Target
from ldap_workbench.tuning.tuner import Tuner
from tests.live.conftest import Tried
from tests.live.lab.ds389 import Lab
from tests.live.lab.steps import configured, unchanged_config, until
from tests.live.tuning.kills import killed

PEOPLE = "ou=people,dc=example,dc=com"
WANTED = f"vlv.by-name@userRoot={PEOPLE} sub (objectClass=person) cn"
ORDER = "cn=by-name,cn=by-name,cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
SORT, VLV = "1.2.840.113556.1.4.473", "2.16.840.1.113730.3.4.9"
BY_CN = b"\x30\x06\x30\x04\x04\x02cn"
FIRST_TEN = b"\x30\x0e\x02\x01\x00\x02\x01\x09\xa0\x06\x02\x01\x01\x02\x01\x00"
KILLS = 10


@pytest.mark.shows("revert exact")
def test_a_list_is_built_serves_its_pages_and_is_removed_again(
    lab: Lab, tuner: Tuner, target: Target, tried: Tried
) -> None:
    if target.facts.db_library == "mdb":
        pytest.skip("lists are not offered with LMDB")
    unbuffered = configured(target, nsslapd_accesslog_logbuffering="off")
    with unbuffered, unchanged_config(lab):
        done = tuner.apply(tuner.catalogue.treatment([WANTED], target.facts))
        assert done.proofs[1].effective
        assert "vlvUses is 0" in str(done.proofs[1].sentence)
        names = first_page(lab)
        assert "notes=" not in until(lambda: result_of_page(lab))
        assert (names, len(names)) == (sorted(names), 10)
        assert "vlvUses is 1" in str(tuner.prove(done.group)[1].sentence)
        reverted = tuner.revert(done.group)
    assert [change.dn for change in reverted] == [ORDER, ORDER.partition(",")[2]]
    assert first_page(lab) == names
    tried(tuner.catalogue.knob("vlv"), done.proofs[1])


@pytest.mark.parametrize(
    "number", [pytest.param(n, marks=[pytest.mark.full] if n else []) for n in range(KILLS)]
)
def test_a_kill_at_any_moment_leaves_no_part_of_a_list(
    lab: Lab, tuner: Tuner, target: Target, number: int
) -> None:
    if target.facts.db_library == "mdb":
        pytest.skip("lists are not offered with LMDB")
    with unchanged_config(lab):
        left = killed(tuner, WANTED, number, 3.0)
        recovered = tuner.recover()
        assert [change.id for change in recovered] == sorted(
            (change.id for change in left), reverse=True
        )
        assert tuner.open_changes() == []


def first_page(lab: Lab) -> list[str]:
    """The names on the first page of ten, asked for with a virtual list view."""
    link = lab.slapd.link()
    controls = [(SORT, False, BY_CN), (VLV, True, FIRST_TEN)]
    link.search(PEOPLE, "(objectClass=person)", attributes=["cn"], controls=controls)
    names = [str(entry["attributes"]["cn"][0]) for entry in link.response]
    link.unbind()
    return names


def result_of_page(lab: Lab) -> str:
    """The result line of the last page of a list that the access log has."""
    lines = lab.access_log.read_text(errors="replace").splitlines()
    pages = [re.search(r" (conn=\d+ op=\d+) VLV ", line) for line in lines]
    last = [page[1] for page in pages if page][-1:]
    results = [line for line in lines if "RESULT" in line and last and f" {last[0]} " in line]
    return results[-1] if results else ""
