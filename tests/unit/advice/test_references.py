"""Who refers to whom: entries many groups name, rings of groups."""

from ldap_workbench.advice.families import references
from ldap_workbench.connect.directory import Entry
from tests.unit.advice.material import only


class Groups:
    """A directory that answers (member=*) only, as groups of the test."""

    url = "ldap://test"

    def __init__(self, groups):
        self.groups = groups
        self.searches = []

    def search(self, base, *, scope="base", filter="", attributes=("*",)):  # noqa: A002
        self.searches.append((base, scope, filter, attributes))
        if filter != "(member=*)":
            return []
        return [Entry(dn, {"Member": tuple(values)}) for dn, values in self.groups.items()]


def test_references_are_read_and_never_written():
    directory = Groups({"cn=A,ou=g": ["uid=1, ou=p", "cn=B,ou=g"]})
    found = references.references(directory, "dc=example")
    assert found == {"cn=a,ou=g": {"uid=1,ou=p", "cn=b,ou=g"}}
    assert {scope for _, scope, _, _ in directory.searches} == {"sub"}


def test_an_entry_that_more_than_twenty_refer_to():
    groups = {f"cn=g{i}": ["uid=boss", "uid=x"] if i < 20 else ["uid=boss"] for i in range(21)}
    assert references.most_referred(groups) == [("uid=boss", 21)]
    found = references.reference_findings(groups)
    assert only(found, "referred").numbers["most"] == 21


def test_a_ring_of_groups_is_found_and_a_chain_is_not():
    ring = {"cn=a": ["cn=b"], "cn=b": ["cn=c", "uid=1"], "cn=c": ["cn=a"], "cn=d": ["cn=a"]}
    assert references.rings(ring) == [("cn=a", "cn=b", "cn=c")]
    assert only(references.reference_findings(ring), "group_ring").numbers["longest"] == 3
    chain = {"cn=a": ["cn=b", "cn=c"], "cn=b": ["cn=c"], "cn=c": ["uid=1"]}
    assert references.rings(chain) == []
    assert references.rings({"cn=a": ["cn=a"]}) == [("cn=a",)]


def test_groups_nested_deeper_than_the_stack():
    deep = {f"cn={i}": [f"cn={i + 1}"] for i in range(5_000)} | {"cn=5000": ["cn=0"]}
    assert len(references.rings(deep)[0]) == 5_001
