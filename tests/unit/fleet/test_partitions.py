"""However logs are divided, and in whatever order they are merged: the same bytes."""

from __future__ import annotations

import random
from io import BytesIO
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from ldap_workbench.fleet.answers import answer_from, summary_of
from ldap_workbench.fleet.mapping import summarise
from ldap_workbench.fleet.summary import Summary, joined_bytes
from ldap_workbench.fleet.units import Unit, ranges
from ldap_workbench.fleet.worker import answer, request
from tests.unit.fleet.logs import log_of


def whole(path: Path, place: int = 0) -> Unit:
    return Unit("ldap1", str(path), place, "389")


def joined(summary: Summary) -> dict[str, bytes]:
    return {host: joined_bytes(server) for host, server in summary.servers().items()}


def merged_as_a_tree(parts: list[Summary], rng: random.Random) -> Summary:
    """Any two of them, until there is one."""
    while len(parts) > 1:
        rng.shuffle(parts)
        parts = [Summary.total(parts[:2]), *parts[2:]]
    return Summary.from_bytes(parts[0].to_bytes())


@settings(max_examples=40, deadline=None)
@given(
    choices=st.lists(st.integers(0, 16 * 500 - 1), min_size=1, max_size=120),
    cuts=st.lists(st.floats(0, 1), max_size=6),
    rotations=st.lists(st.floats(0, 1), max_size=2),
    seed=st.integers(0, 2**16),
)
def test_every_partition_and_order_gives_the_same_bytes(
    tmp_path_factory, choices, cuts, rotations, seed
):
    folder = tmp_path_factory.mktemp("logs")
    log = log_of(choices)
    (folder / "all").write_bytes(log)
    expected = joined(summarise(whole(folder / "all")))

    lines = log.splitlines(keepends=True)
    ends = [0, *sorted({round(share * len(lines)) for share in rotations}), len(lines)]
    units = []
    for place, (first, last) in enumerate(pairwise(ends)):
        text = b"".join(lines[first:last])
        path = folder / f"access.{place}"
        path.write_bytes(text)
        at = sorted({0, len(text), *(round(share * len(text)) for share in cuts)})
        units += ranges(whole(path, place), at) if len(at) > 1 else [whole(path, place)]
    rng = random.Random(seed)
    rng.shuffle(units)
    # By way of a worker's request and answer, as every engine has them.
    answers = [BytesIO(answer(request(unit, None))) for unit in units]
    bodies = [answer_from(each.readline, each.read) for each in answers]
    parts = [summary_of(body, unit) for body, unit in zip(bodies, units, strict=True)]
    found = merged_as_a_tree(parts, rng)

    assert joined(found) == expected


def test_a_part_that_is_missing_leaves_its_connections_unknown(tmp_path):
    path = tmp_path / "access"
    path.write_bytes(log_of([17, 3, 9, *[3, 9] * 30]))
    n = path.stat().st_size
    first, _, third = ranges(whole(path), [0, n // 3, 2 * n // 3, n])

    found = Summary.total([summarise(first), summarise(third)]).servers()["ldap1"]

    clients = found.counts.client_names
    assert "" in clients
    assert "192.0.2.1" in clients
    assert sum(found.counts.lines) < sum(summarise(whole(path)).counts["ldap1"].lines)


def test_a_result_meets_its_request_in_the_file_before(tmp_path):
    text = log_of([17, 3, 9])
    cut = text.rindex(b"[21/Nov")
    (tmp_path / "a").write_bytes(text[:cut])
    (tmp_path / "b").write_bytes(text[cut:])

    parts = [summarise(whole(tmp_path / name, place)) for place, name in enumerate("ab")]
    alone = parts[1].servers()["ldap1"]
    together = Summary.total(parts).servers()["ldap1"]

    assert (alone.unjoined, alone.counts.shape_names) == (1, ("",))
    assert (together.unjoined, together.open) == (0, 0)
    assert together.counts.shape_names == ("(cn=?)",)
    assert together.counts.client_names == ("192.0.2.1",)


T = "[21/Nov/2026:02:20:0{}.151797648 +0000] conn=1 "
RUN = "\t389-Directory/2.3.1 B2023.000.0000\n\n" + T.format(1) + (
    "fd=64 slot=64 connection from 192.0.2.1 to 192.0.2.9\n"
)  # fmt: skip
ASKED = T.format(2) + 'op=1 EXT oid="1.2.3"\n'
DONE = T.format(3) + "op=1 RESULT err=0 tag=0 nentries=0 wtime=0.1 optime=0.2 etime=0.3\n"


def both_ways(tmp_path, first: str, second: str):
    """Servers of two files, and of one that holds both."""
    parts = []
    for place, text in enumerate((first, second)):
        (tmp_path / f"a.{place}").write_text(text)
        parts.append(summarise(whole(tmp_path / f"a.{place}", place)))
    (tmp_path / "all").write_text(first + second)
    return joined(Summary.total(parts)), joined(summarise(whole(tmp_path / "all")))


def test_a_server_run_that_begins_with_a_file_shares_no_connection(tmp_path):
    later = (RUN + ASKED).replace("02:20:", "02:21:")
    divided, together = both_ways(tmp_path, RUN + ASKED, later)
    assert divided == together


def test_the_request_tells_the_type_of_a_result_that_does_not(tmp_path):
    divided, together = both_ways(tmp_path, RUN + ASKED, DONE)
    assert divided == together
