"""Limits of one bind DN on 389 DS: in its entry, in force from its next bind on, absent again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import ldap3
import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.knob import Knob, Setting
from ldap_workbench.servers.target import Target
from ldap_workbench.tuning.tuner import Tuner
from tests.live.conftest import Tried
from tests.live.lab.ds389 import SUFFIX, Lab
from tests.live.lab.steps import unchanged_config, workbench
from tests.live.lab.users import PASSWORD
from tests.live.lab.walks import BIND_DN, another_value
from tests.live.tuning.kills import MOMENTS, killed

PEOPLE = f"ou=people,{SUFFIX}"
PORTAL = f"uid=user000009,{PEOPLE}"


@pytest.fixture(autouse=True)
def as_before(lab: Lab) -> Iterator[None]:
    """The configuration and the entry are as they were."""
    with unchanged_config(lab):
        before = entry(lab)
        yield
        assert entry(lab) == before


def entry(lab: Lab) -> dict[str, list[str]]:
    """What people have put into it, and its limits; a password is rehashed at a bind."""
    link, limits = lab.slapd.link(), [knob.name for knob in BIND_DN]
    link.search(PORTAL, "(objectClass=*)", ldap3.BASE, attributes=["*", *limits])
    values = link.entries[0].entry_attributes_as_dict
    link.unbind()
    return {name: values[name] for name in values if name.lower() != "userpassword"}


@pytest.mark.shows("revert exact")
@pytest.mark.parametrize("knob", BIND_DN, ids=lambda knob: knob.name)
def test_every_limit(target: Target, tuner: Tuner, knob: Knob, tried: Tried) -> None:
    wanted = Setting(knob.name, another_value(knob, None), PORTAL)
    applied = tuner.apply(tuner.catalogue.treatment([wanted.argument], target.facts))
    (change,) = applied.changes
    assert (change.before, change.got) == (None, (wanted.value,))
    assert tuner.read(knob.name, PORTAL).value == wanted.value
    tuner.revert(applied.group)
    assert tuner.read(knob.name, PORTAL).value is None
    tried(tuner.catalogue.knob(knob.name), applied.proofs[0])


def test_a_limit_counts_from_the_next_bind_on(lab: Lab, target: Target, tuner: Tuner) -> None:
    bound_before = bound(lab)
    wanted = tuner.catalogue.treatment([f"nsSizeLimit@{PORTAL}=3"], target.facts)
    applied = tuner.apply(wanted)
    bound_meanwhile = bound(lab)
    assert answer(bound_meanwhile) == (4, 3)  # sizeLimitExceeded
    whole = answer(bound_before)
    assert whole[0] == 0
    tuner.revert(applied.group)
    assert answer(bound_meanwhile) == (4, 3)
    assert bound_meanwhile.rebind(PORTAL, PASSWORD)
    assert answer(bound_meanwhile) == whole
    bound_meanwhile.unbind()
    bound_before.unbind()


def bound(lab: Lab) -> ldap3.Connection:
    server = ldap3.Server("127.0.0.1", lab.slapd.port, get_info=ldap3.NONE)
    return ldap3.Connection(server, PORTAL, PASSWORD, auto_bind=True)


def answer(link: ldap3.Connection) -> tuple[int, int]:
    """The result of a search that returns many, and how many it did."""
    link.search(PEOPLE, "(uid=user00000*)", ldap3.SUBTREE, attributes=["cn"])
    return link.result["result"], len(link.entries)


def test_the_first_sentence_says_that_all_replicas_change(lab: Lab, tmp_path: Path) -> None:
    ProfileStore().add(lab.profile)
    setting = f"nsSizeLimit@{PORTAL}=50"
    asked = workbench("experiment", "lab", "-o", str(tmp_path / "s.ldapwb"), "--set", setting)
    assert asked.returncode != 0
    said = " ".join(asked.stderr.split())
    assert said.startswith(f"This changes user data, {PORTAL}: replication sends it to all"), said
    assert f"nsSizeLimit@{PORTAL}: absent → 50 entries." in said


@pytest.mark.parametrize(
    ("dn", "reason"),
    [("cn=Directory Manager", "is not in a back end"),
     ("cn=nobody,cn=config", "is not in a back end"),
     (f"uid=nobody,{PEOPLE}", "There is no entry")],
)  # fmt: skip
def test_an_identity_without_limits_is_refused(
    tuner: Tuner, target: Target, dn: str, reason: str
) -> None:
    wanted = tuner.catalogue.treatment([Setting("nsSizeLimit", "5", dn)], target.facts)
    with pytest.raises(KnobError, match=reason):
        tuner.plan(wanted)


@pytest.mark.parametrize("number", MOMENTS)
def test_a_kill_at_any_moment_leaves_what_the_journal_says(
    lab: Lab, tuner: Tuner, number: int
) -> None:
    left = killed(tuner, f"nsLookThroughLimit@{PORTAL}=-1", number, 1.0)
    assert left or tuner.read("nsLookThroughLimit", PORTAL).value is None
    recovered = tuner.recover()
    assert [change.id for change in recovered] == [change.id for change in left]
    assert tuner.open_changes() == []
    assert tuner.read("nsLookThroughLimit", PORTAL).value is None
