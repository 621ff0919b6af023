"""The catalogue: complete, well described, and strict about names and values."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.model.errors import KnobError, UsageError
from ldap_workbench.model.knob import Effect, Setting, ValueKind
from ldap_workbench.model.target import Backend, TargetFacts
from ldap_workbench.tuning.catalogue import load_catalogue, parse_setting, read_knobs
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from ldap_workbench.tuning.values import shown
from tests.unit.tuning.fakes import FACTS, FakeTarget

ASKED_FOR = """
nsslapd-threadnumber nsslapd-dbcachesize nsslapd-cachememsize nsslapd-dncachememsize
nsslapd-cache-autosize nsslapd-cache-autosize-split nsslapd-ndn-cache-max-size
nsslapd-db-checkpoint-interval nsslapd-accesslog-logbuffering nsslapd-accesslog-level
nsslapd-enable-upgrade-hash nsslapd-idlistscanlimit nsslapd-lookthroughlimit
nsslapd-db-durable-transaction nsslapd-db-transaction-batch-val nsslapd-maxthreadsperconn
nsslapd-listen-backlog-size io-scheduler read_ahead_kb
"""


@pytest.mark.parametrize("name", ASKED_FOR.split())
def test_has_every_knob_that_must_be_there(name: str) -> None:
    knob = load_catalogue().knob(name)
    assert knob.verified
    assert knob.about
    assert knob.source


EVERY_ATTRIBUTE = """
nsslapd-threadnumber nsslapd-maxthreadsperconn nsslapd-numlisteners nsslapd-maxdescriptors
nsslapd-listen-backlog-size nsslapd-idletimeout nsslapd-ioblocktimeout
nsslapd-outbound-ldap-io-timeout nsslapd-sizelimit nsslapd-timelimit nsslapd-pagedsizelimit
nsslapd-maxbersize nsslapd-maxsasliosize nsslapd-ndn-cache-enabled nsslapd-ndn-cache-max-size
nsslapd-ignore-virtual-attrs nsslapd-enable-turbo-mode nsslapd-connection-nocanon nsslapd-nagle
nsslapd-maxsimplepaged-per-conn nsslapd-accesslog-logbuffering nsslapd-accesslog-level
nsslapd-accesslog-log-format nsslapd-accesslog-compress nsslapd-statlog-level
nsslapd-thread-pool-stats nsslapd-groupevalnestlevel nsslapd-cache-autosize
nsslapd-cache-autosize-split nsslapd-lookthroughlimit nsslapd-rangelookthroughlimit
nsslapd-pagedlookthroughlimit nsslapd-pagedidlistscanlimit nsslapd-idlistscanlimit
nsslapd-search-bypass-filter-test nsslapd-serial-lock nsslapd-import-cachesize
nsslapd-import-cache-autosize nsslapd-backend-implement nsslapd-dynamic-lists-enabled
nsslapd-dynamic-lists-attr nsslapd-dynamic-lists-oc nsslapd-dynamic-lists-url-attr
nsslapd-cachememsize nsslapd-cachesize nsslapd-dncachememsize nsslapd-cache-pinned-entries
nsslapd-require-index nsslapd-require-internalop-index nsslapd-dbcachesize
nsslapd-db-checkpoint-interval nsslapd-db-durable-transaction nsslapd-db-transaction-batch-val
nsslapd-db-transaction-batch-min-wait nsslapd-db-transaction-batch-max-wait
nsslapd-db-logbuf-size nsslapd-db-page-size nsslapd-db-home-directory nsslapd-db-logdirectory
nsslapd-db-locks nsslapd-db-locks-monitoring-enabled nsslapd-db-locks-monitoring-threshold
nsslapd-db-locks-monitoring-pause nsslapd-db-compactdb-interval nsslapd-db-compactdb-time
nsslapd-db-trickle-percentage nsslapd-db-deadlock-policy nsslapd-db-private-mem
nsslapd-db-spin-count nsslapd-db-tx-max nsslapd-db-circular-logging nsslapd-db-logfile-size
nsslapd-db-index-page-size nsslapd-db-debug-checkpointing nsslapd-mdb-max-size
nsslapd-mdb-max-readers nsslapd-mdb-max-dbs nsslapd-mdb-online-import-nosync
referint-update-delay memberOfDeferredUpdate memberOfSkipNested index
nsIndexIDListScanLimit nsslapd-systemidlistscanlimit
vm.dirty_bytes vm.dirty_background_bytes io-scheduler read_ahead_kb
"""
"""What the server's source and its tuning guides know, whole names: a near one is another."""
ALSO_DESCRIBED = """
maxsasliosize thread-pool-stats serial-lock backend-implement dynamic-lists-enabled
dynamic-lists-attr dynamic-lists-oc dynamic-lists-url-attr require-internalop-index
import-cache-autosize db-compactdb-time db-private-mem db-spin-count db-tx-max
db-circular-logging db-logfile-size db-index-page-size db-debug-checkpointing
mdb-online-import-nosync memberOfDeferredUpdate memberOfSkipNested numlisteners
outbound-ldap-io-timeout cache-pinned-entries accesslog-log-format referint-update-delay
"""
OPENLDAP = """
olcThreads olcThreadQueues olcListenerThreads olcConcurrency olcConnMaxPending
olcConnMaxPendingAuth olcIdleTimeout olcWriteTimeout olcSockbufMaxIncoming
olcSockbufMaxIncomingAuth olcLogLevel olcLogFile olcLogFileFormat olcLogFileOnly
olcLogFileRotate olcSizeLimit olcTimeLimit olcSortVals olcDbMaxSize olcDbMaxReaders
olcDbEnvFlags olcDbNoSync olcDbCheckpoint olcDbRtxnSize olcDbSearchStack olcDbMultival
olcDbPageSize olcDbIndex olcDbMaxEntrySize olcBkMdbIdlExp olcLimits olcDbCacheSize
olcDbIDLcacheSize olcDbConfig
"""


@pytest.mark.parametrize("name", EVERY_ATTRIBUTE.split())
def test_every_tunable_that_is_written_about_is_there(name: str) -> None:
    knob = load_catalogue().knob(name)
    assert knob.name == name
    assert knob.about
    assert knob.source


@pytest.mark.parametrize("name", ["index", "nsIndexIDListScanLimit"])
def test_a_knob_of_each_attribute_wants_the_attribute_named(name: str) -> None:
    tuner = Tuner(FakeTarget(), Journal())
    reading = tuner.read(name)
    assert reading.value is None
    assert "for each attribute" in str(reading.unknown)
    with pytest.raises(KnobError, match="for each attribute") as caught:
        tuner.catalogue.treatment([f"{name}=eq"], FACTS)
    assert f"Write {name}.mail=eq" in str(caught.value.remedy)


@pytest.mark.parametrize("name", ["index.", "index.no such", "nsslapd-timelimit.mail"])
def test_what_is_no_attribute_is_refused(name: str) -> None:
    with pytest.raises(KnobError):
        load_catalogue().knob(name)


def test_an_equals_sign_never_replaces_a_list_of_many_values() -> None:
    facts = replace(FACTS, product="OpenLDAP", backends=(Backend("{1}mdb", "dc=x", "d"),))
    slapd = load_catalogue("openldap")
    with pytest.raises(KnobError, match="would replace all") as caught:
        slapd.treatment(["olcDbIndex=mail eq"], facts)
    assert "olcDbIndex+=mail eq" in str(caught.value.remedy)
    (added,) = slapd.treatment(["olcDbIndex@{1}mdb+=mail eq"], facts).settings
    assert added == Setting("olcDbIndex", "mail eq", "{1}mdb", "+=")
    assert added.argument == "olcDbIndex@{1}mdb+=mail eq"
    with pytest.raises(KnobError, match="has one value"):
        slapd.treatment(["olcThreads+=8"], facts)


@pytest.mark.parametrize(("typed", "value"), [("eq, SUB", "eq,sub"), ("Absent", "absent")])
def test_types_of_index_are_written_as_the_servers_do(typed: str, value: str) -> None:
    (setting,) = load_catalogue().treatment([f"index.mail={typed}"], FACTS).settings
    assert setting == Setting("index.mail", value, "userRoot")


def test_a_type_of_index_that_no_server_has_is_refused() -> None:
    with pytest.raises(KnobError, match="does not fit"):
        load_catalogue().treatment(["index.mail=equal"], FACTS)


def test_an_attribute_that_was_taken_out_again_may_be_absent() -> None:
    knob = load_catalogue().knob("nsslapd-systemidlistscanlimit")
    assert "Absent is right" in str(knob.trap)
    here = FakeTarget()
    here.facts = replace(here.facts, version="3.1.3")
    assert Tuner(here, Journal()).read(knob.name).value is None


@pytest.mark.parametrize("name", ["olcDbCacheSize", "olcDbIDLcacheSize", "olcDbConfig"])
def test_what_came_to_an_end_with_openldap_2_4_is_not_offered_for_mdb(name: str) -> None:
    facts = replace(FACTS, product="OpenLDAP", db_library="mdb")
    assert load_catalogue("openldap").of(replace(facts, db_library="bdb")).knob(name).steps
    with pytest.raises(KnobError):
        load_catalogue("openldap").of(facts).knob(name)


@pytest.mark.parametrize("name", ALSO_DESCRIBED.split())
def test_describes_what_was_not_measured_too(name: str) -> None:
    knob = load_catalogue().knob(name)
    assert knob.about
    assert knob.source


@pytest.mark.parametrize("name", OPENLDAP.split())
def test_openldap_has_a_catalogue_of_its_own(name: str) -> None:
    knob = load_catalogue("openldap").knob(name)
    assert knob.dn.endswith("cn=config")
    assert not (knob.verified and knob.steps), "what is done by hand was not set by the workbench"


def test_of_openldap_only_what_is_done_by_hand_is_unverified() -> None:
    known = load_catalogue("openldap").knobs
    unverified = [knob for knob in known if not knob.verified and not knob.on_host]
    left = [knob.name for knob in unverified if not (knob.steps or knob.many or knob.per_attribute)]
    assert left == ["olcSpSessionlogSource"], "ended every version that has it"


@pytest.mark.parametrize(
    "name",
    ["olcListenerThreads", "olcThreadQueues", "olcLogFile", "olcDbMaxSize", "olcDbMaxReaders"],
)
def test_what_breaks_a_running_slapd_is_set_while_it_is_stopped(name: str) -> None:
    """Changed while slapd 2.5.13 runs it may crash, or answer nobody any more."""
    knob = load_catalogue("openldap").knob(name)
    assert knob.effect is Effect.OFFLINE
    assert not knob.steps
    assert re.search("crash|stops answering", str(knob.trap))


def test_what_needs_an_import_has_steps_instead() -> None:
    for name in ("nsslapd-db-page-size", "nsslapd-db-index-page-size", "nsslapd-backend-implement"):
        assert len(load_catalogue().knob(name).steps) >= 3


def test_no_knob_is_described_twice_for_one_library() -> None:
    seen = [(knob.name.lower(), knob.db_library) for knob in load_catalogue().knobs]
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize("knob", load_catalogue().knobs, ids=lambda k: f"{k.name}-{k.db_library}")
def test_every_knob_can_be_used(knob) -> None:
    assert bool(knob.dn) != bool(knob.path)
    assert knob.kind is not ValueKind.CHOICE or knob.choices
    assert knob.proof.kind in ("stored", "monitor", "sysfs")
    assert (knob.proof.kind == "monitor") == bool(knob.proof.dn and knob.proof.attribute)
    for needed in knob.needs:
        assert load_catalogue().knob(needed).name == needed


@pytest.mark.parametrize("name", ["NSSLAPD-ThreadNumber", "threadnumber", " nsslapd-threadnumber"])
def test_finds_a_knob_whatever_the_case(name: str) -> None:
    assert load_catalogue().knob(name).name == "nsslapd-threadnumber"


def test_a_near_miss_is_refused_with_the_right_name() -> None:
    with pytest.raises(KnobError) as caught:
        load_catalogue().knob("nsslapd-db-durable-transactions")
    assert "nsslapd-db-durable-transaction" in str(caught.value.remedy)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("nsslapd-threadnumbr", "nsslapd-threadnumber"),
        ("indexx.mail", "index.mail"),
        ("idx.mail", "index.mail"),
        ("indes", "index.NAME"),
    ],
)
def test_an_unknown_knob_has_the_nearest_proposed(name: str, nearest: str) -> None:
    with pytest.raises(KnobError, match=f"There is no knob '{name}'") as caught:
        load_catalogue().knob(name)
    assert f"Did you mean {nearest}" in str(caught.value.remedy)


def test_sun_directory_server_has_its_settings_where_389_ds_had_them() -> None:
    """Written under today's name, its plug-in would store the value and ignore it."""
    facts = TargetFacts("sun", "Sun-Directory-Server", "11.1.1.7.0", "sun.example")
    catalogue = load_catalogue().of(facts)
    treatment = catalogue.treatment(["referint-update-delay=0"], facts)
    assert [str(setting) for setting in treatment.settings] == ["nsslapd-pluginarg0=0"]
    assert catalogue.knob("nsslapd-db-checkpoint-interval").dn == (
        "cn=config,cn=ldbm database,cn=plugins,cn=config"
    )
    ours = replace(facts, product="389-Directory")
    (setting,) = load_catalogue().treatment(["referint-update-delay=0"], ours).settings
    assert setting.knob == "referint-update-delay"


def test_an_unknown_product_is_refused() -> None:
    with pytest.raises(KnobError, match="no catalogue"):
        load_catalogue("nosuch")


def test_the_library_decides_where_a_knob_lies() -> None:
    catalogue = load_catalogue()
    mdb = catalogue.of(replace(FACTS, db_library="mdb"))
    assert mdb.knob("nsslapd-db-durable-transaction").dn.startswith("cn=mdb,")
    assert catalogue.of(FACTS).knob("nsslapd-db-durable-transaction").dn.startswith("cn=bdb,")
    with pytest.raises(KnobError):
        mdb.knob("nsslapd-db-checkpoint-interval")


def test_parse_setting_splits_knob_place_and_value() -> None:
    assert parse_setting("nsslapd-cachememsize@userRoot=200 MiB") == Setting(
        "nsslapd-cachememsize", "200 MiB", "userRoot"
    )


@pytest.mark.parametrize(
    "setting",
    [
        Setting("nsSizeLimit", "-1", "uid=portal,ou=a = b,dc=example,dc=com"),
        Setting("vlv.mine", "ou=people,dc=example,dc=com sub (a=1) cn", "userRoot"),
        Setting("index.mail", "eq,sub", "userRoot"),
        Setting("nsIndexIDListScanLimit.cn", "limit=0 type=eq values=a,b=5", "userRoot", "+="),
        Setting("nsDS5ReplicatedAttributeList", "(objectclass=*) $ EXCLUDE a,b", "to-b"),
    ],
)
def test_a_setting_with_signs_of_equality_is_read_as_it_is_written(setting: Setting) -> None:
    assert parse_setting(setting.argument) == setting


def test_a_limit_of_a_bind_dn_says_that_all_replicas_change() -> None:
    catalogue = load_catalogue()
    portal = "uid=portal,dc=example,dc=com"
    limits = [f"{limit}@{portal}=5" for limit in ("nsSizeLimit", "nsTimeLimit")]
    said = str(catalogue.user_data_ahead([catalogue.treatment(limits, FACTS)]))
    assert said.startswith(f"This changes user data, {portal}: replication sends it to all")
    usual = catalogue.treatment(["threadnumber=5"], FACTS)
    assert not catalogue.user_data_ahead([usual])


def test_a_limit_of_a_bind_dn_needs_one() -> None:
    with pytest.raises(KnobError, match="lies in the entry that a client binds as") as caught:
        load_catalogue().treatment(["nsSizeLimit=5"], FACTS)
    assert "nsSizeLimit@uid=portal" in str(caught.value.remedy)


@pytest.mark.parametrize("text", ["", "threadnumber", "=5", "threadnumber=", "@userRoot=5"])
def test_parse_setting_refuses(text: str) -> None:
    with pytest.raises(UsageError):
        parse_setting(text)


def test_what_a_knob_needs_comes_first() -> None:
    treatment = load_catalogue().treatment(["cachememsize=200 MiB"], FACTS)
    assert treatment.settings == (
        Setting("nsslapd-cache-autosize", "0"),
        Setting("nsslapd-cachememsize", "209715200", "userRoot"),
    )


def test_what_is_needed_is_added_once() -> None:
    given = ["cachememsize=200 MiB", "dbcachesize=64 MiB", "cache-autosize=0"]
    names = [s.knob for s in load_catalogue().treatment(given, FACTS).settings]
    assert names == ["nsslapd-cache-autosize", "nsslapd-cachememsize", "nsslapd-dbcachesize"]


def test_nothing_is_needed_that_does_not_exist_for_the_library() -> None:
    facts = replace(FACTS, db_library="mdb")
    treatment = load_catalogue().treatment(["cachememsize=200 MiB"], facts)
    assert [s.knob for s in treatment.settings] == ["nsslapd-cachememsize"]


@pytest.mark.parametrize(
    "given",
    [["cachememsize=200 MiB", "cache-autosize=10"], ["threadnumber=4", "threadnumber=8"]],
)
def test_settings_that_exclude_each_other_are_refused(given: list[str]) -> None:
    with pytest.raises(KnobError, match="cannot be both"):
        load_catalogue().treatment(given, FACTS)


def test_an_empty_treatment_is_refused() -> None:
    with pytest.raises(UsageError):
        load_catalogue().treatment([], FACTS)


def test_two_backends_need_a_choice() -> None:
    facts = replace(FACTS, backends=(*FACTS.backends, Backend("second", "o=x", "cn=second")))
    with pytest.raises(KnobError) as caught:
        load_catalogue().treatment(["dncachememsize=64 MiB"], facts)
    assert "@second" in str(caught.value.remedy)
    treatment = load_catalogue().treatment(["dncachememsize@SECOND=64 MiB"], facts)
    assert treatment.settings[0].place == "second"


def test_a_place_where_there_is_one_only_is_refused() -> None:
    with pytest.raises(KnobError, match="exists once"):
        load_catalogue().treatment(["threadnumber@userRoot=8"], FACTS)


@pytest.mark.parametrize(
    ("setting", "plain"),
    [
        ("threadnumber=8", "8"),
        ("threadnumber=-1", "-1"),
        ("dncachememsize=1.5 GiB", "1610612736"),
        ("dncachememsize=512000", "512000"),
        ("db-checkpoint-interval=2 min", "120"),
        ("db-checkpoint-interval=15 s", "15"),
        ("cache-autosize=10 %", "10"),
        ("enable-upgrade-hash=OFF", "off"),
        ("search-bypass-filter-test=Verify", "verify"),
        ("ioblocktimeout=500 ms", "500"),
        ("db-page-size=16384", "16384"),
        ("io-scheduler=none", "none"),
    ],
)
def test_values_become_plain(setting: str, plain: str) -> None:
    assert load_catalogue().treatment([setting], FACTS).settings[-1].value == plain


@pytest.mark.parametrize(
    "setting",
    [
        "threadnumber=0",
        "threadnumber=-2",
        "threadnumber=4.5",
        "threadnumber=65536",
        "threadnumber=many",
        "cachememsize=0",
        "cachememsize=-1",
        "cachememsize=9 GiB",
        "cachememsize=lots",
        "db-checkpoint-interval=0",
        "db-checkpoint-interval=-1",
        "db-checkpoint-interval=1 week",
        "enable-upgrade-hash=maybe",
        "search-bypass-filter-test=perhaps",
        "db-page-size=10000",
        "db-deadlock-policy=0",
        "ndn-cache-max-size=100",
        "ioblocktimeout=5 s",
        "passwordStorageScheme=a\nb",
        "idlistscanlimit=99999999999999999999999",
    ],
)
def test_values_the_server_would_swallow_are_refused(setting: str) -> None:
    with pytest.raises(KnobError):
        load_catalogue().treatment([setting], FACTS)


def test_a_refusal_names_the_range() -> None:
    with pytest.raises(KnobError) as caught:
        load_catalogue().treatment(["threadnumber=0"], FACTS)
    assert "from 1 to 65535, or -1 threads" in str(caught.value.remedy)


def test_values_are_shown_with_their_unit() -> None:
    knob = load_catalogue().knob
    assert str(shown(knob("cachememsize"), "209715200")) == "209715200 (200 MiB)"
    assert str(shown(knob("threadnumber"), "16")) == "16 threads"
    assert str(shown(knob("threadnumber"), None)) == "absent"
    assert str(shown(knob("enable-upgrade-hash"), "on")) == "on"


def test_durability_needs_the_server_stopped() -> None:
    assert load_catalogue().knob("nsslapd-db-durable-transaction").effect is Effect.OFFLINE


def test_a_badly_described_knob_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text('[[knob]]\nname = "x"\nkind = "colour"\neffect = "live"\nrisk = "low"\n')
    with pytest.raises(KnobError, match=r"bad\.toml does not describe knob x"):
        read_knobs(path)
