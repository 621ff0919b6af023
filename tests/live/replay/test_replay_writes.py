"""A window of reads and writes is sent again to a real server: as many, as fast, and all gone."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import partial

import ldap3
import numpy as np
import pytest

from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.operations import TYPES, client_operations
from ldap_workbench.model.progress import Cancel
from ldap_workbench.replay.build import build
from ldap_workbench.replay.script import packed_script
from ldap_workbench.servers.target import connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.live.lab.slapd import ROOT_DN
from tests.live.lab.steps import configured, large, meanwhile, past_the_edge, until, workbench
from tests.live.lab.test_lab import running as at_work
from tests.live.lab.users import SUFFIX

CLIENTS, ROUNDS, PAUSE_S = 4, 25, 0.02
REPLAYS = 3
LONGEST_S = 120.0
PEOPLE = f"ou=people,{SUFFIX}"
KINDS = ("SRCH", "MOD", "ADD", "MODRDN", "DEL")
# Of the replay to the capture. Two processors do all of it: server, clients and what else is there,
# and that changes between the two: renames took 14.9 ms in a capture and 4.5 ms in its replay.
RATE, MEDIAN, P90 = 1.5, 5.0, 8.0
NOTHING_MUCH_NS = 5_000_000
"""Tails that differ by less do not differ: a turn of the scheduler takes 1 to 4 ms, and a write
waits for several."""


def client(port, dn, password, number, ready):
    """Looks people up, changes the same one as all others do, and has an entry of its own."""
    ready.wait()
    time.sleep(1.0)  # a replay is at work before its first request is due
    server = ldap3.Server("127.0.0.1", port, get_info=ldap3.NONE)
    with ldap3.Connection(server, dn, password, auto_bind=True, check_names=False) as link:
        for count in range(ROUNDS):
            user = f"uid=user{10 * number + count:06d}"
            assert link.search(PEOPLE, f"({user})", attributes=["cn"])
            time.sleep(PAUSE_S)
            change = [(ldap3.MODIFY_REPLACE, [f"{number} {count}"])]
            assert link.modify(f"uid=user000007,{PEOPLE}", {"description": change})
            time.sleep(PAUSE_S)
            name = f"cn=replayed{number}-{count}"
            assert link.add(f"{name},{PEOPLE}", ["device"])
            assert link.modify_dn(f"{name},{PEOPLE}", f"{name}-renamed")
            time.sleep(PAUSE_S)
            assert link.delete(f"{name}-renamed,{PEOPLE}")


def captured_while(target, path, work, buffered):
    """The operations of clients in a window around `work`, and its script."""
    with buffered, SessionWriter.create(path, target.facts) as writer:
        begun, stop = threading.Event(), Cancel()

        def hear(report):
            if report.fraction is not None:
                begun.set()

        def until_done():
            try:
                assert begun.wait(60), "the window did not begin"
                past_the_edge(target)
                work()
                time.sleep(0.5)
            finally:
                stop.set()

        with meanwhile(until_done):
            window = capture(target, writer, CapturePlan(LONGEST_S), progress=hear, end=stop)
    with Session.open(path) as session:
        window = session.window(window.id)
        operations = session.operations(window)
        return operations.take(client_operations(operations)), build(session, window)


def of_clients(target, port, dn, password, path, buffered=None):
    ready = threading.Barrier(CLIENTS)

    def all_of_them():
        asking = [
            threading.Thread(target=client, args=(port, dn, password, number, ready))
            for number in range(CLIENTS)
        ]
        for each in asking:
            each.start()
        for each in asking:
            each.join()

    return captured_while(target, path, all_of_them, buffered or nullcontext())


def replayed(profile, file, *more):
    run = ("replay", "run", str(file), "--target", profile.name, "--writes-under", PEOPLE)
    return workbench(*run, "--this-is-production", "--json", *more)


def differences(capture, again):
    """Where a replay is not what was captured, in words."""
    found = []
    for name, of in (("mix", kinds), ("results", results), ("rate", rate)):
        was, now = of(capture), of(again)
        same = was / RATE < now < was * RATE if name == "rate" else was == now
        if not same:
            found.append(f"{name}: {was}, replayed {now}")
    for kind in KINDS:
        for share, factor in ((0.5, MEDIAN), (0.9, P90)):
            was, now = (quantile(each, kind, share) for each in (capture, again))
            if max(was, now) > factor * min(was, now) and abs(was - now) > NOTHING_MUCH_NS:
                found.append(f"{kind} at {share}: {was} ns, replayed {now} ns")
    return found


def kinds(operations):
    names = (TYPES[kind] for kind in operations.kind.tolist())
    return Counter(name for name in names if name in KINDS)


def results(operations):
    return Counter(operations.err.tolist())


def rate(operations):
    """Operations a second from the first to the last."""
    starts = operations.start_ns
    return len(starts) / (int(starts.max() - starts.min()) / 1e9)


def quantile(operations, kind, share):
    return float(np.quantile(operations.etime_ns[operations.kind == TYPES.index(kind)], share))


def of_replay(operations, log, replays):
    """Without the connections that made and removed the replays' entries, or did not bind."""
    making = re.compile(r'conn=(\d+) op=\d+ (?:ADD|DEL) dn="ou=ldap-workbench-replay-')
    others = {int(found[1]) for found in making.finditer(log.read_text(errors="replace"))}
    assert len(others) == 2 * replays
    conns = operations.conn[operations.kind == TYPES.index("MOD")]
    return operations.take(np.isin(operations.conn, sorted({*conns.tolist()} - others)))


def names_below(link):
    link.search(PEOPLE, "(|(ou=ldap-workbench-replay-*)(objectClass=device))", attributes=["1.1"])
    return [each["dn"] for each in link.response]


def shown_again(target, profile, log, tmp_path, capture, script, buffered=nullcontext):
    """Replay under a second capture: what was said, and what the server saw.

    What is sent and answered holds of every replay. How fast, also rests on what the machine does
    beside it: one of REPLAYS has to be as the capture was, unless it says itself that it was late.
    """
    file = tmp_path / "w.ldapreplay"
    file.write_bytes(packed_script(script))
    differing = []
    for number in range(1, REPLAYS + 1):
        done = []

        def run(done=done):
            done.append(replayed(profile, file, "--yes"))

        path = tmp_path / f"again{number}.ldapwb"
        again, _ = captured_while(target, path, run, buffered())
        said = json.loads(done[0].stdout or "{}")
        assert said, done[0].stderr
        assert said["write_agreement"] == 1.0, said
        assert said["written"] == CLIENTS * ROUNDS * 4
        assert said["agreement"] == 1.0, said
        assert said["skipped"] == {}
        late = said["late_share"] > 0.01
        assert done[0].returncode == (1 if late else 0), done[0].stderr
        apart = differences(capture, of_replay(again, log, number))
        if not apart:
            return
        differing += [] if late else [apart]
    assert differing == []


@pytest.mark.clock("rates and etimes of the replay are compared with those captured")
def test_writes_are_replayed_beside_reads_and_nothing_is_left(lab, target, tmp_path):
    profile = replace(lab.profile, test_server=True)
    ProfileStore().add(profile)
    unbuffered = partial(configured, target, nsslapd_accesslog_logbuffering="off")
    capture, script = of_clients(
        target, lab.port, ROOT_DN, lab.slapd.password, tmp_path / "s.ldapwb", unbuffered()
    )
    assert kinds(capture) == dict.fromkeys(KINDS, CLIENTS * ROUNDS)
    shown_again(target, profile, lab.access_log, tmp_path, capture, script, unbuffered)
    link = lab.slapd.link()
    assert names_below(link) == []
    link.unbind()


@pytest.mark.clock("rates and etimes of the replay are compared with those captured")
@large
def test_on_openldap_as_well(slapd, tmp_path):
    admin = f"cn=admin,{SUFFIX}"
    profile = replace(slapd.profile, name="data", bind_dn=admin, test_server=True)
    ProfileStore().add(profile)
    with closing(connect(slapd.profile, Secrets())) as target:
        capture, script = of_clients(
            target, slapd.port, admin, slapd.password, tmp_path / "s.ldapwb"
        )
        assert kinds(capture) == dict.fromkeys(KINDS, CLIENTS * ROUNDS)
        shown_again(target, profile, slapd.log, tmp_path, capture, script)
    link = slapd.link(admin)
    assert names_below(link) == []
    link.unbind()


@pytest.fixture
def script(lab, target, tmp_path):
    """A replay file, and its profile."""
    _, script = of_clients(
        target, lab.port, ROOT_DN, lab.slapd.password, tmp_path / "s.ldapwb",
        configured(target, nsslapd_accesslog_logbuffering="off"),
    )  # fmt: skip
    (tmp_path / "w.ldapreplay").write_bytes(packed_script(script))
    return tmp_path / "w.ldapreplay"


def test_a_killed_replay_leaves_its_entries_named(script, lab):
    ProfileStore().add(lab.profile)
    refused = replayed(lab.profile, script, "--yes")
    assert refused.returncode == 2
    assert "does not allow replays to write" in refused.stderr
    ProfileStore().add(replace(lab.profile, test_server=True))
    unasked = replayed(lab.profile, script)
    assert unasked.returncode == 2
    assert f"below {PEOPLE}: 100 ADD, 100 DEL, 100 MOD, 100 MODRDN" in " ".join(
        unasked.stderr.split()
    )
    link = lab.slapd.link()
    assert names_below(link) == []
    argv = [
        sys.executable, "-m", "ldap_workbench", "replay", "run", str(script), "--target", "lab",
        "--this-is-production", "--writes-under", PEOPLE, "--yes", "--seconds", "60",
    ]  # fmt: skip
    running = subprocess.Popen(argv, env=os.environ, stdin=subprocess.DEVNULL)
    until(lambda: len(names_below(link)) >= 3)  # the container, the modified one, an added one
    children = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(running.pid)], capture_output=True, text=True, check=True
    ).stdout.split()
    running.send_signal(signal.SIGKILL)
    running.wait()
    until(lambda: not any(at_work(int(pid)) for pid in children))
    left = names_below(link)
    [container] = [dn for dn in left if dn.startswith("ou=ldap-workbench-replay-")]
    cleaned = workbench("replay", "clean", "lab", "--yes")
    assert cleaned.returncode == 0, cleaned.stderr
    assert re.search(
        rf"Removed {len(left) - 1} entr(y|ies) of {re.escape(container)}", cleaned.stdout
    )
    assert names_below(link) == []
    assert "No replay has left anything" in workbench("replay", "clean", "--yes").stdout
    link.unbind()
