"""What is counted and measured of one window.

Log buckets, cubes of counts, tails and quantiles, the stall ledger, and the metrics made of them.
Nothing here knows two arms apart.
"""
