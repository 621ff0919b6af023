"""What is known of a knob by the version of the server: existence, name, default, proof."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from ldap_workbench.model.knob import Effect, Knob, Proof, Risk
from ldap_workbench.model.message import NOTHING, Message, sentences

Version = tuple[int, ...]


@lru_cache(maxsize=1024)
def parsed(version: str) -> Version:
    """(1, 4, 4, 11) of '1.4.4.11'; () where the text has none."""
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, match.group().split("."))) if match else ()


def lacks(version: str, knob: Knob) -> bool:
    """Whether a server of this version is not known to have the knob.

    It has it from `since` to `until`, and not where it is `broken`; where the first version is
    not known, any newer than `lacking` may have it. A server that does not tell its version is
    not known to lack anything.
    """
    here, until = parsed(version), parsed(knob.until)
    if not here:
        return False
    if _is_broken(version, knob):
        return True
    if knob.since and here < parsed(knob.since):
        return True
    if knob.lacking and here <= parsed(knob.lacking):
        return True
    return bool(until) and here[: len(until)] > until


def _is_broken(version: str, knob: Knob) -> bool:
    return parsed(version) in map(parsed, knob.broken)


def missing_in(version: str, knob: Knob) -> Message:
    """Why a knob is not offered on a version that lacks it."""
    if _is_broken(version, knob):
        return sentences(
            Message("{knob} does not work in {version}.", knob=knob.name, version=version),
            knob.trap,
        )
    if knob.since and parsed(version) < parsed(knob.since):
        return Message(
            "{knob} is not known in {version}: the oldest version known to have it is {since}.",
            knob=knob.name,
            version=version,
            since=knob.since,
        )
    if knob.lacking:
        return Message(
            "{knob} does not exist in {lacking} and older versions.",
            knob=knob.name,
            lacking=knob.lacking,
        )
    return Message(
        "{knob} does not exist in {version}: the last version that had it is {until}.",
        knob=knob.name,
        version=version,
        until=knob.until,
    )


def nearest(version: str, known: Iterable[str]) -> str:
    """The version of `known` whose facts serve this one: itself, else the nearest older.

    Only its own branch (2.5 is that of 2.5.13) is asked where that has any; where nothing is older,
    the oldest serves. '' where nothing is known or the server does not tell its version.
    """
    here, ordered = parsed(version), sorted(known, key=parsed)
    if not here or not ordered:
        return ""
    asked = [other for other in ordered if parsed(other)[:2] == here[:2]] or ordered
    older = [other for other in asked if parsed(other) <= here]
    return older[-1] if older else asked[0]


def ended(version: str, knob: Knob) -> str:
    """The version whose end, when this knob was set, has to be expected of this one; '' if none.

    Such a fact holds for every later version until this very knob was proved on a later one, for
    older ones that have no nearer fact, and wherever the server does not tell its version. What is
    known of other knobs counts for nothing.
    """
    here, crashes = parsed(version), sorted(knob.crashes, key=parsed)
    before = [other for other in crashes if parsed(other) <= here] if here else crashes
    if before and not any(parsed(before[-1]) < parsed(p) <= here for p in knob.verified):
        return before[-1]
    served = nearest(version, {*crashes, *knob.verified})
    return served if served in crashes else ""


def untried(version: str, knobs: Iterable[Knob]) -> Message:
    """The sentence about a version on which none of the knobs was tried; NOTHING where one was."""
    tried = {
        number for knob in knobs if not knob.on_host for number in (*knob.verified, *knob.crashes)
    }
    if parsed(version) in map(parsed, tried) or not (used := nearest(version, tried)):
        return NOTHING
    return Message(
        "The knobs were not tested on {version}. Nearest facts: version {used}.",
        version=version,
        used=used,
    )


def at_version(knob: Knob, version: str) -> Knob:
    """The knob with its name, its default and its proof as this version has them.

    Between versions that were measured nobody knows where a count changed: there anything from the
    smallest to the largest offset counts as proof, and the sentence says so.
    """
    here = parsed(version)
    for last, name in knob.former.items():
        if here and here[: len(parsed(last))] <= parsed(last):
            knob = replace(knob, name=name, also=(knob.name,))
    if not knob.on_host:
        knob = replace(knob, nearest=_elsewhere(version, knob))
    if by := ended(version, knob):
        knob = _only_stopped(knob, by)
    if knob.defaults:
        knob = replace(knob, default=_default(knob.defaults, version))
    return replace(knob, proof=_proof(knob.proof, here))


def is_pinned(knob: Knob, version: str) -> bool:
    """Whether the server refuses to delete it, so that a value once set stays stored."""
    return knob.pinned == "any" or bool(knob.pinned and parsed(version) <= parsed(knob.pinned))


def _elsewhere(version: str, knob: Knob) -> str:
    """The version whose facts serve this knob, '' where it was tried on its own."""
    tried = {*knob.verified, *knob.crashes}
    return "" if parsed(version) in map(parsed, tried) else nearest(version, tried)


def _proof(proof: Proof, here: Version) -> Proof:
    if not proof.offsets:
        return proof
    for measured, offset in proof.offsets.items():
        if parsed(measured)[:2] == here[:2]:
            return replace(proof, offset=offset)
    low, high = min(proof.offsets.values()), max(proof.offsets.values())
    return replace(proof, offset=low, slack=high - low)


def _only_stopped(knob: Knob, by: str) -> Knob:
    """The knob for a server that may end when it is set while it runs."""
    seen = Message(
        "Setting {knob} while the server runs has ended {version}.",
        knob=knob.name,
        version=by,
    )
    return replace(knob, effect=Effect.OFFLINE, risk=Risk.HIGH, trap=sentences(seen, knob.trap))


def _default(defaults: Mapping[str, str], version: str) -> str:
    """That of the newest version up to this one, the first where this one is older than all.

    The last where the server does not tell its version.
    """
    here, ordered = parsed(version), sorted(defaults, key=parsed)
    older = [other for other in ordered if not here or parsed(other) <= here]
    return defaults[older[-1] if older else ordered[0]]
