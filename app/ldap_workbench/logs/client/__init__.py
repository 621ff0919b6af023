"""What clients measure of their own operations."""
