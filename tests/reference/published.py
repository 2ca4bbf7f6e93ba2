"""Figures that others published, from the files beside this one; each names its source and licence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import cotree as ct

DATA = Path(__file__).parent / "data"


def figures(name: str) -> dict[str, Any]:
    return json.loads((DATA / f"{name}.json").read_text())


def table(data: dict[str, Any]) -> dict[str, np.ndarray]:
    """Columns by name."""
    return dict(zip(data["columns"], np.array(data["rows"]).T, strict=True))


def place(run: ct.Run, body: str, point: Any) -> np.ndarray:
    """(k, 3): where a point of a body is, given by its place in the reference assembly."""
    return (run.poses()[:, run.system.row_of(body)] @ [*point, 1.0])[:, :3]


def velocity(run: ct.Run, body: str, point: Any) -> np.ndarray:
    """(k, 3): its velocity."""
    k = run.system.row_of(body)
    V = np.array([ct.twists(run.system, q, v, "spatial")[k] for q, v in zip(run.q, run.v, strict=True)])
    return V[:, 3:] + np.cross(V[:, :3], place(run, body, point))
