"""Topological graph, [Geo] 2.1 and figure 1: predecessors of bodies and joints, fundamental loops and their roots.

The figure is lost; the text of sections 2.1 and 2.4 names joints J₁ to J₈, bodies B₀ to B₆ and relations between them, with
J₃ and J₈ cut. The edges drawn here fulfil all of them; those of J₃, J₄, J₅ and J₈ are not settled by the text and are chosen.
"""

import matplotlib.pyplot as plt

from cotree.papers import Study
from cotree.papers.scripts import main
from cotree.topology import Graph, fundamental_loops, spanning_tree

JOINTS = {1: (0, 1), 2: (1, 2), 3: (1, 3), 4: (2, 3), 5: (2, 4), 6: (2, 5), 7: (5, 6), 8: (4, 6)}
CUT = (3, 8)
PLACES = {0: (0, 0), 1: (1, 0), 2: (2, 0), 3: (1.5, 0.9), 4: (2.9, 0.7), 5: (3, -0.5), 6: (4, 0)}
BLUE, RED = "#0072B2", "#D55E00"


def build():
    """(graph, tree) with the vertices as the bodies are numbered, the edges one less than the joints."""
    graph = Graph(7, tuple(JOINTS.values()))
    return graph, spanning_tree(graph, [j - 1 for j in CUT])


def joint_of(tree, body):
    """J(k): the joint by which a body hangs on its predecessor."""
    return tree.edge[body] + 1


def before(tree, joint):
    """α − 1: the joint before one in the directed tree, or None."""
    above = {joint_of(tree, k): tree.parent[k] for k in range(1, 7)}.get(joint, 0)
    return joint_of(tree, above) if above > 0 else None


def line_of(tree, joint):
    """All predecessors of a joint."""
    found = []
    while (joint := before(tree, joint)) is not None:
        found.append(joint)
    return found


def drawn(tree):
    figure, ax = plt.subplots(figsize=(7.5, 3.0), layout="constrained")
    for joint, (a, b) in JOINTS.items():
        (x, y), (u, w) = PLACES[a], PLACES[b]
        colour, line = (RED, "--") if joint in CUT else (BLUE, "-")
        arrow = {"arrowstyle": "-|>", "color": colour, "ls": line, "lw": 1.8, "shrinkA": 13, "shrinkB": 13}
        ax.annotate("", (u, w), (x, y), arrowprops=arrow)
        white = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
        ax.text((x + u) / 2, (y + w) / 2, f"J{joint}", color=colour, ha="center", va="center", fontsize=11, bbox=white)
    for body, place in PLACES.items():
        ax.plot(*place, "o", ms=22, mfc="white", mec="black")
        ax.text(*place, f"B{body}", ha="center", va="center", fontsize=10)
    ax.plot([], [], color=BLUE, label="tree joints")
    ax.plot([], [], "--", color=RED, label="cut joints")
    ax.legend(loc="upper left")
    ax.set(xlim=(-0.4, 4.5), ylim=(-0.8, 1.2))
    ax.axis("off")
    return figure


def study():
    graph, tree = build()
    out = Study("geo/graph", "Topological graph", "spanning tree and fundamental loops; no floating point")
    found = {j: before(tree, j) for j in (2, 6, 7)}
    roots = {loop.cut + 1: loop.root for loop in fundamental_loops(graph, tree)}
    out.compare(
        "Figure 1", "predecessors and loops",
        paper="J₁ = J₂ − 1, J₂ = J₆ − 1, J₆ = J₇ − 1, so that J₁ < J₇; J(6) = 7, J(5) = 6, J_root(k) = 1 for all k; "
        "γ = m − N loops; the root body of Λ₈ is B₂, that of Λ₃ is B₁",
        ours=", ".join(f"J{b} = J{j} − 1" for j, b in found.items())
        + f"; J(6) = {joint_of(tree, 6)}, J(5) = {joint_of(tree, 5)}; {graph.n_loops} loops with the roots "
        + ", ".join(f"B{root} (Λ{cut})" for cut, root in roots.items()),
        checks={
            "predecessors of joints": found == {2: 1, 6: 2, 7: 6} and 1 in line_of(tree, 7),
            "joints of bodies, and the first on the way": (joint_of(tree, 6), joint_of(tree, 5)) == (7, 6)
            and all((line_of(tree, joint_of(tree, k)) or [joint_of(tree, k)])[-1] == 1 for k in range(1, 7)),
            "loops and their roots": graph.n_loops == 8 - 6 and roots == {3: 1, 8: 2},
        },
        figure=drawn(tree),
    )  # fmt: skip
    return out


if __name__ == "__main__":
    main(study)
