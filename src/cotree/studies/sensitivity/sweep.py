"""Through all stretches and switches of a run: forward with departures as columns, backward with what results ask for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.studies.sensitivity.linear import Correction, Linear
from cotree.studies.sensitivity.switches import Jump

Array = NDArray[np.float64]


class Path(NamedTuple):
    """Stretches, and the jumps between them (one fewer)."""

    stretches: list[Linear]
    jumps: list[Jump]


def forward(path: Path, Y: Array, wanted: Array, P: int) -> Array:
    """(times, 2 nv, columns): departures at the times wanted; the first P columns are those of parameters."""
    n, found = len(Y) // 2, dict[float, Array]()
    Y = Y.copy()
    for i, part in enumerate(path.stretches):
        c = _residual(part, Y, n, P)
        for k, t in enumerate(part.t):
            if k:
                Y = part.Phi[k - 1] @ Y
                Y[:, :P] += part.Gamma[k - 1]
            if k in part.corrections:
                Y = _corrected(part.corrections[k], Y, c, n, P)
            if t in wanted:
                found[float(t)] = Y
        if i < len(path.jumps):
            Y = path.jumps[i].Phi @ Y
            Y[:, :P] += path.jumps[i].Gamma
    return np.array([found[t] for t in wanted.tolist()])


def _residual(part: Linear, Y: Array, n: int, P: int) -> Array:
    """What is held where it was: J x + dg/dp at the beginning of a stretch."""
    if 0 not in part.corrections:
        return np.zeros((0, Y.shape[1]))
    first = part.corrections[0]
    c = first.H @ Y[:n]
    c[:, :P] += first.gap
    return np.asarray(c)


def _corrected(k: Correction, Y: Array, c: Array, n: int, P: int) -> Array:
    off = k.H @ Y[:n] - c
    off[:, :P] += k.gap
    x = Y[:n] - k.G @ off
    off = k.J @ Y[n:] + k.turned @ x
    off[:, :P] += k.velocity
    return np.vstack([x, Y[n:] - k.K @ off])


def backward(path: Path, asked: dict[float, Array], P: int) -> tuple[Array, Array]:
    """Adjoint of `forward`: asked has, by time, rows (results, 2 nv) that are applied to the departures then. Returns (results,
    2 nv), what applies to departures at the start, and (results, P), by parameters."""
    results, size = next(iter(asked.values())).shape
    n, mu, g = size // 2, np.zeros((results, size)), np.zeros((results, P))
    for i in range(len(path.stretches) - 1, -1, -1):
        part = path.stretches[i]
        if i < len(path.jumps):
            g += mu @ path.jumps[i].Gamma
            mu = mu @ path.jumps[i].Phi
        first = part.corrections.get(0)
        held = np.zeros((results, 0 if first is None else len(first.H)))
        for k in range(len(part.t) - 1, -1, -1):
            t = float(part.t[k])
            if t in asked and not (k == len(part.t) - 1 and i + 1 < len(path.stretches)):
                mu = mu + asked[t]
            if k in part.corrections:
                mu = _uncorrected(part.corrections[k], mu, held, g, n)
            if k:
                g += mu @ part.Gamma[k - 1]
                mu = mu @ part.Phi[k - 1]
        if first is not None:
            mu[:, :n] += held @ first.H
            g += held @ first.gap
    return mu, g


def _uncorrected(k: Correction, mu: Array, held: Array, g: Array, n: int) -> Array:
    """Transposed of `_corrected`; adds to what is asked of the residual held and of the parameters."""
    of_u = mu[:, n:]
    off = -of_u @ k.K
    g += off @ k.velocity
    of_x = mu[:, :n] + off @ k.turned
    of_u = of_u + off @ k.J
    off = -of_x @ k.G
    g += off @ k.gap
    held -= off
    return np.hstack([of_x + off @ k.H, of_u])
