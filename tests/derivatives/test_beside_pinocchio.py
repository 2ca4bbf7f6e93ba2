"""Derivatives beside those of Pinocchio, which knows them by other recursions in body frames."""

import numpy as np
import pytest

import cotree as ct
from benchmarks.trees import branched_parents, chain_parents, cotree_tree, pinocchio_tree
from tests.random_mechanisms import error

pin = pytest.importorskip("pinocchio")
TOLERANCE = 1e-9


@pytest.mark.parametrize(
    "parents", [chain_parents(7), chain_parents(30), branched_parents(40)], ids=["7", "30", "branched"]
)
def test_trees(parents):
    system, model = cotree_tree(parents).compile(), pinocchio_tree(parents)
    data, n = model.createData(), system.nv
    order = [int(name[1:]) for name in system.coordinate_names]
    q, v, x = np.random.default_rng(1).standard_normal((3, n))
    theirs = np.empty((3, n))
    theirs[:, order] = q, v, x
    ours = ct.inverse_dynamics_derivatives(system, q, v, x)
    pin.computeRNEADerivatives(model, data, *theirs)
    for a, b in ((ours.dq, data.dtau_dq), (ours.dv, data.dtau_dv)):
        assert error(a, b[np.ix_(order, order)]) < TOLERANCE
    ours = ct.forward_dynamics_derivatives(system, q, v, x)
    pin.computeABADerivatives(model, data, *theirs)
    for a, b in ((ours.dq, data.ddq_dq), (ours.dv, data.ddq_dv)):
        assert error(a, b[np.ix_(order, order)]) < TOLERANCE


def test_free_body_with_arms():
    """A free base: Pinocchio has the translations first."""
    mech, swap = ct.Mechanism("drone"), [3, 4, 5, 0, 1, 2]
    base = mech.body("base", 2.0, (0, 0, 0), (0.2, 0.3, 0.4))
    mech.joint("F", mech.ground, base, ct.Free())
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "F")
    model.appendBodyToJoint(joint, pin.Inertia(2.0, np.zeros(3), np.diag([0.2, 0.3, 0.4])), pin.SE3.Identity())
    for k, (p, axis) in enumerate((((0.3, 0, 0.1), 1), ((-0.2, 0.4, 0), 2))):
        arm = mech.body(f"arm{k}", 1.0, p, (0.05, 0.06, 0.07))
        mech.joint(f"J{k}", base, arm, ct.Revolute(p, np.eye(3)[axis]))
        kind = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)[axis]
        i = model.addJoint(joint, kind(), pin.SE3(np.eye(3), np.array(p)), f"J{k}")
        model.appendBodyToJoint(i, pin.Inertia(1.0, np.zeros(3), np.diag([0.05, 0.06, 0.07])), pin.SE3.Identity())
    system, data, rng = mech.compile(group="SE3"), model.createData(), np.random.default_rng(3)
    q = ct.displace(system, system.q0, rng.normal(size=system.nv))
    v, x = rng.normal(size=(2, system.nv))
    order = [*swap, *range(6, system.nv)]
    qp = np.concatenate([q[4:7], q[1:4], q[:1], q[7:]])
    ours = ct.inverse_dynamics_derivatives(system, q, v, x)
    pin.computeRNEADerivatives(model, data, qp, v[order], x[order])
    for a, b in ((ours.dq, data.dtau_dq), (ours.dv, data.dtau_dv)):
        assert error(a[np.ix_(order, order)], b) < TOLERANCE


def test_closed_chain():
    """Eight revolutes whose last link is welded to ground, along what the weld allows."""
    n, rng = 8, np.random.default_rng(7)
    mech, model = ct.Mechanism("ring"), pin.Model()
    points, axes = rng.normal(size=(n, 3)), rng.integers(0, 3, n)
    at, before, joint = np.zeros(3), mech.ground, 0
    for k in range(n):
        body = mech.body(f"b{k}", 1.0, points[k], (0.1, 0.2, 0.25))
        mech.joint(f"J{k}", before, body, ct.Revolute(points[k], np.eye(3)[axes[k]]))
        kind = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)[axes[k]]
        joint = model.addJoint(joint, kind(), pin.SE3(np.eye(3), points[k] - at), f"J{k}")
        model.appendBodyToJoint(joint, pin.Inertia(1.0, np.zeros(3), np.diag([0.1, 0.2, 0.25])), pin.SE3.Identity())
        at, before = points[k], body
    mech.joint("weld", mech.ground, before, ct.Weld())
    system = mech.compile(cut=["weld"], regularize=False)
    q = ct.assemble(system, 0.02 * rng.normal(size=n))
    v, tau = ct.consistent_velocity(system, q, rng.normal(size=n)), rng.normal(size=n)
    ours, Z = (
        ct.forward_dynamics_derivatives(system, q, v, tau),
        np.linalg.svd(ct.constraint_jacobian(system, q))[2][6:].T,
    )
    closing = pin.RigidConstraintModel(
        pin.ContactType.CONTACT_6D, model, joint, pin.SE3.Identity(), 0, pin.SE3(np.eye(3), at), pin.LOCAL
    )
    data, models, datas = model.createData(), pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    models.append(closing)
    datas.append(closing.createData())
    settings = pin.ProximalSettings(1e-14, 1e-14, 100)
    pin.initConstraintDynamics(model, data, models, datas)
    a = pin.constraintDynamics(model, data, q, v, tau, models, datas, settings)
    pin.computeConstraintDynamicsDerivatives(model, data, models, datas, settings)
    assert error(ours.v_dot, a) < TOLERANCE
    assert error(ours.dq @ Z, data.ddq_dq @ Z) < TOLERANCE
    assert error(ours.dv @ Z, data.ddq_dv @ Z) < TOLERANCE
    assert error(ours.dtau, data.ddq_dtau) < TOLERANCE


@pytest.mark.parametrize("n", [2, 10])
def test_many_loops(n):
    """The N-four-bar, whose points out of the plane are redundant, along what its loops allow."""
    from benchmarks.peers.ladder_chain import LadderChain

    theirs = LadderChain(n)
    system, order = theirs.system, theirs.order
    q, v = system.q0.copy(), ct.consistent_velocity(system, system.q0, np.ones(system.nv))
    tau, (vp, tp) = np.linspace(-1.0, 1.0, system.nv), np.empty((2, system.nv))
    vp[order], tp[order] = v, tau
    ours, data = ct.forward_dynamics_derivatives(system, q, v, tau), theirs.derivatives(vp, tp)
    Z = np.linalg.svd(ct.constraint_jacobian(system, q))[2][system.n_constraints :].T
    for a, b in ((ours.dq, data.ddq_dq), (ours.dv, data.ddq_dv)):
        assert np.abs((a - b[np.ix_(order, order)]) @ Z).max() < TOLERANCE * np.abs(ours.dq @ Z).max()
    assert error(ours.dtau, data.ddq_dtau[np.ix_(order, order)]) < TOLERANCE
