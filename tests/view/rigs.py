"""A four-bar with all that pictures can show: several shapes a body, colours, scenery, a floor, paths, elements, loads."""

import cotree as ct

A, B, C, D = (0.0, 0.0, 0.0), (0.6, 0.8, 0.0), (2.4, 1.4, 0.0), (2.5, 0.0, 0.0)
AXIS = (0, 0, 1)


def rig(stiffness=60.0):
    mech = ct.Mechanism("rig", gravity=(0, -9.81, 0))
    wheel = ct.Cylinder((0, 0, -0.08), (0, 0, 0.08), 0.25, color="orange", opacity=0.5)
    crank = mech.body("crank", shape=[ct.Rod(A, B, 0.05), wheel], density=800)
    block = ct.Box((1.5, 1.4, 0), (0.5, 0.4, 0.2), color="teal", opacity=0.6)
    coupler = mech.body("coupler", shape=[ct.Rod(B, C, 0.04, color="#444"), block], density=400)
    rocker = mech.body("rocker", shape=ct.Rod(C, D, 0.05), density=800)
    for name, parent, child, point in (
        ("A", mech.ground, crank, A), ("B", crank, coupler, B), ("C", coupler, rocker, C), ("D", mech.ground, rocker, D),
    ):  # fmt: skip
        mech.joint(name, parent, child, ct.Revolute(point, AXIS))
    mech.spring("spring", "ground", (1.2, 2.6, 0), coupler, (1.5, 1.1, 0), stiffness=stiffness, damping=2)
    mech.spring("dashpot", "ground", (3.2, 0.2, 0), rocker, (2.45, 0.7, 0), stiffness=0, damping=20)
    mech.rope("rope", "ground", (-0.6, 1.8, 0), crank, B, stiffness=200)
    mech.motor("engine", "A", 8.0)
    mech.joint_spring("torsion", "D", 5.0)
    mech.force("push", coupler, (0, 30, 0), (1.5, 1.6, 0))
    mech.scenery(ct.Box((1.25, -0.35, 0), (3.4, 0.1, 0.8), color="steel"))
    mech.floor((0, -0.6, 0))
    mech.trace("tip", coupler, (1.5, 1.6, 0), color="red")
    return mech
