"""The clock of a playing view: simulation time as a function of real time."""

from __future__ import annotations


def passed(t: float, seconds: float, start: float, end: float, loop: bool) -> tuple[float, bool]:
    """(time after some seconds of play, whether it keeps playing); at the end it loops or stops."""
    there = t + seconds
    if there < end or end <= start:
        return min(there, end), end > start
    if not loop:
        return end, False
    return start + (there - start) % (end - start), True
