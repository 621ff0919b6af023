"""The experiment with a missing index, killed at random moments of its treatment.

    python -m tests.faults.index_kills 389ds --kills 40 --seed 1
    python -m tests.faults.index_kills openldap --kills 40 --seed 1

`ldap-workbench experiment --set index.description=eq,sub` runs on the server that is installed
here, with clients that search by the attribute. A first run, which nobody kills, says how long it
takes from the journal's announcement to the end: build, proof, window, undo. Each kill is a SIGKILL
at a moment drawn from that time. `revert --all` then ends what the journal says is open, now
and then the same experiment goes on by `--resume`, and each time configuration, stored files,
index files and what a search by the attribute finds are as before. Status 1 where any of this did
not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import ldap3

from ldap_workbench.connect.profiles import ProfileStore
from tests.faults.check import is_open
from tests.faults.leftovers import processes, until_none
from tests.faults.play import entries
from tests.faults.stage import WORKBENCH, end
from tests.live.lab.ds389 import Lab
from tests.live.lab.matrix import Server, root_link, started
from tests.live.lab.stored_config import differences, index_files, stored_config
from tests.live.lab.users import SUFFIX
from tests.live.lab.waiting import waiting_clients

_ROOT = Path(__file__).parents[2]
_SERVERS = {"389ds": "local", "openldap": "openldap-local"}
_USERS = 5_000
"""So many that the index takes a second or more to build."""
_RESUMED = 4
"""After every so many kills the experiment goes on to its end."""
_ATTRIBUTE, _TYPES = "description", "eq,sub"
_ONE = f"({_ATTRIBUTE}=user 15 of the lab)"
_LONGEST_S = 300.0
_MOMENTS = {
    (): "nothing open",
    ("intended",): "build",
    ("applied",): "proof or window",
    ("reverting",): "undo",
}
"""What was under way, by the states of the open changes."""


class Kills:
    """The kills on one server, and what was found wrong after any of them."""

    def __init__(self, server: Server, folder: Path, seed: int) -> None:
        self._server, self._folder, self._seed = server, folder, seed
        self._dice = random.Random(f"index-kills-{seed}")
        self._environment = os.environ | server.environment | {"LDAP_WORKBENCH_HOME": str(folder)}
        self._name = server.profile.name
        self._number, self._treatment_s = 0, 0.0
        self._before = self._seen()
        self.wrong: list[str] = []
        self.moments: Counter[str] = Counter()

    def rehearse(self) -> None:
        """One run that nobody kills, for the time that its treatment takes."""
        process = self._start()
        self._until_announced(process, known=0)
        announced = time.monotonic()
        if status := end(process, _LONGEST_S):
            raise RuntimeError(f"the experiment ended with status {status}: {self._said()}")
        self._treatment_s = time.monotonic() - announced
        print(f"not killed: {self._treatment_s:.1f} s of treatment", flush=True)
        self._compare("the run that nobody killed")

    def kill(self) -> None:
        """One kill, however many runs it takes, and what follows it."""
        while True:
            after_s = self._dice.uniform(0, self._treatment_s)
            known, process = len(entries(self._folder)), self._start()
            self._until_announced(process, known)
            try:
                process.wait(after_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                return self._after(after_s)

    def _after(self, after_s: float) -> None:
        opened = [entry for entry in entries(self._folder) if is_open(entry)]
        moment = _MOMENTS[tuple(str(entry["state"]) for entry in opened)]
        self.moments[moment] += 1
        when = f"kill {self._number - 1}, {after_s:.2f} s into the treatment: {moment}"
        print(when, flush=True)
        self._note(when, [f"left behind: {left}" for left in self._left()])
        if opened and (status := self._run("revert", self._name, "--all")):
            self._note(when, [f"revert: status {status}: {self._said()}"])
        self._compare(when)
        if self.moments.total() % _RESUMED == 0:
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

    def _start(self) -> subprocess.Popen[bytes]:
        self._number += 1
        return self._launch(self._words())

    def _words(self) -> list[str]:
        session = self._folder / f"index-{self._number}.ldapwb"
        return [
            *(
                "experiment",
                self._name,
                "-o",
                str(session),
                "--set",
                f"index.{_ATTRIBUTE}={_TYPES}",
            ),
            *("--design", "ab:1", "--window", "2", "--settle", "0", "--then", "revert"),
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

    def _until_announced(self, process: subprocess.Popen[bytes], known: int) -> None:
        """Until the journal has a further change."""
        limit = time.monotonic() + _LONGEST_S
        while len(entries(self._folder)) <= known:
            if process.poll() is not None or time.monotonic() > limit:
                process.kill()
                raise RuntimeError(f"the experiment announced no change: {self._said()}")
            time.sleep(0.01)

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

    def _seen(self) -> dict[str, object]:
        """What must be as before."""
        link = root_link(self._server)
        link.search(SUFFIX, _ONE, ldap3.SUBTREE, attributes=["1.1"])
        found = len(link.entries)
        link.unbind()
        return {
            "open changes": [entry for entry in entries(self._folder) if is_open(entry)],
            "cn=config": self._server.ldif_of_config(),
            "stored configuration": stored_config(self._server),
            "index files": index_files(self._server),
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
    command.add_argument("product", choices=[*_SERVERS])
    command.add_argument("--kills", type=int, default=40)
    command.add_argument("--seed", type=int, default=1)
    return command.parse_args()


def main() -> int:
    """Kill as often as asked; 0 where everything held."""
    options, began = _options(), time.monotonic()
    with started(_SERVERS[options.product], _USERS) as server:
        folder = server.folder / f"kills-{options.seed}-{os.getpid()}"
        (folder / "config").mkdir(parents=True)
        server.trust(folder)
        store = ProfileStore(folder / "config" / "profiles.toml")
        store.add(replace(server.profile, test_server=True))
        kills = Kills(server, folder, options.seed)
        kills.rehearse()
        try:
            for _ in range(options.kills):
                kills.kill()
        finally:
            counts = (f"{moment} {count}" for moment, count in sorted(kills.moments.items()))
            print(f"{server.label}: {kills.moments.total()} kills ({', '.join(counts)}), "
                  f"{len(kills.wrong)} wrong, {time.monotonic() - began:.0f} s")  # fmt: skip
    return 1 if kills.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
