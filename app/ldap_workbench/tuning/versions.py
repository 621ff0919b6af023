"""What is known of a knob by the version of the server: whether it exists, and how it is proved."""

from __future__ import annotations

import re
from dataclasses import replace

from ldap_workbench.model.knob import Knob

Version = tuple[int, ...]


def parsed(version: str) -> Version:
    """(1, 4, 4, 11) of '1.4.4.11'; () where no number is told."""
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, found.group().split("."))) if found else ()


def lacks(version: str, knob: Knob) -> bool:
    """Whether a server of this version is known not to have the knob, or older than one that is.

    A server that does not tell its version is not known to lack anything.
    """
    here = parsed(version)
    return bool(knob.lacking and here) and here <= parsed(knob.lacking)


def at_version(knob: Knob, version: str) -> Knob:
    """The knob with its proof as this version shows it.

    Between versions that were measured nobody knows where the count changed: there anything from
    the smallest to the largest offset counts as proof, and the sentence says so.
    """
    proof = knob.proof
    if not proof.offsets:
        return knob
    series = parsed(version)[:2]
    for measured, offset in proof.offsets.items():
        if parsed(measured)[:2] == series:
            return replace(knob, proof=replace(proof, offset=offset))
    low, high = min(proof.offsets.values()), max(proof.offsets.values())
    return replace(knob, proof=replace(proof, offset=low, slack=high - low))
