"""A blind exam: public cases of slow directories with a known cause, written before they are run.

Each case is a generator that writes the files an administrator would have had, and its truth as
data: what the cause was, what has to be said, and what must not be. A batch is committed before the
program sees it, and its first score stands in docs/benchmarks.md for good. Mend the kind of a miss,
never the case.

    python -m tests.field batch1 [--case NAME] [--all]
"""
