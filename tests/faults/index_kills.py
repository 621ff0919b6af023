"""The experiment with an index, killed at random moments of its treatment.

    python -m tests.faults.index_kills 389ds --kills 40 --seed 1
    python -m tests.faults.index_kills openldap --kills 40 --seed 1
    python -m tests.faults.index_kills opendj --kills 40 --seed 1
    python -m tests.faults.index_kills 389ds --absent

`ldap-workbench experiment --set index.description=eq,sub` runs on a server with clients that search
by the attribute; with `--absent` it takes an index out that is there, and the undo builds it. A
first run, which nobody kills, says how long the change stays in each state of the journal:
intended (build), applied (proof and window), reverting (undo). Each kill is a SIGKILL in the state
with the fewest kills so far, as long after it began as is drawn from the time it lasted. `revert
--all` then ends what the journal says is open, now and then the same experiment goes on by
`--resume`, and each time configuration, stored files, index files and what a search by the
attribute finds are as before. Status 1 where any of this did not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import ldap3
from ldap3.utils.conv import escape_filter_chars

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.tuning.journal import Journal
from tests.faults.check import is_open
from tests.faults.leftovers import processes, until_none
from tests.faults.play import entries
from tests.faults.stage import WORKBENCH, end
from tests.live.lab.ds389 import Lab
from tests.live.lab.host import SUITES
from tests.live.lab.matrix import OPENDJ, Server, root_link, started
from tests.live.lab.stored_config import differences, index_files, stays_in_file, stored_config
from tests.live.lab.users import SUFFIX
from tests.live.lab.waiting import waiting_clients

_ROOT = Path(__file__).parents[2]
_SERVERS = {"389ds": "local", "openldap": "openldap-local", "opendj": OPENDJ}
"""Those that are installed here; beside them each of SUITES can be asked for."""
_USERS = 5_000
"""So many that the index takes a second or more to build."""
_RESUMED = 4
"""After every so many kills that left a change open the experiment goes on to its end: one that
was killed later may be at its end, and cannot be resumed."""
_ATTRIBUTE, _TYPES = "description", "eq,sub"
_LONGEST_S = 300.0
_LOOK_S = 0.001
_STATES = {"intended": "build", "applied": "proof or window", "reverting": "undo"}
"""What is under way, by the state of the change in the journal."""
_ORDER = (*_STATES, "reverted")
_OVER = "nothing open"


class Kills:
    """The kills on one server, and what was found wrong after any of them."""

    def __init__(self, server: Server, folder: Path, seed: int, *, absent: bool) -> None:
        self._server, self._folder, self._seed = server, folder, seed
        self._dice = random.Random(f"index-kills-{seed}")
        self._environment = os.environ | server.environment | {"LDAP_WORKBENCH_HOME": str(folder)}
        self._name, self._number = server.profile.name, 0
        self._lasted_s: dict[str, float] = {}
        journal = folder / "state" / "journal.sqlite"
        Journal(journal).close()
        self._journal = sqlite3.connect(journal)
        self._types, self._one = _TYPES, self._somebody()
        if absent:
            self._build()
        self._before = self._seen()
        self.wrong: list[str] = []
        self.moments: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()
        """Of `moments` those that found the configuration of the server changed."""

    def rehearse(self) -> None:
        """One run that nobody kills, for the time that its change stays in each state."""
        process, reached = self._start(), []
        for state in _ORDER:
            self._until(state, process)
            reached.append(time.monotonic())
        if status := end(process, _LONGEST_S):
            raise RuntimeError(f"the experiment ended with status {status}: {self._said()}")
        lasted = (after - before for before, after in pairwise(reached))
        self._lasted_s = dict(zip(_STATES, lasted, strict=True))
        said = (f"{_STATES[state]} {seconds:.2f} s" for state, seconds in self._lasted_s.items())
        print(f"not killed: {', '.join(said)}", flush=True)
        self._compare("the run that nobody killed")

    def kill(self) -> None:
        """One kill, however many runs it takes, and what follows it."""
        while True:
            wanted = min(_STATES, key=lambda state: self.moments[_STATES[state]])
            after_s = self._dice.uniform(0, self._lasted_s[wanted])
            process = self._start()
            self._until(wanted, process)
            try:
                process.wait(after_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                return self._after(wanted, after_s)

    def _after(self, wanted: str, after_s: float) -> None:
        opened = [str(entry["state"]) for entry in entries(self._folder) if is_open(entry)]
        moment = _STATES[opened[0]] if opened else _OVER
        if moment != _STATES[wanted]:  # the first run was slower
            self._lasted_s[wanted] /= 2
        changed = self._server.ldif_of_config() != self._before["cn=config"]
        self.moments[moment] += 1
        self.changed[moment] += changed
        found = f"{moment}, configuration {'changed' if changed else 'as before'}"
        when = f"kill {self.moments.total()}, {after_s:.3f} s into {_STATES[wanted]}: {found}"
        print(when, flush=True)
        self._note(when, [f"changes are open: {opened}"] if len(opened) > 1 else [])
        self._note(when, [f"left behind: {left}" for left in self._left()])
        if opened and (status := self._run("revert", self._name, "--all")):
            self._note(when, [f"revert: status {status}: {self._said()}"])
        self._compare(when)
        midway = self.moments.total() - self.moments[_OVER]
        if opened and midway % _RESUMED == 0:
            self._resume(when)

    def _resume(self, when: str) -> None:
        """The same experiment goes on, or begins where it had no window yet, to its end."""
        words = [*self._words(), "--resume", "--accept-load", self._load()]
        if status := self._run(*words):
            self._note(when, [f"--resume: status {status}: {self._said()}"])
            return
        state = json.loads((self._folder / "command.out").read_text())["state"]
        self._note(when, [] if state == "reverted" else [f"--resume ended {state}"])
        self._compare(f"{when}, resumed")

    def _build(self) -> None:
        """The index is there, and what is killed from now on takes it out."""
        if status := self._run(*self._words("keep")):
            raise RuntimeError(f"the index was not built: status {status}: {self._said()}")
        self._types = "absent"

    def _start(self) -> subprocess.Popen[bytes]:
        self._number += 1
        self._known = len(entries(self._folder))
        return self._launch(self._words())

    def _words(self, then: str = "revert") -> list[str]:
        session = self._folder / f"index-{self._number}.ldapwb"
        return [
            *(
                "experiment",
                self._name,
                "-o",
                str(session),
                "--set",
                f"index.{_ATTRIBUTE}={self._types}",
            ),
            *("--design", "ab:1", "--window", "2", "--settle", "0", "--then", then),
            *("--primary", f"SRCH[({_ATTRIBUTE}=?)]:p50", "--seed", str(self._seed)),
            *("--load", self._load(), "--yes", "--json"),
        ]

    @property
    def _mark(self) -> str:
        """In the command line of the clients: it tells whose they are."""
        return f"nobody-{self._folder.name}"

    def _load(self) -> str:
        profile = self._server.profile
        word = f"{{password:{profile.password_env}}}"
        argv = waiting_clients(profile, "{seconds}", word, _ATTRIBUTE, self._mark, rest_s=0.5)
        return shlex.join(argv)

    def _until(self, state: str, process: subprocess.Popen[bytes]) -> None:
        """Until the newest change of the run is in a state; it may have left it since."""
        limit = time.monotonic() + _LONGEST_S
        while self._reached() < _ORDER.index(state):
            if process.poll() is not None or time.monotonic() > limit:
                process.kill()
                raise RuntimeError(f"the change never was {state}: {self._said()}")
            time.sleep(_LOOK_S)

    def _reached(self) -> int:
        """How far the change of this run is in `_ORDER`; -1 while the journal does not have it."""
        rows = self._journal.execute("SELECT state FROM change WHERE id > ?", (self._known,))
        states = [state for (state,) in rows]
        return _ORDER.index(states[-1]) if states else -1

    def _run(self, *words: str) -> int | None:
        return end(self._launch(words), _LONGEST_S)

    def _launch(self, words: Sequence[str]) -> subprocess.Popen[bytes]:
        with (
            (self._folder / "command.out").open("wb") as out,
            (self._folder / "command.err").open("wb") as err,
        ):
            return subprocess.Popen(
                [WORKBENCH, *words],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=_ROOT,
                env=self._environment,
            )

    def _said(self) -> str:
        return (self._folder / "command.err").read_text(errors="replace")[-2000:]

    def _left(self) -> list[str]:
        login = (
            self._server.user if isinstance(self._server, Lab) and self._server.has_sudo else None
        )
        return until_none(lambda: processes(self._mark, login, self._mark))

    def _somebody(self) -> str:
        """A filter that the index serves, for a person who is there."""
        link, has_it = root_link(self._server), f"(&(objectClass=person)({_ATTRIBUTE}=*))"
        link.search(SUFFIX, has_it, ldap3.SUBTREE, attributes=[_ATTRIBUTE], size_limit=1)
        value = str(link.entries[0][_ATTRIBUTE].value)
        link.unbind()
        return f"({_ATTRIBUTE}={escape_filter_chars(value)})"

    def _seen(self) -> dict[str, object]:
        """What must be as before."""
        link = root_link(self._server)
        link.search(SUFFIX, self._one, ldap3.SUBTREE, attributes=["1.1"])
        found = len(link.entries)
        link.unbind()
        return {
            "open changes": [entry for entry in entries(self._folder) if is_open(entry)],
            "cn=config": self._server.ldif_of_config(),
            "stored configuration": stored_config(self._server),
            "index files": index_files(self._server) - stays_in_file(self._server, _ATTRIBUTE),
            "entries that a search finds": found,
        }

    def _compare(self, when: str) -> None:
        now, before = self._seen(), self._before
        names = [name for name, value in before.items() if now[name] != value]
        found = [f"{name}: {_apart(before[name], now[name])}" for name in names]
        self._note(when, found)

    def _note(self, when: str, found: Sequence[str]) -> None:
        for each in found:
            print(f"  WRONG {each}", flush=True)
            self.wrong.append(f"{when}: {each}")


def _apart(before: object, now: object) -> str:
    if isinstance(before, dict) and isinstance(now, dict):
        return differences(before, now)
    if isinstance(before, str) and isinstance(now, str):
        old, new = set(before.splitlines()), set(now.splitlines())
        return f"- {sorted(old - new)} + {sorted(new - old)}"
    return f"{before} -> {now}"


def _options() -> argparse.Namespace:
    command = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.add_argument("server", choices=[*_SERVERS, *SUITES])
    command.add_argument("--kills", type=int, default=40)
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--absent", action="store_true", help="take out an index that is there")
    return command.parse_args()


def main() -> int:
    """Kill as often as asked; 0 where everything held."""
    options, began = _options(), time.monotonic()
    with started(_SERVERS.get(options.server, options.server), _USERS) as server:
        folder = server.folder / f"kills-{options.seed}-{os.getpid()}"
        (folder / "config").mkdir(parents=True)
        server.trust(folder)
        store = ProfileStore(folder / "config" / "profiles.toml")
        store.add(replace(server.profile, test_server=True))
        kills = Kills(server, folder, options.seed, absent=options.absent)
        kills.rehearse()
        try:
            for _ in range(options.kills):
                kills.kill()
        finally:
            counts = (f"{moment} {count}, configuration changed in {kills.changed[moment]}"
                      for moment, count in kills.moments.items())  # fmt: skip
            print(f"{server.label}: {kills.moments.total()} kills ({'; '.join(counts)}), "
                  f"{len(kills.wrong)} wrong, {time.monotonic() - began:.0f} s")  # fmt: skip
    return 1 if kills.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
