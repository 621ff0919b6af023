"""A process that summarises units: python -m ldap_workbench.fleet.worker.

One unit a line comes in as JSON; for each, a line of JSON goes out and behind it the bytes of its
summary. It runs on this machine or on another, and ends with its standard input.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from ldap_workbench.fleet.mapping import summarise
from ldap_workbench.fleet.units import Unit
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import as_json, verbatim


def request(unit: Unit, parts: Path | None) -> bytes:
    """The line that asks for a unit."""
    asked = {"unit": asdict(unit), "parts": str(parts) if parts is not None else None}
    return json.dumps(asked).encode() + b"\n"


def main() -> None:
    """Answer until nobody asks any more."""
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        head, body = _answer(json.loads(line))
        _write(out, head, body)


def _answer(asked: Any) -> tuple[dict[str, Any], bytes]:
    parts = Path(asked["parts"]) if asked["parts"] is not None else None
    try:
        body = summarise(Unit(**asked["unit"]), parts).to_bytes()
    except WorkbenchError as error:
        return {"size": 0, "why": as_json(error.what)}, b""
    except OSError as error:  # the disk, or a file that was rotated away in the meantime
        return {"size": 0, "why": as_json(verbatim(str(error)))}, b""
    return {"size": len(body)}, body


def _write(out: BinaryIO, head: dict[str, Any], body: bytes) -> None:
    out.write(json.dumps(head).encode() + b"\n")
    out.write(body)
    out.flush()


if __name__ == "__main__":
    main()
