"""From a state of one description of a mechanism to the same physical state of another."""

from __future__ import annotations

import numpy as np

import cotree as ct
from cotree.lie import inverse, log_se3


def displacements(system: ct.System, q: np.ndarray) -> dict[str, np.ndarray]:
    """Displacement of each body from the reference assembly, whatever frame it is described in."""
    now, then = ct.poses(system, q), ct.poses(system, system.q0)
    return {name: now[k] @ inverse(then[k]) for k, name in enumerate(system.body_names, 1)}


def same_configuration(system: ct.System, target: dict[str, np.ndarray], q: np.ndarray | None = None) -> np.ndarray:
    """q at which the bodies are displaced like this: Newton's method on the group, from the reference or from q."""
    then = dict(zip(("ground", *system.body_names), ct.poses(system, system.q0), strict=True))
    q = system.q0 if q is None else q
    for _ in range(60):
        now = ct.poses(system, q)
        gaps = [log_se3(inverse(now[k]) @ target[n] @ then[n]) for k, n in enumerate(system.body_names, 1)]
        if np.abs(gaps).max() < 1e-14:
            break
        J = np.vstack([ct.body_jacobian(system, q, n) for n in system.body_names])
        step = np.linalg.lstsq(J, np.concatenate(gaps), rcond=None)[0]
        q = ct.displace(system, q, step * min(1.0, 0.7 / np.abs(step).max()))
    assert np.abs(gaps).max() < 1e-12, "the other description cannot take this configuration"
    return q


def spatial_twists(system: ct.System, q: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
    return dict(zip(("ground", *system.body_names), ct.twists(system, q, v, "spatial"), strict=True))


def same_velocity(system: ct.System, q: np.ndarray, target: dict[str, np.ndarray]) -> np.ndarray:
    """v at which the bodies have these spatial twists."""
    J = np.vstack([ct.spatial_jacobian(system, q, n) for n in system.body_names])
    V = np.concatenate([target[n] for n in system.body_names])
    v = np.linalg.lstsq(J, V, rcond=None)[0]
    assert np.abs(J @ v - V).max() < 1e-10 * max(1.0, np.abs(V).max()), "the other description cannot move like this"
    return v


def same_state(system: ct.System, other: ct.System, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """State of `system` that is physically the state (q, v) of `other`."""
    x = same_configuration(system, displacements(other, q))
    return x, same_velocity(system, x, spatial_twists(other, q, v))


def free_accelerations(system: ct.System, q: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
    """Spatial acceleration of each body, moving under gravity and the mechanism's own forces."""
    a = ct.accelerations(system, q, v, ct.forward_dynamics(system, q, v).v_dot, "spatial")
    return dict(zip(("ground", *system.body_names), a, strict=True))


def worst_difference(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> float:
    """Largest difference over the bodies, relative to the largest entry."""
    assert a.keys() == b.keys()
    scale = max(1.0, max(np.abs(x).max() for x in b.values()))
    return max(float(np.abs(a[n] - b[n]).max()) for n in a) / scale
