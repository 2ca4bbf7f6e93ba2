"""Random trees of revolute, prismatic and spherical joints against MuJoCo: mass matrix, bias forces, accelerations."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import cotree as ct
from tests.random_mechanisms import dofs_of, random_state, random_tree, relative_error

mujoco = pytest.importorskip("mujoco")

from benchmarks.peers.mujoco_models import MujocoModel  # noqa: E402  (needs mujoco)

TOLERANCE = 1e-9
each_tree = pytest.mark.parametrize("seed", range(30))


@dataclass(frozen=True)
class Pair:
    """One tree in both programs, MuJoCo's data set to the state; x[order] * sign are its velocities in our order."""

    system: ct.System
    state: object
    model: MujocoModel
    order: np.ndarray
    sign: np.ndarray


@cache
def pair(seed):
    """Even seeds: one-dof joints in both orientations; odd seeds: spherical joints too, told along the tree."""
    rng = np.random.default_rng(1000 + seed)
    joints, backward = (
        (("Revolute", "Prismatic"), 0.4) if seed % 2 == 0 else (("Revolute", "Prismatic", "Spherical"), 0.0)
    )
    tree = random_tree(
        rng,
        int(rng.integers(2, 25)),
        joints,
        ("group", "quaternion"),
        backward=backward,
        framed=0.0,
        told=0.0,
        massless=0.0,
    )
    system = tree.compile()
    model = MujocoModel(system.mechanism)
    state, order, sign = random_state(rng, system), np.zeros(system.nv, dtype=int), np.ones(system.nv)
    for j, inner, _ in model.tree.edges:
        own, there = dofs_of(system, j.name), model.places(j.name)
        order[own] = np.arange(there.start, there.stop)
        sign[own] = 1.0 if j.parent == inner else -1.0
        place = model.model.jnt_qposadr[model.model.joint(j.name).id]
        first = (
            int(system.dofs[own[0]]["iq"]) if len(own) == 1 else int(system.links[system.dofs[own[0]]["link"]]["iq"])
        )
        count = 1 if len(own) == 1 else 4
        model.data.qpos[place : place + count] = sign[own[0]] * state.q[first : first + count]
    model.data.qvel[order] = sign * state.v
    model.data.qfrc_applied[order] = sign * state.tau
    mujoco.mj_forward(model.model, model.data)
    return Pair(system, state, model, order, sign)


@each_tree
def test_mass_matrix(seed):
    p = pair(seed)
    M = np.zeros((p.system.nv, p.system.nv))
    mujoco.mj_fullM(p.model.model, p.model.data, M)
    expected = np.outer(p.sign, p.sign) * M[np.ix_(p.order, p.order)]
    assert relative_error(ct.mass_matrix(p.system, p.state.q), expected) < TOLERANCE


@each_tree
def test_bias_forces(seed):
    p = pair(seed)
    found = ct.inverse_dynamics(p.system, p.state.q, p.state.v, np.zeros(p.system.nv))
    assert relative_error(found, p.sign * p.model.data.qfrc_bias[p.order]) < TOLERANCE


@each_tree
def test_accelerations(seed):
    p = pair(seed)
    found = ct.forward_dynamics(p.system, p.state.q, p.state.v, p.state.tau).v_dot
    assert relative_error(found, p.sign * p.model.data.qacc[p.order]) < TOLERANCE
