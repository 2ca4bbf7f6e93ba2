"""All modes of a planar contact problem, one after the other: the oracle of the solver's tests. Shares no code with it."""

from __future__ import annotations

import itertools

import numpy as np


def planar_solutions(G, b, mu, close=1e-9):
    """All (P, u, modes) of contacts with rows normal, tangent: modes 0 open, 1 sticks, 2 and 3 slips forward and backward."""
    m, out = len(mu), []
    for modes in itertools.product(range(4), repeat=m):
        columns, rows = [], []
        for i, mode in enumerate(modes):
            e = np.eye(2 * m)[2 * i : 2 * i + 2]
            if mode == 1:
                columns, rows = [*columns, e[0], e[1]], [*rows, e[0], e[1]]
            elif mode > 1:
                columns, rows = [*columns, e[0] + (-mu[i] if mode == 2 else mu[i]) * e[1]], [*rows, e[0]]
        P = np.zeros(2 * m)
        if rows:
            C, R = np.array(columns), np.array(rows)
            A = R @ G @ C.T
            if np.linalg.cond(A) > 1e12:
                continue
            P = C.T @ np.linalg.solve(A, -R @ b)
        u = G @ P + b
        if planar_fits(P, u, mu, modes, close * (1.0 + np.abs(b).max()), close * (1.0 + np.abs(P).max())):
            out.append((P, u, modes))
    return out


def planar_fits(P, u, mu, modes, du, dP):
    """Whether all inequalities of the modes hold."""
    for i, mode in enumerate(modes):
        p, t, n, s = P[2 * i], P[2 * i + 1], u[2 * i], u[2 * i + 1]
        if p < -dP or n < -du or (mode == 1 and abs(t) > mu[i] * p + dP):
            return False
        if (mode == 2 and s < -du) or (mode == 3 and s > du):
            return False
    return True


def spatial_solutions(G, b, mu, close=1e-9, starts=8):
    """The same for rows normal and two tangents: modes 0 open, 1 sticks, 2 slips, in directions found by Newton's method."""
    from scipy.optimize import root

    m, out = len(mu), []
    for modes in itertools.product(range(3), repeat=m):
        slips = [i for i in range(m) if modes[i] == 2]
        for angles in itertools.product(2.0 * np.pi * np.arange(starts) / starts, repeat=len(slips)):
            x = np.array(angles)
            if slips:
                found = root(lambda x, modes=modes: spatial_try(G, b, mu, modes, x)[2], x, tol=1e-13)
                if np.abs(found.fun).max() > close:
                    continue
                x = found.x
            P, u, _ = spatial_try(G, b, mu, modes, x)
            if spatial_fits(P, u, mu, modes, x, close) and not any(
                np.allclose(u, other[1], atol=1e-7) for other in out
            ):
                out.append((P, u, modes))
    return out


def spatial_try(G, b, mu, modes, angles):
    """P and u of the modes with slip in these directions, and the velocities across them."""
    n, columns, rows, across, k = len(b), [], [], [], 0
    for i, mode in enumerate(modes):
        e = np.eye(n)[3 * i : 3 * i + 3]
        if mode == 1:
            columns, rows = [*columns, *e], [*rows, *e]
        elif mode == 2:
            c, s = np.cos(angles[k]), np.sin(angles[k])
            columns, rows = [*columns, e[0] - mu[i] * (c * e[1] + s * e[2])], [*rows, e[0]]
            across.append(-s * e[1] + c * e[2])
            k += 1
    P = np.zeros(n)
    if rows:
        C, R = np.array(columns), np.array(rows)
        P = C.T @ np.linalg.lstsq(R @ G @ C.T, -R @ b, rcond=None)[0]
    u = G @ P + b
    return P, u, np.array(across) @ u if across else np.zeros(0)


def spatial_fits(P, u, mu, modes, angles, close):
    """Whether the inequalities hold."""
    k = 0
    for i, mode in enumerate(modes):
        p, t, w = P[3 * i], P[3 * i + 1 : 3 * i + 3], u[3 * i : 3 * i + 3]
        if p < -close or w[0] < -close or (mode == 1 and np.linalg.norm(t) > mu[i] * p + close):
            return False
        if mode == 1 and np.abs(w).max() > close:
            return False
        if mode == 2:
            if np.array([np.cos(angles[k]), np.sin(angles[k])]) @ w[1:] < -close:
                return False
            k += 1
    return True


def violation(P, u, mu):
    """How far impulses and velocities are from Coulomb's law, each condition by itself; any number of tangents."""
    m = len(mu)
    P, u = P.reshape(m, -1), u.reshape(m, -1)
    worst = max(-P[:, 0].min(), -u[:, 0].min(), np.abs(P[:, 0] * u[:, 0]).max())
    for p, w, friction in zip(P, u, mu, strict=True):
        size, speed = np.linalg.norm(p[1:]), np.linalg.norm(w[1:])
        worst = max(worst, size - friction * p[0])
        worst = max(worst, np.linalg.norm(p[1:] * speed + friction * p[0] * w[1:]))  # where it slips
    return worst
