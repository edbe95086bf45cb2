"""The fixed names of the catalogue, known here so that a study file is checked without libcst."""

from __future__ import annotations

__all__ = ["ARTIFACT_PRESET", "TRANSFORMATION_NAMES"]

TRANSFORMATION_NAMES = (
    "if_else_switcher",
    "and_condition_splitter",
    "comparison_swapper",
    "double_negation_injector",
    "while_loop_unroller",
    "for_loop_rewriter",
    "commutative_operand_permuter",
    "local_variable_renamer",
    "string_literal_splitter",
    "if_true_wrapper",
    "try_except_injector",
    "dead_code_injector",
    "dead_string_assignment",
    "dead_method_injection",
)

# The published code never samples the renamer (its pool has 13 names).
ARTIFACT_PRESET = tuple(n for n in TRANSFORMATION_NAMES if n != "local_variable_renamer")
