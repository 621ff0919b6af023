"""The file of the audit log, and limits of paged searches: in force at once, and put back."""

from __future__ import annotations

import ldap3
import pytest

from ldap_workbench.model.errors import ChangeError
from ldap_workbench.servers.target import Target
from ldap_workbench.tuning.tuner import Tuner
from tests.live.conftest import Tried
from tests.live.lab.ds389 import Lab
from tests.live.lab.steps import unchanged_config, until

PEOPLE = "ou=people,dc=example,dc=com"


@pytest.mark.shows("revert exact")
def test_the_audit_log_goes_on_in_another_file_at_once(
    lab: Lab, tuner: Tuner, target: Target, tried: Tried
) -> None:
    other = lab.slapd.folder / "tmp" / "audit"
    with unchanged_config(lab):
        with pytest.raises(ChangeError, match="was refused"):
            tuner.apply(tuner.catalogue.treatment(["nsslapd-auditlog=/absent/a"], target.facts))
        wanted = ["nsslapd-auditlog-logging-enabled=on", f"nsslapd-auditlog={other}"]
        done = tuner.apply(tuner.catalogue.treatment(wanted, target.facts))
        link = lab.slapd.link()
        changes = {"description": [(ldap3.MODIFY_REPLACE, ["in the other file"])]}
        assert link.modify(f"uid=user000007,{PEOPLE}", changes)
        link.unbind()
        until(lambda: "in the other file" in other.read_text(errors="replace"))
        tuner.revert(done.group)
    tried(tuner.catalogue.knob("nsslapd-auditlog"), done.proofs[1])


def test_a_limit_of_paged_searches_ends_one_that_reads_too_much(
    lab: Lab, tuner: Tuner, target: Target
) -> None:
    """The limit is for each page: one that is full before it is met has no error."""

    def ending(filter_: str = "(description=*not there*)") -> str:
        server = ldap3.Server("127.0.0.1", lab.slapd.port)
        with ldap3.Connection(server, auto_bind=True) as link:
            link.search(PEOPLE, filter_, attributes=["cn"], paged_size=10)
            return str(link.result["description"])

    assert ending() == "success"
    wanted = tuner.catalogue.treatment(["nsslapd-pagedlookthroughlimit=100"], target.facts)
    done = tuner.apply(wanted)
    assert ending() == "adminLimitExceeded"
    assert ending("(description=*user*)") == "success"
    tuner.revert(done.group)
    assert ending() == "success"
