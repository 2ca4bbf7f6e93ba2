"""Sensors of beams: strains, section forces and shape."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.forces.beam import between, each, ends, strain, stress
from cotree.engine.kernel import kernel
from cotree.errors import ArgumentError
from cotree.kinematics.sweep import move_all
from cotree.lie import se3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import put_twist, put_vec, vec
from cotree.lie.vec3 import add
from cotree.model.checks import number, whole
from cotree.model.force_elements import BeamChain
from cotree.sensors.reading import Reading
from cotree.sensors.states import Block
from cotree.system.force_kinds import registered
from cotree.system.views import open_tables

Array = NDArray[np.float64]
EACH = 12  # numbers of an element in a row: stress with and without damping
FINEST = 1000
NEARLY_HALF = 2.9  # rad


@kernel
def _stress_rows(here, table, q, v, out):
    """(rows, 12 elements): of each element the stress, and that of the strain alone; angular part first."""
    tables = open_tables(here)
    for k in range(q.shape[0]):
        move_all(tables, q[k], v[k])
        for e in range(table.size):
            A, B = ends(table[e], tables.work)
            X = between(A, B)
            put_twist(out[k, EACH * e :], stress(table[e], tables.work, B, X))
            put_twist(out[k, EACH * e + 6 :], each(table[e].stiffness, strain(table[e], X)))


@kernel
def _line_rows(here, table, q, v, fine, out):
    """(rows, 3 (fine elements + 1)): points of the line in the world, so many for each element."""
    tables = open_tables(here)
    for k in range(q.shape[0]):
        origin = add(move_all(tables, q[k], v[k]), vec(tables.world[0].origin))
        for e in range(table.size):
            A, B = ends(table[e], tables.work)
            X = between(A, B)
            for i in range(fine):
                p = se3.exp(se3.times(i / fine, X))[1]
                put_vec(out[k, 3 * (fine * e + i) :], add(add(mul_vec(A[0], p), A[1]), origin))
            put_vec(out[k, 3 * fine * (e + 1) :], add(B[1], origin))


class BeamReading(Reading):
    """Strains and section forces of the elements of a beam.

    strain (T, elements, 6): stretch, shear along y and z, twist, bending about y and z [1/m], beyond the shape as drawn. force
    (T, elements, 3): normal force and shear along y and z [N]; moment (T, elements, 3): torsion and bending about y and z
    [N m], on the part before the section, in its axes. All are those of the middle of an element. `shape(t)`: the line.
    """

    units = {"strain": "", "force": "N", "moment": "N m"}  # noqa: RUF012

    @property
    def _chain(self) -> BeamChain:
        chain: Any = self.source.system.mechanism.elements[self.name]
        return chain

    @cached_property
    def _stress(self) -> Any:
        """(T, elements, 2, 6)."""
        rows = np.concatenate([stress_rows(block, self.name) for block in self.source.blocks])
        return rows.reshape(len(rows), -1, 2, 6)

    @property
    def strain(self) -> Array:
        chain = self._chain
        elastic = linear_first(self._stress[:, :, 1]) / np.array(chain.stiffness)
        return self._shown(elastic + chain.rest_strain)

    @property
    def force(self) -> Array:
        return self._shown(self._stress[:, :, 0, 3:])

    @property
    def moment(self) -> Array:
        return self._shown(self._stress[:, :, 0, :3])

    def shape(self, t: float | None = None, points: int = 1) -> Array:
        """(points elements + 1, 3): line of the beam [m] in the world at a time, between rows in proportion; for t None at all
        times, (T, ...). points: for each element, of which a bent one is an arc."""
        fine = whole(points, "points", 1, FINEST)
        rows = np.concatenate([line_rows(block, self.name, fine) for block in self.source.blocks])
        shapes = rows.reshape(len(rows), -1, 3)
        if t is None:
            return self._shown(shapes)
        times, at = np.atleast_1d(self.source.t), number(t, "t", f"shape of beam {self.name!r}")
        if not times[0] <= at <= times[-1]:
            raise ArgumentError(
                f"shape of beam {self.name!r}: t = {at:g} is not between {times[0]:g} and {times[-1]:g}"
            )
        k = int(np.clip(np.searchsorted(times, at, side="right") - 1, 0, max(len(times) - 2, 0)))
        if len(times) == 1 or times[k + 1] == times[k]:
            return np.asarray(shapes[k])
        part = (at - times[k]) / (times[k + 1] - times[k])
        return np.asarray((1.0 - part) * shapes[k] + part * shapes[k + 1])


def linear_first(x: Array) -> Array:
    """Six numbers of the algebra in the order of `Section.stiffness`."""
    return np.concatenate([x[..., 3:], x[..., :3]], axis=-1)


def _table(system: Any, name: str) -> NDArray[np.void]:
    """Records of the elements of a beam."""
    table = next(table for kind, table in system.elements.kinds if kind is registered(BeamChain))
    first = 0
    for f in system.mechanism.elements.values():
        if f.name == name:
            break
        first += len(f.nodes) - 1 if isinstance(f, BeamChain) else 0
    chain = system.mechanism.elements[name]
    return np.ascontiguousarray(table[first : first + len(chain.nodes) - 1])


def stress_rows(block: Block, name: str) -> Array:
    """(T, 12 elements), see `_stress_rows`."""
    if block.exact is not None:
        return block.exact.rows_of(stress_rows, name)
    table: Any = _table(block.system, name)
    out = np.empty((len(block.t), EACH * len(table)))
    _stress_rows(block.system.here, table, block.q, block.v, out)
    return out


def line_rows(block: Block, name: str, fine: int) -> Array:
    """(T, 3 (fine elements + 1)), see `_line_rows`."""
    if block.exact is not None:
        return block.exact.rows_of(lambda b, n: line_rows(b, n, fine), name)
    table: Any = _table(block.system, name)
    out = np.empty((len(block.t), 3 * (fine * len(table) + 1)))
    _line_rows(block.system.here, table, block.q, block.v, fine, out)
    return out


def turns_of_elements(block: Block, name: str) -> Array:
    """(T, elements): angle [rad] by which each element turns from end to end."""
    table: Any = _table(block.system, name)
    stress_of = stress_rows(block, name).reshape(len(block.t), len(table), 2, 6)[:, :, 1, :3]
    turned = table["length"][:, None] * (stress_of / table["stiffness"][:, :3] + table["rest"][:, :3])
    return np.asarray(np.linalg.norm(turned, axis=2))


def beams_of(system: Any) -> list[str]:
    """Names of its beams."""
    return [n for n, f in system.mechanism.elements.items() if isinstance(f, BeamChain)]


def overturned(system: Any, block: Block) -> list[str]:
    """What to say of beams that have an element that turns by nearly half a turn, beyond which it is not known."""
    return [
        f"element {int(np.argmax(angles.max(axis=0)))} of beam {name!r} turns by {angles.max():.3g} rad from end to end; "
        "beyond half a turn its strain jumps: give the beam more elements"
        for name in beams_of(system)
        if (angles := turns_of_elements(block, name)).max(initial=0.0) > NEARLY_HALF
    ]


def fastest_wave(system: Any, name: str) -> float:
    """Angular frequency [rad/s], estimated: of the nodes of one element against each other along, across and about its axis."""
    table: Any = _table(system, name)
    chain = system.mechanism.elements[name]
    L, K = table["length"], table["stiffness"]
    stretch, shear, twist = K[:, 3], np.maximum(K[:, 4], K[:, 5]), K[:, 0]
    inner = [_inertia(system, node) for node in chain.nodes[1:-1]]
    if not inner:
        return 0.0
    m, J = np.min(inner, axis=0)
    bending = np.maximum(K[:, 1], K[:, 2]) / L + 0.25 * L * shear
    turning = (4.0 * twist / (L * J), 4.0 * bending / J) if J > 0.0 else ()
    squares = [4.0 * stretch / (L * m), 4.0 * shear / (L * m), *turning]
    return float(np.sqrt(np.max(squares)))


def _inertia(system: Any, node: str) -> tuple[float, float]:
    """(mass, least moment of inertia)."""
    p = system.mechanism.bodies[node].properties
    return float(p.mass), float(np.linalg.eigvalsh(p.inertia)[0])
