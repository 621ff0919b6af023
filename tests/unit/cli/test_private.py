"""What the command writes is its user's alone from the first byte on, whatever the umask."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading

import numpy as np
import pytest

from ldap_workbench.model.experiment import Step
from tests.log_lines import log_text
from tests.sessions import _operations, _window, build_experiment_session


class Watch:
    """Looks at all files below a folder, again and again, while commands are at work."""

    def __init__(self, folder):
        self._folder = folder
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self.seen, self.open_to_others = set(), {}

    def _look(self):
        # A thousand times a second: without a pause it would take a processor from the commands.
        while not self._stop.wait(0.001):
            self.look()

    def look(self):
        for place, folders, files in os.walk(self._folder):
            for name in [*folders, *files]:
                try:
                    mode = os.lstat(os.path.join(place, name)).st_mode
                except OSError:
                    continue
                self.seen.add(name)
                if stat.S_IMODE(mode) & 0o077:
                    self.open_to_others[name] = oct(mode)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        self.look()


@pytest.fixture
def log(tmp_path):
    operations = _operations(
        np.random.default_rng(1), _window(0, Step("", -1), 20), 500, 1.0, False
    )
    path = tmp_path / "access"
    path.write_bytes(log_text(operations)[0])
    return path


@pytest.fixture
def command(tmp_path):
    home = tmp_path / "home"
    home.mkdir()

    def run(*words):
        environment = {**os.environ, "HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
        done = subprocess.run(
            [sys.executable, "-m", "ldap_workbench", *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
            umask=0,
            env={name: value for name, value in environment.items() if name[:4] != "XDG_"},
        )
        assert done.returncode == 0, done.stderr

    return run


def test_nobody_else_may_read_what_a_command_writes(tmp_path, log, command):
    folder = tmp_path / "out"
    folder.mkdir()
    experiment = build_experiment_session(tmp_path / "e.ldapwb", pairs=2, seconds=5, per_second=20)
    with Watch(folder) as watch:
        command("import", log, "-o", folder / "s.ldapwb")
        command("report", experiment, "-o", folder / "r.pdf")
        command("export", experiment, folder / "more" / "all", "--parquet", "--csv", "--ldif")
    assert {"s.ldapwb", "s.ldapwb.wal", "r.pdf", "operations.csv", "undo.ldif"} <= watch.seen
    assert watch.open_to_others == {}


def test_a_report_is_private_for_who_calls_the_core(tmp_path):
    from ldap_workbench.report.export import export
    from ldap_workbench.report.write import write_report

    before = os.umask(0)
    try:
        build = build_experiment_session.__wrapped__  # as the workbench writes it, not a copy
        session = build(tmp_path / "e.ldapwb", pairs=2, seconds=5, per_second=20)
        made = [
            *(write_report(session, tmp_path / name) for name in ("r.html", "r.md")),
            *export(session, tmp_path / "x", ["csv"]),
        ]
    finally:
        os.umask(before)
    for path in [session, *made]:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o700


def test_an_export_follows_no_link(tmp_path):
    from ldap_workbench.report.export import export

    session = build_experiment_session(tmp_path / "e.ldapwb", pairs=2, seconds=5, per_second=20)
    other = tmp_path / "other"
    other.write_text("mine")
    folder = tmp_path / "x"
    folder.mkdir()
    for name in ("operations.csv", "apply.ldif"):
        (folder / name).symlink_to(other)
    export(session, folder, ["csv", "ldif"])
    assert other.read_text() == "mine"
    assert not (folder / "operations.csv").is_symlink()


@pytest.mark.posix("limits of a process are of POSIX")
def test_a_crash_leaves_no_memory_with_passwords_on_the_disk():
    code = (
        "import resource, sys; import ldap_workbench.cli as cli;"
        "hard = resource.getrlimit(resource.RLIMIT_CORE)[1];"
        "resource.setrlimit(resource.RLIMIT_CORE, (hard, hard));"
        "cli.main = lambda: print(resource.getrlimit(resource.RLIMIT_CORE)[0]); cli.process()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "0\n"
