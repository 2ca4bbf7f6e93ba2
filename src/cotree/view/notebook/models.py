"""Mechanisms and systems in a notebook: tables of bodies and joints next to a still picture."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

from cotree._shown import preformatted
from cotree.errors import CotreeError
from cotree.model.mechanism import Mechanism
from cotree.model.shapes import shapes_of
from cotree.system.system import System
from cotree.view.notebook.sketch import sketch
from cotree.view.scene import scene_of
from cotree.view.scene.frames import still

MOST_ROWS = 30  # of a table
MOST_DRAWN = 100  # bodies
OTHERS = (
    ("springs", "springs"), ("loads", "loads"), ("joint_forces", "joint forces"), ("constraints", "constraints"),
    ("devices", "locks, brakes and limits"),
)  # fmt: skip


def mechanism_html(mech: Mechanism) -> str:
    """Tables, and a picture of the reference assembly if it can be compiled."""
    head = f"<b>{html.escape(mech.name or 'mechanism')}</b>: {len(mech.bodies)} bodies, {len(mech.joints)} joints"
    try:
        picture = _picture(mech.compile()) if mech.bodies else ""
    except CotreeError as error:  # it may be incomplete
        picture = preformatted(f"no picture yet: {error}")
    return _page(head, picture, _tables(mech, ()))


def system_html(system: System) -> str:
    """The same with the cut joints marked, and the printed description below."""
    first, *_ = str(system).split("\n")
    below = f"<details><summary>tree and loops</summary>{preformatted(str(system))}</details>"
    return _page(f"<b>{html.escape(first)}</b>", _picture(system), _tables(system.mechanism, system.cut_joints)) + below


def _page(head: str, picture: str, tables: str) -> str:
    style = "display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start"
    return f'<div>{head}</div><div style="{style}"><div>{picture}</div><div>{tables}</div></div>'


def _picture(system: System) -> str:
    if not 0 < system.n_bodies <= MOST_DRAWN:
        return ""
    return sketch(scene_of(system, still(system, system.q0), most_triangles=400))


def _tables(mech: Mechanism, cut: Iterable[str]) -> str:
    cut = set(cut)
    bodies = [(b.name, f"{b.properties.mass:.4g}", _shape(b.shape)) for b in mech.bodies.values()]
    joints = [
        (c.name, type(c.joint).__name__ + (", cut" if c.name in cut else ""), f"{c.parent} \u2192 {c.child}")
        for c in mech.joints.values()
    ]
    made = [_table(("body", "mass [kg]", "shape"), bodies), _table(("joint", "kind", "between"), joints)]
    for attribute, words in OTHERS:
        if names := list(getattr(mech, attribute)):
            shown = ", ".join(names[:MOST_ROWS]) + (", …" if len(names) > MOST_ROWS else "")
            made.append(f"<div>{words}: {html.escape(shown)}</div>")
    return "".join(made)


def _shape(shape: Any) -> str:
    return ", ".join(dict.fromkeys(type(one).__name__ for one in shapes_of(shape)))


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    more = f"<tr><td>… {len(rows) - MOST_ROWS} more</td></tr>" if len(rows) > MOST_ROWS else ""
    cells = (_row("td", row) for row in rows[:MOST_ROWS])
    return f"<table><thead>{_row('th', head)}</thead><tbody>{''.join(cells)}{more}</tbody></table>" if rows else ""


def _row(tag: str, cells: tuple[str, ...]) -> str:
    style = "text-align: left; padding: 1px 10px 1px 0"
    return "<tr>" + "".join(f'<{tag} style="{style}">{html.escape(cell)}</{tag}>' for cell in cells) + "</tr>"
