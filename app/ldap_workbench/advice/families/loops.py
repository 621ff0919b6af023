"""Loops of a client: one search, and then many that ask one by one for what it returned."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.clients import Asked, Rows
from ldap_workbench.advice.evidence.habits import Habit, finding_of_habits
from ldap_workbench.advice.evidence.numbering import stable_order
from ldap_workbench.advice.evidence.period import MAY_BE_CHANCE, chance_of
from ldap_workbench.advice.evidence.steps import is_steady, streams_of
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import limits, phrase, times
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import Int64, text_at
from ldap_workbench.model.units import NS_PER_S


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    if len(view.asked.rows) < limits("n_plus_one")["searches"]:
        return []
    streams = _Streams(view.asked)
    loops = [*streams.of_lists()]
    covered = np.concatenate([loop.places for loop in loops]) if loops else np.empty(0, np.intp)
    # What asks for each entry of a list is said as that, and not again as a long run.
    loops += [run for run in streams.of_runs() if not np.isin(run.places, covered).any()]
    return finding_of_habits("n_plus_one", view.asked, loops, counted="searches")


class _Streams:
    """The operations of a window in the order of their streams.

    A stream is a connection, or a client where those are short. `order` are places in `Asked.rows`.
    """

    def __init__(self, asked: Asked) -> None:
        self.asked, self.limit = asked, limits("n_plus_one")
        operations, stream = asked.operations, streams_of(asked)
        self.order = stable_order(stream)
        self.rows = asked.rows[self.order]
        self.joined = np.append(False, np.diff(stream[self.order]) == 0)
        self.search = asked.searches[self.order]
        self.shape = operations.fingerprint[self.rows]
        self.entries = operations.nentries[self.rows]
        self.start, self.end = operations.start_ns[self.rows], operations.end_ns[self.rows]

    def of_lists(self) -> Iterator[Habit]:
        """Lists that are followed by as many searches as they returned entries, or a multiple."""
        lists = np.flatnonzero(self.search & (self.entries >= self.limit["entries"]))
        if not len(lists):
            return
        search = self.search & ~self.asked.of_kdc[self.order]
        lists = lists[search[lists]]
        single = self.joined & search & (self.entries >= 0) & (self.entries <= 1)
        follow = _behind(single, lists)
        for mine in self._alike(lists):
            entries = self.entries[lists[mine]]
            per_entry = _times(entries, follow[mine])
            if per_entry and follow[mine].sum() >= self.limit["searches"]:
                usual = float(np.median(entries))
                listed = phrase("n_plus_one", "listed", entries=usual, each=per_entry)
                yield self._loop(lists[mine], follow[mine], listed)

    def of_runs(self) -> Iterator[Habit]:
        """Searches followed by a long run of another kind, without a rest that a person makes."""
        pause = np.append(-1, self.start[1:] - self.end[:-1])
        follows = self.joined & (pause >= 0) & (pause < self.limit["gap_s"] * NS_PER_S)
        follows &= self.search & np.append(False, self.search[:-1])
        again = follows & (np.append(-1, self.shape[:-1]) == self.shape) & (self.shape >= 0)
        leads = np.flatnonzero((follows & ~again)[1:] & (self.entries[:-1] >= 1))
        follow = 1 + _behind(again, leads + 1)
        leads, follow = leads[follow >= self.limit["run"]], follow[follow >= self.limit["run"]]
        for mine in self._alike(leads, self.shape[leads + 1]):
            wait = np.median(self.end[leads[mine] + follow[mine]] - self.start[leads[mine] + 1])
            enough = len(mine) >= self.limit["times"]
            enough &= follow[mine].sum() >= self.limit["searches"]
            enough &= wait >= self.limit["wait_s"] * NS_PER_S
            if enough and self._is_chain(leads[mine], follow[mine], pause, follows):
                yield self._loop(leads[mine], follow[mine], NOTHING)

    def _is_chain(
        self, leads: Rows, follow: Int64, pause: Int64, follows: NDArray[np.bool_]
    ) -> bool:
        """Whether a program asks: soon after each answer, and in this order more than by chance.

        Users of one pooled connection ask one after the other as well, but with pauses of any
        length, at the pace of the rest of its traffic, and with their requests shuffled as many
        would follow each other.
        """
        mine = self.asked.client[self.order] == self.asked.client[self.order[leads[0]]]
        behind = _places_behind(leads, follow)
        usual = pause[np.setdiff1d(np.flatnonzero(mine & self.joined), behind)]
        soon = np.median(self.end[behind] - self.start[behind])
        if len(usual):
            soon = max(soon, self.limit["soon"] * np.median(usual))
        # Pauses of 0 are those of a clock that is too coarse to show any.
        steady, middle = is_steady(pause[behind]), np.median(pause[behind])
        if len(usual) and middle > soon and not steady:
            return False
        if steady and middle > 0:
            return True
        shapes, length = self.shape[mine & self.search], int(np.quantile(follow, 0.25))
        share_of_lead = float((shapes == self.shape[leads[0]]).mean())
        share_behind = float((shapes == self.shape[behind[0]]).mean())
        room = int((_behind(follows, np.flatnonzero(mine)) >= length).sum())
        expected = room * share_of_lead * share_behind**length
        return chance_of(int((follow >= length).sum()), expected) <= MAY_BE_CHANCE

    def _alike(self, leads: Rows, *columns: NDArray[np.int32]) -> Iterator[Rows]:
        """The leads of one client and kind, as places among them."""
        keys = np.stack([self.asked.client[self.order[leads]], self.shape[leads], *columns])
        _, group = np.unique(keys, axis=1, return_inverse=True)
        for number in range(group.max(initial=-1) + 1):
            yield np.flatnonzero(group == number)

    def _loop(self, leads: Rows, follow: Int64, listed: Message) -> Habit:
        asked = self.asked
        places = self.order[_places_behind(leads, follow)]
        some = leads[follow > 0]
        # From the end of a list to the end of its last search: what its user waited for them.
        waits = np.maximum(self.end[some + follow[follow > 0]] - self.end[some], 0)
        usual = usual_filter(asked, places)
        return Habit(
            places,
            worker_ns=int(asked.worker_ns[places].sum()),
            # Not the client's own pauses: no server can give that time back.
            user_ns=int(asked.operations.etime_ns[asked.rows[places]].sum()),
            filter=usual,
            says={
                "lists": times(len(leads)),
                "lead": text_at(asked.operations.fingerprints, int(self.shape[leads[0]])),
                "length": round(float(np.median(follow))),
                "wait": int(np.median(waits)),
                "listed": listed,
            },
            numbers={"lists": len(leads)},
        )


def _behind(continues: NDArray[np.bool_], places: Rows) -> Int64:
    """How many follow each place without one that does not continue."""
    stops = np.append(np.flatnonzero(~continues), len(continues))
    behind: Int64 = stops[np.searchsorted(stops, places, side="right")] - places - 1
    return behind


def _places_behind(leads: Rows, follow: Int64) -> Rows:
    """The places that follow some, so many each."""
    return np.concatenate(
        [np.arange(at + 1, at + 1 + n) for at, n in zip(leads, follow, strict=True)]
    )


def _times(entries: Int64, follow: Int64) -> int:
    """How many searches follow for each entry; 0 where that does not go with the entries."""
    limit = limits("n_plus_one")
    if len(entries) < limit["lists"]:
        return 0
    per_entry = round(float(np.median(follow / entries)))
    wanted = per_entry * entries
    off = np.abs(follow - wanted) <= np.maximum(1, limit["off"] * wanted)
    return per_entry if per_entry >= 1 and off.mean() >= limit["share"] else 0


def usual_filter(asked: Asked, places: Rows) -> str:
    """The kind of most of some searches."""
    shapes = asked.operations.fingerprint[asked.rows[places]] + 1
    return text_at(asked.operations.fingerprints, int(np.argmax(np.bincount(shapes))) - 1)
