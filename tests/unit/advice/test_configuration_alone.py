"""What a configuration file tells without any log, and the nearest that tells nothing."""

import json

import pytest

from ldap_workbench.advice.families.find import findings_in
from ldap_workbench.capture.importing.companions import kept_of
from ldap_workbench.logs.server.ldif import read_ldif
from ldap_workbench.session.reader import Session
from tests.unit.advice.configurations import LDBM, dse, entry, indexes, plugin, slapd
from tests.unit.advice.material import view
from tests.unit.cases.published import tell_files

MEMBEROF = "libmemberof-plugin"
UNIQUE = "libattr-unique-plugin"
REPLICA = entry("cn=replica,cn=dc\\3Dexample\\2Cdc\\3Dcom,cn=mapping tree,cn=config", nsDS5Flags=1)
CONSUMER = REPLICA.replace("nsDS5Flags: 1", "nsDS5Flags: 0")


def changelog(**attributes):
    return entry(f"cn=changelog,cn=userRoot,{LDBM}", cn="changelog", **attributes)


def overlay(name, **attributes):
    dn = f"olcOverlay={{0}}{name},olcDatabase={{1}}mdb,cn=config"
    return entry(dn, olcOverlay=f"{{0}}{name}", **attributes)


OF_THE_SERVER = dict.fromkeys(
    ("entryrdn", "ancestorid", "numsubordinates", "parentid", "nsuniqueid")
)
HAS = {
    "memberof without an index": (
        dse(plugin("MemberOf", MEMBEROF, memberOfGroupAttr="member"), member=None),
        "plugin_unindexed",
        "userRoot (member)",
    ),
    "uniqueness in a second back end": (
        dse(
            plugin("mail", UNIQUE, uniqueness_attribute_name="mail"),
            entry(f"cn=second,{LDBM}", nsslapd_suffix="dc=second"),
            *indexes("second"),
            mail="eq",
        ),
        "plugin_unindexed",
        "second (mail)",
    ),
    "refint of slapd": (
        slapd(overlay("refint", olcRefintAttribute="member owner"), indexed=("member eq",)),
        "plugin_unindexed",
        "{1}mdb (owner)",
    ),
    "a provider without entryCSN": (
        slapd(overlay("syncprov", olcSpSessionlog="1000"), indexed=("entryUUID eq",)),
        "plugin_unindexed",
        "entryCSN",
    ),
    "a provider that forgets": (slapd(overlay("syncprov")), "syncrepl_no_session_log", "{1}mdb"),
    "sub on member": (dse(member="eq;sub"), "dn_substring_index", "member has a substring index"),
    "sub in one value": (dse(uniquemember="eq,sub"), "dn_substring_index", "uniquemember"),
    "sub in a part of a configuration": (
        "\n".join([entry("cn=config"), *indexes(parentid=None, nsuniqueid=None, member="eq,sub")]),
        "dn_substring_index",
        "member has a substring index in userRoot",
    ),
    "no parentid": (dse(parentid=None), "system_index_missing", "parentid"),
    "an endless changelog": (dse(REPLICA, changelog()), "changelog_unlimited", "userRoot"),
    "an age of 0": (
        dse(REPLICA, changelog(nsslapd_changelogmaxage="0")),
        "changelog_unlimited",
        "userRoot",
    ),
    "the changelog of old servers": (
        dse(REPLICA, entry("cn=changelog5,cn=config", cn="changelog5")),
        "changelog_unlimited",
        "changelog5",
    ),
    "replication debugging": (
        dse(root={"nsslapd_errorlog_level": "24576"}),
        "debug_logging",
        "replication",
    ),
    "trace of slapd": (
        slapd(root={"olcLogLevel": "stats trace"}),
        "debug_logging",
        "trace",
    ),
    "any of slapd": (slapd(root={"olcLogLevel": "any"}), "debug_logging", "any"),
    "names of clients": (slapd(root={"olcReverseLookup": "TRUE"}), "reverse_lookup", "DNS"),
    "an index of entrydn": (dse(entrydn="eq"), "obsolete_entrydn_index", "userRoot"),
    "no limit of unindexed searches": (
        dse(entry(f"cn=config,{LDBM}", nsslapd_lookthroughlimit="-1")),
        "look_through_unlimited",
        "-1",
    ),
    "last binds": (
        slapd().replace("olcDatabase: {1}mdb", "olcDatabase: {1}mdb\nolcLastBind: TRUE"),
        "login_writes",
        "olcLastBind",
    ),
    "account policy": (
        dse(
            plugin("Account Policy Plugin", "libacctpolicy-plugin"),
            entry(
                "cn=config,cn=Account Policy Plugin,cn=plugins,cn=config", alwaysrecordlogin="yes"
            ),
        ),
        "login_writes",
        "alwaysRecordLogin",
    ),
}
HAS_NOT = {
    "a part with one index of the server's own": dse(**OF_THE_SERVER | {"nsuniqueid": "eq"}),
    "a part with indexes of the content alone": "\n".join(
        [
            entry("cn=config"),
            entry(f"cn=userRoot,{LDBM}", nsslapd_suffix="dc=example,dc=com"),
            *indexes(**OF_THE_SERVER),
        ]
    ),
    "as installed": dse(),
    "entryrdn that is switched off": dse(
        entry(f"cn=config,{LDBM}", nsslapd_subtree_rename_switch="off"), entrydn="eq"
    ),
    "a limit of unindexed searches": dse(
        entry(f"cn=config,{LDBM}", nsslapd_lookthroughlimit="5000")
    ),
    "memberof that is off": dse(
        plugin("MemberOf", MEMBEROF, "off", memberOfGroupAttr="member"), member=None
    ),
    "memberof with its index": dse(plugin("MemberOf", MEMBEROF, memberOfGroupAttr="member")),
    "uniqueness below another suffix": dse(
        plugin(
            "mail",
            UNIQUE,
            uniqueness_attribute_name="mail",
            uniqueness_subtrees="ou=people,dc=example,dc=com",
        ),
        entry(f"cn=second,{LDBM}", nsslapd_suffix="dc=second"),
        *indexes("second"),
        mail="eq",
    ),
    "sub on a name": dse(cn="eq;sub"),
    "no back end but the retro changelog lacks it": dse(
        plugin("MemberOf", MEMBEROF, memberOfGroupAttr="member"),
        entry(f"cn=changelog,{LDBM}", nsslapd_suffix="cn=changelog"),
        *indexes("changelog", member=None),
    ),
    "a changelog of a week": dse(REPLICA, changelog(nsslapd_changelogmaxage="7d")),
    "a consumer's changelog": dse(CONSUMER, changelog()),
    "reading of the configuration": dse(root={"nsslapd_errorlog_level": "16448"}),
    "statistics of slapd": slapd(root={"olcLogLevel": "stats sync"}),
    "statistics as a number": slapd(root={"olcLogLevel": "16640"}),
    "a coarse last bind": slapd().replace(
        "olcDatabase: {1}mdb",
        "olcDatabase: {1}mdb\nolcLastBind: TRUE\nolcLastBindPrecision: 3600",
    ),
    "a provider as it should be": slapd(overlay("syncprov", olcSpSessionlog="1000")),
    "a provider with the log of another database": slapd(
        overlay("syncprov", olcSpSessionlogSource="cn=log")
    ),
    "a provider of single changes": slapd(overlay("syncprov"), overlay("accesslog")),
    "types of the line default": slapd(
        overlay("refint", olcRefintAttribute="member"), indexed=("default pres,eq", "member")
    ),
}


def findings_of(text):
    """All findings of a window that has a configuration and nothing else."""
    told = findings_in(view(configuration=kept_of(read_ldif(text.encode())), facts=None))
    return {finding.id: finding for finding in told}


@pytest.mark.parametrize("name", HAS)
def test_a_configuration_alone_tells(name):
    text, which, said = HAS[name]
    found = findings_of(text)
    assert set(found) == {which}
    assert said in str(found[which].sentence)
    assert "{" not in str(found[which].sentence).replace("{1}mdb", "")
    assert str(found[which].disproof)


@pytest.mark.parametrize("name", HAS_NOT)
def test_a_configuration_that_is_nearly_so_says_nothing(name):
    assert findings_of(HAS_NOT[name]) == {}


@pytest.mark.parametrize("name", ["sub on member", "trace of slapd"])
def test_a_file_alone_becomes_a_window_with_its_findings(name, tmp_path):
    text, which, _ = HAS[name]
    assert set(tell_files({"anything.txt": text}, tmp_path).findings) == {which}


def test_no_secret_of_a_configuration_is_kept(tmp_path):
    secrets = ("{SSHA}abcdef", "cn=replman", "s3cret", "BEGIN KEY")
    text = dse(
        entry(
            "cn=agreement,cn=replica,cn=x,cn=mapping tree,cn=config",
            nsDS5ReplicaBindDN=secrets[1],
            nsDS5ReplicaCredentials=secrets[2],
            nsds5ReplicaStripAttrs="modifiersName",
        ),
        entry("cn=encrypted attributes,cn=config", nsSymmetricKey=secrets[3]),
        entry("uid=u,dc=example,dc=com", nsIndexType="not of the configuration"),
        root={"nsslapd_rootpw": secrets[0]},
    )
    told = tell_files({"dse.ldif": text}, tmp_path)
    with Session.open(told.path) as session:
        kept = json.dumps([source.details["configuration"] for source in session.sources()])
    assert "nsds5replicastripattrs" in kept
    assert not [secret for secret in (*secrets, "uid=u") if secret in kept]


def test_a_configuration_beside_a_log_is_that_of_its_window(tmp_path):
    log = "".join(
        f'[21/Nov/2026:02:36:{n:02d}.5 +0000] conn=1 op={n} BIND dn="uid=u{n},dc=a" method=128'
        f" version=3\n[21/Nov/2026:02:36:{n:02d}.6 +0000] conn=1 op={n} RESULT err=0 tag=97"
        f' nentries=0 wtime=0.0001 optime=0.1 etime=0.1001 dn="uid=u{n},dc=a"\n'
        for n in range(60)
    )
    files = {"access": log, "dse.ldif": HAS["account policy"][0]}
    found = tell_files(files, tmp_path).findings
    assert found["login_writes"].numbers["binds"] == 60
    assert found["login_writes"].severity == 2
