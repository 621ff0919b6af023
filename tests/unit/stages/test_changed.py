"""Which tests a change can break."""

from tests.stages.changed import choose
from tests.stages.results import Result


def took(test: str, seconds: float) -> Result:
    return Result(test, "passed", {"call": seconds}, "", 0.0)


def test_the_nearest_tests_run_first_and_live_ones_are_left():
    choice = choose(["app/ldap_workbench/inference/design/gates.py"], [], cpus=2)
    assert any(path.startswith("tests/unit/inference/") for path in choice.files)
    assert not any(path.startswith("tests/live/") for path in choice.files + choice.left)


def test_what_two_minutes_do_not_hold_is_left_and_named():
    path = "app/ldap_workbench/model/message.py"
    everything = choose([path], [], cpus=1000)
    slow = [took(f"{name}::test", 60) for name in everything.files]
    choice = choose([path], slow, cpus=2)
    assert 1 <= len(choice.files) <= 4
    assert set(choice.files) | set(choice.left) == set(everything.files)


def test_a_changed_test_runs_whatever_it_takes():
    path = "tests/unit/stages/test_changed.py"
    choice = choose([path], [took(f"{path}::test", 1000)], cpus=2)
    assert choice.files == [path]


def test_what_no_import_leads_to_is_named():
    assert choose(["resources/knobs/389ds.toml"], [], cpus=2).unmapped == [
        "resources/knobs/389ds.toml"
    ]
