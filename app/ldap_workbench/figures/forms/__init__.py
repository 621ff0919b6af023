"""What stands in the fields of the window, as a profile or a plan and back; without a screen."""
