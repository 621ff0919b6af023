"""Advice on indexes: what each term has or lacks, and the commands of each product."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.evidence.indexes import Database, database_of, databases, terms_of
from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.families import configuration as configuration_family
from ldap_workbench.advice.families import index_keys, search_shape
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.capture.importing.companions import kept_of
from ldap_workbench.logs.server.ldif import read_ldif
from ldap_workbench.model.target import Backend
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.configurations import LDBM, dse, entry, indexes, plugin, slapd
from tests.unit.advice.material import FACTS, T0, Log, only, view

PEOPLE = "ou=people,dc=example,dc=com"
DIALECTS = {"389ds": "389", "openldap": "openldap", "opendj": "opendj", "unboundid": "unboundid"}
NAMES = {"389ds": "389 Directory Server", "openldap": "OpenLDAP", "opendj": "OpenDJ"}


def facts_of(product, backends=()):
    name = NAMES.get(product, "UnboundID")
    return replace(FACTS, product=name, instance="slapd-lab", backends=backends)


def searches(asked, *, notes="A", count=30, etime=0.4, start=0.0, log=None, **columns):
    """A log with searches of one kind over a quick background."""
    log = log or Log().background(120, filter="(uid=?)")
    for n in range(count):
        log.add("SRCH", start + 3 * n, etime, filter=asked, base=PEOPLE, notes=notes, **columns)
    return log


def shown(log, product, ldif="", **columns):
    """What is seen in the log of a product, with its configuration if there is one."""
    sources = (
        Source(
            1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE, dialect=DIALECTS[product]
        ),
    )
    if ldif:
        columns["configuration"] = kept_of(read_ldif(ldif.encode()))
    return view(log, sources=sources, facts=None, **columns)


def seen(which, *arguments, **columns):
    return only(search_shape.find(shown(*arguments, **columns)), which)


def lacking(finding):
    return {
        index["attribute"]: list(index["types"]) for index in finding.numbers["missing_indexes"]
    }


def advised(finding, product, *backends):
    advice = advise([finding], facts_of(product, backends))
    return {each.id: each for each in advice}


def steps(advice):
    """All but the one that says how the back ends are called."""
    return [text for text in map(str, advice.steps) if not text.startswith("The back ends")]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("(uid=?)", "uid eq"),
        ("(uid=*)", "uid pres"),
        ("(cn=?*)", "cn sub"),
        ("(cn~=?)", "cn approx"),
        ("(age>=?)", "age ordering"),
        ("(&(objectclass=*)(mail=?))", "mail eq"),
        ("(|(mail=?)(mail=?)(mail=*))", "mail eq; mail pres"),
        ("(&(a=?)(!(b=*)))", "a eq; not b pres"),
        ("(!(!(a=?)))", "a eq"),
        ("(!(|(a=?)(b=?*)))", "not a eq; not b sub"),
        ("(cn:caseexactmatch:=?)", ""),
        ("(|(mail=?)(mail=?)(mail=?", "mail eq"),
    ],
)
def test_terms_of_a_filter(text, terms):
    said = [f"{'not ' * term.negated}{term.attribute} {term.kind}" for term in terms_of(text)]
    assert "; ".join(said) == terms


def test_a_configuration_says_which_terms_lack_which_kind_of_index():
    asked = "(&(objectclass=?)(|(!(sudohost=*))(sudohost=?)(sudohost=?*)))"
    found = seen("unindexed", searches(asked), "389ds", dse(objectclass=None))
    assert lacking(found) == {"objectclass": ["eq"], "sudohost": ["eq", "pres", "sub"]}
    assert "objectclass lacks eq" in str(found.evidence[0].text)
    assert "no index serves (!(sudohost=*))" in str(found.evidence[0].text)
    advice = advised(found, "389ds")["index-filter"]
    assert steps(advice)[:3] == [
        "dsconf INSTANCE backend index add --attr objectclass --index-type eq userRoot",
        "dsconf INSTANCE backend index add --attr sudohost --index-type eq --index-type pres"
        " --index-type sub userRoot",
        "dsconf INSTANCE backend index reindex --attr objectclass --attr sudohost userRoot",
    ]
    assert any("No index serves (!(sudohost=*))" in step for step in steps(advice))
    assert "(30 searches, 82 % of all etime)" in str(advice.why)
    assert "was not measured" in str(advice.cost)


@pytest.mark.parametrize("product", ["389ds", "opendj"])
def test_a_class_beside_what_is_computed_gets_no_index(product):
    """Most entries have it: the search reads as many as before."""
    asked = "(&(objectclass=?)(|(ismemberof=?)(ismemberof=?)))"
    finding = seen("unindexed", searches(asked), product, dse(objectclass=None))
    assert lacking(finding) == {}
    more = seen("unindexed", searches("(&(ismemberof=?)(mail=?))"), product, dse(mail=None))
    assert lacking(more) == {"mail": ["eq"]}


def test_an_index_that_exists_is_not_advised():
    found = seen("unindexed", searches("(&(cn=?*)(sn=?))", notes="U"), "389ds", dse())
    assert lacking(found) == {"sn": ["eq"]}
    assert "cn has sub" in str(found.evidence[0].text)


def test_an_attribute_with_another_kind_of_index_gets_one_more():
    found = seen("unindexed", searches("(uid=?*)"), "389ds", dse())
    advice = advised(found, "389ds")["index-filter"]
    assert (
        steps(advice)[0] == "dsconf INSTANCE backend index set --attr uid --add-type sub userRoot"
    )


def test_a_name_is_spelled_as_the_client_spells_it():
    asked = 'SRCH base="dc=example,dc=com" scope=2 filter="(&(objectClass=a)(uidNumber=7))"'
    log = searches("(&(objectclass=?)(uidnumber=?))")
    found = seen("unindexed", log, "389ds", request_of=lambda row: asked)
    assert lacking(found) == {"uidNumber": ["eq"]}


def test_the_server_names_its_instance_and_back_end():
    log = searches("(uidnumber=?)")
    there = replace(shown(log, "389ds"), facts=FACTS)
    found = only(search_shape.find(there), "unindexed")
    advice = advised(found, "389ds")["index-filter"]
    assert steps(advice)[:2] == [
        "dsconf lab backend index add --attr uidnumber --index-type eq userRoot",
        "dsconf lab backend index reindex --attr uidnumber userRoot",
    ]


def test_the_head_of_an_access_log_names_the_instance():
    head = ["\t389-Directory/2.4.5 B2024.017.0000", "\tldap1:636 (/etc/dirsrv/slapd-EXAMPLE)"]
    lines = {0: head[0], len(head[0]) + 1: head[1]}
    found = seen("unindexed", searches("(uidnumber=?)"), "389ds", line_at=lines.__getitem__)
    assert steps(advised(found, "389ds")["index-filter"])[0].startswith("dsconf EXAMPLE backend ")


def test_what_is_known_to_be_missing_is_one_change_to_try():
    """With the types the attribute has; of a server whose back ends nobody named it is text."""
    found = seen("unindexed", searches("(|(mail=?)(uid=?*))"), "389ds", dse())
    advice = advised(found, "389ds", Backend("userRoot", "dc=example,dc=com", "cn=userRoot"))
    settings = [setting.argument for setting in advice["index-filter"].treatment.settings]
    assert settings == ["index.mail@userRoot=eq", "index.uid@userRoot=eq,sub"]
    assert advice["index-filter"].steps
    assert advised(found, "389ds")["index-filter"].treatment.settings == ()


def test_what_may_be_there_is_not_tried():
    found = seen("unindexed", searches("(|(mail=?)(uid=?*))"), "389ds")
    advice = advised(found, "389ds", Backend("userRoot", "dc=example,dc=com", "cn=userRoot"))
    assert advice["index-filter"].treatment.settings == ()


def test_389_ds_before_dsconf_gets_an_entry_and_a_script():
    there = shown(searches("(|(mail=?)(uid=?*))"), "389ds", dse())
    (source,) = there.sources
    there = replace(there, sources=(replace(source, details={"version": "1.3.9.1"}),))
    found = only(search_shape.find(there), "unindexed")
    one, other, build = steps(advised(found, "389ds")["index-filter"])[:3]
    place = "cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config'"
    assert one == (
        f"printf '%s\\n' 'dn: cn=mail,{place} 'changetype: add' 'objectClass: top'"
        " 'objectClass: nsIndex' 'cn: mail' 'nsSystemIndex: false' 'nsIndexType: eq'"
        " | ldapmodify -x -D 'cn=Directory Manager' -W"
    )
    assert (
        f"'dn: cn=uid,{place} 'changetype: modify' 'add: nsIndexType' 'nsIndexType: sub'" in other
    )
    assert build.endswith("-w - -n userRoot -t mail -t uid")


def test_the_server_in_memory_has_no_indexes_to_lack():
    there = shown(few("(&(objectclass=?)(description=?))"), "unboundid")
    found = only(search_shape.find(there), "heavy_filter")
    assert lacking(found) == {"description": ["eq"]}
    facts = replace(FACTS, product="UnboundID in-memory")
    assert "create-local-db-index" in str(found.evidence)
    found = only(search_shape.find(replace(there, facts=facts)), "heavy_filter")
    assert lacking(found) == {}
    assert "create-local-db-index" not in str(found.evidence)


@pytest.mark.parametrize("product", ["389ds", "opendj", "unboundid"])
def test_without_a_configuration_what_the_log_shows_is_not_advised(product):
    """objectClass is indexed from the start, (uid=...) alone is served in the same log."""
    log = searches("(&(objectclass=?)(uid=?)(uidnumber=?))")
    found = seen("unindexed", log, product)
    assert lacking(found) == {"uidnumber": ["eq"]}
    assert found.numbers["missing_indexes"][0]["known"]


def test_a_search_of_its_base_alone_shows_no_index():
    log = Log()
    for n in range(300):
        log.add("SRCH", n / 4, 0.001, filter="(member=?)", base="cn=a,dc=example,dc=com")
    log = searches("(&(member=?)(owner=?))", log=log)
    line = 'SRCH base="cn=a,dc=example,dc=com" scope={} filter="(member=x)"'
    alone = seen("unindexed", log, "389ds", request_of=lambda row: line.format(0))
    below = seen("unindexed", log, "389ds", request_of=lambda row: line.format(2))
    assert lacking(alone) == {"member": ["eq"], "owner": ["eq"]}
    assert lacking(below) == {"owner": ["eq"]}


@pytest.mark.parametrize(
    ("product", "which", "command"),
    [
        ("389ds", "index-filter", "dsconf INSTANCE backend suffix list"),
        ("opendj", "backend-index", "dsconfig list-backends"),
    ],
)
def test_a_back_end_that_nothing_names_is_looked_up(product, which, command):
    advice = advised(seen("unindexed", searches("(uidnumber=?)"), product), product)[which]
    assert str(advice.steps[0]) == f"The back ends, for BACKEND below: {command}"
    assert "BACKEND" in str(advice.steps[1])


def test_a_server_that_is_not_set_up_from_here_is_told_by_a_sentence():
    """PingDirectory: its logs are read, its settings are neither read nor changed."""
    finding = seen("unindexed", searches("(uidnumber=?)"), "unboundid")
    assert (
        "uidnumber needs eq, which may be missing. The workbench does not set up PingDirectory"
        in str(finding.evidence[0].text)
    )
    assert advised(finding, "unboundid") == {}


def test_a_back_end_that_is_named_is_not_looked_up():
    advice = advised(seen("unindexed", searches("(sn=?)"), "389ds", dse()), "389ds")
    assert "userRoot" in str(advice["index-filter"].steps[0])


def test_what_may_be_missing_is_looked_at_first():
    found = seen("unindexed", searches("(|(mail=?)(telephonenumber=?))"), "389ds")
    assert [index["known"] for index in found.numbers["missing_indexes"]] == [False, False]
    advice = advised(found, "389ds")["index-filter"]
    assert "mail may lack eq" in str(advice.why)
    assert steps(advice)[0] == (
        "Look which of these exist, and leave them out: dsconf INSTANCE backend index list BACKEND"
    )


def test_statistics_name_the_term_without_an_index():
    log = searches("(&(mail=?)(employeenumber=?))", index_key=0, index_ids=9000)
    operations = replace(log.done(), index_keys=("employeenumber key(eq)",))
    found = seen("unindexed", operations, "389ds")
    known = {i["attribute"]: i["known"] for i in found.numbers["missing_indexes"]}
    assert known == {"employeenumber": True, "mail": True}


@pytest.mark.parametrize("name", ["member", "uniquemember", "memberof"])
def test_no_substring_index_of_names_is_advised(name):
    found = seen("unindexed", searches(f"(|({name}=*?*)(description=?))"), "389ds", dse())
    assert lacking(found) == {"description": ["eq"]}


def test_openldap_gets_a_line_for_its_database():
    asked = "(&(objectclass=?)(memberuid=?))"
    found = seen("heavy_filter", few(asked), "openldap", slapd(indexed=("objectClass eq",)))
    assert lacking(found) == {"memberuid": ["eq"]}
    advice = advised(found, "openldap")["olc-index"]
    assert steps(advice)[0] == (
        "printf '%s\\n' 'dn: olcDatabase={1}mdb,cn=config' 'changetype: modify' 'add: olcDbIndex'"
        " 'olcDbIndex: memberuid eq' | ldapmodify -Y EXTERNAL -H ldapi:///"
    )
    assert "slapindex -t -b 'dc=example,dc=com' memberuid" in steps(advice)[-1]


def test_openldap_needs_object_class_where_it_lacks_it():
    found = seen("unindexed", searches("(objectclass=?)"), "openldap", slapd(indexed=("uid eq",)))
    assert lacking(found) == {"objectclass": ["eq"]}


def test_a_line_of_several_attributes_is_replaced_and_the_others_stay():
    ldif = slapd(indexed=("uid,cn,sn eq,pres",))
    found = seen("unindexed", searches("(cn=*?*)"), "openldap", ldif)
    advice = advised(found, "openldap")["olc-index"]
    assert steps(advice)[0] == (
        "printf '%s\\n' 'dn: olcDatabase={1}mdb,cn=config' 'changetype: modify'"
        " 'delete: olcDbIndex' 'olcDbIndex: uid,cn,sn eq,pres' '-' 'add: olcDbIndex'"
        " 'olcDbIndex: uid,sn eq,pres' 'olcDbIndex: cn eq,pres,sub'"
        " | ldapmodify -Y EXTERNAL -H ldapi:///"
    )


def few(asked, **columns):
    """Few searches of one kind with most of the time, among very many."""
    log = Log().background(600, rate=5, filter="(uid=?)")
    return searches(asked, notes="", log=log, **columns)


def asking(*values, asked="(&(mail=?)(status=?))"):
    """Searches of one AND, for one value of each pair after the other."""
    log = few(asked)
    lines = [f'SRCH filter="(&(mail={mail})(status={status}))"' for mail, status in values]
    return log, lambda row: lines[row % len(lines)]


@pytest.mark.parametrize(
    ("status", "wanted"),
    [(["enabled"], {"mail": ["eq"]}), (["enabled", "gone"], {"mail": ["eq"], "status": ["eq"]})],
)
def test_what_is_the_same_in_all_searches_needs_no_index_beside_what_differs(status, wanted):
    values = [(f"m{n}", status[n * 7 % 5 % len(status)]) for n in range(30)]
    log, request_of = asking(*values)
    assert lacking(seen("heavy_filter", log, "openldap", request_of=request_of)) == wanted
    config = slapd(indexed=["objectClass eq", "mail eq"])
    served = seen("heavy_filter", log, "openldap", config, request_of=request_of)
    assert lacking(served) == ({} if len(status) == 1 else {"status": ["eq"]})


def test_without_a_configuration_slapd_may_lack_any_of_them():
    found = seen("heavy_filter", few("(&(objectclass=?)(memberuid=?))"), "openldap")
    assert [index["known"] for index in found.numbers["missing_indexes"]] == [False, False]
    first = steps(advised(found, "openldap")["olc-index"])[0]
    assert first.endswith("-b cn=config '(olcSuffix=*)' olcSuffix olcDbIndex")


@pytest.mark.parametrize(
    ("product", "which", "create", "build"),
    [
        (
            "opendj",
            "backend-index",
            "dsconfig create-backend-index --backend-name userRoot --index-name oxticket"
            " --set index-type:equality --set index-type:ordering",
            "rebuild-index --baseDN 'dc=example,dc=com' --index oxticket",
        ),
    ],
)
def test_java_servers_have_commands_of_their_own(product, which, create, build):
    backend = Backend("userRoot", "dc=example,dc=com", "")
    log = searches("(&(objectclass=?)(oxticket=?)(oxticket<=?))")
    there = replace(shown(log, product), facts=facts_of(product, (backend,)))
    found = only(search_shape.find(there), "unindexed")
    advice = advised(found, product, backend)[which]
    assert steps(advice)[:2] == [create, build]
    assert not [step for step in steps(advice) if "dsconf " in step]


@pytest.mark.parametrize(
    ("base", "name"),
    [
        ("ou=people,dc=example,dc=com", "people"),
        ("uid=a, OU=People, dc=example,dc=com", "people"),
        ("ou=groups,dc=example,dc=com", "userRoot"),
        ("dc=example,dc=com", None),
        ("o=ipaca", "ca"),
        ("ou=a,o=ipaca", "ca"),
        ("dc=com", None),
        ("o=other", None),
        ("", None),
    ],
)
def test_the_back_end_of_a_base(base, name):
    known = [
        Database("userRoot", "dc=example,dc=com"),
        Database("people", "ou=people,dc=example,dc=com"),
        Database("ca", "o=ipaca"),
    ]
    place = database_of(known, base)
    assert (place and place.name) == name


def test_the_only_back_end_below_a_base():
    assert database_of([Database("userRoot", "dc=example,dc=com")], "dc=com")


def test_an_attribute_has_its_index_under_any_of_its_names():
    found = seen("unindexed", searches("(|(commonname=?)(surname=?))"), "389ds", dse())
    assert lacking(found) == {"sn": ["eq"]}


@pytest.mark.parametrize(
    ("base", "suffix"),
    [
        ("ou=people,dc=example,dc=com", "dc=example,dc=com"),
        ("o=gluu", "o=gluu"),
        ("ou=a,o=acme,c=de", "o=acme,c=de"),
    ],
)
def test_a_suffix_that_nothing_names_is_taken_from_the_searches(base, suffix):
    log = Log()
    for n in range(30):
        log.add("SRCH", 3 * n, 0.4, filter="(oxticket=?)", base=base, notes="A")
    found = seen("unindexed", log, "opendj")
    build = steps(advised(found, "opendj")["backend-index"])[1]
    assert build == f"rebuild-index --baseDN '{suffix}' --index oxticket"


def test_389_ds_takes_the_equality_index_for_ranges():
    found = seen("unindexed", searches("(|(age>=?)(age=?))"), "389ds", dse())
    assert lacking(found) == {"age": ["eq"]}


OPENDJ = """\
dn: ds-cfg-backend-id=people,cn=Backends,cn=config
ds-cfg-backend-id: people
ds-cfg-base-dn: dc=example,dc=com

dn: ds-cfg-attribute=mail,cn=Index,ds-cfg-backend-id=people,cn=Backends,cn=config
ds-cfg-attribute: mail
ds-cfg-index-type: equality
ds-cfg-index-type: presence
"""


def test_indexes_of_opendj_are_read():
    (people,) = databases(kept_of(read_ldif(OPENDJ.encode())))
    assert (people.name, people.types("mail")) == ("people", {"eq", "pres"})
    log = searches("(|(mail=*)(mail=?*)(objectclass=?))")
    found = seen("unindexed", log, "opendj", OPENDJ)
    assert lacking(found) == {"mail": ["sub"]}, "objectClass has one that the server itself needs"
    first = steps(advised(found, "opendj")["backend-index"])[0]
    assert first == (
        "dsconfig set-backend-index-prop --backend-name people --index-name mail"
        " --add index-type:substring"
    )


def test_a_filter_that_has_its_indexes_costs_by_what_it_returns():
    asked = "(&(objectclass=?)(uniquemember=?))"
    found = seen("heavy_filter", few(asked, nentries=10_000, etime=2.9), "389ds", dse())
    assert lacking(found) == {}
    advice = advised(found, "389ds")
    assert "index-filter" not in advice
    assert "10,000 entries an answer, 290 µs each" in str(advice["ask-for-less"].why)
    assert "index" not in str(advice["ask-for-less"].title).lower()
    assert "none of them as unindexed" in str(found.evidence[0].text)


@pytest.mark.parametrize(("ldif", "wanted"), [(dse(), False), (dse(mail="eq"), True)])
def test_a_longer_list_is_advised_only_where_there_is_a_list(ldif, wanted):
    found = seen("unindexed", searches("(mail=?)"), "389ds", ldif)
    advice = advise([found], FACTS, settings={"nsslapd-idlistscanlimit": "4000"})
    assert ("idlistscanlimit" in {each.id for each in advice}) is wanted


def test_an_index_for_two_findings_is_added_once():
    found = seen("unindexed", searches("(mail=?)"), "389ds", dse())
    again = replace(found, id="new_filter", numbers=found.numbers | {"filters": ["(mail=?*)"]})
    again.numbers["missing_indexes"] = [
        found.numbers["missing_indexes"][0] | {"types": ("sub",), "attribute": "MAIL"}
    ]
    (advice,) = [a for a in advise([found, again], FACTS) if a.id == "index-filter"]
    added = [step for step in steps(advice) if " index add " in step]
    assert len(added) == 1
    assert "--index-type eq --index-type sub" in added[0]


MEMBEROF = plugin("MemberOf", "libmemberof-plugin", memberOfGroupAttr="member")


def test_what_a_plug_in_searches_for_is_named_with_its_back_end():
    plugins = kept_of(read_ldif(dse(MEMBEROF, member=None).encode()))
    found = only(configuration_family.find(view(configuration=plugins)), "plugin_unindexed")
    advice = advised(found, "389ds")["index-for-plugins"]
    assert steps(advice)[:2] == [
        "dsconf INSTANCE backend index add --attr member --index-type eq userRoot",
        "dsconf INSTANCE backend index reindex --attr member userRoot",
    ]


def test_what_an_overlay_searches_for_is_added_to_the_line_there_is():
    overlay = entry(
        "olcOverlay={0}refint,olcDatabase={1}mdb,cn=config",
        olcOverlay="{0}refint",
        olcRefintAttribute="member",
    )
    configuration = kept_of(read_ldif(slapd(overlay, indexed=("member pres",)).encode()))
    (found,) = configuration_family.find(view(configuration=configuration))
    first = steps(advised(found, "openldap")["olc-index-for-overlays"])[0]
    assert "'delete: olcDbIndex' 'olcDbIndex: member pres'" in first
    assert "'olcDbIndex: member pres,eq'" in first


def test_an_index_that_is_there_and_not_used_is_only_built():
    log = searches("(mail=?)", nentries=1)
    there = shown(log, "389ds", dse(mail="eq"))
    found = only(index_keys.index_not_used(there), "index_not_used")
    advice = advised(found, "389ds")["index-for-plugins"]
    assert steps(advice)[0] == "dsconf INSTANCE backend index reindex --attr mail userRoot"
    assert not [step for step in steps(advice) if " index add " in step]


def test_an_internal_search_that_the_error_log_names():
    line = (
        "ERR - log_result - Internal unindexed search: source (cn=server,cn=plugins,cn=config) "
        'search base="dc=example,dc=com" filter="(|(uniqueMember=uid=a)(owner=*))" etime=0.2'
    )
    told = tuple(ErrorLine(T0 + n, line) for n in range(4))
    configuration = kept_of(read_ldif(dse().encode()))
    found = index_keys.find_internal_searches(view(errors=told, configuration=configuration))
    (index,) = only(found, "internal_unindexed").numbers["missing_indexes"]
    assert (index["attribute"], index["types"]) == ("owner", ("pres",))
    assert (index["database"], index["known"]) == ("userRoot", True)
    (without,) = index_keys.find_internal_searches(view(errors=told))
    assert not any(index["known"] for index in without.numbers["missing_indexes"])


def test_a_substring_index_of_members_is_taken_from_each_back_end():
    second = entry(f"cn=second,{LDBM}", nsslapd_suffix="dc=second")
    ldif = dse(second, *indexes("second", member="eq,sub"), uniquemember="eq;sub")
    found = only(
        configuration_family.find(view(configuration=kept_of(read_ldif(ldif.encode())))),
        "dn_substring_index",
    )
    (advice,) = advise([found], FACTS)
    assert steps(advice)[1:] == [
        "dsconf INSTANCE backend index set --attr uniquemember --del-type sub userRoot",
        "dsconf INSTANCE backend index set --attr member --del-type sub second",
        "dsconf INSTANCE backend index reindex --attr uniquemember userRoot",
        "dsconf INSTANCE backend index reindex --attr member second",
    ]


@pytest.mark.parametrize(("count", "advice"), [(2, set()), (3, {"olc-index"})])
def test_no_index_is_advised_for_a_filter_that_was_asked_once_or_twice(count, advice):
    finding = seen("unindexed", searches("(description=?)", count=count, etime=2.0), "openldap")
    assert finding.severity == (2 if advice else 1)
    assert {item.id for item in advise([finding], facts_of("openldap"))} == advice
