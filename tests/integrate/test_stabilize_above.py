"""Corrections only above a tolerance, and the partitions that were taken."""

import itertools

import numpy as np
import pytest

import cotree as ct


def fixed(**options):
    return ct.simulate(ct.gallery.four_bar(), 1.0, step=5e-3, method="euler", output="steps", **options)


@pytest.mark.parametrize("formulation", ["auto", "odca", "voronets"])
@pytest.mark.parametrize("stabilize", [ct.Projection, ct.Partition])
def test_errors_up_to_the_tolerance_stay(stabilize, formulation):
    if (stabilize, formulation) == (ct.Partition, "odca"):
        return
    run = fixed(stabilize=stabilize(above=2e-2), formulation=formulation)
    counts = run.statistics
    assert counts["steps_corrected"] > 0
    assert counts["steps_tolerated"] > 0
    assert counts["steps_corrected"] + counts["steps_tolerated"] == counts["steps"] == 200
    assert 1e-6 < run.violation.max() <= 2e-2 * np.sqrt(2.0)  # a norm of two constraint equations
    assert 1e-3 < run.velocity_violation.max() <= 2e-2 * np.sqrt(2.0)


def test_a_few_steps():
    """Errors of Euler steps from rest grow with the speed: the first ones are tolerated, those above the tolerance are not."""
    options = {"stabilize": ct.Projection(above=2e-3), "method": "euler", "output": "steps"}
    run = ct.simulate(ct.gallery.four_bar(), 0.1, step=1e-2, v={"A": 1.5}, **options)
    assert run.statistics["steps_tolerated"] > 0
    assert run.statistics["steps_corrected"] > 0
    assert 1e-5 < run.violation.max() <= 2e-3 * np.sqrt(2.0)
    assert run.velocity_violation.max() <= 2e-3 * np.sqrt(2.0)


def test_small_tolerances_correct_every_step():
    run = fixed(stabilize=ct.Projection(above=1e-15))
    assert run.statistics["steps_tolerated"] <= 2  # steps from rest have no error
    want = fixed()
    assert run.q == pytest.approx(want.q, abs=1e-12)
    assert "steps_corrected" not in want.statistics


def test_adaptive_runs_need_few_corrections():
    run = ct.simulate(ct.gallery.four_bar(), 2.0, stabilize=ct.Projection(above=1e-6))
    want = ct.simulate(ct.gallery.four_bar(), 2.0, rtol=1e-10, atol=1e-10)
    assert run.statistics["steps_corrected"] < run.statistics["steps_tolerated"]
    assert run.violation.max() <= 1e-6
    assert run.q == pytest.approx(want.q, abs=1e-4)


def test_words_for_what_cannot_be():
    with pytest.raises(ct.errors.ChoiceError, match=r"stabilize_above= is an option of stabilize=ct\.P"):
        fixed(stabilize="none", stabilize_above=1e-6)
    with pytest.raises(ct.errors.ShapeError, match="above is -1"):
        fixed(stabilize=ct.Projection(above=-1))


def test_partitions_that_were_taken():
    run = ct.simulate(ct.gallery.four_bar(), 2.0, stabilize="partition")
    found = run.partitions
    assert found[0].t == 0.0
    for p in found:
        row = int(np.searchsorted(run.t, p.t))
        lengths = ct.theory.projection_lengths(run.system, run.q[row])
        first = lengths.names[int(np.argmax(lengths.constrained))]
        assert first in p.position
        assert len(p.position) == len(p.velocity) == 2
    assert [a[1:] != b[1:] for a, b in itertools.pairwise(found)] == [True] * (len(found) - 1)
    assert ct.simulate(ct.gallery.four_bar(), 0.1).partitions == ()
    chosen = {"position": ["B", "D"], "velocity": ["B", "D"]}
    assert ct.simulate(ct.gallery.four_bar(), 0.1, stabilize=ct.Partition(**chosen)).partitions == (
        (0.0, ("B", "D"), ("B", "D")),
    )
