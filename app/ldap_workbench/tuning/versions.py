"""What is known of a knob by the version of the server: existence, name, default, proof."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from ldap_workbench.model.knob import Effect, Knob, Risk
from ldap_workbench.model.message import NOTHING, Message, sentences

Version = tuple[int, ...]
Fact = TypeVar("Fact")


def parsed(version: str) -> Version:
    """(1, 4, 4, 11) of '1.4.4.11'; () where no number is told."""
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, found.group().split("."))) if found else ()


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


def tried_versions(knobs: Iterable[Knob]) -> tuple[str, ...]:
    """The versions of a server on which its knobs were tried, oldest first."""
    found = {version for knob in knobs if not knob.on_host for version in knob.verified}
    return tuple(sorted(found, key=parsed))


def whose_facts(version: str, tried: Iterable[str]) -> str:
    """The tried version whose facts are used: itself, else the nearest older, else the oldest one.

    '' where nothing was tried or the server does not tell its version.
    """
    here, known = parsed(version), sorted(tried, key=parsed)
    if not here or not known:
        return ""
    older = [each for each in known if parsed(each) <= here]
    return older[-1] if older else known[0]


def untried(version: str, tried: tuple[str, ...]) -> Message:
    """The sentence about a version on which nobody tried the knobs; NOTHING where somebody did."""
    used = whose_facts(version, tried)
    if not used or parsed(used) == parsed(version):
        return NOTHING
    if parsed(used) < parsed(version):
        return Message(
            "The knobs were not tested on {version}: the catalogue for {used}, the nearest "
            "older version, is used.",
            version=version,
            used=used,
        )
    return Message(
        "The knobs were not tested on {version} or an older version: the catalogue for {used} "
        "is used.",
        version=version,
        used=used,
    )


def at_version(knob: Knob, version: str, tried: tuple[str, ...]) -> Knob:
    """The knob with its name, its default and its proof as this version has them.

    Between versions that were measured nobody knows where a count changed: there anything from the
    smallest to the largest offset counts as proof, and the sentence says so.
    """
    here = parsed(version)
    for last, name in knob.former.items():
        if here and here[: len(parsed(last))] <= parsed(last):
            knob = replace(knob, name=name, also=(knob.name,))
    if whose_facts(version, tried) in knob.crashes:
        knob = _only_stopped(knob, version)
    if knob.defaults:
        knob = replace(knob, default=_fact(knob.defaults, version))
    proof = knob.proof
    if not proof.offsets:
        return knob
    series = here[:2]
    for measured, offset in proof.offsets.items():
        if parsed(measured)[:2] == series:
            return replace(knob, proof=replace(proof, offset=offset))
    low, high = min(proof.offsets.values()), max(proof.offsets.values())
    return replace(knob, proof=replace(proof, offset=low, slack=high - low))


def _only_stopped(knob: Knob, version: str) -> Knob:
    """The knob for a server that may end when it is set: by the operator alone."""
    seen = Message(
        "Setting {knob} while the server runs has ended {version}.",
        knob=knob.name,
        version=whose_facts(version, knob.crashes),
    )
    steps = (
        Message("Stop the server."),
        Message("Set {knob} in its configuration: slapmodify, or dse.ldif.", knob=knob.name),
        Message("Start the server. To revert: the same with the value before."),
    )
    return replace(
        knob, effect=Effect.OFFLINE, risk=Risk.HIGH, trap=sentences(seen, knob.trap), steps=steps
    )


def _fact(table: Mapping[str, Fact], version: str) -> Fact:
    """That of the nearest older version; of the newest where the server does not tell its own."""
    return table[whose_facts(version, table) or max(table, key=parsed)]
