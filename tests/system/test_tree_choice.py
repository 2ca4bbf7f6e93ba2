"""Which joints are cut: none whose motions the rows of a cut joint cannot hold, and rather such as nothing acts on."""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cotree as ct
from cotree.errors import CoordinatesError
from cotree.lie import bracket
from cotree.model import joints as catalogue
from cotree.model.joints import SECOND, Joint, axis_frame, closes_loops
from cotree.topology import spanning_tree
from tests.model.builders import four_bar, refused
from tests.topology.test_topology import connected_graphs

A, B, D = (0, 0, 0), (0.3, 0.4, 0), (1, 0, 0)


@dataclass(frozen=True)
class PinInSlot(Joint):
    """Slide along `slot`, then turn about `axis`."""

    point: Any = (0, 0, 0)
    axis: Any = (0, 0, 1)
    slot: Any = (1, 0, 0)
    places = ("point", "axis", "slot")
    free = (3, 2)
    kinds = (SECOND,)

    def frame(self):
        return axis_frame(np.array(self.point), np.array(self.axis), np.array(self.slot))


def quick_return(block=False):
    """A crank with a slot, and a rocker whose pin is in it; with the catalogue's joints there is a block without mass."""
    mech = ct.Mechanism("quick return", gravity=(0, -9.81, 0))
    crank = mech.body("crank", mass=2, com=(0.2, 0.3, 0), inertia=(0.1, 0.1, 0.2))
    rocker = mech.body("rocker", mass=1, com=(0.6, 0.2, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("A", mech.ground, crank, ct.Revolute(A, (0, 0, 1)))
    mech.joint("D", mech.ground, rocker, ct.Revolute(D, (0, 0, 1)))
    if block:
        mech.body("block", mass=0)
        mech.joint("slot", crank, "block", ct.Prismatic(B))
        mech.joint("pin", "block", rocker, ct.Revolute(B, (0, 0, 1)))
    else:
        mech.joint("pin", crank, rocker, PinInSlot(B, (0, 0, 1), B))
    return mech


def test_a_joint_of_the_users_in_a_loop_is_kept_in_the_tree():
    """The same motion as with a block, wherever else the loop is cut."""
    mech = quick_return()
    assert mech.compile().cut_joints == ("D",)
    mech.motor("drive", "D", 0.0)
    assert mech.compile().cut_joints == ("A",)
    del mech.joint_forces["drive"]
    assert ct.mobility(mech).local == 1
    reference = ct.simulate(quick_return(block=True).compile(cut=["D"]), 1.0)
    turn = reference.q[:, reference.system.coordinate_names.index("A")]
    for cut in (None, ["D"]):
        run = ct.simulate(mech.compile(cut=cut), 1.0)
        assert run.status == "done"
        assert run.violation.max() < 1e-10
        assert np.abs(run.energy.balance).max() < 1e-5
        np.testing.assert_allclose(run.q[:, run.system.coordinate_names.index("A")], turn, atol=1e-6)
    assert np.ptp(turn) > 0.5
    # and where the rocker is the one in the tree, its angle
    other = ct.simulate(mech.compile(cut=["A"]), 1.0)
    rocker = ct.simulate(quick_return(block=True).compile(cut=["A"]), 1.0)
    np.testing.assert_allclose(
        other.q[:, other.system.coordinate_names.index("D")], rocker.q[:, rocker.system.coordinate_names.index("D")],
        atol=1e-6,
    )  # fmt: skip


def test_what_cannot_be_cut_is_refused():
    mech = quick_return()
    with refused(CoordinatesError, "joint 'pin'", "PinInSlot", "cut another joint of its loop, cut=['D']"):
        mech.compile(cut=["pin"])
    with refused(CoordinatesError, "joint 'pin'", "coordinates='relative'"):
        mech.compile(coordinates="absolute")
    alone = ct.Mechanism()
    alone.body("a", 1, (0, 0, 0), (1, 1, 1))
    alone.body("b", 1, (0, 0, 0), (1, 1, 1))
    alone.joint("one", "ground", "a", PinInSlot())
    alone.joint("hinge", "a", "b", ct.Revolute())
    with refused(CoordinatesError, "joint 'one'", "leave it out of cut="):
        alone.compile(cut=["one"])
    alone.joint("two", "a", "ground", PinInSlot())
    with refused(CoordinatesError, "joint 'two'", "neither can any other joint of its loop"):
        alone.compile()


def test_every_loop_is_searched():
    """Two loops that share a joint of the user's, and one of two such joints with one that can be cut."""
    mech = quick_return()
    mech.body("second", mass=1, com=(0.6, 0.2, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("E", "ground", "second", ct.Revolute((0, 1, 0), (0, 0, 1)))
    mech.joint("pin 2", "second", "crank", PinInSlot((0.3, 0.4, 0)))
    system = mech.compile()
    assert not {"pin", "pin 2"} & set(system.cut_joints)
    assert len(system.cut_joints) == 2
    assert ct.mobility(mech).local == 1


@pytest.mark.parametrize("free", [c for n in range(7) for c in combinations(range(6), n)])
def test_motions_that_can_be_cut(free):
    """Those whose brackets stay inside; turns about one axis are about the third."""
    kind = type("Mine", (Joint,), {"free": free, "kinds": (SECOND,)})
    Y = np.eye(6)[:, list(free)]
    brackets = [bracket(a, b) for a in Y.T for b in Y.T]
    group = not brackets or all(np.linalg.norm(x - Y @ (Y.T @ x)) < 1e-12 for x in brackets)
    turns = [i for i in free if i < 3]
    assert closes_loops(kind()) == (group and turns in ([], [2], [0, 1, 2]))


def test_the_catalogue_can_be_cut():
    names = ("Revolute", "Prismatic", "Helical", "Cylindrical", "Universal", "Spherical", "Planar", "PlanarTranslation")
    for name in (*names, "Translation", "Schoenflies", "Free", "Weld"):
        kind = getattr(catalogue, name)
        assert closes_loops(kind())
        assert closes_loops(type("Mine", (kind,), {})())
        other = type("Other", (kind,), {"screws": lambda self: np.eye(6)[:, : self.dof]})
        assert not closes_loops(other())


# -- joints that something acts on -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "use",
    [
        lambda m: m.motor("x", "C", 1.0),
        lambda m: m.joint_spring("x", "C", 1.0),
        lambda m: m.joint_damper("x", "C", 1.0),
        lambda m: m.drive("x", "C", 0.0),
    ],
)
def test_joints_that_are_used_stay_in_the_tree(use):
    mech = four_bar()
    assert mech.compile().cut_joints == ("C",)
    use(mech)
    system = mech.compile()
    assert system.cut_joints == ("B",)
    assert "C" in system.coordinate_names


@pytest.mark.parametrize(
    "use", [lambda m: m.lock("C", at=1.0), lambda m: m.brake("C", 1.0), lambda m: m.limit("C", -1, 1)]
)
def test_switches_of_one_coordinate_do_not_count(use):
    """They are measured across the cut, and the coordinates stay in their places."""
    mech = four_bar()
    use(mech)
    assert mech.compile().cut_joints == ("C",)


def test_rows_count_before_use():
    """With a ball joint at D a planar loop needs rows and coordinates that add up to 5 if it is cut there or next to it, else
    to 6; at the ball fewest of them are rows."""
    mech = four_bar()
    c = mech.joints["D"]
    mech.joints["D"] = replace(c, joint=ct.Spherical(c.joint.point))
    assert mech.compile().cut_joints == ("D",)
    mech.motor("c", "C", 0.0)
    mech.lock("D", at=1.0)
    assert mech.compile().cut_joints == ("A",)  # not B, which nothing acts on either


@given(connected_graphs(), st.sets(st.integers(0, 20)))
def test_depth_counts_before_use(graph, prefer):
    plain, other = spanning_tree(graph), spanning_tree(graph, prefer=prefer)
    assert [len(plain.path(k)) for k in range(graph.size)] == [len(other.path(k)) for k in range(graph.size)]
    for k in range(1, graph.size):
        again = [a for a, ends in enumerate(graph.edges) if set(ends) == {k, other.parent[k]} and a in prefer]
        assert not again or other.edge[k] in prefer
