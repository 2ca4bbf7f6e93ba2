"""Robots as others publish them: read, closed, counted, run for two seconds with the defaults, and compared with peers.

The files are read from a folder beside the repository (`MODELS`), and where that is missing all of this is skipped. That the
trees are Pinocchio's and MuJoCo's where nothing is closed is said in test_urdf.py and test_mjcf.py.
"""

import warnings
from xml.etree import ElementTree

import numpy as np
import pytest

import cotree as ct
from cotree.io import import_sdf, import_urdf
from tests.io.robot_files import MODELS
from tests.io.test_sdf import pose6
from tests.random_mechanisms import dofs_of, relative_error

pytestmark = pytest.mark.skipif(not MODELS.is_dir(), reason="the folder with robots is not beside the repository")

# degrees of freedom: of base, motors, springs, and idle turns of rods between balls
ROBOTS = {
    "epr_5bar_linkage/robot.urdf": 3, "epr_robot_delta/robot.urdf": 5, "epr_cassie_like/robot.urdf": 7,
    "epr_digit_like/robot.urdf": 9, "kuka_iiwa_robot.urdf": 7, "menagerie_cassie.xml": 22, "cassie_v2.sdf": 18,
}  # fmt: skip
URDF = [name for name in ROBOTS if name.endswith(".urdf")]


def loaded(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of armature that is left out
        return ct.load(MODELS / name)


def closed_configurations(system, rng, n):
    """Closed configurations around the reference, as many as are found; a random step may lead where nothing closes."""
    for _ in range(5 * n):
        try:
            yield ct.assemble(system, ct.displace(system, system.q0, 0.2 * rng.normal(size=system.nv)))
        except ct.errors.AssemblyError:
            continue
        n -= 1
        if not n:
            return


@pytest.mark.parametrize("name", ROBOTS)
def test_mobility_by_the_rank_of_all_rows(name):
    """nv less the rank of the Jacobian with all its rows, redundant ones too, wherever the loops are closed."""
    system, rng, seen = loaded(name).compile(), np.random.default_rng(2), 0
    for q in closed_configurations(system, rng, 3):
        J = ct.constraint_jacobian(system, q, regularized=False)
        sizes = np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0)
        # 1e-7: the angles of cassie_v2.sdf have five digits, and the axes of its right foot are parallel to 1e-8
        rank = int(np.sum(sizes > 1e-7 * sizes.max(initial=0.0)))
        assert system.nv - rank == ROBOTS[name]
        report = ct.mobility(system, q)
        assert (report.local, report.differential, report.singular) == (ROBOTS[name], ROBOTS[name], False)
        assert sum(row.kept for row in report.rows) == rank
        seen += 1
    assert seen == 3


@pytest.mark.parametrize("name", ROBOTS)
def test_two_seconds_with_the_defaults(name):
    run = ct.simulate(loaded(name), 2.0)
    kept(run)
    assert run.energy.kinetic.max() > 1e-4 * np.ptp(run.energy.potential) > 0.0  # it did move


@pytest.mark.parametrize("name", ["menagerie_cassie.xml", "cassie_v2.sdf"])
def test_walkers_that_tumble(name):
    """From rest these only fall; with velocities their loops, springs and dampers work."""
    mech = loaded(name)
    system = mech.compile()
    q = ct.assemble(system, system.q0 if mech.q_start is None else mech.q_start)
    v = ct.consistent_velocity(system, q, 0.3 * np.random.default_rng(4).normal(size=system.nv))
    run = ct.simulate(system, 2.0, q, v)
    kept(run)
    assert run.energy.dissipated[-1] > 0.0


def kept(run):
    """Done, closed, and all of the energy accounted for."""
    assert run.status == "done", run.message
    assert run.t[-1] == 2.0
    assert run.violation.max(initial=0.0) < 1e-10
    assert run.velocity_violation.max(initial=0.0) < 1e-8
    moved = max(run.energy.kinetic.max(), np.ptp(run.energy.potential))
    assert np.abs(run.energy.balance).max() < 1e-5 * moved


# -- the tree of the closed robot in Pinocchio ---------------------------------------------------------------


@pytest.mark.parametrize("name", URDF)
def test_closed_robots_in_pinocchio(name):
    """Poses, mass matrix and bias forces of the tree at closed configurations, which are not the file's zero."""
    pin = pytest.importorskip("pinocchio")
    path = MODELS / name
    im = import_urdf(path)
    text = path.read_text()
    if "<limit" not in text:  # without limits hinges are none to Pinocchio's reader
        text = text.replace('type="revolute"', 'type="continuous"')
    compare(pin, pin.buildModelFromXML(text), im.mechanism.compile(cut=im.closing), im.zero)


def test_sdf_in_pinocchio():
    """A model made by hand of the file's numbers: a free base and hinges."""
    pin = pytest.importorskip("pinocchio")
    im = import_sdf(MODELS / "cassie_v2.sdf")
    compare(pin, of_sdf(pin, MODELS / "cassie_v2.sdf"), im.mechanism.compile(cut=im.closing, tolerance=0.0), {})


def of_sdf(pin, path):
    root = ElementTree.parse(path).getroot()
    links = {e.get("name"): e for e in root.iter("link")}
    places = {name: pin.SE3(pose6(e.findtext("pose"))) for name, e in links.items()}
    model, joint_of, frame_of = pin.Model(), {"pelvis": 1}, {}
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint")
    for j in depth_first([j for j in root.iter("joint") if j.get("type") == "revolute"], "pelvis"):
        parent, child = j.findtext("parent"), j.findtext("child")
        axis = np.array([float(x) for x in j.findtext("axis/xyz").split()])
        F = pin.SE3(pose6(j.findtext("pose") or "0 0 0 0 0 0"))
        between = frame_of.get(parent, pin.SE3.Identity()).actInv(places[parent].actInv(places[child] * F))
        own = pin.JointModelRevoluteUnaligned(axis / np.linalg.norm(axis))
        joint_of[child], frame_of[child] = model.addJoint(joint_of[parent], own, between, j.get("name")), F
    for name, e in links.items():
        own = e.find("inertial")
        at = pose6(own.findtext("pose"))
        x = {k: float(own.findtext(f"inertia/{k}")) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
        I = np.array([[x["ixx"], x["ixy"], x["ixz"]], [x["ixy"], x["iyy"], x["iyz"]], [x["ixz"], x["iyz"], x["izz"]]])
        inertia = pin.Inertia(float(own.findtext("mass")), at[:3, 3], at[:3, :3] @ I @ at[:3, :3].T)
        link = frame_of.get(name, pin.SE3.Identity()).inverse()
        model.appendBodyToJoint(joint_of[name], inertia, link)
        model.addBodyFrame(name, joint_of[name], link, 0)
    return model


def depth_first(hinges, link):
    """Subtree by subtree, as Pinocchio needs it."""
    for j in hinges:
        if j.findtext("parent") == link:
            yield j
            yield from depth_first(hinges, j.findtext("child"))


def compare(pin, model, system, zero):
    data, rng, seen = model.createData(), np.random.default_rng(5), 0
    for q in closed_configurations(system, rng, 3):
        q_pin, T = in_pinocchio(model, system, q, zero)
        v = ct.consistent_velocity(system, q, rng.normal(size=system.nv))
        pin.framesForwardKinematics(model, data, q_pin)
        for name, C in zip(system.body_names, ct.poses(system, q)[1:], strict=True):
            frame = data.oMf[model.getFrameId(name, pin.FrameType.BODY)].homogeneous
            assert relative_error(C, frame) < 1e-10
        M = pin.crba(model, data, q_pin)
        M = np.triu(M) + np.triu(M, 1).T
        assert relative_error(ct.mass_matrix(system, q)[np.ix_(T, T)], M) < 1e-10
        none = np.zeros(system.nv)
        damping = passive(system, q, v)
        ours = ct.inverse_dynamics(system, q, v, none) - damping
        assert relative_error(ours[T], pin.nonLinearEffects(model, data, q_pin, v[T]), 1e-6) < 1e-10
        still = ct.inverse_dynamics(system, q, none, none) - passive(system, q, none)
        assert relative_error(still[T], pin.computeGeneralizedGravity(model, data, q_pin), 1e-6) < 1e-10
        seen += 1
    assert seen == 3


def passive(system, q, v):
    """What springs and dampers of joints add, by the mechanism's own numbers."""
    total, mech = np.zeros(system.nv), system.mechanism
    for f in mech.joint_forces.values():
        if f.joint in system.coordinate_names:
            k = system.coordinate_names.index(f.joint)
            total[k] += f.damping * v[k] + f.stiffness * (q[system.links["iq"][system.dofs[k]["link"]]] - f.rest)
    return total


def in_pinocchio(model, system, q, zero):
    """Pinocchio's coordinates of a configuration, and our velocities in its order."""
    q_pin, T = np.zeros(model.nq), np.zeros(model.nv, dtype=int)
    for name, joint in list(zip(model.names, model.joints, strict=True))[1:]:
        own = dofs_of(system, name)
        here = q[int(system.links[system.dofs[own[0]]["link"]]["iq"]) :]
        if joint.nv == 6:
            w, x, y, z = here[:4]
            order, part = [3, 4, 5, 0, 1, 2], [*here[4:7], x, y, z, w]
        else:
            angle = here[0] + zero.get(name, 0.0)
            order, part = [0], [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
        q_pin[joint.idx_q : joint.idx_q + joint.nq] = part
        T[joint.idx_v : joint.idx_v + joint.nv] = np.array(own)[order]
    return q_pin, T
