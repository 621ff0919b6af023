"""Dialogs and rarer screens of the tour: pictures of what a person meets now and then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QMessageBox, QWidget

from ldap_workbench.experiment.origin import Origin
from ldap_workbench.figures.overview.sides import Side
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.screens.connect.questions import (
    CertificateDialog,
    HostKeyDialog,
    PasswordDialog,
)
from ldap_workbench.gui.screens.connect.sudoers import HostRights, SudoersDialog
from ldap_workbench.gui.screens.experiment.agreement import FileConsent
from ldap_workbench.gui.screens.start.reading import ReadingDialog
from ldap_workbench.gui.shell.about import AboutDialog, ShortcutsDialog
from ldap_workbench.gui.shell.palette import CommandPalette
from ldap_workbench.model.errors import (
    ShownCertificate,
    UnknownHostKeyError,
    UntrustedCertificateError,
)
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.writer import SessionWriter
from tests import sessions
from tests.unit.tuning.fakes import FACTS

if TYPE_CHECKING:
    from tests.tour import Tour

PROFILES = (
    Profile(
        "ldap1",
        "ldaps://ldap1.example.com:636",
        "cn=Directory Manager",
        ssh=SshAddress("ldap1.example.com", "admin"),
        sudo=True,
    ),
    Profile("staging", "ldap://10.20.0.7:389", "uid=tuner,ou=services,dc=example,dc=com"),
)
_BEGIN = datetime(2026, 11, 21, 8, tzinfo=UTC)
_LARGE_LOG_OPERATIONS = 400_000


@contextmanager
def answered(tour: Tour, name: str, *, yes: bool = True) -> Iterator[None]:
    """Take a picture of the question that is asked, then answer it: its first button, or none."""
    originals = QMessageBox.exec, QMessageBox.clickedButton

    def answer(box: QMessageBox) -> int:
        box.show()
        tour.picture(name, box)
        box.hide()
        return (QDialog.DialogCode.Accepted if yes else QDialog.DialogCode.Rejected).value

    QMessageBox.exec = answer
    QMessageBox.clickedButton = lambda box: box.buttons()[0] if yes else None
    try:
        yield
    finally:
        QMessageBox.exec, QMessageBox.clickedButton = originals


def window_dialogs(tour: Tour) -> None:
    """The command palette, the shortcuts, what this program is, a page of the help."""
    window = tour.window
    actions = [*window.actions_.by_name.values(), *window.commands.actions()]
    for name, dialog in (
        ("palette", CommandPalette(actions, window)),
        ("shortcuts", ShortcutsDialog(window.actions_.shortcuts(), window)),
        ("about", AboutDialog(window)),
    ):
        _show(tour, name, dialog)
    window.show_screen("tails")
    window.actions_["help"].trigger()
    page = next(each for each in window.findChildren(QDialog) if each.isVisible())
    tour.settle(0.5)
    tour.picture("help", page)
    page.close()


def session_dialogs(tour: Tour) -> None:
    """Notes of the open session, a note on the timeline, a plan that came from a file."""
    window = tour.window
    notes = window.notes.ask()
    assert notes is not None
    tour.picture("notes", notes)
    notes.reject()
    window.show_screen("timeline")
    tour.idle()
    opened = tour.workbench.opened
    assert opened is not None
    middle = opened.summary.windows[0].start_ns / NS_PER_S + 4
    mark = window.timeline.notes.ask(middle, 600.0)
    assert mark is not None
    tour.picture("mark", mark)
    mark.reject()


def comparison_screens(tour: Tour, folder: Path) -> None:
    """Two captures compared: the question, and their tails."""
    a, b = (
        sessions.build_capture_session(folder / f"{name}.ldapwb", seconds=60, per_second=200)
        for name in ("monday", "tuesday")
    )
    window = tour.window
    window.open_paths([a])
    tour.idle()
    window.show_screen("tails")
    tour.idle()
    dialog = window.tails.comparison.ask()
    dialog.b.choose_file(b)
    tour.idle()
    tour.picture("compare", dialog)
    dialog.reject()
    windows = dialog.a.side().windows
    window.tails.comparison.begin(Side(a, windows), Side(b, windows))
    tour.idle()
    tour.picture("tails-compared")
    window.tails.comparison.end()
    tour.idle()


def reading_screens(tour: Tour, folder: Path) -> None:
    """A large log while it is read, and one of which some lines mean nothing."""
    log = folder / "access"
    with log.open("w") as file:
        file.writelines(map(_operation, range(_LARGE_LOG_OPERATIONS)))
    tour.window.files.import_logs([log])
    (job,) = [each for each in tour.workbench.runner.jobs if each.key == "import"]
    dialog = tour.window.findChildren(ReadingDialog)[-1]
    job.ended.disconnect(dialog._on_ended)  # as it was with the last report
    tour.until(lambda: not job.running)
    tour.picture("reading", dialog)
    dialog._on_ended()
    tour.idle()
    tour.picture("read")
    strange = folder / "strange.log"
    with strange.open("w") as file:
        file.writelines(map(_operation, range(300)))
        file.write("no line of a directory server\n" * 40)
    tour.window.files.import_logs([strange])
    tour.idle()
    tour.picture("read-unknown-lines")


def connection_dialogs(tour: Tour) -> None:
    """Connect, a password, an unknown host key, a certificate nobody vouches for, sudo rights."""
    for profile in PROFILES:
        tour.workbench.profiles.add(profile)
    tour.window.show_screen("start")
    tour.window.start.fill()
    tour.picture("start")
    dialog = tour.window.servers.edit(PROFILES[0])
    tour.picture("connect", dialog)
    dialog.fill(dialog.form())
    dialog.test()
    tour.idle()
    tour.picture("connect-tested", dialog)
    dialog.reject()
    asked = Message("Password of {dn} on {url}", dn=PROFILES[0].bind_dn, url=PROFILES[0].ldap_url)
    _show(tour, "password", PasswordDialog(asked, True, tour.window))
    fingerprint = "SHA256:5Vn1Yy0l9w3Xg1mF8n4k2bS7cQxJr6pTzUuKd0aHhEo"
    error = UnknownHostKeyError("ldap1.example.com", 22, "ssh-ed25519", "AAAA", fingerprint)
    _show(tour, "host-key", HostKeyDialog(error, tour.window))
    untrusted = UntrustedCertificateError(
        verbatim("TLS with ldaps://ldap1.example.com:636 failed: unable to get local issuer."),
    )
    sha256 = ":".join(f"{37 * n % 256:02X}" for n in range(1, 33))
    untrusted.shown = ShownCertificate("CN=ldap1.example.com", "CN=Our CA", "2027-05-31", sha256)
    _show(tour, "certificate", CertificateDialog(untrusted, Path.home(), tour.window))
    files = "admin ALL=(root) NOPASSWD: /usr/local/libexec/ldap-workbench-host\n", "#!/bin/sh\n"
    _show(tour, "sudo-rights", SudoersDialog(tour.workbench, HostRights(files, None), tour.window))


def known_server_screens(tour: Tour, folder: Path, session: Path) -> None:
    """The experiment of a session whose server is not connected, its history, its plan."""
    path = sessions.build_experiment_session(
        folder / "checkpoint.ldapwb", seconds=30, per_second=40
    )
    with SessionWriter.append(path) as writer:
        writer.set_facts(replace(FACTS, host="ldap1.example.com"))
    window = tour.window
    window.open_paths([path])
    tour.idle()
    for name in ("overview", "experiment", "tests", "report"):
        window.show_screen(name)
        tour.idle()
        tour.picture(f"{name}-offline")
    assert tour.workbench.opened is not None
    stored = tour.workbench.opened.summary.experiment
    assert stored is not None
    plan = replace(stored.plan, load="ldclt -h localhost -p 389 -e esearch", load_on_host=True)
    lines = Origin(path, FACTS, plan).describe(plan, FACTS, "systemctl restart dirsrv@ldap1")
    told = [f"{shown(words)} {named}" for words, named in lines]
    _show(tour, "file-consent", FileConsent(told, window, runs=True))
    window.open_paths([session])
    tour.idle()


def _operation(number: int) -> str:
    """A search and its result, 20 ms after the one before; every seventh is slow."""
    asked = timedelta(milliseconds=20 * number)
    etime = timedelta(microseconds=900 + number % 97 + (40_000 if number % 7 == 0 else 0))
    asked_at, answered_at = (
        f"{_BEGIN + after:%d/%b/%Y:%H:%M:%S.%f}" for after in (asked, asked + etime)
    )
    return (
        f'[{asked_at}000 +0000] conn=1 op={number} SRCH base="dc=example,dc=com" scope=2 '
        f'filter="(uid=u{number})" attrs=ALL\n'
        f"[{answered_at}000 +0000] conn=1 op={number} RESULT err=0 tag=101 nentries=1 "
        f"etime={etime.total_seconds():.9f}\n"
    )


def _show(tour: Tour, name: str, dialog: QWidget) -> None:
    dialog.show()
    tour.picture(name, dialog)
    dialog.close()
