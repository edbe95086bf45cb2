"""Frozen values, closed sets and protocols that cross rooms; imports nothing but the errors.

Import from the modules: `contracts.case`, `contracts.instance`, `contracts.settings`, ...
"""
