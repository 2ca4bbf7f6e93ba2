"""Descriptions of contacts: two shapes on two bodies that may touch, with friction and restitution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cotree.errors import SwitchError
from cotree.model.forces import UserFunction


@dataclass(frozen=True, eq=False)
class Contact:
    """Two shapes that push each other where they touch and rub with Coulomb's friction; `static` is the coefficient that holds,
    `friction` that of sliding."""

    name: str
    body_a: str
    shape_a: Any
    body_b: str
    shape_b: Any
    friction: float = 0.0
    restitution: float = 0.0
    static_friction: float | None = None
    word: str = "contact"

    @property
    def static(self) -> float:
        return self.friction if self.static_friction is None else self.static_friction

    def check(self, who: str) -> None:
        """Refuse friction and blows that would supply energy."""
        if self.friction < 0.0:
            raise SwitchError(f"{who}: friction is {self.friction:g}; give a coefficient of 0 or more")
        if self.static < self.friction:
            raise SwitchError(
                f"{who}: static_friction is {self.static:g} and friction {self.friction:g}; what holds is at least what slides"
            )
        if not 0.0 <= self.restitution <= 1.0:
            raise SwitchError(
                f"{who}: restitution is {self.restitution:g}; give a number from 0 (no rebound) to 1 (elastic)"
            )


@dataclass(frozen=True, eq=False)
class FunctionContact(Contact):
    """A contact whose gap, normal row and tangent rows are functions of q and t; without a normal it comes from differences."""

    gap: UserFunction | None = None
    normal: UserFunction | None = None
    tangent: UserFunction | None = None

    def functions(self) -> Iterator[tuple[str, Any]]:
        """Its functions, each with the name of the argument that it was given as."""
        named = ((which, getattr(self, which)) for which in ("gap", "normal", "tangent"))
        return ((which, f.function) for which, f in named if f is not None)
