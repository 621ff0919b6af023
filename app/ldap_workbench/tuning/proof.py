"""Whether a change is in force, not only stored: independent evidence where some is known."""

from __future__ import annotations

from collections.abc import Callable

from ldap_workbench.connect.directory import Directory
from ldap_workbench.model.change import Change, ProofResult
from ldap_workbench.model.knob import Knob, Proof, ValueKind
from ldap_workbench.model.message import Message, Value
from ldap_workbench.servers.entry import current_run
from ldap_workbench.servers.product import in_place
from ldap_workbench.tuning.indexes import ENABLED, USES
from ldap_workbench.tuning.java_args import option_in
from ldap_workbench.tuning.place import Values, describe_values
from ldap_workbench.tuning.tunable import Tunable
from ldap_workbench.tuning.unit_file import PROCESS, process_limit

Evidence = Callable[[str, str], tuple[str, ...] | None]
"""Values of an attribute (second) of an entry (first), None where the server does not show it."""


def started(directory: Directory, product: str) -> str:
    """When the server started, as it reports it (20261121041546Z); '' where it does not."""
    now = current_run(directory, product)
    return now.started if now else ""


def evidence_of(target: Tunable) -> Evidence:
    """Evidence read from the server itself, or of its process on its host."""

    def look(dn: str, attribute: str) -> tuple[str, ...] | None:
        if dn == PROCESS:
            return process_limit(target, attribute)
        entries = target.directory.search(dn, attributes=(attribute,))
        return entries[0].values(attribute) if entries else None

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
        sentence = Message(
            "{where} reads {now}, not {ours} as we set it.",
            where=where,
            now=describe_values(now),
            ours=describe_values(ours),
        )
        return ProofResult(stored=False, effective=False, sentence=sentence)
    if knob.kind is ValueKind.INDEX:
        sentence = Message(
            "{where}: {built} Whether searches use it is seen in the access log.",
            where=where,
            built=change.message,
        )
        return ProofResult(stored=True, effective=None, sentence=sentence)
    if knob.kind is ValueKind.SORTED_LIST:
        return _by_uses(change, where, evidence)
    if change.needs_restart and not restarted:
        sentence = Message(
            "{where} reads {now}; it takes effect after a restart.",
            where=where,
            now=describe_values(now),
        )
        return ProofResult(stored=True, effective=None, sentence=sentence)
    if knob.proof.kind == "sysfs":
        sentence = Message(
            "{where} reads {now}: {says}.",
            where=where,
            now=describe_values(now),
            says=knob.proof.says,
        )
        return ProofResult(stored=True, effective=True, sentence=sentence)
    now = option_in(knob, now)
    if knob.proof.kind == "option" and now:
        return _by_option(knob, now[0], evidence)
    if knob.proof.kind == "monitor" and now:
        return _by_monitor(knob, now[0], place, where, evidence)
    sentence = Message(
        "{where} reads {now}; no counter of the server shows whether it is in force.",
        where=where,
        now=describe_values(now),
    )
    return ProofResult(stored=True, effective=None, sentence=sentence)


def _by_uses(change: Change, where: str, evidence: Evidence) -> ProofResult:
    """389 DS shows in the entry of the order whether the list is in use, and how often it was."""
    enabled, uses = (evidence(change.dn, name) for name in (ENABLED, USES))
    if enabled is None or uses is None:  # the entry of the search, or one that is removed
        ours = change.asked if change.got is None else change.got
        sentence = Message("{where} reads {now}.", where=where, now=describe_values(ours))
        return ProofResult(stored=True, effective=None, sentence=sentence)
    in_use = enabled == ("1",)
    sentence = Message(
        "{where}: {built} {attribute} is {uses}: so many searches were served from it.",
        where=where,
        built=change.message,
        attribute=USES,
        uses=uses[0],
    )
    if not in_use:
        sentence = Message(
            "{where} is not in use: {attribute} is 0.", where=where, attribute=ENABLED
        )
    return ProofResult(stored=True, effective=in_use, sentence=sentence)


def effective(knob: Knob, place: str, evidence: Evidence) -> str | None:
    """The value in force as the knob's proof shows it; None where it does not show it exactly."""
    if knob.proof.kind != "monitor" or knob.proof.slack:
        return None
    proof = knob.proof
    seen = _seen(proof, place, evidence)
    offset = _offset(proof, evidence)
    if seen is None or (not offset and proof.scale == 1):
        return seen
    return str((int(seen) - offset) * proof.scale)


def _offset(proof: Proof, evidence: Evidence) -> int:
    also = evidence("cn=config", proof.plus) if proof.plus else None
    return proof.offset + int(also[0] if also else 0)


def _seen(proof: Proof, place: str, evidence: Evidence) -> str | None:
    """What the server shows: the first value, or how many there are of those that count."""
    values = evidence(in_place(proof.dn, place), proof.attribute)
    if not values:
        return None
    if proof.counting:
        return str(sum(proof.counting in value for value in values))
    return values[0]


def _by_option(knob: Knob, value: str, evidence: Evidence) -> ProofResult:
    proof, option = knob.proof, knob.java_options[0].format(value)
    seen = " ".join(evidence(proof.dn, proof.attribute) or ()).replace('"', "").split()
    known: dict[str, Value] = {
        "option": option, "attribute": proof.attribute, "says": proof.says
    }  # fmt: skip
    if not seen:
        sentence = Message("{option} is stored; the server does not show {attribute}.", **known)
        return ProofResult(stored=True, effective=None, sentence=sentence)
    sentence = Message("{option} is in force: {attribute} has it ({says}).", **known)
    if option not in seen:
        sentence = Message(
            "{option} is not in force: {attribute} does not have it ({says}).", **known
        )
    return ProofResult(stored=True, effective=option in seen, sentence=sentence)


def _by_monitor(knob: Knob, value: str, place: str, where: str, evidence: Evidence) -> ProofResult:
    proof = knob.proof
    seen = _seen(proof, place, evidence)
    if seen is None:
        sentence = Message(
            "{where} reads {value}; the server does not show {attribute}.",
            where=where,
            value=value,
            attribute=proof.attribute,
        )
        return ProofResult(stored=True, effective=None, sentence=sentence)
    wanted = int(value) // proof.scale + _offset(proof, evidence)
    margin = abs(wanted) * proof.tolerance
    works = -margin <= int(seen) - wanted <= margin + proof.slack
    known: dict[str, Value] = {
        "setting": f"{where}={value}",
        "attribute": proof.attribute,
        "seen": seen,
        "says": proof.says,
    }
    sentence = Message("{setting} is in force: {attribute} is {seen} ({says}).", **known)
    if not works:
        sentence = Message(
            "{setting} is not in force: {attribute} is {seen}, {wanted} was expected ({says}).",
            wanted=_expected(proof, wanted),
            **known,
        )
    return ProofResult(stored=True, effective=works, sentence=sentence)


def _expected(proof: Proof, wanted: int) -> Message:
    expected = Message("{wanted:plain}", wanted=wanted)
    if proof.slack:
        most = wanted + proof.slack
        expected = Message("{wanted:plain} to {most:plain}", wanted=wanted, most=most)
    return Message("about {number}", number=expected) if proof.tolerance else expected
