"""Free and ball joints in other programs' conventions: mass matrices and velocities of a flying arm, M = T^T M_theirs T."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.linalg import block_diag
from scipy.spatial.transform import Rotation

import cotree as ct
from cotree.errors import ChoiceError, ShapeError
from cotree.kinematics import conventions as c

BASE = ct.lie.pose(
    Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix(), np.array([0.4, -1.0, 2.0])
)  # frames of the bodies
PLACES = {"base": np.zeros(3), "hand": np.array([0.1, 0.2, 0.3])}  # of the joints in the frame of the body before
HAND = BASE @ ct.lie.pose(np.eye(3), PLACES["hand"])
MASS = {"base": (3.0, (0.05, 0.1, -0.2), (0.4, 0.5, 0.6)), "hand": (1.2, (0.2, -0.1, 0.3), (0.1, 0.2, 0.15))}
GROUPS = ("SE3", "SO3xR3")
each_state = pytest.mark.parametrize("seed", range(5))
each_group = pytest.mark.parametrize("group", GROUPS)


def mechanism():
    """A free base, and a hand on a ball joint at the origin of the hand's frame."""
    mech = ct.Mechanism("flying arm", gravity=(0, 0, 0))
    for name, frame in (("base", BASE), ("hand", HAND)):
        mech.body(name, *MASS[name], pose=frame)
    mech.joint("free", mech.ground, "base", ct.Free())
    mech.joint("ball", "base", "hand", ct.Spherical(HAND[:3, 3]))
    return mech


@dataclass
class State:
    system: ct.System
    q: np.ndarray
    v: np.ndarray

    @staticmethod
    def random(seed, group):
        rng = np.random.default_rng(seed)
        system = mechanism().compile(group=group)
        q = ct.displace(system, system.q0, rng.normal(size=system.nv))
        return State(system, q, rng.normal(size=system.nv))

    def theirs(self, program):
        """(q, v, T) of both joints, one after the other."""
        free, T = c.free_joint(program, self.q[:7], self.system.group)
        ball, T_ball = c.ball_joint(program, self.q[7:])
        T = block_diag(T, T_ball)
        return np.concatenate([free, ball]), T @ self.v, T


def close(a, b):
    assert np.abs(np.asarray(a) - b).max() < 1e-12


@each_group
@each_state
def test_pinocchio(seed, group):
    pin = pytest.importorskip("pinocchio")
    s, model, joint = State.random(seed, group), pin.Model(), 0
    for (name, place), kind in zip(PLACES.items(), (pin.JointModelFreeFlyer(), pin.JointModelSpherical()), strict=True):
        m, com, I = MASS[name]
        joint = model.addJoint(joint, kind, pin.SE3(np.eye(3), place), name)
        model.appendBodyToJoint(joint, pin.Inertia(m, np.array(com), np.diag(I)), pin.SE3.Identity())
    data = model.createData()
    q, v, T = s.theirs("pinocchio")
    pin.crba(model, data, q)
    M = np.triu(data.M) + np.triu(data.M, 1).T
    close(T.T @ M @ T, ct.mass_matrix(s.system, s.q))
    pin.forwardKinematics(model, data, q, v)
    ours = ct.twists(s.system, s.q, s.v, "spatial")
    for k in (1, 2):
        close(data.oMi[k].homogeneous, ct.poses(s.system, s.q)[k])
        close(pin.getVelocity(model, data, k, pin.WORLD).vector[[3, 4, 5, 0, 1, 2]], ours[k])
    J = pin.computeJointJacobian(model, data, q, 2)[[3, 4, 5, 0, 1, 2]] @ T
    close(J, ct.body_jacobian(s.system, s.q, "hand"))


@each_group
@each_state
def test_mujoco(seed, group):
    mujoco = pytest.importorskip("mujoco")
    s, spec = State.random(seed, group), mujoco.MjSpec()
    parent = spec.worldbody
    kinds = mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL
    for (name, place), kind in zip(PLACES.items(), kinds, strict=True):
        m, com, I = MASS[name]
        parent = parent.add_body(name=name, pos=place)
        parent.explicitinertial, parent.mass, parent.ipos, parent.inertia = True, m, com, I
        parent.add_joint(type=kind)
    model = spec.compile()
    data = mujoco.MjData(model)
    q, v, T = s.theirs("mujoco")
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(model, data)
    M = np.zeros((9, 9))
    mujoco.mj_fullM(model, data, M)
    close(T.T @ M @ T, ct.mass_matrix(s.system, s.q))
    place, turn = np.zeros((3, 9)), np.zeros((3, 9))
    mujoco.mj_jacBody(model, data, place, turn, model.body("hand").id)
    J_s, p = ct.spatial_jacobian(s.system, s.q, "hand"), ct.poses(s.system, s.q)[2][:3, 3]
    close(turn @ T, J_s[:3])
    close(place @ T, J_s[3:] + np.cross(J_s[:3], p, axis=0))


@each_group
@each_state
def test_drake(seed, group):
    """By its definition, as Drake is not among the test programs: w and p_dot in the parent's axes, R = Rz Ry Rx."""
    s = State.random(seed, group)
    q, v, _ = s.theirs("drake")
    V, C = ct.twists(s.system, s.q, s.v, "spatial"), ct.poses(s.system, s.q)
    close(q[:7], np.concatenate([s.q[:4], C[1][:3, 3]]))
    close(v[:3], V[1][:3])
    close(v[3:6], V[1][3:] + np.cross(V[1][:3], C[1][:3, 3]))
    relative = C[1][:3, :3].T @ C[2][:3, :3]
    close(Rotation.from_euler("xyz", q[7:]).as_matrix(), relative)
    close(v[6:], C[1][:3, :3].T @ (V[2][:3] - V[1][:3]))


@each_group
@each_state
def test_exudyn(seed, group):
    """A node set to the converted state says where the body is and how fast."""
    exu = pytest.importorskip("exudyn")
    import exudyn.utilities as eu

    exu.config.printToConsole = False
    s = State.random(seed, group)
    x, T = c.free_joint("exudyn", s.q[:7], group)
    reference = np.array([0.4, -1.0, 2.0, 1.0, 0.0, 0.0, 0.0])
    mbs = exu.SystemContainer().AddSystem()
    node = mbs.AddNode(
        eu.NodeRigidBodyEP(
            referenceCoordinates=reference, initialCoordinates=x - reference, initialVelocities=T @ s.v[:6]
        )
    )
    mbs.AddObject(eu.ObjectRigidBody(mass=1.0, inertia=[1.0, 1.0, 1.0, 0.0, 0.0, 0.0], nodeNumber=node))
    mbs.Assemble()

    def output(kind):
        start = exu.ConfigurationType.Initial
        return np.array(mbs.GetNodeOutput(node, getattr(exu.OutputVariableType, kind), start))

    C, V = ct.poses(s.system, s.q)[1], ct.twists(s.system, s.q, s.v, "spatial")[1]
    close(output("Position"), C[:3, 3])
    close(output("RotationMatrix").reshape(3, 3), C[:3, :3])
    close(output("AngularVelocity"), V[:3])
    close(output("Velocity"), V[3:] + np.cross(V[:3], C[:3, 3]))


@each_group
@pytest.mark.parametrize("program", c.FREE)
def test_free_joint_there_and_back(program, group):
    s = State.random(7, group)
    x, T = c.free_joint(program, s.q[:7], group)
    close(c.free_joint_from(program, x), s.q[:7])
    close(np.linalg.pinv(T) @ (T @ s.v[:6]), s.v[:6])
    later = c.free_joint(program, ct.displace(s.system, s.q, 1e-6 * s.v)[:7])[0]
    if program == "exudyn":  # velocities are rates of the coordinates
        assert np.abs((later - x) / 1e-6 - T @ s.v[:6]).max() < 1e-4


@pytest.mark.parametrize("program", c.BALL)
def test_ball_joint_there_and_back(program):
    e = State.random(8, "SE3").q[7:]
    back = c.ball_joint_from(program, c.ball_joint(program, e)[0])
    close(back * np.sign(back @ e), e)


def test_refusals():
    with pytest.raises(ChoiceError, match="program is 'Drake'; choose one of 'pinocchio', 'mujoco', 'drake', 'exudyn'"):
        c.free_joint("Drake", np.zeros(7))
    with pytest.raises(ChoiceError, match=r"program is 'exudyn'; choose one of 'pinocchio', 'mujoco', 'drake'$"):
        c.ball_joint("exudyn", np.zeros(4))
    with pytest.raises(ChoiceError, match="group is 'auto'; choose one of 'SE3', 'SO3xR3'"):
        c.free_joint("mujoco", np.zeros(7), "auto")
    with pytest.raises(ShapeError, match="free joint: coordinates must be 7 numbers"):
        c.free_joint_from("mujoco", np.zeros(6))
