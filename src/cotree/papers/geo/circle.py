"""A point on a circle, [Geo] figure 3 and equations (67), (68): errors along the manifold made by the correction itself.

The paper's sketch: from ① a step leads to ③, off the circle, where the exact motion is at ②; correcting x¹ leads to ④,
correcting x² to ⑤, both on the circle. It has no numbers. Taken: a point of unit mass that runs round the unit circle at unit
speed, and a step of Euler's method by 0.2 s, from all places of a quarter of the circle; the sketch is the one at 5°.
"""

import matplotlib.pyplot as plt
import numpy as np

import cotree as ct
from cotree.papers import Study
from cotree.papers.scripts import main

STEP = 0.2
SKETCH = np.radians(5.0)
PLACES = np.radians(np.arange(1.0, 90.0, 4.0))
NAMES = {"x¹": ["place.vx"], "x²": ["place.vy"], "criterion": None}
STYLES = {"x¹": ("#0072B2", "-"), "x²": ("#D55E00", "-"), "criterion": ("#009E73", "--"), "shortest": ("black", ":")}


def build():
    """The point with its coordinates x¹ and x², and the circle as a constraint."""
    mech = ct.Mechanism("point on a circle", (0, 0, 0))
    point = mech.body("point", 1.0, (0, 0, 0), (1.0, 1.0, 1.0))
    mech.joint("place", mech.ground, point, ct.PlanarTranslation((0, 0, 1), x_axis=(1, 0, 0)))
    mech.constraint(
        "circle", lambda q, t: np.array([[q[0], q[1]]]), residual=lambda q, t: np.array([(q @ q - 1.0) / 2.0]),
        bias=lambda q, v, t: np.array([-v @ v]),
    )  # fmt: skip
    return mech.compile()


def at(angle):
    return np.array([np.cos(angle), np.sin(angle)])


def step(system, angle, correction):
    """(2,): where one step from an angle ends; NaN where the correction does not find the circle."""
    stabilize = ct.Projection() if correction == "shortest" else ct.Partition(position=NAMES[correction])
    found = ct.simulate(
        system, STEP, at(angle), at(angle + np.pi / 2), method="euler", step=STEP, output=2, stabilize=stabilize
    )
    return found.q[-1] if found.status == "done" else np.full(2, np.nan)


def run(system, angle):
    """{correction: end of the step}."""
    return {name: step(system, angle, name) for name in (*NAMES, "shortest")}


def arc(place, angle):
    """Error along the circle [rad] of a place after a step from an angle."""
    return np.abs(np.arctan2(place[1], place[0]) - (angle + STEP))


def by_hand(angle):
    """{correction: end}: the line through ③ along a coordinate or the radius, met with the circle."""
    x, y = at(angle) + STEP * at(angle + np.pi / 2)
    missed = np.full(2, np.nan)
    return {
        "x¹": np.array([np.sqrt(1 - y * y), y]) if y <= 1 else missed,
        "x²": np.array([x, np.sqrt(1 - x * x)]) if x <= 1 else missed,
        "shortest": np.array([x, y]) / np.hypot(x, y),
    }


def drawn(system, errors):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    round_ = np.linspace(0, np.pi / 2, 200)
    left.plot(*at(round_), color="0.6", lw=1.2)
    found = run(system, SKETCH)
    off = at(SKETCH) + STEP * at(SKETCH + np.pi / 2)
    left.plot(*np.transpose([at(SKETCH), off]), "-", color="0.4", lw=1.0)
    marks = {"1": at(SKETCH), "2": at(SKETCH + STEP), "3": off, "4": found["x¹"], "5": found["x²"]}
    for name, end in (("x¹", found["x¹"]), ("x²", found["x²"])):
        left.plot(*np.transpose([off, end]), color=STYLES[name][0], lw=1.6, label=f"correcting {name}")
    for (name, place), shift in zip(marks.items(), ((8, -12), (-14, -10), (8, 4), (-16, 4), (8, -4)), strict=True):
        left.plot(*place, "o", color="black", ms=4)
        left.annotate(name, place, shift, textcoords="offset points", fontsize=11)
    left.set(xlabel="x¹ [m]", ylabel="x² [m]", xlim=(0.84, 1.04), ylim=(0.06, 0.33), aspect="equal")
    left.legend(loc="lower left")
    for name, values in errors.items():
        right.semilogy(np.degrees(PLACES), values, STYLES[name][1], color=STYLES[name][0], lw=1.6, label=name)
    right.set(xlabel="place of ① on the circle [°]", ylabel="error along the circle [rad]")
    right.legend(title="correcting")
    for ax in (left, right):
        ax.grid(alpha=0.3)
    return figure


def sketch(out, system, found):
    errors = {name: np.array([arc(ends[name], a) for ends, a in zip(found, PLACES, strict=True)]) for name in STYLES}
    here = {name: float(arc(end, SKETCH)) for name, end in run(system, SKETCH).items()}
    hand = [by_hand(a) for a in PLACES]
    met = all(
        np.allclose(f[name], h[name], rtol=0, atol=1e-9, equal_nan=True)
        for f, h in zip(found, hand, strict=True) for name in h
    )  # fmt: skip
    lost = {name: int(np.isnan(values).sum()) for name, values in errors.items()}
    better = np.fmin(errors["x¹"], errors["x²"])
    out.compare(
        "Figure 3", "numerical correction of the constraint violation at position level",
        paper="adjusting x¹ yields ④; adjusting x² yields ⑤, also consistent but with considerable error along the manifold",
        ours=", ".join(f"{name}: {value:.1e} rad" for name, value in here.items())
        + f" at 5°; over the quarter circle the criterion is never more than {np.max(errors['criterion']):.2f} rad "
        f"off, while x¹ "
        f"alone does not find the circle from {lost['x¹']} of {len(PLACES)} places",
        checks={
            "⑤ is off five times as far as ④ or more": here["x²"] > 5 * here["x¹"],
            "all ends are where the lines meet the circle": met,
            "the criterion takes the better coordinate, or one worse by less than h³":
                np.all(errors["criterion"] < better + STEP**3),
            "the criterion always finds the circle": lost["criterion"] == 0,
            "x¹ alone does not, near the top": lost["x¹"] > 0,
        },
        figure=drawn(system, errors),
    )  # fmt: skip


def lengths(out, system, found):
    """The coordinate that the package corrected, against (67) at the place where it did."""
    chosen, wanted = [], []
    for ends, angle in zip(found, PLACES, strict=True):
        off = at(angle) + STEP * at(angle + np.pi / 2)
        M, J = ct.mass_matrix(system, off), ct.constraint_jacobian(system, off)
        in_constraint = (J @ np.linalg.solve(M, J.T))[0, 0] ** -1 * J[0] ** 2 / np.diag(M)  # (67)
        wanted.append(int(np.argmax(in_constraint)))
        chosen.append(int(np.argmax(np.abs(ends["criterion"] - off))))
    angles = PLACES + np.arctan(STEP)  # of ③
    turn = np.degrees(PLACES[chosen.index(1)])
    out.compare(
        "Equations (67), (68)", "relative lengths of the coordinate directions",
        paper="those coordinates with the biggest Δ_C should be chosen as dependent",
        ours=f"Δ_C is cos² and sin² of the angle of ③; the correction goes over from x¹ to x² between ① at "
        f"{turn - 4:.0f}° and {turn:.0f}°, "
        f"as ③ passes 45°",
        checks={
            "the coordinate corrected is the one of the biggest Δ_C: x¹ below and x² above 45°":
                chosen == wanted == [int(a > np.pi / 4) for a in angles],
        },
    )  # fmt: skip


def study():
    system = build()
    found = [run(system, angle) for angle in PLACES]
    out = Study(
        "geo/circle",
        "A point on a circle",
        f"one step of Euler's method, {STEP:g} s; partition or projection at position level",
    )
    sketch(out, system, found)
    lengths(out, system, found)
    return out


if __name__ == "__main__":
    main(study)
