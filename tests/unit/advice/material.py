"""Windows made by hand: operations, samples and views with exactly what a test needs."""

import json

import numpy as np

from ldap_workbench.advice.evidence.view import Baseline, WindowView
from ldap_workbench.advice.rules.rule import every_rule
from ldap_workbench.figures.overview.findings import FindingsView
from ldap_workbench.model.operations import ABSENT, COLUMNS, NOTES, RARE, TYPES, Operations
from ldap_workbench.model.target import Backend, TargetFacts
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window
from ldap_workbench.servers.product import fits_product

T0 = 1_767_225_600 * NS_PER_S
"""2026-01-01 00:00:00 UTC."""
LDBM = "cn=monitor,cn=ldbm database,cn=plugins,cn=config"
USERROOT = "cn=monitor,cn=userroot,cn=ldbm database,cn=plugins,cn=config"
DATABASE = f"cn=database,{LDBM}"
FACTS = TargetFacts(
    profile="lab",
    product="389 Directory Server",
    version="2.3.1",
    host="localhost",
    instance="slapd-lab",
    backends=(Backend("userRoot", "dc=example,dc=com", "cn=userRoot"),),
    db_library="bdb",
    db_directory="/var/lib/dirsrv/slapd-lab/db",
    cores=4,
    ram_bytes=24 * 1024**3,
    device="vda",
)


class Log:
    """Operations gathered one by one; times in seconds after T0."""

    def __init__(self):
        self.rows = []
        self.tables = {"fingerprints": [], "bases": [], "clients": [], "bind_dns": []}

    def add(self, kind, start, etime, *, filter="", base="", notes="", **columns):  # noqa: A002
        row = dict.fromkeys(COLUMNS, 0) | RARE
        row |= {"wtime_ns": ABSENT, "optime_ns": ABSENT}
        row["kind"] = TYPES.index(kind)
        row["etime_ns"] = round(etime * NS_PER_S)
        row["end_ns"] = T0 + round((start + etime) * NS_PER_S)
        row["notes"] = sum(1 << NOTES.index(letter) for letter in notes)
        row["fingerprint"] = self._index("fingerprints", filter)
        row["base"] = self._index("bases", base)
        for name in ("client", "bind_dn"):
            row[name] = self._index(f"{name}s", columns.pop(name, ""))
        row["conn"], row["op"] = 1, len(self.rows)
        self.rows.append(row | columns)
        return self

    def background(self, seconds, rate=20, etime=0.001, kind="SRCH", filter="(uid=?)"):  # noqa: A002
        """Quick operations all along, with some spread; a search returns the entry it asks for."""
        count = int(seconds * rate)
        etimes = etime * np.exp(0.4 * np.random.default_rng(7).standard_normal(count))
        for i in range(count):
            entries = int(kind == "SRCH")
            self.add(kind, i / rate, float(etimes[i]), filter=filter, nentries=entries)
        return self

    def done(self):
        """The operations in the order of their ends."""
        rows = sorted(self.rows, key=lambda row: row["end_ns"])
        for at, row in enumerate(rows):
            row["result_at"] = at
        columns = {n: np.array([r[n] for r in rows], dtype) for n, dtype in COLUMNS.items()}
        return Operations(**columns, **{n: tuple(t) for n, t in self.tables.items()})

    def _index(self, table, text):
        if not text:
            return -1
        known = self.tables[table]
        if text not in known:
            known.append(text)
        return known.index(text)


def window(seconds=600.0, start=0.0, **columns):
    begin = T0 + round(start * NS_PER_S)
    end = begin + round(seconds * NS_PER_S)
    return Window(**({"id": 1, "name": "baseline", "start_ns": begin, "end_ns": end} | columns))


def view(operations=None, *, seconds=600.0, **columns):
    if isinstance(operations, Log):
        operations = operations.done()
    operations = Operations.empty() if operations is None else operations
    return WindowView(window(seconds), operations, **({"facts": FACTS} | columns))


def baseline(log, seconds=600.0):
    return Baseline(window(seconds, name="before"), log.done())


def at(values, step=1.0):
    """A series with one value every `step` seconds."""
    values = np.array(values, np.float64)
    return T0 + (np.arange(len(values)) * step * NS_PER_S).astype(np.int64), values


def counter(per_step, steps=60, start=1000.0):
    return at(start + per_step * np.arange(steps))


def as_json(finding):
    """As `findings --json` writes it."""
    view = FindingsView((finding,), advice=(), conflicts=())
    return view.as_json()["findings"][0]


def load_rules(product):
    """The advice for a product and for any host; '' has what holds for every product."""
    return tuple(rule for rule in every_rule() if fits_product(rule.products, product))


def only(found, which):
    """The one finding with an id, which can be written as JSON and reads as a sentence."""
    hits = [f for f in found if f.id == which]
    assert len(hits) == 1, [f.id for f in found]
    assert json.loads(json.dumps(as_json(hits[0])))["id"] == which
    assert "{" not in str(hits[0].sentence)
    assert str(hits[0].sentence)[-1] == "."
    assert hits[0].evidence
    return hits[0]
