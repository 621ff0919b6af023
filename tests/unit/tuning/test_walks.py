"""A knob is called verified only where a live test sets it, proves it and puts it back."""

from __future__ import annotations

import pytest

from ldap_workbench.model.knob import Knob
from ldap_workbench.tuning import load_catalogue
from tests.live.walks import (
    HOST,
    LIVE,
    LMDB,
    OFFLINE,
    OPENDJ_LIVE,
    OPENDJ_RESTART,
    OPENLDAP,
    RESTART,
)

WALKED = [*LIVE, *RESTART, *OFFLINE, *LMDB, *HOST, *OPENLDAP, *OPENDJ_LIVE, *OPENDJ_RESTART]


@pytest.mark.parametrize("product", ["389ds", "openldap", "opendj"])
def test_every_verified_knob_is_walked(product: str) -> None:
    verified = {(k.name, k.dn) for k in load_catalogue(product).knobs if k.verified}
    assert verified <= {(knob.name, knob.dn) for knob in WALKED}


@pytest.mark.parametrize(
    "walk", [LIVE, RESTART, OFFLINE, LMDB, HOST, OPENLDAP, OPENDJ_LIVE, OPENDJ_RESTART]
)
def test_every_walk_has_knobs_and_only_verified_ones(walk: list[Knob]) -> None:
    assert walk
    assert all(knob.verified and not knob.steps for knob in walk)
