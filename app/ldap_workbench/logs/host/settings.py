"""Settings of a Linux host as its files and sysctl print them -> knob names and values.

| text | knob |
|---|---|
| /sys/block/DEVICE/queue/scheduler: `noop [cfq]` | io-scheduler, io-scheduler@DEVICE |
| sched_features, sched/features: `GENTLE_FAIR_SLEEPERS NO_HRTICK ...` | sched-features |
| sysctl: `vm.dirty_bytes = 0` | vm.dirty_bytes |
"""

from __future__ import annotations

import re

from ldap_workbench.logs.reading.reports import Tally

_SCHEDULER = re.compile(r"(?:[\w-]+ )*\[[\w-]+\](?: [\w-]+)*")
_PATH = re.compile(r"/sys/block/([^/\s]+)/queue/scheduler")
_FEATURES = re.compile(r"(?:[A-Z]+(?:_[A-Z]+)*\s+){2,}[A-Z]+(?:_[A-Z]+)*")
_SYSCTL = re.compile(r"([a-z]+(?:\.[\w-]+)+)\s*=\s*(\S.*)")


def read_host_settings(data: bytes, tally: Tally) -> dict[str, str]:
    """Every setting of a text, the first of each name; `tally` is told what each line is."""
    settings: dict[str, str] = {}
    device = ""
    for line in data.decode("utf-8", "replace").splitlines():
        text = line.strip()
        path = _PATH.search(text)
        device = path[1] if path else device
        text = text[path.end() :].lstrip(": ") if path else text
        if _SCHEDULER.fullmatch(text):
            settings.setdefault("io-scheduler", text)
            if device:
                settings.setdefault(f"io-scheduler@{device}", text)
            device = ""
        elif _FEATURES.fullmatch(text):
            settings.setdefault("sched-features", text)
        elif match := _SYSCTL.fullmatch(text):
            settings.setdefault(match[1], match[2].strip())
        elif not text:
            tally.set_aside("blank line")
            continue
        elif not path:
            tally.unknown()
            continue
        tally.understood()
    return settings
