"""`StepAssembly`: the solids of a STEP file and the joints that their faces suggest, until the user has confirmed them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from cotree._shown import Shown
from cotree.errors import ShapeError, UnconnectedError, UnknownNameError
from cotree.io.step.building import build, chosen
from cotree.io.step.matching import Match
from cotree.io.step.naming import numbered
from cotree.io.step.plain import Touch
from cotree.io.step.proposals import Proposals, proposed
from cotree.io.step.solids import Solid
from cotree.model.mechanism import Mechanism
from cotree.model.naming import nearest


@dataclass(frozen=True, eq=False)
class StepAssembly(Shown):
    """Solids by name; `proposals`: the table of joints that they suggest; `mechanism` builds what the user confirms."""

    name: str
    solids: dict[str, Solid]
    matches: list[Match]
    touches: list[Touch]
    tolerance: float
    parts: tuple[str, ...]  # for each solid, the one that it is welded to, or itself

    @cached_property
    def proposals(self) -> Proposals:
        """Joints that shared cylinders and spheres suggest."""
        names = list(self.solids)
        titles = numbered("-".join(names[k] for k in match.pair) for match in self.matches)
        return proposed(self.matches, titles, self.touches, list(self.parts), self.tolerance)

    def welded(self, *pairs: tuple[str, str]) -> StepAssembly:
        """The assembly with solids made one: ("pin", "crank") makes the pin a part of the crank.

        Proposals keep their numbers and names; their kinds follow from the faces of all that is welded together.
        """
        parts = list(self.parts)
        for pair in pairs:
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise ShapeError(f"weld: {pair!r} is not a pair of names; give pairs such as ('pin', 'crank')")
            what, onto = (self._part(name, parts) for name in pair)
            if what == onto:
                raise UnconnectedError(f"weld: {pair[0]!r} and {pair[1]!r} are already one body; leave this pair out")
            parts = [onto if part == what else part for part in parts]
        return replace(self, parts=tuple(parts))

    def mechanism(
        self,
        ground: str | list[str] | tuple[str, ...] | set[str],
        joints: Iterable[int | str] | Mapping[str, int | str] | None = None,
        *,
        accept: str | None = None,
        kinds: str | Mapping[int | str, str] | None = None,
        weld: Iterable[tuple[str, str]] = (),
        gravity: Any = (0.0, 0.0, -9.81),
    ) -> Mechanism:
        """The mechanism of the confirmed joints.

        ground: the solid (or solids) that stays. joints: proposals by number or name, or {name for the joint: proposal};
        or accept="all". kinds: "revolute", "cylindrical", "prismatic" or "spherical" for all, or by proposal. weld: pairs
        of solids that are one body, see `welded`.
        """
        whole = self.welded(*weld)
        fixed = list(ground) if isinstance(ground, tuple | list | set) else [ground]
        still = {self._part(name, list(whole.parts)) for name in fixed}
        return build(whole, still, chosen(whole.proposals, joints, accept, kinds), gravity)

    def _part(self, name: Any, parts: list[str]) -> str:
        """The body that a solid is a part of."""
        if not isinstance(name, str) or name not in self.solids:
            raise UnknownNameError(f"{self.name}: there is no solid {name!r}{nearest(name, self.solids)}")
        return parts[list(self.solids).index(name)]

    def __repr__(self) -> str:
        return f"<StepAssembly {self.name!r}: {len(self.solids)} solids, {len(self.proposals)} proposed joints>"

    def __str__(self) -> str:
        lines = [f"{solid!r}".strip("<>") for solid in self.solids.values()]
        return "\n".join([repr(self).strip("<>"), *lines, "", str(self.proposals)])
