"""Colours of all pictures, by their names in the page's style sheet."""

from __future__ import annotations

HUES = ("c0", "c1", "c2", "c3", "c4", "c5")  # of bodies and curves
LIGHT = {
    "page": "#f4f5f7", "panel": "#ffffff", "text": "#1c2128", "faint": "#667080", "line": "#d5d9e0",
    "sky": "#e9edf3", "grid": "#a3adbb", "joint": "#3a414c", "cut": "#d55e00", "mark": "#3a414c", "crossing": "#9a3fa0",
    "c0": "#0072b2", "c1": "#00936b", "c2": "#b8578f", "c3": "#d98e00", "c4": "#3a9bd6", "c5": "#7a6f00",
}  # fmt: skip
DARK = {
    "page": "#14171c", "panel": "#1c2027", "text": "#e6e9ee", "faint": "#98a2b1", "line": "#343a45",
    "sky": "#20252d", "grid": "#56606f", "joint": "#c9d0da", "cut": "#ff7d26", "mark": "#c9d0da", "crossing": "#d58bda",
    "c0": "#4fa8e0", "c1": "#2fc496", "c2": "#dd8fb8", "c3": "#e9a820", "c4": "#8fd0f5", "c5": "#d6cb45",
}  # fmt: skip


def hue(place: int) -> str:
    """Colour name of the body at this index in the user's order, or of the curve of this number."""
    return HUES[place % len(HUES)]


def rgb(colour: str) -> tuple[int, int, int]:
    """#rrggbb as three numbers from 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def style_rules() -> str:
    """The colours as style sheet properties."""
    light, dark = (" ".join(f"--{k}: {v};" for k, v in colours.items()) for colours in (LIGHT, DARK))
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
