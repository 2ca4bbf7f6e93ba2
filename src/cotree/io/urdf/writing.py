"""A mechanism as URDF: a tree of links from a root called "world", other joints as <loop_joint>.

A link's frame is the body's own, moved to the joint that leads to it. Exactly what URDF can say is written; a mechanism with
anything else is refused by name. Gravity other than the usual is noted as <gravity xyz="..."/>, which other programs skip.
"""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError, ShapeError
from cotree.io.urdf.extras import URDF, Extras, extras_of
from cotree.io.urdf.joints import X
from cotree.io.urdf.reading import GRAVITY, WORLD
from cotree.io.urdf.rotors import NAMESPACE, transmission
from cotree.io.urdf.shapes import visual
from cotree.io.urdf.tree import CANNOT, Branch, Layout, layout
from cotree.io.xml.names import check_names
from cotree.io.xml.poses import roll_pitch_yaw
from cotree.lie import inverse
from cotree.model.checks import shown
from cotree.model.features import admit_beams
from cotree.model.joints import Free, Joint, Planar, Prismatic, Revolute, Spherical, Weld
from cotree.model.mechanism import Body, Connection, Mechanism

Array = NDArray[np.float64]

TREE: dict[type[Joint], str] = {
    Revolute: "continuous", Prismatic: "prismatic", Weld: "fixed", Free: "floating", Planar: "planar",
}  # fmt: skip
CLOSING: dict[type[Joint], str] = {
    Revolute: "revolute", Prismatic: "prismatic", Weld: "fixed", Spherical: "spherical", Planar: "planar",
}  # fmt: skip
THIRD_TO_FIRST = np.array([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
ENDLESS = 1e9  # rad, m, N or N m: where there is no bound, and other programs want a number


def urdf_text(mech: Mechanism) -> str:
    """The mechanism as the text of a URDF."""
    if not isinstance(mech, Mechanism):
        raise ShapeError(f"only a Mechanism can be saved, got {shown(mech)}; for a System give system.mechanism")
    if WORLD in mech.bodies:
        raise DocumentError("body 'world' has the name of the root of the URDF; rename it")
    check_names(mech, "URDF")
    admit_beams(URDF, mech)
    tree = layout(mech, set(TREE))
    extras = extras_of(mech, {branch.joint.name for branch in tree.branches})
    lines = [f"<robot name={quoteattr(mech.name or 'robot')}{NAMESPACE if extras.rotors else ''}>"]
    if tuple(mech.gravity) != GRAVITY:
        lines.append(f'  <gravity xyz="{words(mech.gravity)}"/>')
    lines.append(f'  <link name="{WORLD}"/>')
    for branch in tree.branches:
        lines += _link(mech.bodies[branch.body], tree) + _joint(branch, tree, extras)
    for connection, on_parent, on_child in tree.closing:
        lines += _loop(connection, on_parent, on_child, tree)
    for joint, (inertia, ratio) in extras.rotors.items():
        lines += transmission(joint, inertia, ratio)
    return "\n".join([*lines, "</robot>", ""])


def words(values: Array | tuple[float, ...]) -> str:
    """Numbers with all their digits."""
    return " ".join(repr(float(x)) for x in values)


def origin(C: Array, tag: str = "origin") -> str:
    """An element with the attributes of a pose."""
    return f'<{tag} xyz="{words(C[:3, 3])}" rpy="{words(roll_pitch_yaw(C[:3, :3]))}"/>'


def name_of(body: str) -> str:
    return quoteattr(WORLD if body == "ground" else body)


def _link(body: Body, tree: Layout) -> list[str]:
    C = inverse(tree.links[body.name]) @ tree.frames[body.name]
    p = body.properties.moved(C)
    lines = [f"  <link name={quoteattr(body.name)}>"]
    if p.mass or p.inertia.any():
        I = p.inertia
        moments = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), I[np.triu_indices(3)], strict=True)
        tensor = " ".join(f'{key}="{float(x)!r}"' for key, x in moments)
        mass = f'<mass value="{float(p.mass)!r}"/>'
        lines += [
            "    <inertial>",
            f'      <origin xyz="{words(p.com)}"/>',
            f"      {mass}",
            f"      <inertia {tensor}/>",
        ]
        lines += ["    </inertial>"]
    return [*lines, *visual(body, C), "  </link>"]


def _joint(branch: Branch, tree: Layout, extras: Extras) -> list[str]:
    """A joint of the tree; if it points against the tree, the axis is reversed. A hinge is called revolute if it has stops."""
    joint, parent, child = branch.joint, tree.links[branch.inner], tree.links[branch.body]
    kind = TREE[type(joint.joint)]
    kind = "revolute" if kind == "continuous" and joint.name in extras.ranges else kind
    lines = [f'  <joint name={quoteattr(joint.name)} type="{kind}">', f"    {origin(inverse(parent) @ child)}"]
    lines += [f"    <parent link={name_of(branch.inner)}/>", f"    <child link={name_of(branch.body)}/>"]
    if kind in ("continuous", "revolute", "prismatic", "planar"):
        axis = child[:3, :3].T @ branch.frame[:3, 2]
        lines.append(f'    <axis xyz="{words(-axis if branch.backward else axis)}"/>')
    return [*lines, *_of_joint(joint.name, kind, extras), "  </joint>"]


def _of_joint(name: str, kind: str, extras: Extras) -> list[str]:
    """Limit, damping and mimic of one joint; bounds that are missing are far away, as those of effort and speed are."""
    lines = []
    if kind in ("revolute", "prismatic"):
        low, high = extras.ranges.get(name, (-ENDLESS, ENDLESS))
        lower, upper = max(low, -ENDLESS), min(high, ENDLESS)
        lines.append(f'    <limit lower="{lower!r}" upper="{upper!r}" effort="{ENDLESS!r}" velocity="{ENDLESS!r}"/>')
    if name in extras.damping:
        lines.append(f'    <dynamics damping="{extras.damping[name]!r}"/>')
    if name in extras.mimics:
        other, factor, offset = extras.mimics[name]
        lines.append(f'    <mimic joint={quoteattr(other)} multiplier="{factor!r}" offset="{offset!r}"/>')
    return lines


def _loop(c: Connection, on_parent: Array, on_child: Array, tree: Layout) -> list[str]:
    """A joint that closes a loop, its axis the first of both frames: where others find it without being told."""
    kind = CLOSING.get(type(c.joint))
    if kind is None:
        raise DocumentError(f"joint {c.name!r} closes a loop and is of type {type(c.joint).__name__}, {CANNOT}")
    ends = ((c.parent, on_parent), (c.child, on_child))
    poses = [inverse(tree.links[body]) @ F @ THIRD_TO_FIRST for body, F in ends]
    lines = [f'  <loop_joint name={quoteattr(c.name)} type="{kind}">']
    for k, ((body, _), C) in enumerate(zip(ends, poses, strict=True), 1):
        lines.append(f"    {origin(C, f'link{k} link={name_of(body)}')}")
    return [*lines, f'    <axis xyz="{words(X)}"/>', "  </loop_joint>"]
