"""What referential integrity looks after and what of it has no index, as the server tells."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.families import references
from ldap_workbench.advice.families.references import (
    ATTRIBUTES,
    PLUGIN,
    Membership,
    membership,
    membership_findings,
)
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.target import Backend
from tests.unit.advice.material import FACTS, only

BACKENDS = tuple(Backend(n, f"dc={n}", f"cn={n},cn=ldbm") for n in ("people", "groups"))
TWO = replace(FACTS, backends=BACKENDS)


class Server:
    """A plug-in's entry and the index entries of back ends: name to attributes with their kinds."""

    url = "ldap://test"

    def __init__(self, enabled="on", attributes=("member", "seeAlso"), **indexes):
        self.plugin = {"nsslapd-pluginenabled": (enabled,)}
        if attributes:
            self.plugin["referint-membership-attr"] = attributes
        self.indexes = indexes
        self.searched = []

    def search(self, base, *, scope="base", filter="", attributes=("*",)):  # noqa: A002
        self.searched.append((base, scope, filter))
        if base == PLUGIN:
            return [Entry(base, self.plugin)] if self.plugin else []
        if base.startswith("cn=index,"):
            kinds = self.indexes.get(base.split(",")[1].removeprefix("cn="), {})
            return [Entry(n, {"cn": (n,), "nsIndexType": tuple(k)}) for n, k in kinds.items()]
        return []


SYSTEM = {"entryrdn": ["subtree"]}


def test_what_is_configured_and_not_indexed_for_each_back_end():
    server = Server(
        people={**SYSTEM, "Member": ["pres", "EQ"], "seealso": ["eq"]},
        groups={**SYSTEM, "member": ["sub"]},
    )
    found = membership(server, TWO)
    assert found.attributes == ("member", "seeAlso")
    assert found.unindexed == {"groups": ("member", "seeAlso")}
    told = only(membership_findings(found), "referint_unindexed")
    assert told.numbers["backends"] == {"groups": ["member", "seeAlso"]}
    assert "member, seeAlso in groups" in str(told.sentence)
    (index,) = (each for each in advise([told], TWO) if each.id == "referint-index")
    assert "Not indexed here: member, seealso." in str(index.why)


@pytest.mark.parametrize(
    "server",
    [
        Server("off", groups=SYSTEM),
        Server(groups={**SYSTEM, "member": ["eq"], "seealso": ["eq"]}),
        Server(),  # shows no index at all: it may not be read
    ],
)
def test_a_plug_in_that_is_off_or_indexed_is_left_alone(server):
    assert membership_findings(membership(server, TWO)) == []


def test_a_server_that_does_not_show_its_plug_in_has_the_usual_attributes():
    server = Server(attributes=())
    assert membership(server, TWO).attributes == ATTRIBUTES
    server.plugin = {}
    assert membership(server, TWO) == Membership()
    slapd = Server()
    assert membership(slapd, replace(TWO, product="OpenLDAP")) == Membership()
    assert slapd.searched == []


def test_references_are_searched_for_what_is_configured():
    server = Server(attributes=("manager",), groups=SYSTEM)
    found = references.asked(server, TWO)
    assert [each.id for each in found] == ["referint_unindexed"]
    wanted = [(f"dc={name}", "sub", "(manager=*)") for name in ("people", "groups")]
    assert [search for search in server.searched if search[1] == "sub"] == wanted
