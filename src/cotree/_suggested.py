"""Suggestions for attributes that do not exist, including the names used by other programs."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from cotree.errors import MissingAttributeError

QUOTE = "'"
ABSENT = "Cotree does not have it; see docs/limits.md"
PACKAGE = {  # in lower case, without underscores
    "hinge": "Revolute", "pin": "Revolute", "pinjoint": "Revolute", "rotational": "Revolute", "continuous": "Revolute",
    "rotary": "Revolute", "hingejoint": "Revolute", "revolutejoint": "Revolute", "fixed": "Weld", "rigid": "Weld",
    "fixedjoint": "Weld", "welded": "Weld", "ball": "Spherical", "balljoint": "Spherical", "ballandsocket": "Spherical",
    "sphericaljoint": "Spherical", "slider": "Prismatic", "slide": "Prismatic", "linear": "Prismatic",
    "translational": "Prismatic", "sliderjoint": "Prismatic", "prismaticjoint": "Prismatic", "screw": "Helical",
    "screwjoint": "Helical", "cardan": "Universal", "hooke": "Universal", "floating": "Free", "freejoint": "Free",
    "freeflyer": "Free", "quaternionfloating": "Free", "sixdof": "Free", "scara": "Schoenflies", "model": "Mechanism",
    "linkage": "Mechanism", "multibody": "Mechanism", "multibodyplant": "Mechanism", "mbs": "Mechanism",
    "rigidbody": "Mechanism().body", "link": "Mechanism().body", "contact": "Mechanism().contact",
    "collision": "Mechanism().contact", "cotreeerror": "errors.CotreeError",
    "forwardkinematics": "poses", "fk": "poses", "ik": "inverse_kinematics", "dof": "mobility",
    "displacements": "poses", "integrateq": "displace", "retract": "displace", "exp": "displace",
    "com": "center_of_mass", "centerofgravity": "center_of_mass", "centreofmass": "center_of_mass",
    "jacobian": "body_jacobian", "massmatrix": "mass_matrix", "solve": "simulate", "run": "simulate", "crba": "mass_matrix",
    "solveivp": "simulate", "step": "Stepper", "twistrates": "accelerations", "readurdf": "load", "loadurdf": "load",
    "modes": "linearize", "eigenfrequencies": "linearize", "modal": "linearize",
    "damper": "Mechanism().joint_damper", "world": "Mechanism().ground", "wheel": "Mechanism().rolling",
    "tire": "Mechanism().tyre", "solver": "simulate", "integrator": "simulate", "show": "Run.html", "animate": "Run.movie",
    "animation": "Run.movie", "plot": "Run.plot", "csv": "Run.to_dataframe", "hydrauliccylinder": "Mechanism().cylinder",
    "trajectory": "Table", "spline": "Table", "profilemotion": "Trapezoid", "sine": "Harmonic", "stepfunction": "Steps",
    "rnea": "inverse_dynamics", "aba": "forward_dynamics", "capsule": "Rod", "cuboid": "Box", "ground": "Mechanism().ground",
}  # fmt: skip
NOT_OFFERED = ("flexible",)


def missing(owner: str, name: str, known: Iterable[str], synonyms: Mapping[str, str]) -> MissingAttributeError:
    """The error for a missing name, with a suggestion."""
    plain = plain_word(name)
    words = {word.lower(): word for word in known}
    close = difflib.get_close_matches(name.lower()[:100], words, n=1)
    if plain in synonyms:
        hint = f"did you mean {synonyms[plain]!r}?"
    elif plain in NOT_OFFERED:
        hint = ABSENT
    elif close:
        hint = f"did you mean {words[close[0]]!r}?"
    else:
        hint = f"dir({owner.removeprefix('module ').strip(QUOTE) if 'module' in owner else '...'}) lists the names"
    return MissingAttributeError(f"{owner} has no attribute {name!r}; {hint}", name=name)


def plain_word(name: str) -> str:
    """In lower case, without underscores."""
    return name.lower().replace("_", "")


def methods_of(kind: type, owner: str) -> dict[str, str]:
    """Public names of a class by their plain spelling, as they are called."""
    return {plain_word(n): f"{owner}.{n}" for n in dir(kind) if not n.startswith("_")}


class Suggesting:
    """Objects that suggest what may have been meant by an attribute that does not exist."""

    synonyms: ClassVar[Mapping[str, str]] = {}

    if not TYPE_CHECKING:  # type checkers find missing attributes without it

        def __getattr__(self, name: str) -> Any:
            kind = type(self)
            if hasattr(kind, name):  # a property that failed: raise its own error
                return object.__getattribute__(self, name)
            if name.startswith("_"):  # other programs probe for these
                raise MissingAttributeError(f"{kind.__name__!r} object has no attribute {name!r}", name=name)
            known = [word for word in (*dir(kind), *self.__dict__) if not word.startswith("_")]
            raise missing(f"{kind.__name__!r} object", name, known, {**_functions(), **self.synonyms})


def _functions() -> dict[str, str]:
    """Names of functions of the package, by their plain spelling."""
    import cotree

    names = [n for n in cotree.__all__ if n.islower() or "_" in n]
    return {n.replace("_", ""): f"ct.{n}(...)" for n in names}
