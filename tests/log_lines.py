"""The access log behind operations that were made up, in the words of 389 DS."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ldap_workbench.model.operations import TYPES, Operations
from ldap_workbench.model.units import NS_PER_S

_TAGS = {"SRCH": 101, "BIND": 97, "MOD": 103, "ADD": 105, "DEL": 107, "CMP": 111}


@dataclass(frozen=True)
class _Line:
    """One line of the log: when, which operation, whether it is its result."""

    time_ns: int
    row: int
    result: bool


def log_text(operations: Operations) -> tuple[bytes, Operations]:
    """The access log behind the operations, and the operations knowing where their lines are."""
    n = len(operations)
    starts, ends = operations.start_ns.tolist(), operations.end_ns.tolist()
    lines = [_Line(starts[i], i, result=False) for i in range(n)]
    lines += [_Line(ends[i], i, result=True) for i in range(n)]
    lines.sort(key=lambda line: (line.time_ns, line.row, line.result))
    asked, answered = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    pieces, at = [], 0
    kinds, stamps = operations.kind.tolist(), {}
    for line in lines:
        second = line.time_ns // NS_PER_S
        if second not in stamps:
            stamps[second] = np.datetime64(second, "s").item().strftime("%d/%b/%Y:%H:%M:%S")
        stamp = f"[{stamps[second]}.{line.time_ns % NS_PER_S:09d} +0000]"
        tell = _result if line.result else _request
        text = tell(operations, line.row, kinds[line.row])
        where = f"conn={operations.conn[line.row]} op={operations.op[line.row]}"
        piece = f"{stamp} {where} {text}\n".encode()
        (answered if line.result else asked)[line.row] = at
        pieces.append(piece)
        at += len(piece)
    return b"".join(pieces), replace(operations, request_at=asked, result_at=answered)


def _request(operations: Operations, row: int, kind: int) -> str:
    name = TYPES[kind]
    if name == "SRCH":
        base = operations.bases[operations.base[row]]
        asked = operations.fingerprints[operations.fingerprint[row]]
        return f'SRCH base="{base}" scope=2 filter="{asked}" attrs="cn mail"'
    if name == "BIND":
        dn = operations.bind_dns[operations.bind_dn[row]]
        return f'BIND dn="{dn}" method=128 version=3'
    return f'{name} dn="uid=user{row},ou=people,dc=example,dc=com"'


def _result(operations: Operations, row: int, kind: int) -> str:
    seconds = [
        f"{name}={ns // NS_PER_S}.{ns % NS_PER_S:09d}"
        for name, ns in (
            ("wtime", operations.wtime_ns[row]),
            ("optime", operations.optime_ns[row]),
            ("etime", operations.etime_ns[row]),
        )
    ]
    tag = _TAGS[TYPES[kind]]
    head = f"RESULT err={operations.err[row]} tag={tag} nentries={operations.nentries[row]}"
    return f"{head} {' '.join(seconds)}"
