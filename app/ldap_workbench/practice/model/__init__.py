"""The simulated directory server without a wire.

Arrivals, costs, caches, stalls and queues (docs/practice-model.md), and the configuration,
counters, logs and entries that follow from them.
"""
