"""What is asked of the desktop: to stay awake while a block runs, and a notification."""

import os
import subprocess
import sys

import pytest

from ldap_workbench.connect import desktop

FAKE = """#!/bin/sh
echo "$@" >"$HOME/asked"
exec cat
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="of a Linux desktop")


@linux
def test_the_machine_is_kept_awake_as_long_as_the_block_runs(tmp_path, monkeypatch):
    (tmp_path / "systemd-inhibit").write_text(FAKE)
    (tmp_path / "systemd-inhibit").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(
        desktop.subprocess, "Popen", lambda *a, **k: started.append(popen(*a, **k)) or started[-1]
    )
    with desktop.kept_awake():
        assert started[0].poll() is None
    assert started[0].poll() == 0
    asked = (tmp_path / "asked").read_text()
    assert "--what=sleep:idle" in asked
    assert "--mode=block" in asked


def test_without_the_command_it_runs_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    started, ran = [], []
    monkeypatch.setattr(desktop.subprocess, "Popen", lambda *a, **_: started.append(a))
    with desktop.kept_awake():
        ran.append(True)
    assert (ran, started) == ([True], [])


@linux
def test_a_notification_without_a_session_bus_is_none(monkeypatch, tmp_path):
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path / 'none'}")
    assert desktop.notify("The change was kept", "Better.") is False


@pytest.mark.parametrize(
    ("platform", "drawn_on"), [("linux", "offscreen"), ("win32", None), ("darwin", "offscreen")]
)
def test_windows_draws_unseen_with_its_own_fonts(monkeypatch, platform, drawn_on):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    desktop.draw_unseen()
    assert os.environ.pop("QT_QPA_PLATFORM", None) == drawn_on


@pytest.mark.parametrize(("platform", "is_there"), [("linux", False), ("win32", True)])
def test_windows_has_a_display_without_a_variable_that_says_so(monkeypatch, platform, is_there):
    monkeypatch.setattr(sys, "platform", platform)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert desktop.has_display() is is_there
