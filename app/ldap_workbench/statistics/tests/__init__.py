"""The tests and intervals: sign flips of randomised pairs, jackknife ratios, sequential evidence,
rare events, carry-over, and what unpaired windows allow.
"""
