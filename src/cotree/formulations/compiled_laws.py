"""Laws that Numba has compiled, called as compiled code: one entry for all of a system, shared by all systems in which the same
laws are at the same places.

It is made of a few lines of source, one for each law, with the places of its arguments written into them. Where it finds a
number that is not finite, or a law raises, Python evaluates the laws again and says which.
"""

from __future__ import annotations

import math
from typing import Any

from cotree.dynamics.law_arguments import line_length, line_rate, load_omega, load_position, load_velocity
from cotree.dynamics.laws import OWN, Law, laws_of, turns_of
from cotree.engine.records import matrix, vector
from cotree.engine.unstored_entry import UnstoredEntry, entry_of
from cotree.formulations.problem import ANSWERED, problem_t
from cotree.kinematics.cut_joint import cut_coordinate, cut_rate, unwrapped
from cotree.kinematics.sweep import move_all
from cotree.system.system import System
from cotree.system.views import open_tables

LOAD = {"position", "velocity", "omega"}
LINE = {"length": "length", "position": "length", "rate": "rate", "velocity": "rate"}
NAMES: dict[str, Any] = {  # in the source
    "matrix": matrix, "vector": vector, "isfinite": math.isfinite, "open_tables": open_tables, "move_all": move_all,
    "cut_coordinate": cut_coordinate, "cut_rate": cut_rate, "unwrapped": unwrapped, "load_position": load_position,
    "load_velocity": load_velocity, "load_omega": load_omega, "line_length": line_length, "line_rate": line_rate,
}  # fmt: skip


def callable_as_compiled(law: Law) -> bool:
    """Whether compiled code can give it its arguments."""
    known = {"t", "q", "v", *law.place.names}
    known |= set(OWN) if law.own is not None else LOAD if law.load else set(LINE)
    return not law.place.held and law.user.compiled and set(law.user.arguments) <= known


def compiled_laws(system: System) -> tuple[UnstoredEntry | None, tuple[Law, ...]]:
    """(entry of those that are compiled, or None; the others that are not sampled nor given by numbers), made once."""
    made: tuple[UnstoredEntry | None, tuple[Law, ...]] = system.cached("compiled laws", lambda: _make(system))
    return made


def _make(system: System) -> tuple[UnstoredEntry | None, tuple[Law, ...]]:
    laws = tuple(law for law in laws_of(system) if not (law.place.held or law.user.by_numbers))
    chosen = [law for law in laws if callable_as_compiled(law)]
    if not chosen:
        return None, laws
    given = {f"f{k}": law.user.function for k, law in enumerate(chosen)}
    entry = entry_of(problem_t, _source(system, chosen), NAMES, given)
    if entry is None:
        return None, laws
    return entry, tuple(law for law in laws if law not in chosen)


def _source(system: System, laws: list[Law]) -> str:
    """The function (problem, t, q, v) that calls them all."""
    lines = ["def laws(p, t, q, v):", "    values = matrix(p.arrays.values)", "    z = vector(p.arrays.z)"]
    lines += ["    power = vector(p.arrays.power)", "    try:"]
    if any(_moves(law) for law in laws):
        lines += ["        tables = open_tables(p.system)", "        shift = move_all(tables, q, v)"]
    for k, law in enumerate(laws):
        lines.append(f"        x = f{k}({', '.join(_argument(system, law, n) for n in law.user.arguments)})")
        for target, part in _returned(law):
            lines.append(f"        y = {part}")
            lines += ["        if not isfinite(y):", "            return 0", f"        {target} = y"]
    lines += ["    except Exception:", "        return 0", f"    return {ANSWERED}"]
    return "\n".join(lines)


def _returned(law: Law) -> list[tuple[str, str]]:
    """Where the numbers that a law returns belong, and how they are read from x: values, then rates of its states."""
    value, n = "x[0]" if law.place.states else "x", law.place.states
    whole = [value] if law.user.size == 1 else [f"{value}[{i}]" for i in range(law.user.size)]
    found = [(f"values[{law.row}, {i}]", f"float({part})") for i, part in enumerate(whole)]
    rates = ["x[1]"] if n == 1 else [f"x[1][{i}]" for i in range(n)]
    return found + [(f"power[{2 + law.place.state + i}]", f"float({part})") for i, part in enumerate(rates)]


def _moves(law: Law) -> bool:
    """Whether its arguments are those of links that must be placed and moved first."""
    taken = set(law.user.arguments) - {"t", "q", "v", *law.place.names}
    return bool(taken) and (law.own is None or law.own.cut >= 0)


def _ends(system: System, row: int) -> str:
    """Links and points of the line that the law of a row acts along, as source."""
    for _, table in system.elements.kinds:
        for x in table if "slot" in (table.dtype.names or ()) else ():
            if x["slot"] == row:
                a, b = (tuple(x[point].tolist()) for point in ("point_a", "point_b"))
                return f"{int(x['link_a'])}, {a!r}, {int(x['link_b'])}, {b!r}"
    return ""


def _argument(system: System, law: Law, name: str) -> str:
    if name == "t":
        return "t"
    if name in ("q", "v"):
        return f"{name}.copy()"
    if name in law.place.names:
        return f"z[{law.place.first + law.place.names.index(name)}]"
    if law.own is None and law.load:
        return f"load_{name}(tables, {law.row}, shift)" if name == "position" else f"load_{name}(tables, {law.row})"
    if law.own is None:
        return f"line_{LINE[name]}(tables, {_ends(system, law.row)})"
    is_rate = OWN[name] == 1
    if law.own.cut < 0:
        return f"v[{law.own.iv}]" if is_rate else f"q[{law.own.iq}]"
    what = "cut_rate" if is_rate else "cut_coordinate"
    measured = f"{what}(tables.elements.cuts[{law.own.cut}], {law.own.component}, tables.work)"
    around = None if is_rate else turns_of(system, law.own)
    if around is None:
        return measured
    return f"unwrapped({measured}, {' '.join(f'{around[i]:+} * q[{i}]' for i in around.nonzero()[0]) or '0.0'})"
