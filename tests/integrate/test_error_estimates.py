"""Printed errors are never less than half of the true ones; the whole set is `python -m benchmarks error_estimates`."""

import pytest

from benchmarks.error_estimates import CASES, compare, optimism

# a body that tumbles about its unstable axis, wheels whose steps an angle limits, a loop, a chaotic motion
CHOSEN = ("T-handle, 5 s", "bicycle", "snakeboard", "slider-crank", "double pendulum, 3 s")


@pytest.mark.parametrize("case", [c for c in CASES if c.name in CHOSEN], ids=lambda c: c.name)
def test_printed_errors_are_not_too_small(case):
    run, printed, true = compare(case)
    assert run.status == "done"
    assert optimism(printed, true) < 2.0
    assert optimism(true, printed) < 5.0


def test_the_published_set():
    assert len({c.name for c in CASES}) == len(CASES) >= 30
