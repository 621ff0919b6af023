"""What a support archive holds beside logs: packages, files of databases, health checks."""

import json

import pytest

from ldap_workbench.logs.host.inventory import read_database_files, read_packages
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.reports import Tally
from ldap_workbench.logs.server.healthcheck import HealthIssue, HealthReport, read_healthcheck

RPM = b"""\
389-ds-base-1.4.3.39-3.module+el8.9.0+20696+eee0cbf8.x86_64   Tue 05 Mar 2024
389-ds-base-libs-1.4.3.39-3.module+el8.9.0+20696+eee0cbf8.x86_64 Tue 05 Mar 2024
bash-4.4.20-4.el8_6.x86_64                                    Mon 04 Mar 2024
"""
DPKG = b"""\
ii  389-ds-base        2.3.1+dfsg1-1+deb12u1  amd64  389 Directory Server suite - server
ii  adduser            3.134                  all    add and remove users and groups
"""
LS = b"""\
/var/lib/dirsrv/slapd-EX/db/userRoot:
total 120
-rw-------. 1 dirsrv dirsrv  81920 Mar  5 10:11 cn.db
-rw-------. 1 dirsrv dirsrv 419430400 Mar  5 10:11 id2entry.db
-rw-------. 1 dirsrv dirsrv     51 Mar  5 10:11 DBVERSION
"""
LS_NAMES = b"""\
-rw------- 1 dirsrv dirsrv 8192 Mar  5 10:11 /var/lib/dirsrv/slapd-EX/db/ipaca/id2entry.db
-rw------- 1 dirsrv dirsrv 9999 Mar  5 2023 /var/lib/dirsrv/slapd-EX/db/data.mdb
"""
CHECK = b"""\
Beginning lint report, this could take a while ...
2 Issues found!  Generating report ...

[1] DS Lint Error: DSMOLE0001
--------------------------------------------------------------------------------
Severity: HIGH
Affects:
 -- cn=memberof plugin,cn=plugins,cn=config

Details:
-----------
The memberOf plugin has default membership attributes configured, but there is not an index
set for those attributes.  Attribute 'member' in backend 'userRoot'.

Resolution:
-----------
You can set the attribute indexing using the 'dsconf' tool

[2] DS Lint Error: DSCERTLE0001
--------------------------------------------------------------------------------
Severity: MEDIUM
Affects:
 -- Expiring Certificate

Details:
-----------
The certificate (Server-Cert) will expire in less than 30 days

Resolution:
-----------
Good luck.

===== End Of Report (2 Issues found) =====
"""
ISSUE = {"dsle": "DSRILE0002", "severity": "HIGH", "items": ["x"], "detail": "No index.", "fix": ""}
IPA = {
    "source": "ipahealthcheck.ds.ds_plugins",
    "check": "RIPluginCheck",
    "result": "WARNING",
    "kw": {"key": "DSRILE0001", "items": ["x"], "msg": "A delay."},
}


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (RPM, "packages"),
        (DPKG, "packages"),
        (LS, "database-files"),
        (LS_NAMES, "database-files"),
        (CHECK, "healthcheck"),
        (json.dumps([ISSUE]).encode(), "healthcheck"),
        (json.dumps([IPA], indent=2).encode(), "healthcheck"),
        (b"Beginning lint report ...\nHealthcheck complete.\nNo issues found.\n", "healthcheck"),
        (b"bash-4.4.20-4.el8_6.x86_64\nzsh-5.5.1-10.el8.x86_64\n", "unknown"),
        (b"total 4\n-rw-r--r-- 1 root root 51 Mar  5 10:11 passwd\n", "unknown"),
    ],
)
def test_each_is_known_by_its_text(text, dialect):
    assert detect(text).dialect == dialect


def test_versions_of_packages():
    tally = Tally()
    assert read_packages(RPM, tally) == {"389-ds-base": "1.4.3.39"}
    assert read_packages(DPKG, Tally()) == {"389-ds-base": "2.3.1+dfsg1-1+deb12u1"}
    assert (tally.counts.understood, tally.counts.set_aside) == (1, 2)


def test_files_of_databases_with_their_sizes():
    assert read_database_files(LS, Tally()) == {
        "/var/lib/dirsrv/slapd-EX/db/userRoot/cn.db": 81920,
        "/var/lib/dirsrv/slapd-EX/db/userRoot/id2entry.db": 419430400,
    }
    assert read_database_files(LS_NAMES, Tally()) == {
        "/var/lib/dirsrv/slapd-EX/db/ipaca/id2entry.db": 8192,
        "/var/lib/dirsrv/slapd-EX/db/data.mdb": 9999,
    }


def test_issues_of_a_report_for_people():
    first, second = read_healthcheck(CHECK, Tally()).issues
    assert first == HealthIssue(
        "DSMOLE0001",
        "HIGH",
        "The memberOf plugin has default membership attributes configured, but there is not an "
        "index set for those attributes.  Attribute 'member' in backend 'userRoot'.",
    )
    assert (second.code, second.severity) == ("DSCERTLE0001", "MEDIUM")


def test_issues_of_json():
    assert read_healthcheck(json.dumps([ISSUE]).encode(), Tally()) == HealthReport(
        (HealthIssue("DSRILE0002", "HIGH", "No index."),)
    )
    assert read_healthcheck(json.dumps(ISSUE).encode(), Tally()).whole
    assert read_healthcheck(json.dumps([IPA], indent=1).encode(), Tally()) == HealthReport(
        (HealthIssue("DSRILE0001", "WARNING", "A delay."),)
    )
    assert read_healthcheck(b'[{"dsle": 1, "kw": []}, 3]', Tally()).issues == ()
    assert read_healthcheck(b"[ ]", Tally()) == HealthReport(())


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("rows", [[ISSUE, IPA], [IPA, ISSUE]])
def test_what_is_whole_of_json_that_breaks_off_is_kept(rows, indent):
    text = json.dumps(rows, indent=indent).encode()
    whole = read_healthcheck(text, Tally())
    assert whole.whole
    assert len(whole.issues) == 2
    for length in range(1, len(text)):
        cut = read_healthcheck(text[:length], Tally())
        assert not cut.whole or not cut.issues
        assert cut.issues == whole.issues[: len(cut.issues)]
    assert len(read_healthcheck(text[:-5], Tally()).issues) == 1


BEFORE = ["Internal server error: x [y]\n", "\n", "[root@ipa1 ~]# cat x\n"]


@pytest.mark.parametrize("before", BEFORE)
def test_what_stands_before_json_does_not_hide_its_issues(before):
    text = before + json.dumps([ISSUE, IPA], indent=2)
    report = read_healthcheck(text.encode(), Tally())
    assert (len(report.issues), report.whole) == (2, True)


def test_a_report_for_people_that_breaks_off_lacks_what_it_announced():
    assert read_healthcheck(CHECK, Tally()).whole
    cut = read_healthcheck(CHECK[: CHECK.index(b"[2]")], Tally())
    assert (len(cut.issues), cut.whole) == (1, False)


IPA_TEXT = b"""\
ERROR: ipahealthcheck.ds.replication.ReplicationCheck.DSREPLLE0003: The agreement is not in sync.
WARNING: ipahealthcheck.ds.ds_plugins.RIPluginCheck.DSRILE0001: A delay.
CRITICAL: ipahealthcheck.meta.services.dirsrv: dirsrv: not running
"""


def test_issues_of_ipa_for_people_and_of_checks_without_a_code():
    assert detect(IPA_TEXT).dialect == "healthcheck"
    codes = [issue.code for issue in read_healthcheck(IPA_TEXT, Tally()).issues]
    assert codes == ["DSREPLLE0003", "DSRILE0001", "dirsrv"]
    failed = {"source": "ipahealthcheck.ds.backends", "check": "BackendsCheck",
              "result": "CRITICAL", "kw": {"exception": "server is down"}}  # fmt: skip
    fine = failed | {"result": "SUCCESS"}
    report = read_healthcheck(json.dumps([failed, fine]).encode(), Tally())
    assert report.issues == (HealthIssue("BackendsCheck", "CRITICAL", "server is down"),)
