"""The stepper from a treatment to a verdict to keep or revert, over experiment/."""
