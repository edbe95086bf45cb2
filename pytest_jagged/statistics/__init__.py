"""Room `statistics`."""
