"""The verbs of `jagged`, one module each: `HELP`, `add_arguments(parser)`, `run(options) -> int`.

Modules import lightly at the top; what a verb needs is imported in `run`.
"""
