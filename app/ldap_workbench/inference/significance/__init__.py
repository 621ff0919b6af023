"""The tests and intervals.

Sign flips of randomised pairs, jackknife ratios, sequential evidence, rare events, carry-over, and
what unpaired windows allow.
"""
