"""DuckDB as those who read a session need it.

`import duckdb` loads its relations, too, which nobody here uses: a sixth of the time of `tails`.
What it names is the same in both, so one module may use this and another that.
"""

from __future__ import annotations

try:
    import _duckdb as duckdb
except ImportError:  # a later one may keep its engine in another place
    import duckdb  # type: ignore[no-redef]

__all__ = ["duckdb"]
