"""The truth of the fifth batch names a cause in any good wording, and in no vague one."""

from __future__ import annotations

import re

import pytest

from tests.field.batch5 import BATCH
from tests.field.case import Case
from tests.field.scoring import Group, names_cause

CASES = {case.name: case for case in BATCH.cases}

# Head of a finding (title and sentence), and what else it says.
RIGHT = {
    "branches_moved": (
        ("Other changes waited for a MODRDN", "ou=field,ou=people,dc=example,dc=com, 52.8 s"),
        ("cn=hr-sync moved whole branches, 14 threads stood still behind it", "10.60.0.16"),
        ("3 operations account for 84 % of the waiting", "MODRDN of ou=sales by 10.60.0.16"),
    ),
    "map_for_one_key": (
        ("Hosts enumerate an automount map", "SSSD reads all keys, 7,437 entries, 45 clients"),
        ("Unexplained: 97 % of the time", "(&(automountKey=*)..): 937 entries, 45 clients"),
        ("Each host reads the whole map auto.home again and again", "automountKey, node07"),
    ),
    "clock_set_back": (
        ("The clock is 97,000 s behind the last change number", "every write fails"),
        ("All changes fail with error 1", "csngen: Adjustment limit exceeded; limit 86400"),
        ("Writes are refused since the time skew exceeds a day", "MOD and ADD, err=1"),
    ),
    "sort_refused": (
        ("A sorted search is refused", "ou=certificateRepository: err=53, idlistscanlimit 4000"),
        ("Requests end with an error", "(certStatus=*): error 53, SORT serialno"),
        ("The ID list scan limit is exceeded", "certStatus: unwilling to perform"),
    ),
    "schema_at_each_login": (
        ("One client reads the schema over and over", "cn=Subschema, 10.62.1.40"),
        ("The same search is repeated every 0.8 s", "cn=Subschema by cn=radicale"),
        ("90 % of the time goes to one entry", "base cn=Subschema, client 10.62.1.40"),
    ),
    "app_passwords_refused": (
        ("Logins fail", "1,080 binds of 9 people from 10.62.2.15 ended with err=49"),
        ("One client tries wrong passwords again and again", "binds of 10.62.2.15"),
        ("All binds of 9 users are refused: invalid credentials", "cn=owncloud"),
    ),
    "map_is_full": (
        ("The database is full", "MDB_MAP_FULL: no change can be written"),
        ("Changes fail with error 80", "mapsize limit reached, olcDbMaxSize is 10485760"),
        ("The map size of 10 MiB is reached", "ADD and MOD are refused since 15:06:20"),
    ),
    "all_groups_for_nothing": (
        ("Each login reads all groups", "(member=*) by 10.62.4.30: 3,412 entries"),
        ("Unexplained: 96 % of the waiting", "ou=groups, (member=*), 3,412 entries, 10.62.4.30"),
        ("A presence filter enumerates groups", "(member=*), cn=fog"),
    ),
    "since_1970": (
        ("Everything since 1970 is asked for", "every 300 s by 10.63.0.50"),
        ("Unexplained: 94 % of the time", "modifyTimestamp>=?: 1,000 entries, 10.63.0.50"),
        ("A synchronisation reads all users every 5 minutes", "keycloak, createTimestamp"),
    ),
    "reapers_compete": (
        ("3 of 4 deletes fail", "result 32, no such object, from 10.63.1.11 to 10.63.1.14"),
        ("Four clients delete the same tokens", "DELETE, coreTokenId"),
        ("Errors: no such entry", "74 % of the DELs of openam_cts"),
    ),
}
WRONG = {
    "branches_moved": (
        ("Operations stalled together", "MODs took up to 52 s"),
        ("Checkpoints are suspected", "ou=people,dc=example,dc=com"),
    ),
    "map_for_one_key": (
        ("Clients ask often", "10.61.0.12, (uid=?)"),
        ("Searches are paged", "(automountKey=*), 8 pages"),
    ),
    "clock_set_back": (
        ("All changes fail with error 1", "MOD and ADD by 10.60.2.14"),
        ("Access log is complete", "clock of the server, changes"),
    ),
    "sort_refused": (
        ("An index is missing", "(certStatus=*) in ou=certificateRepository"),
        ("Requests end with an error", "24 searches by 10.60.3.21"),
    ),
    "schema_at_each_login": (
        ("A client opens a new connection for each request", "10.62.1.40"),
        ("The same search is repeated", "(uid=baker101) by 10.62.1.40"),
    ),
    "app_passwords_refused": (
        ("A client opens a new connection for each request", "10.62.2.15, 49 s"),
        ("Logins fail", "binds with err=49"),
    ),
    "map_is_full": (
        ("Changes fail with error 80", "ADD by 10.62.3.16"),
        ("Carefully fill the cache", "successfully written"),
    ),
    "all_groups_for_nothing": (
        ("A client opens a new connection for each request", "10.62.4.30"),
        ("Unexplained: 96 % of the waiting", "(uid=?) by 10.62.4.30"),
    ),
    "since_1970": (
        ("Unexplained: 94 % of the time", "10.63.0.50"),
        ("One client asks in a row", "(uid=?), 10.63.0.50, keycloak"),
    ),
    "reapers_compete": (
        ("Searches of tokens are slow", "coreTokenExpirationDate by 10.63.1.11"),
        ("Errors: no such entry", "searches of 10.10.0.3"),
    ),
}
REMEDIES = {
    "branches_moved": "Move branches in a maintenance window",
    "map_for_one_key": "Upgrade SSSD, which then asks by its key",
    "clock_set_back": "Set nsslapd-ignore-time-skew: on, and mend the clock",
    "sort_refused": "Raise nsslapd-idlistscanlimit above the number of certificates",
    "schema_at_each_login": "Read the schema once (get_info=NONE) and reuse connections",
    "app_passwords_refused": "Ask the owner of 10.62.2.15 to check application passwords first",
    "map_is_full": "Raise olcDbMaxSize",
    "all_groups_for_nothing": "Search only the groups that count",
    "since_1970": "Ask what has changed since the last run",
    "reapers_compete": "Let only one server run the reaper",
}


def _named(case: Case, words: tuple[str, str]) -> bool:
    head, more = words
    return names_cause(case, Group(head, 2, head, f"{head}\n{more}", frozenset({"x"})))


@pytest.mark.parametrize("name", CASES)
def test_three_right_wordings_name_the_cause_and_two_vague_ones_do_not(name: str) -> None:
    case = CASES[name]
    assert [words for words in RIGHT[name] if not _named(case, words)] == []
    assert len(RIGHT[name]) == 3
    assert [words for words in WRONG[name] if _named(case, words)] == []
    assert len(WRONG[name]) == 2


@pytest.mark.parametrize("name", CASES)
def test_right_remedy_counts_and_right_words_accuse_nobody(name: str) -> None:
    case = CASES[name]
    assert re.search(case.remedy, REMEDIES[name], re.IGNORECASE)
    said = "\n".join([REMEDIES[name], *(head for head, _ in RIGHT[name])])
    assert [bad for bad in case.accused if re.search(bad, said, re.IGNORECASE)] == []
