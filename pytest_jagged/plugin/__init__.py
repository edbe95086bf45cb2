"""Room `plugin`."""
