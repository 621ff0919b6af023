"""A host whose iostat knows no JSON gives its disk figures all the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ldap_workbench.capture.disk import sample_iostat
from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import Sample, Source, SourceKind, SourceState

SAID = b"iostat: unrecognized option: o"


class Busybox(LocalShell):
    """This machine with an iostat that refuses."""

    def stream(
        self,
        argv: Sequence[str],
        on_bytes: Callable[[bytes], None],
        *,
        cancel: Cancel,
        sudo: bool = False,
    ) -> CommandResult:
        if "iostat" in argv:
            return CommandResult(1, b"", SAID)
        return super().stream(argv, on_bytes, cancel=cancel, sudo=sudo)


def test_its_disks_are_read_from_proc() -> None:
    link, stop, samples = HostLink(Busybox, Cancel(), 1.0), Cancel(), list[Sample]()
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
    assert abs(samples[0].time_ns - time.time_ns()) < 10 * 10**9
