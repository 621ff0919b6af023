"""Tails: curves, distributions, the client's view, the stacks beside them."""
