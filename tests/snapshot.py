"""Every output that must not change while code is moved: python -m tests.snapshot FOLDER

Writes help texts, plans, what each command prints of sessions, reports and exports, and what is
read of every file of the corpus (LDAP_WORKBENCH_CORPUS), one file an output. Write it before and
after a change of the code, then see what differs. --part names what to write: help, plans,
sessions, cases, field (tests/field) or corpus. All of it takes ten minutes of a processor.

    python -m tests.snapshot build/before
    python -m tests.snapshot build/after
    python -m tests.snapshot --compare build/before build/after
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORPUS = Path(os.environ.get("LDAP_WORKBENCH_CORPUS", ROOT.parent.parent / "shared" / "corpus"))
PARTS = ("help", "plans", "sessions", "cases", "field", "corpus")

_VIEWS = {
    "windows": "windows {file} --json",
    "tails": "tails {file} --json",
    "tails-text": "tails {file}",
    "tails-client": "tails {file} --client --json",
    "findings": "findings {file} --all --json",
    "findings-text": "findings {file} --all",
    "findings-p50": "findings {file} --tail p50 --json",
    "account": "account {file} --json",
    **{
        f"account-{key}": f"account {{file}} --by {key} --json"
        for key in ("bind_dn", "kind", "base", "result", "connection", "second")
    },
    "stalls": "stalls {file} --json",
    "settings": "settings {file} --json",
    "clients": "clients {file} --json",
    "clients-text": "clients {file}",
    "slowest": "slowest {file} --lines 1 --json",
    "slowest-text": "slowest {file}",
    "why": "why {file} --json",
    "stacks": "stacks {file} --csv",
    "knobs": "knobs {file} --json",
    **{
        f"groups-{key}": f"groups {{file}} --by {key} --json"
        for key in ("filter", "client", "dn", "entry")
    },
    "compare": "compare {file} --a 1 --b 2 --json",
    "report-html": "report {file} -o {out}/report.html",
    "report-md": "report {file} -o {out}/report.md",
    "export": "export {file} {out} --csv --ldif --dsconf --ansible --hlog --openmetrics --grafana",
    "replay": "replay build {file} -o {out}/replay.script --window 1 --json",
}
"""Name of an output -> the command that prints it."""

_HOSTILE_VIEWS = ("slowest", "slowest-text", "groups-filter", "report-html", "report-md", "export")
_CASE_VIEWS = (
    "windows", "tails", "findings", "account", "stalls", "settings", "stacks", "report-md"
)  # fmt: skip
_FIELD_VIEWS = ("findings", "account", "account-kind", "account-connection")
_CORPUS_VIEWS = ("tails", "findings", "account")
_TEXTS = {".html", ".md", ".csv", ".ldif", ".sh", ".yml", ".hlog", ".prom", ".txt", ".json"}
_CHANGING = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UUID"),
    (re.compile(r"(?<=[Ww]ritten )\d{4}-\d\d-\d\d[ T][\d:]{5,8}"), "NOW"),
)
_WRITTEN_S = 1_795_161_600
"""Time of the files of the cases: what has no time of its own gets that of its file."""
_LINES_SHOWN = 12
"""Lines of a difference that are shown of each file."""


class Snapshot:
    """A folder of outputs, and the rooms in which they are made."""

    def __init__(self, folder: Path, room: Path) -> None:
        self._folder = folder
        self._room = room
        self._sessions = 0

    def write(self, name: str, text: str) -> None:
        """One output, without what differs between two runs of the same code."""
        path = self._folder / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(normalised(text, self._room), "utf-8")

    def run(self, name: str, command: str, *paths: str, file: str = "") -> None:
        """What a command prints and what it writes into `{out}`."""
        from tests.hostile_commands import run

        out = Path(tempfile.mkdtemp(dir=self._room))
        words = [w.replace("{file}", file).replace("{out}", str(out)) for w in command.split()]
        status, said = run([*words, *paths])
        self.write(name, f"{status}\n{said.replace(str(out), 'OUT')}")
        for path in sorted(p for p in out.rglob("*") if p.suffix in _TEXTS):
            self.write(f"{name}/{path.relative_to(out)}", path.read_text("utf-8"))
        shutil.rmtree(out)

    def views(self, name: str, file: Path, views: tuple[str, ...] = tuple(_VIEWS)) -> None:
        """What the commands say of one session."""
        for view in views:
            self.run(f"{name}/{view}", _VIEWS[view], file=str(file))

    def import_files(self, name: str, *paths: Path) -> Path:
        """The session of some files; it is missing where nothing could be read."""
        self._sessions += 1
        session = self._room / f"{self._sessions}.ldapwb"
        self.run(f"{name}/import", f"import --json -o {session}", *map(str, paths))
        return session


def normalised(text: str, room: Path) -> str:
    """Text without the folder it was made in, the time of its making and unique numbers."""
    text = text.replace(str(room), "ROOM").replace(str(CORPUS), "CORPUS")
    for pattern, name in _CHANGING:
        text = pattern.sub(name, text)
    return text


def write_help(snapshot: Snapshot) -> None:
    """The help of every command."""
    sys.path.insert(0, str(ROOT / "packaging"))
    from man import commands

    snapshot.write("help/list", "\n".join(command.usage for command in commands()))
    for command in commands():
        path = re.split(r" [\[{]", command.usage)[0].split()[1:]
        snapshot.run(f"help/{'-'.join(path)}", f"{' '.join(path)} --help")


def write_plans(snapshot: Snapshot) -> None:
    """Plans as sessions store them."""
    from ldap_workbench.experiment.plan import make_plan
    from ldap_workbench.model.experiment import Design, Then
    from ldap_workbench.session.codec import to_json
    from tests.sessions import TREATMENT

    options = {
        "pairs": {},
        "guards": {"guards": {"p99_ns": 2e8}, "primary": "slo", "slo_ns": 100_000_000},
        "restart": {"restart": True, "settle_s": 30.0, "then": Then.KEEP_IF_BETTER},
        "looks": {"looks": (8, 12, 16)},
    }
    for name, more in options.items():
        plan = make_plan(TREATMENT, Design("pairs", 16), window_s=120, seed=5, **more)
        snapshot.write(f"plans/{name}", to_json(plan))
    for kind, n in (("abba", 4), ("ab", 1)):
        plan = make_plan(TREATMENT, Design(kind, n), window_s=60, seed=5)
        snapshot.write(f"plans/{kind}", to_json(plan))


def write_sessions(snapshot: Snapshot) -> None:
    """The sample that comes with the program, and sessions built as an experiment writes them."""
    from ldap_workbench.practice.samples import samples
    from tests.sessions import build_capture_session, build_experiment_session

    room = Path(os.environ["LDAP_WORKBENCH_HOME"])
    for sample in samples():
        snapshot.views(f"sessions/{sample.name}", sample.copy())
    snapshot.views("sessions/experiment", build_experiment_session(room / "experiment.ldapwb"))
    path = build_experiment_session(room / "hostile.ldapwb", pairs=2, hostile=True)
    snapshot.views("sessions/hostile", path, _HOSTILE_VIEWS)
    path = build_capture_session(room / "capture.ldapwb", windows=2)
    snapshot.views("sessions/capture", path)


def write_cases(snapshot: Snapshot) -> None:
    """The cases of the documentation, and those published with the evidence of others."""
    from tests.cases_data import cases

    room = Path(os.environ["LDAP_WORKBENCH_HOME"]) / "cases"
    for name, files in cases().items():
        for file, text in files.items():
            path = room / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            os.utime(path, (_WRITTEN_S, _WRITTEN_S))
    folders = [*sorted(room.iterdir()), *sorted((CORPUS / "cases").glob("*/"))]
    for folder in folders:
        session = snapshot.import_files(f"cases/{folder.name}", folder)
        snapshot.views(f"cases/{folder.name}", session, _CASE_VIEWS)


def write_field(snapshot: Snapshot) -> None:
    """Field problems, whose true cause is known, and healthy windows."""
    room = Path(os.environ["LDAP_WORKBENCH_HOME"]) / "field"
    for name in sorted({path.stem for path in (ROOT / "tests" / "field").glob("batch*")}):
        batch = import_module(f"tests.field.{name}").BATCH
        for case in (*batch.cases, *batch.healthy):
            folder = room / name / case.name
            folder.mkdir(parents=True)
            case.write(folder)
            for path in folder.rglob("*"):
                os.utime(path, (_WRITTEN_S, _WRITTEN_S))
            session = snapshot.import_files(f"field/{name}/{case.name}", *sorted(folder.iterdir()))
            if session.exists():
                snapshot.views(f"field/{name}/{case.name}", session, _FIELD_VIEWS)


def write_corpus(snapshot: Snapshot) -> None:
    """Every file of the corpus by itself: what it is taken for, its tails and its findings."""
    for path in corpus_files():
        name = f"corpus/{path.relative_to(CORPUS)}"
        session = snapshot.import_files(name, path)
        if session.exists():
            snapshot.views(name, session, _CORPUS_VIEWS)
            session.unlink()


def corpus_files() -> Iterator[Path]:
    """Files of the corpus but for those of the cases, which belong together."""
    yield from (
        path
        for path in sorted(CORPUS.rglob("*"))
        if path.is_file() and CORPUS / "cases" not in path.parents
    )


def compare(before: Path, after: Path) -> list[str]:
    """What differs between two folders: a line for each output, then the first lines of it."""
    left, right = _outputs(before), _outputs(after)
    lines = [f"only before: {name}" for name in sorted(left.keys() - right.keys())]
    lines += [f"only after: {name}" for name in sorted(right.keys() - left.keys())]
    for name in sorted(left.keys() & right.keys()):
        old, new = left[name].read_text("utf-8"), right[name].read_text("utf-8")
        if old != new:
            lines.append(f"differs: {name}")
            lines += _difference(old, new)
    return lines


def _outputs(folder: Path) -> dict[str, Path]:
    return {str(p.relative_to(folder)): p for p in folder.rglob("*") if p.is_file()}


def _difference(old: str, new: str) -> list[str]:
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0))[2:]
    shown = [f"    {line[:300]}" for line in lines[:_LINES_SHOWN]]
    left = len(lines) - len(shown)
    return shown + ([f"    ... {left} more lines"] if left else [])


def write(folder: Path, parts: list[str]) -> None:
    """All parts of a snapshot, in a home of its own."""
    with tempfile.TemporaryDirectory() as room:
        os.environ |= {"LDAP_WORKBENCH_HOME": room, "COLUMNS": "100", "TZ": "UTC", "TERM": "dumb"}
        snapshot = Snapshot(folder, Path(room))
        for part in parts:
            globals()[f"write_{part}"](snapshot)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--part", action="append", choices=PARTS, help="only this; repeatable")
    parser.add_argument("--compare", action="store_true", help="show what differs between two")
    arguments = parser.parse_args()
    if not arguments.compare:
        shutil.rmtree(arguments.folders[0], ignore_errors=True)
        write(arguments.folders[0], arguments.part or list(PARTS))
        return 0
    differences = compare(*arguments.folders)
    print("\n".join(differences) or "no difference")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
