"""Room `agents`."""
