"""A process that summarises units: python -m ldap_workbench.fleet.worker, or `fleet worker`.

One request a line comes in as JSON. For each, `{}` goes out every few seconds while it is worked
on, then a line of JSON, and behind that as many bytes as it says. It runs on this machine or on
another and ends at once with its standard input: whoever asked is gone.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from ldap_workbench import __version__
from ldap_workbench.fleet.excerpts import Hour, pieces
from ldap_workbench.fleet.mapping import summarise
from ldap_workbench.fleet.units import Planned, Unit, plan
from ldap_workbench.logs.reading.archives import unopened
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import as_json, verbatim

BEAT_S = 5.0
"""So often a worker shows that it lives."""


def request(unit: Unit, parts: Path | None) -> bytes:
    """The line that asks for a unit; `parts`: the folder of its Parquet files, if any."""
    return _line({"unit": asdict(unit), "parts": str(parts) if parts is not None else None})


def plan_request(server: str, paths: tuple[str, ...], size: int) -> bytes:
    """The line that asks what units the logs of a server are."""
    return _line({"server": server, "paths": paths, "size": size})


def excerpt_request(server: str, hour: Hour, paths: tuple[str, ...]) -> bytes:
    """The line that asks for the lines of an hour; the answers are `excerpts.pieces`."""
    return _line({"hour": asdict(hour), "server": server, "paths": paths})


def main() -> None:
    """Answer until nobody asks any more."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything else prints is no answer
    asked: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_serve, args=(asked, out), daemon=True).start()
    for line in sys.stdin.buffer:
        asked.put(line)
    os._exit(0)


def answer(line: bytes) -> bytes:
    """What goes out for a request that has one answer: a line and what it announces."""
    return b"".join(answers(line))


def answers(line: bytes) -> Iterator[bytes]:
    """All that goes out for a request, each a line and what it announces."""
    try:
        for body in _bodies(json.loads(line)):
            yield _line(_head(size=len(body))) + body
    except WorkbenchError as error:
        yield _line(_head(why=as_json(error.what)))
    except OSError as error:  # the disk, or a file that was rotated away in the meantime
        yield _line(_head(why=as_json(verbatim(str(error)))))


def _bodies(asked: Mapping[str, Any]) -> Iterator[bytes]:
    if "unit" in asked:
        parts = Path(asked["parts"]) if asked["parts"] is not None else None
        yield summarise(Unit(**asked["unit"]), parts).to_bytes()
        return
    # Archives stay packed: the server needs its disk.
    logs = unopened(Path(path) for path in asked["paths"])
    if "hour" in asked:
        yield from pieces(asked["server"], Hour(**asked["hour"]), logs)
    else:
        yield planned_bytes(plan({asked["server"]: logs}, asked["size"]))


def planned_bytes(planned: Planned) -> bytes:
    """Units and what is left out; `remote.planned` reads it."""
    left_out = {what: as_json(why) for what, why in planned.left_out.items()}
    return _line({"units": [asdict(unit) for unit in planned.units], "left_out": left_out})


def _head(**said: Any) -> dict[str, Any]:
    return {"version": __version__, **said}


def _line(tree: Any) -> bytes:
    return json.dumps(tree).encode() + b"\n"


def _serve(asked: queue.SimpleQueue[bytes], out: BinaryIO) -> None:
    """One request after the other; a fault of ours ends the process, which says why."""
    try:
        while True:
            line = asked.get()
            replies = answers(line)
            while True:
                with _Beats(out):
                    one = next(replies, None)
                if one is None:
                    break
                out.write(one)
                out.flush()
    except BaseException:  # noqa: BLE001 - a thread that died would leave a process that is silent
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


class _Beats:
    """Says every few seconds that the worker is at work."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._ended.wait(BEAT_S):
            self._out.write(_line({}))
            self._out.flush()


if __name__ == "__main__":
    main()
