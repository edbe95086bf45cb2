"""Where a staged study stands, from its records."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_jagged.contracts.case import Case
from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.execution.forecast import known_keys
from pytest_jagged.plan import plan_cases
from pytest_jagged.staging import Allotment, allot, first_allotment, measured_counts, stage_count

if TYPE_CHECKING:
    from pytest_jagged.execution.study import Study

__all__ = ["current_stages", "known_stages"]


def current_stages(study: Study) -> tuple[Allotment, ...]:
    """The allotments of the stages that may run now: all before the last of them are complete.

    A stage is complete when each of its runs has a record that no session would make again.
    """
    return _stages(study, study.stored)


def known_stages(study: Study) -> tuple[Allotment, ...]:
    """The same as far as the last session's study.json tells; nothing is fetched or built."""
    keys = known_keys(study)

    def stored(case: Case) -> RunRecord | None:
        return study.stored_as(case, keys[case]) if case in keys else None

    return _stages(study, stored)


def _stages(study: Study, stored: Callable[[Case], RunRecord | None]) -> tuple[Allotment, ...]:
    settings, ids = study.settings, study.instance_ids
    stages = [first_allotment(settings, ids)]
    while len(stages) < stage_count(settings):
        records: list[RunRecord] = []
        for case in plan_cases(settings, ids, stages):
            record = stored(case)
            if record is None:
                return tuple(stages)
            records.append(record)
        stages.append(allot(settings, ids, len(stages) + 1, measured_counts(records)))
    return tuple(stages)
