"""Divide and conquer with forces and with constraints beside the joints: the same as the index-1 system."""

import numpy as np
import pytest

import cotree as ct
from tests.closed_mechanisms import CATALOGUE
from tests.constraints.rigs import arm, four_bar
from tests.constraints.test_knife_edge import sleigh
from tests.constraints.test_rolling import ball, disk, general
from tests.dynamics.loads import with_springs
from tests.random_mechanisms import make_case

from .divided import WAYS, check, state

T = 0.3


def swing(t):
    return 0.2 * np.sin(3.0 * t)


def check_ways(mech, seed, t=0.0, ways=WAYS, tolerance=1e-9):
    for way in ways:
        system, rng = mech.compile(**way), np.random.default_rng(seed)
        check(system, *state(system, rng, t=t), t=t, tolerance=tolerance)


# -- forces --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
@pytest.mark.parametrize("seed", range(4))
def test_springs_on_trees(seed, group):
    case = make_case(seed, 3 + 3 * seed, group, massless=0.0)
    system = with_springs(case, 4).system
    q = ct.displace(system, system.q0, 0.4 * case.rng.normal(size=system.nv))
    check(system, q, case.rng.normal(size=system.nv), case.rng.normal(size=system.nv))


@pytest.mark.parametrize("name", ["four-bar", "Sarrus", "delta", "3-PRRR"])
def test_all_kinds_of_forces_on_loops(name):
    mech = CATALOGUE[name][0]().mechanism()
    a, *_, b = mech.bodies
    mech.spring("line", a, (0.3, 0.1, 0.2), b, (1.0, -0.4, 0.3), 30.0, 0.7, 2.0)
    mech.spring("to ground", "ground", (3, 1, 0.2), b, (0.2, 0.1, 0.0), 20.0, None, 1.0)
    mech.force("push", a, lambda t: np.array([np.sin(t), 1.0, t]), (0.2, 0.3, 0.4), frame="body")
    mech.torque("twist", b, (1.0, -2.0, 0.5))
    joint = next(j.name for j in mech.joints.values() if j.joint.dof == 1)
    cut = [j for j in mech.compile().cut_joints if j != joint]
    mech.joint_spring("coil", joint, 3.0, 0.2)
    mech.joint_damper("oil", joint, 0.7)
    mech.motor("motor", joint, lambda t, q, v: np.cos(t) + q[0] - v[0])
    for way in ({}, {"group": "SO3xR3"}, {"regularize": False}):
        system = mech.compile(cut=cut, **way) if cut else mech.compile(**way)
        check(system, *state(system, np.random.default_rng(1)), t=T)


# -- drivers, gears, couplings -------------------------------------------------------------------------------


@pytest.mark.parametrize("joint", "ABCD")
def test_driven_four_bar(joint):
    """Whichever joint is driven and whichever is cut, the driven one too."""
    mech = four_bar()
    mech.drive("motor", joint, swing)
    for cut in "ABCD":
        for regularize in (True, False):
            system = mech.compile(cut=[cut], regularize=regularize)
            check(system, *state(system, np.random.default_rng(2), t=T), t=T)
    check_ways(mech, 2, T, WAYS[3:])


def test_redundant_drivers():
    """Two drivers for one dof that ask for the same: one row too many, each in its own joint."""
    mech = four_bar()
    mech.drive("one", "A", 0.0)
    mech.drive("two", "D", 0.0)
    for way in WAYS:
        system = mech.compile(**way)
        found = check(system, system.q0, None, np.random.default_rng(3).normal(size=system.nv))
        assert not found.unique
        assert np.abs(found.v_dot).max() < 1e-12


def test_couplings_between_four_bodies():
    """Three joints of an arm, each between two bodies; also where some of them are cut."""
    joints = [
        ct.Revolute((0.2 * k, 0.1, 0.05 * k), e) for k, e in enumerate(np.random.default_rng(4).normal(size=(6, 3)))
    ]
    mech = arm(*joints)
    mech.coupling("mix", {"j1": 1.0, "j3": -0.5, "j5": 2.0}, offset=swing)
    mech.gear("bevel", "j0", "j4", -1.7)
    check_ways(mech, 4, T)
    for cut in (["j1"], ["j3"], ["j1", "j3"], ["j0", "j5"], ["j2"]):
        system = mech.compile(cut=cut)
        check(system, *state(system, np.random.default_rng(5), t=T), t=T)


def test_coupling_of_branches_and_cut_joints():
    mech = CATALOGUE["delta"][0]().mechanism()
    mech.coupling("arms", {"R0": 1.0, "R1": 2.0, "R2": -0.7})
    check_ways(mech, 6)


@pytest.mark.parametrize("coordinates", ["second", "group"])
@pytest.mark.parametrize("backward", [False, True])
def test_coupling_within_a_joint(backward, coordinates):
    """A thread made of a cylindrical joint, told either way."""
    mech = arm(ct.Revolute(axis=(0, 1, 2)))
    mech.body("nut", 2.0, (0.7, 0.1, 0), (0.1, 0.2, 0.15))
    ends = ("nut", "b0") if backward else ("b0", "nut")
    mech.joint("screw", *ends, ct.Cylindrical((0.5, 0.2, 0.1), (1, 0, 1), coordinates=coordinates))
    turn, slide = ("q1", "q2") if coordinates == "second" else ("wz", "vz")
    mech.coupling("thread", {("screw", slide): 1.0, ("screw", turn): -0.3, "j0": 0.2})
    check_ways(mech, 7)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("coordinate", ["w1", "w2"])
def test_driver_of_a_universal_joint(coordinate, backward):
    """Its massless link is part of the joint."""
    mech = arm(ct.Revolute(axis=(0, 1, 2)))
    mech.body("end", 2.0, (0.7, 0.1, 0), (0.1, 0.2, 0.15))
    ends = ("end", "b0") if backward else ("b0", "end")
    mech.joint("cross", *ends, ct.Universal((0.5, 0.2, 0.1), (1, 0, 0), (0, 1, 0.3)))
    mech.drive("motor", "cross", swing, coordinate=coordinate)
    check_ways(mech, 8, T, WAYS[:3])


# -- distances, edges, rolling -------------------------------------------------------------------------------


def test_distances():
    mech = arm(ct.Spherical((0, 0, 0)), ct.Universal((0.5, 0.1, 0), (1, 0, 0), (0, 1, 0)), ct.Free())
    mech.distance("rod", "b1", (1, 0.5, 0), "b0", (0.2, 0, 0.7))
    mech.distance("rope", "b2", (1, 0.5, 0), "ground", (0, 3, 1), length=lambda t: 3.0 + 0.1 * np.sin(t))
    mech.distance("bar", "b2", (0, 0, 1), "b1", (0.5, 1, 0))
    check_ways(mech, 9, T)


def test_distances_in_loops():
    """A parallelogram's crank doubled by a rod: redundant, and a brace that locks a five-bar."""
    mech = ct.gallery.parallelogram(gravity=(0, -9.81, 0))
    tip = np.array([np.cos(0.6), np.sin(0.6), 0.0])
    mech.distance("rod", "ground", (1, 0, 0), "coupler", tip + np.array([1, 0, 0]))
    check_ways(mech, 10)
    mech = CATALOGUE["five-bar"][0]().mechanism()
    mech.distance("brace", "b0", (0, 0.3, 0.2), "b3", (1.2, 0.4, -0.1))
    check_ways(mech, 11)


ROLLING = {
    "sleigh": sleigh,
    "disk": disk,
    "ball": ball,
    "balls": lambda: general(None),
    "disks": lambda: general((0.3, 1, 0.2)),
}


@pytest.mark.parametrize("name", ROLLING)
def test_rolling_and_edges(name):
    check_ways(ROLLING[name](), 12)


def test_rolling_disk_on_a_pendulum():
    """Surface and disk both move; an edge on the same disk."""
    mech = arm(ct.Revolute(axis=(1, 0, 0)), ct.Revolute((0, 0.5, 0.2), (0, 1, 0)))
    mech.body("disk", 1.0, (0, 0, 0.7), (0.1, 0.2, 0.1))
    mech.joint("free", "ground", "disk", ct.Free())
    mech.rolling("contact", "disk", (0, 0, 0.7), 0.7, axis=(0, 1, 0), surface="b1")
    mech.knife_edge("edge", "b1", (1, 0.5, 0), (1, 2, -1))
    check_ways(mech, 13)


# -- rows on bodies that do not move -------------------------------------------------------------------------


def test_rows_on_ground_alone():
    """A rod between ground and a body welded to it, and a joint there: rows that touch nothing that moves."""
    mech = four_bar()
    mech.body("post", 1.0, (5, 0, 0), (1, 1, 1))
    mech.joint("glue", "ground", "post", ct.Weld())
    mech.distance("rod", "ground", (0, 0, 0), "post", (5, 1, 0))
    mech.joint("idle", "ground", "post", ct.Revolute((5, 0, 0), (0, 0, 1)))
    for way in WAYS[:3]:
        system = mech.compile(cut=["C", "idle"], **way)
        check(system, *state(system, np.random.default_rng(14)))
    check_ways(mech, 14, ways=WAYS[3:])


def test_rows_of_bodies_welded_to_each_other():
    """Rows between two bodies of one part: they do no work."""
    mech = four_bar()
    mech.body("lump", 1.0, (1.5, 1.5, 0), (0.1, 0.1, 0.1))
    mech.joint("glue", "coupler", "lump", ct.Weld())
    mech.distance("rod", "coupler", (1, 1, 0), "lump", (1.5, 2, 0))
    mech.joint("ball", "coupler", "lump", ct.Spherical((1, 2, 0)))
    for way in WAYS[:3]:
        system = mech.compile(cut=["C", "ball"], **way)
        check(system, *state(system, np.random.default_rng(15)))
    check_ways(mech, 15, ways=WAYS[3:])


def test_welds_between_branches():
    """Welded bodies carry joints, loops and loads."""
    mech = CATALOGUE["3-UPU"][0]().mechanism()
    mech.body("lump", 1.0, (0.1, 0.2, 2.2), (0.1, 0.2, 0.15))
    mech.joint("glue", "platform", "lump", ct.Weld())
    mech.body("bob", 0.5, (0.3, 0.2, 3.0), (0.1, 0.1, 0.1))
    mech.joint("hook", "lump", "bob", ct.Spherical((0.1, 0.2, 2.5)))
    mech.force("wind", "lump", (1.0, 2.0, 0.3))
    check_ways(mech, 16)
