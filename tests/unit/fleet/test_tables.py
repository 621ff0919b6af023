"""Servers beside each other: the figures, their order, and the command that prints them."""

from __future__ import annotations

import json
import tarfile
import zipfile
from collections.abc import Iterable
from datetime import date, timedelta

import duckdb
import numpy as np
import pytest
from typer.testing import CliRunner

from ldap_workbench.cli.fleet import commands
from ldap_workbench.fleet.counts import Cells, ServerCounts, Sums
from ldap_workbench.fleet.mapping import summarise
from ldap_workbench.fleet.store import read_fleet
from ldap_workbench.fleet.summary import joined_bytes
from ldap_workbench.fleet.tables import compare, hours, tails
from ldap_workbench.fleet.units import Unit
from ldap_workbench.inference.counts.tails import tails as exact_tails
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.errors import LogError, SessionError, UsageError
from ldap_workbench.model.tail import QUANTILES
from tests.unit.fleet.logs import log_of

LOG = log_of([17, *[3 + 16 * i for i in range(200)], *[9 + 16 * i for i in range(200)]])
SLOW = LOG.replace(b"etime=0.001", b"etime=0.041")
DAY = date(2026, 11, 21)


def counts_of(tmp_path, text):
    path = tmp_path / "access"
    path.write_bytes(text)
    return summarise(Unit("a", str(path), 0, "389")).servers()["a"].counts


def test_quantiles_are_the_exact_ones_or_up_to_two_percent_longer(tmp_path):
    operations = Scanner("389").feed(LOG)
    exact = next(t for t in exact_tails(operations, window="") if t.type == "SRCH")

    [row] = tails({"a": counts_of(tmp_path, LOG)}, type_="SRCH")

    tail = row.days[DAY]
    assert (tail.n, tail.max_ns, tail.sum_ns) == (exact.n, exact.max_ns, exact.sum_ns)
    for name in QUANTILES:
        assert getattr(exact, name) <= tail.quantiles_ns[name] <= getattr(exact, name) * 1.0201


def test_the_server_unlike_the_others_comes_first(tmp_path):
    usual, slow = counts_of(tmp_path, LOG), counts_of(tmp_path, SLOW)

    rows = tails({"a": usual, "b": usual, "c": slow, "d": usual})

    assert [row.server for row in rows] == ["c", "a", "b", "d"]
    assert rows[0].unlike == pytest.approx(40, rel=0.3)
    assert rows[0].unlike_on == DAY
    assert rows[1].unlike == 1


def at_seconds(seconds: Iterable[int], etime_ns: int = 200_000_000, n: int = 5) -> ServerCounts:
    """So many searches end in each of these seconds."""
    ends = np.repeat(np.array(list(seconds), np.int64), n)
    kinds, etimes = np.zeros_like(ends), np.full_like(ends, etime_ns)
    nothing = np.zeros_like(ends)
    return ServerCounts(
        Cells.of(ends, kinds, etimes), Sums.of(ends // 3600, kinds, etimes, nothing, nothing)
    )


def test_a_stall_is_a_run_of_slow_seconds_and_counts_where_it_begins():
    midnight = 86_400 * 20_000
    # One over midnight with a gap of a second in it, one that begins 2 s after its end.
    slow = at_seconds([midnight - 1, midnight + 1, midnight + 4, midnight + 5])
    too_few = at_seconds([midnight + 100], n=4)
    quick = at_seconds([midnight + 200], etime_ns=99_000_000)
    half = [at_seconds([midnight + 300], etime_ns=ns) for ns in (99_000_000, 200_000_000)]
    counts = ServerCounts.total([slow, too_few, quick, *half])
    yesterday, today = (date(1970, 1, 1) + timedelta(days=n) for n in (19_999, 20_000))

    [row] = tails({"a": counts}, measure="stalls")

    assert [(row.days[d].stalls, row.days[d].slow_s) for d in (yesterday, today)] == [
        (1, 1),
        (1, 3),
    ]
    by_hour = {**hours(counts, yesterday), **hours(counts, today)}
    assert {hour: (tail.stalls, tail.slow_s) for hour, tail in by_hour.items()} == {
        23: (1, 1),
        0: (1, 3),
    }


def test_stalls_are_the_same_however_counts_were_added():
    seconds = [86_400 * 20_000 + n for n in (0, 1, 5, 9, 10)]
    together = tails({"a": at_seconds(seconds)})
    parts = [at_seconds([second], n=1) for second in seconds * 5]
    assert tails({"a": ServerCounts.total(parts)}) == together
    [row] = together
    assert [tail.stalls for tail in row.days.values()] == [3]


def test_outliers_come_first_by_the_chosen_measure():
    second = 86_400 * 20_000
    slow, quick = at_seconds([second]), at_seconds([second], etime_ns=1000)
    servers = {"a": quick, "b": slow, "c": quick, "d": quick}
    assert [(row.server, row.unlike) for row in tails(servers, measure="stalls")] == [
        ("b", 2), ("a", 1), ("c", 1), ("d", 1),
    ]  # fmt: skip
    assert {row.unlike for row in tails(servers, measure="errors")} == {1}


def test_the_server_that_changed_most_comes_first(tmp_path):
    tomorrow = SLOW.replace(b"[21/Nov", b"[22/Nov")
    changed, same = counts_of(tmp_path, LOG + tomorrow), counts_of(tmp_path, LOG)

    found = compare({"a": same, "b": changed}, DAY, date(2026, 11, 22))

    assert [each.server for each in found] == ["b", "a"]
    assert found[0].ratio == pytest.approx(40, rel=0.3)
    assert found[1].b is found[1].ratio is None


@pytest.fixture
def fleet(tmp_path):
    """A fleet of three, imported by the command; one file was deleted while it ran."""
    for name, text in (("ldap1", LOG), ("ldap2", LOG), ("ldap3", SLOW)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "access").write_bytes(text)
    (tmp_path / "ldap1" / "notes.txt").write_text("no log")
    folders = [str(tmp_path / name) for name in ("ldap1", "ldap2", "ldap3")]
    words = ["import", *folders, "-o", str(tmp_path / "fleet"), "--workers", "1", "--json"]
    done = CliRunner().invoke(commands, words)
    assert done.exit_code == 0, done.output
    return tmp_path / "fleet", json.loads(done.stdout)


def test_the_command_counts_what_the_reader_counts(fleet, tmp_path):
    folder, printed = fleet
    n = len(Scanner("389").feed(LOG))
    assert [each["operations"] for each in printed["servers"]] == [n, n, n]
    assert [each["what"].split(": ")[0] for each in printed["left_out"]] == ["ldap1"]
    assert printed["missing"] == []
    [(rows, hosts)] = duckdb.sql(
        "SELECT count(*), count(DISTINCT host) FROM "
        f"read_parquet('{folder}/operations/*/*.parquet', hive_partitioning=true)"
    ).fetchall()
    assert (rows, hosts) == (3 * n, 3)

    shown = json.loads(CliRunner().invoke(commands, ["tails", str(folder), "--json"]).stdout)

    assert [each["server"] for each in shown["servers"]] == ["ldap3", "ldap1", "ldap2"]
    assert shown["servers"][0]["days"]["2026-11-21"]["n"] == n
    words = ["tails", str(folder), "--measure", "stalls"]
    assert CliRunner().invoke(commands, words).exit_code == 0
    refused = CliRunner().invoke(commands, ["tails", str(folder), "--measure", "p98"])
    assert isinstance(refused.exception, UsageError)


def test_a_server_without_logs_is_missing(tmp_path):
    for name, text in (("ldap1", LOG), ("ldap2", b"")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "access").write_bytes(text)
    folders = [str(tmp_path / name) for name in ("ldap1", "ldap2")]
    words = ["import", *folders, "-o", str(tmp_path / "fleet"), "--workers", "1", "--counts-only"]
    done = CliRunner().invoke(commands, words)
    assert done.exit_code == 1
    assert "ldap2: It holds no access log." in done.output.replace(str(tmp_path / "ldap2"), "ldap2")
    assert read_fleet(tmp_path / "fleet").servers.keys() == {"ldap1"}


def test_a_fleet_is_never_imported_into_another(fleet, tmp_path):
    done = CliRunner().invoke(commands, ["import", str(tmp_path / "ldap1"), "-o", str(fleet[0])])
    assert isinstance(done.exception, SessionError)


def test_damaged_counts_are_refused(fleet):
    folder, _ = fleet
    path = next((folder / "counts").glob("*ldap2.zst"))
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(LogError, match="damaged"):
        read_fleet(folder)


def test_no_name_of_a_server_leads_out_of_the_folder(fleet):
    folder, _ = fleet
    index = json.loads((folder / "fleet.json").read_text())
    index["servers"][0]["counts"] = "../../ldap1/access"
    (folder / "fleet.json").write_text(json.dumps(index))
    with pytest.raises(SessionError):
        read_fleet(folder)


def test_parquet_says_what_the_log_says(fleet):
    folder, _ = fleet
    found = duckdb.sql(
        "SELECT end_ns, etime_ns, conn, op, type, client FROM "
        f"read_parquet('{folder}/operations/host=ldap1/*.parquet') ORDER BY result_at"
    ).fetchnumpy()
    expected = Scanner("389").feed(LOG)
    for name in ("end_ns", "etime_ns", "conn", "op"):
        assert np.array_equal(found[name], getattr(expected, name))
    assert set(found["client"]) == {"192.0.2.1"}


def test_archives_are_read_as_the_folders_they_hold(tmp_path):
    for name in ("ldap1", "ldap2", "ldap3"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "access").write_bytes(LOG)
    with tarfile.open(tmp_path / "ldap2" / "logs.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "ldap2" / "access", "var/access")
    with zipfile.ZipFile(tmp_path / "ldap3.zip", "w") as packed:
        packed.write(tmp_path / "ldap3" / "access", "access")
    (tmp_path / "ldap2" / "access").unlink()
    folders = [str(tmp_path / "ldap1"), str(tmp_path / "ldap2"), f"ldap3={tmp_path / 'ldap3.zip'}"]
    words = ["import", *folders, "-o", str(tmp_path / "fleet"), "--workers", "1", "--counts-only"]

    done = CliRunner().invoke(commands, words)

    assert done.exit_code == 0, done.output
    read = read_fleet(tmp_path / "fleet")
    one, two, three = (joined_bytes(read.servers[name]) for name in ("ldap1", "ldap2", "ldap3"))
    assert one == two == three
    assert read.logs["ldap2"][0].path == str(tmp_path / "ldap2" / "logs.tar.gz" / "var" / "access")
    assert read.files("ldap2", 0, 1 << 62) == [tmp_path / "ldap2" / "logs.tar.gz"]
