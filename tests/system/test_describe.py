"""print(system): the tree, reversed and cut joints, loops, in words and lines."""

import numpy as np
import pytest

import cotree as ct
from tests.model.builders import four_bar


def test_the_four_bar():
    assert str(four_bar().compile()) == (
        "four-bar: 3 bodies, 4 joints, nq 3, nv 3, relative coordinates\n"
        "ground\n"
        "├─ [A: Revolute] crank\n"
        "│  └─ [B: Revolute] coupler\n"
        "└─ [D: Revolute] rocker\n"
        "loop 1: coupler - crank - ground - rocker, cut at [C: Revolute], 2 of 5 constraint equations kept"
    )


def test_another_cut_reverses_joints():
    assert str(four_bar().compile(cut="A")) == (
        "four-bar: 3 bodies, 4 joints, nq 3, nv 3, relative coordinates\n"
        "ground\n"
        "└─ [D: Revolute] rocker\n"
        "   └─ [C: Revolute, reversed] coupler\n"
        "      └─ [B: Revolute, reversed] crank\n"
        "loop 1: ground - rocker - coupler - crank, cut at [A: Revolute], 2 of 5 constraint equations kept"
    )


def test_absolute_coordinates():
    assert str(four_bar().compile("absolute")) == (
        "four-bar: 3 bodies, 4 joints, nq 21, nv 18, absolute coordinates\n"
        "ground\n"
        "├─ (free) crank on SE3\n"
        "├─ (free) coupler on SE3\n"
        "└─ (free) rocker on SE3\n"
        "loop 1: coupler - crank - ground - rocker, cut at [C: Revolute], 2 of 5 constraint equations kept\n"
        "also cut: A (5 constraint equations), B (5 constraint equations), D (5 constraint equations)"
    )


def test_a_part_that_floats():
    lines = str(four_bar().compile(cut=["A", "D"])).splitlines()
    assert lines[2:5] == ["└─ (free) crank on SE3", "   └─ [B: Revolute] coupler", "      └─ [C: Revolute] rocker"]
    assert lines[5:] == ["loop 1: ground - crank - coupler - rocker, cut at [D: Revolute], 2 of 5 constraint equations kept",
                         "also cut: A (5 constraint equations)"]  # fmt: skip


def test_branches_of_many_kinds():
    mech = ct.Mechanism("tree")
    for k, name in enumerate("abcdef"):
        mech.body(name, 1, (k, 1, 0), (1, 1, 1))
    mech.joint("weld", "ground", "a", ct.Weld())
    mech.joint("ball", "b", "a", ct.Spherical())
    mech.joint("slide", "a", "c", ct.Prismatic())
    mech.joint("cross", "c", "d", ct.Universal())
    mech.joint("float", "ground", "e", ct.Free())
    mech.joint("nut", "e", "f", ct.Helical())
    assert str(mech.compile()) == (
        "tree: 6 bodies, 6 joints, nq 15, nv 13, relative coordinates\n"
        "ground\n"
        "├─ [weld: Weld] a\n"
        "│  ├─ [ball: Spherical, reversed] b\n"
        "│  └─ [slide: Prismatic] c\n"
        "│     └─ [cross: Universal] d\n"
        "└─ [float: Free] e on SE3\n"
        "   └─ [nut: Helical] f"
    )


def test_a_name_is_not_needed():
    mech = ct.Mechanism()
    mech.body("b", 1, (1, 0, 0), (1, 1, 1))
    mech.joint("j", "ground", "b", ct.Revolute())
    assert str(mech.compile()).startswith("mechanism: 1 bodies")
    assert repr(mech.compile()) == "<System '': 1 bodies, nq 1, nv 1, 0 loops>"


def test_long_trees_and_many_loops_are_cut_short():
    mech = ct.Mechanism("ladder")
    for k in range(100):
        mech.body(f"b{k}", 1, (k, 0, 0), (1, 1, 1))
        mech.joint(f"J{k}", "ground", f"b{k}", ct.Revolute((k, 0, 0)))
        mech.joint(f"K{k}", "ground", f"b{k}", ct.Revolute((k, 1, 0)))
    lines = str(mech.compile()).splitlines()
    assert len(lines) == 1 + 61 + 61
    assert lines[61] == "... 41 more"  # with ground
    assert lines[62].startswith("loop 1: ground - b0, cut at [K0: Revolute]")
    assert lines[-1] == "... 40 more"


def test_printing_computes_nothing():
    system = four_bar().compile()
    before = {name: getattr(system, name).tobytes() for name in ("links", "dofs", "bodies", "q0")}
    str(system), repr(system)
    assert before == {name: getattr(system, name).tobytes() for name in before}
    assert np.array_equal(system.q0, np.zeros(3))


def test_a_long_chain_is_shown_in_part():
    """Only the lines that are shown are made: all of them would take gigabytes."""
    mech = ct.Mechanism("chain")
    for k in range(30_000):
        body = mech.body(f"b{k}", 1.0, (0.0, 0.0, 1.0 * k), (0.1, 0.1, 0.1))
        mech.joint(f"j{k}", f"b{k - 1}" if k else "ground", body, ct.Revolute((0.0, 0.0, 1.0 * k), (1.0, 0.0, 0.0)))
    lines = str(mech.compile()).splitlines()
    assert len(lines) == 62
    assert lines[60] == 58 * "   " + "└─ [j58: Revolute] b58"
    assert lines[61] == "... 29941 more"


def test_what_switches_is_told():
    mech = four_bar()
    mech.body("cart", 1, (3, 0, 0), (1, 1, 1))
    mech.joint("rail", "ground", "cart", ct.Cylindrical((3, 0, 0), (1, 0, 0), coordinates="second"))
    mech.brake("A", 4, at=0.5)
    mech.brake("rail", 2, static_ratio=1.5, coordinate="q2", when=lambda t: t - 1, until=3)
    mech.lock("B", at=2, until=3)
    mech.lock("B", at=0.5, until=1)
    mech.lock("rail", coordinate="q1")
    mech.limit("D", upper=1.5, restitution=0.25)
    mech.limit("rail", -1, 2, coordinate="q2", name="stops")
    mech.unlock("stops", at=4)
    mech.dock("grip", "cart", "rocker", ct.Weld(), 0.01)
    mech.unlock("grip", when=lambda t: t - 9)
    mech.dock("bolt", "cart", "crank", ct.Spherical(), at=1)
    mech.drive("turn", "A", 0.0)
    mech.motor("m", "B", 1.0)
    mech.activate("turn", at=1)
    mech.deactivate("turn", at=2)
    mech.deactivate("m", at=0.5)
    mech.deactivate("C", when=lambda q: q[0])
    assert str(mech.compile()).splitlines()[-11:] == [
        "brake 'brake A' on A, 4 N m, from 0.5 s",
        "brake 'brake rail.q2' on rail.q2, 2 N, static 3, from an event until 3 s",
        "lock 'lock B' on B, from 0.5 s until 1 s, from 2 s until 3 s",
        "lock 'lock rail.q1' on rail.q1, from the start",
        "limit 'limit D' on D, -inf to 1.5 rad, restitution 0.25",
        "limit 'stops' on rail.q2, -1 to 2 m, from the start until 4 s",
        "dock 'grip': Weld from cart to rocker, within 0.01, when they meet until an event",
        "dock 'bolt': Spherical from cart to crank, within 0.001, from 1 s",
        "drive 'turn' acts from 1 s until 2 s",
        "motor 'm' acts until 0.5 s",
        "joint 'C' acts until an event",
    ]


def test_the_way_from_ground_to_a_body():
    """J(k) of Geo 2.1 by name; joints that run against the tree are on the way too."""
    system = ct.gallery.four_bar().compile(cut=["B"])
    assert system.path("coupler") == {"D": "rocker", "C": "coupler"}
    assert system.path("crank") == {"A": "crank"}
    assert system.path("ground") == {}
    assert system.path(system.row_of("coupler")) == system.path("coupler")
    free = ct.gallery.four_bar().compile(coordinates="absolute")
    assert free.path("coupler") == {"": "coupler"}
    with pytest.raises(ct.errors.UnknownNameError, match="coupler"):
        system.path("couple")
