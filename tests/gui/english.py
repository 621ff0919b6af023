"""Whether a text that should be German still has English in it."""

import re

ENGLISH = {
    "the", "and", "of", "is", "are", "were", "with", "to", "from", "for", "by", "that", "it",
    "they", "than", "at", "not", "each", "every", "which", "has", "have", "been", "their", "its",
    "other", "times", "took", "would", "reads", "writes", "searches",
}  # fmt: skip
"""Words no German sentence has, and hardly any English one is without."""


def english_left(text: str) -> set[str]:
    """The English words of a text, but for names of fields (`from=`): those are the same."""
    return ENGLISH & set(re.findall(r"[a-z]+\b(?!=)", text.lower()))
