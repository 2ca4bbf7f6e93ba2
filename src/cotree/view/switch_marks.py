"""Changes of topology in plots: a line each, told by labels where they are few and by numbers with a list where they are not;
phases of other topologies tinted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cotree.integrate.phases import Switch
    from cotree.integrate.run import Run

FEW = 6  # switches that are labelled where they are
LISTED = 24  # that are told of in the list
MANY = 40  # lines that are drawn thinner
COLUMNS, LONGEST = 3, 46  # of the list, and letters in a column
LETTER, NUMBER = 0.0095, 0.035  # widths of a letter of a label, and of numbers, in parts of a panel's width
LINE = "0.25"


def tint_phases(panel: Any, run: Run) -> None:
    """A light tint for each topology; none for that in which nothing is switched."""
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
    """Above the panel what happens at each line, or its number and below the figure a list."""
    switches = run.switches
    if len(switches) <= FEW:
        _labels(panel, switches)
        return
    _numbers(panel, switches)
    _list(figure, [f"{k}  {s.t:.4g} s: {told(s)}" for k, s in enumerate(switches, 1)])


def told(switch: Switch) -> str:
    """What happened, in a few words."""
    first, *others = [f"{name} {what}" for name, what in switch.changes]
    return first if not others else f"{first}; {others[0]}" if len(others) == 1 else f"{first} and {len(others)} more"


def list_height(run: Run) -> float:
    """Inches that the list takes."""
    n = len(run.switches)
    return 0.0 if n <= FEW else 0.17 * -(-min(n, LISTED) // COLUMNS) + 0.1


def _labels(panel: Any, switches: tuple[Switch, ...]) -> None:
    """Each on the lowest level where it hides no other; to the left of its line where there is no room on the right."""
    begin, end = panel.get_xlim()
    taken: list[list[tuple[float, float]]] = []
    for s in switches:
        text, x = told(s), (s.t - begin) / (end - begin)
        right = x < 0.5
        width = LETTER * (len(text) + 2)
        span = (x, x + width) if right else (x - width, x)
        level = next((k for k, spans in enumerate(taken) if _apart(span, spans)), len(taken))
        taken += [[]] if level == len(taken) else []
        for spans in taken[: level + 1]:  # the line to the label must not cross what is below it
            spans.append((x, x) if spans is not taken[level] else span)
        panel.annotate(
            text, (s.t, 1.0), (3 if right else -3, 5 + 11 * level), panel.get_xaxis_transform(), "offset points",
            {"arrowstyle": "-", "linewidth": 0.6, "color": LINE, "shrinkA": 0, "shrinkB": 0, "relpos": (0 if right else 1, 0)},
            fontsize="x-small", ha="left" if right else "right", va="bottom", annotation_clip=False,
        )  # fmt: skip


def _apart(span: tuple[float, float], others: list[tuple[float, float]]) -> bool:
    return all(span[1] < a or b < span[0] for a, b in others)


def _numbers(panel: Any, switches: tuple[Switch, ...]) -> None:
    """Numbers above the panel; those that would not find room are told together, as 3-7."""
    begin, end = panel.get_xlim()
    groups: list[tuple[int, int]] = []
    for k, s in enumerate(switches):
        if groups and s.t - switches[groups[-1][0]].t < NUMBER * (end - begin):
            groups[-1] = (groups[-1][0], k)
        else:
            groups.append((k, k))
    for first, last in groups:
        text = f"{first + 1}" if first == last else f"{first + 1}-{last + 1}"
        at = 0.5 * (switches[first].t + switches[last].t)
        panel.text(at, 1.02, text, transform=panel.get_xaxis_transform(), fontsize="x-small", ha="center", va="bottom")


def _list(figure: Any, lines: list[str]) -> None:
    """Below the panels, by columns."""
    from matplotlib.lines import Line2D

    if len(lines) > LISTED:
        lines = [*lines[: LISTED - 1], f"and {len(lines) - LISTED + 1} more"]
    short = [line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…" for line in lines]
    nothing = [Line2D([], [], linestyle="none") for _ in short]
    figure.legend(
        nothing, short, loc="outside lower left", ncols=COLUMNS, fontsize="x-small", frameon=False, handlelength=0,
        handletextpad=0, borderaxespad=0.3, labelspacing=0.25, columnspacing=1.5,
    )  # fmt: skip
