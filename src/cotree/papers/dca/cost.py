"""Cost, [DCA] 1, 3 and 5: O(n + m) operations one after another, O(log(n + m)) steps with as many processors as one likes.

The paper expects both and measures neither. Counted here, not timed: the multiplications of each node of the assembly plan that
`formulation="odca"` works on, for chains in space (revolutes along z and y in turn, no loops), rings (the same in the plane,
its last body joined to ground), ladders of coupled four-bars (`gallery.n_four_bar`, two rows a loop), stars (one body that
carries all others) and square nets of bodies on ball joints. n are the coordinates of the tree, m the rows of the loops. In a
net each way to divide it cuts as many joints as its side has, so that no order of assembly is linear.
"""

import matplotlib.pyplot as plt
import numpy as np

import cotree as ct
from cotree.formulations.odca.division import division, work_of
from cotree.papers import Study
from cotree.papers.dca._shapes import chain, net, ring, star
from cotree.papers.scripts import main

SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)
WIDEST = 512  # bodies of the largest net
COLOURS = {"chain": "#0072B2", "ring": "#D55E00", "ladder": "#009E73", "star": "#CC79A7", "net": "#56B4E9"}
MARKS = {"chain": "o", "ring": "s", "ladder": "^", "star": "*", "net": "D"}


BUILD = {
    "chain": chain,
    "ring": ring,
    "ladder": lambda n: ct.gallery.n_four_bar(n // 2),
    "star": star,
    "net": lambda n: net(round(n**0.5)),
}
LINEAR = ("chain", "ring", "ladder", "star")


def count(mech):
    """(n + m, multiplications of all nodes, multiplications on the way that must be gone one after another, depth)."""
    system = mech.compile()
    d = division(system)
    work = work_of(d)
    way = np.zeros(len(work))
    for i, (left, right) in enumerate(zip(d.plan.left, d.plan.right, strict=True)):  # parts before wholes
        way[i] = work[i] + (max(way[left], way[right]) if left >= 0 else 0.0)
    return system.nv + system.n_constraints, work.sum(), way.max(), d.plan.depth


def run():
    """{kind: (sizes, 4)}."""
    found = {}
    for kind, make in BUILD.items():
        sizes = [n for n in SIZES if kind != "net" or n <= WIDEST]
        found[kind] = np.array([count(make(n)) for n in sizes])
    return found


def slope(x, y):
    """Exponent of y ~ x^p over the last two doublings."""
    return float(np.log(y[-1] / y[-3]) / np.log(x[-1] / x[-3]))


def picture(found):
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
    for kind, counted in found.items():
        size, work, way, depth = counted.T
        style = {"color": COLOURS[kind], "marker": MARKS[kind], "ms": 5, "lw": 1.2}
        axes[0].loglog(size, work, label=f"{kind}, all", **style)
        axes[0].loglog(size, way, ls="--", mfc="none", label=f"{kind}, longest way", **style)
        axes[1].semilogx(size, depth, label=kind, **style)
    x = np.array([10.0, 2000.0])
    axes[0].loglog(x, 1.2e3 * x, color="grey", lw=0.8, ls=":", label="proportional to n + m")
    axes[1].semilogx(x, 2 * np.log2(x) + 4, color="grey", lw=0.8, ls=":", label="2 log₂(n + m) + 4")
    axes[0].set(
        title="a) multiplications", xlabel="n + m", ylabel="multiplications for one acceleration", ylim=(3e2, 1e9)
    )
    axes[1].set(title="b) depth of the plan", xlabel="n + m", ylabel="steps that follow one another", ylim=(0, None))
    for ax in axes:
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8, ncols=2, loc="upper left")
    return figure


def study():
    out = Study(
        "dca/cost", "Cost by counting", f"{SIZES[0]} to {SIZES[-1]} bodies; exponents over the last two doublings"
    )
    found = run()
    power = {kind: slope(c[:, 0], c[:, 1]) for kind, c in found.items()}
    way = {kind: slope(c[:, 0], c[:, 2]) for kind, c in found.items()}
    steps = {kind: c[-1, 3] - c[-3, 3] for kind, c in found.items()}
    bound = all(np.all(c[:, 3] <= 2 * np.log2(c[:, 0]) + 4) for c in found.values())
    linear = [power[kind] for kind in LINEAR]
    words = ", ".join(f"{p:.3f} ({kind})" for kind, p in power.items())
    out.compare(
        "Abstract, Section 5", "computational complexity",
        paper="expected to be O(n + m) in serial and O(log(n + m)) in parallel implementation",
        ours=f"multiplications grow with the power {words} of n + m. Four times the bodies make plans deeper by "
        f"{', '.join(f'{x:.0f} ({kind})' for kind, x in steps.items())} steps, and the longest way grows with the power "
        f"{', '.join(f'{p:.2f} ({kind})' for kind, p in way.items())}: as logarithms do, but for the net",
        checks={
            "multiplications grow like n + m in all but the net, exponents from 0.95 to 1.05": min(linear) > 0.95
            and max(linear) < 1.05,
            "but not those of the net, whose exponent is from 1.3 to 1.8": 1.3 < power["net"] < 1.8,
            "plans are at most 2 log₂(n + m) + 4 deep": bound,
            "four times the bodies take two to six steps more": all(2 <= steps[kind] <= 6 for kind in LINEAR),
            "the longest way grows by a power below 0.5, in all but the net": max(way[kind] for kind in LINEAR) < 0.5,
        },
        figure=picture(found),
    )  # fmt: skip
    return out


if __name__ == "__main__":
    main(study)
