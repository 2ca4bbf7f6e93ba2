"""The cases that all programs simulate, each told once as a Cotree mechanism with its starting velocities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import cotree as ct

Array = NDArray[np.float64]
T_END = 10.0
TIMES = np.linspace(0.0, T_END, 101)


@dataclass(frozen=True)
class States:
    """Bodies in the mechanism's order at k times: rotation from the reference assembly, mass centre, their rates; world."""

    R: Array  # (k, n, 3, 3)
    c: Array  # (k, n, 3)
    w: Array  # (k, n, 3)
    u: Array  # (k, n, 3)

    def points(self, mech: ct.Mechanism, pairs: Any) -> Array:
        """(k, p, 3): world positions of points of bodies, told as (body, point in the reference assembly)."""
        names, out = list(mech.bodies), []
        for body, point in pairs:
            if body == "ground":
                out.append(np.broadcast_to(np.asarray(point, dtype=float), (len(self.c), 3)))
                continue
            i = names.index(body)
            out.append(
                self.c[:, i] + self.R[:, i] @ (np.asarray(point, dtype=float) - mech.bodies[body].properties.com)
            )
        return np.stack(out, axis=1)

    def watched(self, mech: ct.Mechanism, marks: Any = ()) -> Array:
        """Joint points on their child bodies, mass centres, and the case's own marks."""
        joints = [(j.child, j.joint.point) for j in mech.joints.values()]
        return self.points(mech, [*joints, *((b.name, b.properties.com) for b in mech.bodies.values()), *marks])

    def gap(self, mech: ct.Mechanism) -> float:
        """Largest distance between a joint's points on its two bodies."""
        joints = list(mech.joints.values())
        near = self.points(mech, [(j.parent, j.joint.point) for j in joints])
        far = self.points(mech, [(j.child, j.joint.point) for j in joints])
        return float(np.linalg.norm(far - near, axis=2).max())

    def energy(self, mech: ct.Mechanism) -> Array:
        """(k,) kinetic and potential energy in joules, the same sum for every program."""
        total = np.zeros(len(self.c))
        for i, body in enumerate(mech.bodies.values()):
            m, I = body.properties.mass, body.properties.inertia
            w = np.einsum("kji,kj->ki", self.R[:, i], self.w[:, i])
            total += 0.5 * m * np.sum(self.u[:, i] ** 2, axis=1) + 0.5 * np.einsum("ki,ij,kj->k", w, I, w)
            total -= m * self.c[:, i] @ mech.gravity
        return total


@dataclass(frozen=True)
class Case:
    """Mechanism, starting velocities by coordinate name (None: at rest), further points that are watched, (body, point)."""

    name: str
    make: Callable[[], ct.Mechanism]
    start: Callable[[str], float] | None = None
    marks: tuple[tuple[str, tuple[float, float, float]], ...] = ()
    exact: Callable[[], States] | None = None

    def system(self) -> ct.System:
        return self.make().compile()

    def velocities(self, system: ct.System) -> Array | None:
        return None if self.start is None else np.array([self.start(name) for name in system.coordinate_names])


def heavy_top() -> ct.Mechanism:
    """Box of [Lie 5.1] on a spherical joint, without gravity."""
    mech = ct.Mechanism("heavy top", gravity=(0, 0, 0))
    top = mech.body("top", 21.6, (0.5, 0, 0), (0.36, 0.306, 0.09))
    mech.joint("pivot", mech.ground, top, ct.Spherical((0, 0, 0)))
    return mech


def _ladder(n: int) -> Case:
    """Crank tips at 1 m/s from upright; singular at each half turn, where all bars lie on one line."""
    rates = {"A": 1.0, "B": -1.0, "C": 1.0}
    return Case(
        f"{n} four-bars", lambda: ct.gallery.n_four_bar(n), lambda name: rates[name[0]], exact=lambda: ladder_motion(n)
    )


def ladder_motion(n: int) -> States:
    """All cranks turn alike: ((n + 1)/3 + n) angle'' = -9.81 ((n + 1)/2 + n) cos(angle), couplers stay parallel."""
    inertia, weight = (n + 1) / 3 + n, 9.81 * ((n + 1) / 2 + n)
    solution = solve_ivp(
        lambda t, y: [y[1], -weight * np.cos(y[0]) / inertia], (0.0, T_END), [np.pi / 2, 1.0], t_eval=TIMES, rtol=1e-13,
        atol=1e-13, method="DOP853",
    )  # fmt: skip
    angle, rate = solution.y
    zero, one = np.zeros_like(angle), np.ones_like(angle)
    tip = np.stack([np.cos(angle), np.sin(angle), zero], axis=1)
    tip_rate = rate[:, None] * np.stack([-np.sin(angle), np.cos(angle), zero], axis=1)
    cos, sin = np.cos(angle - np.pi / 2), np.sin(angle - np.pi / 2)
    turned = np.stack([cos, -sin, zero, sin, cos, zero, zero, zero, one], axis=1).reshape(-1, 3, 3)
    still, w, x = (
        np.broadcast_to(np.eye(3), turned.shape),
        np.stack([zero, zero, rate], axis=1),
        np.array([1.0, 0.0, 0.0]),
    )
    cranks = [(turned, k * x + tip / 2, w, tip_rate / 2) for k in range(n + 1)]
    couplers = [(still, (k + 0.5) * x + tip, 0.0 * w, tip_rate) for k in range(n)]
    return States(*(np.stack(parts, axis=1) for parts in zip(*cranks, *couplers, strict=True)))


CASES = (
    Case("four-bar", ct.gallery.four_bar),
    _ladder(2),
    _ladder(10),
    _ladder(40),
    Case("Bricard 6R", ct.gallery.bricard),
    Case(
        "heavy top", heavy_top, lambda name: {"x": 0.0, "y": 20 * np.pi, "z": 10 * np.pi}[name[-1]],
        (("top", (0.55, 0.1, 0.2)),),
    ),
)  # fmt: skip


def cotree_states(system: ct.System, run: Any) -> States:
    """States of a Cotree run."""
    order = [system.body_names.index(name) + 1 for name in system.mechanism.bodies]
    com = np.array([b.properties.com for b in system.mechanism.bodies.values()])
    C = run.poses()[:, order]
    V = np.array([ct.twists(system, q, v, "spatial") for q, v in zip(run.q, run.v, strict=True)])[:, order]
    R, w = C[..., :3, :3], V[..., :3]
    c = np.einsum("knij,nj->kni", R, com) + C[..., :3, 3]
    return States(R, c, w, V[..., 3:] + np.cross(w, c))
