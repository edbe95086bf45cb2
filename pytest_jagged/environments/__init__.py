"""Room `environments`."""
