"""Estimates with their intervals, and verdicts; pure functions of counts and samples."""
