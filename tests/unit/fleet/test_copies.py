"""What lies there twice counts once, whatever it is called and however it is packed."""

from __future__ import annotations

import gzip
import json
import random
import tarfile
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ldap_workbench.fleet.answers import answer_from
from ldap_workbench.fleet.mapping import summarise
from ldap_workbench.fleet.summary import Summary, joined_bytes
from ldap_workbench.fleet.units import Planned, Unit, plan
from ldap_workbench.fleet.worker import answer, plan_request
from ldap_workbench.logs.reading.archives import Opened, opened
from tests.unit.fleet.logs import log_of


def counted(planned: Planned, seed: int = 0) -> dict[str, bytes]:
    """Each server's joined counts, its units read in any order."""
    units = list(planned.units)
    random.Random(seed).shuffle(units)
    servers = Summary.total([summarise(unit) for unit in units]).servers()
    return {name: joined_bytes(server) for name, server in servers.items()}


def counted_alone(path: Path, text: bytes) -> dict[str, bytes]:
    path.write_bytes(text)
    servers = summarise(Unit("ldap1", str(path), 0, "389")).servers()
    return {name: joined_bytes(server) for name, server in servers.items()}


def put(folder: Path, kind: str, name: str, text: bytes) -> None:
    """A copy of a text as one comes across it."""
    if kind == "plain":
        (folder / name).write_bytes(text)
    elif kind == "gz":
        (folder / f"{name}.gz").write_bytes(gzip.compress(text))
    elif kind == "zip":
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as packed:
            packed.writestr("access", text)
    else:
        member = tarfile.TarInfo("var/log/access")
        member.size = len(text)
        with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as tar:
            tar.addfile(member, BytesIO(text))


@settings(max_examples=30, deadline=None)
@given(
    choices=st.lists(st.integers(1, 16 * 500 - 1), min_size=20, max_size=120),
    rotation=st.floats(0.1, 0.9),
    copies=st.lists(
        st.tuples(
            st.sampled_from(("plain", "gz", "zip", "tar")),
            st.sampled_from(("access.20260101-000000", "access.old", "copy", "backup")),
            st.integers(0, 1),
            st.floats(0.3, 1),
        ),
        max_size=4,
        unique_by=lambda each: each[:2],
    ),
    size=st.integers(500, 20_000),
    seed=st.integers(0, 2**16),
)
def test_copies_and_their_beginnings_count_once(
    tmp_path_factory, choices, rotation, copies, size, seed
):
    folder = tmp_path_factory.mktemp("logs")
    log = log_of(choices)
    cut = log.index(b"\n", round(rotation * (len(log) - 2))) + 1
    parts = log[:cut], log[cut:]
    assume(all(b"conn=" in part for part in parts))
    expected = counted_alone(tmp_path_factory.mktemp("alone") / "access", log)
    put(folder, "plain", "access.20261121-000000", parts[0])
    put(folder, "plain", "access", parts[1])
    for kind, name, which, share in copies:
        put(folder, kind, name, parts[which][: round(share * len(parts[which]))])

    with opened([folder]) as found:
        assert counted(plan({"ldap1": found}, size), seed) == expected


LOG = log_of([17, *[3, 9] * 120])
MIDDLE = LOG.index(b"\n", len(LOG) // 2) + 1
LATER = LOG.index(b"\n", 3 * len(LOG) // 4) + 1


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ldap1").mkdir()
    return tmp_path / "ldap1"


def planned(folder: Path, size: int = 1 << 20) -> Planned:
    return plan({"ldap1": Opened([folder])}, size)


@pytest.mark.parametrize("size", [1 << 20, 3001])
def test_what_copytruncate_left_in_both_files_counts_once(folder, tmp_path, size):
    (folder / "access.1").write_bytes(LOG[: LATER - 7])
    (folder / "access").write_bytes(LOG[MIDDLE:])

    found = planned(folder, size)

    assert counted(found) == counted_alone(tmp_path / "whole", LOG)
    [why] = found.left_out.values()
    assert str(why) == "Its end is also in access, and counts once."


def test_a_piece_out_of_another_file_counts_once(folder, tmp_path):
    (folder / "access.1").write_bytes(LOG)
    (folder / "access").write_bytes(LOG[MIDDLE:LATER])

    found = planned(folder)

    assert counted(found) == counted_alone(tmp_path / "whole", LOG)
    assert [str(why) for why in found.left_out.values()] == ["It lies within access.1."]


def test_a_copy_of_a_log_that_grew_is_named(folder):
    (folder / "access").write_bytes(LOG)
    (folder / "access.old").write_bytes(LOG[:MIDDLE])
    [why] = planned(folder).left_out.values()
    assert str(why) == f"It holds the beginning of {folder / 'access'}."


def test_what_overlaps_otherwise_is_named(folder):
    (folder / "access.1.gz").write_bytes(gzip.compress(LOG[:LATER]))
    (folder / "access.2").write_bytes(LOG[:MIDDLE].replace(b"conn=1 ", b"conn=7 "))
    (folder / "access").write_bytes(LOG[MIDDLE:])
    summary = Summary.total([summarise(unit) for unit in planned(folder).units])
    assert summary.servers()["ldap1"].overlaps == tuple(
        str(folder / name) for name in ("access.2", "access")
    )


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_an_archive_on_a_host_is_left_out_and_named(folder, kind):
    put(folder, "plain", "access", LOG)
    put(folder, kind, "old", LOG[:MIDDLE])
    body = answer_from(*_reading(answer(plan_request("ldap1", (str(folder),), 1 << 20))))
    found = json.loads(body)
    assert [unit["path"] for unit in found["units"]] == [str(folder / "access")]
    [(what, why)] = found["left_out"].items()
    assert what.startswith(f"ldap1: {folder / 'old'}.")
    assert why["template"] == "It is an archive: unpack it there first."


def _reading(answered: bytes) -> tuple[Callable[[int], bytes], Callable[[int], bytes]]:
    stream = BytesIO(answered)
    return stream.readline, stream.read


def test_logs_that_servers_name_alike_are_apart(folder):
    for name in ("slapd-a", "slapd-b"):
        (folder / name).mkdir()
        (folder / name / "access").write_bytes(LOG.replace(b"slapd-a", name.encode()))
    assert [unit.host for unit in planned(folder).units] == ["ldap1 (slapd-a)", "ldap1 (slapd-b)"]
