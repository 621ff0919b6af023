"""cn=config answers as 389 DS 2.3.1 was seen to."""

import pytest

from ldap_workbench.practice.model.configuration import (
    BACKEND,
    BDB,
    CONFIG,
    INDEXES,
    LDBM,
    REFERINT,
    Answer,
    Configuration,
)
from ldap_workbench.practice.model.scenario import load_scenario
from ldap_workbench.practice.model.tree import Entry

GIB = 1 << 30

TAKEN = [
    # entry, attribute, value, what it reads then, what the server says
    (CONFIG, "nsslapd-threadnumber", "8", "8", ""),
    (CONFIG, "nsslapd-threadnumber", "-1", "16", ""),
    (CONFIG, "nsslapd-maxthreadsperconn", "10", "10", ""),
    (CONFIG, "nsslapd-maxdescriptors", "8192", "8192", "will not take effect until"),
    (CONFIG, "nsslapd-listen-backlog-size", "-1", "-1", ""),
    (CONFIG, "nsslapd-ndn-cache-max-size", "100", "20971520", ""),
    (CONFIG, "nsslapd-ndn-cache-max-size", "-1", "0", ""),
    (CONFIG, "nsslapd-errorlog-level", "0", "16384", ""),
    (CONFIG, "passwordStorageScheme", "PBKDF2_SHA256", "PBKDF2_SHA256", ""),
    (LDBM, "nsslapd-idlistscanlimit", "50", "100", ""),
    (LDBM, "nsslapd-idlistscanlimit", "-1", "-1", ""),
    (BDB, "nsslapd-db-checkpoint-interval", "-1", "-1", ""),
    (BDB, "nsslapd-db-transaction-wait", "maybe", "off", ""),
    (BDB, "nsslapd-db-transaction-batch-val", "-1", "0", ""),
    (BDB, "nsslapd-db-durable-transactions", "off", "off", "Unknown config attribute"),
    (BDB, "nsslapd-dbcachesize", "0", "0", ""),
    (BACKEND, "nsslapd-cachememsize", "0", "512000", ""),
    (BACKEND, "nsslapd-dncachememsize", "100", "512000", ""),
    (BACKEND, "nsslapd-readonly", "maybe", "off", ""),
    (REFERINT, "referint-update-delay", "abc", "abc", ""),
]
REFUSED = [
    (CONFIG, "nsslapd-threadnumber", "0", 1, "must range from 1 to 65535"),
    (CONFIG, "nsslapd-threadnumber", "4.5", 1, "must range from 1 to 65535"),
    (CONFIG, "nsslapd-nagle", "maybe", 1, 'Valid values are "on" or "off".'),
    (CONFIG, "nsslapd-accesslog-maxlogsize", "0", 53, "greater than 0"),
    (CONFIG, "nsslapd-accesslog-level", "abc", 1, "access log level"),
    (CONFIG, "nsslapd-numlisteners", "2", 53, "Unknown attribute nsslapd-numlisteners"),
    (CONFIG, "passwordStorageScheme", "NOPE", 1, "Valid schemes are: CLEAR"),
    (LDBM, "nsslapd-lookthroughlimit", "abc", 53, "is not a number"),
    (BDB, "nsslapd-db-durable-transaction", "off", 53, "can't be modified while the server"),
    (BDB, "nsslapd-db-locks", "100", 53, "Must be greater than 10000"),
    (BDB, "nsslapd-db-locks-monitoring-threshold", "200", 1, "range of 70 and 95"),
    (BDB, "nsslapd-dbcachesize", "100000000", 53, "nsslapd-cache-autosize"),
    (BACKEND, "nsslapd-cachememsize", "268435456", 53, "nsslapd-cache-autosize"),
    (BACKEND, "nsslapd-cachememsize", "-1", 53, "outside the range of representable values"),
    (BACKEND, "nsslapd-cachememsize", "abc", 53, "is not a number"),
]


@pytest.mark.parametrize(("dn", "name", "value", "reads", "says"), TAKEN)
def test_values_are_taken_and_altered(configuration, dn, name, value, reads, says):
    answer = configuration.replace(dn, name, [value])
    assert answer.code == 0
    assert (says in answer.message) if says else not answer.message
    assert configuration.entries[dn].values(name) == [reads]


@pytest.mark.parametrize(("dn", "name", "value", "code", "says"), REFUSED)
def test_values_are_refused_and_nothing_changes(configuration, dn, name, value, code, says):
    before = configuration.entries[dn].values(name)
    answer = configuration.replace(dn, name, [value])
    assert answer.code == code
    assert says in answer.message
    assert configuration.entries[dn].values(name) == before


def test_what_was_moved_to_bdb_is_written_there(configuration):
    assert configuration.replace(LDBM, "nsslapd-db-checkpoint-interval", ["15"]).code == 0
    assert configuration.entries[BDB].values("nsslapd-db-checkpoint-interval") == ["15"]
    assert configuration.entries[LDBM].values("nsslapd-db-checkpoint-interval") == []


def test_a_refusal_by_the_entry_above_bdb_has_no_words(configuration):
    assert configuration.replace(LDBM, "nsslapd-db-tx-max", ["300"]) == Answer(53)


@pytest.mark.parametrize(("dn", "other"), [(LDBM, BDB), (BDB, LDBM)])
def test_what_both_entries_show_is_one_value(configuration, dn, other):
    name = "nsslapd-import-cachesize"
    assert configuration.replace(dn, name, ["33554432"]).code == 0
    assert configuration.entries[other].values(name) == ["33554432"]
    assert configuration.replace(other, name, []).code == 0
    assert configuration.entries[dn].values(name) == ["16777216"]


def test_deleting_restores_the_default(configuration):
    default = configuration.entries[CONFIG].values("nsslapd-idletimeout")
    configuration.replace(CONFIG, "nsslapd-idletimeout", ["5"])
    assert configuration.replace(CONFIG, "nsslapd-idletimeout", []).code == 0
    assert configuration.entries[CONFIG].values("nsslapd-idletimeout") == default
    assert configuration.replace(CONFIG, "nsslapd-maxdescriptors", []).code == 53
    assert configuration.replace(CONFIG, "nsslapd-nosuch", []).code == 16


def test_live_values_work_at_once_and_others_after_a_start(configuration):
    before = configuration.knobs()
    configuration.replace(CONFIG, "nsslapd-threadnumber", ["8"])
    configuration.replace(BDB, "nsslapd-db-checkpoint-interval", ["15"])
    now = configuration.knobs()
    assert (now.threads, now.checkpoint_interval) == (before.threads, 15.0)
    configuration.start()
    assert configuration.knobs().threads == 8


def test_the_entry_cache_can_be_set_once_autosizing_is_off(configuration):
    assert configuration.replace(BDB, "nsslapd-cache-autosize", ["0"]).code == 0
    assert configuration.replace(BACKEND, "nsslapd-cachememsize", [str(GIB)]).code == 0
    assert configuration.knobs().entry_cache == GIB
    configuration.replace(BDB, "nsslapd-cache-autosize", ["25"])
    configuration.start()
    assert configuration.entries[BACKEND].values("nsslapd-cachememsize") != [str(GIB)]


def test_zero_collapses_an_autosized_entry_cache_until_the_next_start(configuration):
    large = configuration.knobs().entry_cache
    configuration.replace(BACKEND, "nsslapd-cachememsize", ["0"])
    assert configuration.knobs().entry_cache == 512_000
    configuration.start()
    assert configuration.knobs().entry_cache == large


def test_a_running_train_reads_its_delay_anew_but_starts_only_with_the_server():
    settings = load_scenario("referint-trains").settings
    configuration = Configuration(settings, ram_bytes=8 * GIB)
    configuration.replace(REFERINT, "referint-update-delay", ["10"])
    assert configuration.knobs().referint_delay == 10
    configuration.replace(REFERINT, "referint-update-delay", ["0"])
    assert configuration.knobs().referint_delay == 10
    configuration.start()
    assert configuration.knobs().referint_delay == 0
    configuration.replace(REFERINT, "referint-update-delay", ["30"])
    assert configuration.knobs().referint_delay == 0


NUMBER = f"cn=employeenumber,{INDEXES}"
TASK = "cn=1,cn=index,cn=tasks,cn=config"


def entry(dn, **attributes):
    return Entry(dn, [(name, value) for name, values in attributes.items() for value in values])


def test_an_index_serves_from_the_end_of_its_task_until_its_entry_goes():
    configuration = Configuration({}, ram_bytes=8 * GIB, users=20_000)
    index = entry(NUMBER, cn=["employeeNumber"], nsIndexType=["pres", "eq"])
    assert configuration.add(NUMBER, index, 0.0) == Answer()
    assert not configuration.knobs().number_index
    assert configuration.add(TASK, entry(TASK, nsIndexAttribute=["employeeNumber"]), 10.0).code == 0
    assert not configuration.end_builds(11.9)
    assert not configuration.knobs().number_index
    assert configuration.end_builds(12.0)
    assert configuration.entries[TASK].values("nsTaskExitCode") == ["0"]
    assert configuration.knobs().number_index
    configuration.replace(NUMBER, "nsIndexType", ["pres"])
    assert not configuration.knobs().number_index
    configuration.replace(NUMBER, "nsIndexType", ["eq"])
    configuration.start()
    assert configuration.knobs().number_index
    assert TASK not in configuration.entries
    assert configuration.delete(NUMBER) == Answer()
    assert not configuration.knobs().number_index


def test_only_indexes_and_their_tasks_come_and_go():
    configuration = Configuration({}, ram_bytes=8 * GIB)
    there = f"cn=mail,{INDEXES}"
    assert configuration.add("cn=a,cn=config", entry("cn=a,cn=config"), 0.0).code == 53
    assert configuration.add(there, entry(there), 0.0).code == 68
    assert configuration.add(TASK, entry(TASK, nsIndexAttribute=["other"]), 0.0).code == 32
    assert configuration.delete(CONFIG).code == 53
    assert configuration.delete(NUMBER).code == 32
