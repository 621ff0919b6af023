"""Our own known_hosts: what is accepted is remembered, what changed is not let through."""

from __future__ import annotations

import os

import paramiko
import pytest

from ldap_workbench.connect.host_keys import (
    accept_host_key,
    check_key,
    fingerprint_of,
    known_hosts_path,
    known_keys,
    not_reached,
    unknown,
)
from ldap_workbench.model.errors import ChangedHostKeyError, ConnectError, UnknownHostKeyError
from ldap_workbench.model.profile import SshAddress
from tests.systems import is_private

HOST = SshAddress("ldap1.example.com", "op", 2222)
USUAL = SshAddress("ldap1.example.com", "op", 22)


@pytest.fixture(scope="module")
def keys() -> list[paramiko.PKey]:
    return [paramiko.ECDSAKey.generate(), paramiko.ECDSAKey.generate()]


def test_unknown_accepted_known(keys: list[paramiko.PKey]) -> None:
    with pytest.raises(UnknownHostKeyError) as asked:
        check_key(HOST, keys[0])
    assert asked.value.fingerprint == fingerprint_of(keys[0])
    assert asked.value.fingerprint.startswith("SHA256:")
    accept_host_key(asked.value)
    accept_host_key(asked.value)
    check_key(HOST, keys[0])
    assert len(known_hosts_path().read_text().splitlines()) == 1
    assert is_private(known_hosts_path())


def test_the_port_belongs_to_the_name(keys: list[paramiko.PKey]) -> None:
    accept_host_key(unknown(HOST, keys[0]))
    assert known_hosts_path().read_text().startswith("[ldap1.example.com]:2222 ecdsa")
    with pytest.raises(UnknownHostKeyError):
        check_key(USUAL, keys[0])
    accept_host_key(unknown(USUAL, keys[1]))
    check_key(USUAL, keys[1])
    check_key(HOST, keys[0])


def test_a_changed_key_says_both_and_where_the_old_one_is(keys: list[paramiko.PKey]) -> None:
    accept_host_key(unknown(HOST, keys[0]))
    with pytest.raises(ChangedHostKeyError) as error:
        check_key(HOST, keys[1])
    assert fingerprint_of(keys[0]) in str(error.value.what)
    assert fingerprint_of(keys[1]) in str(error.value.what)
    assert str(known_hosts_path()) in str(error.value.remedy)


def test_a_key_of_another_kind_is_a_changed_one(keys: list[paramiko.PKey]) -> None:
    accept_host_key(unknown(HOST, keys[0]))
    with pytest.raises(ChangedHostKeyError):
        check_key(HOST, paramiko.RSAKey.generate(2048))


def test_lines_of_the_operator_stay(keys: list[paramiko.PKey]) -> None:
    path = known_hosts_path()
    other = f"other {keys[1].get_name()} {keys[1].get_base64()} of the other"
    path.write_text(f"# mine\n{other}\n")
    accept_host_key(unknown(HOST, keys[0]))
    assert path.read_text().splitlines()[:2] == ["# mine", other]
    assert known_keys(HOST) == {keys[0].get_name(): keys[0]}


# Paramiko reads in the encoding of Windows there, in which all bytes are text.
NO_UTF_8 = pytest.param(b"\xff\xfe\x00", marks=pytest.mark.posix("text is UTF-8"))


@pytest.mark.parametrize("content", [NO_UTF_8, b"other ssh-ed25519 broken\n"])
def test_a_file_that_cannot_be_read(keys: list[paramiko.PKey], content: bytes) -> None:
    known_hosts_path().write_bytes(content)
    with pytest.raises(ConnectError, match="known host keys"):
        check_key(HOST, keys[0])


def test_the_users_own_file_is_left_alone(
    keys: list[paramiko.PKey], tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = os.path.join(str(tmp_path), ".ssh")
    os.mkdir(folder)
    with open(os.path.join(folder, "known_hosts"), "w") as file:
        key = keys[0]
        file.write(f"[ldap1.example.com]:2222 {key.get_name()} {key.get_base64()}\n")
    with pytest.raises(UnknownHostKeyError):
        check_key(HOST, key)


def test_a_reason_that_is_a_sentence_ends_with_one_full_stop() -> None:
    error = not_reached(USUAL, paramiko.SSHException("Unable to open channel."))
    assert str(error.what) == f"{USUAL} cannot be reached over SSH: Unable to open channel."
