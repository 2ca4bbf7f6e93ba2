"""Beam elements: the screw motion between two section frames, H2 = H1 exp(X), is strained by X / L.

Energy L/2 (e . K e), e = X/L - e0, the same all along the element, so that a straight or circular beam under a moment is exact.
With the relative twist xi of the end in its own axes, dX/dt = dexp_body_inv(X) xi: the wrench on the end is -dexp_body_inv(X)^T
sigma, sigma = K e + C de/dt. Transposed differentials are those of a wrench whose parts are swapped:
dexp_body_inv(X)^T = swap dexp_spatial_inv(X) swap. e0 is the strain as drawn and what is prescribed beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from cotree.dynamics.elements import put_effort
from cotree.engine.kernel import kernel
from cotree.lie import se3, so3
from cotree.lie.mat3 import mul, mul_vec, tmul_vec, transpose
from cotree.lie.storage import pose, twist
from cotree.lie.vec3 import add, sub
from cotree.model.force_elements import BeamChain
from cotree.system.force_kinds import (
    ForceBuilder,
    ForceKind,
    force_energy,
    force_power,
    force_slopes,
    force_wrenches,
    register,
)

SIXES = ("rest", "stiffness", "damping")  # angular part first
beam_t = np.dtype(
    [
        ("piece", "i8"), ("link_a", "i8"), ("link_b", "i8"), ("frame_a", "f8", 12), ("frame_b", "f8", 12),
        ("length", "f8"), *((name, "f8", 6) for name in SIXES),
    ],
    align=True,
)  # fmt: skip
PARTS = 36  # numbers of one matrix of slopes


@kernel
def swap(W):
    """The other part first."""
    return (W[1], W[0])


@kernel
def each(K, X):
    """K X for a diagonal K."""
    return (
        (K[0] * X[0][0], K[1] * X[0][1], K[2] * X[0][2]),
        (K[3] * X[1][0], K[4] * X[1][1], K[5] * X[1][2]),
    )


@kernel
def frame_of(work, link, frame):
    """A section frame as its link carries it."""
    C = pose(work[link].C)
    F = pose(frame)
    return (mul(C[0], F[0]), add(mul_vec(C[0], F[1]), C[1]))


@kernel
def between(A, B):
    """log of B seen from A."""
    w = so3.log(mul(transpose(A[0]), B[0]))
    return (w, so3.dexp_spatial_inv(w, tmul_vec(A[0], sub(B[1], A[1]))))


@kernel
def ends(x, work):
    """Section frames at both ends."""
    return frame_of(work, x.link_a, x.frame_a), frame_of(work, x.link_b, x.frame_b)


@kernel
def place_of(x, work):
    """(frame of the end, X)."""
    A, B = ends(x, work)
    return B, between(A, B)


@kernel
def relative_twist(x, work, B):
    """xi: twist of the end against the start, in the axes of the end."""
    return se3.Ad_inv(B, se3.minus(twist(work[x.link_b].V), twist(work[x.link_a].V)))


@kernel
def strain(x, X):
    """e."""
    return se3.minus(se3.times(1.0 / x.length, X), twist(x.rest))


@kernel
def strain_rate(x, work, B, X):
    """de/dt."""
    return se3.times(1.0 / x.length, se3.dexp_body_inv(X, relative_twist(x, work, B)))


@kernel
def stress(x, work, B, X):
    """sigma."""
    elastic = each(x.stiffness, strain(x, X))
    return se3.plus(elastic, each(x.damping, strain_rate(x, work, B, X)))


@kernel
def transposed(X, sigma):
    """dexp_body_inv(X)^T sigma."""
    return swap(se3.dexp_spatial_inv(X, swap(sigma)))


@force_wrenches(beam_t)
def wrenches(x, base, s, values, q, v):
    B, X = place_of(x, s.work)
    put_effort(s, x.piece, se3.times(-1.0, se3.coAd(B, transposed(X, stress(x, s.work, B, X)))))


@force_energy(beam_t)
def energy(x, base, s, values, q):
    _, X = place_of(x, s.work)
    e = strain(x, X)
    return (0.5 * x.length * se3.pair(e, each(x.stiffness, e)),)


@force_power(beam_t)
def power(x, base, s, values, v):
    B, X = place_of(x, s.work)
    rate = strain_rate(x, s.work, B, X)
    return (0.0, x.length * se3.pair(rate, each(x.damping, rate)))


@kernel
def stress_change(x, X, tau, dX, rate):
    """Change of tau = dexp_body_inv(X)^T sigma along dX, where dX/dt changes by `rate`."""
    d = se3.times(1.0 / x.length, se3.plus(each(x.stiffness, dX), each(x.damping, rate)))
    return swap(se3.dexp_spatial_inv(X, se3.minus(swap(d), se3.ddexp_spatial(X, dX, swap(tau)))))


@kernel
def rate_change(X, xi, dX, dxi):
    """Change of dexp_body_inv(X) xi along dX and dxi."""
    y = se3.dexp_body_inv(X, xi)
    turned = se3.ddexp_spatial(se3.times(-1.0, X), dX, y)
    return se3.dexp_body_inv(X, se3.plus(dxi, turned))


@kernel
def put_column(out, first, j, W):
    """Column j of a matrix (6, 6) by rows."""
    for i in range(3):
        out[first + 6 * i + j], out[first + 6 * (3 + i) + j] = W[0][i], W[1][i]


@kernel
def unit(j):
    return (
        (1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2)),
        (1.0 * (j == 3), 1.0 * (j == 4), 1.0 * (j == 5)),
    )


@force_slopes(beam_t)
def slopes(x, base, s, values, v, out):
    """Of W: by displacements of a and of b, by twists of a and of b."""
    B, X = place_of(x, s.work)
    xi, zero = relative_twist(x, s.work, B), ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    tau = transposed(X, stress(x, s.work, B, X))
    W, at = se3.times(-1.0, se3.coAd(B, tau)), 4 * PARTS * x.piece
    for j in range(6):
        S = unit(j)
        y = se3.Ad_inv(B, S)
        dX = se3.dexp_body_inv(X, y)
        back = se3.times(-1.0, dX)
        of_a = stress_change(x, X, tau, back, rate_change(X, xi, back, zero))
        of_b = stress_change(x, X, tau, dX, rate_change(X, xi, dX, se3.times(-1.0, se3.bracket(y, xi))))
        of_v = se3.coAd(B, transposed(X, each(x.damping, se3.times(1.0 / x.length, dX))))
        put_column(out, at, j, se3.times(-1.0, se3.coAd(B, of_a)))
        put_column(out, at + PARTS, j, se3.minus(se3.cobracket(S, W), se3.coAd(B, of_b)))
        put_column(out, at + 2 * PARTS, j, of_v)
        put_column(out, at + 3 * PARTS, j, se3.times(-1.0, of_v))


class Segment(NamedTuple):
    """Element number k of a chain."""

    chain: BeamChain
    k: int


def segments(f: BeamChain) -> Iterator[Segment]:
    return (Segment(f, k) for k in range(len(f.nodes) - 1))


def fill(f: Segment, x: Any, build: ForceBuilder) -> None:
    place, (chain, k) = build.place, f
    A, B = (_about_origin(chain.frames[j], build) for j in (k, k + 1))
    x["link_a"], x["link_b"] = place.link(chain.nodes[k]), place.link(chain.nodes[k + 1])
    x["frame_a"], x["frame_b"] = A, B
    X = between(_tuples(A), _tuples(B))
    x["length"] = np.linalg.norm(X[1])
    x["rest"] = np.ravel(X) / x["length"] + angular_first(chain.rest_strain[k])
    K, C = with_bending_between(np.array(chain.stiffness), np.array(chain.damping), float(x["length"]))
    x["stiffness"], x["damping"] = angular_first(K), angular_first(C)
    build.between(chain.nodes[k], chain.nodes[k + 1])


def with_bending_between(K: Any, C: Any, length: float) -> tuple[Any, Any]:
    """Stiffness and damping in which the shear of an element is also that of the bending moment that changes along it:
    1 / GA* = 1 / GA + L^2 / (12 EI), the residual bending flexibility of MacNeal (1978)."""
    K, C = K.copy(), C.copy()
    for shear, bending in ((1, 5), (2, 4)):  # along y with bending about z, and the other way round
        own, more = 1.0 / K[shear], length**2 / (12.0 * K[bending])
        both = 1.0 / (own + more)
        C[shear] = both**2 * (C[shear] * own**2 + C[bending] / K[bending] * more)
        K[shear] = both
    return K, C


def angular_first(x: Any) -> Any:
    """Six numbers of stretch, shears, twist, bending as the algebra has them."""
    return np.concatenate([np.asarray(x)[..., 3:], np.asarray(x)[..., :3]], axis=-1)


def _about_origin(frame: Any, build: ForceBuilder) -> Any:
    """The twelve numbers of a frame of the world."""
    return np.append(frame[:3, :3].ravel(), build.place.point("ground", frame[:3, 3]))


def _tuples(F: Any) -> Any:
    return tuple(F[:9].tolist()), tuple(F[9:].tolist())


KIND = register(ForceKind(BeamChain, beam_t, wrenches, energy, power, fill, slopes, segments))
