"""Colours and opacities of shapes, for pictures."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from cotree.errors import ArgumentError
from cotree.model.checks import floats, number, shown

NAMES = {
    "black": "#000000", "white": "#ffffff", "grey": "#808080", "gray": "#808080", "silver": "#c0c0c0", "red": "#d62728",
    "green": "#2ca02c", "blue": "#1f77b4", "orange": "#ff7f0e", "yellow": "#e7c000", "purple": "#9467bd", "brown": "#8c564b",
    "pink": "#e377c2", "cyan": "#17becf", "olive": "#7f8000", "navy": "#1b2a6b", "teal": "#008080", "maroon": "#7b1e2b",
    "gold": "#d4a017", "steel": "#8a97a6",
}  # fmt: skip


def color_of(value: Any, who: str) -> str | None:
    """ "#rrggbb" of such a text, of "#rgb", of a name, or of three numbers from 0 to 1; None stays None."""
    if value is None:
        return None
    if isinstance(value, str):
        text = NAMES.get(value.strip().lower(), value.strip().lower())
        if re.fullmatch(r"#[0-9a-f]{3}", text):
            text = "#" + "".join(2 * letter for letter in text[1:])
        if re.fullmatch(r"#[0-9a-f]{6}", text):
            return text
    else:
        parts = _fractions(value)
        if parts is not None:
            return "#" + "".join(f"{round(255 * x):02x}" for x in parts)
    raise ArgumentError(
        f"{who}: color is {shown(value)}; give a name ({', '.join(sorted(NAMES))}), '#rrggbb', or three numbers from 0 to 1"
    )


def _fractions(value: Any) -> list[float] | None:
    """Three numbers from 0 to 1, or None."""
    x = floats(value)
    good = x is not None and x.shape == (3,) and bool(((x >= 0.0) & (x <= 1.0)).all())
    return x.tolist() if x is not None and good else None


def opacity_of(value: Any, who: str) -> float:
    """From above 0 to 1."""
    found = number(value, "opacity", who)
    if not 0.0 < found <= 1.0:
        raise ArgumentError(f"{who}: opacity is {found:g}; it must be above 0 (invisible) and at most 1 (solid)")
    return found


@dataclass(frozen=True)
class Painted:
    """What has a colour (by default that of its body) and an opacity from above 0 to 1."""

    color: str | None = field(default=None, kw_only=True)
    opacity: float = field(default=1.0, kw_only=True)

    def _keep_paint(self) -> None:
        who = type(self).__name__
        object.__setattr__(self, "color", color_of(self.color, who))
        object.__setattr__(self, "opacity", opacity_of(self.opacity, who))
