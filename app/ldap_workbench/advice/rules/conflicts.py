"""Which advice excludes which, drawn in words."""

from __future__ import annotations

from collections.abc import Sequence

from ldap_workbench.model.finding import Advice


def conflicts(advices: Sequence[Advice]) -> list[str]:
    """One sentence for each pair of advice that exclude each other, and one for each need."""
    titles = {advice.id: advice.title for advice in advices}
    rank = {advice.id: place for place, advice in enumerate(advices)}
    said = []
    for advice in advices:
        # A pair is named once, by the one that is ranked first.
        later = (o for o in advice.excludes if rank.get(o, -1) > rank[advice.id])
        said += [
            f"“{advice.title}” and “{titles[other]}” exclude each other: try one at a time."
            for other in later
        ]
        said += [f"“{advice.title}” needs: {need}" for need in advice.needs]
    return said
