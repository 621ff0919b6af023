"""What is said of windows that were lost, or in which the server did not answer."""

from __future__ import annotations

from collections.abc import Sequence

from ldap_workbench.inference.verdict.question import Question
from ldap_workbench.model.message import Message, count_of

LOST = Message(
    "windows that are not lost: counting each lost window of B as the worst seen, and each of "
    "A as the best, the difference may be chance"
)


HUNG = Message("windows in which the server answers: what waited while it hung is not in its log")


def without_hang(arm: str) -> Message:
    """What it takes to claim a difference that speaks for an arm whose server hung more often."""
    return Message(
        "windows in which the server answers: what waited while it hung is not in its log, and "
        "counting each such window of {arm} as the worst seen, the difference may be chance",
        arm=arm,
    )


def excess(arms: Sequence[str], arm: str) -> int:
    """How many more of these are of this arm than of the other."""
    other = "B" if arm == "A" else "A"
    return max(0, arms.count(arm) - arms.count(other))


def missing_windows(asked: Question) -> tuple[Message, ...]:
    """How many windows of which arm were lost, and in how many the server hung."""
    lines = []
    if asked.lost:
        lines.append(
            count_of(
                "{n} window was lost and its pair measured again: {a} of A, {b} of B.",
                "{n} windows were lost and their pairs measured again: {a} of A, {b} of B.",
                n=len(asked.lost),
                a=asked.lost.count("A"),
                b=asked.lost.count("B"),
            )
        )
    if asked.hung:
        lines.append(
            count_of(
                "In {n} window the server did not answer cn=monitor for 10 s or longer: {a} of A, "
                "{b} of B. Its log shows little or nothing of what waited meanwhile.",
                "In {n} windows the server did not answer cn=monitor for 10 s or longer: {a} of A, "
                "{b} of B. Its log shows little or nothing of what waited meanwhile.",
                n=len(asked.hung),
                a=asked.hung.count("A"),
                b=asked.hung.count("B"),
            )
        )
    if excess((*asked.lost, *asked.hung), "B"):
        lines.append(
            Message(
                "More windows of B than of A were lost or hung, which the change may have caused: "
                "keep-if-better reverts it."
            )
        )
    return tuple(lines)
