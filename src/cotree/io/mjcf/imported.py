"""A mechanism with what it was made of, and the way from MuJoCo's coordinates to its own.

| joint | MuJoCo | Cotree |
|---|---|---|
| hinge, slide | qpos, counted from `ref`; qvel | q = qpos - zero; v = qvel |
| ball | quaternion; angular velocity in the body | that since the reference; the same |
| free | position, quaternion; velocity of the body's origin in the world, angular velocity in the body | quaternion, position; angular velocity, then the velocity of the origin, both in the body (SE3), the latter in the world (SO3xR3) |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ChoiceError, ShapeError
from cotree.io.mjcf.bodies import body_pose
from cotree.io.mjcf.compiling import Compiled, mujoco
from cotree.io.mjcf.contacts import add_geom_contacts
from cotree.io.mjcf.joints import BALL, FREE, HINGE, SLIDE, add_friction, add_limits
from cotree.io.mjcf.measuring import measured
from cotree.io.mjcf.naming import Names
from cotree.io.mjcf.notes import NO_CONTACTS
from cotree.model.checks import floats, shown
from cotree.model.joints import Revolute, Spherical
from cotree.model.mechanism import Connection, Mechanism

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Imported:
    """compiled: MuJoCo's model; reference: its qpos where the mechanism is as assembled; zero: those of hinges and slides by
    name.

    closing: joints that close loops as the file has it: compile(cut=...) with them keeps the file's tree. What the file says
    and the mechanism does not is in left_out where it changes the motion, else in remarks.
    """

    mechanism: Mechanism
    compiled: Compiled
    names: Names
    reference: Array
    zero: dict[str, float]
    closing: tuple[str, ...]
    left_out: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def model(self) -> Any:
        """MuJoCo's model."""
        return self.compiled.model

    def with_limits(self) -> Mechanism:
        """The mechanism, with stops where the file's joints have ranges."""
        add_limits(self.mechanism, self.model, self.names, self.zero)
        self.mechanism.notes = tuple(note for note in self.mechanism.notes if not note.startswith("limits of joints"))
        return self.mechanism

    def with_friction(self) -> Mechanism:
        """The mechanism, with friction, which sticks, where hinges and slides of the file have a frictionloss."""
        add_friction(self.mechanism, self.model, self.names)
        rubbing = self.model.dof_frictionloss > 0.0
        if set(self.model.jnt_type[self.model.dof_jntid[rubbing]]) <= {SLIDE, HINGE}:
            self.mechanism.notes = tuple(n for n in self.mechanism.notes if not n.startswith("frictionloss of joints"))
        return self.mechanism

    def with_contacts(self) -> Mechanism:
        """The mechanism, with contacts between the geoms that MuJoCo lets collide, with their sliding friction."""
        own = [note for note in self.mechanism.notes if note != NO_CONTACTS]
        self.mechanism.notes = (*own, *add_geom_contacts(self.mechanism, self.compiled, self.names))
        return self.mechanism

    def coordinates(self, system: Any, qpos: Any) -> Array:
        """q of a system of the mechanism where MuJoCo has qpos; joints that close loops are measured between their bodies."""
        at = self._numbers(qpos, self.model.nq, "qpos")
        q, now = np.array(system.q0), self.placed(at)
        own = {name: j for j, name in enumerate(self.names.joints)}
        for name, place in tree_places(system):
            if name in own:
                new = self._coordinate(own[name], at)
            else:
                new = self._across(self.mechanism.joints[name], now) if name in self.closing else q[place]
            q[place] = new
        return q

    def velocities(self, system: Any, qpos: Any, qvel: Any) -> Array:
        """v of a system with the file's tree, compile(cut=imported.closing)."""
        at, rates = self._numbers(qpos, self.model.nq, "qpos"), self._numbers(qvel, self.model.nv, "qvel")
        own, v, now = {name: j for j, name in enumerate(self.names.joints)}, np.zeros(system.nv), self.placed(at)
        groups = system.groups
        for name, links in system.joint_links.items():
            link = system.links[links[0]] if links else None
            if name in own and link is not None:
                group = groups[self.mechanism.joints[name].child]
                v[link["iv"] : link["iv"] + link["nv"]] = self._rates(own[name], rates, now, group)
            elif name in self.closing and links:
                raise ChoiceError(f"joint {name!r} closes a loop but is in the tree; compile with cut=imported.closing")
        return v

    def placed(self, qpos: Array) -> Any:
        """MuJoCo's data with its bodies placed."""
        data = mujoco().MjData(self.model)
        data.qpos[:] = qpos
        mujoco().mj_kinematics(self.model, data)
        return data

    def _numbers(self, value: Any, count: int, what: str) -> Array:
        given = floats(value)
        if given is None or given.shape != (count,) or not np.isfinite(given).all():
            raise ShapeError(f"{what} must be {count} finite numbers, got {shown(value)}")
        return given

    def _coordinate(self, j: int, qpos: Array) -> Array:
        """Of a joint of the tree; a free body that is held fast has none."""
        kind, first = self.model.jnt_type[j], int(self.model.jnt_qposadr[j])
        if kind == FREE:
            e = _unit(qpos[first + 3 : first + 7])
            return np.array([*e, *qpos[first : first + 3]])
        if kind == BALL:
            e, start, out = _unit(qpos[first : first + 4]), _unit(self.reference[first : first + 4]), np.empty(4)
            mujoco().mju_negQuat(start, start)
            mujoco().mju_mulQuat(out, start, e)
            return out
        return np.array([qpos[first] - self.zero[self.names.joints[j]]])

    def _rates(self, j: int, qvel: Array, data: Any, group: str) -> Array:
        kind, first = self.model.jnt_type[j], int(self.model.jnt_dofadr[j])
        if kind == FREE:
            linear, angular = qvel[first : first + 3], qvel[first + 3 : first + 6]
            R = body_pose(data, int(self.model.jnt_bodyid[j]))[:3, :3]
            return np.array([*angular, *(R.T @ linear if group == "SE3" else linear)])
        return np.array(qvel[first : first + (3 if kind == BALL else 1)])

    def _across(self, c: Connection, now: Any) -> Array:
        """Of a joint that closes a loop."""
        start = self.placed(self.reference)
        place = {name: k for k, name in enumerate(self.names.bodies)}
        moves = [body_pose(now, place[b]) @ np.linalg.inv(body_pose(start, place[b])) for b in (c.parent, c.child)]
        F = c.joint.frame() if isinstance(c.joint, Revolute) else body_pose(start, place[c.child])
        if isinstance(c.joint, Spherical):
            F[:3, 3] = c.joint.point
        return measured(c.joint, F, np.linalg.inv(moves[0]) @ moves[1])


def tree_places(system: Any) -> Iterator[tuple[str, slice]]:
    """Where the coordinates of each joint of a system's tree are in q."""
    from cotree.system.links import sizes  # loaded with the system

    for name, links in system.joint_links.items():
        if links and name in system.mechanism.joints:
            first = int(system.links["iq"][list(links)].min())
            yield name, slice(first, first + sizes(system.mechanism.joints[name].joint)[2])


def _unit(e: Array) -> Array:
    size = float(np.linalg.norm(e))
    return np.array(e) / size if size > 1e-10 else np.array([1.0, 0.0, 0.0, 0.0])
