"""Trying a profile step by step, as far as that needs no server."""

import socket
import subprocess
from dataclasses import replace

import paramiko
import pytest

from ldap_workbench.capture.live import check
from ldap_workbench.capture.live.check import StepResult, by_urgency, summary, try_profile
from ldap_workbench.connect import host_keys, ldap, ldap_url
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import (
    AuthenticationError,
    CancelledError,
    CommandError,
    ConnectError,
)
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.model.progress import Cancel, Progress


@pytest.fixture
def nobody():
    """A profile of a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return Profile("nobody", f"ldap://127.0.0.1:{port}")


def test_a_step_that_needs_one_that_failed_is_not_tried(nobody):
    address, port, *rest = try_profile(nobody, Secrets())
    assert (str(address.name), address.ok) == ("LDAP address", True)
    assert (str(port.name), port.failed) == ("LDAP port", True)
    assert str(port.remedy)
    assert [str(step.name) for step in rest] == [
        "LDAP connection",
        "bind",
        "cn=config",
        "cn=monitor",
    ]
    assert not any(step.tried or step.ok or step.failed for step in rest)
    assert {str(step.text) for step in rest} == {"Not tried: it needs the step 'LDAP port'."}


@pytest.mark.posix("there no server is on this machine")
def test_what_needs_no_step_that_failed_is_tried(nobody):
    """The host is another half, and a log that the profile names needs no bind."""
    here = replace(nobody, local=True, access_log="/no/such/log")
    steps = {str(step.name): step for step in try_profile(here, Secrets())}
    assert not steps["bind"].tried
    assert steps["host login"].ok
    assert steps["iostat"].tried
    assert steps["access log"].failed
    steps = {
        str(step.name): step for step in try_profile(replace(here, access_log=None), Secrets())
    }
    assert str(steps["access log"].text) == "Not tried: it needs the step 'LDAP port'."


@pytest.mark.posix("there no server is on this machine")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("tail -n 0 -f /dev/null", "it is what 'tail -n 0 -f /dev/null' prints"),
        ("cat /no/such/log", "No such file"),
        ("echo that is all", "ended by itself: exit status 0"),
        ("no-such-program -f", "no-such-program"),
    ],
)
def test_a_log_command_is_tried_as_a_capture_reads_it(nobody, command, said, monkeypatch):
    """That its program is there does not say that it goes on and prints."""
    if not command.startswith("tail"):  # they end by themselves, however busy the machine is
        monkeypatch.setattr(check, "_COMMAND_S", 120.0)
    here = replace(nobody, local=True, log_command=command)
    steps = {str(step.name): step for step in try_profile(here, Secrets())}
    assert steps["access log"].ok is command.startswith("tail")
    assert said in str(steps["access log"].text)


def step(name: str, *, ok: bool = False, blocker: str = "") -> StepResult:
    return StepResult(verbatim(name), ok, verbatim("seen"), blocker=verbatim(blocker))


def test_steps_that_failed_are_listed_first_and_counted():
    steps = [step("a", ok=True), step("b"), step("c", blocker="b"), step("d", ok=True), step("e")]
    assert "".join(str(each.name) for each in by_urgency(steps)) == "becad"
    assert str(summary(steps)) == "2 of 5 steps failed. 1 was not tried."
    assert str(summary(steps[:2])) == "1 of 2 steps failed."
    assert str(summary([steps[0]] * 11)) == "All 11 steps work."


@pytest.fixture
def stranger(monkeypatch, tmp_path):
    """A profile of a host whose key nobody has accepted, and its key."""
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    key = paramiko.RSAKey.generate(2048)
    monkeypatch.setattr(host_keys, "shown_key", lambda _: key)
    monkeypatch.setattr(check, "_answers", lambda *_: verbatim("answers"))
    return Profile("stranger", "ldap://127.0.0.1:1", ssh=SshAddress("127.0.0.1", "u", 1)), key


def test_an_unknown_host_key_is_asked_about_and_remembered(stranger):
    profile, key = stranger
    asked = []

    def accept(error):
        asked.append(error.fingerprint)
        return len(asked) > 1

    def host_key():
        steps = try_profile(profile, Secrets(), accept_key=accept)
        return next(step for step in steps if str(step.name) == "SSH host key")

    assert host_key().failed
    assert "--host-key" in str(host_keys.UnknownHostKeyError("h", 1, "t", "k", "f").remedy)
    assert host_key().ok
    assert host_key().ok
    assert asked == [host_keys.fingerprint_of(key)] * 2
    assert host_keys.known_keys(profile.ssh)


def test_it_ends_before_the_next_step_when_cancelled_meanwhile(nobody):
    cancel, told = Cancel(), []

    def progress(report: Progress) -> None:
        told.append(report.text)
        cancel.set()

    with pytest.raises(CancelledError):
        try_profile(nobody, Secrets(), progress=progress, cancel=cancel)
    assert [str(each) for each in told] == ["Trying: LDAP address"]


def on_this_host(argv):
    """As a shell on the host, on which slapd runs as process 812; what is missing ends with 127."""
    if argv[0] == "pidof":
        return CommandResult(0, b"812\n", b"")
    try:
        done = subprocess.run(argv, capture_output=True, check=False, timeout=20)
    except FileNotFoundError:
        return CommandResult(127, b"", b"")
    return CommandResult(done.returncode, done.stdout, done.stderr)


@pytest.mark.posix("it is read on a host, with the programs of one")
@pytest.mark.parametrize(
    ("line", "proposed"),
    [
        ("Nov 30 10:00:01 ldap slapd[812]: conn=1000 fd=12 ACCEPT from IP=10.0.0.9:4", True),
        ("Nov 30 10:00:01 ldap cron[99]: conn=1000 is not of slapd", False),
        ("Nov 30 10:00:01 ldap slapd[45]: conn=1000 fd=12 closed, by one that ended", False),
    ],
)
def test_the_file_of_a_slapd_that_logs_through_syslog_is_proposed(
    line, proposed, tmp_path, monkeypatch
):
    file = tmp_path / "syslog"
    file.write_text(f"{line}\n")
    monkeypatch.setattr(check, "_SYSLOGS", (str(tmp_path / "none"), str(file)))

    def without_journal(argv):
        return CommandResult(1, b"", b"") if argv[0] == "journalctl" else on_this_host(argv)

    assert check.find_log(without_journal) == ({"access_log": str(file)} if proposed else {})


RULES = """\
# local4.* /var/log/not-this-one.log
*.*;auth,authpriv.none;local4.none -{folder}/syslog
local4.*    -{folder}/directory.log
if $programname == 'slapd' then action(type="omfile" file="{folder}/slapd.log")
"""


@pytest.mark.posix("it is read on a host, with the programs of one")
@pytest.mark.parametrize("name", ["directory.log", "slapd.log", "syslog"])
def test_the_files_of_rsyslogs_rules_are_looked_at(name, tmp_path, monkeypatch):
    rules = tmp_path / "rsyslog.d" / "slapd.conf"
    rules.parent.mkdir()
    rules.write_text(RULES.format(folder=tmp_path))
    monkeypatch.setattr(check, "_RSYSLOG", (str(tmp_path / "none"), str(rules.parent)))
    monkeypatch.setattr(check, "_SYSLOGS", ())
    file = tmp_path / name
    file.write_text("Nov 30 10:00:01 ldap slapd[812]: conn=1000 fd=12 closed\n")
    assert check.find_log(on_this_host) == {"access_log": str(file)}


def test_where_two_slapd_run_neither_log_is_proposed(tmp_path, monkeypatch):
    file = tmp_path / "syslog"
    file.write_text("Nov 30 10:00:01 ldap slapd[812]: conn=1000 fd=12 closed\n")
    monkeypatch.setattr(check, "_SYSLOGS", (str(file),))

    def two(argv):
        if argv[0] == "pidof":
            return CommandResult(0, b"812 813\n", b"")
        return CommandResult(0, file.read_bytes(), b"")

    assert check.find_log(two) == {}


def test_a_file_that_takes_too_long_to_read_is_not_proposed(monkeypatch):
    """The whole of a large one is not read, either."""
    monkeypatch.setattr(check, "_SYSLOGS", ("/var/log/syslog",))
    asked = []

    def slow(argv):
        asked.append(argv[:2])
        raise CommandError(Message("It took too long."))

    assert check.find_log(slow) == {}
    assert ["tail", "-c"] in asked


@pytest.mark.parametrize(
    ("record", "picks"),
    [
        ('{"_SYSTEMD_UNIT": "slapd.service", "MESSAGE": "conn=1"}', "-u slapd.service"),
        ('{"_SYSTEMD_UNIT": "slapd@a.service"}', "-u slapd@a.service"),
        ('{"_SYSTEMD_UNIT": "session-3.scope"}', "_COMM=slapd"),
        ('{"_SYSTEMD_UNIT": "-x.service"}', "_COMM=slapd"),
        ('{"_SYSTEMD_UNIT": "a.service /etc/shadow"}', "_COMM=slapd"),
        ('{"_SYSTEMD_UNIT": ["a.service"]}', "_COMM=slapd"),
        ('{"MESSAGE": "conn=1"}', "_COMM=slapd"),
        ("[1]", "_COMM=slapd"),
        ("no JSON", "_COMM=slapd"),
    ],
)
def test_the_journal_of_the_unit_is_proposed_where_no_file_has_its_lines(
    record, picks, monkeypatch
):
    monkeypatch.setattr(check, "_SYSLOGS", ())

    def journal(argv):
        answers = {"pidof": b"812\n", "journalctl": record.encode()}
        assert argv[0] != "journalctl" or "_PID=812" in argv
        return CommandResult(0, answers.get(argv[0], b""), b"")

    command = f"journalctl -f -n 0 -o short-unix {picks}"
    assert check.find_log(journal) == {"log_command": command}
    assert check.find_log(lambda _: CommandResult(0, b"", b"")) == {}
    assert check.find_log(lambda _: CommandResult(1, record.encode(), b"")) == {}


class _Link:
    """A connection over one socket."""

    encryption = None

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.closed = False

    def close(self) -> None:
        self.closed = True

    def search(self, *_: object, **__: object) -> list:
        return []


@pytest.fixture
def two_servers(monkeypatch, tmp_path):
    """Two sockets that ldapi:/// may mean, the links that were opened, and what each refuses."""
    paths = [tmp_path / "first", tmp_path / "second"]
    for path in paths:
        path.touch()
    links: list[_Link] = []
    refusals: dict[str, list[str]] = {"connect": [], "bind": []}

    def reach(profile, _):
        if profile.socket in refusals["connect"]:
            raise ConnectError(Message("Nobody listens."), remedy=Message("Start it."))
        links.append(_Link(profile))
        return links[-1]

    def identify(link, profile, _):
        assert link.profile == profile
        assert not link.closed
        if profile.socket in refusals["bind"]:
            raise AuthenticationError(Message("It is refused."), remedy=Message("Look it up."))

    monkeypatch.setattr(ldap_url, "_SOCKETS", tuple(map(str, paths)))
    monkeypatch.setattr(ldap, "reach", reach)
    monkeypatch.setattr(ldap, "identify", identify)
    monkeypatch.setattr(check, "announce", lambda _: None)
    return [*map(str, paths)], links, refusals


def found_socket(profile: Profile) -> tuple[bool, dict[str, str]]:
    """Whether the bind works, and what the steps would have stored."""
    steps = try_profile(profile, Secrets())
    settings = {name: value for step in steps for name, value in step.settings.items()}
    return next(step.ok for step in steps if str(step.name) == "bind"), settings


@pytest.mark.posix("there no server listens on a socket of the file system")
@pytest.mark.parametrize("refusal", ["connect", "bind"])
def test_the_socket_to_store_is_the_first_that_takes_the_login(two_servers, refusal):
    (first, second), links, refusals = two_servers
    profile = Profile("p", "ldapi:///")
    assert found_socket(profile) == (True, {"socket": first})
    refusals[refusal] = [first]
    assert found_socket(profile) == (True, {"socket": second})
    assert found_socket(replace(profile, socket=second)) == (True, {})
    assert found_socket(replace(profile, socket=first)) == (False, {})
    refusals[refusal] = [first, second]
    assert found_socket(profile) == (False, {})
    assert all(link.closed for link in links)
