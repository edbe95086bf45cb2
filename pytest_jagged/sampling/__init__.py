"""Room `sampling`."""
