"""A file of hosts is shown and agreed to before its first use."""

import io
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ldap_workbench.cli.fleet import commands, group
from ldap_workbench.cli.fleet.group import agree_to_hosts
from ldap_workbench.fleet.hosts import describe_hosts, is_agreed
from ldap_workbench.model.errors import UsageError

HOSTS = """
[defaults]
user = "logreader"
program = ["/usr/bin/sudo", "-n", "/opt/their program"]
logs = ["/var/log/a", "/var/log/b"]
[hosts.ldap1]
address = "10.1.2.3"
port = 2222
identity = "~/.ssh/id_work"
host_key = "SHA256:abc"
password_env = "WORK_PASSWORD"
workers = 4
[hosts.ldap2]
cluster = "dask://scheduler:8786"
"""


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    path = tmp_path / "hosts.toml"
    path.write_text(HOSTS)
    return path


def test_everything_that_a_file_of_hosts_brings_about_is_shown(hosts: Path) -> None:
    first, second = map(str, describe_hosts(hosts))
    for part in (
        *("logreader@10.1.2.3:2222", "/usr/bin/sudo -n '/opt/their program'", "4 at once"),
        *("/var/log/a", "/var/log/b", "id_work", "WORK_PASSWORD", "SHA256:abc"),
    ):
        assert part in first
    assert "dask://scheduler:8786" in second
    assert "run programs on this machine" in second


def test_it_is_not_used_unasked_and_once_agreed_to_is_known(
    hosts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match="was not accepted") as refused:
        agree_to_hosts(hosts, yes=False)
    assert "--yes" in str(refused.value.remedy)
    assert not is_agreed(hosts)
    assert "logreader@10.1.2.3:2222" in capsys.readouterr().err
    agree_to_hosts(hosts, yes=True)
    assert is_agreed(hosts)
    capsys.readouterr()
    agree_to_hosts(hosts, yes=False)
    assert capsys.readouterr().err == ""


def test_a_file_that_was_changed_is_shown_again(hosts: Path) -> None:
    agree_to_hosts(hosts, yes=True)
    hosts.write_text(HOSTS.replace("10.1.2.3", "10.1.2.4"))
    with pytest.raises(UsageError, match="was not accepted"):
        agree_to_hosts(hosts, yes=False)


def test_a_yes_at_the_terminal_is_enough(hosts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    questions: list[str] = []
    monkeypatch.setattr(group, "confirm", lambda question: not questions.append(question))
    agree_to_hosts(hosts, yes=False)
    assert questions == ["Use these hosts?"]
    assert is_agreed(hosts)


def test_an_import_asks_before_it_reaches_a_host(hosts: Path, tmp_path: Path) -> None:
    words = ["import", "--engine", f"ssh:{hosts}", "-o", str(tmp_path / "fleet")]
    done = CliRunner().invoke(commands, words)
    assert isinstance(done.exception, UsageError)
    assert "was not accepted" in str(done.exception)
    assert not (tmp_path / "fleet").exists()
