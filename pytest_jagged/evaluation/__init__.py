"""Room `evaluation`."""
