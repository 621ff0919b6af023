"""`stacks`: tables and documents of profiles, kept in a session, and in its report."""

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from ldap_workbench.cli.app import main
from tests.sessions import build_experiment_session

REAL = Path(__file__).parents[1] / "figures/stacks389"
A = [REAL / "A1.folded.gz", REAL / "A2.folded.gz"]
B = ["--against", REAL / "B1.folded.gz", "--against", REAL / "B2.folded.gz"]


@pytest.fixture
def run(monkeypatch, capsys):
    """The command with these words: exit status, what it printed, what it complained of."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["ldap-workbench", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return ended.value.code or 0, said.out, said.err

    return run


@pytest.fixture
def kept(run, tmp_path):
    """An experiment with a profile in each window."""
    path = tmp_path / "e.ldapwb"
    build_experiment_session(path, pairs=2, seconds=5, per_second=20, hostile=True)
    for name in ("A1", "A2", "B1", "B2"):
        file = REAL / f"{name}.folded.gz"
        status, out, _ = run("stacks", file, "--into", path, "--window", name)
        assert (status, f"kept with window {name}, arm {name[0]}" in out) == (0, True)
    return path


def test_the_difference_of_two_arms_as_a_table_csv_and_json(run):
    status, out, _ = run("stacks", *A, *B, "--top", "3")
    assert status == 0
    assert "id2entry" in out.splitlines()[1]
    assert "less in B" in out.splitlines()[1]
    assert len(out.splitlines()) == 5
    assert "widened by how much the profiles of one arm differ" in out
    rows = list(csv.reader(io.StringIO(run("stacks", *A, *B, "--csv")[1])))
    assert rows[1][:4] == ["id2entry", "83.6 %", "23 %", "'-60.62"]
    document = json.loads(run("stacks", *A, *B, "--json")[1])
    assert document["samples"] == {"a": 1357, "b": 860}
    first = document["functions"][0]
    assert (first["function"], first["total"]["a"], first["total"]["b"]) == ("id2entry", 1135, 198)
    assert first["total"]["high"] < 0


def test_one_profile_alone_says_nothing_of_differences(run):
    out = run("stacks", A[0], "--find", "str2entry", "--tree")[1]
    assert "In stacks with such a function: 50.4 % of samples." in out
    assert "slapi_str2entry_ext" in out
    assert "difference" not in out.lower()
    assert "op_shared_search" not in out


def test_an_experiment_compares_its_arms_and_its_report_has_them(run, kept, tmp_path):
    assert run("stacks", kept, "--json")[1] == run("stacks", *A, *B, "--json")[1]
    for suffix, row in (
        ("md", "| id2entry | 83.6 % | 23 % |"),
        ("html", '<td>id2entry</td><td class="number">83.6 %</td>'),
    ):
        out = tmp_path / f"report.{suffix}"
        assert run("report", kept, "-o", out)[0] == 0
        assert row in out.read_text()


def test_windows_are_chosen_and_a_session_is_compared_with_a_file(run, kept):
    document = json.loads(run("stacks", kept, "--window", "A1", *B[:2], "--json")[1])
    assert document["samples"] == {"a": 711, "b": 366}
    assert not document["several_profiles"]


def test_what_has_no_stacks_is_refused(run, tmp_path):
    path = build_experiment_session(tmp_path / "e.ldapwb", pairs=2, seconds=5, per_second=20)
    status, _, said = run("stacks", path)
    assert (status, "no stacks of threads" in said) == (1, True)
    status, _, said = run("stacks", A[0], "--into", path)
    assert (status, "one window" in said) == (2, True)


def test_names_of_a_stranger_never_steer_the_terminal_or_a_spreadsheet(run, tmp_path):
    file = tmp_path / "s.folded"
    file.write_text("\n".join(["a;=cmd|x 30", "a;\x1b[31mred 20", "<b>;[link](x) 10"] * 3))
    out = run("stacks", file)[1]
    assert "\x1b" not in out
    assert "'=cmd|x" in run("stacks", file, "--csv")[1]
