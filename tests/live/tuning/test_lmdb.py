"""Knobs of LMDB on a real 389 DS: lab only, the practice directory has a Berkeley DB below it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ldap_workbench.model.errors import ChangeError, KnobError
from ldap_workbench.model.knob import Effect, Setting
from ldap_workbench.servers.target import Target
from ldap_workbench.tuning.restart import restart
from ldap_workbench.tuning.tuner import Tuner
from tests.live.conftest import Tried
from tests.live.lab.ds389 import Lab
from tests.live.lab.steps import connected, unchanged_config
from tests.live.lab.walks import LMDB, another_value


@pytest.fixture(scope="module")
def own_lab() -> Iterator[Lab]:
    with Lab().start(100, "mdb") as lab:
        lab.restart()  # the first start completes dse.ldif
        yield lab


@pytest.fixture
def target(own_lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Iterator[Target]:
    """Connected; the test must leave its cn=config as it was."""
    with unchanged_config(own_lab), connected(own_lab, monkeypatch) as target:
        if target.facts.db_library != "mdb":
            pytest.skip("this version has no LMDB")
        yield target


@pytest.mark.shows("restarts", "revert exact")
def test_caches_and_readers(target: Target, tuner: Tuner) -> None:
    settings = ["cachememsize=64 MiB", "mdb-max-readers=200"]
    wanted = tuner.catalogue.treatment(settings, target.facts)
    sized = [s for s in wanted.settings if s.knob == "nsslapd-cache-autosize"]
    known = {knob.name for knob in tuner.catalogue.of(target.facts).knobs}
    assert bool(sized) == ("nsslapd-cache-autosize" in known), "since 3.3 LMDB sizes caches, too"
    applied = tuner.apply(wanted)
    assert [each.effective for each in applied.proofs[len(sized) :]] == [True, None]
    restart(target)
    assert [each.effective for each in tuner.prove(applied.group)][len(sized) :] == [True, True]
    tuner.revert(applied.group)
    restart(target)


def test_berkeley_db_is_not_asked_for(target: Target, tuner: Tuner) -> None:
    with pytest.raises(KnobError, match="no knob"):
        tuner.catalogue.treatment(["db-checkpoint-interval=15"], target.facts)


@pytest.mark.shows("offline edits", "revert exact")
def test_every_knob_of_lmdb(target: Target, tuner: Tuner, tried: Tried) -> None:
    """What waits for a restart gets it from the stop that the offline one needs."""
    offered = [k for k in tuner.catalogue.knobs if (k.name, k.dn) in {(n.name, n.dn) for n in LMDB}]
    wanted = [Setting(k.name, another_value(k, tuner.read(k.name).value)) for k in offered]
    assert any(knob.effect is Effect.OFFLINE for knob in offered)
    treatment = tuner.catalogue.treatment(wanted, target.facts)
    with pytest.raises(ChangeError, match="while the server runs"):
        tuner.apply(treatment)
    tuner.may_stop = True
    applied = tuner.apply(treatment)
    proofs = dict(
        zip((each.knob for each in applied.changes), tuner.prove(applied.group), strict=True)
    )
    for knob, setting in zip(offered, wanted, strict=True):
        assert tuner.read(knob.name).value == setting.value
        assert proofs[knob.name].stored
        assert proofs[knob.name].effective is (True if knob.proof.kind == "monitor" else None)
        tried(knob, proofs[knob.name])
    tuner.revert(applied.group)
    restart(target)
