"""The slowest operations, and the lines of the log behind each."""
