"""A directory to practise on: a simulated 389 DS that speaks real LDAP and real SSH on loopback.

In comes the name of a scenario (resources/practice/*.toml) and a clock speed, out goes a running
`Practice` with the Profile to reach it. Behind the protocols stands a published model of arrivals,
threads, caches and stalls (docs/practice-model.md), so the true effect of every change is known.
Nothing of that is measured on a server, and the server says so itself
(`practiceSimulation: TRUE`). What is measured are the `samples`: sessions recorded in our own lab.
"""
