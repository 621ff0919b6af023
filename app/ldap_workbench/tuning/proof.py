"""Whether a change is in force, not only stored: independent evidence where some is known."""

from __future__ import annotations

from collections.abc import Callable

from ldap_workbench.connect.directory import Directory
from ldap_workbench.model.change import Change, ProofResult
from ldap_workbench.model.knob import Knob, Proof
from ldap_workbench.servers.entry import boot
from ldap_workbench.servers.product import in_place
from ldap_workbench.tuning.place import Values, words

Evidence = Callable[[str, str], str | None]
"""Value of an attribute (second) of an entry (first), None where the server does not show it."""


def started(directory: Directory) -> str:
    """When the server started, as it tells it (20261121041546Z); '' where it does not."""
    now = boot(directory)
    return now.started if now else ""


def evidence_of(directory: Directory) -> Evidence:
    def look(dn: str, attribute: str) -> str | None:
        found = directory.search(dn, attributes=(attribute,))
        return found[0].first(attribute) if found else None

    return look


def prove(
    knob: Knob, change: Change, now: Values, place: str, *, restarted: bool, evidence: Evidence
) -> ProofResult:
    """What speaks for a change being in force.

    `now` is the value just read back; `restarted` whether the server was since the change. Until
    then `effective` is None for a knob that waits for a restart.
    """
    where = f"{knob.name}@{place}" if place else knob.name
    ours = change.got if change.got is not None else change.asked
    if now != ours:
        sentence = f"{where} reads {words(now)}, not {words(ours)} as we set it."
        return ProofResult(stored=False, effective=False, sentence=sentence)
    if change.needs_restart and not restarted:
        sentence = f"{where} reads {words(now)}; it works after a restart."
        return ProofResult(stored=True, effective=None, sentence=sentence)
    if knob.proof.kind == "sysfs":
        return ProofResult(True, True, f"{where} reads {words(now)}: {knob.proof.says}.")
    if knob.proof.kind == "monitor" and now:
        return _by_monitor(knob, now[0], place, where, evidence)
    sentence = f"{where} reads {words(now)}; no counter of the server shows that it works."
    return ProofResult(stored=True, effective=None, sentence=sentence)


def effective(knob: Knob, place: str, evidence: Evidence) -> str | None:
    """The value in force as the knob's proof shows it, None where it has none or does not show it
    exactly."""
    if knob.proof.kind != "monitor" or knob.proof.slack:
        return None
    proof = knob.proof
    seen = evidence(in_place(proof.dn, place), proof.attribute)
    offset = _offset(proof, evidence)
    if seen is None or (not offset and proof.scale == 1):
        return seen
    return str((int(seen) - offset) * proof.scale)


def _offset(proof: Proof, evidence: Evidence) -> int:
    also = evidence("cn=config", proof.plus) if proof.plus else None
    return proof.offset + int(also or 0)


def _by_monitor(knob: Knob, value: str, place: str, where: str, evidence: Evidence) -> ProofResult:
    proof = knob.proof
    seen = evidence(in_place(proof.dn, place), proof.attribute)
    if seen is None:
        sentence = f"{where} reads {value}; the server does not show {proof.attribute}."
        return ProofResult(stored=True, effective=None, sentence=sentence)
    wanted = int(value) // proof.scale + _offset(proof, evidence)
    margin = abs(wanted) * proof.tolerance
    works = -margin <= int(seen) - wanted <= margin + proof.slack
    verb = "is in force" if works else "is not in force"
    about = "about " if proof.tolerance else ""
    most = f" to {wanted + proof.slack}" if proof.slack else ""
    sentence = (
        f"{where}={value} {verb}: {proof.attribute} is {seen}"
        + ("" if works else f", {about}{wanted}{most} was expected")
        + f" ({proof.says})."
    )
    return ProofResult(stored=True, effective=works, sentence=sentence)
