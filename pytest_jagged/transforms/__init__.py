"""Room `transforms`."""
