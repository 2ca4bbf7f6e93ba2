"""The rows of a run that an animation plays: their times and the body poses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cotree.kinematics.poses import poses, twists
from cotree.lie import quaternion_of
from cotree.system.system import System
from cotree.view.scene.reference import mass_centres, reference_poses

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
MOST_NUMBERS = 500_000  # in all frames together: 2.7 MB in the page
TURN = 3.0  # radians between frames above which the animation may differ from the motion


@dataclass(frozen=True)
class Frames:
    """rows of the run (k,), empty if it has none and the reference assembly is shown; t (k,). Of the bodies without ground:
    quaternions (k, n, 4), scalar first, mass centres (k, n, 3) about `origin`, angular velocities (k, n, 3) in body axes and
    velocities of the mass centres (k, n, 3) in world axes."""

    rows: Rows
    t: Array
    quaternions: Array
    centres: Array
    spins: Array
    speeds: Array
    origin: Array


def frames(run: Run, most_numbers: int = MOST_NUMBERS) -> Frames:
    """Frames of a run; thinned if there are more than a page should carry."""
    rows = chosen_rows(run, most_numbers)
    if not len(rows):
        return still(run.system, run.system.q0)
    states = list(zip(run.q[rows], run.v[rows], strict=True))
    C = np.array([poses(run.system, q)[1:] for q, _ in states])
    V = np.array([twists(run.system, q, v)[1:] for q, v in states])
    return _frames(run.system, rows, run.t[rows], C, V)


def still(system: System, q: Array) -> Frames:
    """A single frame: a configuration at rest."""
    C = reference_poses(system) if q is system.q0 else poses(system, q)
    return _frames(system, np.zeros(0, dtype=np.int64), np.zeros(1), C[None, 1:], np.zeros((1, system.n_bodies, 6)))


def periodic(system: System, q: Array, period: float) -> Frames:
    """One period of a motion through configurations q (k, nq) at equal times; velocities by trigonometric interpolation."""
    C = poses(system, q)[:, 1:]
    found = _frames(system, np.zeros(0, dtype=np.int64), np.zeros(len(q)), C, np.zeros((*C.shape[:2], 6)))
    e = found.quaternions * np.where(
        (found.quaternions * found.quaternions[:1]).sum(-1, keepdims=True) < 0.0, -1.0, 1.0
    )
    w, x, de = e[..., :1], e[..., 1:], _slopes(e, period)
    spins = 2.0 * (w * de[..., 1:] - de[..., :1] * x - np.cross(x, de[..., 1:]))
    t = period * np.arange(len(q) + 1) / len(q)
    parts = (e, found.centres, spins, _slopes(found.centres, period))
    e, centres, spins, speeds = (np.concatenate([y, y[:1]]) for y in parts)
    return Frames(found.rows, t, e, centres, spins, speeds, found.origin)


def _slopes(y: Array, period: float) -> Array:
    """Rates of periodic samples (k, ...) of one period."""
    waves = np.fft.fftfreq(len(y), period / len(y)) * 2j * np.pi
    waves[np.abs(waves) * period >= np.pi * len(y)] = 0.0  # the fastest wave has no direction
    return np.fft.ifft(np.fft.fft(y, axis=0) * waves.reshape(-1, *[1] * (y.ndim - 1)), axis=0).real


def about(found: Frames, origin: Array) -> Frames:
    """The same motion with another origin."""
    return replace(found, centres=found.centres + (found.origin - origin), origin=origin)


def _frames(system: System, rows: Rows, t: Array, C: Array, V: Array) -> Frames:
    """Of poses (k, n, 4, 4) and twists (k, n, 6) in body axes."""
    R, local = C[..., :3, :3], mass_centres(system, np.zeros(3))[1:]
    centres = np.einsum("knij,nj->kni", R, local) + C[..., :3, 3]
    spins, speeds = V[..., :3], np.einsum("knij,knj->kni", R, V[..., 3:] + np.cross(V[..., :3], local))
    origin = (centres.min(axis=(0, 1)) + centres.max(axis=(0, 1))) / 2
    return Frames(rows, t, quaternion_of(R), centres - origin, spins, speeds, origin)


def chosen_rows(run: Run, most_numbers: int = MOST_NUMBERS) -> Rows:
    """All rows, or evenly spaced ones together with those next to events, always including the first and the last."""
    k, most = len(run.t), max(2, most_numbers // (13 * run.system.n_bodies + run.system.nq + 10))
    if k <= most:
        return np.arange(k)
    times = [e.t for e in run.events][: most // 4]
    near = np.concatenate([np.searchsorted(run.t, times, "left"), np.searchsorted(run.t, times, "right") - 1])
    even = np.round(np.linspace(0, k - 1, most)).astype(np.int64)
    return np.unique(np.concatenate([even, np.clip(near, 0, k - 1).astype(np.int64)]))


def greatest_turn(found: Frames) -> float:
    """Largest angle [rad] by which a body turns between frames, estimated from angular velocities."""
    rate = np.linalg.norm(found.spins, axis=2).max(axis=1)
    return float((np.diff(found.t) * np.maximum(rate[:-1], rate[1:])).max(initial=0.0))


def notes(run: Run, found: Frames) -> list[str]:
    """Notes for the reader about the frames."""
    if not len(run.t):
        return ["The run has no output rows; the picture shows the reference assembly."]
    out = []
    if len(found.rows) < len(run.t):
        out.append(
            f"{len(found.rows)} of the run's {len(run.t)} rows are on this page; the certificate covers all of them."
        )
    if (turn := greatest_turn(found)) > TURN:
        out.append(
            f"A body turns by up to {turn:.1f} rad from one frame to the next: between them the picture may differ from the "
            "motion. Simulate with a larger output= to see more of it."
        )
    return out
