"""Searches that cost by their kind, each beside one that nearly does."""

import pytest

from ldap_workbench.advice.families import index_keys, search_kinds
from ldap_workbench.capture.importing.companions import kept_of
from ldap_workbench.logs.server.ldif import read_ldif
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from tests.unit.advice.configurations import dse
from tests.unit.advice.material import Log, only, view


def log_of(count=20, etime=0.2, **columns):
    """Some searches of one kind over a quick background."""
    log = Log().background(60)
    for n in range(count):
        log.add("SRCH", 3 * n, etime, **({"filter": "(uid=?)"} | columns))
    return log


WIDE = "(|" + "(uid=?)" * 60 + ")"
CUT = "(|" + "(mail=?)" * 11 + "(mail=?"
INDEX = {"index_ids": 40_000, "index_ns": 100_000_000, "nentries": 1, "index_key": 0}
DYNLIST = Configuration(
    (
        ConfigurationEntry(
            "olcOverlay={0}dynlist,olcDatabase={1}mdb,cn=config",
            {"olcdynlistattrset": ("groupOfURLs memberURL member+memberOf@groupOfNames",)},
        ),
    )
)
HAS = {
    "sorted": ({"notes": "S"}, "server_sort", "20 searches were sorted"),
    "pages of a list": ({"vlv": True}, "server_sort", "20 of them pages"),
    "many terms": ({"filter": WIDE}, "wide_filter", "up to 60 comparisons"),
    "many terms, cut off": ({"filter": CUT}, "wide_filter", "with more than 12 comparisons"),
    "long lists": (INDEX, "long_id_lists", "up to 40,000 entries"),
    "roles": ({"filter": "(&(uid=?)(nsrole=?))"}, "virtual_attributes", "nsrole"),
}
HAS_NOT = {
    "sorted quickly": {"notes": "S", "etime": 0.005},
    "sorted once": {"notes": "S", "count": 1},
    "not so many terms": {"filter": "(|" + "(uid=?)" * 40 + ")"},
    "few terms, cut off": {"filter": "(|" + "(description=?)" * 5 + "(description=?"},
    "lists that are returned": INDEX | {"nentries": 30_000},
    "every entry, as nothing is indexed": INDEX | {"notes": "U"},
    "short lists": INDEX | {"index_ids": 500},
    "memberOf that is stored": {"filter": "(memberof=?)"},
}


def test_a_sorted_list_beside_one_that_has_its_index():
    log = Log().background(60)
    for n in range(200):
        log.add("SRCH", n / 4, 0.003, filter="(objectclass=?)", notes="S", vlv=True)
        if n % 20 == 0:
            log.add("SRCH", n / 4, 4.0, filter="(objectclass=?)", notes="S", bind_dn="cn=b")
    seen = only(search_kinds.find(view(log)), "server_sort")
    assert seen.numbers["searches"] == 10


def test_the_databases_of_slapd_that_sort_are_named():
    overlay = ConfigurationEntry("olcOverlay={0}sssvlv,olcDatabase={2}mdb,cn=config", {})
    log = log_of(notes="S")
    for entries, sorters in (((overlay,), ["{2}mdb"]), ((), [])):
        seen = search_kinds.find(view(log, configuration=Configuration(entries)))
        assert only(seen, "server_sort").numbers["sorters"] == sorters


REQUEST = (
    '[t] conn=7 op=3 SRCH base="ou=people,dc=example,dc=com" scope=2 filter="{filter}" attrs="cn"'
)
LINES = (
    "[t] conn=8 op=1 SORT mail (4)",
    "[t] conn=7 op=3 SORT sn -cn (5000)",
    "[t] conn=7 op=3 VLV 0:9:0:0 1:5000 (0)",
)


def listed(filter_="(objectClass=person)", lines=LINES):
    """The list that the lines of one page name."""
    text = "\n".join((REQUEST.format(filter=filter_), *lines)) + "\n"
    log = log_of(filter="(objectclass=?)", notes="S", vlv=True, request_at=0)
    seen = view(
        log,
        request_of=lambda _: text.partition("\n")[0],
        line_at=lambda at: text[at:].partition("\n")[0],
    )
    return only(search_kinds.find(seen), "server_sort").numbers["list"]


def test_the_list_of_a_page_is_read_from_its_lines():
    assert listed() == "ou=people,dc=example,dc=com sub (objectClass=person) sn -cn"


def test_a_list_that_the_lines_do_not_say_is_none():
    assert listed(lines=LINES[:1]) == "", "of another operation"
    assert listed("(|(cn=a)...") == "", "389 DS cuts a long filter off"
    assert listed(lines=("[t] conn=7 op=3 SORT cn;2.5.13.3 (5)",)) == "", "by a rule of its own"


def levels(of_one=0, scope="1", others="2", same=True):
    """A portal that asks for one level, and applications that ask for the subtree."""
    log = Log().background(60, filter="(mail=?)")
    for n in range(30):
        who = {"filter": "(uid=?)", "base": "ou=people,dc=x"}
        log.add("SRCH", 2 * n, 0.001, client="10.0.0.7", nentries=of_one, **who)
        log.add("SRCH", 2 * n + 1, 0.001, client="10.0.0.8", nentries=1, **who)
    operations = log.done()

    def request_of(row):
        portal = operations.clients[operations.client[row]] == "10.0.0.7"
        user = "a" if same or portal else "b"
        return f'SRCH base="x" scope={scope if portal else others} filter="(uid={user})"'

    return view(operations, request_of=request_of)


def test_searches_of_one_level_that_return_nothing_though_the_subtree_does():
    seen = only(search_kinds.find(levels()), "one_level_empty")
    assert (
        "At least 30 one-level searches for (uid=?) below ou=people,dc=x returned nothing"
        in str(seen.sentence)
    )
    for almost in (levels(of_one=1), levels(scope="2"), levels(others="1"), levels(same=False)):
        assert search_kinds.find(almost) == []


@pytest.mark.parametrize("name", HAS)
def test_a_kind_of_search_that_takes_the_time(name):
    columns, which, said = HAS[name]
    found = only(search_kinds.find(view(log_of(**columns))), which)
    assert said in str(found.sentence)
    assert found.worker_ns == found.user_ns == 20 * 200_000_000


@pytest.mark.parametrize("name", HAS_NOT)
def test_a_kind_of_search_that_does_not(name):
    assert search_kinds.find(view(log_of(**HAS_NOT[name]))) == []


def test_memberof_of_dynlist_is_computed():
    log = log_of(filter="(memberof=?)")
    assert only(search_kinds.find(view(log, configuration=DYNLIST)), "virtual_attributes")


CONFIGURED = kept_of(read_ldif(dse(mail="eq").encode()))
BASE = "ou=people,dc=example,dc=com"


def unindexed(**columns):
    usual = {"filter": "(mail=?)", "base": BASE, "notes": "A", "nentries": 1}
    return view(log_of(**(usual | columns)), configuration=CONFIGURED)


def test_an_index_that_is_configured_and_not_used():
    found = only(index_keys.index_not_used(unindexed()), "index_not_used")
    assert found.numbers["filter"] == "(mail=?)"
    assert found.worker_ns == 20 * 200_000_000


@pytest.mark.parametrize(
    "columns",
    [
        {"notes": ""},
        {"filter": "(description=?)"},
        {"filter": "(mail=?*)"},
        {"filter": "(&(mail=?)(description=?))"},
        {"filter": "(!(mail=?))"},
        {"nentries": 4000},
        {"etime": 0.02},
        {"base": "dc=elsewhere"},
    ],
)
def test_an_index_that_is_not_there_or_could_not_help(columns):
    assert index_keys.index_not_used(unindexed(**columns)) == []
