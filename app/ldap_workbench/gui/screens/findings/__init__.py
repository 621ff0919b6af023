"""What stands out in the open session, where to look, and what is worth an experiment."""
