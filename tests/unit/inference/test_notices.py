"""What a reader of a verdict should know besides."""

from ldap_workbench.inference.counts.measured import measure_all, slow_part
from ldap_workbench.inference.verdict.notices import notices
from tests.unit.inference.counted import counts, put_stall, spread, stalled


def noticed(made):
    """What is said of two windows."""
    windows = counts(made)
    measured = measure_all(windows, slow_part(windows, 0.1), 0.1, 1)
    return [str(line) for line in notices(windows, measured, one_shot=True)]


def test_few_stalls_in_a_window_are_said_of_either_arm():
    assert any(
        "4 in a window of arm A on average" in line
        for line in noticed([stalled("A", 4), stalled("B", 5)])
    )
    assert any(
        "1 in a window of arm B on average" in line
        for line in noticed([stalled("A", 5), stalled("B", 1)])
    )
    for enough in ([stalled("A", 5), stalled("B", 6)], [stalled("A", 0), stalled("B", 0)]):
        assert not any("on average" in line for line in noticed(enough))


def test_percentiles_between_the_usual_and_the_stalled_are_named():
    one = noticed(spread(ms1=98_980, ms3=50, ms9=970))
    assert any(line.startswith("p99 lies between the usual and the stalled") for line in one)
    two = noticed(spread(ms1=94_980, ms3=50, ms9=3940, ms27=50, ms81=980))
    assert any(line.startswith("p95 and p99 lie between the usual") for line in two)
    for usual in (spread(ms1=98_800, ms3=400, ms9=800), spread(ms1=98_900, ms9=1100)):
        assert not any("between the usual" in line for line in noticed(usual))


def test_rare_long_stalls_are_counted_in_a_sentence():
    assert not any("Stalls of 10" in line for line in noticed([stalled("A", 0), stalled("B", 0)]))
    long = stalled("B", 0)
    put_stall(long, 40, 12.0, 40)
    lines = noticed([stalled("A", 0), long])
    assert any(line.startswith("Stalls of 10.0 s or more: 0 in ") for line in lines)
