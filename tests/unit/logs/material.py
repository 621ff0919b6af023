"""Where the reference material is, and its expected tails."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from ldap_workbench.logs.host.iostat_text import (
    read_iostat_aix,
    read_iostat_json,
    read_iostat_linux,
    read_iostat_solaris,
)
from ldap_workbench.logs.host.sar import read_sadf_json, read_sadf_table, read_sar
from ldap_workbench.logs.host.vmstat import read_vmstat
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.reports import CLOCK, Clock, Readings
from ldap_workbench.model.operations import ALL, INTERNAL, TYPES, Operations, is_type
from ldap_workbench.model.tail import QUANTILES

_CHECKOUT = Path(__file__).resolve().parents[3]
CORPUS = Path(os.environ.get("LDAP_WORKBENCH_CORPUS", _CHECKOUT.parent / "shared" / "corpus"))

HOST_REPORTS = {
    "iostat-aix": read_iostat_aix,
    "iostat-json": read_iostat_json,
    "iostat-linux": read_iostat_linux,
    "iostat-solaris": read_iostat_solaris,
    "sadf-d": read_sadf_table,
    "sadf-j": read_sadf_json,
    "sar": read_sar,
    **dict.fromkeys(("vmstat-aix", "vmstat-linux", "vmstat-solaris"), read_vmstat),
}
COLUMNS = ("n", *QUANTILES, "max_ns", "sum_ns")


def material(name: str) -> Path:
    """The file `name` of the reference material; skips the test where it is absent."""
    path = CORPUS / name
    if not path.exists():
        pytest.skip(f"reference material {name} is not beside the checkout")
    return path


def read_reports(data: bytes, clock: Clock = CLOCK) -> Readings:
    """What iostat, sar or vmstat printed, read as the format it has."""
    return HOST_REPORTS[detect(data).dialect](data, clock)


def expected() -> dict[str, dict[str, dict[str, int]]]:
    """EXPECTED.tsv: file -> type -> column -> value; empty where it is absent."""
    tails: dict[str, dict[str, dict[str, int]]] = defaultdict(dict)
    path = CORPUS / "EXPECTED.tsv"
    if path.exists():
        for line in path.read_text().splitlines():
            if not line.startswith("#"):
                file, name, *values = line.split("\t")
                numbers = (int(value) for value in values[: len(COLUMNS)])
                tails[file][name] = dict(zip(COLUMNS, numbers, strict=True))
    return tails


def tail(values: np.ndarray) -> dict[str, int]:
    """n, nearest-rank quantiles, maximum and sum of integer nanoseconds."""
    n = len(values)
    ordered = np.sort(values)
    ranks = {name: (p * n + q - 1) // q for name, (p, q) in QUANTILES.items()}
    quantiles = {name: int(ordered[rank - 1]) for name, rank in ranks.items()}
    return {"n": n, **quantiles, "max_ns": int(ordered[-1]), "sum_ns": int(values.sum())}


def tails(operations: Operations) -> dict[str, dict[str, int]]:
    """The rows of EXPECTED.tsv that these operations give."""
    rows = {}
    for name in (*TYPES, INTERNAL, ALL):
        values = operations.etime_ns[is_type(operations, name)]
        if len(values):
            rows["*" if name == ALL else name] = tail(values)
    return rows
