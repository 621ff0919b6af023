"""docs/schema.md is as the code is, and what it shows works."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from ldap_workbench.model.operations import COLUMNS, is_type
from ldap_workbench.session.reader import Session
from ldap_workbench.session.schema import TABLES
from tests import sessions

ROOT = Path(__file__).parents[3]
WRITTEN = runpy.run_path(str(ROOT / "packaging" / "schema_page.py"))
TEXT = WRITTEN["PAGE"].read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("schema")
    sessions.build_experiment_session(made / "experiment.ldapwb", seconds=3, per_second=20)
    return made


def block(language):
    [found] = re.findall(f"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return found


def test_the_page_is_as_the_code_is():
    assert WRITTEN["page"]() == TEXT, "write it anew: .venv/bin/python packaging/schema_page.py"


def test_every_table_and_column_is_explained():
    assert WRITTEN["TABLE_WORDS"].keys() == TABLES.keys()
    assert list(WRITTEN["COLUMN_WORDS"]) == list(COLUMNS)


def test_the_query_counts_what_the_program_counts(folder):
    path = folder / "experiment.ldapwb"
    view, query = block("sql").split(";")[:2]
    with duckdb.connect(str(path), read_only=True) as db:
        db.execute(view)
        rows = db.execute(query).fetchall()
    found = {(window, kind): count for window, kind, count, _ in rows}
    with Session.open(path) as session:
        for window in session.windows():
            operations = session.operations(window)
            asked = is_type(operations, "SRCH")
            assert found[window.id, "SRCH"] == asked.sum() > 0


def test_the_program_runs(folder):
    done = subprocess.run(
        [sys.executable, "-c", block("python")],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.match(r".*: \d+ searches, p99 \d+\.\d\d ms\n", done.stdout)


def test_readme_leads_to_the_page():
    assert "docs/schema.md" in (ROOT / "README.md").read_text()
