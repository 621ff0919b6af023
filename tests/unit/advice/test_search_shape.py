"""The shape of the load: what is unindexed, heavy, new, doubled."""

from ldap_workbench.advice.families import search_shape
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import FACTS, Log, baseline, only, view


def test_unindexed_searches_that_take_the_time_are_told():
    log = Log().background(600, rate=5)
    for i in range(20):
        log.add("SRCH", 30 * i, 1.5, filter="(description=*?*)", notes="A")
    found = only(search_shape.find(view(log)), "unindexed")
    assert found.numbers["searches"] == 20
    assert found.numbers["fully"] == 20
    assert found.numbers["share_of_time"] > 0.8
    assert "(description=*?*)" in str(found.sentence)


def test_a_quick_partly_unindexed_search_is_left_alone():
    log = Log().background(600, rate=5)
    log.add("SRCH", 30, 0.004, filter="(&(a=?)(b=?))", notes="U")
    assert search_shape.find(view(log)) == []


def test_a_few_quick_searches_alone_in_a_cut_log_are_left_alone():
    log = Log()
    for i in range(6):
        log.add("SRCH", i, 0.0003, filter="(objectclass=*)", notes="U")
    assert search_shape.find(view(log)) == []


def test_unindexed_searches_of_the_server_itself_are_not_the_clients():
    log = Log().background(600, rate=5)
    log.add("SRCH", 30, 4.0, filter="(member=?)", notes="A", internal=True)
    assert search_shape.find(view(log)) == []


def test_a_filter_with_few_searches_and_most_of_the_time_is_told():
    log = Log().background(600, rate=5)
    for i in range(50):
        log.add("SRCH", 10 * i, 0.2, filter="(&(objectClass=?)(memberOf=?))")
    found = only(search_shape.find(view(log)), "heavy_filter")
    assert found.numbers["filter"] == "(&(objectClass=?)(memberOf=?))"
    assert found.numbers["share_of_tail"] == 1.0


def test_what_nobody_waits_for_is_worth_knowing_alone():
    def seen(etime, count=50):
        log = Log().background(600, rate=5, etime=0.0002)
        for i in range(count):
            log.add("SRCH", 10 * i, etime, filter="(cn=*?*)")
        return only(search_shape.find(view(log)), "heavy_filter").severity

    assert seen(0.022) == 1
    assert seen(0.066) == 2, "3.3 s of 600 are for them"
    assert seen(0.11, count=10) == 2, "a person feels it"


def test_a_list_takes_its_time_for_what_is_in_it():
    def seen(entries):
        log = Log().background(600, rate=5, etime=0.0002)
        for i in range(20):
            log.add("SRCH", 10 * i, 0.12, filter="(mail=*)", nentries=entries)
        return only(search_shape.find(view(log)), "heavy_filter")

    assert seen(500).severity == 1
    assert seen(50).severity == 2
    assert advise([seen(500)], FACTS) == []


def test_one_step_of_a_clock_of_whole_seconds_is_no_time():
    log = Log().background(600, rate=5, etime=0)
    for i in range(50):
        log.add("SRCH", 10 * i, 1.0, filter="(member=?)")
    seconds = Source(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE,
                     resolution_ns=NS_PER_S)  # fmt: skip
    assert search_shape.find(view(log, sources=(seconds,))) == []
    only(search_shape.find(view(log)), "heavy_filter")
    for row in log.rows[-50:]:
        row["etime_ns"] = 2 * NS_PER_S
    only(search_shape.find(view(log, sources=(seconds,))), "heavy_filter")


def test_the_only_filter_of_a_load_is_not_heavy():
    assert search_shape.find(view(Log().background(600, rate=5))) == []
    for count, etime in ((200, 0.015), (6, 0.03)):  # dear, but in milliseconds; slow, but rare
        log = Log().background(600, rate=5)
        for i in range(count):
            log.add("SRCH", 2 * i, etime, filter="(cn=?)")
        assert search_shape.find(view(log)) == []


def test_a_new_filter_that_weighs_is_told():
    log = Log().background(600, rate=5)
    for i in range(300):
        log.add("SRCH", 2 * i, 0.002, filter="(mail=?)")
    before = baseline(Log().background(600, rate=5))
    found = only(search_shape.find(view(log, baseline=before)), "new_filter")
    assert found.numbers["filters"] == ["(mail=?)"]
    known = baseline(Log().background(600, rate=5).add("SRCH", 1, 0.1, filter="(mail=?)"))
    assert search_shape.find(view(log, baseline=known)) == []


def test_a_single_new_search_is_not_worth_a_word():
    log = Log().background(600, rate=5).add("SRCH", 1, 0.001, filter="(mail=?)")
    before = baseline(Log().background(600, rate=5))
    assert search_shape.find(view(log, baseline=before)) == []


def test_twice_the_load_is_told_and_half_as_much_more_is_not():
    before = baseline(Log().background(600, rate=10))
    twice = view(Log().background(600, rate=21), baseline=before)
    more = view(Log().background(600, rate=15), baseline=before)
    assert only(search_shape.find(twice), "load_changed").numbers["times"] == 2.1
    assert search_shape.find(more) == []
