"""Room `records`."""
