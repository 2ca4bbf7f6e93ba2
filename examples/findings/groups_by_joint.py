"""Which group keeps which joint: drift of every kind of joint on SE(3) and on SO(3)×R³, nothing stabilized.

One body whose mass centre is off the joint's point and axis, joined to ground; and two floating bodies joined to each other.
RK4 Munthe-Kaas, 1 ms, 2 s, absolute coordinates with frames at the mass centres, constraints on accelerations only. The drift
is the greatest entry of the joint's residual, metres and radians. Prints a table.
"""

from __future__ import annotations

import numpy as np

import cotree as ct
from cotree.papers.groups import run_on_groups

T_END, STEP = 2.0, 1e-3
O, Z = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)
KINDS = {
    "revolute": ct.Revolute(O, Z),
    "prismatic": ct.Prismatic(Z, point=O),
    "helical": ct.Helical(O, Z, 0.1),
    "cylindrical": ct.Cylindrical(O, Z),
    "universal": ct.Universal(O, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    "planar translation": ct.PlanarTranslation(Z),
    "translation": ct.Translation(),
    "planar": ct.Planar(O, Z),
    "spherical": ct.Spherical(O),
    "Schoenflies": ct.Schoenflies(Z),
}
NO_GROUP = ("universal",)
PRODUCTS = ("prismatic", "planar translation", "translation", "planar", "Schoenflies")
CENTRE = (0.5, 0.1, 0.2)  # m, of mass, from the joint's point


def body(mech, name, centre):
    frame = np.eye(4)
    frame[:3, 3] = centre
    return mech.body(name, pose=frame, shape=ct.Box(O, (0.1, 0.2, 0.4)), density=2700.0)


def started(mech, seed):
    """At the reference assembly, with rates of 2 to 6 rad/s and m/s."""
    system = mech.compile()
    mech.q_start, mech.v_start = system.q0, np.random.default_rng(seed).uniform(2.0, 6.0, system.nv)
    return mech


def to_ground(joint, centre=CENTRE):
    mech = ct.Mechanism("to ground")
    mech.joint("joint", mech.ground, body(mech, "body", centre), joint)
    return started(mech, 1)


def between(joint):
    mech = ct.Mechanism("between floating bodies", (0.0, 0.0, 0.0))
    one, two = body(mech, "one", (-0.4, 0.1, 0.1)), body(mech, "two", CENTRE)
    mech.joint("free", mech.ground, one, ct.Free())
    mech.joint("joint", one, two, joint)
    return started(mech, 2)


def drift(mech):
    """{group: greatest residual of the joint}."""
    found = {}
    for name, run in run_on_groups(mech, T_END, STEP, output=101).items():
        rows = [k for k, n in enumerate(run.system.constraint_names) if n.startswith("joint[")]
        found[name] = max(np.abs(ct.constraint_residual(run.system, q)[rows]).max() for q in run.q)
    return found


def line(*cells):
    print("| " + " | ".join(cells) + " |")


def main():
    line("joint", "group of motions", "to ground: SE(3)", "SO(3)×R³", "between bodies: SE(3)", "SO(3)×R³")
    line(*["---"] * 6)
    for name, joint in KINDS.items():
        kind = "none" if name in NO_GROUP else "also of SO(3)×R³" if name in PRODUCTS else "of SE(3)"
        ground, bodies = drift(to_ground(joint)), drift(between(joint))
        line(name, kind, *(f"{x:.0e}" for x in (*ground.values(), *bodies.values())))
    for name in ("revolute", "spherical"):
        found = drift(to_ground(KINDS[name], (0.0, 0.0, 0.2 if name == "revolute" else 0.0)))
        line(f"{name}, mass centre on it", "also of SO(3)×R³", *(f"{x:.0e}" for x in found.values()), "", "")


if __name__ == "__main__":
    main()
