"""etimes over time, with what the server and its disks did at the same moments."""
