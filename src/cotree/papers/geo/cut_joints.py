"""Cut joints, [Geo] tables 1 and 2 and remark 4: what each joint holds, at position and at velocity level.

Both tables are put beside the joints of the package, in the joint's own frame with the axis e₃ (a universal joint: e₁ and e₂).
Table 1: entries of the relative rotation E and position p that must vanish; they do if they vanish for random motions of the
joint. Table 2: rows that select the held components of a twist (ω, v); they are right if the joint's own twists vanish in them.
The scan has lost a column of zeros in some matrices of table 2; the rows are read as unit vectors in their order.
"""

import matplotlib.pyplot as plt
import numpy as np

import cotree as ct
from cotree.papers import Study
from cotree.papers.scripts import main

O, X, Y, Z = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)
JOINTS = {
    "prismatic": ct.Prismatic(Z, point=O),
    "revolute": ct.Revolute(O, Z),
    "planar translation": ct.PlanarTranslation(Z, x_axis=X),
    "cylindrical": ct.Cylindrical(O, Z),
    "universal": ct.Universal(O, X, Y),
    "spatial translation": ct.Translation(),
    "planar": ct.Planar(O, Z, x_axis=X),
    "spherical": ct.Spherical(O),
    "planar and translation (4 dof)": ct.Schoenflies(Z),
}
ENTRIES = ("E₁²", "E₁³", "E₂³", "p¹", "p²", "p³")
TABLE_1 = {  # as printed
    "prismatic": "E₁² E₂³ E₁³ p¹ p²",
    "revolute": "E₁² E₂³ p¹ p² p³",
    "planar translation": "E₁² E₂³ E₁³ p³",
    "cylindrical": "E₁³ E₂³ p¹ p²",
    "universal": "E₁² p¹ p² p³",
    "spatial translation": "E₁² E₂³ E₁³",
    "planar": "E₁³ E₂³ p³",
    "spherical": "p¹ p² p³",
    "planar and translation (4 dof)": "E₁³ E₂³",
}
TWISTS = ("ω₁", "ω₂", "ω₃", "v₁", "v₂", "v₃")
TABLE_2 = {  # as printed; the universal joint is not a subgroup and is missing
    "prismatic": "ω₁ ω₂ ω₃ v₁ v₂",
    "revolute": "ω₁ ω₂ v₁ v₂ v₃",
    "planar translation": "ω₁ ω₂ ω₃ v₃",
    "cylindrical": "ω₁ ω₂ v₁ v₂",
    "spatial translation": "ω₁ ω₂ ω₃",
    "planar": "ω₃ v₁ v₂",
    "spherical": "v₁ v₂ v₃",
    "planar and translation (4 dof)": "v₁ v₂",
}
WRONG_1, WRONG_2 = {"revolute"}, {"planar", "planar and translation (4 dof)"}


def build(joint, coordinates="relative"):
    """One body on the joint, its frame that of the joint."""
    mech = ct.Mechanism("joint", (0, 0, 0))
    mech.joint("joint", mech.ground, mech.body("body", 1.0, O, (1.0, 1.0, 1.0)), joint)
    return mech.compile(coordinates=coordinates)


def vanishing_entries(joint, rng):
    """Those of ENTRIES that are zero in 20 random positions of the joint."""
    system = build(joint)
    values = []
    for _ in range(20):
        C = ct.poses(system, ct.displace(system, system.q0, rng.uniform(-1.2, 1.2, system.nv)))[1]
        values.append([C[0, 1], C[0, 2], C[1, 2], *C[:3, 3]])
    return {name for name, most in zip(ENTRIES, np.abs(values).max(axis=0), strict=True) if most < 1e-13}


def held_twists(joint):
    """Those of TWISTS that the constraint rows of the package hold, the joint being cut; they must be just these."""
    system = build(joint, "absolute")
    J = ct.constraint_jacobian(system, system.q0)
    _, s, Vt = np.linalg.svd(J)
    rows = Vt[: int((s > 1e-12).sum())]
    share = (rows**2).sum(axis=0)  # 1 where the component is held, 0 where it is free
    assert np.allclose(share * (1 - share), 0.0, atol=1e-12), "a constrained direction is not a component"
    return {name for name, x in zip(TWISTS, share, strict=True) if x > 0.5}


def free_twists(joint):
    """Those that the joint's motion has."""
    J = ct.body_jacobian(build(joint), build(joint).q0, "body")
    return {name for name, row in zip(TWISTS, np.abs(J), strict=True) if row.max() > 1e-12}


def drawn(columns, right, printed):
    """Squares: what is held; rings: what the paper prints."""
    figure, ax = plt.subplots(figsize=(7.5, 0.42 * len(printed) + 1.1), layout="constrained")
    for y, (joint, words) in enumerate(printed.items()):
        for x, name in enumerate(columns):
            if name in right[joint]:
                ax.plot(x, y, "s", ms=15, color="#56B4E9")
            if name in words.split():
                ax.plot(x, y, "o", ms=9, mfc="none", mec="black", mew=1.6)
    ax.plot([], [], "s", ms=11, color="#56B4E9", label="held")
    ax.plot([], [], "o", ms=8, mfc="none", mec="black", mew=1.6, ls="none", label="printed")
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(printed)), list(printed))
    ax.set(xlim=(-0.6, len(columns) - 0.4), ylim=(len(printed) - 0.4, -0.6))
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    ax.grid(alpha=0.3)
    return figure


def misprints(printed, right):
    return {joint for joint, words in printed.items() if set(words.split()) != right[joint]}


def first_table(out):
    rng = np.random.default_rng(1)
    right = {name: vanishing_entries(joint, rng) for name, joint in JOINTS.items()}
    wrong = misprints(TABLE_1, right)
    out.compare(
        "Table 1", "constraints of cut joints",
        paper="the revolute joint with E₁² = E₂³ = 0; the others as in the picture",
        ours=f"printed otherwise than the joints move: {', '.join(sorted(wrong))}, whose E₁² is the sine of its angle; "
        f"E₁³ = E₂³ = 0 is right",
        verdict="differs",
        reason="a misprint: remark 4 of the paper has E₁³ = E₂³ = 0 itself.",
        checks={
            "the revolute joint's row is the only wrong one": wrong == WRONG_1,
            "right for it is E₁³ = E₂³ = 0 and p = 0": right["revolute"] == {"E₁³", "E₂³", "p¹", "p²", "p³"},
            "six less the degrees of freedom, each": all(len(right[n]) == 6 - build(j).nv for n, j in JOINTS.items()),
        },
        figure=drawn(ENTRIES, right, TABLE_1),
    )  # fmt: skip


def second_table(out):
    held = {name: held_twists(joint) for name, joint in JOINTS.items()}
    wrong = misprints(TABLE_2, held)
    free_printed = {name for name in wrong if set(TABLE_2[name].split()) <= free_twists(JOINTS[name])}
    out.compare(
        "Table 2", "selectors of held velocities",
        paper="as in the picture",
        ours=f"printed otherwise than held: {', '.join(sorted(wrong))}; of these the table shows free components in "
        f"place of held",
        verdict="differs",
        reason="with the printed rows a planar cut joint would be stopped in its own plane and left free across it.",
        checks={
            "wrong for the planar and the 4-dof joint, right for the others": wrong == WRONG_2,
            "what is printed for them is free": free_printed == WRONG_2,
            "what is held is what the joint's motion has not":
                all(held[n] == set(TWISTS) - free_twists(j) for n, j in JOINTS.items()),
        },
        figure=drawn(TWISTS, held, TABLE_2),
    )  # fmt: skip


def remark(out):
    """A body on a revolute joint turned over by π about e₁."""
    system = build(JOINTS["revolute"], "absolute")
    q = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # quaternion, position
    E = ct.poses(system, q)[1, :3, :3]
    component, ours = max(abs(E[0, 2]), abs(E[1, 2])), np.abs(ct.constraint_residual(system, q)).max()
    out.compare(
        "Remark 4", "a revolute joint with its axes antiparallel",
        paper="E₁³ = E₂³ = 0 are fulfilled with opposite directions of the axes too: a local constraint map only",
        ours=f"|E₁³|, |E₂³| ≤ {component:.0e}, E₃³ = {E[2, 2]:.0f}; the residual of the package is {ours:.4f} rad",
        checks={
            "the paper's components do not notice, the package's residual does: half a turn":
                component < 1e-15 and E[2, 2] < 0 and abs(ours - np.pi) < 1e-9,
        },
    )  # fmt: skip


def study():
    out = Study("geo/cut_joints", "What cut joints hold", "joints of the package, 20 random positions each")
    first_table(out)
    second_table(out)
    remark(out)
    return out


if __name__ == "__main__":
    main(study)
