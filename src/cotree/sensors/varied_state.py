"""A state of a system with the derivatives of everything that sensors read: of the motion of links, of accelerations,
multipliers and numbers of the forces; along coordinates, velocities, forces from outside, time and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.derivatives.constraints import jets_of
from cotree.derivatives.dual_case import turns
from cotree.derivatives.link_changes import LinkChanges, link_changes
from cotree.derivatives.parameters.seeds import directions_of
from cotree.derivatives.state_changes import Changing, Pushes, StateChanges, changing_values, state_changes
from cotree.errors import ArgumentError
from cotree.lie import cross
from cotree.lie.varied import Varied
from cotree.model.numbers import TENSOR, Number, number_named, numbers_of
from cotree.system.switched import places_of
from cotree.system.system import System

Array = NDArray[np.float64]


class VariedState:
    """Made of a state q, v at a time; names: of parameters. What needs accelerations is computed when it is asked for."""

    def __init__(
        self, system: System, q: Array, v: Array, t: float, names: Sequence[str] = (), pushes: Pushes | None = None
    ) -> None:
        self.system, self.q, self.v, self.t = system, q, v, float(t)
        known = numbers_of(system.mechanism) if names else {}
        self.numbers: list[Number] = [number_named(known, name, system.mechanism) for name in names]
        self.d = directions_of(system, names)
        self.pushes = Pushes.along(np.eye(system.nv), system) if pushes is None else pushes
        self.time = 2 * system.nv + len(
            self.pushes.tau
        )  # places of time and of the first parameter among the directions
        self.first = self.time + 1
        self.count = self.first + len(names)

    def constant(self, x: Any) -> Any:
        return Varied.constant(x, self.count)

    def by_parameters(self, x: Any, slopes: Array) -> Any:
        """A number or an array that changes with parameters alone; slopes (parameters, ...)."""
        found = self.constant(x)
        found.slopes[self.first :] = slopes
        return found

    # -- the state ---------------------------------------------------------------------------------------------------

    @cached_property
    def steps(self) -> Array:
        """(3, directions, nv): of q, v and v_dot, the last for accelerations held."""
        n = self.system.nv
        out = np.zeros((3, self.count, n))
        out[0, :n], out[1, n : 2 * n] = np.eye(n), np.eye(n)
        return out

    @cached_property
    def varied_q(self) -> Any:
        return Varied(self.q, turns(self.system, self.q, np.ascontiguousarray(self.steps[0].T)).T)

    @cached_property
    def varied_v(self) -> Any:
        return Varied(self.v, self.steps[1])

    @cached_property
    def varied_t(self) -> Any:
        found = self.constant(self.t)
        found.slopes[self.time] = 1.0
        return found

    # -- links -------------------------------------------------------------------------------------------------------

    @cached_property
    def still(self) -> LinkChanges:
        """Without accelerations, and without wrenches of rows."""
        zero = np.zeros(self.system.nv)
        return link_changes(self.system, self.q, self.v, zero, self.steps, self.d, None)

    @cached_property
    def accelerated(self) -> LinkChanges:
        """With the accelerations of the state and the wrenches of rows."""
        found, jets = self.changes.v_dot, jets_of(self.system) if self.system.n_constraints else None
        if jets is not None and jets[1] is None:
            raise ArgumentError("rows of constraints that have no closed forms")
        steps = self.steps.copy()
        steps[2] = found.slopes
        return link_changes(self.system, self.q, self.v, found.value, steps, self.d, jets)

    def rotations(self, found: LinkChanges, links: Any) -> Any:
        """(..., 3, 3) of links: dR = w^ R."""
        R = found.C[links, :9].reshape(*np.shape(links), 3, 3)
        columns = cross(found.X[:, links, None, :3], np.swapaxes(R, -1, -2))
        return Varied(R, np.swapaxes(columns, -1, -2))

    def places(self, found: LinkChanges, links: Any) -> Any:
        """(..., 3): where the reference origin of links has come to."""
        p = found.C[links, 9:]
        return Varied(p, found.X[:, links, 3:] + cross(found.X[:, links, :3], p))

    def twists(self, found: LinkChanges, links: Any) -> Any:
        """(..., 6) of links."""
        return Varied(found.V[links], found.DV[:, links])

    def accelerations(self, found: LinkChanges, links: Any) -> Any:
        """(..., 6): rates of the twists."""
        return Varied(found.A[links], found.DA[:, links])

    # -- what acts ---------------------------------------------------------------------------------------------------

    @cached_property
    def changes(self) -> StateChanges:
        return state_changes(self.system, self.q, self.v, self.t, self.d, self.pushes)

    @cached_property
    def values(self) -> Any:
        """(slots, 3): numbers of loads and motors."""
        return varied(changing_values(self.system, self.q, self.v, self.t, self.d, self.pushes))

    # -- numbers of the mechanism --------------------------------------------------------------------------------------

    @cached_property
    def gravity(self) -> Any:
        return self.by_parameters(self.system.world[0]["gravity"], self.d.gravity)

    def properties(self, body: str) -> tuple[Any, Any, Any]:
        """(mass, mass centre (3,), tensor about it (3, 3)) of a body, in its own frame where it has one."""
        p, P = self.system.mechanism.bodies[body].properties, len(self.numbers)
        mass, com, tensor = np.zeros(P), np.zeros((P, 3)), np.zeros((P, 3, 3))
        for k, n in enumerate(self.numbers):
            if n.family == "bodies" and n.owner == body:
                if n.field == "mass":
                    mass[k] = 1.0
                elif n.field == "com":
                    com[k, n.place] = 1.0
                else:
                    i, j = list(TENSOR.values())[n.place]
                    tensor[k, i, j] = tensor[k, j, i] = 1.0
        return self.by_parameters(p.mass, mass), self.by_parameters(p.com, com), self.by_parameters(p.inertia, tensor)

    def mass_centre(self, body: str) -> Any:
        """In the reference assembly, about the system's origin."""
        place, com = places_of(self.system), self.properties(body)[1]
        return self.by_parameters(place.point(body, com.value), com.slopes[self.first :] @ place.axes(body).T)

    def frame(self, joint: str, T: Array) -> Any:
        """A frame of a joint in the reference assembly, which moves with the joint's point and axis."""
        slopes = np.zeros((len(self.numbers), 4, 4))
        for k, n in enumerate(self.numbers):
            if n.family == "joints" and n.owner == joint and self.d.moves[k]:
                w, u = self._moved(k, joint)
                slopes[k, :3, :3] = cross(w, T[:3, :3].T).T
                slopes[k, :3, 3] = u + cross(w, T[:3, 3])
        return self.by_parameters(T, slopes)

    def _moved(self, k: int, joint: str) -> tuple[Array, Array]:
        """Twist (w, u) by which parameter k displaces the frames of a joint."""
        if joint in self.system.cut_joints:
            xi = self.d.cuts[k, self.system.cut_joints.index(joint)]
        else:
            xi = self.d.before[k, self.system.joint_links[joint][0]]
        return xi[:3], xi[3:]


def varied(x: Changing) -> Any:
    return Varied(x.value, x.slopes)
