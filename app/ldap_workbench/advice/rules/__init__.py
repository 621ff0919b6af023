"""From findings to treatments.

Which rules of resources/advice/*.toml apply, with which values, in which order, and which of them
exclude each other.
"""
