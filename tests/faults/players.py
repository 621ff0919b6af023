"""Players of seeds: processes, each with a stage of its own."""

from __future__ import annotations

import json
import multiprocessing
import queue
import shutil
import signal
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import FrameType

from tests.faults.check import violations
from tests.faults.play import Played, play
from tests.faults.scenario import draw, longest_first
from tests.faults.stage import Stage
from tests.faults.table import Outcome


@dataclass(frozen=True)
class Order:
    """What a player is to do: where, and whether everything is kept."""

    folder: Path
    keep_all: bool


def play_all(seeds: list[int], jobs: int, order: Order) -> Iterator[Outcome]:
    """Play the seeds, `jobs` at once; each outcome as it comes."""
    context = multiprocessing.get_context("spawn")
    todo: multiprocessing.Queue[int] = context.Queue()
    done: multiprocessing.Queue[Outcome] = context.Queue()
    for seed in longest_first(seeds):
        todo.put(seed)
    players = [
        context.Process(target=_player, args=(todo, done, order))
        for _ in range(min(jobs, len(seeds)))
    ]
    for player in players:
        player.start()
    try:
        for _ in seeds:
            yield _next(done, players)
    finally:
        _drain(todo)
        for player in players:
            player.join()


def _drain(todo: multiprocessing.Queue[int]) -> None:
    """Leave nothing to do: each player ends after the seed it is at."""
    with suppress(queue.Empty):
        while True:
            todo.get(timeout=0.1)


def _next(done: multiprocessing.Queue[Outcome], players: list[SpawnProcess]) -> Outcome:
    while True:
        try:
            return done.get(timeout=5)
        except queue.Empty:
            if not any(player.is_alive() for player in players):
                raise RuntimeError("the players ended before the seeds did") from None


def _player(
    todo: multiprocessing.Queue[int], done: multiprocessing.Queue[Outcome], order: Order
) -> None:
    """Plays seeds on a stage of its own; after a violation the stage is built anew.

    Ctrl-C is for the campaign, which lets the seed end: half a seed would leave servers and disks.
    A handler, not SIG_IGN: that would be handed down to the server, sshd and the workbench.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _let_the_seed_end)
    stage: Stage | None = None
    try:
        while True:
            try:
                seed = todo.get(timeout=0.5)
            except queue.Empty:
                return
            if stage is None:
                stage = Stage(Path(tempfile.mkdtemp(prefix="player-", dir=order.folder))).start()
            outcome = _outcome(stage, seed, order)
            done.put(outcome)
            if outcome.violations:
                stage.stop()
                stage = None
    finally:
        if stage is not None:
            stage.stop()


def _let_the_seed_end(_: int, __: FrameType | None) -> None:
    """The campaign leaves nothing more to do."""


def _outcome(stage: Stage, seed: int, order: Order) -> Outcome:
    scenario = draw(seed)
    try:
        played = play(stage, scenario)
    except Exception:  # noqa: BLE001 - a campaign that fails is a violation, too: of what, the trace tells
        kept = str(stage.folder)
        words = f"the campaign itself failed (see {kept}): {traceback.format_exc()}"
        return Outcome.of(scenario, [words], 0.0, None, struck=False)
    found = violations(played.evidence)
    if found or order.keep_all:
        _keep(played, found)
        if order.keep_all:
            print(_all_said(played))
    else:
        shutil.rmtree(played.place.folder)
    if found:
        found = [*found, f"kept: {played.place.folder}"]
    evidence = played.evidence
    return Outcome.of(
        scenario, found, played.seconds, evidence.command.status, struck=evidence.struck
    )


def _keep(played: Played, found: list[str]) -> None:
    text = "\n".join([str(played.evidence.scenario), *found, "", _all_said(played)])
    (played.place.folder / "violations.txt").write_text(text)
    evidence = asdict(played.evidence)
    (played.place.folder / "evidence.json").write_text(json.dumps(evidence, indent=1, default=str))


def _all_said(played: Played) -> str:
    evidence = played.evidence
    all_said = (evidence.command, *evidence.others, *evidence.recovery, *evidence.readings)
    return "\n".join(
        f"$ {' '.join(each.words)}  -> {each.status}\n{each.err}{each.out[:1500]}"
        for each in all_said
    )
