"""Whatever fails in a window, the line, the server or its files: nothing is lost, or it is said."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing
from dataclasses import replace

import pytest

from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.operations import client_operations
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import SourceKind, SourceState
from ldap_workbench.servers.target import connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.faults.proxy import Proxy
from tests.live.capture.test_capture import reference
from tests.live.lab.steps import configured, load, meanwhile, steady_load, until, workbench

LONGEST_S = 100
"""Of a window that is ended when its faults are over."""


class Lines:
    """The lines to a lab's sshd and to its directory server."""

    def __init__(self, ssh, ldap):
        self.both = (self.ssh, self.ldap) = ssh, ldap
        self.failed_at = 0.0

    def cut(self):
        self.each(lambda line: line.cut(refuse=True))

    def drop(self):
        self.each(lambda line: line.drop())

    def heal(self):
        self.each(lambda line: line.heal())

    def limit(self, rate):
        self.each(lambda line: line.limit(down=rate))

    def each(self, work):
        self.failed_at = time.monotonic()
        for line in self.both:
            work(line)


@pytest.fixture
def lines(lab):
    with Proxy(lab.sshd.port) as ssh, Proxy(lab.port) as ldap:
        yield Lines(ssh, ldap)


@pytest.fixture
def far(lab, lines, tmp_path):
    """The lab as a target behind both lines."""
    profile = replace(
        lab.profile,
        ldap_url=f"ldap://127.0.0.1:{lines.ldap.port}",
        ssh=replace(lab.profile.ssh, port=lines.ssh.port),
    )
    known = tmp_path / "home" / "config" / "known_hosts"
    with known.open("a") as file:
        file.write(f"[127.0.0.1]:{lines.ssh.port} {lab.sshd.host_key}\n")
    target = connect(profile, Secrets())
    yield target
    target.close()


class Captured:
    def __init__(self, path, window, told, live):
        self.window, self.told, self.live = window, told, live
        with Session.open(path) as session:
            operations = session.operations(window)
            self.sources = {source.kind: source for source in session.sources(window.id)}
            self.polls, _ = session.samples(window, "cn=snmp,cn=monitor:searchops")
        mine = client_operations(operations)
        pairs = zip(operations.conn[mine].tolist(), operations.op[mine].tolist(), strict=True)
        self.found = set(pairs)
        assert len(self.found) == int(mine.sum()), "doubled"
        self.access = self.sources[SourceKind.ACCESS_LOG]
        self.monitor = self.sources[SourceKind.MONITOR]
        self.iostat = self.sources[SourceKind.IOSTAT]


def captured(target, tmp_path, rest, *faults, live=None, **words):
    """A window of the target that ends `rest` seconds after the last of its faults.

    `faults` are (wait, work), done one after the other: a wait is of so many seconds, or for
    something that has to come. What it tells meanwhile goes into `live`.
    """
    path, told, live = tmp_path / "s.ldapwb", [], [] if live is None else live
    began, over = threading.Event(), Cancel()

    def tell(report):
        told.append((time.monotonic(), str(report.text)))
        if str(report.text).startswith("Measuring"):
            began.set()

    def fail():
        try:
            assert began.wait(120), "the window did not begin"
            for wait, work in faults:
                time.sleep(wait) if isinstance(wait, int) else until(wait)
                work()
            time.sleep(rest)
        finally:
            over.set()

    with meanwhile(fail), SessionWriter.create(path, target.facts) as writer:
        window = capture(
            target,
            writer,
            CapturePlan(LONGEST_S, **words),
            progress=tell,
            on_live=lambda batch: live.append((time.monotonic(), batch)),
            end=over,
        )
    return Captured(path, window, told, live)


AT_ONCE = {"nsslapd_accesslog_logbuffering": "off"}
"""The log has an operation at once, also of a client that asks for little."""


def all_of(lab, done, least=5_000):
    expected = reference(lab.access_log.parent, done.window)
    assert len(expected) > least
    assert done.access.state is SourceState.COMPLETE, done.access.why
    assert len(expected - done.found) == 0, f"{len(expected - done.found)} lost"
    assert len(done.found - expected) == 0


@pytest.mark.clock("the fault lasts for seconds of a window under real load")
def test_a_cut_of_five_seconds_loses_no_operation(lab, far, lines, tmp_path):
    with configured(far, **AT_ONCE), steady_load(lab, "search", 60, rate=1000):
        done = captured(far, tmp_path, 3, (2, lines.cut), (5, lines.heal))
        far.reconnect()
    all_of(lab, done, least=1_000)
    assert done.access.state is SourceState.COMPLETE, done.access.why
    assert done.access.details["cuts"] == 1
    assert 4 < done.access.details["cut_s"] < 10
    for source in (done.monitor, done.iostat):
        assert source.state is SourceState.PARTIAL
        assert "No samples for" in str(source.why)
        [(start, end)] = source.details["sample_gaps"]
        assert 4 < (end - start) / 1e9 < 12
        assert source.details["cuts"] == 1
    assert any("the link has been cut for" in str(batch.note) for _, batch in done.live)


@pytest.mark.clock("the fault lasts for seconds of a window under real load")
def test_a_half_open_line_is_noticed_and_nothing_is_lost(lab, far, lines, tmp_path):
    live = []

    def noticed():
        return any("been cut for" in str(batch.note) for _, batch in live)

    with configured(far, **AT_ONCE), steady_load(lab, "search", 90):
        done = captured(far, tmp_path, 2, (2, lines.drop), (noticed, lines.heal), live=live)
    all_of(lab, done, least=1_000)
    assert done.access.state is SourceState.COMPLETE, done.access.why
    assert done.access.details["cuts"] >= 1
    assert done.monitor.state is SourceState.PARTIAL


@pytest.mark.clock("the fault lasts for seconds of a window under real load")
def test_a_link_that_stays_cut_is_given_up_and_said(lab, far, lines, tmp_path):
    live = []

    def many():
        return sum(batch.operations for _, batch in live) > 300

    with configured(far, **AT_ONCE), steady_load(lab, "search", 40, rate=400):
        done = captured(far, tmp_path, 5, (many, lines.cut), live=live, patience_s=3)
        lines.heal()
    assert done.access.state is SourceState.PARTIAL
    assert "cannot be reached" in str(done.access.why)
    assert done.access.details["cut_off"]
    # Fewer than came live: those at work when the window began are not its own.
    assert len(done.found) > 100
    assert done.monitor.state is SourceState.FAILED
    assert done.monitor.samples


@pytest.mark.full  # cut and half open lines, and rotation while cut, are in every run
@pytest.mark.clock("the load has to write its log faster than the link carries it")
def test_a_slow_link_is_said_packed_and_brings_everything(lab, far, lines, tmp_path):
    with load(lab, "search", 90):
        done = captured(far, tmp_path, 15, (2, lambda: lines.limit(400_000)))
    all_of(lab, done)
    assert done.access.state is SourceState.COMPLETE, done.access.why
    assert done.access.details["packed_with"] in ("zstd", "gzip")


@pytest.mark.full
@pytest.mark.clock("the load has to write its log faster than the link carries it")
def test_a_link_slower_than_the_packed_log_says_so_and_ends_complete_later(
    lab, far, lines, tmp_path
):
    with load(lab, "search", 40):
        done = captured(far, tmp_path, 12, (2, lambda: lines.limit(250_000)))
    all_of(lab, done)
    assert done.access.state is SourceState.COMPLETE, done.access.why
    said = [at for at, batch in done.live if str(batch.note).startswith("the link carries")]
    assert said
    assert said[0] - lines.failed_at < 25, "on its way are 4 MB in the proxy alone, 16 s"
    assert any(text.startswith("Fetching the rest, ") for _, text in done.told)


@pytest.mark.full
@pytest.mark.clock("the fault lasts for seconds of a window under real load")
def test_two_seconds_each_way_do_not_matter(lab, far, lines, tmp_path):
    lines.each(lambda line: line.delay(up=2.0, down=2.0))
    began, searching = time.monotonic(), ExitStack()
    with searching:
        search = lambda: searching.enter_context(load(lab, "search", 20))  # noqa: E731
        done = captured(far, tmp_path, 10, (0, search))
        lines.heal()
    all_of(lab, done, least=1_000)
    assert done.access.details["cuts"] == 0
    assert done.monitor.state is SourceState.COMPLETE, done.monitor.why
    started, _ = next(each for each in done.told if each[1].startswith("Measuring"))
    assert started - began < 90, "three logins and their commands, one after the other, are 150 s"


# They are rotated more than once in a second, by which the server names them.
SMALL = {
    "nsslapd_accesslog_maxlogsize": "2",
    "nsslapd_accesslog_maxlogsperdir": "100",
    "nsslapd_accesslog_logmaxdiskspace": "2000",
}


class Rotated:
    """The files that a server rotates while its lines are cut, the oldest first."""

    def __init__(self, lab, lines):
        self._folder, self._lines = lab.access_log.parent, lines
        self._before = []

    def cut(self):
        self._before = self.all()
        self._lines.cut()

    def all(self):
        return sorted(p for p in self._folder.glob("access.2*") if not p.name.endswith(".gz"))

    def new(self):
        return [path for path in self.all() if path not in self._before]

    def three(self):
        return len(self.new()) >= 3


@pytest.mark.clock("the load has to fill several logs while the link is cut")
def test_files_rotated_and_packed_while_the_link_is_cut_are_read_whole(lab, far, lines, tmp_path):
    files = Rotated(lab, lines)

    def pack():
        # A server that rotates again within the second takes the name of a file packed meanwhile.
        subprocess.run(["gzip", *files.new()[:-1]], check=True)
        lines.heal()

    with configured(far, **SMALL), load(lab, "search", 60):
        done = captured(far, tmp_path, 1, (1, files.cut), (files.three, pack))
        far.reconnect()
    for path in lab.access_log.parent.glob("access.2*.gz"):
        subprocess.run(["gunzip", path], check=True)
    all_of(lab, done)
    assert done.access.state is SourceState.COMPLETE, done.access.why
    assert done.access.details["rotations"] >= 2


@pytest.mark.full  # one between others is in every run, and harder to see
@pytest.mark.clock("the load has to fill several logs while the link is cut")
def test_a_rotated_file_deleted_unread_is_a_gap(lab, far, lines, tmp_path):
    """All that were rotated go, as a server deletes them: the oldest first, ours among them."""
    files = Rotated(lab, lines)

    def delete():
        for path in files.all():
            path.unlink()
        lines.heal()

    with configured(far, **SMALL), load(lab, "search", 60):
        done = captured(far, tmp_path, 1, (1, files.cut), (files.three, delete))
        far.reconnect()
    assert done.access.state is SourceState.PARTIAL, done.access.why
    assert str(done.access.why).startswith("a rotated file was gone before it could be read")
    assert done.access.details["gaps"] == 1


@pytest.mark.clock("the load has to fill several logs while the link is cut")
def test_a_rotated_file_deleted_between_others_is_a_gap(lab, far, lines, tmp_path):
    """Ours is there, and so are later ones: only the numbers of operations tell."""
    files = Rotated(lab, lines)

    def delete():
        files.new()[1].unlink()
        lines.heal()

    with configured(far, **SMALL), load(lab, "search", 60):
        done = captured(far, tmp_path, 1, (1, files.cut), (files.three, delete))
        far.reconnect()
    assert done.access.state is SourceState.PARTIAL, done.access.why
    assert done.access.details["gaps"] == 1
    [lost] = done.access.details["missing"]
    assert lost["operations"] > 1000
    assert f"at least {lost['operations']:,} operations between " in str(done.access.why)


@pytest.mark.full  # test_openldap.py has a server that is down for some seconds in every run
@pytest.mark.clock("the fault lasts for seconds of a window under real load")
def test_a_server_that_dies_and_comes_back_in_mid_window(lab, far, tmp_path):
    with configured(far, **AT_ONCE), steady_load(lab, "search", 20):  # which ends with the server
        done = captured(far, tmp_path, 5, (2, lab.stop_server), (1, lab.start_server))
    assert done.access.state is SourceState.COMPLETE, done.access.why
    assert done.monitor.state is SourceState.PARTIAL
    assert done.monitor.details["cuts"] >= 1
    assert done.iostat.state is SourceState.COMPLETE
    assert len(done.polls) > 5


_SHIFTED = """
import datetime, functools, os, subprocess, sys

log, flag, seconds = sys.argv[1:]
step = datetime.timedelta(seconds=int(seconds))
form = "[%d/%b/%Y:%H:%M:%S"

@functools.lru_cache
def moved(stamp):
    return (datetime.datetime.strptime(stamp, form) + step).strftime(form)

tail = subprocess.Popen(["tail", "-n", "0", "-F", log], stdout=subprocess.PIPE, text=True)
for number, line in enumerate(tail.stdout):
    if number == 20:
        open(flag + ".ready", "w").close()
    is_set = line.startswith("[") and os.path.exists(flag)
    print(moved(line[:21]) + line[21:] if is_set else line, end="", flush=True)
"""
"""Prints a log as it is written; its clock is set once there is a file named `flag`, which may be
made as soon as there is one that is ready for it."""


@pytest.mark.parametrize("seconds", [-30, pytest.param(30, marks=pytest.mark.full)])
def test_a_clock_that_is_set_in_mid_window_is_said_with_its_moment(lab, tmp_path, seconds):
    script, flag = tmp_path / "shifted.py", tmp_path / "flag"
    ready = tmp_path / "flag.ready"
    script.write_text(_SHIFTED)
    words = (sys.executable, "-u", str(script), str(lab.access_log), str(flag), str(seconds))
    target = connect(replace(lab.profile, log_command=shlex.join(words)), Secrets())
    with closing(target), configured(target, **AT_ONCE):
        done = captured(target, tmp_path, 2, (ready.exists, flag.touch))
    assert done.access.state is SourceState.PARTIAL
    direction = "back" if seconds < 0 else "forward"
    assert f"clock was set {direction} by" in str(done.access.why)
    step = done.access.details["clock_step"]
    assert step["step_ns"] / 1e9 == pytest.approx(seconds, abs=3)
    assert done.window.start_ns - 60e9 < step["after_ns"] < done.window.end_ns


@pytest.mark.clock("the fault lasts for seconds of a window under real load")
def test_a_workbench_that_was_stopped_goes_on_where_it_was(lab, tmp_path, far):
    """SIGSTOP of the command, as a laptop that sleeps."""
    path = tmp_path / "s.ldapwb"
    ProfileStore().add(lab.profile)
    words = ["capture", "lab", "-o", str(path), "--seconds", "11", "--json"]
    argv = [sys.executable, "-m", "ldap_workbench", *words]
    with configured(far, **AT_ONCE), steady_load(lab, "search", 80):
        process = subprocess.Popen(
            argv,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        for line in process.stderr:
            if line.startswith("Measuring"):
                break
        time.sleep(2.5)  # between two polls: one in flight is a slow answer, not a gap
        process.send_signal(signal.SIGSTOP)
        time.sleep(6)
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=200)
    told = json.loads(out)
    with Session.open(path) as session:
        [window] = session.windows()
        operations = session.operations(window)
    mine = client_operations(operations)
    found = set(zip(operations.conn[mine].tolist(), operations.op[mine].tolist(), strict=True))
    assert found == reference(lab.access_log.parent, window)
    sources = {source["kind"]: source for source in told["sources"]}
    assert sources["access log"]["state"] == "complete", err
    assert sources["monitor"]["state"] == "partial"
    assert process.returncode == 1


@pytest.mark.clock("it measures how much of a processor each source costs")
def test_the_commands_agree_and_say_what_a_window_lacks(lab, far, tmp_path):
    ProfileStore().add(lab.profile)
    path = str(tmp_path / "s.ldapwb")
    with configured(far, **AT_ONCE), steady_load(lab, "search", 60, rate=1000):
        done = workbench("capture", "lab", "-o", path, "--seconds", "6", "--json")
    assert done.returncode == 0, done.stderr
    captured = json.loads(done.stdout)
    [window] = json.loads(workbench("windows", path, "--json").stdout)
    [tails] = [
        t for t in json.loads(workbench("tails", path, "--json").stdout) if t["type"] == "ALL"
    ]
    assert captured["operations"] == window["operations"] == tails["n"] > 100
    for key in ("state", "samples", "lines"):
        assert [s[key] for s in captured["sources"]] == [s[key] for s in window["sources"]]
    [log] = [s for s in window["sources"] if s["kind"] == "access log"]
    assert log["lines"] == tails["log"]["lines"]
    assert captured["cost"] == window["cost"]
    assert "of one processor" in window["cost"]
    shares = {s["kind"]: s["details"].get("host_processor_share") for s in window["sources"]}
    for kind in ("access log", "error log", "iostat"):
        assert 0 <= shares[kind] < 0.2
    assert sum(filter(None, shares.values())) > 0
    text = workbench("windows", path).stdout
    assert f"{window['operations']:,} operations" in text
    report = tmp_path / "r.md"
    assert workbench("report", path, "-o", str(report)).returncode == 0
    assert f"{window['operations']:,}" in report.read_text()


def test_a_source_that_is_wanted_and_missing_ends_with_1(lab, far, tmp_path):
    ProfileStore().add(replace(lab.profile, ssh=None))
    path = str(tmp_path / "s.ldapwb")
    done = workbench("capture", "lab", "-o", path, "--seconds", "2")
    assert done.returncode == 1
    assert "The access log source is missing: " in done.stderr
    assert "access log missing" in workbench("windows", path).stdout.splitlines()[0]
    without = [w for n in ("access-log", "error-log", "iostat", "host") for w in ("--without", n)]
    path = str(tmp_path / "t.ldapwb")
    done = workbench("capture", "lab", "-o", path, "--seconds", "2", *without)
    assert done.returncode == 0, done.stderr
