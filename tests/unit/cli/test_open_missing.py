"""`open` of a file that is not there fails, also where a window is open that would take it."""

import sys

import pytest

from ldap_workbench.cli import app, main


@pytest.fixture
def opened(monkeypatch, capsys):
    """Run `open` with these paths: its status, what it said, and what a window was given."""
    given = []
    monkeypatch.setattr(app, "open_window", lambda paths, smoke: given.append(paths) or 0)

    def run(*paths):
        monkeypatch.setattr(sys, "argv", ["ldap-workbench", "open", *map(str, paths)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, capsys.readouterr().err, given

    return run


def test_a_file_that_is_not_there_fails_before_any_window_hears_of_it(opened, tmp_path):
    there, missing = tmp_path / "there.ldapwb", tmp_path / "missing.ldapwb"
    there.touch()
    status, err, given = opened(there, missing)
    assert (status, given) == (1, [])
    assert f"There is no file {missing}." in " ".join(err.split())


def test_one_that_is_there_is_opened(opened, tmp_path):
    there = tmp_path / "there.ldapwb"
    there.touch()
    assert opened(there) == (0, "", [[str(there)]])
