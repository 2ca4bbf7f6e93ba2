"""Joints of an SDF model: drawn in the world where the links are, so that loops are closed as they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError
from cotree.io.robots.description import GROUND, Gearbox, Joint, Limit
from cotree.io.robots.joints import BALLS, WITH_AXIS, check_axis
from cotree.io.sdf.frames import MODEL, WORLD, Frame, link_of
from cotree.io.xml.elements import Element, shown
from cotree.io.xml.values import attribute, number, numbers, one_of, the
from cotree.lie import inverse
from cotree.model.mechanism import nearest

Array = NDArray[np.float64]
KINDS = ("revolute", "continuous", "prismatic", "fixed", "universal", "revolute2", "screw", *BALLS)
NO_LIMIT = 1e16  # by which SDF means none


@dataclass(frozen=True)
class JointReader:
    """Reads joints of a model whose frames are placed in the world."""

    frames: Mapping[str, Frame]
    placed: Mapping[str, Array]
    version: float

    def joint(self, element: Element) -> Joint:
        name, kind = attribute(element, "name"), one_of(attribute(element, "type"), KINDS, "type")
        parent, child = self._link(element, "parent"), self._link(element, "child")
        if parent == child:
            raise DocumentError(f"parent and child are both on link {shown(parent)}; name two links")
        F = self.placed[name]
        A, B = (inverse(self.placed[WORLD if link == GROUND else link]) @ F for link in (parent, child))
        first, second = element.first("axis"), element.first("axis2")
        axes: dict[str, Any] = {}
        if kind in WITH_AXIS:
            axes["axis"] = check_axis(self._axis(first, F), "axis")
        if kind in ("universal", "revolute2"):
            axes["axis2"] = check_axis(self._axis(second, F), "axis2")
        if kind == "screw":
            axes["pitch"] = _pitch(element)
        return Joint(name, kind, parent, child, A, B, **axes, **_dynamics(first))

    def gearbox(self, element: Element) -> Gearbox:
        """theta_child = -ratio theta_parent, both against the reference body."""
        name, body = attribute(element, "name"), link_of(self.frames, the(element, "gearbox_reference_body").text)
        ratio = element.first("gearbox_ratio")
        F = self.placed[name]
        e, f = (F[:3, :3] @ check_axis(self._axis(element.first(tag), F), tag) for tag in ("axis", "axis2"))
        a, b = self._link(element, "parent"), self._link(element, "child")
        value = 1.0 if ratio is None else number(ratio.text, "gearbox_ratio")
        return Gearbox(name, GROUND if body == WORLD else body, a, b, e, f, value)

    def _link(self, element: Element, tag: str) -> str:
        link = link_of(self.frames, the(element, tag).text)
        return GROUND if link == WORLD else link

    def _axis(self, element: Element | None, F: Array) -> tuple[float, ...]:
        """Axis in the joint frame F; before SDF 1.5, and where asked for, it is written in the model's."""
        xyz = None if element is None else element.first("xyz")
        if element is None or xyz is None:
            return (0.0, 0.0, 1.0)
        told, old = xyz.attributes.get("expressed_in", ""), element.first("use_parent_model_frame")
        if not told and (self.version < 1.5 or (old is not None and old.text in ("1", "true"))):
            told = MODEL
        axis = np.array(numbers(xyz.text, 3, "axis"))
        if told:
            if told not in self.placed:
                raise DocumentError(f"expressed_in: there is no frame {shown(told)}{nearest(told[:60], self.placed)}")
            axis = F[:3, :3].T @ self.placed[told][:3, :3] @ axis
        return tuple(axis.tolist())


def _pitch(element: Element) -> float:
    """Metres per radian: of screw_thread_pitch in metres per turn, or of thread_pitch in radians per metre, left-handed."""
    new, old = element.first("screw_thread_pitch"), element.first("thread_pitch")
    if new is not None:
        return number(new.text, "screw_thread_pitch") / (2.0 * pi)
    value = 1.0 if old is None else number(old.text, "thread_pitch")
    if value == 0.0:
        raise DocumentError("thread_pitch is 0 radians per metre, a pure translation; use a prismatic joint")
    return -1.0 / value


def _dynamics(axis: Element | None) -> dict[str, Any]:
    """Damping, friction, spring and limits of the first axis."""
    if axis is None:
        return {}
    out: dict[str, Any] = {}
    dynamics, limit = axis.first("dynamics"), axis.first("limit")
    keys = {"damping": "damping", "friction": "friction", "spring_stiffness": "stiffness", "spring_reference": "rest"}
    for e in [] if dynamics is None else dynamics.inside:
        if e.tag in keys:
            out[keys[e.tag]] = number(e.text, e.tag)
    if limit is not None:
        known = [e for e in limit.inside if e.tag in ("lower", "upper", "effort", "velocity")]
        values = {e.tag: number(e.text, e.tag, endless=True) for e in known}
        out["limit"] = Limit(**{key: x for key, x in values.items() if abs(x) < NO_LIMIT})
    return out
