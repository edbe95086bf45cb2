"""The catalogue: one file per transformation, in the order of the paper's Table 1."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from pytest_jagged.contracts.transformation import Transformation
from pytest_jagged.errors import TransformError
from pytest_jagged.transforms.and_condition_splitter import AndConditionSplitter
from pytest_jagged.transforms.commutative_operand_permuter import CommutativeOperandPermuter
from pytest_jagged.transforms.comparison_swapper import ComparisonSwapper
from pytest_jagged.transforms.dead_code_injector import DeadCodeInjector
from pytest_jagged.transforms.dead_method_injection import DeadMethodInjection
from pytest_jagged.transforms.dead_string_assignment import DeadStringAssignment
from pytest_jagged.transforms.double_negation_injector import DoubleNegationInjector
from pytest_jagged.transforms.for_loop_rewriter import ForLoopRewriter
from pytest_jagged.transforms.if_else_switcher import IfElseSwitcher
from pytest_jagged.transforms.if_true_wrapper import IfTrueWrapper
from pytest_jagged.transforms.local_variable_renamer import LocalVariableRenamer
from pytest_jagged.transforms.string_literal_splitter import StringLiteralSplitter
from pytest_jagged.transforms.try_except_injector import TryExceptInjector
from pytest_jagged.transforms.while_loop_unroller import WhileLoopUnroller

__all__ = ["CATALOGUE", "find_transformation"]

_ALL: tuple[Transformation, ...] = (
    IfElseSwitcher(),
    AndConditionSplitter(),
    ComparisonSwapper(),
    DoubleNegationInjector(),
    WhileLoopUnroller(),
    ForLoopRewriter(),
    CommutativeOperandPermuter(),
    LocalVariableRenamer(),
    StringLiteralSplitter(),
    IfTrueWrapper(),
    TryExceptInjector(),
    DeadCodeInjector(),
    DeadStringAssignment(),
    DeadMethodInjection(),
)

CATALOGUE: Mapping[str, Transformation] = {spt.name: spt for spt in _ALL}


def find_transformation(name: str) -> Transformation:
    """Raises TransformError naming the nearest valid name."""
    if name in CATALOGUE:
        return CATALOGUE[name]
    close = difflib.get_close_matches(name, CATALOGUE, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"valid: {', '.join(CATALOGUE)}"
    raise TransformError(f"unknown transformation {name!r}; {hint}")
