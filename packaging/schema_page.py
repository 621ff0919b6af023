"""docs/schema.md: the tables of a session file and their columns, for whoever queries it.

.venv/bin/python packaging/schema_page.py        write the page anew
"""

from __future__ import annotations

from pathlib import Path

from ldap_workbench.model.operations import ABSENT, COLUMNS, NOTES, RARE, TYPES
from ldap_workbench.session.schema import SCHEMA_VERSION, SQL_TYPES, TABLES

PAGE = Path(__file__).parents[1] / "docs" / "schema.md"

TABLE_WORDS = {
    "meta": "Key and value: the `schema` version, the version of the workbench, and as JSON the "
    "`facts` of the server.",
    "capture_window": "Measurement windows: from `start_ns` up to `end_ns`, the rest as JSON in "
    "`body` (name, arm A or B, pair).",
    "source": "What was sampled in a window: kind, and as JSON its state, the reason, counts of "
    "lines understood, skipped and unknown.",
    "operation": "Finished operations, one row each. See below.",
    "string": "What the columns `client`, `fingerprint`, `base`, `bind_dn` and `index_key` of "
    "`operation` point to: by source, kind (the name of the column) and id.",
    "series": "Names of what was sampled.",
    "sample": "Values of a series: time, value; `NULL` where the source gave none.",
    "raw": "The text of a source in zstd frames: `first_byte` is the offset of the first byte of a "
    "frame in the text, `size` its bytes when unpacked. More frames are in `raw_2`, `raw_3` ...",
    "mark": "Moments that were marked, as JSON.",
    "experiment": "Experiments with plan, state and verdict, as JSON. The words of a verdict are "
    "those of [its page](verdict.md); earlier versions wrote *immaterial* and *insufficient*.",
    "change": "Changes that the experiments made, as in the journal, as JSON.",
}

COLUMN_WORDS = {
    "end_ns": "time on the result line, ns since 1970 UTC by the server's clock",
    "etime_ns": "etime, ns; the request arrived at `end_ns - etime_ns`",
    "wtime_ns": "time in the work queue, ns",
    "optime_ns": "time at work, ns",
    "kind": "type: " + ", ".join(f"{i} {name}" for i, name in enumerate(TYPES)),
    "internal": "the server itself asked (plug-ins)",
    "own": "the workbench asked",
    "err": "LDAP result code",
    "nentries": "entries returned",
    "notes": "bits of the letters "
    + ", ".join(f"{letter} ({1 << bit})" for bit, letter in enumerate(NOTES))
    + "; S: sorted by the server",
    "boot": "server starts seen in the log before it",
    "conn": "connection",
    "op": "operation of the connection",
    "internal_op": "number of the internal operation, 0 for a client's",
    "nesting": "depth of an internal operation, 0 for a client's",
    "client": "client address: id in `string`",
    "fingerprint": "search filter without its values: id in `string`",
    "base": "search base or target DN: id in `string`",
    "bind_dn": "bind DN: id in `string`",
    "request_at": "offset of the request line in the text of the source, bytes",
    "result_at": "offset of the result line, bytes",
    "wqtime_ns": "time in the queue of the workers, ns (389 DS 3.2)",
    "writetime_ns": "time to write the answer, ns (389 DS 3.2)",
    "index_ns": "time in the indexes, ns (STAT lines)",
    "index_ids": "entries of the longest index key (STAT lines)",
    "opened_ns": "when the connection was opened, in the row of its first operation, ns",
    "closed_ns": "when the connection was closed, where the operation ended after that, ns",
    "index_key": "the longest index key, or what slapd calls not indexed: id in `string`",
    "wbusy": "busy workers when the answer was logged (389 DS 3.2)",
    "wmax": "workers there were",
    "wqdepth": "operations that waited for one",
    "deref": "how aliases are followed, 0 to 3",
    "vlv": "a page of a sorted list was asked for",
}

_HEAD = f"""\
# The session file, for your own queries

Written from the code by `packaging/schema_page.py`. A session (`*.ldapwb`) is one DuckDB database,
schema version {SCHEMA_VERSION}. Any DuckDB from 1.2 on opens it:

```sh
duckdb -readonly experiment.ldapwb
```

Tables and columns keep their names and meanings as long as the schema version stays; a newer
version may add some. Open files read-only, and copy a file before you change it: the workbench
refuses a session that has views, macros or tables of other shapes.
"""

_SQL = """\
## Queries

Temporary views stay out of the file. Types by name, times as timestamps, durations in ms:

```sql
CREATE TEMP VIEW operations AS
SELECT
    w.id AS window_id,
    [{types}][o.kind + 1] AS type,
    make_timestamp_ns(o.end_ns - o.etime_ns) AS started,
    o.etime_ns / 1e6 AS etime_ms,
    o.err,
    o.nentries,
    client.value AS client,
    fingerprint.value AS filter
FROM operation o
JOIN source s ON s.id = o.source
JOIN capture_window w ON w.id = s.capture_window
    AND o.end_ns - o.etime_ns >= w.start_ns AND o.end_ns - o.etime_ns < w.end_ns
LEFT JOIN string client
    ON client.source = o.source AND client.kind = 'client' AND client.id = o.client
LEFT JOIN string fingerprint
    ON fingerprint.source = o.source AND fingerprint.kind = 'fingerprint'
    AND fingerprint.id = o.fingerprint
WHERE NOT o.internal AND NOT o.own;

SELECT window_id, type, count(*) AS operations, quantile_cont(etime_ms, 0.99) AS p99_ms
FROM operations
GROUP BY ALL
ORDER BY ALL;
```
"""

_PYTHON = """\
## Python

`ldap_workbench.open` gives the same as numpy arrays, checked as the workbench checks them: nothing
in a file runs, and a file of another shape is refused with a `SessionError`.

```python
import ldap_workbench as lw
import numpy as np
from ldap_workbench.model.operations import is_type

with lw.open("experiment.ldapwb") as session:
    for window in session.windows():
        operations = session.operations(window)
        searches = operations.take(is_type(operations, "SRCH"))
        if len(searches):
            p99 = np.quantile(searches.etime_ns, 0.99) / 1e6
            print(f"{window.name}: {len(searches):,} searches, p99 {p99:.2f} ms")
```

`windows()`, `sources()`, `operations(window)`, `series_names(window)`, `samples(window, series)`,
`raw(source, at, length)`, `marks()`, `experiments()` and `changes()` are what a session answers;
their docstrings say in what units.

`lw.tails(session)` and `lw.findings(session)` give what the commands print,
`lw.import_logs([path], output)` makes a session of logs. These four functions keep their names and
arguments within a major version. [notebooks/session.ipynb](notebooks/session.ipynb) shows all of it
on the logs of a case; it runs in CI.
"""


def page() -> str:
    """The whole page, as Markdown."""
    tables = [f"| `{name}` | `{_columns(name)}` | {TABLE_WORDS[name]} |" for name in TABLES]
    return (
        "\n".join(
            [
                _HEAD,
                "## Tables\n",
                "| table | columns | what it holds |",
                "|---|---|---|",
                *tables,
                "",
                _columns_of_operation(),
                _SQL.format(types=", ".join(f"'{name}'" for name in TYPES)),
                _PYTHON,
            ]
        ).rstrip()
        + "\n"
    )


def _columns(table: str) -> str:
    """Names and types; those of operation are a table of their own."""
    if table == "operation":
        return "source INTEGER, ..."
    return TABLES[table].replace(" USING COMPRESSION uncompressed", "")


def _columns_of_operation() -> str:
    lines = [
        "## Columns of `operation`\n",
        f"A time or count that the log does not give is {ABSENT} (the least BIGINT), an id that "
        "points nowhere -1. The columns marked *rare* are there only where something is said in "
        "them.\n",
        "| column | type | what it holds |",
        "|---|---|---|",
        "| `source` | INTEGER | the log it was read from |",
    ]
    for name, words in COLUMN_WORDS.items():
        rare = "*rare*: " * (name in RARE)
        lines.append(f"| `{name}` | {SQL_TYPES[COLUMNS[name](0).dtype.name]} | {rare}{words} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
