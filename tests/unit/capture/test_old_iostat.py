"""A host without iostat, or with one that knows no JSON, gives its disk figures all the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import pytest

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.live.host_state import sample_iostat
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import Sample, Source, SourceKind, SourceState

REFUSED = CommandResult(1, b"", b"iostat: unrecognized option: o")
ABSENT = CommandResult(127, b"", b"env: can't execute 'iostat': No such file or directory")


class Busybox(LocalShell):
    """This machine, with an iostat that ends like this."""

    def __init__(self, ended: CommandResult) -> None:
        super().__init__()
        self._ended = ended

    def stream(
        self,
        argv: Sequence[str],
        on_bytes: Callable[[bytes], None],
        *,
        cancel: Cancel,
        sudo: bool = False,
    ) -> CommandResult:
        if "iostat" in argv:
            return self._ended
        return super().stream(argv, on_bytes, cancel=cancel, sudo=sudo)


@pytest.mark.parametrize("ended", [REFUSED, ABSENT], ids=["no JSON", "no iostat"])
def test_its_disks_are_read_from_proc(ended: CommandResult) -> None:
    link, stop, samples = HostLink(lambda: Busybox(ended), Cancel(), 1.0), Cancel(), list[Sample]()
    source = Source(1, 1, SourceKind.IOSTAT, "iostat", SourceState.MISSING)

    def take(found: list[Sample]) -> None:
        samples.extend(found)
        if samples:
            stop.set()

    link.open()
    try:
        done = sample_iostat(link, source, time.time_ns, take, stop)
    finally:
        link.close()
    assert done.state is SourceState.COMPLETE, done.why
    assert done.samples >= 1
    assert "iostat:cpu:idle" in {sample.series for sample in samples}
    # Where its time zone is misread it is off by an hour.
    assert abs(samples[0].time_ns - time.time_ns()) < 120 * 10**9
