"""Four-bars whose coupler point goes through nine given points, from random starts by least squares with exact Jacobians.

The dimensions are coordinates here: a mechanism of slides and hinges has them as lengths, and a four-bar is a position of it in
which its loop is closed. Nine points give 36 equations, for nine dimensions and three angles at each point: as many as there
are unknowns. Whether a solution is a crank that turns fully through all points is told by a run. A page plays the result.

    python examples/coupler_curve.py [page.html] [picture.png]
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy.optimize import least_squares

import cotree as ct

DIMENSIONS, ANGLES = ("Ax", "Ay", "crank", "coupler", "u", "w", "Dx", "Dy", "rocker"), ("a", "b", "d")
X, Y, Z, O = *np.eye(3), np.zeros(3)


def adjustable() -> ct.System:
    """Slides for all lengths; body "w" carries the coupler point, "coupler" and "rocker" meet at joint C."""
    mech = ct.Mechanism("adjustable four-bar", gravity=(0, 0, 0))
    chains = ("ground", "Ax Ay a crank b coupler"), ("b", "u w"), ("ground", "Dx Dy d rocker")
    for before, names in chains:
        for name in names.split():
            mech.body(name, mass=1.0, com=O, inertia=(1, 1, 1))
            along = Y if name in ("Ay", "Dy", "w") else X
            mech.joint(name, before, name, ct.Revolute(O, Z) if name in ANGLES else ct.Prismatic(axis=along))
            before = name
    mech.joint("C", "coupler", "rocker", ct.Revolute(O, Z))
    return mech.compile(cut=["C"])


class Synthesis:
    """Residuals and their Jacobian for unknowns (dimensions, then three angles for each point)."""

    def __init__(self, points: np.ndarray) -> None:
        self.system, self.points = adjustable(), points
        self.lengths, self.angles = ([self.system.q_index(n) for n in some] for some in (DIMENSIONS, ANGLES))

    def positions(self, x: np.ndarray) -> np.ndarray:
        q = np.zeros((len(self.points), self.system.nq))
        q[:, self.lengths], q[:, self.angles] = x[:9], x[9:].reshape(-1, 3)
        return q

    def place(self, q: np.ndarray, body: str) -> np.ndarray:
        return ct.poses(self.system, q)[..., self.system.row_of(body), :3, 3]

    def residual(self, x: np.ndarray) -> np.ndarray:
        q = self.positions(x)
        gaps = np.array([ct.constraint_residual(self.system, y) for y in q])
        return np.hstack([gaps, self.place(q, "w")[:, :2] - self.points]).ravel()

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        out = np.zeros((len(self.points), 4, len(x)))
        for k, q in enumerate(self.positions(x)):
            S = ct.spatial_jacobian(self.system, q, "w")
            moves = (S[3:] + np.cross(S[:3].T, self.place(q, "w")).T)[:2]
            both = np.vstack([ct.constraint_jacobian(self.system, q), moves])
            out[k][:, :9], out[k][:, 9 + 3 * k : 12 + 3 * k] = both[:, self.lengths], both[:, self.angles]
        return out.reshape(-1, len(x))


def drawn(crank: float, coupler: float, rocker: float, point: complex, angles: np.ndarray) -> tuple[np.ndarray, ...]:
    """Coupler points as complex numbers, angles of coupler and rocker; pivots at 0 and 1; NaN where the loop does not close."""
    B = crank * np.exp(1j * angles)
    far = np.abs(1.0 - B)
    with np.errstate(invalid="ignore"):
        turned = np.angle(1.0 - B) + np.arccos((coupler**2 + far**2 - rocker**2) / (2.0 * coupler * far))
    e = np.exp(1j * turned)
    return B + point * e, turned, np.angle(B + coupler * e - 1.0)


def random_start(rng: np.random.Generator, points: np.ndarray, draws: int = 300) -> np.ndarray:
    """Of many random four-bars, moved, turned and scaled to the points, the nearest one."""
    z, best = points @ (1.0, 1.0j), (np.inf, np.zeros(0))
    steps = 2.0 * np.pi * np.arange(len(z)) / len(z)
    for _ in range(draws):
        (crank, coupler, rocker), point = rng.uniform((0.1, 0.4, 0.4), (0.7, 2.0, 2.0)), complex(*rng.normal(size=2))
        angles = rng.uniform(-np.pi, np.pi) + rng.choice([-1.0, 1.0]) * steps
        P, turned, d = drawn(crank, coupler, rocker, point, angles)
        if np.isnan(P).any():
            continue
        A = np.column_stack([P, np.ones(len(P))])
        (scale, shift), *_ = np.linalg.lstsq(A, z, rcond=None)
        off = float(np.abs(A @ (scale, shift) - z).max())
        if off < best[0]:
            r, turn, far = np.abs(scale), np.angle(scale), shift + scale
            bars = r * np.array([crank, coupler, point.real, point.imag, rocker])
            x = [shift.real, shift.imag, *bars[:4], far.real, far.imag, bars[4]]
            best = (off, np.concatenate([x, np.column_stack([angles + turn, turned - angles, d + turn]).ravel()]))
    return best[1]


def four_bar(task: Synthesis, x: np.ndarray) -> tuple[ct.Mechanism, np.ndarray]:
    """The mechanism drawn at its first point, driven at one turn a second, and the coupler point there."""
    A, B, C, D, P = (task.place(task.positions(x)[0], name) for name in ("Ay", "crank", "coupler", "Dy", "w"))
    mech = ct.Mechanism("four-bar through nine points", gravity=(0, 0, 0))
    for name, ends in (("crank", (A, B)), ("coupler", (B, C)), ("rocker", (D, C))):
        mech.body(name, mass=1.0, com=np.mean(ends, axis=0), inertia=(0.1, 0.1, 0.1), shape=ct.Rod(*ends))
    for name, a, b, at in (("A", "ground", "crank", A), ("B", "crank", "coupler", B), ("C", "coupler", "rocker", C)):
        mech.joint(name, a, b, ct.Revolute(at, Z))
    mech.joint("D", "ground", "rocker", ct.Revolute(D, Z))
    mech.drive("turning", "A", lambda t: 2.0 * np.pi * t)
    return mech, P


def synthesize(points: np.ndarray, seed: int = 0, most: int = 2000) -> tuple[np.ndarray, int, ct.Run, np.ndarray]:
    """(unknowns, number of starts, a turn of the four-bar, its coupler curve): it turns fully, through all points."""
    task, rng = Synthesis(points), np.random.default_rng(seed)
    for count in range(1, most + 1):
        found = least_squares(task.residual, random_start(rng, points), task.jacobian, method="lm", max_nfev=60)
        if found.cost < 1e-20:
            mech, P = four_bar(task, found.x)
            try:
                run = ct.simulate(mech, 1.0, output=401)
            except ct.errors.CotreeError:
                continue
            path = run.point("coupler", P).position[:, :2]
            near = np.linalg.norm(path[:, None] - points, axis=2).min(axis=0)
            if run.status == "done" and near.max() < 0.02 * np.ptp(points):
                return found.x, count, run, path
    raise SystemExit(f"no four-bar in {most} starts")


def main(page: str = "coupler_curve.html", picture: str | None = None) -> None:
    P = drawn(1.0 / 3.0, 1.0, 2.5 / 3.0, 0.5 + 0.4j, np.linspace(0.2, 2.0 * np.pi + 0.2, 9, endpoint=False))[0]
    points = 3.0 * np.column_stack([P.real, P.imag])  # on the curve of a four-bar that the search does not know
    begun = time.perf_counter()
    x, starts, run, path = synthesize(points)
    spent, off = time.perf_counter() - begun, np.abs(Synthesis(points).residual(x)).max()
    print(f"found after {starts} starts in {spent:.1f} s, off the points by {off:.1e} m at most")
    print(", ".join(f"{name} {value:.4f}" for name, value in zip(DIMENSIONS, x, strict=False)))
    run.html(page)
    print(f"{page} plays it")
    if picture is not None:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(6, 6))
        axes.plot(*path.T, label="coupler curve")
        axes.plot(*points.T, "o", label="given points")
        axes.set(aspect="equal", xlabel="x [m]", ylabel="y [m]")
        axes.legend()
        figure.savefig(picture, dpi=120)


if __name__ == "__main__":
    main(*sys.argv[1:])
