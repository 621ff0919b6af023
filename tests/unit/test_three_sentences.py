"""Errors that no other unit test provokes: each says what happened, what is safe, what to do.

Not here, for they need what only a real peer does, and provoked in tests/live: a server that starts
no TLS, an SSH connection that breaks under a command, a host key that changes between two looks, a
value that cannot be put back, a treatment that is stored and not in force.
"""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from ldap_workbench.capture.live.check import try_profile
from ldap_workbench.connect.crashes import in_our_words
from ldap_workbench.connect.folders import config_folder
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.ssh_login import log_in
from ldap_workbench.experiment.judge import judge_sessions
from ldap_workbench.experiment.origin import Origin
from ldap_workbench.experiment.plan import check_differs, make_plan, parse_looks
from ldap_workbench.model.experiment import Design
from ldap_workbench.model.knob import Setting, Treatment, ValueKind
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.report.write import write_report
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.config_file import config_file as config_file_of
from ldap_workbench.tuning.offline import OfflineEditor
from ldap_workbench.tuning.restart import restart
from tests.sessions import build_capture_session
from tests.unit.tuning.fakes import CONFIG, FakeTarget

TREATMENT = Treatment((Setting("nsslapd-threadnumber", "24"),))
NUMBER = SimpleNamespace(kind=ValueKind.INTEGER)


def failed_step(url: str, **how: object) -> None:
    """Raise the error of the first step of a profile that fails."""
    raise next(s.error for s in try_profile(Profile("a", url, **how), Secrets()) if s.error)


def plan():
    return make_plan(TREATMENT, Design("pairs", 8), window_s=20, seed=1)


def unwritable_home(room: Path) -> None:
    os.environ["LDAP_WORKBENCH_HOME"] = str(room / "file" / "below")
    (room / "file").touch()
    config_folder()


def no_dse() -> None:
    target = FakeTarget()
    for name in ("nsslapd-certdir", "nsslapd-schemadir"):
        target.directory.entries[CONFIG].pop(name, None)
    config_file_of(target)


def no_shell() -> None:
    target = FakeTarget()
    target.shell = None
    OfflineEditor(target).check_folder("nsslapd-db-home-directory", "/var/lib/x")


def no_monitor() -> None:
    target = FakeTarget(restart_command="systemctl restart x")
    target.directory.entries.pop("cn=monitor")
    restart(target)


def other_server(room: Path) -> None:
    here = TargetFacts("", "389-Directory", "2.3.1", "b.example", identity="here")
    there = TargetFacts("", "389-Directory", "2.3.1", "a.example", identity="there")
    Origin(room / "e.ldapwb", there, plan()).check_server(here)


def window_of(room: Path, name: str) -> None:
    with Session.open(build_capture_session(room / "c.ldapwb", windows=1)) as session:
        session.window(name)


def report_as(room: Path, name: str) -> None:
    write_report(build_capture_session(room / "c.ldapwb", windows=1), room / name)


def log_in_without_key() -> None:
    address = SshAddress("127.0.0.1", "u", 22, "/no/such/key")
    log_in(Profile("a", "ldap://x", ssh=address), address, Secrets())


def raised(error: Exception) -> None:
    raise in_our_words(error)


CASES = {
    "no socket": (lambda _: failed_step("ldapi://%2Fno%2Fsocket"), "/no/socket", "ldapifilepath"),
    "no name": (lambda _: failed_step("ldap://no.invalid"), "cannot be resolved", "spelling"),
    "closed port": (lambda _: failed_step("ldap://127.0.0.1:1"), "127.0.0.1:1 does", "firewall"),
    "a file of nobody": (
        lambda _: raised(FileNotFoundError(2, "gone", "/x")),
        "/x: gone",
        "another",
    ),
    "a bug": (lambda _: raised(KeyError("x")), "bug of its own (KeyError)", "report"),
    "no home": (unwritable_home, "cannot be created", "LDAP_WORKBENCH_HOME"),
    "no key": (lambda _: log_in_without_key(), "/no/such/key", "--identity"),
    "odd text": (
        lambda room: ProfileStore(room / "p").add(Profile("a", "ldap://x", ca_file="\udcff")),
        "not UTF-8",
        "rename",
    ),
    "no looks": (lambda _: parse_looks("a,b"), "interim analyses", "8,12,16"),
    "no difference": (
        lambda _: check_differs(plan(), [SimpleNamespace(writes=False, knob=NUMBER)]),
        "both arms would be the same",
        "another value",
    ),
    "other server": (other_server, "a.example, not b.example", "again on this server"),
    "no arms": (lambda _: judge_sessions([]), "one window of each arm", "Measure both"),
    "no window": (lambda room: window_of(room, "nine"), "no window 'nine'", "This session has"),
    "odd report": (lambda room: report_as(room, "r.doc"), ".doc", ".html"),
    "no renderer": (lambda room: report_as(room, "r.pdf"), "PDF", "print it"),
    "no folder": (lambda room: report_as(room, "no/r.md"), "cannot be written", "folder"),
    "a folder": (lambda room: Session.open(room), "not a session", "*.ldapwb"),
    "no dse.ldif": (lambda _: no_dse(), "which folder its dse.ldif", "Directory Manager"),
    "no shell": (lambda _: no_shell(), "needs a shell on the host", "Add SSH"),
    "no monitor": (lambda _: no_monitor(), "cannot read cn=monitor", "who may read cn=monitor"),
}


@pytest.mark.parametrize("case", CASES)
def test_it_says_what_happened_what_is_safe_and_what_to_do(case, tmp_path, monkeypatch):
    provoke, what, remedy = CASES[case]
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    with pytest.raises(Exception) as caught:
        provoke(tmp_path)
    error = caught.value
    assert what in str(error.what)
    assert str(error.safe).endswith(".")
    assert remedy in str(error.remedy)
