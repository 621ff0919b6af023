"""What a run does with its stages and with a test that fails."""

import json
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tests.stages import __main__ as command
from tests.stages import pages, scheduler, yardstick
from tests.stages.results import ROOT, Ledger, SecondRun
from tests.stages.scheduler import run
from tests.stages.stage import Stage, stages

CONFTEST = """
    from tests.stages import recorder

    def pytest_configure(config):
        config.addinivalue_line("markers", "clock(reason)")
        recorder.register(config)

    def pytest_collection_modifyitems(items):
        recorder.note_clocks(items)
"""


PLAIN_PYTEST = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "xdist.plugin"}
"""All plugins together take longer to start than what is tested."""


def python(name: str, code: str, *, processors: int = 1, limit_min: float = 1) -> Stage:
    command = (sys.executable, "-c", textwrap.dedent(code))
    return Stage(name, name, command, processors, limit_min, pytest=False)


@pytest.fixture
def tests_of(tmp_path: Path, monkeypatch):
    """A stage that runs the test file it is given, with a conftest like ours."""
    monkeypatch.setattr(scheduler, "ROOT", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")

    def stage(code: str, name: str = "made") -> Stage:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "conftest.py").write_text(textwrap.dedent(CONFTEST))
        (folder / "test_made.py").write_text("import pytest\n" + textwrap.dedent(code))
        pytest_on = (sys.executable, "-m", "pytest", f"{name}/test_made.py")
        environment = {"PYTHONPATH": str(ROOT), **PLAIN_PYTEST}
        return Stage(name, name, pytest_on, 1, 1, environment=environment)

    return stage


@pytest.fixture
def run_stages(tmp_path: Path, monkeypatch, capsys):
    """Runs stages as the command does, with a folder and a ledger of its own."""
    monkeypatch.setattr(command, "FOLDER", tmp_path / "results")
    monkeypatch.setattr(command, "adopt_orphans", lambda: None)  # this process has other children
    monkeypatch.setattr(command, "end_orphans", list)
    monkeypatch.setenv("LDAP_WORKBENCH_TEST_LEDGER", str(tmp_path / "ledger.jsonl"))
    monkeypatch.setattr(command.pages, "keep", lambda *_: None)

    def play(*chosen: Stage) -> tuple[int, str, list[dict]]:
        status = command._run_stages(list(chosen), whole=True)
        entry = json.loads((tmp_path / "ledger.jsonl").read_text().splitlines()[-1])
        return status, capsys.readouterr().out, entry["second_runs"]

    return play


def test_bytecode_is_kept_where_the_environment_forbids_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    ask = "import sys; sys.exit(sys.dont_write_bytecode)"
    (outcome,) = run([python("made", ask)], tmp_path, 1)
    assert outcome.status == 0


BUSY = """
    import subprocess, sys, time

    def spin(seconds):
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass

    @pytest.fixture
    def set_up():
        spin(0.1)

    def test_works(set_up):
        code = "import time\\nwhile time.process_time() < 0.2: pass"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_waits():
        time.sleep(0.6)
"""


def test_a_result_has_the_processor_time_of_all_phases_and_of_children(tests_of, tmp_path):
    (outcome,) = run([tests_of(BUSY)], tmp_path / "results", 1)
    processor_s = {result.test.partition("::")[2]: result for result in outcome.results}
    # 0.1 s and 0.2 s, as the system counts them, to 0.01 s; without either it would be less.
    assert processor_s["test_works"].processor_s >= 0.28
    assert processor_s["test_waits"].processor_s < 0.3 < processor_s["test_waits"].total_s


def test_the_busiest_files_come_first(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "FOLDER", tmp_path)
    (tmp_path / "last").mkdir()
    lines = [
        {"test": f"{file}::t{n}", "outcome": "passed", "seconds": {"call": wall}, "clock": "",
         "load": 1.0, "processor_s": busy}
        for n, (file, wall, busy) in enumerate(
            [("tests/a.py", 9.0, 0.5), ("tests/b.py", 1.0, 1.0), ("tests/b.py", 2.0, 2.0)]
        )
    ]  # fmt: skip
    (tmp_path / "last" / "unit.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    page = pages._slowest({"stages": [{"name": "unit"}]})
    slowest, busiest = page.split("of processors | s | file |")
    assert slowest.index("tests/a.py") < slowest.index("tests/b.py")
    assert "| 3.0 | 3.0 | `tests/b.py` |\n| 0.5 | 9.0 | `tests/a.py` |" in busiest


def test_stages_run_side_by_side_only_while_they_fit(tmp_path):
    note = tmp_path / "notes"
    code = f"""
        import time
        from pathlib import Path
        def note(word):
            with Path({str(note)!r}).open("a") as file:
                file.write(word + " ")
        note("{{name}}-begins")
        limit = time.monotonic() + 30
        while "{{until}}" not in Path({str(note)!r}).read_text() and time.monotonic() < limit:
            time.sleep(0.01)
        note("{{name}}-ends")
    """
    first = python("a", code.format(name="a", until="b-begins"))
    second = python("b", code.format(name="b", until="a-ends"))
    large = python("c", code.format(name="c", until="c-begins"), processors=2)
    outcomes = run([first, second, large], tmp_path / "out", cpus=2)
    assert [outcome.passed for outcome in outcomes] == [True, True, True]
    words = note.read_text().split()
    assert set(words[:2]) == {"a-begins", "b-begins"}
    assert words[-2:] == ["c-begins", "c-ends"]


def test_a_stage_over_its_limit_is_ended_and_red(tmp_path):
    began = time.monotonic()
    endless = python("endless", "import time\ntime.sleep(600)", limit_min=0.01)
    (outcome,) = run([endless], tmp_path, cpus=1)
    assert not outcome.passed
    assert "limit" in str(outcome.status)
    assert time.monotonic() - began < 300


def test_a_red_stage_leaves_the_others_their_turn(tmp_path):
    outcomes = run([python("red", "exit(3)"), python("green", "")], tmp_path, cpus=1)
    assert [(outcome.stage.name, outcome.status) for outcome in outcomes] == [
        ("red", 3),
        ("green", 0),
    ]


def test_a_program_that_is_missing_is_named(tmp_path):
    (outcome,) = run([Stage("x", "x", ("no-such-program",), 1, 1)], tmp_path, cpus=1)
    assert outcome.status == "no-such-program is not installed"
    assert not outcome.passed


def test_a_test_with_a_clock_runs_once_more_and_is_counted(run_stages, tests_of, tmp_path):
    code = f"""
        from pathlib import Path

        @pytest.mark.clock("counts what a busy machine does in a second")
        def test_late():
            tries = Path({str(tmp_path / "tries")!r})
            tries.write_text(tries.read_text() + "x" if tries.exists() else "x")
            assert tries.read_text() == "xx"
    """
    status, output, second_runs = run_stages(tests_of(code))
    assert status == 0
    assert (tmp_path / "tries").read_text() == "xx"
    assert [(s["test"], s["passed"]) for s in second_runs] == [
        ("made/test_made.py::test_late", True)
    ]
    assert "counts what a busy machine does in a second" in output


def test_a_test_with_a_clock_that_fails_twice_is_red(run_stages, tests_of, tmp_path):
    code = f"""
        from pathlib import Path

        @pytest.mark.clock("of a wall clock")
        def test_never():
            with Path({str(tmp_path / "tries")!r}).open("a") as file:
                file.write("x")
            assert False
    """
    status, output, second_runs = run_stages(tests_of(code))
    assert status == 1
    assert (tmp_path / "tries").read_text() == "xx"
    assert [second["passed"] for second in second_runs] == [False]
    assert "test_never" in output.rpartition("RED:")[2]


def test_beside_a_failure_without_a_clock_nothing_runs_again(run_stages, tests_of):
    clock = """
        @pytest.mark.clock("of a wall clock")
        def test_late():
            assert False
    """
    status, output, second_runs = run_stages(
        tests_of(clock, "clocks"), tests_of("def test_wrong():\n    assert False", "plain")
    )
    assert (status, second_runs) == (1, [])
    assert {"test_late", "test_wrong"} <= set(
        output.rpartition("RED:")[2].replace("::", " ").split()
    )


def test_a_stage_that_ends_without_a_test_is_red_by_its_status(run_stages, tests_of):
    status, output, _ = run_stages(tests_of("import no_such_module"))
    assert status == 1
    assert "made: 2" in output.rpartition("RED:")[2]


def test_a_clock_needs_its_reason(run_stages, tests_of):
    status, output, _ = run_stages(tests_of("@pytest.mark.clock\ndef test_late():\n    pass"))
    assert status == 1
    assert "clock needs its reason" in output


def test_the_ledger_calls_three_second_runs_in_ten_runs_a_defect(tmp_path):
    ledger = Ledger(tmp_path / "ledger.jsonl")
    often = SecondRun("test_often", "of a clock", 3.0, 8.0, passed=True)
    seldom = SecondRun("test_seldom", "of a clock", 3.0, 8.0, passed=True)
    for number in range(9):
        ledger.add(20, [often, seldom] if number == 0 else [often] if number < 3 else [])
    assert [line.endswith("mend it") for line in ledger.summary()[1:]] == [True, False]
    for _ in range(2):
        ledger.add(20, [])
    assert not any(line.endswith("mend it") for line in ledger.summary())


@pytest.mark.skipif(sys.platform != "linux", reason="groups of tasks are Linux's")
@pytest.mark.skipif(sys.platform != "linux", reason="orphans are adopted on Linux only")
def test_what_a_stage_leaves_running_is_ended_and_named(tmp_path):
    script = f"""
        from tests.stages.scheduler import adopt_orphans, end_orphans, run
        from tests.stages.stage import Stage
        from pathlib import Path
        import subprocess, sys
        adopt_orphans()
        left = "import time; time.sleep(600)  # left"
        code = (
            "import subprocess, sys;"
            "subprocess.Popen([sys.executable, '-c', sys.argv[1]], start_new_session=True)"
        )
        command = (sys.executable, "-c", code, left)
        run([Stage("s", "s", command, 1, 1, pytest=False)], Path({str(tmp_path)!r}), 1)
        print(end_orphans())
    """
    assert "# left" in script_of(tmp_path, script)


def script_of(tmp_path: Path, script: str) -> str:
    """The output of a script that runs as a process of its own: it adopts orphans."""
    name = tmp_path / "script.py"
    name.write_text(textwrap.dedent(script))
    (outcome,) = run([python("outer", f"import runpy; runpy.run_path({str(name)!r})")], tmp_path, 1)
    output = (tmp_path / "outer.txt").read_text()
    assert outcome.passed, output
    return output


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are adopted on Linux only")
def test_an_orphan_that_has_ended_is_gone_while_its_stage_runs(tmp_path):
    stage = tmp_path / "stage.py"
    stage.write_text(
        textwrap.dedent(
            """
            import subprocess, sys, time
            from pathlib import Path
            start = "import subprocess as s, sys; print(s.Popen([sys.executable, '-c', '']).pid)"
            ended = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True)
            orphan = Path("/proc", ended.stdout.strip())
            limit = time.monotonic() + 60
            while orphan.exists() and time.monotonic() < limit:
                time.sleep(0.05)
            sys.exit(orphan.exists())
            """
        )
    )
    script = f"""
        from tests.stages.scheduler import adopt_orphans, run
        from tests.stages.stage import Stage
        from pathlib import Path
        import sys
        adopt_orphans()
        command = (sys.executable, {str(stage)!r})
        (outcome,) = run([Stage("s", "s", command, 1, 5, pytest=False)], Path({str(tmp_path)!r}), 1)
        print("status", outcome.status)
    """
    assert "status 0" in script_of(tmp_path, script)


@pytest.mark.skipif(sys.platform != "linux", reason="a shell of POSIX does so")
def test_what_tests_start_can_be_interrupted_also_from_the_background(tmp_path):
    script = f"""
        import signal
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does in the background
        from tests.stages.recorder import take_back_interrupt
        from tests.stages.scheduler import run
        from tests.stages.stage import Stage
        from pathlib import Path
        import sys
        take_back_interrupt()
        code = "import signal; print('ignored', signal.getsignal(signal.SIGINT) == signal.SIG_IGN)"
        command = (sys.executable, "-c", code)
        run([Stage("s", "s", command, 1, 1, pytest=False)], Path({str(tmp_path)!r}), 1)
    """
    assert "ignored False" in script_of(tmp_path, script)


def test_every_stage_has_a_limit_and_the_short_tier_leaves_out_what_is_full():
    short, everything = stages(), stages(everything=True)
    assert [stage.name for stage in short] == [stage.name for stage in everything][: len(short)]
    assert sum(stage.limit_min for stage in short) > 0
    for stage in short:
        assert not stage.pytest or any("not full" in word for word in stage.command)
    for stage in everything:
        assert not any("not full" in word for word in stage.command)


def test_a_run_says_how_slow_its_processors_were(run_stages, monkeypatch):
    speeds = iter([2.0, 1.2, 1.4])
    monkeypatch.setattr(yardstick, "slowness", lambda: next(speeds, 1.4))
    monkeypatch.setattr(yardstick, "_EVERY_S", 0.0)
    _, said, _ = run_stages(python("one", "import time; time.sleep(2)"))
    assert "A processor took 1.4 times as long as the reference" in said
    assert "(1.2 to 2.0 times)" in said


def test_the_table_has_each_stage_the_whole_and_how_slow_it_was():
    stage = {"title": "unit tests", "tests": 9, "minutes": 1.5, "processor_minutes": 2.5}
    table = pages._table({"minutes": 4.0, "slowness": 1.8, "stages": [stage]})
    assert "| unit tests | 9 | 1.5 | 2.5 |" in table
    assert "| all, some side by side | | 4.0 | |" in table
    assert "took 1.8 times as long" in table
