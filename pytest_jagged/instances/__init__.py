"""Room `instances`."""
