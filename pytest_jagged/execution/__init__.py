"""Composes the rooms below into a study that runs, with or without pytest."""
