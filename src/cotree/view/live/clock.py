"""The clock of a view that plays: where the time goes while real time passes."""

from __future__ import annotations


def passed(t: float, seconds: float, start: float, end: float, loop: bool) -> tuple[float, bool]:
    """(time after so many seconds of the run, whether it plays on): from the end to the start again, or stops there."""
    there = t + seconds
    if there < end or end <= start:
        return min(there, end), end > start
    if not loop:
        return end, False
    return start + (there - start) % (end - start), True
