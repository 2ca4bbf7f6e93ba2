"""Four-bars whose coupler point goes through nine given points, from random starts by least squares with exact Jacobians.

The dimensions are coordinates here: a mechanism of slides and hinges has them as lengths, and a four-bar is a position of it in
which the end of the coupler meets that of the rocker. Nine points give 36 equations, for nine dimensions and three angles at
each point: as many as there are unknowns. A page plays the four-bar that was found.

    python examples/coupler_curve.py [page.html] [picture.png]
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy.optimize import least_squares

import cotree as ct

DIMENSIONS = ("Ax", "Ay", "crank", "coupler", "u", "w", "Dx", "Dy", "rocker")
ANGLES = ("a", "b", "d")
X, Y, Z = np.eye(3)


def adjustable() -> ct.System:
    """Slides for all lengths; body P carries the coupler point, C and E are the ends that meet."""
    mech = ct.Mechanism("adjustable four-bar", gravity=(0, 0, 0))

    def chain(before: str, *joints: tuple[str, ct.model.Joint]) -> str:
        for name, joint in joints:
            mech.body(f"of {name}", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1))
            mech.joint(name, before, f"of {name}", joint)
            before = f"of {name}"
        return before

    def slide(axis: np.ndarray) -> ct.Prismatic:
        return ct.Prismatic(axis=axis)

    pivot = chain("ground", ("Ax", slide(X)), ("Ay", slide(Y)), ("a", ct.Revolute((0, 0, 0), Z)), ("crank", slide(X)))
    plate = chain(pivot, ("b", ct.Revolute((0, 0, 0), Z)))
    chain(plate, ("coupler", slide(X)))
    chain(plate, ("u", slide(X)), ("w", slide(Y)))
    chain("ground", ("Dx", slide(X)), ("Dy", slide(Y)), ("d", ct.Revolute((0, 0, 0), Z)), ("rocker", slide(X)))
    return mech.compile()


class Synthesis:
    """Residuals and their Jacobian for unknowns (dimensions, then three angles for each point)."""

    def __init__(self, points: np.ndarray) -> None:
        self.system, self.points = adjustable(), points
        self.lengths = [self.system.q_index(n) for n in DIMENSIONS]
        self.angles = [self.system.q_index(n) for n in ANGLES]
        self.rows = [self.system.row_of(f"of {n}") for n in ("coupler", "rocker", "w")]

    def positions(self, x: np.ndarray) -> np.ndarray:
        """(points, nq)."""
        q = np.zeros((len(self.points), self.system.nq))
        q[:, self.lengths] = x[: len(DIMENSIONS)]
        q[:, self.angles] = x[len(DIMENSIONS) :].reshape(-1, len(ANGLES))
        return q

    def residual(self, x: np.ndarray) -> np.ndarray:
        at = ct.poses(self.system, self.positions(x))[:, self.rows][:, :, :2, 3]
        return np.concatenate([at[:, 0] - at[:, 1], at[:, 2] - self.points], axis=1).ravel()

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        q, n = self.positions(x), len(DIMENSIONS)
        at = ct.poses(self.system, q)[:, self.rows][:, :, :3, 3]
        out = np.zeros((len(q), 4, len(x)))
        for k, (here, places) in enumerate(zip(q, at, strict=True)):
            J = [ct.spatial_jacobian(self.system, here, row) for row in self.rows]
            moves = [S[3:5] + np.cross(S[:3].T, p).T[:2] for S, p in zip(J, places, strict=True)]
            both = np.vstack([moves[0] - moves[1], moves[2]])
            out[k][:, :n] = both[:, self.lengths]
            out[k][:, n + 3 * k : n + 3 * k + 3] = both[:, self.angles]
        return out.reshape(-1, len(x))


def drawn(crank: float, coupler: float, rocker: float, point: complex, angles: np.ndarray) -> tuple[np.ndarray, ...]:
    """Coupler points as complex numbers, angles of coupler and rocker; pivots at 0 and 1."""
    B = crank * np.exp(1j * angles)
    far = np.abs(1.0 - B)
    turned = np.angle(1.0 - B) + np.arccos((coupler**2 + far**2 - rocker**2) / (2.0 * coupler * far))
    e = np.exp(1j * turned)
    return B + point * e, turned, np.angle(B + coupler * e - 1.0)


def random_start(rng: np.random.Generator, points: np.ndarray, draws: int = 300) -> np.ndarray:
    """Of many random crank-rockers, moved, turned and scaled to the points, the nearest one."""
    z, best = points @ (1.0, 1.0j), (np.inf, np.zeros(0))
    steps = 2.0 * np.pi * np.arange(len(z)) / len(z)
    for _ in range(draws):
        crank, coupler, rocker = rng.uniform((0.1, 0.4, 0.4), (0.7, 2.0, 2.0))
        point = complex(*(rng.normal(size=2)))
        sizes = sorted([crank, coupler, rocker, 1.0])
        if crank > sizes[0] or sizes[0] + sizes[3] >= sizes[1] + sizes[2]:
            continue
        angles = rng.uniform(-np.pi, np.pi) + rng.choice([-1.0, 1.0]) * steps
        P, turned, d = drawn(crank, coupler, rocker, point, angles)
        A = np.column_stack([P, np.ones(len(P))])
        (scale, shift), *_ = np.linalg.lstsq(A, z, rcond=None)
        off = float(np.abs(A @ (scale, shift) - z).max())
        if off < best[0]:
            r, turn = np.abs(scale), np.angle(scale)
            far = shift + scale
            x = [
                shift.real,
                shift.imag,
                r * crank,
                r * coupler,
                r * point.real,
                r * point.imag,
                far.real,
                far.imag,
                r * rocker,
            ]
            best = (off, np.concatenate([x, np.column_stack([angles + turn, turned - angles, d + turn]).ravel()]))
    return best[1]


def usable(task: Synthesis, x: np.ndarray) -> bool:
    """Whether the crank turns fully and all points lie on one branch: the coupler is always on the same side of the rocker."""
    crank, coupler, rocker = np.abs(x[[2, 3, 8]])
    ground = np.hypot(x[6] - x[0], x[7] - x[1])
    sizes = sorted([crank, coupler, rocker, ground])
    q = task.positions(x)
    a, d = (q[:, task.system.q_index(n)] for n in "ad")
    coupler_angle = a + q[:, task.system.q_index("b")]
    side = np.sign(np.sin(coupler_angle - d) * x[3] * x[8])
    grashof = sizes[0] + sizes[3] < sizes[1] + sizes[2] and min(crank, ground) <= sizes[0]
    return bool(grashof and abs(side.sum()) == len(side))


def synthesize(points: np.ndarray, seed: int = 0, most: int = 2000) -> tuple[np.ndarray, int]:
    """(unknowns of a four-bar through all points, number of starts)."""
    task, rng = Synthesis(points), np.random.default_rng(seed)
    for count in range(1, most + 1):
        found = least_squares(task.residual, random_start(rng, points), task.jacobian, method="lm", max_nfev=60)
        if found.cost < 1e-20 and usable(task, found.x):
            return found.x, count
    raise SystemExit(f"no four-bar in {most} starts")


def four_bar(x: np.ndarray) -> tuple[ct.Mechanism, np.ndarray]:
    """The mechanism drawn at its first point, and the coupler point there."""
    task = Synthesis(np.zeros(((len(x) - len(DIMENSIONS)) // 3, 2)))
    poses = ct.poses(task.system, task.positions(x)[0])
    A, B, C, D = (poses[task.system.row_of(f"of {n}")][:3, 3] for n in ("Ay", "crank", "coupler", "Dy"))
    P = poses[task.system.row_of("of w")][:3, 3]
    mech = ct.Mechanism("four-bar through nine points", gravity=(0, 0, 0))
    for name, ends in (("crank", (A, B)), ("coupler", (B, C, P)), ("rocker", (D, C))):
        mech.body(name, mass=1.0, com=np.mean(ends, axis=0), inertia=(0.1, 0.1, 0.1), shape=ct.Rod(ends[0], ends[1]))
    for name, a, b, at in (("A", "ground", "crank", A), ("B", "crank", "coupler", B), ("C", "coupler", "rocker", C)):
        mech.joint(name, a, b, ct.Revolute(at, Z))
    mech.joint("D", "ground", "rocker", ct.Revolute(D, Z))
    return mech, P


def given_points() -> np.ndarray:
    """Nine points on the curve of a four-bar that the search does not know."""
    P = drawn(1.0 / 3.0, 1.0, 2.5 / 3.0, 0.5 + 0.4j, np.linspace(0.2, 2.0 * np.pi + 0.2, 9, endpoint=False))[0]
    return 3.0 * np.column_stack([P.real, P.imag])


def main(page: str = "coupler_curve.html", picture: str | None = None) -> None:
    points = given_points()
    Synthesis(points).residual(random_start(np.random.default_rng(0), points))  # compiled before the clock starts
    begun = time.perf_counter()
    x, starts = synthesize(points)
    spent = time.perf_counter() - begun
    off = np.abs(Synthesis(points).residual(x)).max()
    print(f"found after {starts} starts in {spent:.1f} s, off the points by {off:.1e} m at most")
    print(", ".join(f"{name} {value:.4f}" for name, value in zip(DIMENSIONS, x, strict=False)))
    mech, P = four_bar(x)
    mech.drive("turning", "A", lambda t: 2.0 * np.pi * t)
    run = ct.simulate(mech, 1.0, output=401)
    run.html(page)
    print(f"{page} plays it")
    if picture is not None:
        draw(run, P, points, picture)


def draw(run: ct.Run, P: np.ndarray, points: np.ndarray, picture: str) -> None:
    """The coupler curve with the points, and the four-bar at the first of them."""
    import matplotlib.pyplot as plt

    path = run.point("coupler", P).position
    figure, axes = plt.subplots(figsize=(6, 6))
    axes.plot(path[:, 0], path[:, 1], label="coupler curve")
    axes.plot(*points.T, "o", label="given points")
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.legend()
    figure.savefig(picture, dpi=120)


if __name__ == "__main__":
    main(*sys.argv[1:])
