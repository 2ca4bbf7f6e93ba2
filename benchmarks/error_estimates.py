"""The estimated error of a run beside its true one, on 35 motions of 30 mechanisms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import cotree as ct


@dataclass(frozen=True)
class Case:
    """A mechanism and how long it runs; start: options of `simulate`, beside those that the mechanism has of its own."""

    name: str
    build: Callable[[], ct.Mechanism]
    t_end: float
    start: dict[str, Any] = field(default_factory=dict)


def handle(*inertia: float) -> ct.Mechanism:
    """A free body without gravity."""
    mech = ct.Mechanism("handle", gravity=(0, 0, 0))
    mech.body("body", mass=1, com=(0, 0, 0), inertia=inertia)
    mech.joint("air", "ground", "body", ct.Free())
    return mech


def thrown_rod() -> ct.Mechanism:
    """A free body whose mass centre is off the joint's origin, in gravity."""
    mech = ct.Mechanism("thrown rod")
    mech.body("rod", mass=1, com=(0.2, 0.1, 0), inertia=(0.002, 0.03, 0.031))
    mech.joint("air", "ground", "rod", ct.Free())
    return mech


def gyroscope() -> ct.Mechanism:
    """A fast wheel on its tip."""
    mech = ct.Mechanism("gyroscope")
    wheel = mech.body("wheel", mass=0.5, com=(0.1, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    mech.joint("tip", mech.ground, wheel, ct.Spherical((0, 0, 0)))
    return mech


def double_pendulum() -> ct.Mechanism:
    """Two rods of 1 m in a plane, horizontal at the start: chaotic."""
    mech = ct.Mechanism("double pendulum")
    for name, parent, x in (("upper", "ground", 0.0), ("lower", "upper", 1.0)):
        mech.body(name, shape=ct.Rod((x, 0, 0), (x + 1, 0, 0), 0.02), mass=1)
        mech.joint(f"pin of {name}", parent, name, ct.Revolute((x, 0, 0), (0, 1, 0)))
    return mech


def random_body(mech: ct.Mechanism, rng: np.random.Generator, name: str, com: np.ndarray) -> str:
    a = rng.uniform(0.05, 0.15, 3)
    mech.body(name, mass=rng.uniform(0.5, 2.0), com=com, inertia=(a[1] + a[2], a[2] + a[0], a[0] + a[1]))
    return name


JOINTS: tuple[Callable[[np.ndarray, np.ndarray], Any], ...] = (
    lambda p, a: ct.Revolute(p, a),
    lambda p, a: ct.Revolute(p, a),
    lambda p, a: ct.Spherical(p),
    lambda p, a: ct.Universal(p, a, np.cross(a, (0.3, 0.5, 0.8))),
    lambda p, a: ct.Cylindrical(p, a),
)


def random_tree(seed: int, bodies: int = 4) -> ct.Mechanism:
    """Bodies on random joints, with a spring and a damper."""
    rng = np.random.default_rng(seed)
    mech, names = ct.Mechanism(f"random tree {seed}"), ["ground"]
    for k in range(bodies):
        point, axis = rng.uniform(-1, 1, 3), rng.standard_normal(3)
        parent = names[rng.integers(len(names))]
        name = random_body(mech, rng, f"body {k}", point + rng.uniform(-0.5, 0.5, 3))
        joint = JOINTS[rng.integers(len(JOINTS))](point, axis / np.linalg.norm(axis))
        mech.joint(f"joint {k}", parent, name, joint)
        names.append(name)
    mech.spring("spring", "ground", (0, 0, 1), names[-1], rng.uniform(-1, 1, 3), stiffness=20.0, damping=0.2)
    return mech


def random_loop(seed: int) -> ct.Mechanism:
    """A closed chain of random links in space, with spherical and universal joints where it needs freedom."""
    rng = np.random.default_rng(seed)
    points = np.array([(0, 0, 0), (0.3, 0, 0.4), (1.2, 0.4, 0.8), (1.5, 0.3, 0)]) + rng.uniform(-0.1, 0.1, (4, 3))
    mech = ct.Mechanism(f"random loop {seed}")
    for k, name in enumerate(("crank", "coupler", "rocker")):
        random_body(mech, rng, name, points[k : k + 2].mean(axis=0))
    axes = rng.standard_normal((2, 3)) + 3 * np.eye(3)[1]
    mech.joint("A", "ground", "crank", ct.Revolute(points[0], axes[0]))
    mech.joint("B", "crank", "coupler", ct.Spherical(points[1]))
    mech.joint("C", "coupler", "rocker", ct.Spherical(points[2]))
    mech.joint("D", "ground", "rocker", ct.Revolute(points[3], axes[1]))
    return mech


SPIN = {"v": {"air.wx": 0.01, "air.wy": 10.0}}
G = ct.gallery
CASES = (
    Case("T-handle, 5 s", lambda: handle(0.02, 0.03, 0.04), 5.0, SPIN),
    Case("T-handle, 20 s", lambda: handle(0.02, 0.03, 0.04), 20.0, SPIN),
    Case("T-handle, 40 s", lambda: handle(0.02, 0.03, 0.04), 40.0, SPIN),
    Case("racket", lambda: handle(0.01, 0.03, 0.035), 20.0, SPIN),
    Case("thrown rod", thrown_rod, 2.0, {"v": {"air.wx": 3.0, "air.wy": 8.0, "air.wz": 1.0, "air.vz": 5.0}}),
    Case("gyroscope", gyroscope, 2.0, {"v": {"tip.wx": 300.0}}),
    Case("heavy top", G.heavy_top, 1.0),
    Case("spinning top", G.spinning_top, 3.0),
    Case("satellite", G.satellite, 5.0),
    Case("floating bodies", G.floating_bodies, 3.0),
    Case("bicycle", G.bicycle, 3.0),
    Case("rolling disk", G.rolling_disk, 3.0),
    Case("Chaplygin sleigh", G.chaplygin_sleigh, 3.0),
    Case("snakeboard", G.snakeboard, 3.0),
    Case("double pendulum, 3 s", double_pendulum, 3.0),
    Case("double pendulum, 10 s", double_pendulum, 10.0),
    Case("chain of 3", lambda: G.pendulum_chain(3), 3.0),
    Case("spherical double pendulum", G.spherical_double_pendulum, 3.0),
    Case("planar 3R", G.planar_3r, 3.0),
    Case("RX130", G.rx130, 1.0),
    Case("random tree 1", lambda: random_tree(1), 2.0),
    Case("random tree 2", lambda: random_tree(2), 2.0),
    Case("random tree 3", lambda: random_tree(3, 6), 2.0),
    Case("random loop 1", lambda: random_loop(1), 3.0),
    Case("random loop 2", lambda: random_loop(2), 3.0),
    Case("four-bar", G.four_bar, 5.0),
    Case("slider-crank", G.slider_crank, 5.0),
    Case("five-bar", G.five_bar, 3.0),
    Case("spherical four-bar", G.spherical_four_bar, 3.0),
    Case("seven-bar", G.seven_bar, 0.05),
    Case("Stewart platform", G.stewart, 0.5),
    Case("delta robot", G.delta, 0.5),
    Case("Bricard", G.bricard, 3.0),
    Case("Bennett", G.bennett, 3.0),
    Case("3-PRRR", G.three_prrr, 1.0),
)


FLOOR = 1e-11  # m and rad: errors below it are those of the reference


def true_errors(run: ct.Run, reference: ct.Run) -> tuple[float, float]:
    """Largest distance of the mass centres [m], and of the orientations [rad], over time."""
    bodies = run.system.mechanism.bodies
    centres = np.array([(*bodies[name].properties.com, 1.0) for name in run.system.body_names])
    apart = run.poses()[:, 1:] - reference.poses()[:, 1:]
    place = np.linalg.norm(np.einsum("knij,nj->kni", apart[..., :3, :], centres), axis=-1).max()
    chord = np.linalg.norm(apart[..., :3, :3], axis=(-2, -1)).max() / np.sqrt(8.0)
    return float(place), float(2.0 * np.arcsin(min(chord, 1.0)))


def start_of(case: Case, mech: ct.Mechanism) -> dict[str, Any]:
    """Options of the case, and the start that the mechanism has of its own."""
    own = {"q": getattr(mech, "q_start", None), "v": getattr(mech, "v_start", None)}
    return {k: x for k, x in own.items() if x is not None} | case.start


def compare(case: Case) -> tuple[ct.Run, tuple[float, float], tuple[float, float]]:
    """A run with the default tolerances, its printed errors and its true ones (m, rad), by a method of order eight at 1e-12."""
    mech = case.build()
    start = start_of(case, mech)
    run = ct.simulate(mech, case.t_end, **start)
    reference = ct.simulate(mech, case.t_end, method="dop853", rtol=1e-12, atol=1e-12, **start)
    return run, (run.accuracy.position, run.accuracy.angle), true_errors(run, reference)


def optimism(printed: tuple[float, float], true: tuple[float, float]) -> float:
    """How many times too small the printed errors are, the worse of the two; errors below the floor are not compared."""
    return max((b / max(a, FLOOR) for a, b in zip(printed, true, strict=True) if b > FLOOR), default=0.0)


def main() -> None:
    print("| mechanism | seconds | printed m | true m | printed rad | true rad | true / printed |")
    print("|---|---|---|---|---|---|---|")
    worst = 0.0
    for case in CASES:
        _, printed, true = compare(case)
        worst = max(worst, optimism(printed, true))
        print(
            f"| {case.name} | {case.t_end:g} | {printed[0]:.1e} | {true[0]:.1e} | {printed[1]:.1e} | {true[1]:.1e} "
            f"| {optimism(printed, true):.2f} |",
            flush=True,
        )
    print(f"\nprinted errors are at most {worst:.2f} times too small")
