"""What hosts print of themselves, in their languages: iostat, vmstat, sar, and AIX."""

from __future__ import annotations

import json

import pytest

from ldap_workbench.logs.host.sar import read_sar
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.reports import Clock, Readings
from ldap_workbench.logs.reading.stamps import ctime
from ldap_workbench.logs.server.dsconf_monitor import entries_in, read_monitor_report
from ldap_workbench.model.errors import LogError
from tests.unit.logs.material import material, read_reports

S = 10**9
NOON = 1775217600 * S  # 2026-04-03 12:00 UTC
HEAD = "Device            r/s     w/s     rkB/s     wkB/s   rrqm/s   wrqm/s  %rrqm  %wrqm r_await "
HEAD += "w_await aqu-sz rareq-sz wareq-sz  svctm  %util\n"
ROW = "sda  1{c}00 2{c}00 8{c}00 16{c}00 0{c}00 0{c}00 0{c}00 0{c}00 0{c}50 0{c}70 0{c}00 8{c}00 "
ROW += "8{c}00 0{c}10 0{c}30\n"
BANNER = "Linux 5.14.0 (ldap1) \t%s \t_x86_64_\t(4 CPU)\n\n"
VMSTAT = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
VMSTAT += " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"


def iostat(*stamps: str, mark: str = ".") -> str:
    reports = (f"{stamp}\n{HEAD}{ROW.format(c=mark)}\n" for stamp in stamps)
    return BANNER % stamps[0].split()[0] + "".join(reports)


def times(readings: Readings) -> list[int]:
    return sorted({sample.time_ns for sample in readings.samples})


def values(readings: Readings, series: str) -> list[float]:
    return [sample.value for sample in readings.samples if sample.series == series]


@pytest.mark.parametrize(
    ("dates", "mark", "clock", "expected", "told"),
    [
        # A date above 12 anywhere settles it for the whole file.
        (("03/04/2026 12:00:00", "13/04/2026 12:00:00"), ".", Clock(), NOON + 10 * 86400 * S, ""),
        (("04/03/2026 12:00:00", "04/13/2026 12:00:00"), ".", Clock(), NOON + 10 * 86400 * S, ""),
        # The logs beside it settle it.
        (("03/04/2026 12:00:00", "03/04/2026 12:00:05"), ".", Clock(near_ns=NOON), NOON + 5 * S,
         "day/month"),
        # No place with decimal commas has the month first.
        (("03/04/26 12:00:00", "03/04/26 12:00:05"), ",", Clock(), NOON + 5 * S, "day/month"),
        (("04/03/26 12:00:00", "04/03/26 12:00:05"), ".", Clock(), NOON + 5 * S, "month/day"),
        (("03/04/26 12:00:00", "03/04/26 12:00:05"), ".", Clock(day_first=True), NOON + 5 * S, ""),
        (("03-04-26 12:00:00", "03-04-26 12:00:05"), ",", Clock(), NOON + 5 * S, ""),
        (("03.04.2026 12:00:00", "03.04.2026 12:00:05"), ",", Clock(), NOON + 5 * S, ""),
    ],
)  # fmt: skip
def test_the_order_of_a_date_is_told_by_the_whole_text(dates, mark, clock, expected, told) -> None:
    readings = read_reports(iostat(*dates, mark=mark).encode(), clock)
    assert times(readings) == [expected]
    assert values(readings, "iostat:sda:util") == [0.3]
    notes = " ".join(map(str, readings.notes))
    assert told in notes
    assert ("--dates" in notes) == bool(told)


def test_dates_of_json_follow_the_same_rule() -> None:
    disk = [{"disk_device": "sda", "util": 1.5}]
    reports = [{"timestamp": f"{day}/04/26 12:00:00", "disk": disk} for day in ("03", "13")]
    run = json.dumps({"sysstat": {"hosts": [{"statistics": reports}]}}, indent=1) + "\n"
    readings = read_reports((run + run).encode(), Clock())
    # Two runs, each begins with the time since boot.
    assert times(readings) == [NOON + 10 * 86400 * S]
    assert len(readings.samples) == 2


def test_sysstat_7_prints_its_date_once() -> None:
    text = "Linux 2.6.9-42.ELsmp (ldap1) \t04/03/2026\n\n"
    for stamp in ("11:59:50 PM", "11:59:55 PM", "12:00:00 AM"):
        text += f"Time: {stamp}\n{HEAD}{ROW.format(c='.')}\n"
    readings = read_reports(text.encode())
    midnight = NOON + 12 * 3600 * S
    assert times(readings) == [midnight - 5 * S, midnight]
    assert readings.lines.unknown == 0


@pytest.mark.parametrize(
    "line",
    [
        "Fri Apr  3 12:00:00 2026",
        "Fri Apr  3 12:00:00 UTC 2026",
        "Fri  3 Apr 12:00:00 CEST 2026",
        "Fri Apr  3 12:00:00 PM UTC 2026",
        "Fr. 3. April 2026 12:00:00 MESZ",
        "Freitag,  3. April 2026 12:00:00 Uhr MESZ",
        "vendredi  3 avril 2026 12:00:00 CEST",
        "viernes  3 de abril de 2026 12:00:00 CEST",
        "Friday, April 3, 2026 12:00:00 PM CEST",
    ],
)
def test_dates_in_the_language_of_the_host(line: str) -> None:
    assert ctime(line) == NOON


@pytest.mark.parametrize("line", ["3 of 2026 in 12:00:00", "April 2026", "conn=1 Apr 3 12:00:00"])
def test_other_text_is_no_date(line: str) -> None:
    assert ctime(line) is None


SOLARIS = "                    extended device statistics              \n"
SOLARIS += "    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device\n"
SOLARIS += "    {v}    2{c}0    8{c}0   16{c}0  0{c}0  0{c}0    0{c}0    0{c}5   0   3 c0t0d0\n"


@pytest.mark.parametrize("mark", [".", ","])
def test_solaris_with_decimal_commas_and_dates_of_its_language(mark: str) -> None:
    text = ""
    for second in (0, 5, 10):
        text += f"vendredi  3 avril 2026 12:00:{second:02d} CEST\n"
        text += SOLARIS.format(v=f"{second}{mark}5", c=mark)
    readings = read_reports(text.encode())
    assert times(readings) == [NOON + 5 * S, NOON + 10 * S]
    assert values(readings, "iostat:c0t0d0:r/s") == [5.5, 10.5]
    assert readings.lines.unknown == 0


VMSTAT = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
VMSTAT += " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
VMROW = " {r}  0      0 100000  1000 200000    0    0     1     1  100  200  1  2 97  0  0\n"


@pytest.mark.parametrize(
    "stamps",
    [
        [f"Fri Apr  3 12:{minute:02d}:00 UTC 2026" for minute in range(3)],
        [f"{1775217600 + 60 * minute}" for minute in range(3)],
    ],
)
def test_the_first_row_of_every_run_of_vmstat_is_no_sample(stamps: list[str]) -> None:
    text = ""
    for run, stamp in enumerate(stamps):
        text += stamp + "\n" + VMSTAT + VMROW.format(r=9) + VMROW.format(r=run) * 2
    readings = read_reports(text.encode(), Clock(interval_ns=2 * S))
    assert values(readings, "vmstat:r") == [0, 0, 1, 1, 2, 2]
    assert readings.left_out == {"report since boot": 3}
    assert times(readings)[:2] == [NOON + 2 * S, NOON + 4 * S]
    alone = "".join(stamp + "\n" + VMSTAT + VMROW.format(r=9) for stamp in stamps)
    assert read_reports(alone.encode()).samples == []


def test_a_heading_that_comes_again_begins_no_run() -> None:
    text = VMSTAT + VMROW.format(r=9) + VMROW.format(r=1) * 20
    text += VMSTAT + VMROW.format(r=1) * 21 + VMSTAT + VMROW.format(r=1) * 3
    readings = read_reports(text.encode(), Clock(start_ns=NOON))
    assert readings.left_out == {"report since boot": 1}
    assert values(readings, "vmstat:r") == [1] * 44


SOLARIS_VMSTAT = " kthr      memory            page            disk          faults      cpu\n"
SOLARIS_VMSTAT += " r b w   swap  free  re  mf pi po fr de sr cd cd -- --   in   sy   cs us sy id\n"
SOLARIS_ROW = " {r} 0 0 100000 2000  1   2  0  0  0  0  0  1  0  0  0  300  400  200  1  2 97\n"


def test_dates_before_every_row_of_solaris_begin_no_run() -> None:
    rows = [f"Fri Apr  3 12:00:{n:02d} 2026\n" for n in range(30)]
    text = "".join(
        stamp + (SOLARIS_VMSTAT if n % 19 == 0 else "") + SOLARIS_ROW.format(r=n)
        for n, stamp in enumerate(rows)
    )
    assert values(read_reports(text.encode()), "vmstat:r") == list(range(1, 30))


AIX_VMSTAT = """
System configuration: lcpu=4 mem=8192MB ent=0.50

kthr    memory              page              faults              cpu
----- ----------- ------------------------ ------------ -----------------------
 r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa    pc    ec
 9  0 423000 1234   0   0   0   0    0   0   5  100  80  1  2 97  0  0.02   3.5
 1  0 423000 1234   0   0   0   0    0   7   5  110  80  3  4 92  1  0.04   7.5
"""


def test_vmstat_of_aix() -> None:
    assert detect(AIX_VMSTAT.encode()).dialect == "vmstat-aix"
    readings = read_reports(AIX_VMSTAT.encode(), Clock(start_ns=NOON))
    named = {sample.series: sample.value for sample in readings.samples}
    assert named["vmstat:r"] == 1
    assert named["vmstat:syscalls"] == 110
    assert (named["vmstat:sy"], named["vmstat:cy"], named["vmstat:ec"]) == (4, 7, 7.5)
    assert readings.lines.unknown == 0


AIX_IOSTAT = """
System configuration: lcpu=4 drives=2 paths=2 vdisks=0

Fri Apr  3 12:00:00 2026
tty:      tin         tout    avg-cpu: % user % sys % idle % iowait
          0.0         10.0                1.0   2.0   97.0      0.0

Disks:        % tm_act     Kbps      tps    Kb_read   Kb_wrtn
hdisk0          50.5      60.0       8.8      14096      8192
Fri Apr  3 12:00:05 2026
tty:      tin         tout    avg-cpu: % user % sys % idle % iowait
          0.0         10.0                3.0   4.0   90.0      3.0

Disks:        % tm_act     Kbps      tps    Kb_read   Kb_wrtn
hdisk0           0.5       6.0       0.8         10        20
"""
AIX_LONG = """
System configuration: lcpu=4 drives=1 paths=2 vdisks=2

Disks:                     xfers                      read                  write        queue
-------------- -------------------------------- ------------------------------------ ----------
                 %tm    bps   tps  bread  bwrtn   rps    avg    min    max time fail   wps    avg
                 act                                     serv   serv   serv outs              serv
hdisk0           9.5   6.0K   0.8   2.0K   4.0K   0.3   1.2    0.2    9.9    0    0   0.5   2.2 \
   0.3   8.8    0    0   0.1   0.0   1.0   0.0   0.0   0.0
hdisk0           0.5   6.0K   0.8   2.0M 4096.0   0.3   1.2    0.2    9.9    0    0   0.5   2.2 \
   0.3   8.8    0    0   0.1   0.0   1.0   0.0   0.0   0.0
"""


def test_iostat_of_aix() -> None:
    assert detect(AIX_IOSTAT.encode()).dialect == "iostat-aix"
    readings = read_reports(AIX_IOSTAT.encode())
    assert times(readings) == [NOON + 5 * S]
    assert values(readings, "iostat:hdisk0:util") == [0.5]
    assert values(readings, "iostat:cpu:iowait") == [3.0]
    assert readings.left_out == {"report since boot": 1}
    assert readings.lines.unknown == 0


def test_the_long_iostat_of_aix() -> None:
    assert detect(AIX_LONG.encode()).dialect == "iostat-aix"
    clock = Clock(start_ns=NOON, since_boot=False)
    readings = read_reports(AIX_LONG.replace("hdisk0", "hdisk4", 1).encode(), clock)
    assert values(readings, "iostat:hdisk0:r_await") == [1.2]
    assert values(readings, "iostat:hdisk0:rkB/s") == [2048.0]
    assert values(readings, "iostat:hdisk0:wkB/s") == [4.0]


SAR = """Linux 5.14.0 (ldap1) \t04/03/26 \t_x86_64_\t(4 CPU)

11:50:01 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle
12:00:00 PM     all      1.50      0.00      2.00      0.50      0.00     96.00
12:00:00 PM       0      9.50      0.00      2.00      0.50      0.00     88.00
12:10:00 PM     all      2.50      0.00      2.00      0.50      0.00     95.00
Average:        all      2.00      0.00      2.00      0.50      0.00     95.50

12:15:00 PM       LINUX RESTART\t(4 CPU)

12:10:01 PM       DEV       tps     rkB/s     wkB/s   areq-sz    aqu-sz     await     %util
12:20:00 PM       sda     10.00     80.00     16.00      9.60      0.01      0.50      3.00

11:50:01 PM kbmemfree   kbavail kbmemused  %memused
11:59:00 PM   1000000   2000000   3000000     60.00
12:00:00 AM   1000001   2000000   3000000     60.00
"""


def test_sar_has_the_names_of_iostat() -> None:
    assert detect(SAR.encode()).dialect == "sar"
    readings = read_reports(SAR.encode())
    assert values(readings, "iostat:cpu:idle") == [96.0, 95.0]
    assert values(readings, "iostat:sda:util") == [3.0]
    assert values(readings, "sar:kbmemfree") == [1000000, 1000001]
    assert times(readings)[:3] == [NOON, NOON + 600 * S, NOON + 1200 * S]
    assert times(readings)[-1] == NOON + 12 * 3600 * S
    assert readings.lines.unknown == 0


def test_sar_of_everything_has_rows_of_the_host_and_rows_with_a_name() -> None:
    """sar -A prints both at one time; a row without a name is no disk whose parts are named."""
    named = "11:50:01 PM INTR intr/s\n12:00:00 AM 9 1.00\n12:10:00 AM 9 3.00\n"
    readings = read_reports((SAR + "\n" + named).encode())
    assert values(readings, "sar:9:intr/s") == [1, 3]
    assert values(readings, "sar:kbmemfree") == [1000000, 1000001]


def test_rows_of_sar_go_on_behind_midnight() -> None:
    head = "Linux 5.14.0 (ldap1) \t04/03/26 \t_x86_64_\t(4 CPU)\n"
    table = "\n{} runq-sz plist-sz\n{} 1 1\n{} 1 1\n"
    text = head + table.format("23:30:00", "23:40:00", "00:10:00")
    text += table.format("00:20:00", "11:00:00", "22:00:00")
    text += table.format("22:00:00", "08:00:00", "19:00:00")
    moments = times(read_reports(text.encode()))
    hours = [(moment - moments[0]) / (3600 * S) for moment in moments]
    assert hours == pytest.approx([0, 0.5, 11 + 1 / 3, 22 + 1 / 3, 32 + 1 / 3, 43 + 1 / 3])


def test_sadf_tells_the_same() -> None:
    table = (
        "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n"
        "ldap1;600;2026-04-03 12:00:00 UTC;-1;1.50;0.00;2.00;0.50;0.00;96.00\n"
        "ldap1;-1;2026-04-03 12:05:00 UTC;LINUX-RESTART\t(4 CPU)\n"
        "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;areq-sz;aqu-sz;await;%util\n"
        "ldap1;600;1775217600;sda;10.00;80.00;16.00;9.60;0.01;0.50;3.00\n"
        "# hostname;interval;timestamp;kbmemfree;%memused\n"
        "ldap1;600;2026-04-03 12:00:00 UTC;1000000;60.00\n"
    )
    stamp = {"date": "2026-04-03", "time": "12:00:00", "utc": 1, "interval": 600}
    load = [{"cpu": "all", "user": 1.5, "idle": 96.0}, {"cpu": "0", "idle": 88.0}]
    disk = [{"disk-device": "sda", "tps": 10.0, "rkB": 80.0, "util-percent": 3.0}]
    memory = {"memfree": 1000000, "memused-percent": 60.0}
    report = {"timestamp": stamp, "cpu-load": load, "disk": disk, "memory": memory}
    host = {"nodename": "ldap1", "statistics": [report]}
    objects = json.dumps({"sysstat": {"hosts": [host]}}, indent=1)
    for text, dialect in ((table, "sadf-d"), (objects, "sadf-j")):
        assert detect(text.encode()).dialect == dialect
        readings = read_reports(text.encode())
        assert times(readings) == [NOON]
        assert values(readings, "iostat:cpu:idle") == [96.0]
        assert values(readings, "iostat:sda:util") == [3.0]
        assert values(readings, "iostat:sda:tps") == [10.0]
        assert readings.lines.unknown == 0


def test_what_dsconf_monitor_prints() -> None:
    data = material("389ds-2.3.1-lab/dsconf/dbmon.txt").read_bytes()
    assert detect(data).dialect == "dbmon"
    readings = read_monitor_report(data, Clock())
    assert times(readings) == [1795228683 * S]
    assert values(readings, "dbmon:Database Cache:Cache Hit Ratio") == [99]
    backend = "dbmon:dc=example,dc=com (userRoot):Entry Cache Free Space"
    assert values(readings, backend) == [202.44 * 1024**2]
    assert readings.lines.unknown == 0
    disk = material("389ds-2.3.1-lab/dsconf/disk.txt").read_bytes()
    assert detect(disk).dialect == "dbmon"
    assert values(read_monitor_report(disk, Clock(start_ns=NOON)), "disk:/:Percentage Used") == [72]
    for name in ("server", "snmp", "ldbm", "backend-userRoot"):
        data = material(f"389ds-2.3.1-lab/dsconf/{name}.json").read_bytes()
        assert detect(data).dialect == "dsconf-json"
        [entry] = entries_in(data)
        assert "monitor" in entry.dn


def test_a_figure_with_two_points_is_unknown() -> None:
    report = b"DB Monitor Report: 2026-04-03 12:00:00\nFree Space:  10.1.5 MB\nUsed:  10.5 MB\n"
    readings = read_monitor_report(report, Clock())
    assert readings.lines.unknown == 1
    assert values(readings, "dbmon:Used") == [10.5 * 1024**2]


DATES = (
    "Fri Apr  3 12:00:00 UTC 2026",
    "Fr 3. Apr 12:00:00 CEST 2026",
    "1775217600",
    "2026-04-03T12:00:00+00:00",
    "# 2026-04-03 12:00:00",
    "===== 03.04.2026 12:00:00 =====",
)


def later(date: str, minutes: int) -> str:
    """The same date, minutes later."""
    if date.isdecimal():
        return str(int(date) + 60 * minutes)
    return date.replace("12:00:", f"12:{minutes:02d}:")


@pytest.mark.parametrize("date", DATES)
def test_cron_prints_a_date_before_each_run(date: str) -> None:
    """`date; iostat -x 1 2`: the first report of each run is the one since boot."""
    boot, now = ROW.replace("0{c}30", "9{c}90"), ROW
    text, rows = "", ""
    for minute in range(4):
        text += later(date, minute) + "\n" + BANNER % "04/03/2026"
        text += f"{HEAD}{boot.format(c='.')}\n\n{HEAD}{now.format(c='.')}\n\n"
        rows += later(date, minute) + "\n" + VMSTAT + " 9" * 17 + "\n" + " 1" * 17 + "\n"
    disk, host = read_reports(text.encode()), read_reports(rows.encode())
    moments = [NOON + 60 * minute * S + S for minute in range(4)]
    assert times(disk) == times(host) == moments
    assert values(disk, "iostat:sda:util") == [0.3] * 4
    assert values(host, "vmstat:id") == [1] * 4
    assert disk.left_out == host.left_out == {"report since boot": 4}
    assert disk.lines.unknown == host.lines.unknown == 0


IOSTAT_12 = """Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util
sda              0.00      0.00     0.00   0.00    0.00     0.00 29696.50 239454.00 30686.00  50.82    8.07     8.06  239.77  98.20
sdb              1.00      4.00     0.00   0.00    0.50     4.00     2.00      8.00     0.00   0.00    0.40     4.00    0.00   0.10
"""  # noqa: E501
ALONE = {
    "without a date": IOSTAT_12,
    "with a banner": "Linux 5.14.0 (ldap1) \t04/03/2026 \t_x86_64_\t(4 CPU)\n\n" + IOSTAT_12,
    "behind date": "Fri Apr  3 12:00:00 UTC 2026\n" + IOSTAT_12,
    "AIX": "Disks:        % tm_act     Kbps      tps    Kb_read   Kb_wrtn\n"
    "hdisk0          98.2     4096.0     512.0     100        200\n",
    "Solaris": "    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device\n"
    "    0.0  500.0    0.0 4000.0  0.0  9.0    0.0   18.0   0  98 c0t0d0\n",
    "vmstat": VMSTAT + " 7" * 17 + "\n",
    "JSON": '{"sysstat": {"hosts": [{"statistics": [{"disk": [{"disk_device": "sda",'
    ' "w/s": 29696.5, "util": 98.2}]}]}]}}\n',
}


@pytest.mark.parametrize("name", ALONE)
def test_a_report_that_stands_alone_is_used_and_in_doubt(name: str) -> None:
    clock = Clock(undated_ns=NOON, start_ns=NOON if name == "JSON" else None)
    readings = read_reports(ALONE[name].encode(), clock)
    assert readings.samples
    assert readings.may_be_since_boot
    assert "may cover all the time since boot" in " ".join(str(note) for note in readings.notes)
    assert "report since boot" not in readings.left_out
    assert readings.lines.unknown == 0


@pytest.mark.parametrize("name", sorted(ALONE.keys() - {"JSON"}))
def test_the_first_of_two_reports_is_still_that_since_boot(name: str) -> None:
    readings = read_reports((ALONE[name] + "\n" + ALONE[name]).encode(), Clock(undated_ns=NOON))
    assert readings.left_out.get("report since boot")
    assert not readings.may_be_since_boot


def test_counts_of_a_single_report_have_no_rate() -> None:
    text = ALONE["Solaris"].replace("r/s ", "r/i ").replace("w/s ", "w/i ")
    readings = read_reports(text.encode(), Clock(undated_ns=NOON))
    assert readings.samples == []
    assert readings.left_out == {"report since boot": 1}


SAR_ROWS = {
    "AM": "11:50:11 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
    "11:51:35 AM     all      0.02      0.00      0.05      0.00      0.02     99.91\n"
    "12:01:35 PM     all     80.02      0.00      0.05      0.00      0.02     19.91\n",
    "24 hours": "11:50:11        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
    "11:51:35        all      0.02      0.00      0.05      0.00      0.02     99.91\n"
    "12:01:35        all     80.02      0.00      0.05      0.00      0.02     19.91\n",
    "disks": "11:50:11          DEV       tps     rkB/s     wkB/s   areq-sz    aqu-sz     await     %util\n"  # noqa: E501
    "11:51:35          sda      1.00      0.00      4.00      4.00      0.00      1.00      0.10\n"
    "12:01:35          sda      9.00      0.00      4.00      4.00      0.00      1.00      0.10\n",
}
DAY = 86_400 * S
FIRST = NOON - 8 * 60 * S - 25 * S


@pytest.mark.parametrize("name", SAR_ROWS)
def test_rows_of_sar_without_a_date_take_that_of_began(name: str) -> None:
    for began in (NOON, NOON - 11 * 3600 * S):
        readings = read_sar(SAR_ROWS[name].encode(), Clock(start_ns=began))
        assert sorted(set(times(readings))) == [FIRST, FIRST + 600 * S]
        assert readings.notes == ()


def test_rows_of_sar_without_a_date_take_the_day_of_the_log_beside_it() -> None:
    readings = read_sar(SAR_ROWS["AM"].encode(), Clock(near_ns=NOON + 3 * 3600 * S))
    assert times(readings)[0] == FIRST
    assert "that of the log beside it is assumed" in str(readings.notes[0])
    early = read_sar(SAR_ROWS["AM"].encode(), Clock(near_ns=NOON + 13 * 3600 * S))
    assert times(early)[0] == FIRST + DAY  # nearer to noon of the next day


def test_rows_of_sar_without_a_date_go_on_past_midnight() -> None:
    rows = "23:59:00        CPU     %user     %idle\n23:59:30        all      1.00     99.00\n"
    rows += "00:00:30        all      2.00     98.00\n"
    readings = read_sar(rows.encode(), Clock(start_ns=NOON))
    assert [time - NOON for time in sorted(set(times(readings)))] == [
        12 * 3600 * S - 30 * S,
        12 * 3600 * S + 30 * S,
    ]


@pytest.mark.parametrize("name", SAR_ROWS)
def test_rows_of_sar_without_any_date_ask_for_it(name: str) -> None:
    with pytest.raises(LogError, match="no date") as refused:
        read_sar(SAR_ROWS[name].encode(), Clock(undated_ns=NOON))
    assert "--began" in str(refused.value.remedy)


def test_averages_of_sar_alone_are_called_averages() -> None:
    rows = b"Average:        CPU     %user     %idle\nAverage:        all      1.00     99.00\n"
    with pytest.raises(LogError, match="averages alone"):
        read_sar(rows, Clock(undated_ns=NOON))


OF_PROCESSES = {
    "averages": "Average:      UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command\n"
    "Average:      389      2568      0.00   9738.61      0.00       0  ns-slapd\n",
    "processors": "Linux 5.14.0 (ldap1) \t04/03/2026 \t_x86_64_\t(4 CPU)\n\n"
    "12:00:01 PM   UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
    "12:00:02 PM   389      2568  120.00   11.00    0.00    0.00  131.00     2  ns-slapd\n",
    "threads": "12:00:01      UID      TGID       TID    %usr %system  %guest    %CPU   CPU  Command\n"  # noqa: E501
    "12:00:02      389      2568         -   20.00    1.00    0.00   21.00     2  ns-slapd\n"
    "12:00:02      389         -      2599   20.00    1.00    0.00   21.00     2  |__ns-slapd\n",
    "rows alone": "12:00:02 PM   389      2568  120.00   11.00    0.00    0.00  131.00     2  slapd\n"  # noqa: E501
    "12:00:03 PM   389      2568  118.00   12.00    0.00    0.00  130.00     1  slapd\n",
    "memory": "12:00:01      UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command\n"
    "12:00:02      389      2568   1402.00      0.00 9400000 8100000  12.40  ns-slapd\n",
    "-h": "# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
    "1775217600    389      2568   20.00    1.00    0.00    0.00   21.00     2  ns-slapd\n",
}


@pytest.mark.parametrize("name", OF_PROCESSES)
def test_pidstat_is_named_and_not_taken_for_sar(name: str) -> None:
    seen = detect(OF_PROCESSES[name].encode())
    assert (seen.dialect, seen.kind) == ("pidstat", None)
    assert "pidstat is not read" in str(seen.instead)
    assert "iostat -xt" in str(seen.instead)


def test_top_is_named() -> None:
    text = (
        "top - 12:00:01 up 3 days,  2:11,  1 user,  load average: 4.11, 3.02, 2.80\n"
        "Tasks: 211 total,   1 running, 210 sleeping,   0 stopped,   0 zombie\n"
        "%Cpu(s): 61.0 us,  4.0 sy,  0.0 ni, 33.0 id,  2.0 wa,  0.0 hi,  0.0 si,  0.0 st\n"
        "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
        "   2568 dirsrv    20   0 9400000 8.1g   1234 S 241.0  12.4   9:11.11 ns-slapd\n"
    )
    seen = detect(text.encode())
    assert (seen.dialect, seen.kind) == ("top", None)
    assert "top is not read" in str(seen.instead)


@pytest.mark.parametrize("name", [*SAR_ROWS, "vmstat", "with a banner"])
def test_reports_of_hosts_are_not_taken_for_those_of_processes(name: str) -> None:
    assert detect((SAR_ROWS | ALONE)[name].encode()).kind is not None


def test_a_script_that_prints_top_before_iostat_is_read_as_iostat() -> None:
    top = "top - 12:00:01 up 3 days,  2:11,  1 user,  load average: 4.11, 3.02, 2.80\n"
    top += "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
    assert detect((top + iostat("04/03/2026 12:00:00") * 3).encode()).dialect == "iostat-linux"
