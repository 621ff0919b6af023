"""Faults of the field, rebuilt from threads of administrators: what must be said, and what not."""

import re
from dataclasses import dataclass

import pytest

from tests.field.case import FOREIGN
from tests.field.scoring import ask
from tests.unit.logs.material import CORPUS

FIELD = CORPUS / "field" / "diagnosis"
pytestmark = pytest.mark.skipif(not FIELD.is_dir(), reason="the corpus of field cases is absent")


@dataclass(frozen=True)
class Expected:
    """`says`: in the heads of the first group; `advises`, `never`: anywhere in what is said."""

    folder: str
    product: str
    says: str
    advises: str = ""
    never: str = r"idlistscanlimit|ATTRIBUTE"


CASES = (
    Expected("01-openldap-gets-389-advice", "OpenLDAP", "stalled together"),
    Expected(
        "02-opendj-gets-389-advice",
        "OpenDJ",
        "oxticket",
        r"create-backend-index.*oxTicket(?s:.*)rebuild-index",
        r"--index-name objectClass",
    ),
    Expected("04-openldap-not-indexed-lines", "OpenLDAP", "memberuid", "olcDbIndex: memberUid eq"),
    Expected("05-389-errors-unindexed-notices", "389 DS", "60 searches", "--attr uidNumber.*eq"),
    Expected(
        "06-krblastsuccess-without-binds",
        "389 DS",
        "Every login writes",
        "KDC:Disable Last Success",
        r"cache of a (second|minute)",
    ),
    Expected("06b-krblastsuccess-with-80-binds", "389 DS", "Every login writes"),
    Expected(
        "07-sudohost-name-the-attribute",
        "389 DS",
        "Searches without an index",
        r"--attr objectClass --index-type eq(?s:.*)--attr sudoHost --index-type eq",
    ),
    Expected(
        "09-lookups-after-one-entry",
        "389 DS",
        r"10\.13\.0\.7.*25 times, one after another.*100 % of the worker time",
        "memberOf",
    ),
    Expected(
        "11-indexed-filter-gets-index-advice", "389 DS", r"10,000 entries", "", "backend index add"
    ),
    Expected(
        "12-config-lookthrough-and-entrydn", "389 DS", "entryrdn replaced", "lookthroughlimit 5000"
    ),
    Expected(
        "14-one-client-loops", "389 DS", "3,000 times and got no entry in 100 %", "memberUid=USER"
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.folder)
def test_a_case_of_the_field_is_named_and_answered(case, tmp_path):
    said = ask(sorted((FIELD / case.folder).iterdir()), tmp_path)
    assert re.search(case.says, said.groups[0].heads, re.IGNORECASE), said.groups[0].heads
    everything = "\n".join([g.text for g in said.groups] + [one.text for one in said.advice])
    assert re.search(case.advises, everything)
    assert not re.search(case.never, everything)
    assert re.findall(FOREIGN[case.product], everything) == []
