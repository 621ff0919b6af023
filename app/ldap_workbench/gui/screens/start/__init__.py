"""The first screen: what was open lately, which servers are known, drop anything."""
