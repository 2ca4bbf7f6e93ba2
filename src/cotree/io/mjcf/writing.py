"""A mechanism as MJCF: bodies within bodies, joints that close loops as equalities, springs between points as tendons.

Bodies keep the frames of their data, so that data in the world frame are written unchanged. Exactly what MJCF can say is
written; a mechanism with anything else is refused by name. Geoms are for pictures: no mass, no contacts.
"""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError, ShapeError
from cotree.io.mjcf.layout import CANNOT, TREE, layout
from cotree.io.mjcf.nodes import Layout, Node, Step
from cotree.io.mjcf.writing_actions import MJCF, actions_of
from cotree.io.mjcf.writing_constraints import Actions
from cotree.io.mjcf.writing_equalities import closing_lines
from cotree.io.mjcf.writing_shapes import Assets, geom
from cotree.io.mjcf.writing_start import key_line
from cotree.io.mjcf.writing_values import Attributes, element, pose_attributes, words
from cotree.io.xml.names import check_names
from cotree.lie import inverse
from cotree.model.checks import shown
from cotree.model.features import admit_beams
from cotree.model.joints import Free, Weld
from cotree.model.mechanism import Body, Mechanism

Array = NDArray[np.float64]
LEAST = 1e-15  # MuJoCo's smallest mass and moment of inertia of what moves


def mjcf_text(mech: Mechanism) -> str:
    """The mechanism as the text of an MJCF file."""
    if not isinstance(mech, Mechanism):
        raise ShapeError(f"only a Mechanism can be saved, got {shown(mech)}; for a System give system.mechanism")
    if "world" in mech.bodies:
        raise DocumentError("body 'world' has the name of the root of an MJCF file; rename it")
    check_names(mech, "MJCF")
    admit_beams(MJCF, mech)
    tree = layout(mech)
    actions, assets = actions_of(mech, tree), Assets()
    inside = [line for node in tree.root.inside for line in _body(mech, tree, node, tree.root, actions, assets)]
    world = [*(f"    {site}" for site in actions.sites.get("ground", [])), *(f"  {line}" for line in inside)]
    equality = [*closing_lines(tree), *actions.equalities]
    key = key_line(mech, tree)
    lines = [
        f"<mujoco model={quoteattr(mech.name)}>" if mech.name else "<mujoco>",
        '  <compiler angle="radian" autolimits="true" inertiafromgeom="false"/>',
        f'  <option gravity="{words(mech.gravity)}"/>',
        *_section("asset", assets.lines),
        "  <worldbody>", *world, "  </worldbody>",
        *_section("tendon", actions.tendons),
        *_section("equality", equality),
        *_section("actuator", actions.actuators),
        *_section("keyframe", [key] if key else []),
        "</mujoco>", "",
    ]  # fmt: skip
    return "\n".join(lines)


def _section(tag: str, lines: list[str]) -> list[str]:
    return [f"  <{tag}>", *(f"    {line}" for line in lines), f"  </{tag}>"] if lines else []


def _body(mech: Mechanism, tree: Layout, node: Node, parent: Node, actions: Actions, assets: Assets) -> list[str]:
    """Lines of a body and of all that is attached to it."""
    body = mech.bodies[node.body]
    _check_mass(mech, node)
    share = actions.compensation.get(body.name, 0.0)
    C = inverse(tree.frames[parent.body]) @ tree.frames[body.name]
    attributes: Attributes = {"name": body.name, **pose_attributes(C), **({"gravcomp": share} if share else {})}
    lines = [f"  {element('body', attributes, close=False)}", *(f"    {line}" for line in _inertial(body))]
    lines += [
        f"    {_joint(tree, node, step, actions)}" for step in node.steps if not isinstance(step.joint.joint, Weld)
    ]
    lines += [f"    {line}" for line in (*geom(body, assets), *actions.sites.get(body.name, []))]
    for inner in node.inside:
        lines += [f"  {line}" for line in _body(mech, tree, inner, node, actions, assets)]
    return [*lines, "  </body>"]


def _joint(tree: Layout, node: Node, step: Step, actions: Actions) -> str:
    """A joint in the frame of its body; if it points against the tree, its axis is reversed."""
    joint, kind = step.joint, TREE[type(step.joint.joint)]
    extras = actions.joints.get(joint.name, {})
    if isinstance(joint.joint, Free):
        return element("joint", {"name": joint.name, "type": "free", **extras})
    F = inverse(tree.frames[node.body]) @ step.frame
    attributes: Attributes = {"name": joint.name, "type": kind}
    if F[:3, 3].any():
        attributes["pos"] = words(F[:3, 3])
    if kind != "ball":
        attributes["axis"] = words(-F[:3, 2] if step.backward else F[:3, 2])
    return element("joint", {**attributes, **extras})


def _inertial(body: Body) -> list[str]:
    """Mass properties; nothing for a body without mass."""
    p = body.properties
    if not p.mass and not p.inertia.any():
        return []
    I = p.inertia + _lift(p.inertia) * np.eye(3)
    attributes: Attributes = {"pos": words(p.com), "mass": float(p.mass)}
    if np.array_equal(I, np.diag(np.diag(I))):
        return [element("inertial", {**attributes, "diaginertia": words(np.diag(I))})]
    upper = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    return [element("inertial", {**attributes, "fullinertia": words(upper)})]


def _lift(I: Array) -> float:
    """What makes the triangle inequality strict, which MuJoCo checks to the last digit: flat bodies are at its edge."""
    a, b, c = np.linalg.eigvalsh(I)
    return float(max(0.0, c * (1.0 + 1e-14) - a - b))


def _check_mass(mech: Mechanism, node: Node) -> None:
    """What moves must have mass and inertia of its own, or by what is welded to it."""
    if all(isinstance(step.joint.joint, Weld) for step in node.steps) or _heavy(mech, node):
        return
    raise DocumentError(
        f"body {node.body!r} moves but lacks mass, or inertia about one of its axes, {CANNOT}; give it a little of both"
    )


def _heavy(mech: Mechanism, node: Node) -> bool:
    p = mech.bodies[node.body].properties
    if p.mass > LEAST and np.linalg.eigvalsh(p.inertia)[0] > LEAST:
        return True
    welded = [inner for inner in node.inside if all(isinstance(step.joint.joint, Weld) for step in inner.steps)]
    return any(_heavy(mech, inner) for inner in welded)
