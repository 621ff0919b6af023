"""What the catalogue knows of versions: what is lacking, and how threads are counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.knob import Effect, Knob, Proof, Risk, ValueKind
from ldap_workbench.model.message import Message
from ldap_workbench.tuning.catalogue import Catalogue, load_catalogue
from ldap_workbench.tuning.proof import effective, prove
from ldap_workbench.tuning.versions import at_version, lacks, missing_in, nearest, parsed
from tests.unit.tuning.fakes import FACTS


def catalogue(version: str) -> Catalogue:
    return load_catalogue().of(replace(FACTS, version=version))


def proof_of_threads(version: str, counted: int, listeners: str | None = None) -> bool | None:
    """Whether 8 worker threads are proved where cn=monitor counts so many."""
    knob = catalogue(version).knob("threadnumber")
    change = Change(
        1, "g", "s", "p", knob.name, knob.dn, knob.name, ("16",), ("8",), ("8",),
        ChangeState.APPLIED, needs_restart=True, created_ns=0, updated_ns=0,
    )  # fmt: skip
    shown = {
        "threads": (str(counted),),
        "nsslapd-numlisteners": (listeners,) if listeners else None,
    }
    evidence = lambda dn, attribute: shown[attribute]  # noqa: E731
    return prove(knob, change, ("8",), "", restarted=True, evidence=evidence).effective


@pytest.mark.parametrize(
    ("version", "more"),
    [("1.4.4.11", 0), ("1.4.3.39", 0), ("2.3.1", 1), ("2.3.4", 1), ("3.1.2", 1), ("3.1.10", 1)],
)
def test_threads_are_counted_as_the_series_does(version: str, more: int) -> None:
    assert proof_of_threads(version, 8 + more) is True
    assert proof_of_threads(version, 8 + more - 1) is False
    assert proof_of_threads(version, 8 + more + 1) is False


@pytest.mark.parametrize("listeners", [1, 2, 4])
def test_listeners_are_counted_with_the_threads(listeners: int) -> None:
    assert proof_of_threads("3.1.2", 8 + 1 + listeners, str(listeners)) is True
    assert proof_of_threads("3.1.2", 8 + listeners, str(listeners)) is False


@pytest.mark.parametrize("version", ["2.0.15", "2.4.5", "3.2.0", "unknown"])
def test_between_measured_versions_no_count_that_may_be_right_is_called_wrong(version: str) -> None:
    assert [proof_of_threads(version, 8 + more) for more in range(-1, 4)] == [
        False, True, True, False, False,
    ]  # fmt: skip
    knob = catalogue(version).knob("threadnumber")
    assert effective(knob, "", lambda dn, attribute: ("10",)) is None


@pytest.mark.parametrize("version", ["1.4.4.19", "1.4.4.11", "1.4.3", "1.3.10.2"])
def test_what_a_version_or_a_newer_one_lacks_is_not_offered(version: str) -> None:
    with pytest.raises(KnobError, match=r"oldest version known to have it is 2\.3\.1"):
        catalogue(version).knob("nsslapd-statlog-level")


def test_what_no_version_met_has_is_offered_to_newer_ones_only() -> None:
    with pytest.raises(KnobError, match=r"does not exist in 3\.1\.2 and older"):
        catalogue("3.1.2").knob("nsslapd-cache-pinned-entries")
    assert catalogue("3.1.3").knob("nsslapd-cache-pinned-entries")


def test_what_a_version_takes_and_does_not_do_is_not_offered_there() -> None:
    with pytest.raises(KnobError, match=r"does not work in 3\.1\.2.*writes nothing"):
        catalogue("3.1.2").knob("nsslapd-accesslog-log-format")
    assert catalogue("3.1.3").knob("nsslapd-accesslog-log-format")


@pytest.mark.parametrize("version", ["2.3.1", "2.4.0", "10.0", "unknown", ""])
def test_what_is_not_known_to_be_lacking_is_offered(version: str) -> None:
    assert catalogue(version).knob("nsslapd-statlog-level")


def test_listeners_came_after_2_3() -> None:
    with pytest.raises(KnobError):
        catalogue("2.3.1").knob("nsslapd-numlisteners")
    assert catalogue("3.1.2").knob("nsslapd-numlisteners")


@pytest.mark.parametrize(
    ("version", "scans", "storage"),
    [
        ("1.4.3.39", "4000", "PBKDF2_SHA256"),
        ("1.4.4.11", "4000", "PBKDF2_SHA256"),
        ("2.3.1", "4000", "PBKDF2-SHA512"),
        ("2.5.0", "4000", "PBKDF2-SHA512"),
        ("3.1.2", "2147483646", "PBKDF2-SHA512"),
        ("10.0", "2147483646", "PBKDF2-SHA512"),
        ("unknown", "2147483646", "PBKDF2-SHA512"),
    ],
)
def test_a_default_is_that_of_the_nearest_older_version(
    version: str, scans: str, storage: str
) -> None:
    known = catalogue(version)
    assert known.knob("nsslapd-idlistscanlimit").default == scans
    assert known.knob("passwordStorageScheme").default == storage


@pytest.mark.parametrize(
    ("version", "used"), [("2.5.1", "2.3.1"), ("1.4.3.39", "1.4.4.11"), ("3.1.1", "3.1.2")]
)
def test_a_version_nobody_tried_is_said_to_be_one(version: str, used: str) -> None:
    known = catalogue(version)
    assert str(known.remark) == (
        f"The knobs were not tested on {version}. Nearest facts: version {used}."
    )
    assert known.knob("nsslapd-lookthroughlimit").nearest == used


@pytest.mark.parametrize("version", ["2.3.1", "3.1.2", "unknown", ""])
def test_of_a_version_that_was_tried_or_is_not_told_nothing_is_said(version: str) -> None:
    known = catalogue(version)
    assert not known.remark
    assert known.knob("nsslapd-lookthroughlimit").nearest == ""


def test_a_knob_nobody_tried_on_a_version_says_whose_facts_it_has() -> None:
    knob = replace(catalogue("2.3.1").knob("threadnumber"), verified=("1.4.4.11",))
    assert at_version(knob, "2.3.1").nearest == "1.4.4.11"
    assert at_version(replace(knob, verified=()), "2.3.1").nearest == ""


def slapd(version: str) -> Catalogue:
    facts = replace(FACTS, product="OpenLDAP", version=version, db_library="mdb")
    return load_catalogue("openldap").of(facts)


@pytest.mark.parametrize("asked", ["olcDynListAttrSet", "olcDlAttrSet", "olcdlattrset"])
@pytest.mark.parametrize(
    ("version", "name"), [("2.4.57", "olcDlAttrSet"), ("2.5.13", "olcDynListAttrSet")]
)
def test_a_knob_is_found_under_every_name_it_has_had(version: str, name: str, asked: str) -> None:
    assert slapd(version).knob(asked).name == name


@pytest.mark.parametrize(
    ("crashes", "verified", "version", "by"),
    [
        (["2.5.13"], [], "2.5.13", "2.5.13"),
        (["2.5.13"], [], "2.5.14", "2.5.13"),
        (["2.5.13"], [], "2.7.1", "2.5.13"),
        (["2.5.13"], ["2.6.10"], "2.6.9", "2.5.13"),
        (["2.5.13"], ["2.6.10"], "2.6.10", ""),
        (["2.5.13"], ["2.6.10"], "2.7.1", ""),
        (["2.5.13", "2.7.1"], ["2.6.10"], "2.7.2", "2.7.1"),
        (["2.5.13", "2.7.1"], ["2.6.10"], "2.7.0", "2.7.1"),
        (["2.5.13"], ["2.5.13"], "2.5.13", "2.5.13"),
        (["2.5.13"], [], "2.5.12", "2.5.13"),
        (["2.5.13"], ["2.5.1"], "2.5.12", ""),
        (["2.5.13"], ["2.4.57"], "2.4.59", ""),
        (["2.5.13"], ["2.4.57"], "2.5.1", "2.5.13"),
        (["2.5.13"], [], "2.4.57", "2.5.13"),
        (["2.5.13"], ["2.6.10"], "", "2.5.13"),
    ],
)
def test_what_ended_a_version_is_expected_of_later_ones_until_proved_on_one(
    crashes: list[str], verified: list[str], version: str, by: str
) -> None:
    knob = load_catalogue("openldap").knob("olcThreads")
    knob = replace(knob, crashes=tuple(crashes), verified=tuple(verified))
    here = at_version(knob, version)
    assert here.effect is (Effect.OFFLINE if by else Effect.LIVE)
    assert (f"has ended {by}." in str(here.trap)) is bool(by)


def test_another_knob_proved_on_a_version_hides_no_end_of_this_one() -> None:
    known = load_catalogue("openldap")
    ends = replace(known.knob("olcThreads"), crashes=("2.5.13",), verified=())
    proved = replace(known.knob("olcIdleTimeout"), verified=("2.6.10",))
    facts = replace(FACTS, product="OpenLDAP", version="2.6.10", db_library="mdb")
    here = replace(known, knobs=(ends, proved)).of(facts)
    assert here.knob("olcThreads").effect is Effect.OFFLINE
    assert here.knob("olcIdleTimeout").effect is Effect.LIVE


@pytest.mark.parametrize("name", ["olcTCPBuffer", "olcSpSessionlogSource"])
@pytest.mark.parametrize("version", ["2.5.13", "2.5.14", "2.6.10", "2.6.11"])
def test_what_ended_both_versions_is_set_while_it_is_stopped(version: str, name: str) -> None:
    assert slapd(version).knob(name).effect is Effect.OFFLINE


def test_where_a_deleted_value_stays_in_force_a_revert_sets_the_default_first() -> None:
    assert slapd("2.4.57").by_way_of["olcThreads"] == "16"
    assert slapd("2.5.13").by_way_of == {}
    assert catalogue("1.4.4.11").by_way_of == {}


def known(**fields: Any) -> Knob:
    return Knob("k", Message("K"), ValueKind.INTEGER, Effect.LIVE, Risk.LOW, **fields)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("1.4.4.11", (1, 4, 4, 11)), ("2.6", (2, 6)), ("3", (3,)), ("2.6-rc1", (2, 6)), ("B2", ())],
)
def test_a_version_is_the_numbers_it_begins_with(text: str, numbers: tuple[int, ...]) -> None:
    assert parsed(text) == numbers


@pytest.mark.parametrize(
    ("fields", "version", "lacking"),
    [
        ({"since": "2.0"}, "1.9", True),
        ({"since": "2.0"}, "2.0", False),
        ({"lacking": "2.0"}, "1.9", True),
        ({"lacking": "2.0"}, "2.0", True),
        ({"lacking": "2.0"}, "2.0.1", False),
        ({"until": "2.4"}, "2.4", False),
        ({"until": "2.4"}, "2.4.59", False),
        ({"until": "2.4"}, "2.5", True),
        ({"until": "2.4"}, "2.3.9", False),
        ({"broken": ("2.4",)}, "2.4", True),
        ({"broken": ("2.4",)}, "2.4.1", False),
        ({"since": "2.0", "broken": ("2.0",)}, "", False),
        ({}, "2.0", False),
    ],
)
def test_a_knob_is_lacked_from_one_version_to_another(
    fields: dict[str, Any], version: str, lacking: bool
) -> None:
    assert lacks(version, known(**fields)) is lacking


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"broken": ("2.0",), "trap": Message("It hangs.")}, "k does not work in 2.0. It hangs."),
        ({"since": "2.1"}, "k is not known in 2.0: the oldest version known to have it is 2.1."),
        ({"since": "2.0", "lacking": "2.0"}, "k does not exist in 2.0 and older versions."),
        ({"until": "1.9"}, "k does not exist in 2.0: the last version that had it is 1.9."),
    ],
)
def test_why_a_knob_is_lacked_is_said_with_the_version(fields: dict[str, Any], said: str) -> None:
    assert str(missing_in("2.0", known(**fields))) == said


@pytest.mark.parametrize(
    ("version", "tried", "serves"),
    [
        ("2.5.13", ["2.5.12", "2.5.13", "2.5.14"], "2.5.13"),
        ("2.5.13", ["2.5.11", "2.5.12", "2.5.14"], "2.5.12"),
        ("2.5.13", ["2.5.14", "2.5.15"], "2.5.14"),
        ("2.5.13", ["2.4.57", "2.5.14"], "2.5.14"),
        ("2.5.13", ["2.4.57", "2.6.1"], "2.4.57"),
        ("2.5.13", ["2.10.1", "2.9.1"], "2.9.1"),
        ("2.5.13", [], ""),
        ("", ["2.5.13"], ""),
    ],
)
def test_the_nearest_version_is_of_its_branch_else_the_nearest_older(
    version: str, tried: list[str], serves: str
) -> None:
    assert nearest(version, tried) == serves


@pytest.mark.parametrize(
    ("version", "name", "also"),
    [("2.3.9", "old", ("k",)), ("2.4", "old", ("k",)), ("2.4.59", "old", ("k",)), ("2.5", "k", ())],
)
def test_a_former_name_holds_for_all_of_its_branch(
    version: str, name: str, also: tuple[str, ...]
) -> None:
    here = at_version(known(former={"2.4": "old"}), version)
    assert (here.name, here.also) == (name, also)
    assert at_version(known(former={"2.4": "old"}), "").name == "k"


@pytest.mark.parametrize(
    ("version", "offset", "slack"), [("2.3.9", 1, 0), ("3.1.0", 4, 0), ("2.4.0", 1, 3), ("", 1, 3)]
)
def test_a_count_that_was_measured_serves_its_branch_else_anything_between(
    version: str, offset: int, slack: int
) -> None:
    knob = known(proof=Proof(offsets={"2.3.1": 1, "3.1.2": 4}))
    proof = at_version(knob, version).proof
    assert (proof.offset, proof.slack) == (offset, slack)


@pytest.mark.parametrize(
    ("version", "default"), [("1.0", "a"), ("2.0", "a"), ("2.9", "a"), ("3.0", "b"), ("", "b")]
)
def test_a_default_is_the_newest_up_to_the_version(version: str, default: str) -> None:
    assert at_version(known(defaults={"3.0": "b", "2.0": "a"}), version).default == default
