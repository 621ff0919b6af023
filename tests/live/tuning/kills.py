"""A workbench that is killed at a random moment while it makes a change and takes it back."""

from __future__ import annotations

import random
import signal
import subprocess
import sys

import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.model.change import Change
from ldap_workbench.tuning.tuner import Tuner

KILLS = 40
MOMENTS = [
    pytest.param(number, marks=[pytest.mark.full] if number else []) for number in range(KILLS)
]
"""One in every run, all of them in a full one."""
_DIES = """
import os, signal, sys, threading
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.servers.target import connect
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner

name, setting, seconds = sys.argv[1:]
target = connect(ProfileStore().get(name), Secrets())
tuner = Tuner(target, Journal())
wanted = tuner.catalogue.treatment([setting], target.facts)
threading.Timer(float(seconds), os.kill, (os.getpid(), signal.SIGKILL)).start()
while True:
    tuner.revert(tuner.apply(wanted).group)
"""


def killed(tuner: Tuner, setting: str, number: int, most_s: float) -> list[Change]:
    """A workbench that applies and reverts over and over ends at a random moment: what it left."""
    seconds = random.Random(f"kill-{setting}-{number}").uniform(0.02, most_s)
    profile = tuner._target.profile
    ProfileStore().add(profile)
    died = subprocess.run(
        [sys.executable, "-c", _DIES, profile.name, setting, str(seconds)],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    return tuner.journal.open_changes(profile.ldap_url)
