"""The limit on open files of slapd's unit, under a stand-in for systemctl that honours drop-ins."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.restart import restart
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.host import LOCAL
from tests.live.lab.openldap import OpenLdap

# As systemd: what files say counts from daemon-reload on, the last one wins, and the limit is set
# before the server is started.
_SYSTEMCTL = """\
#!/bin/sh
loaded={folder}/loaded
if [ "$1" = daemon-reload ]; then
  cat /etc/systemd/system/{unit}.service.d/*.conf 2>/dev/null |
    sed -n 's/^LimitNOFILE=//p' | tail -n 1 >"$loaded"
  exit
fi
[ "$2" = {unit} ] || exit 5
limit=$(cat "$loaded" 2>/dev/null)
[ -z "$limit" ] || ulimit -n "$limit"
exec {control} "$1"
"""


@pytest.fixture
def target(
    slapd: OpenLdap, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[tuple[Target, Path]]:
    """Connected by a profile whose restart command names a unit; the unit's folder in /etc."""
    if os.geteuid():
        pytest.skip("only root may write in /etc/systemd/system")
    unit = f"slapd-{slapd.folder.name.lower().replace('_', '-')}"
    units = slapd.host.path("/etc/systemd/system")
    bin_folder = slapd.folder if slapd.version == LOCAL else slapd.host.path("/usr/local/sbin")
    program = bin_folder / "systemctl"
    text = _SYSTEMCTL.format(folder=slapd.folder, unit=unit, control=slapd.control)
    program.write_text(text)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slapd.folder}:{os.environ['PATH']}")
    profile = replace(slapd.profile, restart_command=f"systemctl restart {unit}")
    made = not units.exists()
    units.mkdir(parents=True, exist_ok=True)
    try:
        with closing(connect(profile, Secrets())) as target:
            yield target, units / f"{unit}.service.d"
    finally:
        program.unlink()
        shutil.rmtree(units / f"{unit}.service.d", ignore_errors=True)
        if made:
            units.rmdir()


@pytest.mark.shows("revert exact")
def test_more_open_files_are_proved_and_gone_again(
    slapd: OpenLdap, target: tuple[Target, Path]
) -> None:
    connected, folder = target
    with closing(Journal()) as journal, closing(Tuner(connected, journal)) as tuner:
        before = tuner.read("LimitNOFILE")
        assert before.value is None
        wanted = "3000" if before.effective != "3000" else "3001"
        applied = tuner.apply(tuner.catalogue.treatment([f"LimitNOFILE={wanted}"], connected.facts))
        assert (folder / "zz-ldap-workbench.conf").exists()
        assert tuner.read("LimitNOFILE").effective == before.effective
        time.sleep(1.1)  # the start is told in whole seconds
        restart(connected)
        (proof,) = tuner.prove(applied.group)
        assert proof.effective is True, proof.sentence
        tuner.revert(applied.group)
        assert not folder.exists()
        restart(connected)
        assert tuner.read("LimitNOFILE") == before
    assert slapd.alive
