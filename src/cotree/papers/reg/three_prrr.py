"""3-PRRR manipulator, [Reg] 7.2, figures 2a and 7: loops that are regularized one by one keep a row too many.

The paper gives the topology (three legs, each a slide and three revolutes parallel to it, the slides at right angles) and the
loops of Figure 7: legs 1 and 2, legs 1 and 3, cut at the platform's joints of legs 2 and 3. It gives no dimensions; those of
`gallery.three_prrr` are taken, legs of about a metre.

"Treated alone" is a manipulator of two legs compiled by itself, whose rows are put on the same joint of the whole.
"""

import matplotlib.pyplot as plt
import numpy as np

import cotree as ct
from cotree.papers import Study
from cotree.papers.scripts import main

CUTS = ["J13", "J23"]
HELD = [0, 1, 3, 4, 5]  # of a twist in the frame of a revolute joint
SLIDES = ["J00", "J10", "J20"]
REACH, SHOWN = 0.15, 121  # [m]
BLUE, ORANGE = "#0072B2", "#D55E00"


def two_legs(a, b):
    """The loop of two legs and the platform by itself."""
    whole, mech = ct.gallery.three_prrr(), ct.Mechanism(f"legs {a + 1} and {b + 1}")
    for name, body in whole.bodies.items():
        if name == "platform" or name[3] in f"{a}{b}":
            mech.body(name, body.properties.mass, body.properties.com, body.properties.inertia)
    for name, c in whole.joints.items():
        if name[1] in f"{a}{b}":
            mech.joint(name, c.parent, c.child, c.joint)
    return mech


def build():
    """The whole with all rows, the loops regularized in turn, and the loops by themselves."""
    mech = ct.gallery.three_prrr()
    whole = {name: mech.compile(cut=CUTS, regularize=r) for name, r in (("all rows", False), ("loops in turn", True))}
    alone = [two_legs(0, k).compile(cut=[cut]) for k, cut in zip((1, 2), CUTS, strict=True)]
    return whole, alone


def rows_alone(alone, J):
    """Ū H of each loop by itself, one below the other; J has five rows a loop."""
    U = [s.loop_rows[0].select[:, HELD] for s in alone]
    return np.concatenate([U[0] @ J[:5], U[1] @ J[5:]])


def path(system):
    """(u, configurations) along a closed way on which the slides swing by up to REACH; u from 0 to 1."""
    u = np.linspace(0.0, 1.0, SHOWN)
    way = REACH * np.sin(2 * np.pi * np.outer(u, (1, 2, 3)))
    slides = [system.coordinate_names.index(n) for n in SLIDES]
    turns = np.delete(np.arange(system.nv), slides)
    q, qs = system.q0.copy(), []
    for x in way:
        q[slides] = x
        for _ in range(8):  # Newton's method on the kept rows
            J = ct.constraint_jacobian(system, q)[:, turns]
            q[turns] -= np.linalg.pinv(J, 1e-9) @ ct.constraint_residual(system, q)
        qs.append(q.copy())
    return u, np.array(qs)


def values(whole, alone, qs):
    """Singular values, largest first, of the three sets of rows at each configuration."""
    found = {"all rows": [], "loops alone": [], "loops in turn": []}
    for q in qs:
        J = ct.constraint_jacobian(whole["loops in turn"], q, regularized=False)
        found["all rows"].append(J)
        found["loops alone"].append(rows_alone(alone, J))
        found["loops in turn"].append(ct.constraint_jacobian(whole["loops in turn"], q))
    return {name: np.array([np.linalg.svd(J, compute_uv=False) for J in rows]) for name, rows in found.items()}


def values_picture(u, found):
    """One panel for each set of rows."""
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), sharey=True, layout="constrained")
    for ax, letter, (name, s) in zip(axes, "abc", found.items(), strict=True):
        ax.semilogy(u, s[:, :7], color=BLUE, lw=1.1)
        ax.plot([], [], color=BLUE, label="first 7")
        if s.shape[1] > 7:
            ax.semilogy(u, np.maximum(s[:, 7:], 1e-18), ".", color=ORANGE, ms=3)
            ax.plot([], [], ".", color=ORANGE, label=f"{s.shape[1] - 7} more")
        ax.set(title=f"{letter}) {name}: {s.shape[1]}", xlabel="share of the way [-]", ylim=(1e-19, 10))
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8, loc="center right")
    axes[0].set_ylabel("singular values of the rows")
    return figure


def platform_picture(u, moved, turned, slides):
    """Way of the platform beside that of the slides, and its turn."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    for k, colour in enumerate((BLUE, ORANGE, "#009E73")):
        axes[0].plot(u, slides[:, k], color=colour, lw=3.5, alpha=0.4, label=f"slide {k + 1}")
        axes[0].plot(u, moved[:, k], color=colour, lw=1.2, ls="--", label=f"platform, {'xyz'[k]}")
    axes[0].set(title="a) displacements", xlabel="share of the way [-]", ylabel="displacement [m]")
    axes[0].set_ylim(-0.2, 0.3)
    axes[0].legend(fontsize=8, ncols=3, loc="upper center")
    axes[1].semilogy(u, np.maximum(turned, 1e-18), color="black", lw=1)
    axes[1].set(
        title="b) turn of the platform",
        xlabel="share of the way [-]",
        ylabel="greatest entry of R − 1",
        ylim=(1e-18, 1e-6),
    )
    for ax in axes:
        ax.grid(alpha=0.3)
    return figure


def rank(s):
    """Number of singular values that count at all configurations; 0 where it changes."""
    counts = np.count_nonzero(s > 1e-9, axis=1)
    return int(counts[0]) if np.all(counts == counts[0]) else 0


def study():
    whole, alone = build()
    out = Study("reg/three_prrr", "3-PRRR manipulator", f"kinematics only: {SHOWN} closed configurations on a way on "
                f"which each slide moves by ±{REACH} m")  # fmt: skip
    system = whole["loops in turn"]
    u, qs = path(system)
    s = values(whole, alone, qs)
    counting(out, whole, s)
    single_loops(out, alone)
    eight_rows(out, u, s)
    in_turn(out, whole, s)
    translations(out, system, u, qs)
    return out


def counting(out, whole, s):
    """Ten rows for ten angles."""
    full = whole["all rows"]
    out.compare(
        "Section 7.2, Figure 7", "constraints of the cut joints",
        paper="5 constraints for each loop, 10 imposed on the 10 joint angles; 3 are redundant; the platform has 3 dof",
        ours=f"{full.n_constraints} rows for {full.nv} coordinates, rank {rank(s['all rows'])} along the motion; mobility "
        f"{ct.mobility(full).local}",
        checks={
            "10 rows for 10 coordinates": (full.n_constraints, full.nv) == (10, 10),
            "3 of them redundant, all along": rank(s["all rows"]) == 7,
            "3 dof": ct.mobility(full).local == 3,
        },
    )  # fmt: skip


def single_loops(out, alone):
    """Each loop by itself."""
    reports = [ct.mobility(a) for a in alone]
    kept = [a.n_constraints for a in alone]
    sides = [r.rows[0].side_a.split(" about")[0] + ", " + r.rows[0].side_b.split(" about")[0] for r in reports]
    out.compare(
        "Section 7.2", "each loop by itself",
        paper="motion algebras of both chains are se(2) × R; 4 constraints for the 7 joint variables of each loop; each "
        "loop alone has 3 dof",
        ours=f"sides: {sides[0]}; {sides[1]}. {kept} rows, {[a.nv for a in alone]} coordinates, "
        f"{[r.local for r in reports]} dof",
        checks={
            "the chains move as Schoenflies, se(2) × R": set(sides) == {"Schoenflies, Schoenflies"},
            "4 rows for 7 coordinates in each loop": kept == [4, 4] and [a.nv for a in alone] == [7, 7],
            "3 dof in each": [r.local for r in reports] == [3, 3],
        },
    )  # fmt: skip


def eight_rows(out, u, s):
    """Both loops, treated independently."""
    eight = s["loops alone"]
    out.compare(
        "Section 7.2, Figure 7", "both loops, regularized independently",
        paper="the overall system of 8 constraints for the 10 joint variables contains one redundant constraint",
        ours=f"{eight.shape[1]} rows of rank {rank(eight)}: seventh singular value at least {eight[:, 6].min():.1e}, "
        f"eighth at most {eight[:, 7:].max(initial=0.0):.0e}",
        checks={"8 rows": eight.shape[1] == 8, "one of them redundant, all along": rank(eight) == 7},
        figure=values_picture(u, s),
    )  # fmt: skip


def in_turn(out, whole, s):
    """What the paper leaves to a forthcoming one."""
    system, seven = whole["loops in turn"], s["loops in turn"]
    rows = [r.kept for r in ct.mobility(system).rows]
    free = ct.gallery.three_prrr().compile()
    out.compare(
        "Section 7.2", "the extension to several loops",
        paper="can be solved by considering the intersection of the motion spaces of the loops; left to a forthcoming paper",
        ours=f"{' + '.join(map(str, rows))} = {system.n_constraints} rows of rank {rank(seven)}, "
        f"{system.nv - system.n_constraints} dof: once the first loop is closed the platform can only translate, and the "
        f"second needs a row less. Without cuts prescribed: {free.n_constraints} rows",
        checks={
            "4 + 3 rows": rows == [4, 3],
            "independent all along": rank(seven) == 7 and seven[:, 6].min() > 1e-2,
            "7 rows also with cuts left to the search": free.n_constraints == 7,
        },
    )  # fmt: skip


def translations(out, system, u, qs):
    """What the manipulator is for."""
    poses = np.array([ct.poses(system, q)[system.row_of("platform")] for q in qs])
    turned = np.abs(poses[:, :3, :3] - np.eye(3)).max(axis=(1, 2))
    slides = qs[:, [system.coordinate_names.index(n) for n in SLIDES]]
    off = np.abs(poses[:, :3, 3] - slides).max()
    out.compare(
        "Section 7.2, Figure 2a", "motion of the platform",
        paper="pure translations of the moving platform, good transmission properties",
        ours=f"turns by {turned.max():.0e} while it moves by up to {np.abs(slides).max():.2f} m; each slide moves it along "
        f"its own axis by as much as it moves itself, to {off:.0e} m: the Jacobian of the drives is the identity, "
        "condition 1",
        checks={
            "moves by more than 0.1 m along each axis": np.ptp(poses[:, :3, 3], axis=0).min() > 0.1,
            "does not turn, to 1e-9": turned.max() < 1e-9,
            "follows the slides to 1e-9 m": off < 1e-9,
        },
        figure=platform_picture(u, poses[:, :3, 3], turned, slides),
    )  # fmt: skip


if __name__ == "__main__":
    main(study)
