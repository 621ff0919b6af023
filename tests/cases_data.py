"""The inputs of docs/cases: evidence like that of published cases, in numbers of our own.

python -m tests.cases_data    writes docs/cases/data anew
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

import zstandard

from tests.unit.cases.made import Made

DATA = Path(__file__).parents[1] / "docs" / "cases" / "data"
LARGE = 100_000
"""Bytes of text above which a file is compressed."""
LUN = "c3t60060E80104D2A1000000000003Fd0"

MONITOR = """dn: cn=monitor,cn=userRoot,cn=ldbm database,cn=plugins,cn=config
entrycachehits: {hits}
entrycachetries: {tries}
entrycachehitratio: {ratio}
currententrycachesize: 20971306
maxentrycachesize: 20971520
currententrycachecount: 3790
maxentrycachecount: -1
"""
BACKEND = """dn: cn=config
cn: config
nsslapd-threadnumber: 24

dn: cn=userRoot,cn=ldbm database,cn=plugins,cn=config
cn: userRoot
nsslapd-suffix: dc=example,dc=com
nsslapd-cachememsize: 20971520
nsslapd-cachesize: -1
"""
PAGE_SIZE = """dn: cn=config,cn=ldbm database,cn=plugins,cn=config
cn: config
nsslapd-db-page-size: 32768
"""


def cache_ratio() -> dict[str, str]:
    """A server that has run for days, read twice: 67 % of the first million, 60 % since."""
    readings = (636_500, 950_000), (731_540, 1_108_400)
    monitor = {
        f"{number}-monitor.ldif": MONITOR.format(hits=hits, tries=tries, ratio=100 * hits // tries)
        for number, (hits, tries) in enumerate(readings, start=1)
    }
    return {**monitor, "dse.ldif": BACKEND}


def read_ahead() -> dict[str, str]:
    """The same searches with the read-ahead of UFS at 112 KB, and at one page."""
    before = [
        (1.3, 1.1, 0.1, 0.0, 0.0, 5.2, 1),
        (352.6, 31.2, 38.1, 0.8, 8.7, 22.7, 100),
        (296.1, 35.8, 31.8, 0.9, 4.1, 12.4, 95),
        (301.4, 38.9, 32.6, 1.0, 4.6, 13.5, 97),
        (288.7, 42.3, 31.3, 1.1, 3.9, 11.8, 94),
        (310.2, 33.1, 33.5, 0.8, 5.0, 14.6, 98),
    ]
    after = [
        (1.3, 1.1, 0.1, 0.0, 0.0, 5.2, 1),
        (402.8, 30.4, 12.9, 0.8, 2.2, 5.1, 71),
        (391.5, 36.7, 12.6, 0.9, 2.0, 4.7, 68),
        (410.9, 37.2, 13.2, 1.0, 2.3, 5.1, 72),
        (399.3, 41.6, 12.8, 1.0, 2.1, 4.8, 70),
        (405.6, 34.5, 13.0, 0.8, 2.2, 5.0, 71),
    ]
    morning = datetime(2009, 9, 16, 10, 41, 3)
    return {
        "before/dse.ldif": PAGE_SIZE,
        "before/iostat.txt": _iostat_xn(morning, before),
        "after/iostat.txt": _iostat_xn(morning + timedelta(hours=3), after),
    }


def _iostat_xn(begin: datetime, rows: Iterable[tuple[float, ...]]) -> str:
    """`iostat -xnMT d 5` of Solaris; the first report is since boot."""
    reports = []
    for number, (reads, writes, read_mb, written_mb, active, service, busy) in enumerate(rows):
        time = begin + timedelta(seconds=5 * number)
        reports.append(
            f"{time:%a %b %d %H:%M:%S %Y}\n"
            "                    extended device statistics              \n"
            "    r/s    w/s   Mr/s   Mw/s wait actv wsvc_t asvc_t  %w  %b device\n"
            f"{reads:7.1f}{writes:7.1f}{read_mb:7.1f}{written_mb:7.1f}  0.0{active:5.1f}    0.0"
            f"{service:7.1f}   0{busy:4d} {LUN}\n"
        )
    return "".join(reports)


ONE_THREAD = [0, 158_420, 231_907, 24_316, 7_705, 233, 9, 2, 3, 0, 1, 1, 0]
SIXTEEN_THREADS = [0, 96_512, 240_380, 36_044, 17_268, 1_162, 211, 97, 71, 80, 52, 19, 8, 0]
ACCESS_LOG = [0, 361_204, 349_118, 398_733, 80_421, 38_276, 4_902, 1_190, 397, 121, 66, 30, 17]


def thread_tails() -> dict[str, str]:
    """Probes on do_search with one client thread and with sixteen, and on the access log."""
    stats = "max/avg/min: {}\n"
    return {
        "1thread.txt": "1 thread\n\n"
        + _stap("test_do_search", "", ONE_THREAD, 16384, stats.format("36120448/85212/38844")),
        "16thread.txt": "16 thread\n\n"
        + _stap(
            "test_do_search", "", SIXTEEN_THREADS, 16384, stats.format("101338210/113020/39290")
        ),
        "access_log.txt": _stap(
            "test_access_log",
            "slapi_log_access ",
            ACCESS_LOG,
            512,
            stats.format("3980110/5097/1041"),
        ),
    }


def _stap(script: str, probe: str, counts: list[int], low: int, stats: str) -> str:
    """What a systemtap script with @hist_log prints."""
    most = max(counts)
    rows = [
        f"{low << number:>9} |{'@' * (49 * count // most):<49} {count:>7}\n"
        for number, count in enumerate([*counts, 0])
    ]
    heading = f"Distribution of {probe}latencies (in nanoseconds) for {sum(counts)} samples\n"
    scale = "    value |" + "-" * 49 + "   count\n"
    return f"stap {script}.stp\n^C{heading}{stats}{scale}{''.join(rows)}"


def io_scheduler() -> dict[str, str]:
    """`iostat -x 5` of a host under CFQ: the device is quick, the queue before it is not."""
    head = "Linux 2.6.32.59-0.7-default (ldap4) \t05/14/2012 \t_x86_64_\t(8 CPU)\n\n"
    reports = [_iostat_x(368 + 9 * (n * 5 % 7), 104 + 4 * (n * 3 % 5)) for n in range(24)]
    return {
        "iostat.txt": head + "".join(reports),
        "scheduler": "noop anticipatory deadline [cfq]\n",
    }


def _iostat_x(reads: int, writes: int) -> str:
    await_ms = 96 + reads % 11 + writes % 7
    service_ms = 1.25
    queue = (reads + writes) * await_ms / 1000
    busy = (reads + writes) * service_ms / 10
    return (
        "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
        "           7.40    0.00    2.90   38.50    0.00   51.20\n\n"
        "Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz"
        "   await  svctm  %util\n"
        f"sda               0.00     9.00{reads:8.2f}{writes:8.2f}{reads * 32:9.2f}"
        f"{writes * 32:9.2f}    32.00{queue:9.2f}{await_ms:8.2f}{service_ms:7.2f}{busy:7.2f}\n\n"
    )


def master_stall() -> dict[str, str]:
    """A master that stalls three minutes after deletions: all of it, as it lies in one folder."""
    made = Made(
        deletions=14,
        burst_s=46,
        lag_s=188,
        stall_s=206,
        victims=9,
        flush_s=141,
        every_s=33,
        updates=60,
    )
    stacks = made.stacks("pstack.%Y%m%d-%H%M%S")  # no colon: Windows has none in names
    return {"access": made.access(), "dse.ldif": made.settings(), **stacks}


def cases() -> dict[str, Mapping[str, str]]:
    """Files by name of each case, by the name of its page."""
    return {
        "master-stall": master_stall(),
        "cache-ratio": cache_ratio(),
        "read-ahead": read_ahead(),
        "thread-tails": thread_tails(),
        "io-scheduler": io_scheduler(),
    }


def main() -> None:
    """Write all of it; a whole log is kept as a rotated one is, compressed."""
    for name, files in cases().items():
        for path, text in files.items():
            target = DATA / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if len(text) > LARGE:
                compressed = zstandard.ZstdCompressor(level=19).compress(text.encode())
                target.with_name(f"{target.name}.zst").write_bytes(compressed)
            else:
                target.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
