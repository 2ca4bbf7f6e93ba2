"""Christoffel symbols of the mass matrix in closed form, Geo (46) to (48), by brackets and by Binet's tensor.

Gamma_abc = sum_k (S_a . J d_c S_b + S_a . B(J, S_c) S_b), so that C_ab = Gamma_abc v^c. For coordinates whose rates are the
velocities these are the Christoffel symbols of the first kind, symmetric in b and c; for coordinate-free joints they
are the coefficients of the same connection in the left-invariant frame, and the asymmetry is the structure constants.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.dynamics.closed_form import link_matrix
from cotree.kinematics.derivatives import screw_partials
from cotree.lie import Ad, ad, inverse
from cotree.model.checks import choice
from cotree.system.arguments import coordinates, not_finite, of_systems
from cotree.system.families import Doors
from cotree.system.members import over_members
from cotree.system.system import System

Array = NDArray[np.float64]


@of_systems(Doors("q"))
@over_members("q")
def christoffel(system: System, q: ArrayLike, form: str = "brackets") -> Array:
    """Compute the Christoffel symbols of the mass matrix.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    form : str, optional
        "brackets", by Lie brackets [Geo (47)], or "binet", by Binet's tensor [Geo (48)].

    Returns
    -------
    ndarray of shape (nv, nv, nv)
        Gamma[a, b, c].

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> ct.theory.christoffel(system, [0.3, 0.1]).shape
    (2, 2, 2)
    """
    choice(form, ("brackets", "binet"), "form")
    S, dS, C = screw_partials(system, q)
    gamma = np.zeros((system.nv,) * 3)
    term = _brackets if form == "brackets" else _binet
    for k in range(1, len(system.links)):
        link = system.links[k]
        path = _path(system, k)
        if (link["mass"] == 0.0 and not link["inertia"].any()) or not len(path):
            continue
        A = Ad(inverse(C[k]))
        K = S[path] @ A.T
        dK = dS[np.ix_(path, path)] @ A.T  # [b, c]: d_c S_b seen from the link
        J = link_matrix(link)
        gamma[np.ix_(path, path, path)] += np.einsum("ax,xy,bcy->abc", K, J, dK) + term(link, J, K)
    if not np.isfinite(gamma).all():
        not_finite(system, "christoffel", q=coordinates(system, q))
    return gamma


def _path(system: System, k: int) -> NDArray[np.intp]:
    """Dofs that move link k."""
    found: list[int] = []
    while k > 0:
        link = system.links[k]
        found += range(link["iv"], link["iv"] + link["nv"])
        k = link["parent"]
    return np.array(sorted(found), dtype=np.intp)


def _brackets(link: np.void, J: Array, K: Array) -> Array:
    """K_a . B(J, K_c) K_b with 2 B(J, X) Y = -ad_X^T J Y - J ad_X Y - ad_Y^T J X."""
    adK = ad(K)  # [c]
    JK = K @ J
    one = -np.einsum("ax,cyx,by->abc", K, adK, JK)  # K_a . (-ad_c^T J K_b)
    two = -np.einsum("ax,cxy,by->abc", JK, adK, K)  # -K_a . J ad_c K_b
    three = -np.einsum("ax,byx,cy->abc", K, adK, JK)  # K_a . (-ad_b^T J K_c)
    return 0.5 * (one + two + three)


def _binet(link: np.void, J: Array, K: Array) -> Array:
    """m v_a . (w_b x v_c) + w_b . B (w_c x w_a), screws at the mass centre, B = tr(T)/2 I - T."""
    a, b, d, e, f, g = link["inertia"]
    T = np.array([[a, b, d], [b, e, f], [d, f, g]])
    B = 0.5 * np.trace(T) * np.eye(3) - T
    w = K[:, :3]
    v = K[:, 3:] + np.cross(w, link["com"])
    wv = np.cross(w[:, None, :], v[None, :, :])  # [b, c]
    ww = np.cross(w[:, None, :], w[None, :, :])  # [c, a]
    return link["mass"] * np.einsum("ax,bcx->abc", v, wv) + np.einsum("bx,xy,cay->abc", w, B, ww)
