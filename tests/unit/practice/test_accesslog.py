"""The log tells what the model did, line by line, in the format of 389 DS 2.3."""

import re
from collections import Counter

import numpy as np
import pytest

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.operations import TYPES
from ldap_workbench.practice.model.accesslog import lines_of, opening, text_of
from ldap_workbench.practice.model.knobs import effective_knobs
from ldap_workbench.practice.model.operations import Model
from ldap_workbench.practice.model.scenario import load_scenario
from tests.unit.practice.simulated import EPOCH_NS

LINE = re.compile(
    r"\[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d\.\d{9} \+0000\] "
    r"(conn=(?P<conn>\d+) (op=(?P<op>\d+) )?|conn=Internal\(0\) op=0\(\d+\)\(1\) )"
    r"(?P<body>(?P<word>SRCH|BIND|MOD|ADD|DEL|CMP|RESULT|UNBIND|fd=\d+).*)"
)
RESULT = re.compile(
    r"RESULT err=[06] tag=(97|101|103|105|107|111|48) nentries=[01] "
    r'wtime=0\.\d{9} optime=\d+\.\d{9} etime=(?P<etime>\d+\.\d{9})( dn="[^"]+")?'
)


def history(name="referint-trains", steps=40, step=3.0):
    """Batches and the text of the whole history, written piece by piece as the server does."""
    scenario = load_scenario(name) if isinstance(name, str) else name
    model = Model(scenario, effective_knobs(scenario.settings, ram_bytes=8 << 30), 4)
    pending = opening(model.connections, 0.0, EPOCH_NS)
    batches, pieces = [], []
    for n in range(steps):
        now = (n + 1) * step
        batches.append(model.advance(now))
        lines = np.concatenate([pending, lines_of(batches[-1], EPOCH_NS)])
        due = lines["time"] < EPOCH_NS + int(now * 1e9)
        pending = lines[~due]
        pieces.append(text_of(np.sort(lines[due], order="time"), internal=True))
    pieces.append(text_of(np.sort(pending, order="time"), internal=True))
    return batches, b"".join(pieces).decode()


@pytest.fixture(scope="module")
def told():
    return history()


def test_every_line_is_one_the_server_would_write(told):
    _, text = told
    for line in text.splitlines():
        found = LINE.fullmatch(line)
        assert found, line
        if found["word"] == "RESULT":
            assert RESULT.fullmatch(found["body"]), line


def test_every_operation_has_one_request_and_then_one_result(told):
    batches, text = told
    requests, results = Counter(), Counter()
    for line in text.splitlines():
        found = LINE.fullmatch(line)
        key = (found["conn"], found["op"])
        if found["conn"] is None or found["op"] is None or found["word"] == "UNBIND":
            continue
        if found["word"] == "RESULT":
            results[key] += 1
            assert requests[key] == 1, line
        elif not found["word"].startswith("fd="):
            requests[key] += 1
    served = sum(len(batch.rows) for batch in batches)
    assert len(results) == served
    assert set(requests.values()) == set(results.values()) == {1}


def test_the_etimes_are_those_of_the_model(told):
    batches, text = told
    written = sorted(
        round(float(RESULT.fullmatch(found["body"])["etime"]) * 1e9)
        for line in text.splitlines()
        if (found := LINE.fullmatch(line))["word"] == "RESULT" and found["conn"]
    )
    expected = np.sort(np.rint(np.concatenate([b.etime for b in batches]) * 1e9))
    assert np.abs(np.array(written) - expected).max() <= 1


def test_lines_are_in_order_of_time(told):
    _, text = told
    stamps = [line[13:31] for line in text.splitlines()]
    assert stamps == sorted(stamps)


def test_a_request_caught_in_a_stall_is_written_before_the_stall_ends():
    """Its thread has logged it; only the answer waits."""
    _, text = history("checkpoint-storms", steps=900, step=0.1)
    began: dict[tuple[str, str], str] = {}
    longest = 0.0
    for line in text.splitlines():
        found = LINE.fullmatch(line)
        key = (found["conn"], found["op"])
        if found["word"] == "SRCH":
            began[key] = line[19:31]
        elif found["word"] == "RESULT" and key in began:
            etime = float(RESULT.fullmatch(found["body"])["etime"])
            apart = (float(line[19:31].split(":")[-1]) - float(began[key].split(":")[-1])) % 60
            if "wtime=0.0000" in line:
                longest = max(longest, apart)
                assert apart == pytest.approx(etime, abs=2e-3)
    assert longest > 0.1


def test_internal_operations_are_written_at_level_4_only():
    batches, text = history(steps=50)
    assert any(e.cause == "train" for batch in batches for e in batch.episodes)
    assert "conn=Internal(0)" in text
    lines = np.concatenate([lines_of(batch, EPOCH_NS) for batch in batches])
    assert b"Internal" not in text_of(lines, internal=False)


def test_our_own_scanner_reads_every_line_and_every_operation(told):
    batches, text = told
    scanner = Scanner()
    operations = scanner.feed(text.encode())
    scanner.finish()
    clients = operations.take(~operations.internal)
    rows = np.concatenate([batch.rows for batch in batches])
    assert len(clients) == len(rows)
    assert scanner.counts.unknown == 0
    for kind in ("SRCH", "BIND", "MOD", "DEL"):
        number = TYPES.index(kind)
        assert (clients.kind == number).sum() == (rows["kind"] == number).sum()
