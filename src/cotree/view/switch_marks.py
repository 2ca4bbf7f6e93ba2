"""Changes of topology in plots: one line each, with labels if they are few, otherwise with numbers and a list; phases are
tinted."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cotree.integrate.phases.phase import Switch
    from cotree.integrate.results.run import Run

FEW = 6  # switches that get their own label
LISTED = 24  # entries of the list
MANY = 40  # lines above which they are drawn thinner
COLUMNS, LETTERS = 3, 174  # of the list at most, and characters in all of them
LETTER = 0.0085  # width of a character as a fraction of the panel
LINE = "0.25"


def tint_phases(panel: Any, run: Run) -> None:
    """A light tint per topology; none for the initial one."""
    kinds = list(dict.fromkeys(p.names for p in run.phases if p.names))
    for p in run.phases:
        if p.names:
            color = f"C{kinds.index(p.names) % 10}"
            panel.axvspan(p.begin, p.end, facecolor=color, edgecolor="none", alpha=0.09, zorder=0)


def draw_switches(panel: Any, run: Run) -> None:
    """Vertical lines."""
    many = len(run.switches) > MANY
    for s in run.switches:
        panel.axvline(s.t, color=LINE, linewidth=0.3 if many else 0.8, alpha=0.8)


def tell_switches(figure: Any, panel: Any, run: Run) -> None:
    """Label each line above the panel, or number it and add a list below the figure."""
    switches = run.switches
    if len(switches) <= FEW:
        _labels(panel, switches)
        return
    _numbers(panel, switches)
    _list(figure, _lines(switches))


def _lines(switches: tuple[Switch, ...]) -> list[str]:
    """One line per switch; if there are too many, one for each group of equal consecutive ones."""
    groups = [[k] for k in range(len(switches))]
    if len(switches) > LISTED:
        groups = [list(group) for _, group in groupby(range(len(switches)), key=lambda k: told(switches[k]))]
    lines = []
    for first, last in ((group[0], group[-1]) for group in groups):
        times = " to ".join(dict.fromkeys(f"{switches[k].t:.4g}" for k in (first, last)))
        lines.append(f"{_range(first, last)}  {times} s: {told(switches[first])}")
    return lines if len(lines) <= LISTED else [*lines[: LISTED - 1], f"and {len(lines) - LISTED + 1} more"]


def _columns(lines: list[str]) -> int:
    """As many as there is room for."""
    return max(1, min(COLUMNS, LETTERS // (max(map(len, lines)) + 2)))


def told(switch: Switch) -> str:
    """Short description of a switch."""
    first, *others = [f"{name} {what}" for name, what in switch.changes]
    return first if not others else f"{first}; {others[0]}" if len(others) == 1 else f"{first} and {len(others)} more"


def list_height(run: Run) -> float:
    """Height of the list in inches."""
    if len(run.switches) <= FEW:
        return 0.0
    lines = _lines(run.switches)
    return 0.17 * -(-len(lines) // _columns(lines)) + 0.1


def _labels(panel: Any, switches: tuple[Switch, ...]) -> None:
    """Labels to the right of their lines on the left half, to the left on the right half; outer ones are higher, so that no
    leader line crosses another label."""
    begin, end = panel.get_xlim()
    at = [(s.t - begin) / (end - begin) for s in switches]
    left = [k for k, x in enumerate(at) if x < 0.5]
    taken: list[list[tuple[float, float]]] = []
    for k in (*reversed(left), *range(len(left), len(at))):
        text, width = told(switches[k]), LETTER * (len(told(switches[k])) + 2)
        span = (at[k], at[k] + width) if k < len(left) else (at[k] - width, at[k])
        level = _level(taken, span, at[k])
        taken += [[]] if level == len(taken) else []
        taken[level].append(span)
        for lower in taken[:level]:
            lower.append((at[k], at[k]))
        _label(panel, switches[k].t, text, level, k < len(left))


def _level(taken: list[list[tuple[float, float]]], span: tuple[float, float], x: float) -> int:
    """The lowest level with room for a label and its leader line."""
    for k, spans in enumerate(taken):
        if _apart(span, spans) and all(_apart((x, x), lower) for lower in taken[:k]):
            return k
    return len(taken)


def _apart(span: tuple[float, float], others: list[tuple[float, float]]) -> bool:
    return all(span[1] < a or b < span[0] for a, b in others)


def _label(panel: Any, t: float, text: str, level: int, right: bool) -> None:
    leader = {"arrowstyle": "-", "linewidth": 0.6, "color": LINE, "shrinkA": 0, "shrinkB": 0}
    panel.annotate(
        text, (t, 1.0), (3 if right else -3, 5 + 11 * level), panel.get_xaxis_transform(), "offset points",
        {**leader, "relpos": (0 if right else 1, 0)}, fontsize="x-small", ha="left" if right else "right", va="bottom",
        annotation_clip=False,
    )  # fmt: skip


def _numbers(panel: Any, switches: tuple[Switch, ...]) -> None:
    """Numbers above the panel; crowded ones are combined, as in 3-7."""
    begin, end = panel.get_xlim()
    at = [(s.t - begin) / (end - begin) for s in switches]
    groups: list[tuple[int, int]] = []
    for k in range(len(at)):
        groups.append((k, k))
        while len(groups) > 1 and not _apart(_span(at, groups[-1]), [_span(at, groups[-2])]):
            _, last = groups.pop()
            groups[-1] = (groups[-1][0], last)
    for first, last in groups:
        x = begin + 0.5 * (at[first] + at[last]) * (end - begin)
        style = {"fontsize": "x-small", "ha": "center", "va": "bottom"}
        panel.text(x, 1.02, _range(first, last), transform=panel.get_xaxis_transform(), **style)


def _range(first: int, last: int) -> str:
    return f"{first + 1}" if first == last else f"{first + 1}-{last + 1}"


def _span(at: list[float], group: tuple[int, int]) -> tuple[float, float]:
    """Fraction of the panel's width taken by the numbers of a group."""
    middle, half = 0.5 * (at[group[0]] + at[group[1]]), 0.5 * LETTER * (len(_range(*group)) + 1)
    return middle - half, middle + half


def _list(figure: Any, lines: list[str]) -> None:
    """Below the panels, by columns."""
    from matplotlib.lines import Line2D

    short = [line if len(line) <= LETTERS else f"{line[: LETTERS - 1]}…" for line in lines]
    nothing = [Line2D([], [], linestyle="none") for _ in short]
    figure.legend(
        nothing, short, loc="outside lower left", ncols=_columns(lines), fontsize="x-small", frameon=False, handlelength=0,
        handletextpad=0, borderaxespad=0.3, labelspacing=0.25, columnspacing=1.5,
    )  # fmt: skip
