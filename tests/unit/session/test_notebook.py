"""docs/notebooks run as they stand, and the public names give what the program shows."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ldap_workbench as lw
from ldap_workbench.model.errors import LogError, SessionError
from tests.sessions import build_experiment_session

ROOT = Path(__file__).parents[3]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def cells(path, kind="code"):
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == kind]


def source(cell):
    return "".join(cell["source"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_carries_no_output(path, tmp_path):
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells(path))
    script = "\n\n".join(map(source, cells(path)))
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    # What Python says and what SQL says are of the same operations.
    counted = re.findall(r"^[^:\n]+: (SRCH|BIND|MOD|ADD) +([\d,]+)  p99", done.stdout, re.M)
    assert counted[: len(counted) // 2] == counted[len(counted) // 2 :] != []
    assert "minute 0: " in done.stdout
    assert re.search(r"^[a-z_]*stall[a-z_]*: ", done.stdout, re.M), done.stdout


def test_the_view_of_the_notebook_is_that_of_the_page():
    [sql] = re.findall(r"```sql\n(.*?)```", (ROOT / "docs" / "schema.md").read_text(), re.S)
    script = "\n".join(map(source, cells(NOTEBOOKS[0])))
    for part in sql.split(";")[:2]:
        assert part.strip() in script


def test_tails_of_all_windows_and_of_one(tmp_path):
    path = build_experiment_session(tmp_path / "e.ldapwb", pairs=2, seconds=4, per_second=40)
    with lw.open(path) as session:
        windows = session.windows()
        every = lw.tails(session)
        assert [t for t in every if t.window == windows[1].name] == lw.tails(session, windows[1])
        assert {t.window for t in every} == {window.name for window in windows}
        for window in windows:
            (all_of_it,) = [t for t in lw.tails(session, window) if t.type == "ALL"]
            assert all_of_it.n == len(session.client_columns(window, ["end_ns"])["end_ns"])


def test_what_cannot_be_read_leaves_no_file(tmp_path):
    (tmp_path / "x").write_text("nothing of a log\n")
    with pytest.raises(LogError):
        lw.import_logs([tmp_path / "x"], tmp_path / "x.ldapwb")
    assert not (tmp_path / "x.ldapwb").exists()
    with pytest.raises(SessionError):
        lw.open(tmp_path / "x")
