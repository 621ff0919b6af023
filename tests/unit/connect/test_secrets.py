"""Where passwords come from, in which order, and where they stay."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring

from ldap_workbench.connect.secrets import SERVICE, Secrets, bind_user, has_keyring, ssh_user
from ldap_workbench.model.errors import AuthenticationError
from ldap_workbench.model.profile import Profile, SshAddress
from tests.unit.connect.conftest import MemoryKeyring

PROFILE = Profile(
    "p", "ldap://h:389", bind_dn="cn=dm", password_env="WB_PW", ssh=SshAddress("h", "op")
)


@pytest.fixture
def pipe() -> Iterator[int]:
    reading, writing = os.pipe()
    os.write(writing, "g€heim \r\nnext line\n".encode())
    os.close(writing)
    yield reading
    os.close(reading)


def test_without_a_bind_dn_none_is_needed() -> None:
    assert Secrets().password(replace(PROFILE, bind_dn=None)) is None


def test_the_environment_comes_first(
    monkeypatch: pytest.MonkeyPatch, memory_keyring: MemoryKeyring
) -> None:
    memory_keyring.kept[SERVICE, bind_user(PROFILE)] = "ring"
    monkeypatch.setenv("WB_PW", "env")
    assert Secrets(ask=lambda *_: "asked").password(PROFILE) == "env"
    monkeypatch.delenv("WB_PW")
    assert Secrets(ask=lambda *_: "asked").password(PROFILE) == "ring"


def test_a_descriptor_gives_its_first_line_once_read(pipe: int) -> None:
    profile = replace(PROFILE, password_env=None, password_fd=pipe)
    secrets = Secrets()
    assert secrets.password(profile) == "g€heim "
    assert secrets.password(profile) == "g€heim "


def test_a_closed_descriptor() -> None:
    with pytest.raises(AuthenticationError, match="file descriptor 987"):
        Secrets().password(replace(PROFILE, password_env=None, password_fd=987))


def test_asked_once_and_kept_in_memory(memory_keyring: MemoryKeyring) -> None:
    questions: list[str] = []

    def ask(_: str, question: str) -> str:
        questions.append(question)
        return "asked"

    secrets = Secrets(ask)
    assert [secrets.password(PROFILE), secrets.password(PROFILE)] == ["asked", "asked"]
    assert list(map(str, questions)) == ["Password of cn=dm on ldap://h:389"]
    assert memory_keyring.kept == {}


def test_nobody_answers() -> None:
    for secrets in (Secrets(), Secrets(ask=lambda *_: None), Secrets(ask=lambda *_: "")):
        with pytest.raises(AuthenticationError) as error:
            secrets.password(PROFILE)
        assert "WB_PW" in str(error.value.remedy)


def test_a_refused_one_is_asked_anew_though_it_stays_in_the_keyring(
    memory_keyring: MemoryKeyring,
) -> None:
    memory_keyring.kept[SERVICE, bind_user(PROFILE)] = "old"
    secrets = Secrets(ask=lambda *_: "new")
    assert secrets.password(PROFILE) == "old"
    secrets.refused(PROFILE)
    assert secrets.password(PROFILE) == "new"
    assert memory_keyring.kept[SERVICE, bind_user(PROFILE)] == "old"


def test_remembered_and_forgotten(memory_keyring: MemoryKeyring) -> None:
    secrets = Secrets()
    secrets.remember(bind_user(PROFILE), "kept", in_keyring=True)
    assert Secrets().password(PROFILE) == "kept"
    secrets.forget(bind_user(PROFILE))
    secrets.forget(bind_user(PROFILE))
    assert memory_keyring.kept == {}
    with pytest.raises(AuthenticationError):
        secrets.password(PROFILE)


def test_remembered_until_exit_only(memory_keyring: MemoryKeyring) -> None:
    secrets = Secrets()
    secrets.remember(ssh_user(PROFILE), "kept", in_keyring=False)
    assert secrets.ssh_password(PROFILE) == "kept"
    assert memory_keyring.kept == {}


def test_ssh_password(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = replace(PROFILE, ssh_password_env="WB_SSH")
    assert Secrets().ssh_password(profile) is None
    secrets = Secrets(ask=lambda user, question: f"answer of {user} to {question}")
    assert secrets.ask_ssh_password(profile) == "answer of ssh://op@h:22 to SSH password of op@h:22"
    assert secrets.ssh_password(profile) == "answer of ssh://op@h:22 to SSH password of op@h:22"
    secrets.ssh_refused(profile)
    assert secrets.ssh_password(profile) is None
    monkeypatch.setenv("WB_SSH", "env")
    assert secrets.ssh_password(profile) == "env"


def test_a_desktop_without_a_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyring, "get_keyring", NoKeyring)
    monkeypatch.setattr(keyring, "set_password", NoKeyring().set_password)
    assert not has_keyring()
    secrets = Secrets()
    with pytest.raises(AuthenticationError, match="keyring"):
        secrets.remember(bind_user(PROFILE), "kept", in_keyring=True)
    assert secrets.password(PROFILE) == "kept"


def test_no_secret_in_what_python_shows_of_it() -> None:
    secrets = Secrets(ask=lambda *_: "s3cr3t")
    secrets.password(PROFILE)
    assert "s3cr3t" not in repr(secrets)
