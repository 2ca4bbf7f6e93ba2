"""Spherical four-bar, [Reg] 2 and 7.1, figures 1b and 6: of the five rows of the joint that closes it two are needed.

The paper prints H(q) and Ū and no geometry. H(q) fits joints in four corners of a cube about the centre of rotation, whose
neighbouring axes make angles of arccos(1/3), with joint frames at the distance √3 m (the text says unit distance; Ū says √3
too, the ratio of its columns). Figure 6 has it flattened: here the same linkage with all axes in one plane, joints 2 and 4 at
one place. The links are round aluminium bars; masses take no part.

The joints: J1 from ground to link1, J2 to link2, J4 from ground to link3, J3 between link2 and link3 is the cut joint.
"""

import itertools

import matplotlib.pyplot as plt
import numpy as np

import cotree as ct
from cotree.lie import Ad, bracket, inverse, pose
from cotree.papers import Study
from cotree.papers.scripts import main

BEND = np.arccos(1 / 3)
CUBE = np.array([(1, 1, 1), (-1, 1, 1), (-1, -1, 1), (1, -1, 1)], dtype=float)
FLAT = np.sqrt(3) * np.array([(np.cos(a), np.sin(a), 0.0) for a in (0.0, BEND, 2 * BEND, BEND)])
INWARD = (-1, -1, 1, -1)  # joints 1, 2 and 4 point to the centre
HELD = [0, 1, 3, 4, 5]  # of a twist in the frame of a revolute joint
PRINTED = np.array([[0.193497, 0.461041, 0.798547, -0.335146, 0.0], [-0.461041, 0.193497, 0.335146, 0.798547, 0.0]])
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"
LINKS = (("ground", (0, 3), GREY), ("link 1", (0, 1), BLUE), ("link 2", (1, 2), ORANGE), ("link 3", (3, 2), GREEN))


def build(points):
    """The linkage with its joints at four points, axes through the origin."""
    mech = ct.Mechanism("spherical four-bar", gravity=(0.0, 0.0, 0.0))
    ends = {"link1": (0, 1), "link2": (1, 2), "link3": (3, 2)}
    for name, (a, b) in ends.items():
        mech.body(name, shape=ct.Rod(points[a], points[b]), density=2700.0)
    bodies = (("ground", "link1"), ("link1", "link2"), ("link2", "link3"), ("ground", "link3"))
    for k, (pair, point, sign) in enumerate(zip(bodies, points, INWARD, strict=True)):
        mech.joint(f"J{k + 1}", *pair, ct.Revolute(point, sign * point))
    return mech


def printed_jacobian(q1, q2):
    """H(q) of [Reg 7.1]; its columns belong to joints 1, 4 and 2, in this order."""
    s1, c1, s2, c2 = np.sin(q1), np.cos(q1), np.sin(q2), np.cos(q2)
    cm, cp, sm = np.cos(q1 - q2), np.cos(q1 + q2), np.sin(q1 - q2)
    r2, r3, r6 = np.sqrt([2.0, 3.0, 6.0])
    a = r2 / 27 * (1 - 4 * r3 * s1 + c2 * (5 + r3 * s1) - (r3 + 9 * s1) * s2 + c1 * (-4 + 7 * c2 + 7 * r3 * s2))
    b = -r2 / 27 * (-r3 + 4 * r3 * c1 + r3 * cm + r3 * c2 + 4 * r3 * cp + 12 * s1 - 3 * sm - 3 * s2)
    c = -r2 / 9 * (-1 + 4 * c1 + cm + c2 + 4 * cp + 4 * r3 * s1 - r3 * sm - r3 * s2)
    d = r3 + 5 * r3 * c2 - 3 * s2 + c1 * (-4 * r3 + 7 * r3 * c2 + 21 * s2) + 3 * s1 * (-4 + c2 - 3 * r3 * s2)
    return np.array(
        [
            [r2 / 9 * (r3 * s2 - 1 - 5 * c2), a, -r2 / 3],
            [(r6 * (c2 - 1) - 3 * r2 * s2) / 9, b, -np.sqrt(2 / 3)],
            [r2 / 3 * (c2 - 1 - r3 * s2), c, -r2],
            [r2 / 9 * (r3 * (1 + 5 * c2) - 3 * s2), -r2 / 27 * d, np.sqrt(2 / 3)],
            [0.0, 0.0, 0.0],
        ]
    )


def joint_frame(points):
    """Frame of joint 3: third axis along it, first axis in the plane of joints 1 and 3, as the printed H(q) has it."""
    e3 = points[2] / np.linalg.norm(points[2])
    x = -points[0] + e3 * (e3 @ points[0])
    x /= np.linalg.norm(x)
    return pose(np.column_stack([x, np.cross(e3, x), e3]), points[2])


def closure_jacobian(system, q):
    """H(q), Reg (23): the held components of the twist of link3 against link2 in the joint frame on link2."""
    T = ct.poses(system, q)[system.row_of("link2")] @ joint_frame(CUBE)
    twists = ct.spatial_jacobian(system, q, "link3") - ct.spatial_jacobian(system, q, "link2")
    order = [system.coordinate_names.index(name) for name in ("J1", "J4", "J2")]
    return (Ad(inverse(T)) @ twists)[np.ix_(HELD, order)]


def to_the_letter(points):
    """(Ū, singular values of W B): Reg (25) to (28) with brackets up to the second order; the sides are 1, 2 and 4."""
    Y = [np.concatenate([s * p / np.linalg.norm(p), np.zeros(3)]) for s, p in zip(INWARD, points, strict=True)]
    first = [bracket(a, b) for a, b in itertools.combinations(Y[:2], 2)]
    second = [bracket(a, b) for a in Y[:2] for b in first]
    B = Ad(inverse(joint_frame(points))) @ np.column_stack([*Y[:2], *first, *second, Y[3], Y[2]])
    U, s, _ = np.linalg.svd(B[HELD])
    rank = np.count_nonzero(s > 1e-9 * s[0])
    return U[:, :rank].T, s


def apart(A, B):
    """Largest entry by which the projectors to two row spaces differ."""
    return np.abs(np.linalg.pinv(A) @ A - np.linalg.pinv(B) @ B).max()


def closed(system, q, held=()):
    """Nearby q that the kept rows alone call closed, by Newton's method; coordinates `held` stay."""
    free = [k for k, name in enumerate(system.coordinate_names) if name not in held]
    for _ in range(50):
        step = -np.linalg.pinv(ct.constraint_jacobian(system, q)[:, free], 1e-9) @ ct.constraint_residual(system, q)
        q = q.copy()
        q[free] += step * min(1.0, 0.5 / max(np.abs(step).max(), 1e-300))
    return q


def closed_configurations(system, count=60):
    """From random guesses all over the joint angles."""
    rng = np.random.default_rng(1)
    found = [closed(system, q) for q in rng.uniform(-np.pi, np.pi, (count, system.nv))]
    return [q for q in found if np.abs(ct.constraint_residual(system, q)).max() < 1e-12] or [system.q0]


def along_the_motion(system, most=2.8, steps=80):
    """(angles of J1, configurations) of the flattened linkage on both sides of its singular reference."""
    found = {0.0: system.q0}
    for sign in (-1, 1):
        q = np.array([{"J1": 1.0, "J2": -2.0, "J4": -1.0}[n] for n in system.coordinate_names]) * 0.02 * sign
        for angle in sign * np.geomspace(0.02, most, steps):
            q[system.coordinate_names.index("J1")] = angle
            found[angle] = q = closed(system, q, held=("J1",))
    angles = np.array(sorted(found))
    return angles, [found[a] for a in angles]


def singular_values(system, qs):
    """Of all five rows, (n, 3), and of the two kept, (n, 2)."""
    full = [np.linalg.svd(ct.constraint_jacobian(system, q, regularized=False), compute_uv=False) for q in qs]
    kept = [np.linalg.svd(ct.constraint_jacobian(system, q), compute_uv=False) for q in qs]
    return np.array(full), np.array(kept)


def arc(points, a, b, lift=0.0):
    """Points of the great circle from joint a to joint b, (30, 3)."""
    u = np.linspace(0.0, 1.0, 30)[:, None]
    x = (1 - u) * points[a] + u * points[b]
    return x * (np.sqrt(3) + lift) / np.linalg.norm(x, axis=1, keepdims=True)


def reference_picture():
    """The linkage as H(q) has it, in space, and as Figure 6 draws it, in its plane; links as arcs about the centre."""
    figure = plt.figure(figsize=(9, 4), layout="constrained")
    left, right = figure.add_subplot(1, 2, 1, projection="3d"), figure.add_subplot(1, 2, 2)
    for ax, points, n, far in ((left, CUBE, 3, 1.2), (right, FLAT, 2, 1.15)):
        for name, (a, b), colour in LINKS:
            lift = 0.08 if n == 2 and name in ("ground", "link 3") else 0.0  # beside what it lies on
            ax.plot(*arc(points, a, b, lift)[:, :n].T, color=colour, lw=3, label=name)
        for j, p in enumerate(points[:, :n]):
            ax.plot(*np.array([0 * p, 1.1 * p]).T, color="black", lw=0.8, ls=":")
            ax.plot(*p[:, None], "ko", ms=4)
            if n == 3 or j in (0, 2):
                ax.text(*far * p, f"J{j + 1}", ha="center", va="center")
        ax.plot(*np.zeros((n, 1)), "k+", ms=8)
        ax.set_aspect("equal")
        ax.set(xlabel="x [m]", ylabel="y [m]")
    right.text(*1.2 * FLAT[1, :2], "J2, J4", ha="center")
    left.set(title="a) as H(q) is printed", zlabel="z [m]", xticks=(-1, 0, 1), yticks=(-1, 0, 1), zticks=(0, 1))
    left.view_init(20, -50)
    left.set_box_aspect(None, zoom=0.85)
    right.set(title="b) flattened, the reference of Figure 6", xlim=(-2.2, 2.4), ylim=(-0.4, 2.4))
    right.legend(fontsize=8, loc="lower left")
    return figure


def values_picture(angles, full, kept):
    """Singular values over the motion through the singular reference, on two scales."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for ax, floor in zip(axes, (0.0, 1e-17), strict=True):
        for k, colour in enumerate((BLUE, ORANGE)):
            ax.plot(
                angles, np.maximum(full[:, k], floor), color=colour, lw=3.5, alpha=0.4, label=f"σ{k + 1} of all 5 rows"
            )
            ax.plot(
                angles,
                np.maximum(kept[:, min(k, kept.shape[1] - 1)], floor),
                color=colour,
                lw=1.2,
                ls="--",
                label=f"σ{k + 1} of the 2 kept",
            )
        ax.plot(angles, np.maximum(full[:, 2], floor), ".", color=GREY, ms=4, label="σ3 of all 5 rows")
        ax.set(xlabel="angle of joint 1 [rad]")
        ax.grid(alpha=0.3)
    axes[0].set(title="a) linear scale", ylabel="singular values of the constraint rows")
    axes[1].set(title="b) logarithmic scale", yscale="log", ylim=(1e-18, 30))
    axes[0].legend(fontsize=8, loc="center right", bbox_to_anchor=(1.0, 0.3))
    return figure


def study():
    systems = {"as printed": build(CUBE).compile(cut=["J3"]), "flattened": build(FLAT).compile(cut=["J3"])}
    out = Study(
        "reg/spherical_four_bar", "Spherical four-bar",
        "relative coordinates, cut at J3; 60 closed configurations of each linkage from random guesses, seed 1",
    )  # fmt: skip
    counts(out)
    jacobian(out, systems["as printed"])
    reference(out, systems)
    selection(out, systems["as printed"])
    row_space(out, systems)
    everywhere(out, systems)
    return out


def counts(out):
    """Section 2."""
    mech = build(CUBE)
    relative, absolute = (mech.compile(coordinates=c, regularize=False) for c in ("relative", "absolute"))
    report = ct.mobility(mech)
    found = [(s.nv, s.n_constraints) for s in (absolute, relative)]
    out.compare(
        "Section 2, Figure 1b", "degrees of freedom by counting",
        paper="18 absolute coordinates and 20 constraints, 3 joint angles and 5 constraints: −2 either way; the mechanism "
        "has 1 dof, 3 constraints are redundant for either model",
        ours=f"{found[0][0]} coordinates and {found[0][1]} rows, {found[1][0]} and {found[1][1]}; mobility {report.local}, "
        f"{report.kind}; Grübler's count {report.grubler}",
        checks={
            "18 and 20, 3 and 5": found == [(18, 20), (3, 5)],
            "1 dof where the count says −2": report.local == 1 and report.grubler == -2,
        },
    )  # fmt: skip


def jacobian(out, system):
    """H(q)."""
    rng = np.random.default_rng(0)
    gaps = []
    for q1, q2, q4 in [(0.0, 0.0, 0.0), *rng.uniform(-np.pi, np.pi, size=(20, 3))]:
        q = np.array([{"J1": q1, "J2": q2, "J4": q4}[name] for name in system.coordinate_names])
        gaps.append(np.abs(closure_jacobian(system, q) - printed_jacobian(q1, q2)).max())
    out.compare(
        "Section 7.1", "constraint Jacobian H(q)",
        paper="5 × 3 matrix in closed form, in q¹ and q²",
        ours=f"equal to {max(gaps):.0e} at 21 random configurations, with its columns in the order of joints 1, 4, 2",
        checks={"equal to 1e-12": max(gaps) < 1e-12},
    )  # fmt: skip


def reference(out, systems):
    """Figure 6 and what is said of q = 0."""
    ranks = {
        n: int(np.linalg.matrix_rank(ct.constraint_jacobian(s, s.q0, regularized=False), 1e-9))
        for n, s in systems.items()
    }
    report = ct.mobility(systems["flattened"])
    out.compare(
        "Figure 6", "the flattened reference configuration",
        paper="exhibits a singularity; the rank there would suggest only one independent equation",
        ours=f"rank {ranks['flattened']}; {report.differential} dof by velocities, {report.local} by motions nearby",
        checks={
            "rank 1 when flattened": ranks["flattened"] == 1,
            "known to be singular, 2 dof by velocities and 1 nearby":
                report.singular and (report.differential, report.local) == (2, 1),
        },
        figure=reference_picture(),
    )  # fmt: skip
    printed = int(np.linalg.matrix_rank(printed_jacobian(0.0, 0.0)))
    out.compare(
        "Section 7.1", "rank of the printed H(0)",
        paper="q = 0 is the flattened, singular configuration; one independent equation there",
        ours=f"rank {printed} of H(0) as printed, {ranks['as printed']} of the linkage that it fits",
        verdict="differs",
        reason="the printed H(q) belongs to a reference whose axes go through four corners of a cube, which is regular; "
        "it is not that of the flattened one in Figure 6. What the paper says holds for the latter",
        checks={"the linkage that H(q) fits has the rank of H(0), and that is 2": printed == ranks["as printed"] == 2},
    )  # fmt: skip


def selection(out, system):
    """Rows picked by hand."""
    qs = closed_configurations(system)
    pairs = list(itertools.combinations(range(5), 2))
    least = dict.fromkeys(pairs, np.inf)
    for q in qs:
        H = closure_jacobian(system, q)
        second = np.linalg.svd(H, compute_uv=False)[1]
        for pair in pairs:
            least[pair] = min(least[pair], np.linalg.svd(H[list(pair)], compute_uv=False)[1] / second)
    good = [pair for pair in pairs if least[pair] > 0.1]
    words = ", ".join(f"{a + 1} and {b + 1}" for a, b in good)
    out.compare(
        "Section 7.1", "selection of two of the five equations",
        paper="a simple selection of 2 constraint equations would not be globally valid",
        ours=f"equations {words} have everywhere the rank of all five, their second singular value being "
        f"{least[good[0]]:.2f} of that of all; the other six pairs never do" if good else "no pair serves",
        verdict="differs",
        reason="in the frame of the cut joint the third row of H is √3 times the second and the fourth −√3 times the "
        "first, as the printed matrix shows, so that one of each pair will do. The choice is not to be seen without that "
        "frame, and Ū needs no such luck",
        checks={
            "these four pairs serve everywhere": good == [(0, 1), (0, 2), (1, 3), (2, 3)],
            "the others nowhere": max(least[p] for p in pairs if p not in good) < 1e-9,
        },
    )  # fmt: skip


def row_space(out, systems):
    """Ū."""
    ours = {name: s.loop_rows[0].select[:, HELD] for name, s in systems.items()}
    gaps = {name: apart(U, PRINTED) for name, U in ours.items()}
    letters = [to_the_letter(points) for points in (CUBE, FLAT)]
    literal, sizes = max(apart(U, PRINTED) for U, _ in letters), letters[1][1]
    out.compare(
        "Section 7.1", "preconditioning matrix Ū",
        paper="2 × 5 matrix printed with six digits; the basis matrix B is well-conditioned",
        ours=f"row spaces apart by {gaps['as printed']:.0e} (flattened reference: {gaps['flattened']:.0e}); equations (25) "
        f"to (28) step by step, from either reference: {literal:.0e}; nonzero singular values of W B {sizes[0]:.2f} and "
        f"{sizes[1]:.2f} when flattened, the next {sizes[2]:.0e}",
        checks={
            "the same row space to 1e-6": gaps["as printed"] < 1e-6,
            "also from the singular reference": gaps["flattened"] < 1e-6,
            "the paper's steps give it too": literal < 1e-6,
            "singular values of W B within a factor 3, the next below 1e-12": sizes[1] > sizes[0] / 3 and sizes[2] < 1e-12,
        },
    )  # fmt: skip


def everywhere(out, systems):
    """Two rows, in all configurations."""
    qs = [(s, q) for s in systems.values() for q in closed_configurations(s)]
    left = max(np.abs(ct.constraint_residual(s, q, regularized=False)).max() for s, q in qs)
    values = [singular_values(s, [q]) for s, q in qs]
    third = max(full[0, 2] for full, _ in values)
    unlike = max(np.abs(full[0, :2] - np.resize(kept, 2)).max() for full, kept in values)
    regular = sum(full[0, 1] > 1e-3 for full, _ in values)
    angles, path = along_the_motion(systems["flattened"])
    full, kept = singular_values(systems["flattened"], path)
    at_zero = full[angles == 0.0][0]
    out.compare(
        "Section 7.1", "number of constraints, and where they hold",
        paper="2 independent constraints; valid in all configurations, although the reference is singular; rank 2 except "
        "at singular points",
        ours=f"{[s.n_constraints for s in systems.values()]} rows kept. Closing them closes all five to {left:.0e} at "
        f"{len(qs)} configurations, {regular} of them regular; singular values are those of all five rows to {unlike:.0e}, "
        f"the third of which is {third:.0e} at most. Through the flat configuration σ2 falls to {at_zero[1]:.0e}",
        checks={
            "2 of 5 rows kept, from either reference": all(s.n_constraints == 2 for s in systems.values()),
            "what closes two rows closes five, to 1e-9": left < 1e-9,
            "the third singular value of all rows is rounding": third < 1e-12,
            "the two kept rows have the singular values of all": unlike < 1e-12,
            "most configurations are regular": regular > 0.8 * len(qs),
            "only at the flat configuration the rank falls": at_zero[1] < 1e-12 and full[angles != 0.0, 1].min() > 1e-3,
        },
        figure=values_picture(angles, full, kept),
    )  # fmt: skip


if __name__ == "__main__":
    main(study)
