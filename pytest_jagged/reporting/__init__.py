"""Room `reporting`."""
