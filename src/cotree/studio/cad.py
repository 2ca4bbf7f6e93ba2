"""A STEP assembly on the studio's bench: the choices that make a mechanism of it, guessed first, then made by a person."""

from __future__ import annotations

import copy
import re
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from cotree.errors import ChoiceError
from cotree.io.step import StepAssembly, read_step
from cotree.io.step.pictures import shape_of
from cotree.io.step.solids import Solid
from cotree.model.checks import positive, shown
from cotree.model.mechanism import Mechanism
from cotree.model.shapes import Mesh

MOST_SOLIDS = 300
PATIENCE = 120.0  # seconds for reading
STEEL = 7850.0  # kg/m^3
FIXED, NO_JOINT = "fixed", "no joint"
KINDS = ("revolute", "cylindrical", "prismatic", FIXED, NO_JOINT)
BALL_KINDS = ("spherical", FIXED, NO_JOINT)
DOWN = {  # where gravity points
    "-z": (0.0, 0.0, -9.81), "-y": (0.0, -9.81, 0.0), "-x": (-9.81, 0.0, 0.0), "+z": (0.0, 0.0, 9.81),
    "+y": (0.0, 9.81, 0.0), "+x": (9.81, 0.0, 0.0), "no gravity": (0.0, 0.0, 0.0),
}  # fmt: skip
STANDS = re.compile(r"frame|ground|base|housing|chassis|stand|bed|block|fixed|wall|table", re.IGNORECASE)


def plain_name(name: str) -> str:
    """What is harmless in a name that came from elsewhere."""
    return re.sub(r"[^\w -]+", "_", name).strip()[:60] or "model"


class CadFile:
    """Solids and proposed joints of a STEP file. `density` [kg/m^3], `down`: a name in `DOWN`, `ground`: the solid that
    stays, `kinds`: what each proposal is, by its number; all may be changed before `mechanism` is called again."""

    def __init__(self, assembly: StepAssembly, folder: tempfile.TemporaryDirectory[str] | None = None) -> None:
        count = len(assembly.solids)
        if count > MOST_SOLIDS:
            raise ChoiceError(
                f"{assembly.name!r} has {count} solids; the studio opens assemblies of up to {MOST_SOLIDS}"
            )
        if not len(assembly.proposals):
            raise ChoiceError(
                f"{assembly.name!r} has {count} solid{'s' if count > 1 else ''}, of which no two share a shaft and its hole "
                "or a ball and its socket: no joints were found, so nothing can move; export the whole assembly, with its "
                "parts as solids of their own"
            )
        self.assembly, self._folder = assembly, folder  # the folder holds the triangles as long as this lives
        self.name, self.density, self.down = assembly.name, STEEL, "-z"
        self.ground = _likely_ground(assembly)
        self.kinds = {p.number: p.kind for p in assembly.proposals}

    @classmethod
    def read(cls, path: Path) -> CadFile:
        folder = tempfile.TemporaryDirectory()
        return cls(read_step(path, meshes=folder.name, time_limit=PATIENCE), folder)

    def choose(self, density: Any, down: Any, ground: Any, kinds: dict[int, Any]) -> None:
        """Choices of a person; nothing is changed where one of them is wrong."""
        weight = positive(density, "density", self.name)
        if down not in DOWN or ground not in self.assembly.solids:
            raise ChoiceError(f"{self.name!r}: gravity {shown(down)} or fixed part {shown(ground)} is not in the list")
        for number, kind in kinds.items():
            if number not in self.kinds or kind not in self.kinds_of(number):
                raise ChoiceError(f"{self.name!r}: joint {shown(number)} cannot be {shown(kind)}")
        self.density, self.down, self.ground, self.kinds = weight, down, ground, {**self.kinds, **kinds}

    def kinds_of(self, number: int) -> tuple[str, ...]:
        return BALL_KINDS if self.assembly.proposals[number].kind == "spherical" else KINDS

    def mechanism(self) -> Mechanism:
        """What the choices make of the file. Solids without a joint stay where they are."""
        whole = self._welded()
        taken: dict[int | str, str] = {
            p.number: self.kinds[p.number] for p in whole.proposals if self.kinds[p.number] not in (FIXED, NO_JOINT)
        }
        pairs = [whole.proposals[number].bodies for number in taken]
        part = dict(zip(whole.solids, whole.parts, strict=True))
        moving = _connected(part[self.ground], pairs) - {part[self.ground]}
        if not moving:
            raise ChoiceError(
                f"no joint leads from the fixed part {self.ground!r} to another; choose another fixed part, or other joints"
            )
        still = sorted({body for body in part.values() if body not in moving})
        mech = whole.mechanism(still, list(taken), kinds=taken, gravity=DOWN[self.down])
        solids: dict[str, list[Solid]] = {}
        for name, solid in whole.solids.items():
            solids.setdefault(part[name], []).append(solid)
        mech.scenery([shape_of(body, solids[body]) for body in still])
        alone = [body for body in still if body != part[self.ground]]
        if alone:
            names = ", ".join(map(repr, alone[:8])) + (" and others" if len(alone) > 8 else "")
            mech.notes = (*mech.notes, f"no joint leads to {names}: they stay where they are")
        return mech

    def _welded(self) -> StepAssembly:
        """The assembly with its density, and parts that are fixed to each other as one."""
        solids = {name: replace(solid, density=self.density) for name, solid in self.assembly.solids.items()}
        whole, names = replace(self.assembly, solids=solids), list(solids)
        for number, kind in self.kinds.items():
            a, b = (names[k] for k in self.assembly.matches[number].pair)
            if kind == FIXED and whole.parts[names.index(a)] != whole.parts[names.index(b)]:
                whole = whole.welded((a, b))
        return whole

    def without_files(self, mech: Mechanism) -> Mechanism:
        """With the boxes around its solids in place of triangles, which live in files that end with the studio."""
        kept, parts = copy.copy(mech), dict(zip(self._welded().solids, self._welded().parts, strict=True))

        def box(body: str) -> Any:
            return shape_of(body, [replace(s, mesh=None) for n, s in self.assembly.solids.items() if parts[n] == body])

        kept.bodies = {n: replace(b, shape=box(n)) for n, b in mech.bodies.items()}
        kept.scenery_shapes = [s for s in mech.scenery_shapes if not isinstance(s, Mesh)] + [
            box(body) for body in sorted(set(parts.values()) - set(mech.bodies))
        ]
        return kept


def _likely_ground(assembly: StepAssembly) -> str:
    """The solid that a name tells, else that with the largest box; among those with joints."""
    jointed = {name for p in assembly.proposals for name in p.bodies}
    named = [name for name in assembly.solids if name in jointed and STANDS.search(name)]
    size = {n: float(((s.box[1] - s.box[0]) ** 2).sum()) for n, s in assembly.solids.items() if n in jointed}
    return named[0] if named else max(size, key=lambda name: size[name])


def _connected(start: str, pairs: Iterable[tuple[str, str]]) -> set[str]:
    """All that can be reached from the start."""
    found, edges = {start}, list(pairs)
    while more := {x for pair in edges for x in pair if found & set(pair)} - found:
        found |= more
    return found
