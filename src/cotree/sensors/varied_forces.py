"""Forces and powers of elements with their derivatives; rows of one state, (1, ...), as the compiled functions give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.derivatives.elements import force_slopes
from cotree.derivatives.state_changes import differences
from cotree.dynamics.elements import joint_force, joint_rate, joint_stretch, put_efforts, rubbed
from cotree.dynamics.user_forces import element_values
from cotree.engine.kernel import kernel
from cotree.kinematics.coordinates import displace
from cotree.kinematics.sweep import move_all
from cotree.lie import cross
from cotree.lie.varied import Varied
from cotree.sensors.states import Block
from cotree.sensors.varied_energies import varied_energies
from cotree.sensors.varied_state import VariedState
from cotree.system.views import open_tables

Array = NDArray[np.float64]


@kernel
def _put_force(here, k, values, q, v, out):
    """Of a force along a coordinate: itself, its derivatives by the coordinate, by its rate and by the number of its slot, how
    far it is stretched, and the rate."""
    tables = open_tables(here)
    f, cuts = tables.elements.joint_forces[k], tables.elements.cuts
    move_all(tables, q, v)
    out[0] = joint_force(f, values, cuts, tables.work, q, v)
    out[1], out[2] = force_slopes(f, values, cuts, tables.work, q, v)
    rate = joint_rate(f, cuts, tables.work, v)
    out[4], out[5] = joint_stretch(f, cuts, tables.work, q), rate
    if f.slot >= 0:
        given = values[f.slot, 0]
        plain = f.friction == 0 or given == 0.0
        out[3] = 1.0 if plain else (rubbed(f, given, rate) + f.viscous * rate) / given


@kernel
def _put_efforts(here, values, q, v, out):
    """Wrenches (pieces, 6) of elements of registered kinds."""
    tables = open_tables(here)
    move_all(tables, q, v)
    others = tables.elements.others
    put_efforts(others, values, q, v)
    for i in range(others.pieces.size):
        for c in range(6):
            out[i, c] = others.efforts[i].W[c]


class VariedForces:
    """Of one state."""

    def __init__(self, state: VariedState) -> None:
        self.state = state

    # -- springs ---------------------------------------------------------------------------------------------------------

    def _spring(self, k: int) -> tuple[Any, ...]:
        """(end a, unit vector, pull, length, rate, energy) of spring k."""
        x, s = self.state, self.state.system.elements.springs[k]
        d = x.d.springs[:, k]
        stiffness, rest, damping = (
            x.by_parameters(s[name], d[:, i]) for i, name in enumerate(("stiffness", "length", "damping"))
        )
        (a, va), (b, vb) = (
            self._point(int(s[f"link_{end}"]), x.by_parameters(s[f"point_{end}"], d[:, first : first + 3]))
            for end, first in (("a", 3), ("b", 6))
        )
        length = np.linalg.norm(b - a)
        e = (b - a) / length
        rate = np.sum(e * (vb - va))
        pull = stiffness * (length - rest)
        return a, e, pull + damping * rate, length, rate, 0.5 * pull * (length - rest)

    def _point(self, link: int, point: Any) -> tuple[Any, Any]:
        """Place and velocity of a point of a link, about the sweep's origin."""
        x = self.state
        place = x.rotations(x.still, link) @ point + x.places(x.still, link)
        V = x.twists(x.still, link)
        return place, V[3:] + cross(V[:3], place)

    def spring(self, k: int) -> Any:
        _, _, pull, length, rate, _ = self._spring(k)
        return np.stack([pull, length, rate])[None]

    def spring_wrench(self, k: int) -> Any:
        """(6,) on its end a."""
        a, e, pull, *_ = self._spring(k)
        return _about_origin(a, pull * e)

    def spring_energy(self, k: int) -> Any:
        return self._spring(k)[-1]

    # -- loads -----------------------------------------------------------------------------------------------------------

    def load_wrench(self, k: int) -> Any:
        x, load = self.state, self.state.system.elements.loads[k]
        link, value = int(load["link"]), x.values[k]
        R = x.rotations(x.still, link)
        if load["in_body"]:
            value = R @ (load["axes"].reshape(3, 3) @ value)
        if load["is_moment"]:
            return np.concatenate([value, np.zeros(3)])
        return _about_origin(R @ load["point"] + x.places(x.still, link), value)

    def load(self, k: int) -> Any:
        x, load, W = self.state, self.state.system.elements.loads[k], self.load_wrench(k)
        link = int(load["link"])
        power = np.sum(x.twists(x.still, link) * W)
        shown = W[:3] if load["is_moment"] else W[3:]
        return np.concatenate([shown, power.reshape(1)])[None]

    # -- along coordinates -----------------------------------------------------------------------------------------------

    def joint(self, k: int) -> Any:
        """(1, 2): force of row k of the forces along coordinates, and the rate."""
        x, f, out = self.state, self.state.system.elements.joint_forces[k], np.zeros(6)
        _put_force(x.system.here, k, x.values.value, x.q, x.v, out)
        force, by_angle, by_rate, by_value, stretch, rate = out
        turned, turning = self.across(int(f["cut"]), int(f["component"])) if f["cut"] >= 0 else self._along(f)
        slopes = by_angle * turned + by_rate * turning
        if f["slot"] >= 0:
            slopes = slopes + by_value * x.values.slopes[:, int(f["slot"]), 0]
        d = x.d.forces[:, k]
        slopes[x.first :] += -d[:, 0] * stretch - by_angle * d[:, 1] - d[:, 2] * rate
        return Varied([[force, rate]], np.column_stack([slopes, turning])[:, None])

    def _along(self, f: Any) -> tuple[Array, Array]:
        """Changes of a coordinate of the tree and of its rate."""
        steps, iv = self.state.steps, int(f["iv"])
        return steps[0, :, iv] * float(f["iq"] >= 0), steps[1, :, iv]

    def across(self, cut: int, component: int) -> tuple[Array, Array]:
        """Changes of a coordinate of a cut joint and of its rate."""
        x, c, W = self.state, self.state.system.cuts[cut], self.cut_wrench(cut, component)
        a, b = int(c["link_a"]), int(c["link_b"])
        relative = x.twists(x.still, b) - x.twists(x.still, a)
        apart = x.still.X[:, b] - x.still.X[:, a]
        apart[x.first :] += np.array([_carried(x, b, xi) - _carried(x, a, xi) for xi in x.d.cuts[:, cut]]).reshape(
            -1, 6
        )
        return apart @ W.value, np.sum(relative * W).slopes

    def cut_wrench(self, cut: int, component: int) -> Any:
        """(6,): of a unit along the coordinate of a cut joint; it moves with body b."""
        x, c = self.state, self.state.system.cuts[cut]
        T, link = np.eye(4), int(c["link_b"])
        T[:3, :3], T[:3, 3] = c["frame_b"][:9].reshape(3, 3), c["frame_b"][9:]
        F = x.frame(x.system.cut_joints[cut], T)
        R = x.rotations(x.still, link)
        axis = (R @ F[:3, :3])[:, component % 3]
        if component < 3:
            return np.concatenate([axis, np.zeros(3)])
        return _about_origin(R @ F[:3, 3] + x.places(x.still, link), axis)

    def in_cuts(self) -> Any:
        """(cut joints, 6): wrenches on bodies b of what acts along the coordinates of cut joints."""
        x = self.state
        total = [x.constant(np.zeros(6)) for _ in x.system.cuts]
        for k, f in enumerate(x.system.elements.joint_forces):
            if f["cut"] >= 0:
                cut = int(f["cut"])
                total[cut] = total[cut] + self.joint(k)[0, 0] * self.cut_wrench(cut, int(f["component"]))
        return np.stack(total) if total else x.constant(np.zeros((0, 6)))

    # -- registered kinds, by differences ----------------------------------------------------------------------------------

    def differenced(self, rows: Callable[[Array, Array, float], Array]) -> Any:
        """Rows of a function of (q, v, t)."""
        x, n = self.state, self.state.system.nv
        found = x.constant(rows(x.q, x.v, x.t))
        for k, e in enumerate(np.eye(n)):
            found.slopes[k] = differences(lambda s, e=e: rows(displace(x.system, x.q, s * e), x.v, x.t))  # type: ignore[misc]
            found.slopes[n + k] = differences(lambda s, e=e: rows(x.q, x.v + s * e, x.t))  # type: ignore[misc]
        if x.system.elements.functions and not x.pushes.timeless:
            found.slopes[x.time] = differences(lambda s: rows(x.q, x.v, x.t + s))
        return found

    def rows_of(self, measured: Callable[[Block, str], Array], name: str) -> Any:
        """Rows of an element that a compiled function measures."""
        system = self.state.system
        return self.differenced(lambda q, v, t: measured(Block(system, np.array([t]), q[None], v[None]), name))

    def efforts(self) -> Any:
        """(pieces, 6): wrenches on bodies b of elements of registered kinds."""
        system = self.state.system

        def rows(q: Array, v: Array, t: float) -> Array:
            out = np.zeros((len(system.elements.pieces), 6))
            _put_efforts(system.here, element_values(system, q, v, t), q, v, out)
            return out

        return self.differenced(rows)

    def energies(self) -> Any:
        """(1, 2): kinetic and potential."""
        return varied_energies(self)

    # -- constraints -------------------------------------------------------------------------------------------------------

    def pushes(self) -> tuple[Any, Any]:
        """(pieces, 6) each: wrenches of all pieces of rows on bodies a and b."""
        x = self.state
        W, lam = Varied(x.accelerated.W, x.accelerated.DW), x.changes.multipliers
        rows = x.system.tables["pieces"]["row"]
        share = Varied(lam.value[rows, None], lam.slopes[:, rows, None])
        return share * W[:, :6], -share * W[:, 6:]

    def pushed(self, which: NDArray[np.intp]) -> Any:
        """(1, 3): sum of the forces on bodies b of some pieces."""
        return self.pushes()[1][which][:, 3:].sum(axis=0)[None]


def _about_origin(point: Any, force: Any) -> Any:
    return np.concatenate([cross(point, force), force])


def _carried(x: VariedState, link: int, xi: Array) -> Array:
    """A twist of the reference assembly as a link carries it."""
    R, p = x.still.C[link, :9].reshape(3, 3), x.still.C[link, 9:]
    w = R @ xi[:3]
    return np.concatenate([w, R @ xi[3:] + np.cross(p, w)])
