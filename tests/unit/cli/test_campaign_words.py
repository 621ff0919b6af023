"""What `campaign` takes from a file, and what it does not."""

from types import SimpleNamespace

import pytest

from ldap_workbench.campaign.plan import Candidate, advised
from ldap_workbench.cli.campaign import _refuse_unread, _seconds
from ldap_workbench.connect.folders import write_beside
from ldap_workbench.model.errors import SessionError, UsageError
from ldap_workbench.model.knob import Setting, Treatment
from tests.sessions import build_experiment_session


def candidate(advice):
    settings = (Setting("nsslapd-cachememsize", "9", "userRoot"), Setting("x", "1"))
    return Candidate(Treatment(settings), advice=advice)


def test_advice_of_a_file_is_not_tried_unread():
    with pytest.raises(UsageError) as refused:
        _refuse_unread([candidate("entry-cache")])
    assert "--set nsslapd-cachememsize@userRoot=9+x=1" in str(refused.value.remedy)
    _refuse_unread([candidate("")])


def test_a_session_of_another_server_gives_no_advice(tmp_path):
    path = build_experiment_session(tmp_path / "e.ldapwb", pairs=2, seconds=5, per_second=40)
    other = SimpleNamespace(facts=SimpleNamespace(identity="another"))
    with pytest.raises(UsageError, match="not a session of this server"):
        advised(other, None, path)


@pytest.mark.parametrize(("text", "seconds"), [("90m", 5400), ("8h", 28_800), ("1.5d", 129_600)])
def test_a_budget_is_read(text, seconds):
    assert _seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "8", "h", "-1h", "nanh", "1e99d"])
def test_what_is_not_a_budget_is_refused(text):
    with pytest.raises(UsageError):
        _seconds(text)


def test_a_file_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SessionError, match="cannot be written"):
        write_beside(tmp_path / "file" / "c.md", "x")
