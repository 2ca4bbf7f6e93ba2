"""Counts of a run that was made in parts."""

from __future__ import annotations

from typing import Any

TOTALS = (
    "steps", "rejected", "evaluations", "partitions_changed", "steps_corrected", "steps_tolerated", "position_correction",
    "velocity_correction",
)  # fmt: skip


def totals(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Counts of two parts."""
    both = {**first, **second}
    both.update({name: first[name] + second[name] for name in TOTALS if name in first and name in second})
    greatest = ("greatest_rank", "functions_every", "events_every")
    if "bounces_ended" in first and "bounces_ended" in second:
        both["bounces_ended"] = first["bounces_ended"] + second["bounces_ended"]
    if "undetermined_contacts" in first and "undetermined_contacts" in second:
        both["undetermined_contacts"] = second["undetermined_contacts"] | first["undetermined_contacts"]
    for name, choose in (("smallest_rank", min), *((name, max) for name in greatest)):
        if name in first and name in second:
            both[name] = choose(first[name], second[name])
    return both
