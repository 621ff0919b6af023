"""Recorded output of a healthy lab server: monitor entries, iostat and a whole access log."""

import io
import json
import os
from pathlib import Path

import pytest
import zstandard

from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.families import caches, disk, threads
from ldap_workbench.advice.families.find import findings_in
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.model.window import Window
from tests.unit.advice.material import FACTS, T0, at, view
from tests.unit.logs.material import read_reports

CORPUS = Path(
    os.environ.get("LDAP_WORKBENCH_CORPUS", Path(__file__).parents[4] / "shared" / "corpus")
)
LAB = CORPUS / "389ds-2.3.1-lab"

pytestmark = pytest.mark.skipif(
    not LAB.is_dir(), reason=f"no corpus of recorded logs in {CORPUS} (LDAP_WORKBENCH_CORPUS)"
)


def monitor(library):
    """Three readings, five seconds apart, as series."""
    found = {}
    for number in (1, 2, 3):
        dn, reading = "", {}
        for line in (LAB / library / f"monitor-t{number}.ldif").read_text().splitlines():
            name, _, value = line.partition(": ")
            dn = value.lower() if name == "dn" else dn
            if value.isdigit():
                reading[f"{dn}:{name.lower()}"] = float(value)
        for name, value in reading.items():
            found.setdefault(name, []).append(value)
    return {name: at(values, 5) for name, values in found.items() if len(values) == 3}


@pytest.mark.parametrize("library", ["bdb", "mdb"])
def test_the_monitor_of_a_healthy_server_says_nothing(library):
    samples = monitor(library)
    assert any(name.endswith(":entrycachetries") for name in samples)
    seen = view(samples=samples, seconds=10)
    assert caches.find(seen) + threads.find(seen) == []


def test_the_same_monitor_with_a_tenth_of_the_cache_says_it():
    samples = monitor("bdb")
    entry = next(name for name in samples if name.endswith(":maxentrycachesize"))
    held = entry.replace(":max", ":current")
    samples[entry] = samples[held]
    tries = entry.replace(":maxentrycachesize", ":entrycachetries")
    hits = entry.replace(":maxentrycachesize", ":entrycachehits")
    samples[hits] = (samples[tries][0], samples[tries][1] * 0.8)
    assert [f.id for f in caches.find(view(samples=samples, seconds=10))] == ["entry_cache"]


def test_iostat_under_durable_writes_says_nothing():
    text = (LAB / "iostat-x-y-json-1-5.json").read_text()
    reports = json.loads(text)["sysstat"]["hosts"][0]["statistics"]
    rows = [report["disk"][0] for report in reports]
    columns = [name for name, value in rows[0].items() if isinstance(value, float)]
    samples = {f"iostat:vda:{name}": at([row[name] for row in rows]) for name in columns}
    assert "iostat:vda:util" in samples
    assert disk.find(view(samples=samples, seconds=5)) == []


def recorded(name):
    """An iostat output without times, as if it had begun with the window."""
    readings = read_reports((CORPUS / "iostat" / name).read_bytes(), Clock(start_ns=T0))
    found = {}
    for sample in readings.samples:
        found.setdefault(sample.series, []).append(sample.value)
    return {name: at(values) for name, values in found.items()}


def named(samples, device, name):
    return {key.replace(f":{device}:", f":{name}:"): values for key, values in samples.items()}


def test_the_busy_disk_of_a_database_host_is_told():
    samples = recorded("real/iostat-4.4-2018-radondb.txt")
    found = {f.id: f for f in disk.find(view(samples=samples, facts=None))}
    assert set(found) == {"slow_device"}
    assert found["slow_device"].numbers["device"] == "qbd0"
    assert found["slow_device"].numbers["util_percent"] > 90


def test_a_scheduler_above_that_disk_is_told_and_none_is_not():
    samples = named(recorded("real/iostat-4.4-2018-radondb.txt"), "qbd0", "vda")
    for text, told in (("none [mq-deadline]", True), ("[none] mq-deadline", False)):
        found = {f.id for f in disk.find(view(samples=samples, settings={"io-scheduler": text}))}
        assert ("scheduler" in found) == told


def test_reads_of_128_kb_by_solaris_are_far_larger_than_a_page_of_32():
    path = next((CORPUS / "iostat" / "solaris").glob("iostat-xn-geekdiary.txt"))
    readings = read_reports(path.read_bytes(), Clock(start_ns=T0, since_boot=False))
    samples = {s.series: at([s.value] * 9) for s in readings.samples}
    for page, told in ((32 << 10, True), (128 << 10, False)):
        settings = {"nsslapd-db-page-size": str(page)}
        found = {f.id for f in disk.find(view(samples=samples, settings=settings, facts=None))}
        assert ("large_reads" in found) == told, page


@pytest.mark.parametrize(
    "name", ["sysstat-12.7/expected.iostat-x.txt", "sysstat-12.7/expected.iostat-xs.txt"]
)
def test_a_disk_that_rests_is_no_bottleneck_however_long_its_one_request_took(name):
    samples = recorded(name)
    waits = [v for key, (_, v) in samples.items() if key.endswith("await")]
    assert max(float(v.max()) for v in waits) > 30
    assert disk.find(view(samples=samples, facts=None)) == []


def test_a_real_access_log_shows_what_was_done_to_the_server():
    packed = (LAB / "access-internal.log.zst").read_bytes()
    text = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed)).read()
    operations = Scanner("389").feed(text)
    start, end = int(operations.start_ns.min()), int(operations.end_ns.max())
    seen = WindowView(Window(1, "lab", start, end + 1), operations, facts=FACTS)
    found = {f.id: f for f in findings_in(seen)}
    # memberOf and referential integrity without delay, unindexed searches, a change of cn=config
    assert set(found) == {"referint_inside", "internal_unindexed", "unindexed", "config_writers"}
    assert found["referint_inside"].numbers["unindexed"] == [
        "member",
        "owner",
        "seealso",
        "uniquemember",
    ]
