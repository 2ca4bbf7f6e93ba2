"""Random closed mechanisms on a lattice: few directions and few points, so that special positions are frequent."""

from __future__ import annotations

import numpy as np

from tests.closed_mechanisms import GROUND, Sketch, X, Y, Z
from tests.random_mechanisms import TreeData

KINDS = ("R", "R", "R", "R", "P", "H", "C", "U", "S", "E", "X", "PT")
NAMES = {
    "R": "Revolute", "P": "Prismatic", "H": "Helical", "C": "Cylindrical", "U": "Universal", "S": "Spherical",
    "E": "Planar", "X": "Schoenflies", "PT": "PlanarTranslation",
}  # fmt: skip
DIRECTIONS = (X, Y, Z, (X + Y) / np.sqrt(2.0), (Y + Z) / np.sqrt(2.0))
CHOSEN = ([0.5, 0.3, 0.1, 0.05, 0.05], [0.8, 0.1, 0.1, 0, 0], [0.34, 0.33, 0.33, 0, 0], [0.2] * 5)
POINTS = [np.array(p, dtype=float) for p in np.ndindex(3, 2, 2)]


def lattice(seed: int) -> TreeData:
    """One to three loops, the first of three to six joints, each further one of two to four between bodies drawn at random."""
    rng = np.random.default_rng(seed)
    loops, sketch = int(rng.integers(1, 4)), Sketch()
    kinds, chances = iter(rng.choice(list(KINDS), size=40)), CHOSEN[int(rng.integers(4))]
    names = [GROUND]
    for loop in range(loops):
        n = int(rng.integers(3, 7)) if loop == 0 else int(rng.integers(2, 5))
        a, b = (GROUND, GROUND) if loop == 0 else map(str, rng.choice(names, 2, replace=False))
        chain = [a, *(f"b{loop}{i}" for i in range(n - 1)), b]
        for i in range(n):
            kind = str(next(kinds))
            axis, point = DIRECTIONS[rng.choice(5, p=chances)], POINTS[rng.integers(len(POINTS))]
            other = _across(rng, axis) if kind == "U" else None
            pitch = float(rng.choice([0.1, 0.1, 0.2])) if kind == "H" else 0.0
            sketch.joint(f"j{loop}{i}", NAMES[kind], chain[i], chain[i + 1], point, axis, other, pitch)
        names += chain[1:-1]
    return sketch.data()


def _across(rng: np.random.Generator, axis: np.ndarray) -> np.ndarray:
    while True:
        other = DIRECTIONS[rng.choice(5, p=[0.3, 0.3, 0.3, 0.05, 0.05])]
        if np.linalg.norm(np.cross(axis, other)) > 0.3:
            return other
