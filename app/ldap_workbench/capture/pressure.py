"""Pressure stall information of a Linux host: how long processes waited for what they need.

The kernel counts microseconds in which some process, or all of them, waited for processors, disk or
memory (Documentation/accounting/psi.rst): two readings tell the exact share of a window. Kernels
before 4.20 have none.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.window import Sample

RESOURCES = ("cpu", "io", "memory")
COMMAND = ["head", "-n", "2", *(f"/proc/pressure/{name}" for name in RESOURCES)]
_HEADING = re.compile(r"==> /proc/pressure/(\w+) <==")
_TOTAL = re.compile(r"(some|full) .*\btotal=(\d{1,18})$")


def read_pressure(link: HostLink, now_ns: Callable[[], int]) -> list[Sample]:
    """'pressure:cpu:some' and the like in microseconds.

    None where the host has no such files, or the link is cut.
    """
    try:
        told = link.run_once(COMMAND).stdout
    except WorkbenchError:
        return []
    return pressures(told.decode("ascii", "replace"), now_ns())


def pressures(text: str, time_ns: int) -> list[Sample]:
    """The totals that `head` prints of several such files."""
    samples: list[Sample] = []
    resource = ""
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            resource = heading[1]
        elif resource and (total := _TOTAL.match(line)):
            samples.append(Sample(time_ns, f"pressure:{resource}:{total[1]}", float(total[2])))
    return samples
