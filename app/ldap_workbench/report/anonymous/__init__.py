"""A session without names, to hand on.

Names, DNs, values and addresses are pseudonyms of a key that nobody keeps. Enters: a session file.
Leaves: another one, whose tails, findings and joins are those of the first.
"""
