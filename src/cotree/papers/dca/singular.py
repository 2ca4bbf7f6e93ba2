"""Two four-bars through singular configurations, [DCA] 4.2, figures 5 and 10: who passes, and on which branch.

The paper gives bars of 1 m, 1 kg and 1 kg m², gravity, 20 s from rest about an equilibrium that is singular, ode45 at 1e-8, and
what can happen there. Positions are lost; chosen after its words:
- Figure 5a: ground's hinges one above the other, 1 m apart, so that all bars hang in one line at rest, and the upper bar can
  stay while the others swing as one about the lower hinge;
- Figure 5b: bars 3 and 2 hang stretched at rest (q4 = 90 degrees in the paper) and hold the crank, bar 1, level.
Both start 0.7 rad from there, or in the singular configuration itself with the speed 2 rad/s of bar 3.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

import cotree as ct
from cotree.papers import Study
from cotree.papers.scripts import main

TOLERANCE, T_END = 1e-8, 20.0
LINKAGES = {"5a": ct.gallery.folding_four_bar, "5b": ct.gallery.toggle_four_bar}
RATES = {  # in the singular configuration
    "5a": {"q1": 2.0, "q2": -2.0, "q3": 2.0, "q4": 2.0},
    "5b": {"q1": 0.0, "q2": -2.0, "q3": 4.0, "q4": 2.0},
}
BLUE, ORANGE, GREEN, BLACK = "#0072B2", "#D55E00", "#009E73", "#333333"


def build(name, angle):
    """System cut at q3, as all of the paper's reductions are by q1, q2 and q4."""
    return LINKAGES[name](angle).compile(cut=["q3"])


# Ways through


def run(system, formulation="odca", stabilize="none", v=None, t_end=T_END):
    """By Dormand and Prince's pair."""
    return ct.simulate(
        system, t_end, v=v, formulation=formulation, method="dopri5", stabilize=stabilize, rtol=TOLERANCE, atol=TOLERANCE,
        output="steps",
    )  # fmt: skip


def arrived(r, t_end=T_END):
    """Whether a run came to its end."""
    return r.status == "done" and r.t[-1] == t_end


def reduced_by_q1(system, v0, on_velocities):
    """(t, q) of the paper's reduction: q1 moves as the equations of motion say, the others follow.

    On accelerations: state q and v, J v_dot = eta. On velocities: state q and the rate of q1, J v = 0.
    """
    ind = [system.coordinate_names.index("q1")]
    dep = np.setdiff1d(np.arange(system.nv), ind)
    n = system.nq

    def rates(t, y):
        q, J = y[:n], ct.constraint_jacobian(system, y[:n])
        F, part = np.ones(n), np.zeros(n)
        F[dep] = -np.linalg.solve(J[:, dep], J[:, ind])[:, 0]
        v = F * y[n] if on_velocities else y[n:]
        part[dep] = np.linalg.solve(J[:, dep], ct.constraint_bias(system, q, v))
        M, f = ct.mass_matrix(system, q), -ct.inverse_dynamics(system, q, v, tree=True)
        a = F @ (f - M @ part) / (F @ M @ F)
        return np.concatenate([v, [a] if on_velocities else F * a + part])

    start = np.concatenate([system.q0, v0[ind] if on_velocities else v0])
    found = solve_ivp(rates, (0.0, T_END), start, "RK45", rtol=TOLERANCE, atol=TOLERANCE)
    return found.t, found.y[:n].T


def gaps(system, qs):
    """Largest distance [m] of the two points that a joint should hold together, at each configuration."""
    ends = [
        (system.row_of(j.parent), system.row_of(j.child), [*j.joint.point, 1.0])
        for j in system.mechanism.joints.values()
    ]
    poses = [ct.poses(system, q) for q in qs]
    return np.array([max(np.linalg.norm((C[a] - C[b]) @ p) for a, b, p in ends) for C in poses])


def parting(r):
    """Time [s] at which bars 1 and 3 of Figure 5a cease to be parallel, T_END if never."""
    rows = [r.system.row_of(b) for b in ("b1", "b3")]
    C = r.poses()[:, rows][..., :2, 0]  # first axis of each
    off = np.flatnonzero(np.linalg.norm(C[:, 0] - C[:, 1], axis=1) > 1e-3)
    return float(r.t[off[0]]) if len(off) else T_END


def singular_start(name):
    """(system, v) in the singular configuration, with speed."""
    system = build(name, 0.0)
    return system, np.array([RATES[name][n] for n in system.coordinate_names])


def conditions(name):
    """Condition numbers, in the singular configuration, of the index-1 matrix and of the dependency matrix of q1."""
    system, _ = singular_start(name)
    M, J = ct.mass_matrix(system, system.q0), ct.constraint_jacobian(system, system.q0)
    m = len(J)
    dep = [k for k, n in enumerate(system.coordinate_names) if n != "q1"]
    return np.linalg.cond(np.block([[M, J.T], [J, np.zeros((m, m))]])), np.linalg.cond(J[:, dep])


# Pictures


def angle_of(r):
    """Angle [rad] of bar 3 from straight down."""
    R = r.poses()[:, r.system.row_of("b3")]
    start = {"folding four-bar": 0.7, "toggle four-bar": -0.7}[r.system.name]
    return start + np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0]))


def picture(curves, runs):
    """a) gaps by each way, b) the motion: angle of bar 3 over time."""
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
    for label, (t, gap, colour, line) in curves.items():
        axes[0].semilogy(t, np.maximum(gap, 1e-17), color=colour, ls=line, lw=1.3, label=label)
    axes[0].set(
        title="a) constraint violation", xlabel="time [s]", ylabel="largest gap of a joint [m]", ylim=(1e-17, 1e1)
    )
    for (label, (r, colour)), style in zip(
        runs.items(), ({"lw": 3.5, "alpha": 0.4}, {"lw": 1.2, "ls": "--"}), strict=True
    ):
        axes[1].plot(r.t, angle_of(r), color=colour, label=label, **style)
    axes[1].axhline(0.0, color="grey", lw=0.7)
    axes[1].set(title="b) motion; singular at 0", xlabel="time [s]", ylabel="angle of bar 3 [rad]")
    axes[1].margins(y=0.25)
    for ax in axes:
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8, loc="upper left")
    return figure


# What is compared


def study():
    out = Study(
        "dca/singular", "Four-bars through singular configurations",
        f"{T_END:g} s, Dormand-Prince 5(4) at {TOLERANCE:g}, no stabilization but where said; reduction by q1 by SciPy's RK45",
    )  # fmt: skip
    through_flat(out)
    through_toggle(out)
    from_singular(out)
    return out


def through_flat(out):
    """Figure 10 for 5a."""
    joint, absolute = build("5a", 0.7), LINKAGES["5a"](0.7).compile(coordinates="absolute")
    alone = {"odca": run(joint), "joint": run(joint, "index1"), "absolute": run(absolute, "index1")}
    kept = {"odca": run(joint, stabilize="projection"), "joint": run(joint, "index1", "projection")}
    g = {name: gaps(r.system, r.q) for name, r in alone.items()}
    g_kept = {name: gaps(r.system, r.q) for name, r in kept.items()}
    left = {name: parting(r) for name, r in alone.items()}
    crossings = int(np.count_nonzero(np.diff(np.sign(angle_of(kept["odca"])))))
    ended = (
        f" and ends at {alone['odca'].t[-1]:.1f} s, its steps gone to zero" if alone["odca"].status != "done" else ""
    )
    out.compare(
        "Figure 10, Figure 5a", "violation against the augmented Lagrange approach",
        paper="O-DCA significantly outperformed the Lagrange multipliers; the system may pass as a parallelogram, jump to "
        "the crossed circuit, or go on with bar A locked",
        ours=f"open by {g['odca'].max():.0e} m with O-DCA, {g['joint'].max():.0e} m by multipliers in the same "
        f"coordinates, {g['absolute'].max():.0e} m in absolute ones. But O-DCA leaves the parallelogram at "
        f"{left['odca']:.2f} s{ended}, multipliers leave it at {left['joint']:.2f} s in joint and at "
        f"{left['absolute']:.2f} s in absolute coordinates, loops closed all the while. Projected after each step both "
        f"keep their branch through {crossings} crossings, closed to {g_kept['odca'].max():.0e} m",
        verdict="differs",
        reason="a small violation does not tell a right motion: next to the flat state a small error of the closing "
        "velocity is a large one in the direction that is about to be let go. What is gained is gained by the "
        "coordinates, not by O-DCA (see dca/closure), and passing takes projection and a solve with regard to rank, which "
        "serve multipliers as well",
        checks={
            "alone, every way leaves it or ends": all(
                x < T_END or alone[n].status != "done" for n, x in left.items()
            ),
            "with the loop closed to 1e-4 m": max(x.max() for x in g.values()) < 1e-4,
            "in absolute coordinates it opens by more than 1e-9 m": g["absolute"].max() > 1e-9,
            "projected, O-DCA and multipliers reach 20 s": all(map(arrived, kept.values())),
            "on their branch": all(parting(r) == T_END for r in kept.values()),
            "through ten crossings or more": crossings >= 10,
            "closed to 1e-10 m": max(x.max() for x in g_kept.values()) < 1e-10,
        },
        figure=picture(
            {
                "multipliers, absolute coordinates": (alone["absolute"].t, g["absolute"], ORANGE, "-"),
                "multipliers, joint coordinates": (alone["joint"].t, g["joint"], BLACK, ":"),
                "O-DCA": (alone["odca"].t, g["odca"], BLUE, "-"),
                "O-DCA, projected": (kept["odca"].t, g_kept["odca"], GREEN, "-"),
            },
            {"O-DCA": (alone["odca"], BLUE), "O-DCA, projected": (kept["odca"], GREEN)},
        ),
    )  # fmt: skip


def through_toggle(out):
    """Figure 10 for 5b."""
    system = build("5b", -0.7)
    odca, joint, kept = run(system), run(system, "index1"), run(system, stabilize="projection")
    t, reduced = zip(*(reduced_by_q1(system, np.zeros(system.nv), on) for on in (False, True)), strict=True)
    g = {"odca": gaps(system, odca.q), "joint": gaps(system, joint.q), "kept": gaps(system, kept.q)}
    torn = [gaps(system, q) for q in reduced]
    most = {**{n: x.max() for n, x in g.items()}, "accelerations": torn[0].max(), "velocities": torn[1].max()}
    at = np.arange(0.0, 10.0, 0.01)
    apart = np.abs(np.interp(at, odca.t, angle_of(odca)) - np.interp(at, kept.t, angle_of(kept))).max()
    out.compare(
        "Figure 10, Figure 5b", "violation against the reduction by q1",
        paper="O-DCA significantly outperformed the reduction, which showed a large error on accelerations; on velocities "
        "the reduction is comparable, O-DCA slightly better",
        ours=f"after 20 s open by {most['odca']:.0e} m with O-DCA and {most['joint']:.0e} m by multipliers; by the "
        f"reduction on accelerations {most['accelerations']:.0e} m, on velocities {most['velocities']:.0e} m. O-DCA is "
        f"within {apart:.0e} rad of the projected run for 10 s",
        verdict="differs",
        reason="the toggle is regular as a configuration: only the choice of q1 fails there, and steps leap over the "
        "instant at which it does. Here the reduction on accelerations errs as multipliers do, and that on velocities "
        "less than O-DCA. With an evaluation that happens to fall next to the toggle it would err more, as in the paper",
        checks={
            "O-DCA and multipliers reach 20 s": all(map(arrived, (odca, joint, kept))),
            "O-DCA stays closed to 1e-5 m": most["odca"] < 1e-5,
            "within a factor 3 of multipliers": 1 / 3 < most["odca"] / most["joint"] < 3,
            "the reduction reaches 20 s too": min(x[-1] for x in t) == T_END,
            "on velocities it opens less than O-DCA": most["velocities"] < most["odca"],
            "the motion is that of the projected run to 0.01 rad for 10 s": apart < 0.01,
        },
        figure=picture(
            {
                "reduction by q1, accelerations": (t[0], torn[0], ORANGE, "-"),
                "reduction by q1, velocities": (t[1], torn[1], "#CC79A7", "-"),
                "multipliers, joint coordinates": (joint.t, g["joint"], BLACK, ":"),
                "O-DCA": (odca.t, g["odca"], BLUE, "-"),
                "O-DCA, projected": (kept.t, g["kept"], GREEN, "-"),
            },
            {"O-DCA": (odca, BLUE), "O-DCA, projected": (kept, GREEN)},
        ),
    )  # fmt: skip


def from_singular(out):
    """Started in a truly singular configuration."""
    bad, energy, open_by, through = {}, [], [], []
    for name in RATES:
        system, v = singular_start(name)
        begun = [run(system, f, v=v, t_end=1.0) for f in ("odca", "index1")]
        runs = [run(system, f, "projection", v) for f in ("odca", "index1")]
        through += [*(arrived(r, 1.0) for r in begun), *map(arrived, runs)]
        energy += [np.abs(r.energy.balance).max() for r in runs]
        open_by += [gaps(system, r.q).max() for r in runs]
        bad[name] = conditions(name)
    out.compare(
        "Section 4.2", "started in the singular configuration, with speed",
        paper="O-DCA was unaffected and performed the simulation without difficulty, while the more traditional methods "
        "all failed immediately and completely",
        ours=f"O-DCA and multipliers both start; projected they run for 20 s on both linkages, open by {max(open_by):.0e} "
        f"m at most, energy to {max(energy):.0e} J. Condition numbers there: {bad['5a'][0]:.0e} (5a) and "
        f"{bad['5b'][0]:.0e} (5b) of the index-1 matrix, {bad['5a'][1]:.0e} and {bad['5b'][1]:.0e} of the matrix by which "
        "q1 gives the others",
        verdict="agrees qualitatively",
        reason="plain inverses fail, as the paper says: of the index-1 matrix in 5a, of the dependency matrix in both. "
        "But the matrix (42) of O-DCA is singular as well (see dca/terminal_matrix): it is the solve with regard to rank "
        "that passes, and it serves multipliers too",
        checks={
            "O-DCA and multipliers start, and run for 20 s when projected": all(through),
            "closed to 1e-10 m": max(open_by) < 1e-10,
            "energy keeps to 1e-3 J": max(energy) < 1e-3,
            "the index-1 matrix of the flat linkage is singular, condition above 1e12": bad["5a"][0] > 1e12,
            "that of the toggle is not": bad["5b"][0] < 1e4,
            "the dependency matrix of q1 is singular in both": min(b[1] for b in bad.values()) > 1e12,
        },
    )  # fmt: skip


if __name__ == "__main__":
    main(study)
