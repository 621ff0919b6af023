"""False alarms on healthy servers: python -m tests.bench.healthy real|practice -o FOLDER.

Captures windows of a healthy server, each into a session file of FOLDER, and lists the findings
each gets: every one of them is a false alarm. `real` is a 389 DS of its own that three applications
use as they should: pools of a few connections, indexed searches that name their attributes, logins,
changes of people and of a group. `practice` is the practice directory in its healthy state, with
its time running fast. The configuration is stored with each window, as by `capture`.

    python -m tests.bench.healthy again FOLDER...      what today's findings say of these windows

The promise is at most one false alarm in 20 windows of 10 minutes. Several commands may fill one
folder at the same time; a window in which the processors were busy with something else is named.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import ldap3
import numpy as np

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.view import view_window
from ldap_workbench.advice.families.find import findings
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.ds389 import Lab
from tests.live.lab.lessons import lesson
from tests.live.lab.users import PASSWORD, SUFFIX

PEOPLE, STAFF = f"ou=people,{SUFFIX}", f"cn=staff,ou=groups,{SUFFIX}"
USERS = 2000
BUSY_PERCENT = 50.0
"""The load leaves more of the processors idle; a window with less shows somebody else's work."""


class Applications:
    """What three applications ask of a 389 DS, each on connections that it keeps."""

    def __init__(self, lab: Lab, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._stop = threading.Event()
        self._lab = lab
        self._number = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        """While this lasts they work; what one of them raises is raised at the end."""
        works = (self._portal, self._portal, self._logins, self._administration)
        with ThreadPoolExecutor(len(works)) as pool:
            every = [pool.submit(work) for work in works]
            try:
                yield
            finally:
                self._stop.set()
            for each in every:
                each.result(60)

    def _waits(self, seconds: float) -> bool:
        """Whether to go on after a pause of random length: people do not ask in step."""
        return not self._stop.wait(float(self._random.exponential(seconds)))

    def _uid(self) -> str:
        return f"user{int(self._random.integers(USERS)):06d}"

    def _portal(self) -> None:
        """Finds people by uid or mail and reads their groups."""
        with closing_link(self._lab) as link:
            while self._waits(0.06):
                uid = self._uid()
                link.search(PEOPLE, f"(uid={uid})", ldap3.SUBTREE, attributes=["cn", "mail"])
                if self._random.random() < 0.2:
                    of_user = f"(uniqueMember=uid={uid},{PEOPLE})"
                    link.search(SUFFIX, of_user, ldap3.SUBTREE, attributes=["cn"])

    def _logins(self) -> None:
        """Finds a user on one connection and checks the password on another."""
        with closing_link(self._lab) as link, closing_link(self._lab) as second:
            while self._waits(1.0):
                uid = self._uid()
                link.search(PEOPLE, f"(uid={uid})", ldap3.SUBTREE, attributes=["1.1"])
                second.rebind(f"uid={uid},{PEOPLE}", PASSWORD)

    def _administration(self) -> None:
        """Changes people, and takes them into a group and out of it."""
        with closing_link(self._lab) as link:
            while self._waits(0.5):
                self._number += 1
                dn = f"uid={self._uid()},{PEOPLE}"
                text = [f"changed {self._number}"]
                link.modify(dn, {"description": [(ldap3.MODIFY_REPLACE, text)]})
                if self._number % 10 == 0:
                    link.modify(STAFF, {"uniqueMember": [(ldap3.MODIFY_ADD, [dn])]})
                    link.modify(STAFF, {"uniqueMember": [(ldap3.MODIFY_DELETE, [dn])]})


@contextmanager
def closing_link(lab: Lab) -> Iterator[ldap3.Connection]:
    link = lab.slapd.link()
    try:
        yield link
    finally:
        link.unbind()


def real(asked: argparse.Namespace) -> None:
    """Windows of a 389 DS that has run for a minute before the first."""
    with Lab(config="nsslapd-enable-upgrade-hash: off\n").start(USERS) as lab:
        os.environ.update(lab.environment)
        with closing_link(lab) as link:
            link.add(STAFF, ["top", "groupOfUniqueNames"], {"uniqueMember": [f"uid=a,{PEOPLE}"]})
            link.search(SUFFIX, "(objectClass=*)", ldap3.SUBTREE, attributes=["*"])
        applications = Applications(lab, asked.seed)
        with closing(connect(lab.profile, Secrets())) as target, applications.running():
            time.sleep(asked.warm_up)
            fill(target, asked)


def practice(asked: argparse.Namespace) -> None:
    """Windows of the practice directory, in its own time."""
    with (
        tempfile.TemporaryDirectory() as home,
        lesson("healthy", asked.speed, Path(home), seed=asked.seed) as taken,
    ):
        fill(taken.target, asked)


def fill(target: Target, asked: argparse.Namespace) -> None:
    """Capture the windows, one session each, and say what is found as they come."""
    asked.folder.mkdir(parents=True, exist_ok=True)
    for number in range(asked.windows):
        path = asked.folder / f"{asked.what}-{asked.seed}-{number:02d}.ldapwb"
        with (
            closing(Journal()) as journal,
            closing(Tuner(target, journal)) as tuner,
            SessionWriter.create(path, target.facts) as writer,
        ):
            window = capture(target, writer, CapturePlan(asked.seconds))
            remember_settings(writer, tuner, window)
        print(told(path), flush=True)


def told(path: Path) -> str:
    """A line on a window, and one for each of its findings."""
    with Session.open(path) as session:
        (window,) = session.windows()
        idle = series.mean(series.cpu_idle(view_window(session, window).samples))
        found = findings(session)
        count = len(session.operations(window))
    busy = idle is not None and idle < BUSY_PERCENT
    lines = [
        f"{path.name}: {window.seconds:.0f} s, {count} operations"
        + (f", {idle:.0f} % idle" if idle is not None else "")
        + (" (busy)" if busy else ""),
        *(f"    {each.id} ({each.severity}, {each.confidence}): {each.sentence}" for each in found),
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_subparsers(dest="what", required=True)
    for name in ("real", "practice"):
        one = what.add_parser(name)
        one.add_argument("-o", "--folder", type=Path, required=True)
        one.add_argument("--windows", type=int, default=20)
        one.add_argument("--seconds", type=float, default=600.0)
        one.add_argument("--seed", type=int, default=1, help="another for each command of a folder")
        one.add_argument("--warm-up", type=float, default=70.0, help="seconds before the first")
        one.add_argument("--speed", type=float, default=20.0, help="of the practice directory")
    what.add_parser("again").add_argument("folders", nargs="+", type=Path)
    asked = parser.parse_args()
    if asked.what == "again":
        for path in sorted(p for folder in asked.folders for p in folder.glob("*.ldapwb")):
            print(told(path), flush=True)
    else:
        (real if asked.what == "real" else practice)(asked)


if __name__ == "__main__":
    main()
