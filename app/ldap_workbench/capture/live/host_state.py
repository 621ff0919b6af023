"""The server's process as its kernel sees it: pressure, limits and threads, once a second.

iostat on the server's host, streamed while the window lasts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ldap_workbench.capture.host_link import SILENCE_S, HostLink
from ldap_workbench.capture.link import Either
from ldap_workbench.capture.live.source import SampleGaps, SourceMissingError, why_of
from ldap_workbench.connect.commands import HostScript, host_path
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.logs.host.diskstats import DiskstatsReader
from ldap_workbench.logs.host.iostat import IostatReader
from ldap_workbench.logs.host.state import POOL_UNREADABLE, HostStateReader
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Sample, Source, SourceState

_BEAT_S = 1.0
_NO_PID = "/proc/self/none"
"""Where the server does not tell its pid file: pressure and steal are read all the same."""
# $1 the pid file, $2 the thread-pool file of 389 DS or -, $3 seconds between two ticks, $4 a folder
# on the command line of the server or -: the login may not enter the folder of the pid file of 389
# DS, or another than its unit has named it. Of the pid file only digits count, of the other only a
# file that begins with its magic: who could name another file in the server's configuration has
# nothing of it shown. Run as the login: /proc and cgroups are open to all.
STATE = HostScript(
    "host-state",
    """\
renice -n 19 -p $$ >/dev/null 2>&1
pid= limits= page=$(getconf PAGESIZE)
by_folder() {
  case "$1" in /*) for f in $(grep -l -F -e "$1" /proc/[0-9]*/cmdline); do
    read -r name <"${f%cmdline}comm"
    case "$name" in ns-slapd|java) f=${f%/cmdline}; echo "${f#/proc/}"; return;; esac
  done;; esac
}
while :; do
  group= inner=
  if [ -z "$pid" ] || ! [ -d "/proc/$pid" ]; then
    read -r pid <"$1" || pid=$(by_folder "$4")
    case "$pid" in *[!0-9]*) pid=;; esac
    [ -z "$pid" ] || limits=$(grep '^Max open files' "/proc/$pid/limits")
  fi
  if [ -n "$pid" ] && [ -r "/proc/$pid/cgroup" ]; then
    while IFS=: read -r number controllers path; do
      case "$number,$controllers," in
        0,,) group=$path;;
        *,cpu,*) inner=$path;;
      esac
    done <"/proc/$pid/cgroup"
  fi
  read -r up _ </proc/uptime
  echo "@ $up"
  printf '%s\\n' "pid:$pid" "page:$page" "limits:$limits"
  grep -H '^cpu ' /proc/stat
  grep -H . /proc/pressure/cpu /proc/pressure/io /proc/pressure/memory
  [ -z "$group" ] || for f in cpu.stat cpu.max memory.current memory.max; do
    grep -H . "/sys/fs/cgroup$group/$f"
  done
  [ -z "$inner" ] || for f in cpu.stat cpu.cfs_quota_us cpu.cfs_period_us; do
    grep -H . "/sys/fs/cgroup/cpu$inner/$f"
  done
  [ -z "$pid" ] || \\
    grep -H . /proc/"$pid"/statm /proc/"$pid"/task/[0-9]*/stat /proc/"$pid"/task/[0-9]*/schedstat
  case "$2" in /*) case "$(head -c 8 "$2" | tr -d '\\0')" in 1TSLOOPT|TPOOLST1)
    printf 'threadpool:%s\\n' "$(head -c 300000 "$2" | base64 | tr -d '\\n')";; esac
    if [ -d "${2%/*}" ] && ! [ -r "$2" ]; then echo threadpool:unreadable; fi;;
  esac
  echo . || exit
  sleep "$3"
done 2>/dev/null
""",
    as_login=True,
)


def sample_host_state(
    link: HostLink,
    source: Source,
    facts: TargetFacts,
    now_ns: Callable[[], int],
    on_samples: Callable[[list[Sample]], None],
    stop: Cancel,
) -> Source:
    """Hand on what the kernel tells until stopped, over cuts. Returns the finished source."""
    gaps = SampleGaps(link, _BEAT_S, now_ns())
    link.cancel = Either(link.cancel, stop)
    clock = Uptime(now_ns)
    ticks: set[int] = set()
    kinds: set[str] = set()

    def run() -> CommandResult:
        reader = HostStateReader(clock)

        def take(data: bytes) -> None:
            samples = reader.feed(data)
            for time_ns in sorted({sample.time_ns for sample in samples} - ticks):
                gaps.sampled(time_ns)
                ticks.add(time_ns)
            kinds.update(reader.kinds)
            on_samples(samples)

        pid_file = host_path(facts.pid_file or _NO_PID)
        pool = host_path(facts.thread_pool_file) if facts.thread_pool_file else "-"
        folder = host_path(facts.config_folder) if facts.config_folder else "-"
        argv = STATE.argv(pid_file, pool, 1, folder)
        result = link.flow(argv, take, stop, SILENCE_S, sudo=False)
        if not stop:
            raise ConnectError(
                Message("The script that reads /proc was ended on the host."),
                remedy=Message("See on the host what ended it."),
            )
        return result

    try:
        link.again(run)
    except ConnectError as error:
        done = replace(source, state=SourceState.FAILED, why=why_of(error), samples=len(ticks))
        return gaps.with_gaps(done)
    state = SourceState.COMPLETE if ticks else SourceState.MISSING
    done = replace(source, state=state, why=_lacking(kinds), samples=len(ticks))
    return gaps.with_gaps(done)


def _lacking(kinds: set[str]) -> Message:
    """What this kernel, or this login, does not show."""
    lacks = []
    if "psi" not in kinds:
        lacks.append(Message("pressure (kernel 4.20 and later, not with psi=0)"))
    if "thread" not in kinds:
        lacks.append(Message("threads (the server's process was not found by its pid file)"))
    if POOL_UNREADABLE in kinds:
        lacks.append(
            Message(
                "the pool of workers (this login may not read it: add it to the server's group)"
            )
        )
    if not lacks:
        return NOTHING
    return Message("The host does not show {lacks:and}.", lacks=tuple(lacks))


class Uptime:
    """Both clocks run on, so the first pair of times tells all others."""

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self._zero_ns: int | None = None

    def __call__(self, up_s: float) -> int:
        passed = round(up_s * NS_PER_S)
        if self._zero_ns is None:
            self._zero_ns = self._now_ns() - passed
        return self._zero_ns + passed


# Without -t there is no time, without -y the first report covers the time since boot.
IOSTAT = ("env", "S_TIME_FORMAT=ISO", "LC_ALL=C", "iostat", "-x", "-y", "-t", "-o", "JSON", "1")
# For a host without iostat, and one without JSON: busybox, sysstat before 11.5.1.
PROC = (
    "sh",
    "-c",
    """\
[ -r /proc/diskstats ] || exit 127
while :; do
  read -r up _ </proc/uptime
  echo "@ $up"
  echo block: $(ls /sys/block)
  cat /proc/diskstats
  grep '^cpu ' /proc/stat
  echo . || exit
  sleep 1
done
""",
)
_NOT_FOUND = 127
_SIGNALLED = 128


def sample_iostat(
    link: HostLink,
    source: Source,
    now_ns: Callable[[], int],
    on_samples: Callable[[list[Sample]], None],
    stop: Cancel,
) -> Source:
    """Hand on the reports of iostat until stopped, over cuts. Returns the finished source."""
    reports: set[int] = set()
    uptime = Uptime(now_ns)
    gaps = SampleGaps(link, _BEAT_S, now_ns())
    link.cancel = Either(link.cancel, stop)

    def run(argv: tuple[str, ...] = IOSTAT) -> CommandResult:
        reader = IostatReader() if argv == IOSTAT else DiskstatsReader(uptime)

        def take(data: bytes) -> None:
            samples = reader.feed(data)
            for time_ns in sorted({sample.time_ns for sample in samples} - reports):
                gaps.sampled(time_ns)
                reports.add(time_ns)
            on_samples(samples)

        result = link.flow(argv, take, stop, SILENCE_S, sudo=False)
        if result.status > _SIGNALLED:
            raise ConnectError(
                Message("iostat was ended on the host."),
                remedy=Message("See on the host what ended it."),
            )
        return result

    def finished(state: SourceState, why: Message = NOTHING) -> Source:
        return gaps.with_gaps(replace(source, state=state, why=why, samples=len(reports)))

    try:
        result = link.again(run)
        said = result.stderr.decode("utf-8", "replace").strip()
        if not stop and not reports:
            result = link.again(lambda: run(PROC))
    except ConnectError as error:
        return finished(SourceState.FAILED, why_of(error))
    if result.status == _NOT_FOUND:
        raise SourceMissingError(
            Message("The host has neither iostat nor /proc/diskstats."),
            remedy=Message("Install the package sysstat there."),
        )
    if stop:
        return finished(SourceState.COMPLETE)
    why = Message("iostat ended by itself: {why}", why=said)
    return finished(SourceState.FAILED, why)
