"""KUKA LBR iiwa 14: kinematics and torques of Drake's benchmark, by MotionGenesis, Drake and Pinocchio.

Figures are to rounding (two programs agree to 7e-15 of 34 N m), so that 1e-12 N m is asked for.
"""

import numpy as np
import pytest

import cotree as ct
from tests.reference.published import figures

IIWA = figures("kuka_iiwa")
Q, QD, QDD = (np.array(IIWA[n]) for n in ("q", "qd", "qdd"))
PUBLISHED = IIWA["published"]


def frame(rpy, xyz):
    """Pose from fixed-axes roll, pitch, yaw."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    C = np.eye(4)
    C[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    C[:3, 3] = xyz
    return C


def iiwa(gravity, absolute=False):
    """Body frames as the robot's description has them."""
    mech = ct.Mechanism("iiwa 14", (0, 0, -gravity))
    above = mech.ground
    for k, link in enumerate(IIWA["links"], 1):
        body = mech.body(f"link{k}", link["mass"], link["com"], link["inertia"], pose="joints")
        C = frame(link["joint_rpy"], link["joint_xyz"])
        mech.joint(f"J{k}", above, body, ct.Revolute(frame_parent=C, frame_child=np.eye(4)))
        above = body
    return mech.compile(coordinates="absolute" if absolute else "relative")


def test_kinematics():
    """MotionGenesis prints 16 digits; the description has pi/2 to 16."""
    system = iiwa(0.0)
    C = ct.poses(system, Q)[system.row_of("link7")]
    assert C[:3, :3] == pytest.approx(np.array(PUBLISHED["R_NG"]), abs=1e-14)
    assert C[:3, 3] == pytest.approx(PUBLISHED["p_NoGo"], abs=1e-14)
    assert ct.poses(system, np.zeros(7))[-1][:3, 3] == pytest.approx(PUBLISHED["zero_config_p"], abs=1e-14)


@pytest.mark.parametrize(("gravity", "key"), [(0.0, "no_gravity"), (9.81, "g9p81")])
def test_published_torques(gravity, key):
    """At zero, the last joint accelerated by 1000 rad/s^2."""
    found = ct.inverse_dynamics(iiwa(gravity), np.zeros(7), np.zeros(7), [0, 0, 0, 0, 0, 0, 1000.0])
    assert found == pytest.approx(PUBLISHED[f"zero_config_qdd7_1000_tau_{key}"], abs=1e-13)


@pytest.mark.parametrize("gravity", [0.0, 9.8])
@pytest.mark.parametrize("state", ["static", "velocity", "full"])
def test_torques(state, gravity):
    v, a = (QD if state != "static" else 0 * QD), (QDD if state == "full" else 0 * QD)
    expected = np.array(IIWA["torques"][f"{state}_g{gravity}"])
    system = iiwa(gravity)
    assert ct.inverse_dynamics(system, Q, v, a) == pytest.approx(expected, abs=1e-12)
    by_matrices = ct.mass_matrix(system, Q) @ a + ct.theory.coriolis_matrix(system, Q, v) @ v
    held = ct.inverse_dynamics(system, Q, 0 * QD, 0 * QD)
    assert by_matrices + held == pytest.approx(expected, abs=1e-12)
    assert ct.forward_dynamics(system, Q, v, tau=expected).v_dot == pytest.approx(a, abs=1e-10)
