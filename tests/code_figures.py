"""How the program's code is built, in figures: python -m tests.code_figures [--page] [--rooms]

Counts files, lines, headers, functions, comments and comprehensions below app/. --page writes the
table in CONTRIBUTING.md: the column "before" stays, the last one is of this checkout. --rooms
writes the lines of each room into docs/architecture.md. --list names the small functions and
modules that are counted.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).parents[1]
APP = ROOT / "app"
PAGE = ROOT / "CONTRIBUTING.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
SMALL_FILE = 110
"""A module of at most so many lines may be a paragraph of the one module that imports it."""
SMALL_FUNCTION = 4

_TABLE = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- end -->)", re.DOTALL)
_ROOMS = re.compile(r"(?<=<!-- rooms -->\n).*?(?=<!-- end -->)", re.DOTALL)
_ROOM = re.compile(r"^(\| (\w+) \|.*\|) ([\d,]+) \|$", re.MULTILINE)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Module:
    """One file of the program: its dotted name, text and syntax tree."""

    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    @property
    def folder(self) -> str:
        return self.name.rpartition(".")[0]


def read_modules(app: Path) -> list[Module]:
    """The modules below a folder, by name; a package is its `__init__`."""
    return [
        Module(".".join(path.relative_to(app).with_suffix("").parts), path.read_text("utf-8"))
        for path in sorted(app.rglob("*.py"))
    ]


def header_lines(module: Module) -> int:
    """Lines from the top of a file to the end of its imports, or of its docstring."""
    body = module.tree.body
    imports = [n for n in body if isinstance(n, ast.Import | ast.ImportFrom) or _for_types(n)]
    docstring = body[:1] if ast.get_docstring(module.tree) is not None else []
    return max((node.end_lineno or 0 for node in docstring + imports), default=0)


def _for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _length(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def comment_lines(module: Module) -> int:
    """Lines that are a comment and nothing else."""
    tokens = tokenize.generate_tokens(io.StringIO(module.text).readline)
    return sum(t.type == tokenize.COMMENT and t.line.strip().startswith("#") for t in tokens)


def functions(module: Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods, with those inside others."""
    return [node for node in module.nodes if isinstance(node, _FUNCTIONS)]


def nested_comprehensions(module: Module) -> int:
    """Comprehensions that hold another one."""
    outer = [node for node in module.nodes if isinstance(node, _COMPREHENSIONS)]
    return sum(any(isinstance(n, _COMPREHENSIONS) for n in _below(node)) for node in outer)


def _below(node: ast.AST) -> Iterator[ast.AST]:
    return (inner for inner in ast.walk(node) if inner is not node)


def small_helpers(module: Module) -> list[str]:
    """Private functions of at most four lines that their module uses once."""
    uses = Counter(_names_used(module.nodes))
    return [
        node.name
        for node in functions(module)
        if node.name.startswith("_") and not node.name.endswith("__") and not node.decorator_list
        if _length(node) <= SMALL_FUNCTION and uses[node.name] == 1
    ]


def _names_used(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def modules_of_one(modules: list[Module]) -> list[tuple[str, str]]:
    """Small modules that only one module imports, of the same folder, each with that one."""
    importers: dict[str, set[str]] = defaultdict(set)
    names = {module.name for module in modules}
    for module in modules:
        for name in _imports(module) & names:
            importers[name].add(module.name)
    pairs = []
    for module in modules:
        others = importers[module.name] - {module.name}
        if module.lines <= SMALL_FILE and len(others) == 1 and not module.name.endswith("__"):
            importer = others.pop()
            if importer.rpartition(".")[0] == module.folder and not importer.endswith("__init__"):
                pairs.append((module.name, importer))
    return pairs


def _imports(module: Module) -> set[str]:
    """Dotted names of what a module imports: modules, and names that may be modules."""
    names = set()
    for node in module.nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def figures(modules: list[Module]) -> dict[str, str]:
    """The figures by name, as the table shows them."""
    lines = sum(module.lines for module in modules)
    bodies = [_length(node) for module in modules for node in functions(module)]
    nodes = [node for module in modules for node in module.nodes]
    comprehensions = sum(isinstance(node, _COMPREHENSIONS) for node in nodes)
    conditionals = sum(isinstance(node, ast.IfExp) for node in nodes)
    nested = sum(map(nested_comprehensions, modules))
    return {
        "lines / files": f"{lines:,} / {len(modules):,}",
        "lines in a file, median / p90 / max": _spread([m.lines for m in modules]),
        "lines that are headers (docstring and imports)": _share(map(header_lines, modules), lines),
        "lines that are comments": _share(map(comment_lines, modules), lines),
        "functions": f"{len(bodies):,}",
        "lines in a function, median / p90 / max": _spread(bodies),
        "comprehensions per 1,000 lines": f"{1000 * comprehensions / lines:.1f}",
        "nested comprehensions per 1,000 lines": f"{1000 * nested / lines:.2f}",
        "conditional expressions per 1,000 lines": f"{1000 * conditionals / lines:.1f}",
        f"private functions of at most {SMALL_FUNCTION} lines used once": str(
            sum(len(small_helpers(module)) for module in modules)
        ),
        f"modules of at most {SMALL_FILE} lines that only a neighbour imports": str(
            len(modules_of_one(modules))
        ),
    }


def _spread(values: list[int]) -> str:
    top = quantiles(values, n=10, method="inclusive")[-1] if len(values) > 1 else values[0]
    return f"{median(values):.0f} / {top:.0f} / {max(values)}"


def _share(parts: Iterable[int], whole: int) -> str:
    return f"{sum(parts) / whole:.1%}".replace("%", " %")


def table(before: dict[str, str], title: str, now: dict[str, str], commit: str) -> str:
    """The Markdown table of two columns; `title` heads the first."""
    rows = [f"| {name} | {before.get(name, '')} | {value} |" for name, value in now.items()]
    return "\n".join([f"| | {title} | now ({commit}) |", "|---|---:|---:|", *rows, ""])


def first_column(markdown: str) -> tuple[str, dict[str, str]]:
    """Head and cells of the table's first column of figures."""
    rows = [line.strip("|").split("|") for line in markdown.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row] for row in rows]
    return cells[0][1], {row[0]: row[1] for row in cells[2:]}


def updated(page: str, now: dict[str, str], commit: str) -> str:
    """The page with its table written again; the column "before" stays."""
    match = _TABLE.search(page)
    assert match is not None, "the page has no <!-- figures --> ... <!-- end -->"
    if not match[0]:
        title, before = f"before ({commit})", now
    else:
        title, before = first_column(match[0])
    return page[: match.start()] + table(before, title, now, commit) + page[match.end() :]


def lines_of_rooms(modules: list[Module]) -> dict[str, int]:
    """Lines of Python in each room, the folders directly below the package."""
    lines = Counter[str]()
    for module in modules:
        _, room, *inside = module.name.split(".")
        if inside:
            lines[room] += module.lines
    return dict(lines)


def stated_lines(page: str) -> dict[str, int]:
    """What the table of rooms on a page says."""
    match = _ROOMS.search(page)
    assert match is not None, "the page has no <!-- rooms --> ... <!-- end -->"
    return {row[2]: int(row[3].replace(",", "")) for row in _ROOM.finditer(match[0])}


def with_lines(page: str, lines: dict[str, int]) -> str:
    """The page with the lines of each room written again."""
    return _ROOMS.sub(
        lambda table: _ROOM.sub(lambda row: f"{row[1]} {lines[row[2]]:,} |", table[0]), page
    )


def main(arguments: list[str]) -> None:
    now = figures(read_modules(APP))
    if "--page" in arguments:
        command = ["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"]
        commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        PAGE.write_text(updated(PAGE.read_text("utf-8"), now, commit), "utf-8")
    if "--rooms" in arguments:
        lines = lines_of_rooms(read_modules(APP))
        ARCHITECTURE.write_text(with_lines(ARCHITECTURE.read_text("utf-8"), lines), "utf-8")
    if "--list" in arguments:
        modules = read_modules(APP)
        for name, importer in modules_of_one(modules):
            print(f"{name} <- {importer}")
        for module in modules:
            for helper in small_helpers(module):
                print(f"{module.name}: {helper}")
    for name, value in now.items():
        print(f"{name:65} {value}")


if __name__ == "__main__":
    main(sys.argv[1:])
