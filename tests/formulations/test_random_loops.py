"""Random closed mechanisms: every formulation, relative and absolute coordinates, both groups, one acceleration."""

import numpy as np
import pytest

import cotree as ct
from tests.closed_mechanisms import FAMILIES, closed_pose, random_loop, random_network
from tests.formulations.test_forward import FORMULATIONS, body_accelerations, in_system


def agree(data, rng):
    """Largest difference of body accelerations relative to the largest acceleration, over all ways."""
    system = data.compile()
    q = closed_pose(system, rng)
    v = ct.consistent_velocity(system, q, rng.normal(size=system.nv))
    found = []
    for other in (
        system,
        data.compile(cut=system.cut_joints, regularize=False),
        data.compile(coordinates="absolute"),
        data.compile(coordinates="absolute", group="SO3xR3", regularize=False),
    ):
        same = other.coordinate_names == system.coordinate_names
        state = (q, v) if same else in_system(system, other, q, v)
        for formulation in FORMULATIONS:
            v_dot = ct.forward_dynamics(other, *state, formulation=formulation).v_dot
            found.append(body_accelerations(other, *state, v_dot, system.body_names))
    return np.abs(np.array(found) - found[0]).max() / max(1.0, np.abs(found[0]).max())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("family", FAMILIES)
def test_single_loops(family, seed):
    rng = np.random.default_rng(seed)
    assert (
        agree(random_loop(rng, (family, family), "Revolute" if family != "schoenflies" else "Cylindrical"), rng) < 1e-9
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("family", FAMILIES)
def test_networks(family, seed):
    rng = np.random.default_rng(100 + seed)
    assert agree(random_network(rng, family), rng) < 1e-9
