"""Real SSH: the workbench's own shell, and its ways to read logs, on the practice host."""

import itertools
import stat
import time

import paramiko
import pytest

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.live.follow import LogFollower
from ldap_workbench.capture.live.host_state import IOSTAT
from ldap_workbench.logs.host.iostat import IostatReader
from ldap_workbench.model.progress import Cancel
from ldap_workbench.practice.address import USER
from ldap_workbench.practice.host.files import LOGS, READ_AHEAD

ACCESS = f"{LOGS}/access"


@pytest.fixture
def shell(target):
    return target.shell


def test_facts_of_the_host_are_told(target):
    facts = target.facts
    assert (facts.cores, facts.device, facts.instance) == (4, "vda", "practice")
    assert facts.ram_bytes == 8 << 30
    assert facts.simulated
    assert facts.clock_rate == 20
    assert facts.unknown == {}
    assert [backend.name for backend in facts.backends] == ["userRoot"]


def test_the_clock_runs_at_its_rate(target, server):
    def deviation_ns():
        """Beyond what passed between two looks at the server's own clock."""
        before, now, after = (clock() for clock in (own, target.now_ns, own))
        return max(before - now, now - after, 0)

    own = server.engine.clock.now_ns
    limit = 0.1e9 + target.clock.error_ns * target.clock.rate
    assert deviation_ns() < limit
    time.sleep(0.2)
    assert deviation_ns() < limit


def test_logs_need_sudo(shell):
    assert shell.run(["cat", ACCESS]).status == 1
    assert b"Permission denied" in shell.run(["cat", ACCESS]).stderr
    assert shell.run(["head", "-c", "15", ACCESS], sudo=True).stdout == b"\t389-Directory/"


def test_the_log_is_followed_without_losing_a_byte(shell, server):
    follower = LogFollower(HostLink(lambda: shell, Cancel(), 0.0), ACCESS)
    real = server.folder / "logs" / "access"
    earliest = real.stat().st_size
    follower.start()
    latest = real.stat().st_size
    found = b""
    limit = time.monotonic() + 60
    while len(found) < 100_000 and time.monotonic() < limit:
        time.sleep(0.1)
        found += follower.read()
    assert len(found) >= 100_000
    begin = real.read_bytes().find(found)
    assert earliest <= begin <= latest


def test_iostat_is_streamed_until_stopped(shell):
    reader, stop, samples = IostatReader(), Cancel(), []

    def take(data):
        samples.extend(reader.feed(data))
        if len({sample.time_ns for sample in samples}) >= 5:
            stop.set()

    shell.stream(IOSTAT, take, cancel=stop)
    times = sorted({sample.time_ns for sample in samples})
    # a busy machine may skip a report, but a report always ends on its second
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert gaps
    assert all(gap % 10**9 == 0 for gap in gaps)
    written = [s.value for s in samples if s.series == "iostat:vda:w/s"]
    assert all(50 < value < 2000 for value in written)


def test_kernel_files_are_checked_and_work_at_once(shell, server):
    assert shell.run(["cat", READ_AHEAD]).stdout == b"128\n"
    assert shell.run(["tee", READ_AHEAD], stdin=b"16\n").status == 1
    assert shell.run(["tee", READ_AHEAD], stdin=b"much\n", sudo=True).status == 1
    assert shell.run(["tee", READ_AHEAD], stdin=b"16\n", sudo=True).status == 0
    assert server.engine.knobs.read_ahead_kb == 16
    shell.run(["tee", READ_AHEAD], stdin=b"128\n", sudo=True)
    scheduler = "/sys/block/vda/queue/scheduler"
    assert shell.run(["tee", scheduler], stdin=b"none\n", sudo=True).status == 0
    assert shell.run(["cat", scheduler]).stdout == b"[none] mq-deadline kyber bfq\n"


def test_unknown_commands_are_127_and_remembered(shell, server):
    server.commands.unknown.clear()
    assert shell.run(["pstack", "1"], sudo=True).status == 127
    assert server.commands.unknown == ["pstack 1"]


def test_sftp_sees_what_a_plain_user_may(server):
    transport = paramiko.Transport(("127.0.0.1", server.address.ssh_port))
    transport.connect(username=USER, password=server.address.password)
    sftp = paramiko.SFTPClient.from_transport(transport)
    assert b"MemTotal" in sftp.open("/proc/meminfo").read()
    assert "dirsrv" in sftp.listdir("/var/log")
    assert stat.S_ISDIR(sftp.stat("/var/log/dirsrv").st_mode)
    with pytest.raises(PermissionError):
        sftp.open(ACCESS)
    with pytest.raises(OSError):
        sftp.open("/proc/new", "w").write("x")
    transport.close()


def test_a_wrong_password_and_another_user_are_refused(server):
    for user, password in ((USER, "wrong"), ("root", server.address.password)):
        transport = paramiko.Transport(("127.0.0.1", server.address.ssh_port))
        with pytest.raises(paramiko.AuthenticationException):
            transport.connect(username=user, password=password)
        transport.close()


def test_the_page_cache_is_dropped_by_root_alone(shell):
    drop = ["tee", "/proc/sys/vm/drop_caches"]
    assert shell.run(["sync"]).status == 0
    assert shell.run(drop, stdin=b"3\n").status != 0
    assert shell.run(drop, sudo=True).status == 0
    assert shell.run(["cat", drop[1]]).stdout == b"0\n"
    assert shell.run(drop, stdin=b"3\n", sudo=True).status == 0
