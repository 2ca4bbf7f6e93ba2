"""Motion maps and complements of joints beside twists, reactions and the paper's own [DCA (7) to (9), (13)]."""

import numpy as np
import pytest

import cotree as ct
from tests.formulations import dca_reference as dca
from tests.formulations.test_dca_reference import spatial_chain
from tests.formulations.test_forward import admissible_state


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_joints_of_every_kind(coordinates):
    """The relative twist lies in H, the joint's force in D, and both spaces are those of the reference."""
    system = spatial_chain().compile(coordinates=coordinates)
    q, v = admissible_state(system, 2)
    V, found = ct.twists(system, q, v, "spatial"), ct.forward_dynamics(system, q, v)
    paper = dca.state_of(system, q, v).joints
    for name, c in system.mechanism.joints.items():
        at = ct.theory.joint_spaces(system, q, name)
        assert at.H.shape == (6, c.joint.dof)
        assert pytest.approx(np.eye(6 - c.joint.dof), abs=1e-13) == at.D.T @ at.D
        assert np.abs(at.H.T @ at.D).max() < 1e-12 * np.abs(at.H).max()
        parent = np.zeros(6) if c.parent == "ground" else V[system.row_of(c.parent)]
        relative = V[system.row_of(c.child)] - parent
        assert at.D.T @ relative == pytest.approx(np.zeros(6 - c.joint.dof), abs=1e-10)
        F = found.reactions[name]
        assert pytest.approx(F, abs=1e-9 * (1 + np.abs(F).max())) == at.D @ (at.D.T @ F)
        assert pytest.approx(paper[name].D @ paper[name].D.T, abs=1e-11) == at.D @ at.D.T


def test_columns_belong_to_the_coordinates():
    system = spatial_chain().compile()
    q, v = admissible_state(system, 2)
    V, start = ct.twists(system, q, v, "spatial"), 0
    for name, c in system.mechanism.joints.items():
        own = [k for k, n in enumerate(system.coordinate_names) if n.split(".")[0] == name]
        start += len(own)
        parent = np.zeros(6) if c.parent == "ground" else V[system.row_of(c.parent)]
        moved = ct.theory.joint_spaces(system, q, c).H @ v[own]
        assert moved == pytest.approx(V[system.row_of(c.child)] - parent, abs=1e-11)
    assert start == system.nv


def test_rows_that_regularization_leaves_out_are_there():
    """A hinge of a planar loop holds five directions, of which the system keeps two equations."""
    system = ct.gallery.four_bar().compile(cut=["D"])
    assert system.n_constraints == 2
    assert ct.theory.joint_spaces(system, system.q0, "D").D.shape == (6, 5)


def test_free_and_welded():
    m = ct.Mechanism("both")
    m.body("a", 1.0, (0, 0, 0), (1, 1, 1))
    m.body("b", 1.0, (1, 0, 0), (1, 1, 1))
    m.joint("air", m.ground, "a", ct.Free())
    m.joint("glue", "a", "b", ct.Weld())
    system = m.compile()
    assert ct.theory.joint_spaces(system, system.q0, "air").D.shape == (6, 0)
    assert pytest.approx(np.eye(6), abs=0) == ct.theory.joint_spaces(system, system.q0, "glue").D


def test_names_that_are_none():
    system = ct.gallery.four_bar().compile()
    with pytest.raises(ct.errors.UnknownNameError, match="is not a joint of system"):
        ct.theory.joint_spaces(system, system.q0, "E")
