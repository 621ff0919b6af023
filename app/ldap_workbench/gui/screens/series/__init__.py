"""What campaign and canary share: many windows from a plan over the run to what is kept."""
