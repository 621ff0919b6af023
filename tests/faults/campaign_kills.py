"""A `campaign` on a real server, killed at random moments and gone on with, to its end.

    python -m tests.faults.campaign_kills --kills 20 --seed 1 --longest 60

Three treatments: one good, one harmful, one without effect. After each SIGKILL the whole of
cn=config is compared with what the journal says, then the same campaign goes on by `--resume`; one
that ends before the last kill is reverted and begun again. The last one runs to its end: the good
treatment is kept and confirmed, the others are not there, and `revert` gives back the server as it
was. Status 1 where any of this did not hold, 5 where the lab cannot be had here.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ldap3

from ldap_workbench.connect.profiles import ProfileStore
from tests.faults.check import Entry, is_open
from tests.faults.config import Config, differences, live_config
from tests.faults.leftovers import processes, until_none
from tests.faults.play import entries
from tests.faults.stage import WORKBENCH, end
from tests.live.lab.ds389 import Lab, missing

Values = tuple[str, ...] | None
"""Of one attribute, sorted; None where it is absent."""

_ROOT = Path(__file__).parents[2]
_NOT_PLAYED = 5
_USERS = 1500
_TURBO_OFF = "nsslapd-enable-turbo-mode: off\n"
"""In turbo mode the pauses of a client count as etime."""
_LDBM = "cn=config,cn=ldbm database,cn=plugins,cn=config"
_SHORT_LISTS = {"nsslapd-idlistscanlimit": "100"}
"""Shorter than the index lists of the load: every search reads all entries."""
GOOD, HARMFUL, NOTHING = (
    "nsslapd-idlistscanlimit=4000", "nsslapd-errorlog-level=8", "nsslapd-maxthreadsperconn=6"
)  # fmt: skip
_LONGEST_END_S = 3600.0


def disagreements(before: Config, now: Config, journal: Sequence[Entry]) -> list[str]:
    """Where cn=config is not what the journal says, given what it was before the first entry."""
    said = dict(_said(journal))
    found = []
    for dn in before.keys() | now.keys():
        old, new = before.get(dn, {}), now.get(dn, {})
        for name in old.keys() | new.keys():
            allowed = said.get((dn, name), {old.get(name)})
            if new.get(name) not in allowed:
                found.append(f"{dn}: {name} is {new.get(name)}, not {allowed}")
    return sorted(found)


def _said(journal: Sequence[Entry]) -> Iterator[tuple[tuple[str, str], set[Values]]]:
    """What an attribute may read, by each entry in its order: the last one is right.

    One that was being written or reverted may read either way.
    """
    for entry in sorted(journal, key=lambda each: each["id"]):
        set_to = {
            "applied": {_values(entry["got"])},
            "kept": {_values(entry["got"])},
            "reverted": {_values(entry["before"])},
            "intended": {_values(entry["before"]), _values(entry["asked"])},
            "reverting": {_values(entry["before"]), _values(entry["got"])},
        }
        if allowed := set_to.get(entry["state"]):
            yield (entry["dn"].lower(), entry["attribute"].lower()), allowed


def _values(values: Sequence[str] | None) -> Values:
    return None if values is None else tuple(sorted(values))


@dataclass
class Campaign:
    """The command on the lab. `number` counts those that were begun."""

    lab: Lab
    folder: Path
    seed: int
    number: int = 0

    @property
    def output(self) -> Path:
        return self.folder / f"campaign-{self.number}.ldapwb"

    @property
    def begun(self) -> bool:
        """Whether there is a state to go on with."""
        return len(list((self.lab.home / "state" / "campaigns").glob("*.json"))) > self.number

    def start(self) -> subprocess.Popen[bytes]:
        words = ["campaign", "lab", "-o", str(self.output), "--yes", "--json"]
        words += ["--resume"] if self.begun else self._plan()
        return self._launch(words)

    def _plan(self) -> list[str]:
        module = f"{sys.executable} -m tests.faults.load {self.lab.port} --namesakes"
        load = f"{module} --rate 10 --seconds {{seconds}} --mark {self.mark}"
        words = ["--design", "pairs:8", "--window", "8", "--settle", "0.5", "--primary", "p50",
                 "--budget", "8h", "--load", load, "--seed", str(self.seed)]  # fmt: skip
        for treatment in (GOOD, HARMFUL, NOTHING):
            words += ["--set", treatment]
        return words

    @property
    def mark(self) -> str:
        return self.folder.name

    def revert(self, change: int) -> int | None:
        return end(self._launch(["revert", "lab", str(change)]), 120)

    def said(self) -> str:
        return (self.folder / "command.err").read_text(errors="replace")

    def result(self) -> Mapping[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "command.out").read_text())
        return found

    def _launch(self, words: list[str]) -> subprocess.Popen[bytes]:
        told = os.environ | self.lab.environment | {"FAULTS_MARK": self.mark}
        with (
            (self.folder / "command.out").open("wb") as out,
            (self.folder / "command.err").open("wb") as err,
        ):
            argv = [WORKBENCH, *words]
            return subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=_ROOT, env=told
            )


class Kills:
    """The kills of one lab, and what was found wrong after any of them."""

    def __init__(self, lab: Lab, folder: Path, seed: int) -> None:
        self._lab = lab
        self._dice = random.Random(f"campaign-kills-{seed}")
        self._campaign = Campaign(lab, folder, seed)
        self._before = live_config(lab)
        self.wrong: list[str] = []
        self.in_force = 0
        """How many kills left a change open."""

    def kill(self, number: int, longest_s: float) -> None:
        """One kill, however many campaigns it takes."""
        while True:
            after_s = self._dice.uniform(0.5, longest_s)
            process = self._campaign.start()
            try:
                status = process.wait(after_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                return self._look(f"kill {number}, {after_s:.1f} s after the start")
            self._ended(status)

    def to_the_end(self) -> None:
        self._ended(end(self._campaign.start(), _LONGEST_END_S))

    def _look(self, when: str) -> None:
        journal = entries(self._lab.home)
        found = disagreements(self._before, live_config(self._lab), journal)
        found += [f"left behind: {each}" for each in self._left()]
        opened = [f"{each['attribute']} {each['state']}" for each in journal if is_open(each)]
        self.in_force += bool(opened)
        print(f"{when}: {', '.join(opened) or 'nothing open'}", flush=True)
        self._note(when, found)

    def _ended(self, status: int | None) -> None:
        """The promises at a campaign's end; then the server as it was, and a new one."""
        when = f"end of campaign {self._campaign.number + 1}"
        self._look(when)
        if status != 0:
            raise RuntimeError(f"{when}: status {status}: {self._campaign.said()[-2000:]}")
        found = self._campaign.result()
        fates = [each["fate"] for each in found["treatments"]]
        for each in (*found["treatments"], found["confirmation"]):
            print(f"  {_told(each)}", flush=True)
        print(f"{when}: {found['headline']}", flush=True)
        if not found["kept"] or fates != ["kept", "reverted", "reverted"]:
            self._note(when, [f"the good treatment alone was to be kept: {fates}"])
        if found["kept"] and self._campaign.revert(found["confirmation"]["change"]) != 0:
            self._note(when, [f"revert: {self._campaign.said()[-2000:]}"])
        left = differences(self._before, live_config(self._lab))
        self._note(f"revert after the {when}", left)
        self._campaign.number += 1

    def _left(self) -> list[str]:
        user = self._lab.user if self._lab.has_sudo else None
        mark, folder = self._campaign.mark, str(self._lab.slapd.folder)
        return until_none(lambda: processes(mark, user, folder))

    def _note(self, when: str, found: Sequence[str]) -> None:
        for each in found:
            print(f"  WRONG {each}", flush=True)
            self.wrong.append(f"{when}: {each}")


def _told(entry: Mapping[str, Any] | None) -> str:
    if entry is None:
        return "no confirmation"
    verdict = entry["verdict"] or {}
    words = [f"{name} {verdict[name]}" for name in ("verdict", "ratio", "p", "takes")
             if verdict.get(name)]  # fmt: skip
    return f"{entry['treatment']}: {entry['fate']}, {', '.join(words) or entry['why']}"


def _prepare(lab: Lab) -> None:
    """Log without a buffer, a profile, and the limit that the good treatment lifts."""
    link = lab.slapd.link()
    for dn, settings in (("cn=config", {"nsslapd-accesslog-logbuffering": "off"}),
                         (_LDBM, _SHORT_LISTS)):  # fmt: skip
        for name, value in settings.items():
            if not link.modify(dn, {name: [(ldap3.MODIFY_REPLACE, [value])]}):
                raise RuntimeError(f"{name} cannot be set: {link.result}")
    link.unbind()
    ProfileStore(lab.home / "config" / "profiles.toml").add(lab.profile)


def _options() -> argparse.Namespace:
    command = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.add_argument("--kills", type=int, default=20)
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--longest", type=float, default=60, help="s from a start to its kill")
    return command.parse_args()


def main() -> int:
    """Kill as often as asked, then run to the end; 0 where everything held."""
    options = _options()
    if packages := missing():
        print(f"Not played: the lab needs packages that are not installed: {' '.join(packages)}")
        return _NOT_PLAYED
    began = time.monotonic()
    with Lab(config=_TURBO_OFF).start(users=_USERS) as lab:
        _prepare(lab)
        folder = lab.folder / f"kills-{options.seed}-{os.getpid()}"
        folder.mkdir()
        kills = Kills(lab, folder, options.seed)
        for number in range(1, options.kills + 1):
            kills.kill(number, options.longest)
        kills.to_the_end()
    print(f"{options.kills} kills, {kills.in_force} with a change open, {len(kills.wrong)} wrong, "
          f"{time.monotonic() - began:.0f} s")  # fmt: skip
    return 1 if kills.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
