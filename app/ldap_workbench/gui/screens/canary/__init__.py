"""The canary: one change on several replicas in turn, from its plan to keep or revert."""
