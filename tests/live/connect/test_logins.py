"""The logins people have on a server's host: each is followed, or its own reason is given."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.capture.live.check import StepResult, try_profile
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.window import Source, SourceKind, SourceState
from ldap_workbench.servers.target import connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.live.lab.ds389 import Lab
from tests.live.lab.logins import WORK, Login, make_german
from tests.live.lab.steps import configured, steady_load


@pytest.fixture(scope="module")
def own_lab() -> Iterator[Lab]:
    with Lab(config="nsslapd-accesslog-logbuffering: off\n").start(users=100) as lab:
        if not lab.sshd.made_user:
            pytest.skip("only root can change a login's shell")
        yield lab


@pytest.fixture
def login(own_lab: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Login]:
    for name, value in own_lab.environment.items():
        monkeypatch.setenv(name, value)
    own_lab.trust(tmp_path / "home")
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    login = Login(own_lab)
    yield login
    login.undo()


def use(login: Login, shell: str, file: str = "", text: str = "") -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    login.use(shell, file, text)


def tried(profile: Profile) -> dict[str, StepResult]:
    return {str(step.name): step for step in try_profile(profile, Secrets())}


def captured(profile: Profile, path: Path, lab: Lab) -> dict[SourceKind, Source]:
    target = connect(profile, Secrets())
    try:
        with (
            configured(target, nsslapd_accesslog_logbuffering="off"),
            steady_load(lab, "search", 60, rate=400),
            SessionWriter.create(path, target.facts) as writer,
        ):
            window = capture(target, writer, CapturePlan(2, name="w"))
    finally:
        target.close()
    with Session.open(path) as session:
        return {source.kind: source for source in session.sources(window.id)}


@pytest.fixture(scope="module")
def locales(own_lab: Lab) -> Path:
    """A folder with a locale that has commas in its numbers, for LOCPATH."""
    folder = make_german(own_lab.folder / "locales")
    if folder is None:
        pytest.skip("the locale de_DE cannot be made: no localedef, or no package locales")
    return folder


EVERY_RUN = "bash in German"
"""The campaign of faults draws from all; a shell that is not like sh is in each run of its own."""


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n == EVERY_RUN else [pytest.mark.full]) for n in WORK]
)
def test_a_login_is_followed_whatever_its_shell_prints(
    login: Login, name: str, locales: Path, tmp_path: Path
) -> None:
    shell, file, text = WORK[name]
    use(login, shell, file, text.format(locales=locales))
    login.sudo(f"env_file={locales}/environment")  # sudo is started without LOCPATH
    steps = tried(login.lab.profile)
    assert [(str(step.name), str(step.text)) for step in steps.values() if not step.ok] == []
    sources = captured(login.lab.profile, tmp_path / "s.ldapwb", login.lab)
    states = {str(kind): (source.state, str(source.why)) for kind, source in sources.items()}
    assert {state for state, _ in states.values()} == {SourceState.COMPLETE}, states
    assert sources[SourceKind.ACCESS_LOG].samples > 100, "there was a load"


def test_a_start_up_file_that_ends_the_login_is_named(login: Login, tmp_path: Path) -> None:
    use(login, "bash", ".bashrc", "exit 1\n")
    step = tried(login.lab.profile)["host login"]
    assert not step.ok
    assert "ended with status 1 before a command ran" in str(step.text)
    assert ".bashrc" in str(step.remedy)
    log = captured(login.lab.profile, tmp_path / "s.ldapwb", login.lab)[SourceKind.ACCESS_LOG]
    assert log.state == SourceState.FAILED
    assert "ended with status 1 before a command ran" in str(log.why)


def test_a_sudo_that_wants_a_terminal_is_named(login: Login, tmp_path: Path) -> None:
    login.sudo("requiretty")
    steps = tried(login.lab.profile)
    assert not steps["sudo"].ok
    assert "requiretty" in str(steps["sudo"].remedy)
    assert not steps["access log"].ok
    log = captured(login.lab.profile, tmp_path / "s.ldapwb", login.lab)[SourceKind.ACCESS_LOG]
    assert log.state == SourceState.FAILED
    assert "tty" in str(log.why)


def test_a_password_that_has_expired_is_named(login: Login, tmp_path: Path) -> None:
    use(login, "bash")
    login.expire()
    ssh = login.lab.profile.ssh
    assert ssh is not None
    profile = replace(login.lab.profile, ssh=replace(ssh, identity=None))
    step = tried(profile)["host login"]
    assert not step.ok
    assert "password has expired" in str(step.text)
    assert "set a new password" in str(step.remedy)
    log = captured(profile, tmp_path / "s.ldapwb", login.lab)[SourceKind.ACCESS_LOG]
    assert log.state == SourceState.FAILED
    assert "password has expired" in str(log.why)
