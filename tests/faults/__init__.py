"""The campaign of faults: kills, cuts, full disks and dead servers, seeded and replayable."""
