"""The short walk over every server of the matrix: connect, capture, a knob set and put back.

Each server is asked the same. `tests/run --servers` runs the long walks on each besides.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from ldap_workbench.advice import findings
from ldap_workbench.capture import CapturePlan, capture
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.experiment import State
from ldap_workbench.model.operations import client_operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import SourceKind, SourceState
from ldap_workbench.servers import connect
from ldap_workbench.servers.check import try_profile
from ldap_workbench.session import Session, SessionWriter
from ldap_workbench.tuning import Journal, Tuner
from tests.live.matrix import Server, busy, names, product, started
from tests.live.steps import workbench

_ANSWERED = (
    re.compile(r"^\[(?P<text>[^\].]+)(?:\.\d+)? (?P<zone>[+-]\d{4})\] "
               r"conn=(?P<conn>\d+) op=(?P<op>\d+) RESULT "),
    re.compile(r"^(?P<hex>[0-9a-f]{8})[. ].*?"
               r"conn=(?P<conn>\d+) op=(?P<op>\d+) (?:SEARCH )?RESULT "),
)  # fmt: skip
"""Access logs of 389 DS, of whole seconds too, and of slapd."""
_EDGE_S = 2
"""Lines may be of whole seconds, and an operation begins before its RESULT: seconds of doubt."""
_LIVE = {"389ds": "nsslapd-lookthroughlimit=4999", "openldap": "olcThreads=8"}


@pytest.fixture(scope="module", params=names())
def running(request: pytest.FixtureRequest) -> Iterator[Server]:
    with started(request.param) as server:
        yield server


@pytest.fixture
def server(running: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Server:
    """With its passwords in the environment and a home of the test's own."""
    for name, value in running.environment.items():
        monkeypatch.setenv(name, value)
    running.trust(tmp_path / "home")
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    return running


@pytest.mark.shows("connect")
def test_every_step_of_a_connection_works(server: Server) -> None:
    steps = try_profile(server.profile, Secrets())
    assert [str(step.text) for step in steps if not step.ok] == []
    with closing(connect(server.profile, Secrets())) as target:
        assert target.facts.version in server.label
        assert target.facts.access_log
        assert target.facts.backends


@pytest.mark.shows("capture", "findings")
def test_a_window_has_every_operation(server: Server, tmp_path: Path) -> None:
    """Over rotations of the log, where the server rotates it."""
    path = tmp_path / "s.ldapwb"
    with closing(connect(server.profile, Secrets())) as target, busy(server):
        time.sleep(_EDGE_S)
        with SessionWriter.create(path, target.facts) as writer:
            window = capture(target, writer, CapturePlan(8, name="load"))
        log = Path(str(target.facts.access_log))
        time.sleep(_EDGE_S)
    with Session.open(path) as session:
        operations = session.operations(window)
        sources = {source.kind: source for source in session.sources(window.id)}
        assert isinstance(findings(session), list)
    access = sources[SourceKind.ACCESS_LOG]
    assert access.state is SourceState.COMPLETE, access.why
    assert access.lines is not None
    assert access.lines.unknown == 0
    assert sources[SourceKind.MONITOR].state is SourceState.COMPLETE
    assert sources[SourceKind.IOSTAT].state is SourceState.COMPLETE
    mine = client_operations(operations)
    found = set(zip(operations.conn[mine].tolist(), operations.op[mine].tolist(), strict=True))
    inside = answered(log, window.start_ns, window.end_ns, -_EDGE_S)
    around = answered(log, window.start_ns, window.end_ns, _EDGE_S)
    assert len(inside) > 500
    assert inside <= found <= around


def answered(log: Path, start_ns: int, end_ns: int, edge_s: int) -> set[tuple[int, int]]:
    """(conn, op) of the answers in a window widened by so many seconds, by a plain reading."""
    first, last = start_ns // NS_PER_S - edge_s, end_ns // NS_PER_S + edge_s
    found, own = set(), set()
    for path in sorted(log.parent.glob(f"{log.name}*")):
        for line in path.read_text("utf-8", "replace").splitlines():
            if "cn=ldap-workbench-" in line and (conn := re.search(r"conn=(\d+)", line)):
                own.add(int(conn[1]))
            match = next((m for each in _ANSWERED if (m := each.match(line))), None)
            if match and first <= second_of(match) <= last:
                found.add((int(match["conn"]), int(match["op"])))
    return {(conn, op) for conn, op in found if conn not in own}


def second_of(match: re.Match[str]) -> int:
    """Unix time of a line, in whole seconds."""
    told = match.groupdict()
    if "hex" in told:
        return int(told["hex"], 16)
    text = f"{told['text']} {told['zone']}"
    return int(datetime.strptime(text, "%d/%b/%Y:%H:%M:%S %z").timestamp())


@pytest.mark.shows("revert exact")
def test_a_live_knob_is_set_proved_and_put_back(server: Server) -> None:
    before = server.ldif_of_config()
    with (
        closing(connect(server.profile, Secrets())) as target,
        closing(Journal()) as journal,
        closing(Tuner(target, journal)) as tuner,
    ):
        wanted = tuner.catalogue.treatment([_LIVE[product(server)]], target.facts)
        applied = tuner.apply(wanted)
        assert [proof.stored for proof in applied.proofs] == [True]
        assert server.ldif_of_config() != before
        tuner.revert(applied.group)
    assert server.ldif_of_config() == before


@pytest.mark.shows("experiment")
def test_an_experiment_leaves_the_server_as_it_was(server: Server, tmp_path: Path) -> None:
    """With a live knob and short windows; test_experiment_walk.py has the rest."""
    ProfileStore().add(server.profile)
    before, path = server.ldif_of_config(), tmp_path / "s.ldapwb"
    with busy(server):
        done = workbench(
            *("experiment", server.profile.name, "-o", str(path), "--set", _LIVE[product(server)]),
            *("--design", "ab", "--window", "2", "--settle", "0", "--then", "revert"),
        )
    assert done.returncode == 0, done.stderr
    assert server.ldif_of_config() == before
    with Session.open(path) as session:
        last = session.experiments()[-1]
    assert last.state is State.REVERTED
    assert len(last.windows) == 2
