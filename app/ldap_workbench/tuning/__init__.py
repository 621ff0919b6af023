"""Changing a server, and putting it back.

The catalogue describes knobs as data (resources/knobs/*.toml) and turns settings into a Treatment.
The Tuner applies it to a target: every change is durable in the Journal before it is written, then
read back, proved where a proof is known, and reverted exactly. What enters is a connected target
(servers.Target) and a treatment; what leaves are Change and ProofResult, and LDIF to do the same by
hand.
"""
