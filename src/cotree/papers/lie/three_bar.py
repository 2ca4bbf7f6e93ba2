"""Closed spherical three-bar linkage, [Lie] 5.4, figures 11 to 15: two bars and ground, three ball joints, in gravity.

The paper gives neither data nor equations. Taken: the boxes of its double pendulum on a base of 0.3 m, lying level, swinging
about the base at 5 rad/s with the bars spinning at 10 and −5 rad/s about the lines between their joints (without spin the
triangle would be one rigid body and the joint between the bars would not be tried); 1 ms as in its other examples, 10 s.
"""

import numpy as np

import cotree as ct
from cotree.papers import Study
from cotree.papers.groups import gap, panels, run_on_groups, said, worst
from cotree.papers.scripts import main
from cotree.papers.sketch import in_space

T_END, STEP = 10.0, 1e-3
A, B = "SE(3)", "SO(3)×R³"


def build():
    return ct.gallery.three_bar()


def run(mech):
    """RK4 Munthe-Kaas on both groups, constraints on accelerations only, as in the paper."""
    return run_on_groups(mech, T_END, STEP)


def model(out, mech):
    system = mech.compile()
    found = ct.mobility(system)
    points = {name: np.asarray(joint.joint.point) for name, joint in mech.joints.items()}
    gap_at_start = np.abs(ct.constraint_residual(system, mech.q_start)).max()
    rate = np.abs(ct.constraint_jacobian(system, mech.q_start) @ mech.v_start).max()
    out.compare(
        "Figure 11", "the model at its start",
        paper="a closed-loop mechanism of two bars and ground with three spherical joints",
        ours=f"{found.local} degrees of freedom: the swing of the triangle and the spins of two bars; closed to "
        f"{gap_at_start:.0e} m and {rate:.0e} m/s",
        checks={
            "three degrees of freedom": found.local == 3 and found.grubler == 3,
            "the start is closed and so are its velocities": gap_at_start < 1e-14 and rate < 1e-12,
        },
        figure=in_space(system, mech.q_start, points),
    )  # fmt: skip


def base_joint(out, where, name, drift, times):
    most = worst(drift)
    out.compare(
        where, f"violation of the constraints of joint {name}, to the ground",
        paper="perfectly satisfied on SE(3), as only the motion of one body is to be estimated",
        ours=said(most, "m"),
        checks={
            f"SE(3) keeps joint {name} to 1e-12 m": most[A] < 1e-12,
            f"SO(3)×R³ lets joint {name} drift by more than 1e-9 m": most[B] > 1e-9,
        },
        figure=panels(times, drift, f"|g{'₁₂₃'[int(name) - 1]}| [m]"),
    )  # fmt: skip


def middle_joint(out, drift, times):
    most = worst(drift)
    out.compare(
        "Figure 13", "violation of the constraints of joint 2, between the bars",
        paper="similar for both formulations",
        ours=said(most, "m"),
        checks={
            "less than ten times apart": 0.1 < most[A] / most[B] < 10,
            "neither is exact: more than 1e-9 m": min(most.values()) > 1e-9,
            "both below 1e-6 m": max(most.values()) < 1e-6,
        },
        figure=panels(times, drift, "|g₂| [m]"),
    )  # fmt: skip


def total_energy(out, runs, times):
    change = {name: r.energy.total - r.energy.total[0] for name, r in runs.items()}
    most = worst(change)
    out.compare(
        "Figure 15", "drift of the total energy",
        paper="similar for both formulations",
        ours=said(most, "J") + f", of {runs[A].energy.kinetic[0]:.3f} J",
        checks={"less than ten times apart": 0.1 < most[A] / most[B] < 10, "both below 1e-4 J": max(most.values()) < 1e-4},
        figure=panels(times, change, "E − E₀ [J]"),
    )  # fmt: skip


def study():
    mech = build()
    runs = run(mech)
    out = Study(
        "lie/three_bar", "Closed spherical three-bar linkage",
        f"RK4 Munthe-Kaas, step {STEP:g} s, {T_END:g} s, absolute coordinates, index 1",
    )  # fmt: skip
    times = runs[A].t
    drift = {joint: {name: gap(r, joint) for name, r in runs.items()} for joint in mech.joints}
    model(out, mech)
    base_joint(out, "Figure 12", "1", drift["joint1"], times)
    middle_joint(out, drift["joint2"], times)
    base_joint(out, "Figure 14", "3", drift["joint3"], times)
    total_energy(out, runs, times)
    return out


if __name__ == "__main__":
    main(study)
