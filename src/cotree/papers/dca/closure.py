"""Four-bar and seven-bar, [DCA] 4.1, figures 3, 4 and 6 to 9: how loops open that nothing stabilizes.

The paper gives bars of 1 m, 1 kg and 1 kg m², revolutes, gravity, a start from rest, 10 s by ode45 at 1e-8. Its positions are
lost; two readings are run: "all sides 1 m", ground's hinges 1 m apart too, as "all bodies have length 1" suggests, where the
loops are rhombi; and "base 1.8 m", the same bars on hinges 1.8 m apart, where the upper loop has nothing parallel. First bar
0.8 rad (four-bar) or 0.6 rad (seven-bar) from straight down, bars 4 and 6 at −0.3 rad.

Four ways to hold the loops, all by Dormand and Prince's pair at 1e-8 as ode45 has it: O-DCA and multipliers, both on
accelerations in joint coordinates; multipliers in absolute coordinates; dependent velocities eliminated. Growth exponents are
those of the running largest gap, fitted from 1 s on.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import qr
from scipy.special import ellipj, ellipk

import cotree as ct
from cotree.papers import Study
from cotree.papers.scripts import main

TOLERANCE, T_END, G = 1e-8, 10.0, 9.81
BASES = {"all sides 1 m": 1.0, "base 1.8 m": 1.8}
WAYS = {  # in pictures: words, colour, line
    "odca": ("O-DCA", "#0072B2", "-"),
    "joint": ("multipliers, joint coordinates", "#333333", ":"),
    "absolute": ("multipliers, absolute coordinates", "#D55E00", "-"),
    "velocity": ("velocities eliminated", "#009E73", "-"),
}


# Ways to hold a loop


def accelerations_held(system, formulation):
    """A run with constraints on accelerations only, whatever solves for them."""
    return ct.simulate(
        system, T_END, formulation=formulation, method="dopri5", stabilize="none", rtol=TOLERANCE, atol=TOLERANCE,
        output="steps",
    )  # fmt: skip


def velocities_eliminated(system):
    """(t, q): state q and the independent velocities; the others follow from J v = 0 at every evaluation.

    The partition is the best one of the start, and kept.
    """
    J = ct.constraint_jacobian(system, system.q0)
    ind = np.sort(qr(J, pivoting=True)[2][len(J) :])
    dep = np.setdiff1d(np.arange(system.nv), ind)

    def rates(t, y):
        q, u = y[: system.nq], y[system.nq :]
        J, v = ct.constraint_jacobian(system, q), np.zeros(system.nv)
        v[ind], v[dep] = u, -np.linalg.solve(J[:, dep], J[:, ind] @ u)
        return np.concatenate([v, ct.forward_dynamics(system, q, v, formulation="index1").v_dot[ind]])

    start = np.concatenate([system.q0, np.zeros(len(ind))])
    found = solve_ivp(rates, (0.0, T_END), start, "RK45", rtol=TOLERANCE, atol=TOLERANCE)
    return found.t, found.y[: system.nq].T


def gaps(system, qs):
    """Largest distance [m] of the two points that a joint should hold together, at each configuration."""
    ends = [
        (system.row_of(j.parent), system.row_of(j.child), [*j.joint.point, 1.0])
        for j in system.mechanism.joints.values()
    ]
    out = []
    for q in qs:
        C = ct.poses(system, q)
        out.append(max(np.linalg.norm((C[a] - C[b]) @ p) for a, b, p in ends))
    return np.array(out)


def run(mech):
    """({way: (t, gap)}, run of O-DCA, run of multipliers in absolute coordinates) of one linkage."""
    relative, absolute = mech.compile(), mech.compile(coordinates="absolute")
    held = {
        "odca": accelerations_held(relative, "odca"),
        "joint": accelerations_held(relative, "index1"),
        "absolute": accelerations_held(absolute, "index1"),
    }
    curves = {way: (r.t[1:], gaps(r.system, r.q[1:])) for way, r in held.items()}
    t, q = velocities_eliminated(relative)
    curves["velocity"] = t[1:], gaps(relative, q[1:])
    return curves, held["odca"], held["absolute"]


def exponent(t, gap):
    """p of gap ~ t^p, the running largest gap from 1 s on."""
    most, late = np.maximum.accumulate(np.maximum(gap, 1e-17)), t >= 1.0
    return np.polyfit(np.log(t[late]), np.log(most[late]), 1)[0]


def swing(t, angle=0.8):
    """Angle of the rhombus from straight down: φ" = −(2 g/3.5) sin φ, from rest, by elliptic functions."""
    k, w = np.sin(angle / 2), np.sqrt(2 * G / 3.5)
    return 2 * np.arcsin(k * ellipj(ellipk(k**2) - w * np.asarray(t), k**2)[0])


# Pictures


def angles_picture(runs):
    """Joint angles over time, one panel for each reading."""
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.4), layout="constrained")
    palette = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#333333")
    for ax, letter, (base, r) in zip(axes, "ab", runs.items(), strict=True):
        t = np.linspace(0.0, T_END, 801)
        for k, name in enumerate(r.system.coordinate_names):
            line = (0, (5, 4)) if name in ("q4", "q8") else "-"  # like q1 and q5 in parallelograms
            ax.plot(t, np.interp(t, r.t, r.q[:, k]), lw=1.5, color=palette[k], ls=line, label=name)
        ax.set(title=f"{letter}) {base}", xlabel="time [s]", ylabel="joint angle from the start [rad]")
        ax.grid(alpha=0.3)
        ax.margins(y=0.15)
        ax.legend(fontsize=8, ncols=6, loc="upper center", handlelength=1.8, columnspacing=0.8)
    return figure


def gaps_picture(found):
    """Gaps over time, both axes logarithmic, one panel for each reading."""
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 4), sharey=True, layout="constrained")
    for ax, letter, (base, curves) in zip(axes, "ab", found.items(), strict=True):
        for way, (t, gap) in curves.items():
            words, colour, line = WAYS[way]
            label = f"{words}, $t^{{{exponent(t, gap):.1f}}}$"
            ax.loglog(t, np.maximum(gap, 1e-17), color=colour, ls=line, lw=1.5, label=label)
        ax.set(title=f"{letter}) {base}", xlabel="time [s]", xlim=(0.02, T_END), ylim=(1e-17, 1e0))
        ax.grid(alpha=0.3)
        ax.legend(fontsize=7.5, loc="upper left")
    axes[0].set_ylabel("largest gap of a joint [m]")
    return figure


# What is compared


def study():
    out = Study(
        "dca/closure", "Closure errors of single and coupled loops",
        f"{T_END:g} s from rest, Dormand-Prince 5(4) at {TOLERANCE:g}, no stabilization; elimination by SciPy's RK45",
    )  # fmt: skip
    four = {name: run(ct.gallery.dca_four_bar(base)) for name, base in BASES.items()}
    seven = {name: run(ct.gallery.seven_bar(base)) for name, base in BASES.items()}
    single(out, {n: r for n, (_, r, _) in four.items()})
    violation(out, "Figure 7", "single loop", {n: c for n, (c, _, _) in four.items()})
    violation(out, "Figure 8", "coupled loops", {n: c for n, (c, _, _) in seven.items()})
    coupled(out, seven)
    growth(
        out,
        {
            f"{what}, {n}": c
            for what, found in (("four-bar", four), ("seven-bar", seven))
            for n, (c, _, _) in found.items()
        },
    )
    return out


def single(out, runs):
    """Figure 6."""
    r = runs["all sides 1 m"]
    off = np.abs(r.q[:, r.system.coordinate_names.index("q1")] + 0.8 - swing(r.t)).max()
    lost = max(np.abs(r.energy.balance).max() for r in runs.values())
    out.compare(
        "Figure 6", "angles of the four-bar",
        paper="angles over time of the motion under gravity; positions are lost",
        ours=f"with all sides equal the linkage is a pendulum, whose closed form is met to {off:.0e} rad; energy keeps to "
        f"{lost:.0e} J",
        verdict="agrees qualitatively",
        reason="the paper's curves are lost: the same angles are drawn, and met by a second route",
        checks={"closed form met to 1e-5 rad": off < 1e-5, "energy keeps to 1e-5 J": lost < 1e-5},
        figure=angles_picture(runs),
    )  # fmt: skip


def coupled(out, seven):
    """Figure 9."""
    lost = max(np.abs(r.energy.balance).max() for _, r, _ in seven.values())
    apart = 0.0
    for _, r, other in seven.values():
        bodies = [[c.system.row_of(n) for n in r.system.body_names] for c in (r, other)]
        ends = [c.poses()[-1][rows] for c, rows in zip((r, other), bodies, strict=True)]
        apart = max(apart, np.abs(ends[0] - ends[1]).max())
    out.compare(
        "Figure 9", "angles of the seven-bar",
        paper="angles over 10 s, released from rest; positions are lost",
        ours=f"energy keeps to {lost:.0e} J; after 10 s all bodies are where multipliers in absolute coordinates have "
        f"them, to {apart:.0e} m or as entry of their rotations",
        verdict="agrees qualitatively",
        reason="the paper's curves are lost: the same angles are drawn, and met by a second route",
        checks={"energy keeps to 1e-5 J": lost < 1e-5, "the same motion as in absolute coordinates, to 1e-3": apart < 1e-3},
        figure=angles_picture({n: r for n, (_, r, _) in seven.items()}),
    )  # fmt: skip


def violation(out, where, words, found):
    """Figures 7 and 8."""
    most = {n: {way: gap.max() for way, (_, gap) in curves.items()} for n, curves in found.items()}
    equal, other = most["all sides 1 m"], most["base 1.8 m"]
    out.compare(
        where, f"constraint violation, {words}",
        paper="of the order of 1e-14, up to machine accuracy",
        ours=f"{equal['odca']:.0e} m with all sides equal and {other['odca']:.0e} m with the base of 1.8 m; multipliers in "
        f"the same coordinates {equal['joint']:.0e} and {other['joint']:.0e} m, in absolute ones {equal['absolute']:.0e} "
        f"and {other['absolute']:.0e} m",
        verdict="agrees qualitatively",
        reason="1e-14 comes out where the sides are equal, and by plain multipliers as well: the closure of a rhombus is "
        "linear in the joint angles, and Runge-Kutta methods keep linear invariants to rounding. In absolute coordinates "
        "the same closure is not linear, and with another base it is not so in any: then the steps' errors of 1e-8 open "
        "the loop, O-DCA or not, since the acceleration that satisfies the constraints is unique",
        checks={
            "O-DCA opens a rhombus by less than 1e-12 m": equal["odca"] < 1e-12,
            "and so do multipliers in the same coordinates": equal["joint"] < 1e-12,
            "in absolute coordinates it opens by more than 1e-9 m": equal["absolute"] > 1e-9,
            "with base 1.8 m O-DCA opens it by more than 1e-9 m": other["odca"] > 1e-9,
            "within a factor 3 of multipliers": 1 / 3 < other["odca"] / other["joint"] < 3,
            "nothing opens by more than 1e-4 m": max(*equal.values(), *other.values()) < 1e-4,
        },
        figure=gaps_picture(found),
    )  # fmt: skip


def growth(out, found):
    """The exponents."""
    p = {name: {way: exponent(*curves[way]) for way in WAYS} for name, curves in found.items()}
    apart = {name: x for name, x in p.items() if "base" in name}
    size = {name: {way: found[name][way][1].max() for way in WAYS} for name in apart}
    words = "; ".join(
        f"{name}: {x['odca']:.1f}, {x['joint']:.1f}, {x['absolute']:.1f}, {x['velocity']:.1f}" for name, x in p.items()
    )
    out.compare(
        "Section 4.1", "growth of the violation with time",
        paper="t^0.7 with O-DCA, t² with multipliers on accelerations, t with redundant variables eliminated on "
        "velocities; O-DCA consistently showed reduced growth",
        ours=f"exponents of O-DCA, multipliers in joint and in absolute coordinates, elimination: {words}",
        verdict="differs",
        reason="t² for what holds accelerations and t for what holds velocities is right where steps err. O-DCA holds "
        "accelerations and grows like t² as well; held on velocities the gap is smaller, not larger. Exponents next to "
        "0.7 are those of rounding that adds up, in rhombi only; how it adds up varies with the processor",
        checks={
            "with base 1.8 m O-DCA grows like t², between 1.5 and 2.6": all(1.5 < x["odca"] < 2.6 for x in apart.values()),
            "as multipliers do in joint coordinates": all(1.5 < x["joint"] < 2.6 for x in apart.values()),
            "those in absolute coordinates between 1 and 2.6": all(1.0 < x["absolute"] < 2.6 for x in apart.values()),
            "elimination grows like t, between 0.6 and 1.45": all(0.6 < x["velocity"] < 1.45 for x in apart.values()),
            "elimination opens less than O-DCA": all(s["velocity"] < s["odca"] for s in size.values()),
        },
    )  # fmt: skip


if __name__ == "__main__":
    main(study)
