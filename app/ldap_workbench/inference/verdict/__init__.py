"""The verdict: gates, then the test the design allows, then its sentence, notices and evidence."""
