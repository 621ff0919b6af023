"""Index keys with too many entries: a log each in which some values of a filter are slow."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ldap_workbench.advice.families import index_keys
from ldap_workbench.advice.rules.advise import advise
from tests.unit.advice.configurations import slapd
from tests.unit.advice.material import FACTS, Log, at, only, view
from tests.unit.cases.published import tell_files

OPENLDAP = replace(FACTS, product="OpenLDAP", version="2.5.13")
OPENDJ = replace(FACTS, product="OpenDJ", version="4.6.5")


def searched(*kinds, samples=None, facts=OPENLDAP):
    """20 searches for each (value, etime, returned)."""
    log, values = Log().background(60), {}
    for n in range(20):
        for value, etime, returned in kinds:
            log.add("SRCH", 3 * n, etime, filter="(departmentNumber=?)", nentries=returned,
                    conn=7, op=len(log.rows))  # fmt: skip
            values[len(log.rows) - 1] = value
    operations = log.done()

    def request_of(row):
        value = values.get(int(operations.op[row]), "x")
        return f'conn=7 op=1 SRCH base="dc=example" filter="(departmentNumber={value})"'

    known = {"cn=Database 1,cn=Monitor:olmMDBEntries": at([samples] * 10)} if samples else {}
    seen = view(operations, facts=facts, request_of=request_of, samples=known)
    return index_keys.find(seen)


def test_a_value_that_is_slow_though_few_entries_have_it():
    seen = only(searched(("old", 0.2, 3), ("new", 0.001, 4), samples=200_000), "index_range")
    assert "(departmentNumber=old) took 200 ms and returned 3 entries" in str(seen.sentence)
    assert seen.confidence == "low"
    assert seen.worker_ns == 20 * 200_000_000
    assert {each.id for each in advise([seen], OPENLDAP)} == {"olc-idl-range"}


def test_many_entries_are_no_excuse_where_more_of_another_value_are_quick():
    seen = only(searched(("old", 2.7, 212), ("new", 0.027, 2310), samples=200_000), "index_range")
    assert "(departmentNumber=old) took 2.70 s and returned 212 entries" in str(seen.sentence)
    assert searched(("old", 2.7, 212), ("new", 0.027, 150), samples=200_000) == []


@pytest.mark.parametrize(
    "kinds",
    [
        [("old", 0.2, 3), ("new", 0.1, 4)],  # slow for all: the disk, or no index
        [("old", 0.2, 3), ("new", 0.03, 4)],
        [("large", 0.2, 9_000), ("new", 0.001, 4)],  # it returns what it reads
        [("old", 0.02, 3), ("new", 0.001, 4)],
        [("old", 0.2, 3)],
    ],
)
def test_values_that_are_slow_for_another_reason(kinds):
    assert searched(*kinds, samples=200_000) == []


def test_a_database_too_small_for_ranges():
    assert searched(("old", 0.2, 3), ("new", 0.001, 4), samples=60_000) == []
    assert searched(("old", 0.2, 3), ("new", 0.001, 4), facts=FACTS) == [], "389 DS keeps lists"


def slapd_log():
    lines = []
    for n in range(40):
        slow = n % 4 == 0
        value, etime = ("old", 0.2) if slow else (f"d{n}", 0.0004)
        head = f"6955b900.{n:07x}0 0x7f conn=1000 op={n}"
        lines += [
            f'{head} SRCH base="dc=example,dc=com" scope=2 deref=0 '
            f'filter="(departmentNumber={value})"',
            f"{head} SEARCH RESULT tag=101 err=0 qtime=0.000010 etime={etime:.6f} nentries=2 text=",
        ]
    return "\n".join(lines) + "\n"


def test_a_log_of_slapd_with_and_without_the_index_in_its_configuration(tmp_path):
    indexed = slapd(indexed=["objectClass eq", "departmentNumber eq"])
    files = {"slapd.log": slapd_log(), "slapcat.ldif": indexed}
    told = tell_files(files, tmp_path / "with").findings
    assert told["index_range"].confidence == "medium"
    files["slapcat.ldif"] = slapd(indexed=["objectClass eq"])
    assert "index_range" not in tell_files(files, tmp_path / "without").findings


def opendj_log(unindexed, refused=False, everywhere=False):
    """40 searches; each fourth for a value that is marked as unindexed."""
    lines = []
    for n in range(40):
        often = n % 4 == 0
        stamp = f"[05/Jan/2026:09:00:{n:02d} +0000]"
        value = "Sales" if often else f"d{n}"
        marked = " unindexed" if unindexed and (often or everywhere) else ""
        code, etime = (50 if refused else 0, 900) if often else (0, 1)
        lines += [
            f'{stamp} SEARCH REQ conn=4 op={n} msgID={n + 1} base="dc=example,dc=com" scope=sub '
            f'filter="(departmentNumber={value})" attrs="cn"',
            f"{stamp} SEARCH RES conn=4 op={n} msgID={n + 1} result={code} nentries=2{marked} "
            f"etime={etime}",
        ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("refused", [False, True])
def test_opendj_marks_a_value_that_too_many_entries_have(tmp_path, refused):
    told = tell_files({"access": opendj_log(True, refused)}, tmp_path).findings
    seen = told["index_entry_limit"]
    assert "(departmentNumber=Sales)" in str(seen.sentence)
    assert f"{10 if refused else 0} ended with an error" in str(seen.sentence)
    assert seen.owner_steps
    (advice,) = advise([seen], OPENDJ)
    assert advice.id == "index-entry-limit"
    assert [str(step) for step in advice.steps[1:3]] == [
        "dsconfig set-backend-index-prop --backend-name BACKEND --index-name departmentNumber"
        " --set index-entry-limit:20000",
        "rebuild-index --baseDN 'dc=example,dc=com' --index departmentNumber",
    ]


def test_opendj_without_an_index_at_all_or_with_a_good_one(tmp_path):
    none = tell_files({"access": opendj_log(True, everywhere=True)}, tmp_path / "none").findings
    assert "index_entry_limit" not in none
    assert "unindexed" in none
    good = tell_files({"access": opendj_log(False)}, tmp_path / "good").findings
    assert "index_entry_limit" not in good
