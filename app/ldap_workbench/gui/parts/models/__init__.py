"""Table models over the nouns of the core: one file a noun, no widget in any of them.

A model takes frozen dataclasses and shows them; what cannot be known is a dash, never a zero.
"""
