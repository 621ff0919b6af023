"""The simulated directory server without a wire: arrivals, costs, caches, stalls and queues
(docs/practice-model.md), and the configuration, counters, logs and entries that follow from them.
"""
