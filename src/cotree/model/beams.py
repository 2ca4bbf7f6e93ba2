"""Beams as methods of `Mechanism`: bodies at the nodes, and elastic elements between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import ForceError, ShapeError
from cotree.lie import inverse
from cotree.model.beam_lines import line, section_frames
from cotree.model.checks import array, fixed, floats, shown, vector, whole
from cotree.model.force_elements import BeamChain
from cotree.model.joints import Weld
from cotree.model.lookups import LookUps
from cotree.model.sections import Section

if TYPE_CHECKING:
    from cotree.model.forces import ForceElement
    from cotree.model.parts import Body

Array = NDArray[np.float64]
MOST_ELEMENTS = 5000
AT_END = 0.1  # of half the mass of the last element: what the node at the end has itself


class Beam(NamedTuple):
    """A beam of a mechanism. nodes: its bodies from start to end; elements: the elastic elements between them."""

    name: str
    nodes: tuple[Body, ...]
    elements: BeamChain


class Bending(LookUps):
    """Beams, and elastic elements between bodies."""

    if TYPE_CHECKING:
        elements: dict[str, ForceElement]
        body: Any
        joint: Any

    def beam(
        self,
        name: str,
        start: ArrayLike,
        end: ArrayLike,
        section: Section,
        elements: int = 8,
        start_on: Body | str | None = None,
        end_on: Body | str | None = None,
        y_axis: ArrayLike | None = None,
        curve: Callable[[float], Any] | ArrayLike | None = None,
        damping: float | Sequence[float] = 0.0,
        rest_strain: ArrayLike = 0.0,
    ) -> Beam:
        """Add a beam that stretches, shears, twists and bends by any amount.

        Parameters
        ----------
        name : str
            Of the beam; its nodes are bodies "name.n0" to "name.n8".
        start, end : three numbers
            Ends [m] in the world as assembled.
        section : Section
            Stiffness and mass of a metre.
        elements : int
            Errors of shapes fall with the square of their number.
        start_on, end_on : Body or str, optional
            Bodies to which the ends are clamped. An end without one is free, and its node takes joints as any body.
        y_axis : three numbers, optional
            Direction of the section's y axis; by default horizontal at the start, and carried along a curve without twist.
        curve : function or array (n, 3), optional
            Line of a beam that is curved as it is made: a function of s from 0 to 1, or points that it goes through. Nodes lie
            at equal steps of s.
        damping : float or six numbers
            Time [s] by which the section's stiffness is multiplied, or its six numbers themselves [N s, N m^2 s]: they act
            on the rates of the strains.
        rest_strain : six numbers or array (elements, 6)
            Strain without load beyond the shape as drawn: stretch, shears along y and z, twist, bending about y and z [1/m].
            A negative stretch is pretension.

        Returns
        -------
        Beam
            With `.nodes`.

        Raises
        ------
        ShapeError
            For a line that has no direction or does not lead from start to end.
        ForceError
            For a section that is none, or damping that supplies energy.

        Examples
        --------
        >>> mech = ct.Mechanism("cantilever", gravity=(0, 0, 0))
        >>> steel = ct.Section.circle(0.005, youngs_modulus=210e9, poisson=0.3, density=7850)
        >>> beam = mech.beam("beam", (0, 0, 0), (1, 0, 0), steel, start_on=mech.ground)
        >>> load = mech.force("load", beam.nodes[-1], (0, 0, -10))
        >>> rest = ct.equilibrium(mech)
        >>> moved = ct.poses(rest.system, rest.q)[rest.system.row_of(beam.nodes[-1])]
        >>> round(float((moved @ (1, 0, 0, 1))[2]), 4)  # P L^3 / 3 EI
        -0.0323
        """
        who = self._new_force(name, "beam")
        if not isinstance(section, Section):
            raise ForceError(f"{who}: section is {shown(section)}; give a ct.Section")
        n = whole(elements, f"{who}: elements", 1, MOST_ELEMENTS)
        clamps = [(which, None if on is None else self._body(on, who)) for which, on in ((0, start_on), (n, end_on))]
        ends = vector(start, "start", who), vector(end, "end", who)
        frames = section_frames(*line(*ends, n, curve, who), y_axis, who)
        viscous, rest = _viscosity(damping, section, who), _rest(rest_strain, n, who)
        names = tuple(f"{name}.n{k}" for k in range(n + 1))
        made = {*names, f"{name}.start", f"{name}.end"}
        for taken in sorted(made & (set(self.bodies) | set(self.joints))):
            self._new_name(taken, "node", self.bodies, self.joints)
        nodes = tuple(self._node(node, frames, k, section) for k, node in enumerate(names))
        for which, on in clamps:
            self._lump(name, nodes[which], frames, which, section)
            if on is not None:
                self.joint(f"{name}.clamp{0 if which == 0 else 1}", on, nodes[which], Weld())
        return Beam(name, nodes, self.beam_chain(name, nodes, frames, section.stiffness, viscous, rest))

    def beam_chain(
        self,
        name: str,
        nodes: Sequence[Body | str],
        frames: ArrayLike,
        stiffness: Sequence[float],
        damping: Sequence[float] = (0.0,) * 6,
        rest_strain: ArrayLike = 0.0,
    ) -> BeamChain:
        """Add elastic elements between bodies that exist: what `beam` puts between its nodes.

        Parameters
        ----------
        name : str
            Of the elements.
        nodes : sequence of Body or str
            Two or more, from start to end.
        frames : array (nodes, 4, 4)
            Of the section at each node, x along the beam, in the world as assembled, where it is relaxed but for rest_strain.
        stiffness, damping : six numbers
            As of `Section.stiffness` [N, N m^2], and of the rates of the strains.
        rest_strain : six numbers or array (elements, 6)
            As for `beam`.

        Returns
        -------
        BeamChain
            The description.

        Raises
        ------
        ForceError
            For fewer than two nodes, or numbers that would supply energy.
        ShapeError
            For frames of another shape.

        Examples
        --------
        >>> import numpy as np
        >>> mech = ct.Mechanism("hinge")
        >>> flap = mech.body("flap", 0.1, (0.1, 0, 0), (1e-4, 1e-4, 1e-4))
        >>> free = mech.joint("free", mech.ground, flap, ct.Free())
        >>> end = np.eye(4)
        >>> end[0, 3] = 0.01
        >>> leaf = mech.beam_chain("leaf", ["ground", flap], [np.eye(4), end], (1e4, 5e3, 5e3, 0.1, 0.1, 0.1))
        >>> ct.equilibrium(mech).stable
        True
        """
        who = self._new_force(name, "beam")
        bodies = tuple(self._body(node, who).name for node in nodes)
        n = len(bodies) - 1
        if n < 1 or any(a == b for a, b in pairwise(bodies)):
            raise ForceError(f"{who}: give two nodes or more, each another body than the one before")
        poses = floats(frames)
        if poses is None or poses.shape != (n + 1, 4, 4) or not np.isfinite(poses).all():
            raise ShapeError(f"{who}: frames must be an array of shape {(n + 1, 4, 4)}, got {shown(frames)}")
        K, C = (
            tuple(array(x, (6,), what, who).tolist()) for x, what in ((stiffness, "stiffness"), (damping, "damping"))
        )
        if min(K) <= 0.0 or min(C) < 0.0:
            raise ForceError(f"{who}: stiffness {K} must be positive, and damping {C} not negative")
        chain = BeamChain(name, bodies, fixed(poses), K, C, fixed(_rest(rest_strain, n, who)))
        self.elements[name] = chain
        return chain

    def _node(self, name: str, frames: Array, k: int, section: Section) -> Body:
        """Half the mass of the elements beside a node; an end of the beam has little of it, see `_lump`."""
        beside = [element_line(frames[j], frames[j + 1])[0] for j in (k - 1, k) if 0 <= j < len(frames) - 1]
        length = 0.5 * sum(beside) * (AT_END if len(beside) == 1 else 1.0)
        node: Body = self.body(name, section.mass * length, frames[k, :3, 3], _turning(frames[k], section, length))
        return node

    def _lump(self, name: str, node: Body, frames: Array, which: int, section: Section) -> None:
        """The rest of half the mass of the last element, placed so that the centre of both is a sixth of the element away from
        the end: sums over nodes are integrals to third order then, and end with an error of second without it. It is a body of
        its own for the mass centre of the node to be at the end of the beam, where loads act by default."""
        k = max(which - 1, 0)
        length, X = element_line(frames[k], frames[k + 1])
        place = frames[which] @ exp_of((X if which == 0 else -X) / (6.0 * (1.0 - AT_END)))
        rest = 0.5 * length * (1.0 - AT_END)
        word, turning = "end" if which else "start", _turning(frames[which], section, rest)
        lump = self.body(f"{name}.{word}", rest * section.mass, place[:3, 3], turning)
        self.joint(lump.name, node, lump, Weld())


def _turning(frame: Array, section: Section, length: float) -> Array:
    """Inertia of a length of the section."""
    R = frame[:3, :3]
    return np.asarray(length * R @ np.diag(section.inertia) @ R.T)


def exp_of(X: Array) -> Array:
    from cotree.lie import exp_se3  # which is compiled

    return np.asarray(exp_se3(X))


def element_line(A: Array, B: Array) -> tuple[float, Array]:
    """(length, X) of the element between two section frames: it is the screw motion exp(X) from one to the other."""
    from cotree.lie import log_se3

    X = np.asarray(log_se3(inverse(A) @ B))
    return float(np.linalg.norm(X[3:])), X


def _viscosity(damping: Any, section: Section, who: str) -> tuple[float, ...]:
    c = floats(damping)
    if c is None or c.shape not in ((), (6,)) or not np.isfinite(c).all() or np.any(c < 0.0):
        raise ForceError(
            f"{who}: damping must be a time [s] or six numbers, none of them negative, got {shown(damping)}"
        )
    return tuple((c * section.stiffness if c.shape == () else c).tolist())


def _rest(strain: Any, elements: int, who: str) -> Array:
    x = floats(strain)
    if (
        x is None
        or x.shape not in ((), (6,), (elements, 6))
        or not np.isfinite(x).all()
        or (x.shape == () and x != 0.0)
    ):
        raise ForceError(f"{who}: rest_strain must be six numbers or an array {(elements, 6)}, got {shown(strain)}")
    return np.broadcast_to(x, (elements, 6)).copy()
