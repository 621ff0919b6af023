"""Products of directory servers: what one tells of itself, its logs, its counters.

One file a product, its entries and counters as data in resources/servers/*.toml. In comes a
Profile, out goes a Target: the connected server with its facts and its clock.
"""
