"""Rotors of motors in a URDF: <transmission> with <drake:rotor_inertia> and <drake:gear_ratio>, as Drake has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from xml.sax.saxutils import quoteattr

from cotree.errors import DocumentError
from cotree.io.native.error_paths import located
from cotree.io.robots.description import Joint
from cotree.io.robots.joints import ONE_DOF
from cotree.io.xml.elements import Element, shown
from cotree.io.xml.values import attribute, number_at, the
from cotree.model.mechanism import nearest

INERTIA, RATIO = "drake:rotor_inertia", "drake:gear_ratio"
NAMESPACE = ' xmlns:drake="https://drake.mit.edu"'


def is_rotor(element: Element) -> bool:
    """Whether this is a transmission that tells the inertia of a rotor; others are not read."""
    actuator = element.first("actuator") if element.tag == "transmission" else None
    return actuator is not None and actuator.first(INERTIA) is not None


def with_rotors(joints: Mapping[str, Joint], root: Element) -> dict[str, Joint]:
    """The joints, with what transmissions say of their rotors."""
    found = dict(joints)
    for element in filter(is_rotor, root.inside):
        with located(element.who):
            name, actuator = attribute(the(element, "joint"), "name"), the(element, "actuator")
            if name not in found or found[name].kind not in ONE_DOF or found[name].rotor:
                raise DocumentError(
                    f"joint {shown(name)} is not a joint of one coordinate without a rotor{nearest(name[:60], found)}"
                )
            ratio = actuator.first(RATIO)
            gear = 1.0 if ratio is None else number_at(ratio, "value")
            found[name] = replace(found[name], rotor=number_at(the(actuator, INERTIA), "value"), gear=gear)
    return found


def transmission(joint: str, inertia: float, ratio: float) -> list[str]:
    """Lines of a transmission that tells them."""
    name = quoteattr(f"{joint} transmission")
    return [
        f'  <transmission name={name} type="SimpleTransmission">',
        f"    <joint name={quoteattr(joint)}/>",
        f"    <actuator name={quoteattr(f'{joint} rotor')}>",
        f'      <{RATIO} value="{ratio!r}"/>',
        f'      <{INERTIA} value="{inertia!r}"/>',
        "    </actuator>",
        "  </transmission>",
    ]
