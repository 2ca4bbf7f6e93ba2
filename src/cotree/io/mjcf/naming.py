"""Names for all that becomes part of a mechanism: the file's, made up where it has none, and made different where two meet."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any

from cotree.io.mjcf.compiling import mujoco

KINDS = ("free", "ball", "slide", "hinge")


@dataclass(frozen=True)
class Names:
    """By MuJoCo's numbers: bodies (0 is "ground"), joints, equalities, tendons, actuators."""

    bodies: list[str]
    joints: list[str]
    equalities: list[str]
    tendons: list[str]
    actuators: list[str]


def fresh(name: str, taken: Container[str]) -> str:
    """A name that nothing has yet."""
    while name in taken:
        name += "_"
    return name


def different(wanted: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Each name as wanted, or with something behind it where it is taken."""
    seen, out = set(taken), list[str]()
    for name in wanted:
        out.append(fresh(name, seen))
        seen.add(out[-1])
    return out


def names_of(model: Any) -> Names:
    """Names of a model; equalities that close loops become joints and constraints, and share the joints' names."""
    objects = mujoco().mjtObj
    bodies = ["ground", *different(_names_in_file(model, objects.mjOBJ_BODY, model.nbody, "body")[1:], ["ground"])]
    own = _names_in_file(model, objects.mjOBJ_JOINT, model.njnt, "")
    hints = [f"{bodies[model.jnt_bodyid[j]]} {KINDS[model.jnt_type[j]]}" for j in range(model.njnt)]
    # the file's own names go first, so that a made up one never takes them away
    joints = _filled(own, hints, ())
    tendons = different(_names_in_file(model, objects.mjOBJ_TENDON, model.ntendon, "tendon"))
    own = _names_in_file(model, objects.mjOBJ_EQUALITY, model.neq, "")
    equalities = _filled(own, [_ends(model, e, bodies, joints, tendons) for e in range(model.neq)], joints)
    actuators = different(
        _names_in_file(model, objects.mjOBJ_ACTUATOR, getattr(model, "nactuator", model.nu), "actuator")
    )
    return Names(bodies, joints, equalities, tendons, actuators)


def _names_in_file(model: Any, kind: Any, count: int, word: str) -> list[str]:
    """The file's names; "word 3" where there is none, or nothing without a word."""
    found = [mujoco().mj_id2name(model, kind, k) or "" for k in range(count)]
    return [name or (f"{word} {k}" if word else "") for k, name in enumerate(found)]


def _filled(own: list[str], hints: list[str], taken: Iterable[str]) -> list[str]:
    """Names of the file, hints where it has none; all different."""
    kept = different([name for name in own if name], taken)
    others = different([hint for name, hint in zip(own, hints, strict=True) if not name], [*taken, *kept])
    return [kept.pop(0) if name else others.pop(0) for name in own]


def _ends(model: Any, e: int, bodies: list[str], joints: list[str], tendons: list[str]) -> str:
    """An equality by what it connects."""
    kind, kinds = mujoco().mjtEq(int(model.eq_type[e])), mujoco().mjtEq
    ends = (int(model.eq_obj1id[e]), int(model.eq_obj2id[e]))
    if kind in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
        return "-".join(bodies[body_at(model, e, k)] for k in ends)
    if kind == kinds.mjEQ_JOINT:
        return "-".join(joints[k] for k in ends if k >= 0)
    if kind == kinds.mjEQ_TENDON:
        return "-".join(tendons[k] for k in ends if k >= 0)
    return f"equality {e}"


def body_at(model: Any, e: int, end: int) -> int:
    """Body of an end of an equality, which is a body or a site."""
    is_site = int(model.eq_objtype[e]) == int(mujoco().mjtObj.mjOBJ_SITE)
    return int(model.site_bodyid[end]) if is_site else end
