"""Every file of the reference material is imported, named for what it is, and nothing is lost.

The log of a million lines has a test of its own, the last one.
"""

import json
import re

import pytest
from typer.testing import CliRunner

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.cli.app import app
from ldap_workbench.logs.reading.files import LogFile
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.operations import ALL
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.unit.logs.material import CORPUS, expected, material

FOLDERS = sorted({p.parent for p in CORPUS.rglob("*") if p.is_file()}) if CORPUS.exists() else []
TITLES = {
    "iostat": {
        "iostat JSON",
        "iostat of sysstat",
        "iostat of Solaris or illumos",
        "iostat of macOS or BSD",
        "vmstat of Linux",
        "vmstat of Solaris or illumos",
        "vmstat -d",
        "vfsstat of SmartOS",
        "zpool iostat",
        "unknown file",
        "empty file",
    },
    "pstack": {"thread stacks", "prstat of Solaris"},
    "opendj-json": {"OpenDJ / PingDS JSON access log"},
    "unboundid": {"PingDirectory / UnboundID access log"},
    "openldap": {"OpenLDAP slapd log"},
}
REFUSED = {CORPUS.name, "cases", "diagnosis"}
"""Folders of which only the folders below hold evidence."""
pytestmark = pytest.mark.skipif(not FOLDERS, reason="the reference material is not there")


def files_of(folder):
    """The million lines have a test of their own."""
    return [p for p in sorted(folder.iterdir()) if p.is_file() and "access-1M" not in p.name]


@pytest.fixture(
    scope="module",
    params=[f for f in FOLDERS if f.name not in REFUSED],
    ids=lambda f: str(f.relative_to(CORPUS)),
)
def folder(request):
    return request.param


@pytest.fixture(scope="module")
def imported(folder, tmp_path_factory):
    """What the import of a folder says and its session, once for all tests of the folder."""
    path = tmp_path_factory.mktemp("folder") / "all.ldapwb"
    with SessionWriter.create(path) as writer:
        return import_logs(files_of(folder), writer, clock=Clock(start_ns=10**18)), path


@pytest.mark.parametrize("refused", [f for f in FOLDERS if f.name in REFUSED], ids=lambda f: f.name)
def test_a_folder_without_evidence_is_refused(refused, tmp_path):
    with (
        SessionWriter.create(tmp_path / "all.ldapwb") as writer,
        pytest.raises(LogError, match="No log could be used"),
    ):
        import_logs(files_of(refused), writer, clock=Clock(start_ns=10**18))


def test_every_file_is_read_or_named_with_a_reason(folder, imported):
    done, session_path = imported
    read = {name for source in done.sources for name in source.details["files"]}
    assert read | {path.name for path in done.left_out} == {path.name for path in files_of(folder)}
    titles = {str(source.details["title"]) for source in done.sources}
    told = map(str, done.left_out.values())
    titles |= {why.split(":")[0] for why in told if "same text" not in why}
    wanted = TITLES.get(folder.relative_to(CORPUS).parts[0])
    assert wanted is None or titles <= wanted
    with Session.open(session_path) as session:
        assert {s.window for s in session.sources()} == {w.id for w in session.windows()}
        for window in session.windows():
            assert window.end_ns > window.start_ns > 0
            assert len(session.operations(window)) >= 0


def test_every_line_is_counted_once(folder, imported):
    for source in imported[0].sources:
        names = source.details["files"]
        text = [b"".join(LogFile(folder / name).pieces()) for name in names]
        lines = sum(each.count(b"\n") + (each[-1:] not in (b"", b"\n")) for each in text)
        counts = source.lines
        found = counts.understood + counts.set_aside + counts.unknown
        assert found == lines, names


def test_an_iostat_file_given_as_a_log_is_called_one(tmp_path):
    path = CORPUS / "389ds-2.3.1-lab/iostat-xdt-1-5.txt"
    output = str(tmp_path / "one.ldapwb")
    shown = CliRunner().invoke(app, ["import", str(path), "-o", output])
    assert shown.exit_code == 0
    assert "iostat of sysstat" in shown.stdout
    assert re.search(r"Lines: \d+ understood, \d+ skipped, \d+ unknown", shown.stdout)


def command(*words):
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.output
    return done.stdout


def tails_of(path, output):
    """What `import` and then `tails --json` make of a file: type -> row."""
    command("import", str(path), "-o", str(output))
    rows = json.loads(command("tails", str(output), "--json"))
    assert len({row["window"] for row in rows}) == 1
    return {"*" if row["type"] == ALL else row["type"]: row for row in rows}


NAMES = {"SEARCH": "SRCH", "MODIFY": "MOD", "DELETE": "DEL", "MODIFYDN": "MODRDN"}
NAMES |= {"MODDN": "MODRDN", "COMPARE": "CMP", "EXTENDED": "EXT"}


@pytest.mark.parametrize("name", sorted(expected()))
def test_reference_tails_come_out_of_the_commands(name, tmp_path):
    """All of EXPECTED.tsv but the waits in the queue, which `tails` does not print."""
    wanted = {k: v for k, v in expected()[name].items() if not k.startswith("qtime:")}
    found = tails_of(CORPUS / name, tmp_path / "one.ldapwb")
    assert {NAMES.get(kind, kind) for kind in wanted} == found.keys()
    for kind, values in wanted.items():
        row = found[NAMES.get(kind, kind)]
        assert {column: row[column] for column in values} == values, kind


RESULT = re.compile(
    rb"\] conn=(\d+) op=\d+ RESULT err=-?\d+ tag=(\d+) [^\n]*? etime=(\d+)\.(\d{9})(?: |$)",
    re.MULTILINE,
)
TAGS = {b"97": "BIND", b"101": "SRCH", b"103": "MOD", b"105": "ADD", b"107": "DEL"}
TAGS |= {b"109": "MODRDN", b"111": "CMP", b"120": "EXT"}


@pytest.mark.slow
def test_a_million_lines_are_counted_and_add_up(tmp_path):
    """Against a search for their results, which knows nothing of requests or connections."""
    packed = material("389ds-2.3.1-lab/access-1M.log.zst")
    text = b"".join(LogFile(packed).pieces())
    found = tails_of(packed, tmp_path / "million.ldapwb")
    etimes = {}
    for _, tag, seconds, part in RESULT.findall(text):
        etimes.setdefault(TAGS[tag], []).append(int(seconds) * 10**9 + int(part))
    kinds = etimes.keys() - {"EXT"}
    assert {"SRCH", "BIND", "MOD"} <= kinds
    for kind in kinds:
        values = sorted(etimes[kind])
        row = found[kind]
        assert (row["n"], row["sum_ns"]) == (len(values), sum(values)), kind
        assert (row["max_ns"], row["p50_ns"]) == (values[-1], values[(len(values) - 1) // 2]), kind
    with Session.open(tmp_path / "million.ldapwb") as session:
        (source,) = session.sources()
    counts = source.lines
    assert counts.understood + counts.set_aside + counts.unknown == text.count(b"\n") == 1_136_929
    assert counts.unknown == 0
