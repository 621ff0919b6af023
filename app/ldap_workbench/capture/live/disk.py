"""iostat on the server's host, streamed while the window lasts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ldap_workbench.capture.host_link import SILENCE_S, HostLink
from ldap_workbench.capture.link import Either
from ldap_workbench.capture.live.gaps import SampleGaps
from ldap_workbench.capture.live.host_state import Uptime
from ldap_workbench.capture.live.source import SourceMissingError, why_of
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.logs.host.diskstats import DiskstatsReader
from ldap_workbench.logs.host.iostat import IostatReader
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import Sample, Source, SourceState

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
_BEAT_S = 1.0


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
