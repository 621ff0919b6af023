"""The side of pytest: tests collected once, and a fork of that process for each mutant.

In the fork the functions that a mutant changes get their new code, and the tests that run it are
run: nothing is started, imported or collected again. A mutant of what runs at import, or of a
function that other variables enclose, is handed back: it needs a process of its own.
"""

from __future__ import annotations

import gc
import inspect
import json
import os
import resource
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from tests.stages.scheduler import adopt_orphans, end_orphans

PIPES = "LDAP_WORKBENCH_MUTANTS"
"""Variable with two descriptors: mutants come from the first, verdicts go to the second."""
KILLED, SURVIVED, NOT_HERE = "killed", "survived", "not here"
_NOT_HERE = 3
"""How a fork ends where it could not put the mutant in."""
_POLL_S = 0.01


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Instead of running the tests: judge mutants until none comes any more."""
    adopt_orphans()
    orders, verdicts = (int(number) for number in os.environ.pop(PIPES).split())
    by_name = {item.nodeid: item for item in session.items}
    with os.fdopen(orders) as lines, os.fdopen(verdicts, "w") as answers:
        for line in lines:
            order = json.loads(line)
            items = [by_name[name] for name in order["tests"]]
            print(_judge(session, order, items), file=answers, flush=True)
            end_orphans()
    return True


def _judge(session: pytest.Session, order: dict[str, str], items: list[pytest.Item]) -> str:
    limit_s = float(order["limit_s"])
    pid = os.fork()
    if not pid:
        try:
            os._exit(_play(session, order, items))
        except BaseException:  # noqa: BLE001 - whatever a mutant raises, the fork ends here
            os._exit(1)
    status = wait_for(pid, limit_s)
    if status is None:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return KILLED
    return {0: SURVIVED, _NOT_HERE: NOT_HERE}.get(status, KILLED)


def wait_for(pid: int, limit_s: float) -> int | None:
    """The status a child ends with, None at the limit.

    Meanwhile other children are let go at once: tests wait until a process is no longer there.
    """
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        ended, status = os.waitpid(-1, os.WNOHANG)
        if ended == pid:
            return os.waitstatus_to_exitcode(status)
        if not ended:
            time.sleep(_POLL_S)
    return None


def _play(session: pytest.Session, order: dict[str, str], items: list[pytest.Item]) -> int:
    processor_s = int(order["processor_s"])
    resource.setrlimit(resource.RLIMIT_CPU, (processor_s, processor_s + 5))
    text = Path(order["file"]).read_text("utf-8")
    if not put_in(order["file"], text, order["mutated"]):
        return _NOT_HERE
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return 1
    return 0


def put_in(file: str, text: str, mutated: str) -> bool:
    """Give the living functions of a file their new code; whether that was all it takes."""
    changed = dict(_changed_functions(compile(text, file, "exec"), compile(mutated, file, "exec")))
    functions = [
        function
        for function in gc.get_objects()
        if isinstance(function, FunctionType)
        and function.__code__.co_filename == file
        and function.__code__ in changed
    ]
    for function in functions:
        try:
            function.__code__ = changed[function.__code__]
        except ValueError:  # it encloses other variables than before
            return False
    return bool(functions)


def _changed_functions(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Code of the outermost functions that differ, before and after."""
    pairs = zip(_inner(old), _inner(new), strict=True)
    for before, after in pairs:
        if before == after:
            continue
        if before.co_flags & inspect.CO_NEWLOCALS:  # not the body of a class
            yield before, after
        else:
            yield from _changed_functions(before, after)


def _inner(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]
