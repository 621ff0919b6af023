"""What is advised fits the system the evidence comes from, and the trouble that was seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldap_workbench.advice.rules.advise import conflicts
from tests.unit.cases.published import Told, case, tell, tell_files
from tests.unit.cases.test_histograms import stap
from tests.unit.cases.test_iostat_pasted import BANNER, LUN, solaris

BDB = "dn: cn=bdb,cn=config,cn=ldbm database,cn=plugins,cn=config\ncn: bdb\n"
LINUX = """Linux {kernel} (host) 	04/23/2012 	_x86_64_	(8 CPU)

"""
OLD = (
    "Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s "
    "avgrq-sz avgqu-sz   await  svctm  %util\n"
)
ROW = (
    "{dev} 0.00 12.00 {r:.2f} 120.00 {s:.2f} 3840.00 "
    "32.00 69.96 {wait:.2f} {svc:.2f} {util:.2f}\n\n"
)


def linux(device: str, wait: float, service: float, util: float = 70.0, reads: float = 410) -> str:
    row = ROW.format(dev=device, r=reads, s=32 * reads, wait=wait, svc=service, util=util)
    return LINUX.format(kernel="2.6.32") + (OLD + row) * 6


def steps(told: Told, which: str) -> str:
    advice = next(each for each in told.advice if each.id == which)
    return " ".join(str(step) for step in advice.steps)


@pytest.mark.parametrize(("page", "blocks"), [(8192, 1), (16384, 2), (32768, 4), (65536, 8)])
def test_read_ahead_of_solaris_is_advised_for_solaris(
    page: int, blocks: int, tmp_path: Path
) -> None:
    files = {
        "iostat.txt": BANNER + solaris([(300, 4 * page / 1024)] * 4),
        "dse.ldif": f"{BDB}nsslapd-db-page-size: {page}\n",
    }
    told = tell_files(files, tmp_path)
    assert told.advised[0] == "read-ahead-ufs"
    assert f"tunefs -a {blocks} " in steps(told, "read-ahead-ufs")
    assert "umount" in steps(told, "read-ahead-ufs")
    assert f"recordsize={page // 1024}K" in steps(told, "read-ahead-zfs")
    assert not {"read-ahead", "dirty-pages", "queue-shorter", "scheduler-none"} & set(told.advised)
    assert "tunefs" in told.report
    excluded = " ".join(map(str, conflicts(told.advice)))
    assert "UFS: read ahead" in excluded
    assert "ZFS: records" in excluded


def test_read_ahead_of_linux_is_advised_for_linux(tmp_path: Path) -> None:
    text = (
        LINUX.format(kernel="5.10")
        + (
            "Device r/s w/s rkB/s wkB/s r_await w_await aqu-sz %util\n"
            "sdb 300.00 10.00 36000.00 80.00 30.00 1.00 2.00 99.00\n\n"
        )
        * 5
    )
    files = {"iostat": text, "dse.ldif": f"{BDB}nsslapd-db-page-size: 16384\n"}
    told = tell_files(files, tmp_path)
    assert told.advised[0] == "read-ahead"
    assert "read_ahead_kb=16 (sdb)" in [str(each.treatment) for each in told.advice]
    assert not {"read-ahead-ufs", "read-ahead-zfs", "dopageflush", "dirty-pages"} & set(
        told.advised
    )


def test_writing_is_treated_where_a_disk_writes(tmp_path: Path) -> None:
    rows = [f"5.0 400.0 40.0 9000.0 0.0 9.0 0.0 40.0 0 99 {LUN}"] * 5
    text = BANNER.replace("M", "k") + "\n".join(rows) + "\n"
    dse = f"{BDB}nsslapd-db-page-size: 8192\nnsslapd-db-home-directory: /ds/slapd-east/db\n"
    told = tell_files({"iostat.txt": text, "dse.ldif": dse}, tmp_path)
    assert {"dopageflush", "db-home-tmpfs"} <= set(told.advised)
    home = next(each for each in told.advice if each.id == "db-home-tmpfs")
    assert str(home.treatment) == "nsslapd-db-home-directory=/tmp/slapd-east"
    assert "Keep fsflush away" in " ".join(map(str, conflicts(told.advice)))


def test_requests_wait_in_the_queue_of_cfq(tmp_path: Path) -> None:
    told = tell(case("s4a-cfq"), tmp_path)
    found = told.findings["scheduler"]
    assert (found.numbers["scheduler"], found.numbers["device"]) == ("cfq", "sda")
    assert found.numbers["await_ms"] == pytest.approx(135, abs=3)
    assert found.numbers["service_ms"] == pytest.approx(1.3)
    assert "io-scheduler=noop (sda)" in [str(each.treatment) for each in told.advice]
    assert "scheduler-none" in told.advised[:2]
    assert "queue of the I/O scheduler" in told.report
    assert "slow_device" not in told.findings, "the disk has time"


@pytest.mark.parametrize(
    ("listed", "wait", "service", "wanted"),
    [
        ("noop anticipatory deadline [cfq]", 60, 0.9, "io-scheduler=noop (sdc)"),
        ("none mq-deadline [bfq] kyber", 44, 2.0, "io-scheduler=none (sdc)"),
        ("[mq-deadline] none", 31, 2.9, "io-scheduler=none (sdc)"),
        ("/sys/block/sdc/queue/scheduler:noop deadline [cfq]", 60, 0.9, "io-scheduler=noop (sdc)"),
        ("[noop] deadline cfq", 133, 1.3, ""),
        ("[none] mq-deadline", 133, 1.3, ""),
        ("noop [deadline] cfq", 5, 3.0, ""),
        ("noop deadline [cfq]", 9, 0.3, ""),
        ("noop deadline [cfq]", 12, 4.0, ""),
    ],
)
def test_any_queue_far_above_its_disk(
    listed: str, wait: float, service: float, wanted: str, tmp_path: Path
) -> None:
    files = {"io": linux("sdc", wait, service), "scheduler": listed + "\n"}
    told = tell_files(files, tmp_path)
    assert ("scheduler" in told.findings) == bool(wanted)
    assert wanted in ["", *(str(each.treatment) for each in told.advice)]


def test_each_disk_has_its_own_scheduler(tmp_path: Path) -> None:
    """grep . /sys/block/*/queue/scheduler"""
    listed = (
        "/sys/block/sda/queue/scheduler:[noop] deadline cfq\n"
        "/sys/block/sdb/queue/scheduler:noop deadline [cfq]\n"
    )
    first = tell_files({"io": linux("sda", 90, 1), "s": listed}, tmp_path / "a")
    second = tell_files({"io": linux("sdb", 90, 1), "s": listed}, tmp_path / "b")
    assert "scheduler" not in first.findings
    assert second.findings["scheduler"].numbers["scheduler"] == "cfq"


def test_service_time_is_reckoned_where_it_is_not_printed(tmp_path: Path) -> None:
    text = (
        LINUX.format(kernel="5.10")
        + (
            "Device r/s w/s rkB/s wkB/s r_await w_await aqu-sz %util\n"
            "sda 400.00 100.00 3200.00 800.00 60.00 60.00 30.00 50.00\n\n"
        )
        * 5
    )
    told = tell_files({"io": text, "scheduler": "none mq-deadline [bfq]\n"}, tmp_path)
    assert told.findings["scheduler"].numbers["service_ms"] == pytest.approx(1.0)


def test_features_of_the_scheduler_are_named_as_this_kernel_has_them(tmp_path: Path) -> None:
    features = "GENTLE_FAIR_SLEEPERS START_DEBIT NO_NEXT_BUDDY LAST_BUDDY WAKEUP_PREEMPTION\n"
    light = {32768: 160_000, 65536: 240_000, 262144: 8_000}
    heavy = {32768: 100_000, 65536: 250_000, 262144: 30_000}
    files = {
        "sched_features": features,
        "1thread.txt": stap(light),
        "16thread.txt": stap(heavy),
    }
    told = tell_files(files, tmp_path)
    advice = next(each for each in told.advice if each.id == "cpu-scheduler")
    assert "On now: GENTLE_FAIR_SLEEPERS, WAKEUP_PREEMPTION." in str(advice.why)
    said = " ".join(map(str, advice.steps))
    for name in (
        "sched_min_granularity_ns",
        "min_granularity_ns",
        "base_slice_ns",
        "sched_features",
    ):
        assert name in said
