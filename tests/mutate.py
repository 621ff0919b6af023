"""Mutants of a room: small mistakes put into its code, and whether its unit tests notice.

    python -m tests.mutate tuning --seed 1 --count 75

Rooms: tuning, experiment, statistics, session. The seed draws the sample. Each mutant is put into a
copy of the tree, and those unit tests of the room run against it that run its line: a first run
without a mutant shows which. Where a test fails, or they take far too long, the mutant is killed.
Survivors are lines that no test of the room holds: FILE:LINE OLD → NEW; `not run` are those that no
test of the room even runs. Processes that a test starts are not looked into.

Code of functions is changed in forks of one process that has all tests collected (mutate_live.py);
what runs at import takes a process of its own and all tests of the room.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from coverage import CoverageData

from tests import mutate_live, mutate_reach
from tests.stages.scheduler import adopt_orphans, end_orphans

ROOT = Path(__file__).parents[1]
ROOMS = ("tuning", "experiment", "inference", "session")
_APP = Path("app/ldap_workbench")
_COPIED = ("app", "tests", "resources", "packaging", "docs")
_NOT_COPIED = shutil.ignore_patterns("__pycache__", "corpus", "*.rs", "target")
_FAILED, _NOT_COLLECTED = 1, 2
"""How pytest ends where a test fails, and where a module cannot even be imported."""
_SPARE = 3
"""How many times as long as without a mutant the tests may take, and then a minute."""
_AT_IMPORT = ""
"""Stands for a test where a line runs before any does."""

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.GtE, ast.LtE),
    ast.LtE: (ast.Gt, ast.Lt),
    ast.Gt: (ast.LtE, ast.GtE),
    ast.GtE: (ast.Lt, ast.Gt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}


@dataclass(frozen=True)
class Mutant:
    """One change of a file's text: `new` instead of what stands from `start` to `end`."""

    file: str
    line: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.file}:{self.line} {old} → {new}"

    def applied_to(self, text: str) -> str:
        """The text with the mutant, with as many lines as before."""
        lines = "\n" * self.old.count("\n")
        new = f"({lines}{self.new[1:]}" if self.new.startswith("(") else f"{self.new}{lines}"
        return text[: self.start] + new + text[self.end :]


def mutants_of(text: str, file: str) -> list[Mutant]:
    """Every mutant of a module, in the order of the text."""
    tree = ast.parse(text)
    lines = _starts_of_lines(text)
    found = []
    for node, new in _changes(tree):
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = _offset(text, lines, node.lineno, node.col_offset)
        end = _offset(text, lines, node.end_lineno, node.end_col_offset)
        found.append(Mutant(file, node.lineno, start, end, text[start:end], new))
    return sorted(found, key=lambda mutant: (mutant.start, mutant.end, mutant.new))


def _starts_of_lines(text: str) -> list[int]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _offset(text: str, starts: Sequence[int], line: int, column: int) -> int:
    """Of a place in the text; ast counts columns in bytes."""
    whole = text[starts[line - 1] : starts[line]]
    return starts[line - 1] + len(whole.encode()[:column].decode())


def _changes(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """A node, and the text that takes its place."""
    for node in _code(tree):
        match node:
            case ast.Compare():
                yield from _other_comparisons(node)
            case ast.BoolOp():
                other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
                yield node, _in_brackets(ast.BoolOp(other, node.values))
            case ast.Constant(value=int(number)) if not isinstance(number, bool):
                yield node, str(number + 1)
                yield node, str(number - 1) if number else "(-1)"
            case ast.Return(value=ast.expr() as value) if not _is_none(value):
                yield node, "return None"
            case ast.Expr(value=ast.Call()):
                yield node, "pass"
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield test, f"(not ({ast.unparse(test)}))"


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """What a run executes: no annotations, assertions, f-strings, or imports for mypy alone."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr | ast.Assert):
                continue
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            yield child
            yield from _code(child)


def _other_comparisons(node: ast.Compare) -> Iterator[tuple[ast.AST, str]]:
    for place, operator in enumerate(node.ops):
        for other in _COMPARISONS[type(operator)]:
            changed = copy.copy(node)
            changed.ops = [*node.ops[:place], other(), *node.ops[place + 1 :]]
            yield node, _in_brackets(changed)


def _in_brackets(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def draw(room: str, seed: int, count: int) -> list[Mutant]:
    """A sample of the mutants of a room, the same for a seed as long as the code is."""
    every = [
        mutant
        for path in sorted((ROOT / _APP / room).rglob("*.py"))
        for mutant in mutants_of(path.read_text("utf-8"), str(path.relative_to(ROOT)))
    ]
    return random.Random(seed).sample(every, min(count, len(every)))


def lines_of_statement(text: str, line: int) -> range:
    """Lines of the innermost statement at a line; of one with a body, those before the body."""
    spans = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt) and node.end_lineno is not None:
            body = getattr(node, "body", None)
            end = max(body[0].lineno, node.lineno + 1) if body else node.end_lineno + 1
            if node.lineno <= line < end:
                spans.append(range(node.lineno, end))
    return max(spans, key=lambda span: span.start, default=range(line, line + 1))


class Tree:
    """A copy of the checkout, in which one mutant at a time lives."""

    def __init__(self, folder: Path, room: str) -> None:
        self._folder = folder
        self._tests = f"tests/unit/{room}"
        self._written = 0
        self._seconds: dict[str, float] = {}
        self._live: Live | None = None
        for name in _COPIED:
            shutil.copytree(ROOT / name, folder / name, ignore=_NOT_COPIED)
        for path in ROOT.glob("*.*"):
            if path.is_file():
                shutil.copy(path, folder)
        for plugin in (mutate_reach, mutate_live):
            shutil.copy(str(plugin.__file__), folder)

    def measure(self) -> bool:
        """Run all tests of the room and note which lines each runs; whether they pass."""
        settings = self._folder / "reach.ini"
        settings.write_text("[run]\ninclude = */app/*\ndata_file = reach\n", "utf-8")
        measured = ("coverage", "run", "--rcfile", str(settings), "-m")
        passed = self._run(*measured, arguments=["-p", "mutate_reach", self._tests]) == 0
        if passed:
            self._seconds = json.loads((self._folder / mutate_reach.SECONDS).read_text("utf-8"))
        return passed

    def tests_of(self, mutant: Mutant) -> list[str]:
        """The tests that run a mutant, quickest first; one that stands for import among them."""
        path = self._folder / mutant.file
        reached = CoverageData(str(self._folder / "reach"))
        reached.read()
        by_line = reached.contexts_by_lineno(str(path.resolve()))
        lines = lines_of_statement(path.read_text("utf-8"), mutant.line)
        chosen = {test for line in lines for test in by_line.get(line, ())}
        return sorted(chosen, key=lambda test: (self._seconds.get(test, 0.0), test))

    def kills(self, mutant: Mutant) -> bool:
        """Whether a test that runs the mutant fails with it, or all of them take too long."""
        tests = self.tests_of(mutant)
        if not tests:
            return False
        verdict = mutate_live.NOT_HERE
        if _AT_IMPORT not in tests:
            self._live = self._live or Live(self._pytest("-p", "mutate_live", self._tests))
            text = mutant.applied_to((self._folder / mutant.file).read_text("utf-8"))
            verdict = self._live.judge(
                str(self._folder / mutant.file), text, tests, self._limit(tests)
            )
        if verdict == mutate_live.NOT_HERE:
            return self._kills_in_a_process(mutant)
        return verdict == mutate_live.KILLED

    def close(self) -> None:
        """End the process with the tests."""
        if self._live:
            self._live.close()

    def _limit(self, tests: Iterable[str]) -> float:
        return _SPARE * sum(self._seconds[test] for test in tests) + 60

    def _kills_in_a_process(self, mutant: Mutant) -> bool:
        """By all tests of the room, those named after the module first."""
        path = self._folder / mutant.file
        text = path.read_text("utf-8")
        files = {test.partition("::")[0] for test in self._seconds}
        first = sorted(files, key=lambda file: (f"/test_{path.stem}" not in file, file))
        self._write(path, mutant.applied_to(text))
        try:
            status = self._run(arguments=first, limit_s=self._limit(self._seconds))
        finally:
            self._write(path, text)
        return status in (_FAILED, _NOT_COLLECTED, None)

    def _pytest(self, *arguments: str, under: Sequence[str] = ()) -> Command:
        """pytest on the copy, under another module of Python or none."""
        python = [sys.executable, "-m", *under]
        environment = os.environ | {
            "PYTHONPATH": str(self._folder / "app"),
            "PYTHONPYCACHEPREFIX": str(self._folder / "bytecode"),
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        words = ["pytest", "-x", "-q", "-n", "0", "-m", "not full", *arguments]
        return Command([*python, *words], self._folder, environment)

    def _run(self, *under: str, arguments: Sequence[str], limit_s: float = math.inf) -> int | None:
        """The status pytest ends with; None where it took too long."""
        process = self._pytest(*arguments, under=under).start()
        status = mutate_live.wait_for(process.pid, limit_s)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return status

    def _write(self, path: Path, text: str) -> None:
        """With a time of its own: bytecode is taken for current where time and size are."""
        path.write_text(text, "utf-8")
        self._written += 2
        moment = time.time() - 10**6 + self._written
        os.utime(path, (moment, moment))


@dataclass(frozen=True)
class Command:
    """A command line, where it runs and with what environment."""

    words: list[str]
    folder: Path
    environment: dict[str, str]

    def start(self, pipes: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
        """Start it in a group of its own, silent, with these descriptors."""
        return subprocess.Popen(
            self.words,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=pipes,
        )


class Live:
    """The process that has the tests collected and judges mutants in forks."""

    def __init__(self, command: Command) -> None:
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        command.environment[mutate_live.PIPES] = f"{theirs_in} {theirs_out}"
        self._process = command.start((theirs_in, theirs_out))
        os.close(theirs_in)
        os.close(theirs_out)
        self._orders, self._verdicts = os.fdopen(ours_out, "w"), os.fdopen(ours_in)

    def judge(self, file: str, mutated: str, tests: Sequence[str], limit_s: float) -> str:
        """One of the words of mutate_live. Raises EOFError where the process is gone."""
        order = {
            "file": file,
            "mutated": mutated,
            "tests": tests,
            "limit_s": limit_s,
            "processor_s": math.ceil(limit_s - 55),
        }
        print(json.dumps(order), file=self._orders, flush=True)
        verdict = self._verdicts.readline().strip()
        if not verdict:
            raise EOFError("the process with the tests has ended")
        return verdict

    def close(self) -> None:
        """Let it end: no more mutants come."""
        self._orders.close()
        self._process.wait()
        self._verdicts.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, run and print; 2 where the tests fail without a mutant."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("room", choices=ROOMS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=75)
    options = parser.parse_args(arguments)
    sample = draw(options.room, options.seed, options.count)
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="ldap-workbench-mutants-") as folder:
        tree = Tree(Path(folder), options.room)
        if not tree.measure():
            print(f"The unit tests of {options.room} fail without a mutant.")
            return 2
        try:
            survivors = _play(tree, sample)
        finally:
            tree.close()
            end_orphans()
    killed = len(sample) - len(survivors)
    print(f"\n{options.room}: {killed} of {len(sample)} killed ({killed / len(sample):.0%})")
    for survivor in survivors:
        print(survivor)
    return 0


def _play(tree: Tree, sample: Sequence[Mutant]) -> list[Mutant]:
    survivors = []
    for mutant in sample:
        killed = tree.kills(mutant)
        if killed:
            word = "killed  "
        else:
            word = "SURVIVED" if tree.tests_of(mutant) else "NOT RUN "
            survivors.append(mutant)
        print(word, mutant, flush=True)
    return survivors


if __name__ == "__main__":
    sys.exit(main())
