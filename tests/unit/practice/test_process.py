"""The server in a process of its own: there in a moment, gone with the program."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ldap_workbench.connect.ldap import open_directory
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.ssh import accept_fingerprint
from ldap_workbench.model.errors import UsageError
from ldap_workbench.practice.process import Practice
from ldap_workbench.servers.target import connect
from ldap_workbench.tuning.restart import restart


def gone(pid):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_it_answers_restarts_and_leaves_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    with Practice.start("too-many-threads", speed=30, seed=2) as practice:
        for name, value in practice.environment.items():
            monkeypatch.setenv(name, value)
        accept_fingerprint(practice.profile.ssh, practice.fingerprint)
        target = connect(practice.profile, Secrets())
        threads = ("cn=config", "nsslapd-threadnumber")
        target.directory.replace(*threads, ["16"], expected=["384"])
        assert live_threads(target) == "385"
        restart(target)
        assert live_threads(target) == "17"
        target.close()
        folder = Path(practice.address.ca_file).parent
        assert folder.is_dir()
        assert practice.unknown_commands() == []
    assert not folder.exists()
    practice.stop()  # twice does no harm


def live_threads(target):
    return target.directory.search("cn=monitor", attributes=["threads"])[0].first("threads")


def test_it_answers_on_a_machine_too_slow_for_its_speed(monkeypatch):
    with Practice.start("healthy", speed=3000) as practice:  # a million operations a second
        for name, value in practice.environment.items():
            monkeypatch.setenv(name, value)
        time.sleep(1)
        began = time.monotonic()
        directory = open_directory(practice.profile, Secrets())
        for _ in range(3):
            assert directory.search("cn=monitor", attributes=["threads"])
        directory.close()
        assert time.monotonic() - began < 120


def test_an_unknown_scenario_is_named():
    with pytest.raises(UsageError, match="healthy"):
        Practice.start("no such lesson")


@pytest.mark.parametrize("end", ["killed", "raised", "terminated"])
def test_it_goes_with_the_program_however_that_ends(end):
    script = (
        "import time\n"
        "from ldap_workbench.practice.process import Practice\n"
        "if __name__ == '__main__':\n"
        "    p = Practice.start('healthy')\n"
        "    print(p._process.pid, p.address.ca_file, flush=True)\n"
        f"    {'1 / 0' if end == 'raised' else 'time.sleep(60)'}\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    pid, ca_file = parent.stdout.readline().split()
    if end == "killed":
        parent.kill()
    elif end == "terminated":  # as `timeout` does it, the whole group
        os.killpg(parent.pid, signal.SIGTERM)
    parent.wait()
    parent.stdout.close()
    assert gone(int(pid))
    assert not Path(ca_file).parent.exists()
