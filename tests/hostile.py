"""A session whose every string was written by somebody who means harm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb

_WORDS_OF_OURS = {
    *("kind", "state", "arm", "type", "dialect", "metric", "verdict", "primary", "then", "product"),
    *("db_library", "profile", "design", "group", "change_groups", "identity", "drop"),
}
"""What the program chooses, or knows again: anything else there, and the session does not open."""


def make_hostile(path: Path, text: str) -> Path:
    """Put `text` after every free string of a session: names, notes, reasons, values, paths."""
    with duckdb.connect(str(path)) as db:
        for table in ("capture_window", "source", "mark", "experiment", "change"):
            for row, body in db.execute(f"SELECT rowid, body FROM {table}").fetchall():
                hostile = json.dumps(_with(json.loads(body), text))
                db.execute(f"UPDATE {table} SET body = ? WHERE rowid = ?", [hostile, row])
        db.execute("UPDATE string SET value = value || ?", [text])
        facts = db.execute("SELECT value FROM meta WHERE key = 'facts'").fetchone()
        if facts:
            hostile = json.dumps(_with(json.loads(facts[0]), text))
            db.execute("UPDATE meta SET value = ? WHERE key = 'facts'", [hostile])
    return path


def _with(value: Any, text: str) -> Any:
    if isinstance(value, str):
        return value + text
    if isinstance(value, list):
        return [_with(each, text) for each in value]
    if isinstance(value, dict):
        return {
            key: each if key in _WORDS_OF_OURS else _with(each, text) for key, each in value.items()
        }
    return value
