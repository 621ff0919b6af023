"""`profile test --store` and `profile add --test`: what a test found is stored in the profile."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from ldap_workbench.capture.live.check import StepResult
from ldap_workbench.cli import profiles
from ldap_workbench.cli.app import app
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import bind_user
from ldap_workbench.model.message import verbatim
from ldap_workbench.model.profile import Profile
from ldap_workbench.tuning.journal import Journal

LOG = "/var/log/slapd.log"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Profile]:
    """The profiles that were tried: a host whose server names no log until the profile does."""
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    tried: list[Profile] = []

    def try_profile(profile: Profile, *_: object, **__: object) -> list[StepResult]:
        tried.append(profile)
        settings = {} if profile.access_log else {"access_log": LOG}
        name = verbatim("access log")
        return [StepResult(name, not settings, verbatim("seen"), settings=settings)]

    monkeypatch.setattr(profiles, "try_profile", try_profile)
    return tried


def run(*words: str) -> int:
    return int(typer.main.get_command(app).main(list(words), standalone_mode=False) or 0)


def test_a_log_that_was_found_is_stored_when_it_is_asked_for(
    asked: list[Profile], capsys: pytest.CaptureFixture[str]
) -> None:
    ProfileStore().add(Profile("ol", "ldap://127.0.0.1:389", local=True))
    assert run("profile", "test", "ol", "--json") == 1
    (step,) = json.loads(capsys.readouterr().out)
    assert step["settings"] == {"access_log": LOG}
    assert ProfileStore().get("ol").access_log is None
    run("profile", "test", "ol", "--store")
    assert ProfileStore().get("ol").access_log == LOG
    assert LOG in capsys.readouterr().err
    assert [profile.access_log for profile in asked] == [None, None, LOG]


def test_a_change_stays_open_when_the_socket_is_stored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without an identity the URL is all that journal, revert and keyring know the server by."""
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    bind = StepResult(verbatim("bind"), True, verbatim("bound"), settings={"socket": "/run/ldapi"})
    monkeypatch.setattr(profiles, "try_profile", lambda *_, **__: [bind])
    before = Profile("ol", "ldapi:///", "cn=admin", local=True)
    ProfileStore().add(before)
    with closing(Journal()) as journal:
        journal.intend(
            group="g",
            server=before.server_url,
            profile="ol",
            knob="olcThreads",
            dn="cn=config",
            attribute="olcThreads",
            before=("16",),
            asked=("8",),
        )
    run("profile", "test", "ol", "--store")
    assert "You have 1 open change(s) on ol" in capsys.readouterr().err
    after = ProfileStore().get("ol")
    assert after == replace(before, socket="/run/ldapi")
    assert bind_user(after) == bind_user(before)
    with closing(Journal()) as journal:
        assert [change.knob for change in journal.open_changes(after.server_url)] == ["olcThreads"]
    run("journal", "ol", "--json")
    assert [row["knob"] for row in json.loads(capsys.readouterr().out)] == ["olcThreads"]


def test_a_profile_can_be_tested_as_it_is_added(asked: list[Profile]) -> None:
    run("profile", "add", "ol", "--ldap", "ldap://127.0.0.1:389", "--local", "--test")
    assert ProfileStore().get("ol").access_log == LOG
    run("profile", "add", "other", "--ldap", "ldap://127.0.0.1:389", "--local")
    assert ProfileStore().get("other").access_log is None
    assert len(asked) == 2


def test_a_pipe_is_refused_as_it_is_entered(asked: list[Profile]) -> None:
    with pytest.raises(Exception, match="shell syntax"):
        run("profile", "add", "ol", "--ldap", "ldap://h", "--log-command", "journalctl -f | cat")
    assert ProfileStore().names() == []
