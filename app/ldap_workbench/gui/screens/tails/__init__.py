"""The tails of A and B: chart, verdict, numbers."""
