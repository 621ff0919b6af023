"""The access log of the model's operations, in the format of 389 DS 2.3.

Text of many log lines at once: a byte matrix, one row a line, in which NUL means nothing. Numbers
are looked up four digits at a time, words by index: a fraction of a format string's time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import TYPES
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.practice.model.costs import Rows
from ldap_workbench.practice.model.operations import Batch, Connections
from ldap_workbench.practice.model.stalls import Interruption
from ldap_workbench.practice.model.workload import (
    BIND,
    BY_NUMBER,
    GROUP,
    PORTAL,
    SRCH,
)

Bytes = NDArray[np.uint8]
Int = NDArray[np.int64]
_FOUR = np.frombuffer(b"".join(b"%04d" % i for i in range(10_000)), dtype=np.uint32)


def digits(values: Int, width: int) -> Bytes:
    """Zero-filled decimals, shape (n, width)."""
    groups = -(-width // 4)
    matrix = np.empty((len(values), groups), dtype=np.uint32)
    rest = values.astype(np.uint64)
    for group in reversed(range(groups)):
        # numpy divides unsigned by a constant many times faster than it takes divmod
        above = rest // np.uint64(10_000)
        matrix[:, group] = _FOUR[rest - above * np.uint64(10_000)]
        rest = above
    return matrix.view(np.uint8)[:, groups * 4 - width :]


def number(values: Int, width: int = 8) -> Bytes:
    """Decimals without leading zeros."""
    matrix = digits(values, width)
    for column in range(width - 1):
        matrix[values < 10 ** (width - 1 - column), column] = 0
    return matrix


def table(texts: Sequence[str]) -> Bytes:
    """Texts as rows of bytes, for `words` to choose from."""
    encoded = [text.encode() for text in texts]
    matrix = np.zeros((len(encoded), max(map(len, encoded))), dtype=np.uint8)
    for row, text in enumerate(encoded):
        matrix[row, : len(text)] = list(text)
    return matrix


def words(rows: Bytes, index: NDArray[np.integer]) -> Bytes:
    """The text at rows[index] for each line."""
    texts: Bytes = rows[index]
    return texts


def word(text: str, n: int) -> Bytes:
    """The same text in each of n rows."""
    return np.broadcast_to(np.frombuffer(text.encode(), np.uint8), (n, len(text.encode())))


def seconds(ns: Int) -> Bytes:
    """Durations as 389 DS prints them: 0.000270322."""
    whole, fraction = np.divmod(ns, NS_PER_S)
    return np.hstack([number(whole, 4), word(".", len(ns)), digits(fraction, 9)])


def stamps(ns: Int) -> Bytes:
    """[21/Nov/2026:02:19:59.903111192 +0000] and a blank."""
    whole, fraction = np.divmod(ns, NS_PER_S)
    different, index = np.unique(whole, return_inverse=True)
    texts = [time.strftime("[%d/%b/%Y:%H:%M:%S.", time.gmtime(second)) for second in different]
    n = len(ns)
    return np.hstack([words(table(texts or [""]), index), digits(fraction, 9), word(" +0000] ", n)])


def joined(parts: Sequence[tuple[NDArray[np.intp], Bytes]], n: int) -> bytes:
    """Rows of several matrices put at their places among n lines, as one text."""
    width = max((matrix.shape[1] for _, matrix in parts), default=0)
    everything = np.zeros((n, width), dtype=np.uint8)
    for rows, matrix in parts:
        everything[rows, : matrix.shape[1]] = matrix
    flat = everything.ravel()
    text: bytes = flat[flat != 0].tobytes()
    return text


LINE = np.dtype(
    [
        ("time", "i8"),
        ("what", "u1"),
        ("kind", "u1"),
        ("client", "u2"),
        ("conn", "i8"),
        ("op", "i8"),
        ("user", "i8"),
        ("form", "u1"),
        ("unindexed", "?"),
        ("wtime", "i8"),
        ("etime", "i8"),
    ]
)
OPEN, REQUEST, RESULT, UNBIND, CLOSE, INTERNAL_REQUEST, INTERNAL_RESULT = range(7)

SUFFIX = "dc=example,dc=com"
PEOPLE = f"ou=people,{SUFFIX}"
MEMBERSHIP = ("member", "uniquemember", "owner", "seeAlso")
"""referint-membership-attr: one internal search each, then one internal MOD."""
_TAGS = {"BIND": 97, "SRCH": 101, "MOD": 103, "ADD": 105, "DEL": 107, "MODRDN": 109, "CMP": 111}
_FIRST_FD = 64


def lines_of(batch: Batch, epoch_ns: int) -> Rows:
    """Every line the batch will write, in no order; some lie after its end."""
    return np.concatenate(
        [
            _lines(OPEN, batch.arrived[batch.arrived["kind"] == BIND], epoch_ns),
            _lines(REQUEST, batch.stuck, epoch_ns, batch.stuck["at"] + 20e-6),
            _served(batch, epoch_ns),
            *(_train(episode, epoch_ns) for episode in batch.episodes if episode.cause == "train"),
        ]
    )


def opening(connections: Connections, at: float, epoch_ns: int) -> Rows:
    """The long-lived connections that come (back) after a start."""
    number = np.arange(connections.lasting)
    lines = np.zeros(len(number), LINE)
    lines["what"], lines["conn"] = OPEN, number + 1
    lines["client"] = np.minimum(number, connections.clients)  # a pool is of one application
    lines["time"] = epoch_ns + ((at + 0.002 * number) * NS_PER_S).astype(np.int64)
    return lines


def _lines(what: int, rows: Rows, epoch_ns: int, at: NDArray[np.float64] | None = None) -> Rows:
    lines = np.zeros(len(rows), LINE)
    lines["what"] = what
    for name in ("kind", "client", "conn", "op", "user", "form", "unindexed"):
        lines[name] = rows[name]
    lines["time"] = epoch_ns + _ns(rows["at"] if at is None else at)
    return lines


def _served(batch: Batch, epoch_ns: int) -> Rows:
    rows = batch.rows
    new = ~rows["requested"]
    results = _lines(RESULT, rows, epoch_ns, batch.finished)
    results["wtime"], results["etime"] = _ns(batch.wtime), _ns(batch.etime)
    last = results[(rows["kind"] == BIND) == (rows["visit"] == 0)]
    unbinds, closes = last.copy(), last.copy()
    unbinds["what"], closes["what"] = UNBIND, CLOSE
    unbinds["time"] += 90_000
    closes["time"] += 100_000
    began = (rows["at"] + batch.wtime)[new]
    return np.concatenate([_lines(REQUEST, rows[new], epoch_ns, began), results, unbinds, closes])


def _train(episode: Interruption, epoch_ns: int) -> Rows:
    """The internal operations of a train, evenly over its length: searches, then a MOD."""
    per_train = len(MEMBERSHIP) + 1
    n = int(episode.work) * per_train
    step = episode.length / max(1, n)
    lines = np.zeros((2, n), LINE)
    start = epoch_ns + _ns(episode.start + step * np.arange(n))
    lines["time"] = start, start + _ns(np.full(n, 0.9 * step))
    lines["what"] = [[INTERNAL_REQUEST], [INTERNAL_RESULT]]
    lines["op"] = round(episode.start * 1000) % 100_000 * 100 + np.arange(n)
    lines["kind"] = np.arange(n) % per_train
    lines["user"] = (np.arange(n) // per_train * 7_919) % 20_000
    lines["etime"] = _ns(np.full(n, 0.9 * step))
    return lines.ravel()


def _ns(at: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    ns: NDArray[np.int64] = np.rint(at * NS_PER_S).astype(np.int64)
    return ns


def text_of(lines: Rows, internal: bool) -> bytes:
    """Lines, which are in order of time, as the server writes them; internal ones at level 4."""
    if not internal:
        lines = lines[lines["what"] < INTERNAL_REQUEST]
    parts = []
    for what, body in _BODIES.items():
        rows = np.flatnonzero(lines["what"] == what)
        if len(rows):
            some = lines[rows]
            parts.append((rows, np.hstack([stamps(some["time"]), body(some)])))
    return joined(parts, len(lines))


def _head(lines: Rows) -> list[Bytes]:
    return [word("conn=", len(lines)), number(lines["conn"])]


def _operation(lines: Rows) -> list[Bytes]:
    return [*_head(lines), word(" op=", len(lines)), number(lines["op"])]


def _descriptor(lines: Rows) -> Bytes:
    return number(_FIRST_FD + lines["conn"] % 400, 3)


def _open(lines: Rows) -> Bytes:
    n = len(lines)
    fd = _descriptor(lines)
    client = number(lines["client"].astype(np.int64) + 10, 3)
    return np.hstack(
        [
            *_head(lines),
            word(" fd=", n),
            fd,
            word(" slot=", n),
            fd,
            word(" connection from 10.20.30.", n),
            client,
            word(" to 10.20.30.1\n", n),
        ]
    )


def _request(lines: Rows) -> Bytes:
    form = lines["form"].astype(np.int64) * len(TYPES) + lines["kind"]
    before, after = words(_BEFORE, form), words(_AFTER, form)
    return np.hstack([*_operation(lines), before, _named(lines), after])


def _named(lines: Rows) -> Bytes:
    """The number in the name of what a request is about; the application's account has none."""
    named = digits(lines["user"], 7)
    numbered, groups = lines["form"] == BY_NUMBER, lines["form"] == GROUP
    named[numbered] = number(lines["user"][numbered], 7)
    named[groups] = 0
    named[groups, 4:] = digits(lines["user"][groups] % _GROUPS, 3)
    named[_of_application(lines)] = 0
    return named


def _of_application(lines: Rows) -> NDArray[np.bool_]:
    """Binds of the application's account."""
    binds: NDArray[np.bool_] = (lines["form"] == PORTAL) & (lines["kind"] == BIND)
    return binds


def _result(lines: Rows) -> Bytes:
    n = len(lines)
    kind = lines["kind"]
    bind = np.array(kind == BIND, dtype=np.int64) + _of_application(lines)
    user = digits(lines["user"], 7) * (bind == 1)[:, None].astype(np.uint8)
    return np.hstack(
        [
            *_operation(lines),
            words(_RESULTS, kind),
            *_times(lines),
            words(_NOTES, lines["unindexed"].astype(np.int64)),
            words(_BOUND[0], bind),
            user,
            words(_BOUND[1], bind),
            word("\n", n),
        ]
    )


def _times(lines: Rows) -> list[Bytes]:
    n = len(lines)
    optime = lines["etime"] - lines["wtime"] + 900
    return [
        word(" wtime=", n),
        seconds(lines["wtime"]),
        word(" optime=", n),
        seconds(optime),
        word(" etime=", n),
        seconds(lines["etime"]),
    ]


def _unbind(lines: Rows) -> Bytes:
    return np.hstack(
        [
            *_head(lines),
            word(" op=", len(lines)),
            number(lines["op"] + 1),
            word(" UNBIND\n", len(lines)),
        ]
    )


def _close(lines: Rows) -> Bytes:
    n = len(lines)
    why = word(" Disconnect - Cleanly Closed Connection - U1\n", n)
    return np.hstack(
        [
            *_head(lines),
            word(" op=", n),
            number(lines["op"] + 1),
            word(" fd=", n),
            _descriptor(lines),
            why,
        ]
    )


def _internal_head(lines: Rows) -> list[Bytes]:
    n = len(lines)
    return [word("conn=Internal(0) op=0(", n), number(lines["op"]), word(")(1) ", n)]


def _internal_request(lines: Rows) -> Bytes:
    user = digits(lines["user"], 7)
    before, after = words(_INTERNAL[0], lines["kind"]), words(_INTERNAL[1], lines["kind"])
    return np.hstack([*_internal_head(lines), before, user, after])


def _internal_result(lines: Rows) -> Bytes:
    n = len(lines)
    head = word("RESULT err=0 tag=48 nentries=", n)
    entry_count = number(np.array(lines["kind"] == 0, dtype=np.int64), 1)
    return np.hstack([*_internal_head(lines), head, entry_count, *_times(lines), word("\n", n)])


def _by_form(usual: dict[str, str], others: dict[int, dict[str, str]]) -> Bytes:
    """Texts by form and, within each, by kind; what a form does not name is as usual."""
    forms = [usual | others.get(form, {}) for form in range(GROUP + 1)]
    return table([texts.get(kind, "") for texts in forms for kind in TYPES])


_GROUPS = 100
_DN = f',{PEOPLE}"'
_ACCOUNT = f'cn=portal,ou=services,{SUFFIX}"'
_BEFORE = _by_form(
    {
        "SRCH": f' SRCH base="{PEOPLE}" scope=2 filter="(uid=user',
        "CMP": ' CMP dn="uid=user',
        **{kind: f' {kind} dn="uid=user' for kind in ("BIND", "MOD", "ADD", "DEL", "MODRDN")},
    },
    {
        PORTAL: {"BIND": f' BIND dn="{_ACCOUNT}'},
        BY_NUMBER: {"SRCH": f' SRCH base="{PEOPLE}" scope=2 filter="(employeeNumber='},
        GROUP: {"MOD": ' MOD dn="cn=group'},
    },
)
_BOUND_AS = " method=128 version=3\n"
_AFTER = _by_form(
    {
        "SRCH": ')" attrs=ALL\n',
        "BIND": f"{_DN}{_BOUND_AS}",
        "CMP": f'{_DN} attr="sn"\n',
        **dict.fromkeys(("MOD", "ADD", "DEL", "MODRDN"), f"{_DN}\n"),
    },
    {PORTAL: {"BIND": _BOUND_AS}, GROUP: {"MOD": f',ou=groups,{SUFFIX}"\n'}},
)
_BOUND = table(["", ' dn="uid=user', f' dn="{_ACCOUNT}']), table(["", _DN, ""])
_NOTES = table(["", ' notes=A details="Fully unindexed search"'])
_RESULTS = table(
    [
        f" RESULT err={6 if kind == 'CMP' else 0} tag={_TAGS.get(kind, 120)} "
        f"nentries={int(index == SRCH)}"
        for index, kind in enumerate(TYPES)
    ]
)
_SEARCHES = [f'SRCH base="{SUFFIX}" scope=2 filter="({name}=uid=user' for name in MEMBERSHIP]
_INTERNAL = (
    table([*_SEARCHES, 'MOD dn="cn=group']),
    table([*(f',{PEOPLE})" attrs="{name}"\n' for name in MEMBERSHIP), f',ou=groups,{SUFFIX}"\n']),
)
_BODIES: dict[int, Callable[[Rows], Bytes]] = {
    OPEN: _open,
    REQUEST: _request,
    RESULT: _result,
    UNBIND: _unbind,
    CLOSE: _close,
    INTERNAL_REQUEST: _internal_request,
    INTERNAL_RESULT: _internal_result,
}
