"""The screens, one folder each; no screen knows another's parts."""
