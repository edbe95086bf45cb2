"""Where a staged study stands, from its records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_jagged.contracts.record import RunRecord
from pytest_jagged.plan import plan_cases
from pytest_jagged.staging import Allotment, allot, first_allotment, measured_counts, stage_sizes

if TYPE_CHECKING:
    from pytest_jagged.execution.study import Study

__all__ = ["current_stages"]


def current_stages(study: Study) -> tuple[Allotment, ...]:
    """The allotments of the stages that may run now: all before the last of them are complete.

    A stage is complete when each of its runs has a record that no session would make again.
    """
    settings, ids = study.settings, study.instance_ids
    stages = [first_allotment(settings, ids)]
    while len(stages) < len(stage_sizes(settings)):
        records: list[RunRecord] = []
        for case in plan_cases(settings, ids, stages):
            record = study.stored(case)
            if record is None:
                return tuple(stages)
            records.append(record)
        stages.append(allot(settings, ids, len(stages) + 1, measured_counts(records)))
    return tuple(stages)
