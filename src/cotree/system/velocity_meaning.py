"""What each entry of v is, in words: of which body, against which, and along axes that are fixed to what."""

from __future__ import annotations

from cotree.system.system import System
from cotree.system.tables import GROUP

COMPONENTS = "xyz"


def velocity_meaning(system: System) -> tuple[str, ...]:
    """One phrase for each entry of v."""
    out = [""] * system.nv
    for row, link in enumerate(system.links):
        joint, own = system.link_joints[row], range(int(link["iv"]), int(link["iv"] + link["nv"]))
        if not own:
            continue
        parent, child, floats = _ends(system, joint)
        if link["kind"] != GROUP:
            for i in own:
                out[i] = f"rate of coordinate {system.coordinate_names[i]!r} of {child} against {parent}"
            continue
        direct = floats and system.dofs[own[3]]["carried"] == link["inverted"]
        turns = list(COMPONENTS) if link["rotations"] == 3 else ["z"] * int(link["rotations"])
        shifts = [axis for bit, axis in enumerate(COMPONENTS) if int(link["translations"]) >> bit & 1]
        frame = child if floats else f"the joint frame fixed to {child}"
        against = "" if parent == "ground" else f" against {parent}"
        words = [f"angular velocity of {child}{against} about the {x} axis of {frame}" for x in turns]
        along = ("the world" if parent == "ground" else parent) if direct else frame
        point = f"the origin of {child}" if floats else f"the joint frame's origin on {child}"
        words += [f"velocity of {point}{against} along the {x} axis of {along}" for x in shifts]
        for i, text in zip(own, words, strict=True):
            out[i] = text
    return tuple(out)


def _ends(system: System, joint: str) -> tuple[str, str, bool]:
    """(parent, child, whether free) of a tree joint of the user's, or of a free one that was added for a floating body."""
    c = system.mechanism.joints.get(joint)
    if c is not None and joint not in system.cut_joints:
        return *("ground" if b == "ground" else repr(b) for b in (c.parent, c.child)), c.joint.floats  # type: ignore[return-value]
    return "ground", repr(joint.removesuffix(" (free)") if joint not in system.mechanism.bodies else joint), True
