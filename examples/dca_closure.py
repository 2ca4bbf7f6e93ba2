"""How loops drift open when nothing holds them: the study of [DCA] 4.1 and 4.2, and why its curves look as they do.

Bars of length 1 m, mass 1 kg, inertia 1 kg m^2, revolutes, gravity, from rest; Dormand and Prince's pair at 1e-8, no
stabilization. The paper gives no positions and its figures are lost; `cotree.gallery.dca_linkages` says what is chosen. "All
sides 1 m" has ground's hinges 1 m apart too, and its loops are rhombi; on "base 1.8 m" the upper loop has nothing parallel and
is never singular.
Writes out/dca_closure.png and prints a table with the growth exponents of the running greatest gap, fitted from 1 s on.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import qr

import cotree as ct

FORMULATION = "odca"  # of curve (a)
TOLERANCE = 1e-8
PAPER = {"a": 0.7, "a'": None, "a''": None, "b": 2.0, "c": 1.0}
LABELS = {
    "a": "O-DCA, joint coordinates",
    "a'": "multipliers, joint coordinates",
    "a''": "the same by SciPy's RK45",
    "b": "multipliers, absolute coordinates",
    "c": "velocities eliminated, RK45",
}
COLOURS = {"a": "#0072B2", "a'": "#56B4E9", "a''": "#333333", "b": "#D55E00", "c": "#009E73"}


four_bar, seven_bar = ct.gallery.dca_four_bar, ct.gallery.seven_bar
figure_5a, figure_5b = ct.gallery.folding_four_bar, ct.gallery.toggle_four_bar
CASES = {
    "four-bar, all sides 1 m": (lambda: four_bar(1.0), 10.0),
    "four-bar, base 1.8 m": (lambda: four_bar(1.8), 10.0),
    "seven-bar, all sides 1 m": (lambda: seven_bar(1.0), 10.0),
    "seven-bar, base 1.8 m": (lambda: seven_bar(1.8), 10.0),
    "Figure 5a, through flat": (lambda: figure_5a(0.7), 20.0),
    "Figure 5b, through toggle": (lambda: figure_5b(-0.7), 20.0),
}


# Three ways to hold a loop


def accelerations_held(system, t_end, formulation):
    """(t, q) at each step: constraints on accelerations only, whatever solves for them."""
    run = ct.simulate(
        system, t_end, formulation=formulation, method="dopri5", stabilize="none", rtol=TOLERANCE, atol=TOLERANCE,
        output="steps",
    )  # fmt: skip
    return run.t, run.q


def rk45(rates, t_end, start, nq):
    """(t, q) at each step."""
    found = solve_ivp(rates, (0.0, t_end), start, "RK45", rtol=TOLERANCE, atol=TOLERANCE)
    return found.t, found.y[:nq].T


def multipliers_rk45(system, t_end):
    """(t, q): as `accelerations_held`, by the pair and the step control that the paper's program resembles."""
    n = system.nv

    def rates(t, y):
        return np.concatenate([y[n:], ct.forward_dynamics(system, y[:n], y[n:], formulation="index1").v_dot])

    return rk45(rates, t_end, np.concatenate([system.q0, np.zeros(n)]), n)


def velocities_eliminated(system, t_end, independent=None, v0=None):
    """(t, q): state q and the independent velocities; the others follow from J v = 0 at every evaluation.

    The partition is the best one of the start, or given, and kept, as in a program that chooses once.
    """
    J = ct.constraint_jacobian(system, system.q0)
    order = qr(J, pivoting=True)[2]
    ind = np.sort(order[len(J) :]) if independent is None else np.array([system.velocity_index(n) for n in independent])
    dep = np.setdiff1d(np.arange(system.nv), ind)

    def rates(t, y):
        q, u = y[: system.nq], y[system.nq :]
        J, v = ct.constraint_jacobian(system, q), np.zeros(system.nv)
        v[ind], v[dep] = u, -np.linalg.solve(J[:, dep], J[:, ind] @ u)
        return np.concatenate([v, ct.forward_dynamics(system, q, v, formulation="index1").v_dot[ind]])

    start = np.zeros(len(ind)) if v0 is None else v0[ind]
    return rk45(rates, t_end, np.concatenate([system.q0, start]), system.nq)


def gaps(system, qs):
    """Greatest distance [m] of the two points that a joint should hold together, at each configuration."""
    ends = [
        (system.row_of(j.parent), system.row_of(j.child), [*j.joint.point, 1.0])
        for j in system.mechanism.joints.values()
    ]
    out = []
    for q in qs:
        C = ct.poses(system, q)
        out.append(max(np.linalg.norm((C[a] - C[b]) @ p) for a, b, p in ends))
    return np.array(out)


def curves(mech, t_end):
    """{way: (t, gap)} of one mechanism."""
    relative, absolute = mech.compile(), mech.compile(coordinates="absolute")
    ways = {
        "a": (relative, lambda: accelerations_held(relative, t_end, FORMULATION)),
        "a'": (relative, lambda: accelerations_held(relative, t_end, "index1")),
        "a''": (relative, lambda: multipliers_rk45(relative, t_end)),
        "b": (absolute, lambda: accelerations_held(absolute, t_end, "index1")),
        "c": (relative, lambda: velocities_eliminated(relative, t_end)),
    }
    out = {}
    for way, (system, run) in ways.items():
        t, q = run()
        out[way] = t[1:], gaps(system, q[1:])
    return out


def exponent(t, gap):
    """p of gap ~ t^p, the running greatest gap from 1 s on."""
    most, late = np.maximum.accumulate(np.maximum(gap, 1e-17)), t >= 1.0
    return np.polyfit(np.log(t[late]), np.log(most[late]), 1)[0] if late.sum() > 10 else np.nan


# What comes out


def table(found):
    lines = [f"{'':28}{'way':40}{'greatest gap [m]':>18}{'exponent':>10}{'paper':>7}"]
    for case, ways in found.items():
        for way, (t, gap) in ways.items():
            paper = "" if PAPER[way] is None else f"{PAPER[way]:g}"
            note = "" if t[-1] >= CASES[case][1] - 1e-9 else f"   stopped at {t[-1]:.2f} s"
            size, p = gap.max(), exponent(t, gap)
            lines.append(f"{case:28}{f'({way}) {LABELS[way]}':40}{size:>18.1e}{p:>10.2f}{paper:>7}{note}")
    return "\n".join(lines)


def picture(found, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, 2, figsize=(9.5, 11), sharey=True, layout="constrained")
    for ax, (case, ways) in zip(axes.flat, found.items(), strict=True):
        for way, (t, gap) in ways.items():
            style = {"a'": {"ls": "--", "lw": 1.0}, "a''": {"ls": ":", "lw": 1.2}}.get(way, {"lw": 1.4})
            label = f"({way}) $t^{{{exponent(t, gap):.1f}}}$" + (
                "" if PAPER[way] is None else f", paper $t^{{{PAPER[way]:g}}}$"
            )
            ax.loglog(t, np.maximum(gap, 1e-17), color=COLOURS[way], label=label, **style)
        ax.set_title(case, fontsize=10)
        ax.legend(fontsize=8, loc="upper left")
        ax.set_xlim(0.02, CASES[case][1])
        ax.set_ylim(1e-17, 1e2)
        ax.grid(alpha=0.3)
    for ax in axes[:, 0]:
        ax.set_ylabel("greatest joint gap [m]")
    for ax in axes[-1]:
        ax.set_xlabel("time [s]")
    words = [f"({w}) {text}" for w, text in LABELS.items()]
    words = "   ".join(words[:3]) + "\n" + "   ".join(words[3:])
    figure.suptitle(f"Loops held by accelerations (a, b) or velocities (c) only, tolerance 1e-8\n{words}", fontsize=9)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def singular_starts():
    """Lines on runs that start in the singular configuration with speed, and on q1 as the independent coordinate."""
    lines = []
    for mech, rates in (
        (figure_5a(0.0), {"q1": 2.0, "q2": -2.0, "q3": 2.0, "q4": 2.0}),
        (figure_5b(0.0), {"q1": 0.0, "q2": -2.0, "q3": 4.0, "q4": 2.0}),
    ):
        system = mech.compile(cut=["q3"])
        v = np.array([rates[n] for n in system.coordinate_names])
        for stabilize in ("none", "projection"):
            run = ct.simulate(system, 20.0, v=v, formulation=FORMULATION, stabilize=stabilize)
            drift = np.abs(run.energy.balance).max()
            lines.append(
                f"{mech.name} started singular, stabilize={stabilize!r}: {run.status} at {run.t[-1]:g} s, joints open by "
                f"{gaps(system, run.q).max():.1e} m, energy to {drift:.1e} J, singular configurations met: {len(run.crossings)}"
            )
        lines.append(f"{mech.name} started singular, velocities eliminated by q1: {by_q1(system, v)}")
    system = figure_5b(-0.7).compile(cut=["q3"])
    lines.append(f"Figure 5b from rest, velocities eliminated by q1: {by_q1(system, np.zeros(system.nv))}")
    return "\n".join(lines)


def parting(system, t, q):
    """When the cranks of Figure 5a cease to be parallel, that is on which branch it is."""
    rows = [system.row_of(b) for b in ("b1", "b3")]
    C = np.array([ct.poses(system, x)[rows, :2, 0] for x in q])  # first axis of each crank
    off = np.flatnonzero(np.linalg.norm(C[:, 0] - C[:, 1], axis=1) > 1e-3)
    return f"left at {t[off[0]]:.2f} s" if len(off) else "kept for 20 s"


def branches():
    """Lines on which way keeps the branch of Figure 5a; a closed loop does not tell."""
    mech = figure_5a(0.7)
    relative, absolute = mech.compile(), mech.compile(coordinates="absolute")
    projected = ct.simulate(relative, 20.0, formulation=FORMULATION, output="steps")
    ways = {
        "(a)": (relative, accelerations_held(relative, 20.0, FORMULATION)),
        "(b)": (absolute, accelerations_held(absolute, 20.0, "index1")),
        "(c)": (relative, velocities_eliminated(relative, 20.0)),
        "(a) projected after each step": (relative, (projected.t, projected.q)),
    }
    told = (f"{name} {parting(system, *run)}" for name, (system, run) in ways.items())
    return "Figure 5a from rest, branch of the parallelogram: " + "; ".join(told)


def by_q1(system, v):
    """What becomes of the reduction that the paper compares with, q1 independent throughout."""
    try:
        t, q = velocities_eliminated(system, 20.0, ["q1"], v)
    except np.linalg.LinAlgError:
        return "fails at once, the matrix of the dependent velocities is singular"
    return f"reaches {t[-1]:.3g} s of 20 s, joints open by {gaps(system, q).max():.1e} m"


def main() -> None:
    found = {case: curves(make(), t_end) for case, (make, t_end) in CASES.items()}
    print(table(found))
    print()
    print(singular_starts())
    print(branches())
    path = Path("out") / "dca_closure.png"
    picture(found, path)
    print(f"picture: {path}")


if __name__ == "__main__":
    main()
