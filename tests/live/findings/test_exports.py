"""Each export opened by the tool it is for; a test is skipped where its tool is not installed."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ldap_workbench.experiment.assertions import Outcome, check, parse_assertion, to_junit
from ldap_workbench.inference.counts.tails import tails
from ldap_workbench.model.change import Change
from ldap_workbench.report.export import export
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.ds389 import Lab
from tests.live.lab.java import fetched
from tests.live.lab.slapd import ROOT_DN
from tests.live.lab.steps import unchanged_config
from tests.sessions import FACTS, build_experiment_session

_HISTOGRAMS = (
    "org/hdrhistogram/HdrHistogram/2.2.2/HdrHistogram-2.2.2.jar",
    "22d1d4316c4ec13a68b559e98c8256d69071593731da96136640f864fa14fad8",
)


def tool(name: str, package: str) -> str:
    """The path of a program; the test is skipped without it."""
    found = shutil.which(name)
    if not found:
        pytest.skip(f"{name} is not installed: {package}")
    return found


def library(name: str, package: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        pytest.skip(f"{name} is not installed: pip install {package}")


def ran(argv: list[str], **options: Any) -> str:
    """What a program prints; its complaint where it fails."""
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("session")
    return build_experiment_session(folder / "e.ldapwb", pairs=2, seconds=5, hostile=True)


@pytest.fixture(scope="module")
def exported(path: Path) -> Path:
    folder = path.parent / "exported"
    export(path, folder, ("parquet", "hlog", "openmetrics"))
    return folder


def test_prometheus_takes_the_tails(path: Path, exported: Path, tmp_path: Path) -> None:
    promtool = tool("promtool", "apt-get install prometheus")
    file = str(exported / "etimes.prom")
    ran([promtool, "tsdb", "create-blocks-from", "openmetrics", file, str(tmp_path)])
    (tmp_path / "wal").mkdir()  # promtool wants one, as a server leaves it
    stored = ran([promtool, "tsdb", "dump", str(tmp_path)]).splitlines()
    with Session.open(path) as session:
        window = session.windows()[0]
        found = next(t for t in tails(session.latencies(window), window="") if t.type == "SRCH")
    labels = ('quantile="0.99"', 'type="SRCH"', f'window="{window.id}:')
    (line,) = [line for line in stored if all(label in line for label in labels)]
    value, at = line.rpartition("} ")[2].split()
    assert round(float(value) * 1e9) == found.p99_ns
    assert int(at) == window.end_ns // 1_000_000


def test_the_histogram_library_counts_what_the_tails_count(path: Path, exported: Path) -> None:
    logs = library("hdrh.log", "hdrhistogram")
    histogram = library("hdrh.histogram", "hdrhistogram").HdrHistogram
    file = str(exported / "etimes.hlog")
    found = {}
    with contextlib.closing(logs.HistogramLogReader(file, histogram(1, 1 << 52, 3))) as reader:
        while each := reader.get_next_interval_histogram():
            key = (round(each.get_start_time_stamp()), each.get_tag() or "ALL")
            # Not its quantiles: it takes the nearest whole rank, the tails take the one above.
            found[key] = (each.get_total_count(), each.get_mean_value(), each.get_max_value())
    with Session.open(path) as session:
        for window in session.windows():
            for tail in tails(session.latencies(window), window=""):
                tag = "ALL" if tail.type == "ALL" else f"{window.arm}:{tail.type}"
                n, mean, highest = found[window.start_ns // 1_000_000, tag]
                assert n == tail.n
                exact = [tail.sum_ns / tail.n, tail.max_ns]
                assert [mean, highest] == pytest.approx(exact, rel=1e-3)


def test_histogram_log_processor_reads_the_log_with_and_without_a_tag(exported: Path) -> None:
    jar = fetched(*_HISTOGRAMS)
    argv = ["java", "-cp", str(jar), "org.HdrHistogram.HistogramLogProcessor"]
    argv += ["-i", str(exported / "etimes.hlog"), "-csv"]
    for tag in ([], ["-tag", "A:SRCH"], ["-tag", "A:INTERNAL"]):
        last = ran([*argv, *tag]).splitlines()[-1]
        assert last.endswith("Infinity"), last


def test_arrow_reads_the_tables(path: Path, exported: Path) -> None:
    parquet = library("pyarrow.parquet", "pyarrow")
    table = parquet.read_table(exported / "operations.parquet")
    with Session.open(path) as session:
        etimes = [session.operations(window).etime_ns.sum() for window in session.windows()]
    assert sum(table.column("etime_ns").to_pylist()) == sum(etimes)


def test_grafana_knows_every_field_of_the_dashboard(path: Path, tmp_path: Path) -> None:
    model = library("grafana_foundation_sdk.models.dashboard", "grafana-foundation-sdk").Dashboard
    (file,) = [f for f in export(path, tmp_path / "g", ("grafana",)) if f.name == "dashboard.json"]
    written = json.loads(file.read_text())
    read = json.loads(json.dumps(model.from_json(written), default=lambda each: each.to_json()))
    assert lacking(written, read) == []


def lacking(written: Any, read: Any, place: str = "") -> list[str]:
    """What was written and is not there once it was read: a field that Grafana does not know."""
    if isinstance(written, dict):
        return [
            each
            for key, value in written.items()
            for each in (
                lacking(value, read[key], f"{place}/{key}") if key in read else [place + "/" + key]
            )
        ]
    if isinstance(written, list):
        pairs = enumerate(zip(written, read, strict=True))
        return [each for n, pair in pairs for each in lacking(*pair, f"{place}/{n}")]
    return [] if written == read else [place]


def test_prometheus_understands_the_queries_of_the_dashboard(path: Path, tmp_path: Path) -> None:
    promtool = tool("promtool", "apt-get install prometheus")
    (file,) = [f for f in export(path, tmp_path / "g", ("grafana",)) if f.name == "dashboard.json"]
    panels = json.loads(file.read_text())["panels"]
    queries = [panel["targets"][0]["expr"] for panel in panels]
    rules = "".join(
        f"  - record: dashboard:query{n}\n    expr: {json.dumps(query.replace('$', 'x'))}\n"
        for n, query in enumerate(queries)
    )
    (tmp_path / "rules.yml").write_text(f"groups:\n- name: dashboard\n  rules:\n{rules}")
    assert f"{len(queries)} rules found" in ran(
        [promtool, "check", "rules", str(tmp_path / "rules.yml")]
    )


def test_a_junit_parser_knows_failures_from_what_is_not_known(path: Path, tmp_path: Path) -> None:
    junitparser = library("junitparser", "junitparser")
    with Session.open(path) as session:
        verdict = session.experiments()[0].verdict
    assert verdict is not None
    checked = check(map(parse_assertion, ("p99 <= 99", "p99 <= 0.001")), verdict)
    (tmp_path / "night.xml").write_text(to_junit("nightly", checked))
    (suite,) = junitparser.JUnitXml.fromfile(str(tmp_path / "night.xml"))
    assert [each.name for each in suite] == ["p99 <= 99", "p99 <= 0.001"]
    assert (suite.tests, suite.failures, suite.skipped) == (
        2,
        sum(each.outcome is Outcome.VIOLATED for each in checked),
        sum(each.outcome is Outcome.UNDECIDED for each in checked),
    )


@pytest.fixture
def changed(lab: Lab, target: Target, tuner: Tuner, tmp_path: Path) -> Path:
    """A session whose changes were made on the lab and taken back: values, absence, a group."""
    wanted = ("nsslapd-cachememsize=200 MiB", "idlistscanlimit=5000", "threadnumber=8")
    applied = tuner.apply(tuner.catalogue.treatment(wanted, target.facts))
    tuner.revert(applied.group)
    path = tmp_path / "changed.ldapwb"
    with SessionWriter.create(path, FACTS) as writer:
        for change in applied.changes:
            writer.put_change(change)
    export(path, tmp_path / "scripts", ("ldif", "dsconf", "ansible"))
    return tmp_path / "scripts"


@pytest.fixture
def config(lab: Lab) -> Iterator[str]:
    """cn=config as it was; the test must leave it so."""
    with unchanged_config(lab) as before:
        yield before


@pytest.fixture
def password(lab: Lab, tmp_path: Path) -> Path:
    file = tmp_path / "password"
    file.touch(0o600)
    file.write_text(lab.password)
    return file


def values(lab: Lab, changes: list[Change]) -> list[tuple[str, ...] | None]:
    link = lab.slapd.link()
    found = []
    for change in changes:
        link.search(change.dn, "(objectClass=*)", "BASE", attributes=[change.attribute])
        raw = link.response[0]["raw_attributes"].get(change.attribute, [])
        found.append(tuple(value.decode() for value in raw) or None)
    link.unbind()
    return found


def check_apply_and_undo(lab: Lab, folder: Path, run: Any) -> None:
    with Session.open(folder.parent / "changed.ldapwb") as session:
        changes = session.changes()
    before = values(lab, changes)
    assert before == [change.before for change in changes]
    run("apply")
    assert values(lab, changes) == [change.asked for change in changes]
    run("undo")
    assert values(lab, changes) == before


def test_ldapmodify_applies_and_undoes(
    lab: Lab, changed: Path, config: str, password: Path
) -> None:
    login = [tool("ldapmodify", "apt-get install ldap-utils"), "-x", "-D", ROOT_DN]
    login += ["-H", lab.slapd.url, "-y", str(password)]
    check_apply_and_undo(
        lab, changed, lambda verb: ran([*login, "-f", str(changed / f"{verb}.ldif")])
    )


def test_the_script_of_dsconf_applies_and_undoes(
    lab: Lab, changed: Path, config: str, password: Path
) -> None:
    tool("dsconf", "apt-get install python3-lib389")
    environment = {"URL": lab.slapd.url, "DN": ROOT_DN, "PASSWORD_FILE": str(password)}
    check_apply_and_undo(
        lab,
        changed,
        lambda verb: ran(
            ["sh", str(changed / f"{verb}-dsconf.sh")], env={**os.environ, **environment}
        ),
    )


def test_ansible_checks_applies_and_undoes(
    lab: Lab, changed: Path, config: str, tmp_path: Path
) -> None:
    playbook = tool("ansible-playbook", "pip install ansible; apt-get install python3-ldap")
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "ANSIBLE_HOME": str(tmp_path / "ansible")}
    galaxy = [tool("ansible-galaxy", "pip install ansible"), "collection", "list"]
    # It fails where there is no collection at all, as with ansible-core alone.
    known = subprocess.run(galaxy, capture_output=True, text=True, timeout=120, env=environment)
    if "community.general" not in known.stdout:
        pytest.skip("the collection community.general is not installed")
    python = "ansible_connection=local ansible_python_interpreter=/usr/bin/python3"
    (tmp_path / "inventory").write_text(f"[directory]\nlocalhost {python}\n")
    login = tmp_path / "login.json"
    login.touch(0o600)
    login.write_text(
        f'{{"ldap_uri": "{lab.slapd.url}", "ldap_bind_dn": "{ROOT_DN}",'
        f' "ldap_bind_password": "{lab.password}"}}'
    )
    argv = [playbook, "-i", str(tmp_path / "inventory"), "-e", f"@{login}"]

    def run(verb: str) -> None:
        file = str(changed / f"{verb}-ansible.yml")
        assert "changed=4" in ran([*argv, "--check", file], env=environment)
        assert "changed=4" in ran([*argv, file], env=environment)
        assert "changed=0" in ran([*argv, file], env=environment)

    check_apply_and_undo(lab, changed, run)
