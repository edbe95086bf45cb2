"""Environments in containers."""
