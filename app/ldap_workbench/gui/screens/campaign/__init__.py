"""The campaign: a queue of experiments from its plan to what was confirmed."""
