"""With --cold the page cache is dropped before every window of both arms, or nothing begins."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.experiment import State
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.progress import Progress
from ldap_workbench.servers.target import connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.ds389 import Lab
from tests.live.lab.steps import configured, root_only, workbench

TREATMENT = Treatment((Setting("nsslapd-enable-upgrade-hash", "off"),))


def is_cached(path: Path) -> bool:
    """Whether the first page of a file is in the page cache; does not read it in."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT)
    except BlockingIOError:
        return False
    finally:
        os.close(file)
    return True


def cached_before_windows(path: Path, seen: list[bool]) -> Callable[[Progress], None]:
    """A listener that looks at a file before each window, then reads it again."""

    def listen(progress: Progress) -> None:
        if "after the change" in str(progress.text):
            seen.append(is_cached(path))
            path.read_bytes()

    return listen


@pytest.mark.parametrize("cold", [True, pytest.param(False, marks=pytest.mark.full)])
def test_both_arms_begin_without_a_page_cache(lab: Lab, tmp_path: Path, cold: bool) -> None:
    root_only(lab)
    read = tmp_path / "read"
    read.write_bytes(bytes(1 << 20))
    os.sync()
    plan = make_plan(TREATMENT, parse_design("ab"), window_s=1, seed=1, settle_s=0, cold=cold)
    seen: list[bool] = []
    with closing(connect(lab.profile, Secrets())) as target, closing(Journal()) as journal:
        tuner = Tuner(target, journal)
        with (
            configured(target, nsslapd_accesslog_logbuffering="off"),
            SessionWriter.create(tmp_path / "s.ldapwb", target.facts) as writer,
        ):
            listen = cached_before_windows(read, seen)
            run = ExperimentRun(target, tuner, writer, plan, progress=listen)
            assert run.run().state is State.REVERTED
        drops = [c for c in journal.changes(target.directory.url) if c.state is ChangeState.DONE]
    assert seen == [not cold, not cold]
    assert len(drops) == (2 if cold else 0)
    with Session.open(tmp_path / "s.ldapwb") as session:
        marks = [mark.time_ns for mark in session.marks() if mark.kind == "page cache"]
        begins = [window.start_ns for window in session.windows()]
    assert len(marks) == len(drops)
    if cold:
        assert marks[0] < begins[0] < marks[1] < begins[1]


def test_without_sudo_it_is_refused_before_anything_is_changed(lab: Lab, tmp_path: Path) -> None:
    root_only(lab)
    ProfileStore().add(replace(lab.profile, sudo=False))
    before = lab.ldif_of_config()
    done = workbench(
        *("experiment", "lab", "-o", str(tmp_path / "s.ldapwb"), "--cold", "--yes"),
        *("--set", "nsslapd-enable-upgrade-hash=off", "--design", "ab", "--window", "2"),
        *("--then", "revert"),
    )
    assert done.returncode == 1
    told = " ".join(done.stderr.split())
    assert "The page cache of the server's host cannot be dropped" in told
    assert "Permission denied" in told
    with closing(Journal()) as journal:
        assert journal.changes() == []
    assert lab.ldif_of_config() == before
