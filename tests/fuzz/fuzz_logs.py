"""Fuzz every log grammar: LDAP_WORKBENCH_KERNEL=python python -m tests.fuzz.fuzz_logs [SECONDS]

With the kernel interpreted, every memory access is checked against the arrays it may touch. Where
atheris is installed it guides the mutations (first argument --atheris, its own behind it); else
seeds are mutated at random. A failing input is written to `fuzz-failure.bin`.
"""

from __future__ import annotations

import contextlib
import random
import sys
import time
from pathlib import Path

from ldap_workbench.logs.detect import detect
from ldap_workbench.logs.dialects import DIALECTS
from ldap_workbench.logs.errors389 import read_error_log
from ldap_workbench.logs.iostat import IostatReader
from ldap_workbench.logs.kernel import checked
from ldap_workbench.logs.kernel.compiled import INTERPRETED
from ldap_workbench.logs.scanner import Scanner
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.operations import COLUMNS, TYPES

SEEDS = (
    b'[21/Nov/2026:02:20:00.151797648 +0000] conn=7 op=1 SRCH base="ou=a" scope=2 filter="(a=b)"\n'
    b"[21/Nov/2026:02:20:00.151797648 +0000] conn=7 op=1 RESULT err=0 tag=101 nentries=3 "
    b'wtime=0.000126358 optime=0.1 etime=0.000270322 notes=U,P details="x,y" dn="cn=a"\n',
    b"[21/Nov/2026:02:20:00 +0000] conn=66 (Internal) op=0(9)(1) MOD dn=\"cn=a\"\n"
    b"[21/Nov/2026:02:20:00 +0000] conn=Internal(0) op=0(9)(1) RESULT err=0 tag=48 etime=0.5\n",
    b"[21/Nov/2026:02:20:00 +0000] conn=9 op=1 msgId=2 - BIND dn=\"cn=a\" method=128 version=3\n",
    b"[21/Nov/2026:02:20:00 +0000] SEARCH REQ conn=4 op=1 msgID=2 base=\"\" filter=\"(a=b)\"\n"
    b"[21/Nov/2026:02:20:00 +0000] SEARCH RES conn=4 op=1 msgID=2 result=0 unindexed etime=9\n",
    b"6a00ff10.0d4cd4da 0x7f5da53fe6c0 conn=1000 fd=11 ACCEPT from IP=[::1]:4 (IP=[::]:389)\n"
    b"Nov 21 02:20:00 h slapd[1]: conn=1000 op=0 RESULT tag=97 err=0 qtime=0.1 etime=0.2 text=\n",
    b'{"local_time":"2025-02-10T13:41:53.1 -0500","operation":"SEARCH","key":"17-1","conn_id":1,'
    b'"op_id":28,"base_dn":"\\u00e9\\"","filter":"(a=b)","notes":[{"note":"U"}]}\n',
    b'{"eventName":"DJ-LDAP","client":{"ip":"x"},"request":{"operation":"BIND","connId":4},'
    b'"response":{"elapsedTime":1},"timestamp":"2026-11-21T02:20:00Z"}\n',
    b'{"sysstat": {"hosts": [{"statistics": [{"timestamp": "2026-11-21T02:20:00Z", "disk": []}]}'
    b"]}}",
)  # fmt: skip
WORDS = [
    b'"', b"\\", b"\n", b"\0", b"[", b"(", b"=", b" ", b"conn=", b"op=", b"etime=",
    b"99999999999999", b"-1", b"RESULT ", b'"operation":', b"{", b"}", b"\xff",
    b"0." + b"1" * 30, b"A" * 600,
]  # fmt: skip


def one_input(data: bytes) -> None:
    """Feed one input to every reader in two pieces; raises where something is wrong."""
    cut = len(data) // 3
    for dialect in DIALECTS:
        scanner = Scanner(dialect, own_nonces=[b"nonce"])
        for operations in (scanner.feed(data[:cut]), scanner.feed(data[cut:]), scanner.finish()):
            n = len(operations)
            assert all(len(getattr(operations, name)) == n for name in COLUMNS)
            assert (operations.etime_ns >= 0).all()
            assert (operations.kind < len(TYPES)).all()
            assert (operations.base < len(operations.bases)).all()
            assert (operations.fingerprint < len(operations.fingerprints)).all()
            assert (operations.result_at < len(data)).all()
        scanner.open_requests()
        list(scanner._tables[2])
    detect(data)
    read_error_log(data)
    with contextlib.suppress(LogError):
        IostatReader().feed(data)
    if INTERPRETED:
        checked.forget()


def mutated(rng: random.Random) -> bytes:
    """A seed, or two, with some places changed."""
    data = bytearray(rng.choice(SEEDS) * rng.randint(1, 3))
    if rng.random() < 0.3:
        data += rng.choice(SEEDS)
    for _ in range(rng.randint(1, 12)):
        place = rng.randrange(len(data) + 1)
        kind = rng.random()
        if kind < 0.4:
            data[place:place] = rng.choice(WORDS)
        elif kind < 0.7:
            data[place : place + rng.randint(1, 8)] = rng.randbytes(rng.randint(0, 4))
        elif kind < 0.85:
            del data[place : place + rng.randint(1, 60)]
        else:
            data[place:place] = data[: rng.randint(0, len(data))]
    return bytes(data)


def main(seconds: float, seed: int) -> int:
    """Fuzz for a while; returns how many inputs were tried."""
    rng = random.Random(seed)
    until, tried = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        data = mutated(rng)
        try:
            one_input(data)
        except BaseException:
            Path("fuzz-failure.bin").write_bytes(data)
            raise
        tried += 1
    return tried


if __name__ == "__main__":
    if sys.argv[1:2] == ["--atheris"]:
        import atheris  # type: ignore[import-not-found]

        atheris.Setup([sys.argv[0], *sys.argv[2:]], one_input)
        atheris.Fuzz()
    else:
        print(
            main(float(sys.argv[1]) if len(sys.argv) > 1 else 300, seed=int(time.time())), "inputs"
        )
