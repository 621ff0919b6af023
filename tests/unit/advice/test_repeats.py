"""The same operation with different times, and changes applied twice."""

from dataclasses import replace

from ldap_workbench.advice.families import repeats
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import LineCounts, Source, SourceKind, SourceState
from tests.unit.advice.material import Log, only, view

GROUP = "cn=staff,ou=groups,dc=example,dc=com"


def mods(slowest, usual=(2.1, 2.4, 2.8, 3.0, 2.6, 2.9)):
    log = Log().background(600, rate=5)
    for i, etime in enumerate((*usual, slowest)):
        log.add("MOD", 60 * i, etime, base=GROUP)
    return log


def test_a_mod_of_34_s_among_2_to_3_s_ones_is_told():
    found = only(repeats.find(view(mods(34.0))), "same_operation")
    assert found.numbers["etime_ns"] == 34 * NS_PER_S
    assert found.numbers["usual_ns"] == round(2.8 * NS_PER_S)
    assert found.numbers["others"] == 6
    assert GROUP in str(found.sentence)


def test_thirty_seconds_more_smell_of_a_time_out():
    assert only(repeats.find(view(mods(34.0))), "same_operation").numbers["like_a_timeout"]
    assert not only(repeats.find(view(mods(60.0))), "same_operation").numbers["like_a_timeout"]


def test_three_times_as_slow_is_not_told():
    assert repeats.find(view(mods(9.0))) == []


def unnamed(slowest, usual):
    log = Log().background(600, rate=5)
    for i, etime in enumerate((*usual, slowest)):
        log.add("MOD", 20 * i, etime, internal=True, conn=0)
    return view(log)


def test_a_log_that_does_not_name_entries_needs_more_others():
    found = only(repeats.find(unnamed(34.0, (2.0, 3.0) * 14)), "same_operation")
    assert "an entry the log does not name" in str(found.sentence)
    assert "28 others of its kind" in str(found.sentence)
    assert repeats.find(unnamed(34.0, (2.0, 3.0) * 9)) == []
    assert repeats.find(unnamed(34.0, (2.0, 3.0, 9.0) * 10)) == []  # entries of different size
    client = Log().background(600, rate=5)
    for i in range(30):
        client.add("MOD", 20 * i, 34.0 if i == 7 else 2.0)
    assert repeats.find(view(client)) == []


def test_two_others_do_not_say_what_is_usual():
    assert repeats.find(view(mods(34.0, usual=(2.1, 3.0)))) == []


def test_quick_operations_vary_without_being_told():
    assert repeats.find(view(mods(0.9, usual=(0.01,) * 8))) == []


def twice(second_csn, second_base=GROUP, **second):
    log = mods(34.0)
    log.add("MOD", 500, 4.0, base=second_base, **({"conn": 2} | second))
    operations = log.done()
    csns = {}
    for row in range(len(operations)):
        if operations.etime_ns[row] == 34 * NS_PER_S:
            csns[row] = "6685dc750009000d0000"
        elif operations.etime_ns[row] == 4 * NS_PER_S:
            csns[row] = second_csn
    return view(operations, line_of=lambda row: f"RESULT err=0 csn={csns.get(row, f'ab{row}')}")


def test_the_same_csn_twice_is_a_change_applied_twice():
    found = only(repeats.find(twice("6685dc750009000d0000")), "applied_twice")
    assert found.numbers["csns"] == ["6685dc750009000d0000"]
    assert len(found.evidence[0].operations) == 2


def test_the_csn_of_json_results_is_read():
    again = twice("6685dc750009000d0000")
    in_json = lambda row: again.line_of(row).replace("csn=", '"csn": "') + '"'  # noqa: E731
    found = only(repeats.find(replace(again, line_of=in_json)), "applied_twice")
    assert found.numbers["csns"] == ["6685dc750009000d0000"]


def test_another_csn_or_another_entry_is_not():
    two_logs = Source(
        *(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE),
        lines=LineCounts(40),
        details={"clock_steps_back": 1},
    )
    for almost in (
        twice("6685dc750009000e0000"),
        twice("6685dc750009000d0000", "cn=other"),
        replace(twice("6685dc750009000d0000"), sources=(two_logs,)),
    ):
        assert "applied_twice" not in [f.id for f in repeats.find(almost)]


def test_two_results_of_one_operation_are_one_change():
    first = next(i for i, row in enumerate(mods(34.0).rows) if row["etime_ns"] == 34 * NS_PER_S)
    same = twice("6685dc750009000d0000", conn=1, op=first, internal=True, internal_op=1)
    assert "applied_twice" not in [f.id for f in repeats.find(same)]
