"""Room `execution`."""
