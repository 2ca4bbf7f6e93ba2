"""Mechanisms that sensors are tried on, and balances by hand."""

import numpy as np

import cotree as ct


def loaded_four_bar():
    """The four-bar with a damped spring, a damper on the joint that is cut, a motor and a force."""
    mech = ct.gallery.four_bar()
    mech.spring("s", "ground", (1.0, 2.0, 0.0), "coupler", (1.5, 1.1, 0.0), 40.0, length=0.3, damping=3.0)
    mech.joint_damper("dC", "C", 0.7)
    mech.joint_spring("kD", "D", 5.0, rest=0.2)
    mech.motor("mA", "A", lambda t: 3.0 * np.cos(2.0 * t))
    mech.force("wind", "rocker", (1.0, -2.0, 0.5), (2.45, 0.7, 0.0))
    return mech


def chain():
    """Universal, ball, cylinder, screw, plane and slider one after the other, in space."""
    mech = ct.Mechanism("chain", gravity=(0.5, -1.0, -9.0))
    joints = [
        ct.Universal(point=(0, 0, 0), axis1=(1, 0, 0), axis2=(0.2, 1, 0.3)),
        ct.Spherical(point=(0.4, 0, 0.1)),
        ct.Cylindrical(point=(0.8, 0, 0), axis=(0.1, 1, 0)),
        ct.Helical(point=(1.2, 0.1, 0), axis=(1, 0.3, 0), pitch=0.05),
        ct.Planar(point=(1.6, 0, 0), normal=(0, 0.3, 1)),
        ct.Prismatic(axis=(0.5, 0, 1), point=(2.0, 0, 0)),
    ]
    before = "ground"
    for k, joint in enumerate(joints):
        body = mech.body(f"b{k}", 1.0 + 0.2 * k, (0.2 + 0.4 * k, 0.05, -0.1), inertia=(0.05, 0.06, 0.04))
        mech.joint(f"J{k}", before, body, joint)
        before = body
    for k in (2, 5):
        mech.joint_spring(f"k{k}", f"J{k}", 30.0, **({"coordinate": "vz"} if k == 2 else {}))
    mech.spring("hold", "ground", (1.6, 0.5, 1.0), "b4", (1.8, 0.0, 0.0), 60.0, length=0.5, damping=1.0)
    return mech


def unbalanced(run):
    """For each body and time the force and the moment about its mass centre that are missing, by Newton and Euler, of joints,
    springs and forces read from the run."""
    mech, out = run.system.mechanism, {}
    for name, body in mech.bodies.items():
        centre, turn = run.point(name), run.orientation(name)
        m, R = body.properties.mass, turn.matrix
        I = R @ body.properties.inertia @ np.swapaxes(R, 1, 2)
        w, alpha = turn.angular_velocity[:, :, None], turn.angular_acceleration[:, :, None]
        force = -m * (centre.acceleration - np.array(mech.gravity))
        moment = -(I @ alpha)[:, :, 0] - np.cross(w[:, :, 0], (I @ w)[:, :, 0])
        for j in mech.joints.values():
            if name in (j.parent, j.child):
                sign, r = (1.0 if name == j.child else -1.0), run.reaction(j.name)
                force = force + sign * r.force
                moment = moment + sign * (r.moment + np.cross(r.at - centre.position, r.force))
        for s in mech.springs.values():
            if name in (s.body_a, s.body_b):
                d, pull = run.distance(s.body_a, s.point_a, s.body_b, s.point_b), run.element(s.name).force
                f = pull[:, None] * d.vector / d.distance[:, None] * (1.0 if name == s.body_a else -1.0)
                end = d.ends[0] if name == s.body_a else d.ends[1]
                force, moment = force + f, moment + np.cross(end.position - centre.position, f)
        for load in mech.loads.values():
            if name == load.body:
                f = run.element(load.name).force
                at = run.point(name, load.point).position
                force, moment = force + f, moment + np.cross(at - centre.position, f)
        out[name] = np.hstack([force, moment])
    return out


def slope(t, x):
    """Derivative at the inner points of an even grid, by five points."""
    h = t[1] - t[0]
    return (x[:-4] - 8.0 * x[1:-3] + 8.0 * x[3:-1] - x[4:]) / (12.0 * h)
