"""Advice: the rules as data are sound, values fit, and the ranking is what it says."""

import re
from dataclasses import replace

import pytest

from ldap_workbench.advice.evidence.missing import missing_in
from ldap_workbench.advice.evidence.wording import definitions
from ldap_workbench.advice.rules.advise import advise, conflicts
from ldap_workbench.advice.rules.basis import CONDITIONS
from ldap_workbench.advice.rules.rule import RISKS, TAILS, TAKES, every_rule
from ldap_workbench.inference.counts.metrics import METRICS, known_metric
from ldap_workbench.model.finding import Deployment, Finding
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.knob import KnobReading, Setting
from ldap_workbench.model.target import Backend
from ldap_workbench.tuning.catalogue import load_catalogue, parse_setting
from ldap_workbench.tuning.values import plain
from tests.unit.advice.material import FACTS, load_rules

MIB = 1024**2
PRODUCTS = ("389ds", "openldap")
LINUX = Deployment("389ds", "bdb", frozenset({"linux"}))
BASE = FACTS.backends[0].suffix
LOOKTHROUGH, PAGED = "nsslapd-lookthroughlimit", "nsslapd-pagedlookthroughlimit"
OPENLDAP = replace(FACTS, product="OpenLDAP", db_library="mdb")


def found(which, severity=2, *, server=Deployment(), **numbers):  # noqa: B008 - frozen
    return Finding(which, which, which, severity, (), numbers, server=server)


WITHOUT = {"unindexed": ["uniquemember"], "missing_indexes": missing_in(None, ["uniquemember"])}


def unindexed(*filters, **numbers):
    """Searches without an index, with the one that they lack."""
    numbers = {"missing_indexes": missing_in(None, ["cn"]), "changes": 2} | numbers
    return found("unindexed", filters=list(filters), **numbers)


def ids(advices):
    return [advice.id for advice in advices]


def by_id(advices, which):
    return next(advice for advice in advices if advice.id == which)


def reading(name, value):
    return KnobReading(load_catalogue().knob(name), "", value)


STALLS = (
    found("stall", 3),
    found("checkpoint", 3, period_s=61.2),
    found("slow_device", 2, device="vda"),
)
ON_DISK = {"nsslapd-db-home-directory": "/var/lib/dirsrv/slapd-lab/db"}
ENTRY_CACHE = found(
    "entry_cache",
    backend="userRoot",
    wanted_bytes=700_000_000,
    max_bytes=200 * MIB,
    entries=100_104,
    mean_entry_bytes=5500,
)
LARGE_READS = found("large_reads", device="vda", kb_per_read=105.0, page_kb=32.0)


@pytest.mark.parametrize("product", PRODUCTS)
def test_every_rule_is_sound(product):
    rules = load_rules(product)
    known = {rule.id for rule in rules}
    assert len(known) == len(rules)
    for rule in rules:
        assert rule.findings
        assert set(rule.findings) <= set(definitions()), rule.id
        assert set(rule.excludes) <= known - {rule.id}, rule.id
        assert rule.when in CONDITIONS, rule.id
        assert rule.takes in TAKES
        assert rule.risk in RISKS
        assert set(rule.effect) == set(TAILS)
        assert set(rule.effect.values()) <= {0, 1, 2, 3}
        assert rule.sources, rule.id
        assert rule.settings or rule.steps, f"{rule.id} says neither what to set nor what to do"
        if rule.takes == "reimport":
            assert not rule.settings, f"{rule.id} must be explained, not automated"


@pytest.mark.parametrize("product", PRODUCTS)
def test_an_experiment_is_judged_by_what_the_advice_promises(product):
    """A metric of verdicts and, where it is a quantile, one that is expected to move."""
    for rule in load_rules(product):
        metric = PrimaryMetric.parse(rule.metric)
        if not rule.metric:
            assert not rule.settings or max(rule.effect.values()) <= 1, rule.id
            continue
        assert metric.metric in METRICS, rule.id
        assert metric.operation_type in ("ALL", "SRCH", "BIND", "MOD", "DEL"), rule.id
        assert metric.metric not in TAILS or rule.effect[metric.metric], rule.id


def test_advice_carries_its_metric():
    assert advise(STALLS, FACTS)[0].primary == "stall_len"


def test_an_index_is_judged_by_the_searches_that_need_it():
    both = unindexed("(&(objectclass=?)(mail=?))", "(cn=?)")
    index = by_id(advise([both], FACTS), "index-filter")
    assert index.primary == "SRCH[(&(objectclass=?)(mail=?))]:p50"
    assert known_metric(index.primary) == PrimaryMetric.parse(index.primary)
    cut = by_id(advise([unindexed("...")], FACTS), "index-filter")
    assert cut.primary == ""


@pytest.mark.parametrize("product", PRODUCTS)
def test_what_excludes_is_excluded(product):
    rules = {rule.id: rule for rule in load_rules(product)}
    for rule in rules.values():
        for other in rule.excludes:
            assert rule.id in rules[other].excludes, f"{other} does not know of {rule.id}"


def test_every_knob_is_in_the_catalogue_and_says_the_same_of_restarts():
    catalogue = load_catalogue()
    for rule in load_rules("389ds"):
        for text in rule.settings:
            knob = catalogue.knob(parse_setting(text).knob)
            assert knob.effect.value == rule.takes, rule.id


def test_every_finding_is_worded_for_people():
    for which, definition in definitions().items():
        assert definition["title"], which
        assert definition["sentence"].endswith((".", "}")), which
        assert definition["severity"] in (1, 2, 3), which


def test_every_finding_but_mere_notes_backs_some_advice():
    backed = {f for rule in every_rule() for f in rule.findings}
    notes = {"load_changed", "consumer_ratio", "censored", "coarse", "incomplete", "clock"}
    notes |= {"no_answer", "stall", "unanswered"}
    notes |= {"config_writers", "failed_operations", "no_unit", "server_tasks"}
    notes |= {"known_defect", "healthcheck", "healthcheck_other", "entry_cache_no_room"}
    notes |= {"unexplained", "far_data", "recurring_stalls", "slower_since"}
    notes |= {
        "log_complaints",
        "no_descriptors",
        "one_level_empty",
        "operations_open",
        "replication_refused",
        "client_rate_falls",
        "client_errors",
        "clients_denied",
    }
    notes |= {f"summary_{what}" for what in ("unindexed", "restarts", "unanswered", "slow")}
    owners = {which for which, definition in definitions().items() if "owner" in definition}
    assert set(definitions()) - backed - owners == notes


def test_checkpoint_stalls_rank_the_shorter_interval_first():
    advices = advise(STALLS, FACTS, settings=ON_DISK)
    assert advices[0].id == "checkpoint-shorter"
    assert advices[0].treatment.settings == (Setting("nsslapd-db-checkpoint-interval", "15"),)
    assert advices[0].findings == ("checkpoint",)
    assert {"checkpoint-longer", "db-home-tmpfs", "db-cache-minimal"} <= set(ids(advices))


def test_a_stall_alone_says_nothing_of_checkpoints():
    alone = [finding for finding in STALLS if finding.id == "stall"]
    assert alone
    advices = ids(advise(alone, FACTS, settings=ON_DISK))
    assert [which for which in advices if "check" in which] == []


def test_the_order_follows_the_tail_that_was_named():
    both = [*STALLS, ENTRY_CACHE]
    assert advise(both, FACTS, tail="p99.9")[0].id == "checkpoint-shorter"
    assert advise(both, FACTS, tail="p50")[0].id == "entry-cache"
    assert ids(advise(both, FACTS, tail="slo")) == ids(advise(both, FACTS, tail="p99.9"))


def test_with_the_same_effect_the_cheaper_and_safer_comes_first():
    order = ids(advise(STALLS, FACTS, tail="p99.9"))
    # effects 2 and severity 3 alike: live, then restart, then offline
    assert order.index("dirty-pages") < order.index("db-cache-minimal")
    assert order.index("db-cache-minimal") < order.index("checkpoint-trickle")


def test_what_the_server_has_already_is_not_advised():
    readings = [reading("nsslapd-db-checkpoint-interval", "15")]
    assert "checkpoint-shorter" not in ids(advise(STALLS, FACTS, readings))
    assert "checkpoint-longer" in ids(advise(STALLS, FACTS, readings))


def test_bdb_advice_is_not_for_mdb():
    advices = advise(STALLS, replace(FACTS, db_library="mdb"))
    assert "checkpoint-shorter" not in ids(advices)
    assert "scheduler-none" not in ids(advices)  # nothing tells which scheduler is in force
    assert "dirty-pages" in ids(advices)


def test_an_entry_cache_comes_as_an_atomic_group():
    advice = by_id(advise([ENTRY_CACHE], FACTS), "entry-cache")
    size = str(668 * MIB)  # 700 MB rounded up to MiB
    assert advice.treatment.settings == (
        Setting("nsslapd-cache-autosize", "0"),
        Setting("nsslapd-cachememsize", size, "userRoot"),
    )
    assert "100,104 entries of 5.4 KiB" in str(advice.why)
    assert "668 MiB" in str(advice.cost)


def test_of_entries_that_nobody_counted_the_cache_is_doubled_to_see():
    unknown = {"wanted_bytes": None, "entries": None, "max_bytes": 200 * MIB}
    found = replace(ENTRY_CACHE, numbers=ENTRY_CACHE.numbers | unknown)
    every = advise([found], FACTS)
    assert "entry-cache" not in ids(every)
    advice = by_id(every, "entry-cache-twice")
    assert advice.treatment.settings[1].value == str(400 * MIB)
    assert "entry-cache-twice" not in ids(advise([ENTRY_CACHE], FACTS))


def test_a_cache_never_gets_more_than_half_of_memory():
    small = replace(FACTS, ram_bytes=1024 * MIB)
    advice = by_id(advise([ENTRY_CACHE], small), "entry-cache")
    assert advice.treatment.settings[1].value == str(512 * MIB)
    has_it = replace(ENTRY_CACHE, numbers=ENTRY_CACHE.numbers | {"max_bytes": 512 * MIB})
    assert "entry-cache" not in ids(advise([has_it], small))


def test_read_ahead_is_cut_to_the_page():
    advice = by_id(advise([LARGE_READS], FACTS), "read-ahead")
    assert advice.treatment.settings == (Setting("read_ahead_kb", "32", "vda"),)
    assert "105 KB were read for pages of 32 KB" in str(advice.why)


def test_a_page_larger_than_now_is_explained_not_done():
    advice = by_id(advise([LARGE_READS], FACTS), "page-size")
    assert advice.treatment.settings == ()
    assert any("ldif2db" in str(step) for step in advice.steps)
    assert any(
        "\\nnsslapd-db-page-size: PAGE/' CONFIG-FOLDER/dse.ldif" in str(s) for s in advice.steps
    )


def test_high_risk_never_comes_first_and_never_alone():
    flush = found("slow_flush", device="vda")
    order = ids(advise([flush], FACTS, tail="p50"))
    assert order[-1] == "durable-off"
    assert order[0] != "durable-off"
    inside = found("referint_inside", unindexed=[])
    assert advise([inside], FACTS) == []


def test_indexes_come_before_the_delay_of_referint():
    trains = found("referint_trains", delay_s=180.0, **WITHOUT)
    advices = advise([trains], FACTS)
    assert ids(advices).index("referint-index") < ids(advices).index("referint-at-once")
    assert "uniquemember" in str(by_id(advices, "referint-index").why)
    at_once = by_id(advices, "referint-at-once")
    assert at_once.needs
    assert at_once.disagree
    indexed = found("referint_trains", delay_s=180.0, unindexed=[])
    assert "referint-index" not in ids(advise([indexed], FACTS))


def test_more_threads_only_with_idle_processors():
    idle = found("work_queue", cpu_idle_percent=60.0, threads=16)
    busy = found("work_queue", cpu_idle_percent=2.0, threads=16)
    more = by_id(advise([idle], FACTS), "threads-more")
    assert more.treatment.settings == (Setting("nsslapd-threadnumber", "32"),)
    assert "threads-more" not in ids(advise([busy], FACTS))


def test_pinned_entries_need_a_server_that_knows_them():
    slow = found("same_operation", like_a_timeout=False)
    assert "pin-groups" not in ids(advise([slow], FACTS))
    assert "pin-groups" not in ids(advise([slow], replace(FACTS, version="3.1.2")))
    assert "pin-groups" in ids(advise([slow], replace(FACTS, version="3.2.0")))


def test_an_import_without_facts_still_gets_advice():
    advice = advise([replace(ENTRY_CACHE, server=Deployment("389ds"))], None)[0]
    assert advice.treatment.settings[-1].knob == "nsslapd-cachememsize"


@pytest.mark.parametrize("tail", ["p50", "p95", "p99", "p99.9", "slo", "max"])
def test_what_an_advice_needs_is_ranked_before_it_for_every_tail(tail):
    """Without the index each deletion reads the whole database, at once as well as later."""
    seen = [
        found("referint_trains", delay_s=180.0, **WITHOUT),
        found("referint_inside", **WITHOUT),
    ]
    order = ids(advise(seen, FACTS, tail=tail))
    assert order.index("referint-index") < order.index("referint-at-once")
    assert order.index("referint-index") < order.index("referint-delayed")


@pytest.mark.parametrize(
    ("which", "numbers"),
    [
        ("entry-cache", None),
        ("db-cache-larger", {"size_bytes": 64 * MIB}),
        ("db-cache-minimal", {"size_bytes": 64 * MIB}),
    ],
)
def test_what_the_server_wants_first_is_part_of_the_treatment(which, numbers):
    seen = ENTRY_CACHE if numbers is None else found("db_cache", **numbers)
    advice = by_id(advise([seen], FACTS), which)
    assert "autosize at 0" in " ".join(map(str, advice.needs))
    assert advice.treatment.settings[0] == Setting("nsslapd-cache-autosize", "0")


def test_openldap_gets_its_own():
    assert ids(advise([unindexed("(cn=*?*)")], OPENLDAP)) == ["olc-index"]


def test_the_host_is_tuned_alike_whatever_the_product():
    seen = [LARGE_READS, found("scheduler", device="vda"), found("memory", swapping_share=0.5)]
    for facts in (FACTS, OPENLDAP):
        order = ids(advise(seen, facts))
        assert {"read-ahead", "scheduler-none", "no-swap"} <= set(order)


def test_more_threads_of_slapd_are_reckoned_from_those_it_has():
    waiting = found("work_queue", threads=None, cpu_idle_percent=50.0)
    assert str(by_id(advise([waiting], OPENLDAP), "olc-threads-more").treatment) == "olcThreads=32"
    knob = load_catalogue("openldap").knob("olcThreads")
    more = advise([waiting], OPENLDAP, [KnobReading(knob, "", "24")])
    assert str(by_id(more, "olc-threads-more").treatment) == "olcThreads=48"


def test_what_came_with_openldap_2_6_is_not_for_2_5():
    tail = found("log_functions")
    assert ids(advise([tail], replace(OPENLDAP, version="2.5.13"))) == []
    assert ids(advise([tail], replace(OPENLDAP, version="2.6.10"))) == ["olc-log-file"]


@pytest.mark.parametrize("product", PRODUCTS)
def test_every_setting_can_be_made_where_it_is_advised(product):
    """In the catalogue of its product, within its range, and not one that is done by hand."""
    catalogue = load_catalogue(product)
    for rule in load_rules(product):
        for text in rule.settings:
            setting = parse_setting(text)
            knob = catalogue.knob(setting.knob)
            assert not knob.steps, f"{rule.id}: {knob.name} is done by hand"
            if "{" not in setting.value:
                assert plain(knob, setting.value) == setting.value, rule.id


def test_openldap_logs_without_a_server_still_get_advice():
    offline = replace(OPENLDAP, backends=())
    advice = by_id(advise([found("same_operation")], offline), "olc-multival")
    assert str(advice.treatment) == "olcDbMultival=default 100,10"


CLASSIC = """
checkpoint-shorter checkpoint-longer checkpoint-trickle db-home-tmpfs db-cache-minimal page-size
dirty-pages entry-cache dn-cache ndn-cache autosize-more db-cache-larger threads-more
threads-fewer log-buffering-on read-ahead scheduler-none cpu-scheduler referint-index
referint-at-once referint-delayed idlistscanlimit upgrade-hash-off transaction-batch durable-off
mdb-map mdb-readers
"""


def test_every_classic_remedy_is_there():
    known = {rule.id for rule in load_rules("389ds")}
    assert set(CLASSIC.split()) <= known
    rules = load_rules("389ds")
    steps = [step.text for rule in rules for step in rule.steps]
    words = " ".join([*steps, *(" ".join(rule.settings) + rule.cost for rule in rules)])
    for word in ("dopageflush", "vm.dirty_bytes", "maxcontig", "drop_caches", "WAKEUP_PREEMPTION"):
        assert word in words


@pytest.mark.parametrize(
    ("product", "version", "place", "advised"),
    [
        ("389ds", "2.3.1", "", False),  # /dev/shm since 1.4.3
        ("389ds", "", "", False),
        ("389ds", "1.3.10", "", True),
        ("389ds", "2.3.1", "/dev/shm/slapd-lab", False),
        ("389ds", "2.3.1", "/var/lib/dirsrv/slapd-lab/db", True),
        ("dsee", "", "", True),
        ("dsee", "", "/tmp/ds", False),
        ("openldap", "", "", False),
    ],
)
def test_region_files_go_to_memory_where_they_are_not_yet(product, version, place, advised):
    stalls = [replace(f, server=Deployment(product, "bdb")) for f in STALLS]
    stalls = [replace(f, numbers=f.numbers | {"version": version}) for f in stalls]
    settings = {"nsslapd-db-home-directory": place} if place else {}
    assert ("db-home-tmpfs" in ids(advise(stalls, None, settings=settings))) is advised


@pytest.mark.parametrize("facts", [FACTS, OPENLDAP])
def test_more_threads_claim_idle_processors_only_where_they_were_seen(facts):
    which = "threads-more" if facts is FACTS else "olc-threads-more"
    unknown = by_id(advise([found("work_queue", threads=16)], facts), which)
    assert "not known" in str(unknown.why)
    seen = by_id(advise([found("work_queue", threads=16, cpu_idle_percent=60.4)], facts), which)
    assert "Processors are 60 % idle" in str(seen.why)


@pytest.mark.parametrize(
    ("tail", "first"), [("p50", "index-filter"), ("p99.9", "checkpoint-shorter")]
)
def test_the_costliest_comes_first_and_in_the_tail_what_makes_it(tail, first):
    """A stall that costs a twentieth of an unindexed search is the tail all the same."""
    stall = replace(found("checkpoint", 3, period_s=61.2), user_ns=10**9, over_ns=10**12)
    search = replace(unindexed("(cn=?)"), severity=2, worker_ns=20 * 10**9, over_ns=10**12)
    assert ids(advise([stall, search], FACTS, tail=tail))[0] == first


def test_no_findings_no_advice():
    assert advise([], FACTS) == []


def test_conflicts_are_said_once_for_each_pair():
    said = list(map(str, conflicts(advise(STALLS, FACTS, settings=ON_DISK))))
    pairs = [s for s in said if "exclude each other" in s]
    assert len(pairs) == len(set(pairs))
    assert sum("every 15 s" in s and "every 120 s" in s for s in pairs) == 1
    assert any("tmpfs" in s and "minimal database cache" in s for s in pairs)
    assert any("needs: A directory of its own" in s for s in said)


def test_no_index_is_advised_for_what_the_server_computes():
    """389 DS 2.3.1 notes a search for a role as unindexed."""
    roles = found("virtual_attributes", virtual=["nsrole"])
    asked = unindexed("(&(uid=?)(nsrole=?))", missing_indexes=[])
    assert "index-filter" not in {advice.id for advice in advise([asked, roles], FACTS)}


def test_steps_say_whose_commands_they_are():
    """Sun's dsconf is not that of 389 DS."""
    ours, suns = (
        " ".join(map(str, by_id(advise([asked], None), "index-filter").steps))
        for product in ("389ds", "dsee")
        for asked in [unindexed("(cn=?)", server=Deployment(product))]
    )
    assert "dsconf INSTANCE backend index add" in ours
    assert "dsconf create-index 'SUFFIX' cn" in suns
    assert "INSTANCE" not in suns


@pytest.mark.parametrize(
    ("finding", "settings", "advised"),
    [
        (found("changelog_unlimited", changelogs=["userRoot", "gone"]), {},
         ["nsslapd-changelogmaxage@userRoot=7d"]),
        (found("changelog_unlimited", changelogs=["changelog5"]), {}, []),
        (found("retro_changelog_unlimited", operations=0), {}, ["retro-changelogmaxage=2d"]),
        (found("memberof_price"), {"memberOfAllBackends": "on"}, ["memberOfAllBackends=off"]),
        (found("memberof_price"), {"memberOfAllBackends": "off"}, []),
        (found("long_id_lists", key="objectclass key(eq)", limit=4000), {},
         ["nsIndexIDListScanLimit.objectclass@userRoot+=limit=4000 type=eq flags=AND"]),
        (found("long_id_lists", key="", limit=4000), {}, []),
        (found("cache_below_database", databases={"userRoot": (10 * MIB, 40 * MIB)}), {},
         ["nsslapd-cachememsize@userRoot=83886080", "nsslapd-cache-autosize=0"]),
        (found("cache_below_database", databases={"a": (1, 2), "b": (1, 2)}), {}, []),
        (found("server_sort", list=f"ou=people,{BASE} sub (cn=*) cn -sn"), {},
         [f"vlv.by-cn-sn@userRoot=ou=people,{BASE} sub (cn=*) cn -sn"]),
        (found("server_sort", list="ou=people,dc=other sub (cn=*) cn"), {}, []),
        (found("server_sort", list=""), {}, []),
        (found("paged_searches"), {LOOKTHROUGH: "-1"}, [f"{PAGED}=5000"]),
        (found("paged_searches"), {LOOKTHROUGH: "-1", PAGED: "3000"}, [f"{PAGED}=1500"]),
        (found("paged_searches"), {LOOKTHROUGH: "5000", PAGED: "0"}, [f"{PAGED}=2500"]),
        (found("paged_searches"), {}, []),
    ],
)  # fmt: skip
def test_settings_of_several_places_are_listed(finding, settings, advised):
    tried = {
        "changelog_unlimited": "changelog-age",
        "retro_changelog_unlimited": "retro-changelog-age",
        "memberof_price": "memberof-scope",
        "long_id_lists": "id-list-limit-of-a-key",
        "cache_below_database": "cache-for-the-database",
        "server_sort": "sort-by-vlv",
        "paged_searches": "limit-pages",
    }
    advice = by_id(advise([finding], FACTS, settings=settings), tried[finding.id])
    assert sorted(s.argument for s in advice.treatment.settings) == sorted(advised)
    assert advice.steps, "a person can do it where the workbench cannot"


def test_commands_name_the_instance_the_back_end_and_its_suffix():
    advice = by_id(advise([found("changelog_unlimited", changelogs=[])], FACTS), "changelog-age")
    steps = " ".join(map(str, advice.steps))
    instance = (FACTS.instance or "").removeprefix("slapd-")
    assert f"dsconf {instance} replication set-changelog --suffix {BASE} " in steps
    unknown = by_id(
        advise([found("changelog_unlimited", changelogs=[], server=Deployment("389ds"))], None),
        "changelog-age",
    )
    assert "dsconf INSTANCE replication set-changelog --suffix SUFFIX" in " ".join(
        map(str, unknown.steps)
    )


def test_a_sorted_list_is_judged_by_its_own_searches():
    seen = found("server_sort", list=f"{BASE} sub (cn=*) cn", shape="(cn=*)")
    assert by_id(advise([seen], FACTS), "sort-by-vlv").primary == "SRCH[(cn=*)]:p50"


def test_a_substring_index_of_members_is_tried_without_substrings():
    index = missing_in(None, ["member", "uniqueMember"], types=())
    there = {"database": "userRoot", "known": True}
    indexes = [index[0] | there | {"existing": ["pres", "eq", "sub"]},
               index[1] | there | {"existing": ["sub"]}]  # fmt: skip
    seen = found("dn_substring_index", attributes=["member", "uniqueMember"],
                 missing_indexes=indexes)  # fmt: skip
    advice = by_id(advise([seen], FACTS), "no-substring-index-on-members")
    assert [s.argument for s in advice.treatment.settings] == ["index.member@userRoot=pres,eq"]


@pytest.mark.parametrize(
    ("now", "advised"),
    [("4000", ["backend-index-entry-limit.mail@userRoot=20000"]), ("50000", []), ("0", [])],
)
def test_a_limit_of_an_index_is_only_raised(now, advised):
    index = missing_in(None, ["mail"], types=())[0] | {"database": "userRoot"}
    seen = found("index_entry_limit", missing_indexes=[index])
    facts = replace(FACTS, product="OpenDJ", version="4.6.5", db_library="je")
    advice = by_id(advise([seen], facts, settings={"index-entry-limit": now}), "index-entry-limit")
    assert [setting.argument for setting in advice.treatment.settings] == advised


@pytest.mark.parametrize(
    ("kernel", "settings"),
    [
        (
            "4.18.0-553.el8",
            {"kernel.sched_min_granularity_ns", "kernel.sched_wakeup_granularity_ns"},
        ),
        ("5.14.0-503.el9", {"sched-features"}),
        ("6.12.0-55.el10", {"sched-base-slice"}),
        (None, set()),
    ],
)
def test_longer_slices_are_set_where_the_kernel_has_them(kernel, settings):
    facts = replace(FACTS, kernel=kernel)
    advice = by_id(advise([found("tail_shift", server=LINUX)], facts), "cpu-scheduler")
    assert {setting.knob for setting in advice.treatment.settings} == settings
    assert advice.steps


def test_swapping_less_is_tried_where_the_host_swaps_as_much_as_by_default():
    swapping = found("memory", swapping_share=0.4, server=LINUX)
    advice = by_id(advise([swapping], FACTS), "no-swap")
    assert str(advice.treatment) == "vm.swappiness=10"
    low = by_id(advise([swapping], FACTS, settings={"vm.swappiness": "1"}), "no-swap")
    assert not low.treatment.settings


@pytest.mark.parametrize(
    ("thread", "wanted"),
    [
        ("ct-list0", "nsslapd-numlisteners=2"),
        ("log_maint", "nsslapd-accesslog-compress=off"),
        ("worker7", ""),
    ],
)
def test_work_is_taken_from_a_thread_by_its_name(thread, wanted):
    facts = replace(FACTS, version="3.1.2")
    busiest = found("single_thread", thread=thread, server=LINUX)
    assert str(by_id(advise([busiest], facts), "lighten-one-thread").treatment) == wanted
    others = replace(OPENLDAP, version="2.6.10")
    slapd = replace(busiest, server=Deployment("openldap"))
    assert not by_id(advise([slapd], others), "lighten-one-thread").treatment.settings


def test_freed_memory_is_given_back_by_the_allocator_of_389_ds_alone():
    grown = found("memory_growth", server=LINUX)
    advice = by_id(advise([grown], FACTS), "memory-watch")
    assert str(advice.treatment) == "nsslapd-malloc-trim-threshold=131072"
    slapd = replace(grown, server=Deployment("openldap"))
    assert not by_id(advise([slapd], OPENLDAP), "memory-watch").treatment.settings


def test_twice_the_heap_is_tried_as_far_as_memory_goes():
    full = found("heap_full", server=Deployment("opendj"))
    facts = replace(FACTS, product="OpenDJ", version="4.6.5", db_library="je", ram_bytes=8 << 30)
    now = {"java-args.heap": str(1 << 30)}
    assert str(advise([full], facts, settings=now)[0].treatment) == f"java-args.heap={2 << 30}"
    most = {"java-args.heap": str(4 << 30)}
    for settings in ({}, most):
        [advice] = advise([full], facts, settings=settings)
        assert (advice.id, advice.treatment.settings) == ("heap-larger", ())


SLAPD = replace(OPENLDAP, version="2.5.13", backends=(
    Backend("{1}mdb", "dc=example,dc=com", "olcDatabase={1}mdb,cn=config"),
    Backend("{3}mdb", "cn=accesslog", "olcDatabase={3}mdb,cn=config"),
))  # fmt: skip
LONG_LIST = found("index_range", filter="(l=?)", missing_indexes=missing_in(None, ["l"]))
ON_LINUX = Deployment("openldap", "mdb", frozenset({"linux"}))


@pytest.mark.parametrize(
    ("finding", "rule", "settings", "wanted"),
    [
        (found("map_full", maps={"{3}mdb": 10 * MIB}), "olc-map-now", {},
         ["olcDbMaxSize@{3}mdb=20971520"]),
        (found("map_full", maps={"{1}mdb": MIB, "{3}mdb": MIB}), "olc-map-now", {}, []),
        (found("map_full", maps={}), "olc-map-now", {}, []),
        (found("server_sort", sorters=["{1}mdb"]), "olc-sssvlv-limits", {},
         ["olcSssVlvMax@{1}mdb=4"]),
        (found("server_sort", sorters=["{1}mdb"]), "olc-sssvlv-limits", {"olcSssVlvMax": "3"},
         ["olcSssVlvMax@{1}mdb=1"]),
        (found("server_sort", sorters=["{-1}frontend"]), "olc-sssvlv-limits", {}, []),
        (found("refused", open_connections={"10.0.0.1": 4000, "10.0.0.2": 900}),
         "olc-more-descriptors", {}, ["LimitNOFILE=9800"]),
        (found("refused", open_connections={}), "olc-more-descriptors", {}, ["LimitNOFILE=8192"]),
        (found("descriptor_memory"), "olc-open-files", {}, ["LimitNOFILE=10000"]),
        (LONG_LIST, "olc-idl-range", {}, ["olcBkMdbIdlExp=18"]),
        (LONG_LIST, "olc-idl-range", {"olcBkMdbIdlExp": "20"}, ["olcBkMdbIdlExp=22"]),
        (LONG_LIST, "olc-idl-range", {"olcBkMdbIdlExp": "29"}, []),
    ],
)  # fmt: skip
def test_what_findings_of_slapd_name_is_tried(finding, rule, settings, wanted):
    seen = replace(finding, server=ON_LINUX)
    advice = by_id(advise([seen], SLAPD, settings=settings), rule)
    assert [setting.argument for setting in advice.treatment.settings] == wanted
    assert advice.steps, "a person can do it where the workbench cannot"


def test_a_unit_of_systemd_is_for_linux_alone():
    for which, rule in (
        ("refused", "olc-more-descriptors"),
        ("descriptor_memory", "olc-open-files"),
    ):
        elsewhere = replace(SLAPD, kernel="SunOS 5.11", device=None)
        advice = by_id(advise([found(which, server=Deployment("openldap"))], elsewhere), rule)
        assert not advice.treatment.settings


def test_a_setting_of_a_database_is_for_the_one_that_has_entries():
    """The other one is the accesslog; with two of entries the operator names the database."""
    logins = replace(found("login_writes"), server=ON_LINUX)
    advice = by_id(advise([logins], SLAPD), "olc-last-bind-off")
    assert [setting.argument for setting in advice.treatment.settings] == [
        "olcLastBind@{1}mdb=FALSE"
    ]
    second = Backend("{2}mdb", "dc=example,dc=org", "olcDatabase={2}mdb,cn=config")
    both = replace(SLAPD, backends=(*SLAPD.backends, second))
    advice = by_id(advise([logins], both), "olc-last-bind-off")
    assert [setting.argument for setting in advice.treatment.settings] == ["olcLastBind=FALSE"]


@pytest.mark.parametrize(
    ("finding", "settings", "wanted", "not_here"),
    [
        ("deadlock", {"nsslapd-serial-lock": "off"}, "nsslapd-serial-lock=on", "nothing"),
        ("deadlock", {"nsslapd-serial-lock": "on"}, "nsslapd-db-deadlock-policy=6", "serial-lock"),
        (
            "login_writes",
            {"alwaysrecordlogin": "yes"},
            "alwaysrecordlogin=no",
            "login-writes-elsewhere",
        ),
        (
            "replication_sessions",
            {"nsds5ReplicaReleaseTimeout": "0"},
            "nsds5ReplicaReleaseTimeout@userRoot=60",
            "nothing",
        ),
        (
            "request_too_big",
            {"nsslapd-maxbersize": "5000000"},
            "nsslapd-maxbersize=10000000",
            "nothing",
        ),
        ("request_too_big", {}, "nsslapd-maxbersize=4194304", "nothing"),
        (
            "request_too_big",
            {"nsslapd-maxbersize": "2000000000"},
            "nsslapd-maxbersize=2147483647",
            "nothing",
        ),
        ("login_writes", {"alwaysrecordlogin": "on"}, "alwaysrecordlogin=no", "login-writes-whose"),
        (
            "replication_sessions",
            {"nsslapd-threadnumber": "16"},
            "nsds5ReplicaReleaseTimeout@userRoot=60",
            "nothing",
        ),
    ],
)
def test_what_the_server_itself_can_do_is_tried(finding, settings, wanted, not_here):
    advice = advise([found(finding, server=LINUX)], FACTS, settings=settings)
    tried = [str(setting.argument) for each in advice for setting in each.treatment.settings]
    assert wanted in tried
    assert not_here not in ids(advice)


@pytest.mark.parametrize(
    ("finding", "settings", "not_here"),
    [
        ("login_writes", {}, "login-writes-less"),
        ("login_writes", {}, "login-writes-elsewhere"),
        ("login_writes", {"nsslapd-threadnumber": "16"}, "login-writes-whose"),
        ("request_too_big", {"nsslapd-maxbersize": "2147483647"}, "larger-requests"),
        ("replication_sessions", {}, "replica-release-timeout"),
        ("replication_sessions", {"nsds5ReplicaReleaseTimeout": "120"}, "replica-release-timeout"),
        ("deadlock", {"nsslapd-db-deadlock-policy": "6"}, "deadlock-policy"),
    ],
)
def test_what_would_change_nothing_is_not_advised(finding, settings, not_here):
    assert not_here not in ids(advise([found(finding, server=LINUX)], FACTS, settings=settings))


def test_where_no_settings_are_known_both_ways_to_write_less_are_listed():
    both = by_id(advise([found("login_writes", server=LINUX)], FACTS), "login-writes-whose")
    text = " ".join(map(str, both.steps))
    assert "alwaysRecordLogin" in text
    assert "KDC:Disable Last Success" in text


def test_a_request_of_a_known_size_gets_the_limit_it_needs():
    big = found("request_too_big", server=LINUX, largest_bytes=9 * MIB + 1)
    (setting,) = by_id(advise([big], FACTS), "larger-requests").treatment.settings
    assert setting.value == str(10 * MIB)


def limits_of(**numbers):
    unread = found("answers_unread", server=Deployment("openldap"), **numbers)
    backends = (Backend("{1}mdb", "dc=a", ""), Backend("{2}mdb", "cn=accesslog", ""))
    advice = by_id(advise([unread], replace(OPENLDAP, backends=backends)), "olc-limits")
    return [setting.argument for setting in advice.treatment.settings]


def test_an_account_that_reads_everything_is_limited_in_the_database_it_reads():
    (argument,) = limits_of(bind_dn="cn=crawler,dc=a", base="ou=people,dc=a")
    assert argument == (
        'olcLimits@{1}mdb+=dn.exact="cn=crawler,dc=a" size.soft=500 size.hard=5000 size.pr=500 '
        "size.prtotal=unlimited time=60"
    )
    assert limits_of(bind_dn="", base="ou=people,dc=a") == [], "nobody is named"
    assert limits_of(bind_dn='cn="a",dc=a', base="ou=people,dc=a") == [], "it cannot be quoted"
    assert limits_of(bind_dn="cn=crawler,dc=a", base="o=elsewhere") == []


def test_the_checklist_of_an_export_and_import_names_this_server():
    there = replace(FACTS, config_folder="/etc/dirsrv/slapd-lab", db_directory="/srv/db")
    sizes = found("entry_sizes", server=LINUX, page_bytes=32768)
    advice = by_id(advise([sizes], there), "page-size")
    steps = "\n".join(map(str, advice.steps))
    assert f"replication get-ruv --suffix '{BASE}' >ruv-before" in steps
    assert "cp -a /etc/dirsrv/slapd-lab BACKUP/config && cp -a /srv/db BACKUP/copy" in steps
    assert "\\nnsslapd-db-page-size: 32768/' /etc/dirsrv/slapd-lab/dse.ldif" in steps
    assert "diff ruv-before ruv-after" in steps


def test_no_checklist_exports_before_the_server_is_stopped():
    """What is written between the export and the stop is lost: seen on 389 DS 3.1.2."""
    knobs = [*load_catalogue("389ds").knobs, *load_catalogue("openldap").knobs]
    lists = [" ".join(map(str, knob.steps)) for knob in knobs]
    lists += [" ".join(step.text for step in rule.steps) for rule in every_rule()]
    exports = ("db2ldif", "slapcat -b", "dsadm export")
    exporting = [text for text in lists if any(word in text for word in exports)]
    assert len(exporting) == 4
    for text in exporting:
        first = min(text.index(word) for word in exports if word in text)
        assert re.search("(dsctl {instance}|systemctl|dsadm) stop", text[:first]), text


@pytest.mark.parametrize(("seconds", "severity", "advised"), [(1, 1, 1), (600, 1, 0), (600, 2, 1)])
def test_a_window_in_which_all_is_well_needs_no_change(seconds, severity, advised):
    """A configuration by itself, which no window was measured with, is advised of all the same."""
    server = Deployment("openldap")
    seen = found("syncrepl_no_session_log", severity, server=server, databases=["{1}mdb"])
    seen = replace(seen, over_ns=seconds * 10**9)
    assert len(advise([seen], None)) == advised
