"""Which advice excludes which, and what each needs."""

from __future__ import annotations

from collections.abc import Sequence

from ldap_workbench.model.finding import Advice
from ldap_workbench.model.message import Message


def conflicts(advices: Sequence[Advice]) -> list[Message]:
    """One sentence for each pair of advice that exclude each other, and one for each need."""
    titles = {advice.id: advice.title for advice in advices}
    rank = {advice.id: place for place, advice in enumerate(advices)}
    sentences = []
    for advice in advices:
        # A pair is named once, by the one that is ranked first.
        later = (o for o in advice.excludes if rank.get(o, -1) > rank[advice.id])
        sentences += [
            Message(
                "“{one}” and “{other}” exclude each other: try one at a time.",
                one=advice.title,
                other=titles[other],
            )
            for other in later
        ]
        sentences += [
            Message("“{advice}” needs: {need}", advice=advice.title, need=need)
            for need in advice.needs
        ]
    return sentences
