"""The assembly plan of a system, with the names of its bodies and joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cotree._shown import Shown
from cotree.formulations.odca import tables as T
from cotree.formulations.odca.division import division
from cotree.model.mechanism import Mechanism
from cotree.system.arguments import system_of
from cotree.system.system import System
from cotree.topology.plan import Plan

SHOWN = 60  # bodies up to which the whole plan is printed


@dataclass(frozen=True, eq=False)
class SystemPlan(Shown):
    """In which order a system is put together: `plan` in numbers, `bodies` and `joints` by which it is printed.

    sizes: dimension of the algebra in which each body moves. border: constraints over many bodies, which are imposed on the
    whole after it is put together.
    """

    plan: Plan
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    sizes: tuple[int, ...]
    border: tuple[str, ...] = ()

    @property
    def depth(self) -> int:
        """Steps that must follow one another."""
        return self.plan.depth

    def tree(self) -> str:
        """The plan from its roots down, one node a line."""
        return self.plan.tree([f"{b} ({n})" for b, n in zip(self.bodies, self.sizes, strict=True)], self.joints)

    def __str__(self) -> str:
        border = f"; border: {', '.join(self.border)}" if self.border else ""
        first, *others = str(self.plan).split("\n")
        text = "\n".join([first + border, *others])
        return f"{text}\n{self.tree()}" if len(self.bodies) <= SHOWN else text


def assembly_plan(mechanism_or_system: Mechanism | System) -> SystemPlan:
    """Show the plan by which the formulation "odca" divides a system.

    Parameters
    ----------
    mechanism_or_system : Mechanism or System
        A mechanism is compiled with the default options.

    Returns
    -------
    SystemPlan
        `print` shows it.

    Examples
    --------
    >>> plan = ct.theory.assembly_plan(ct.gallery.four_bar())
    >>> len(str(plan)) > 0
    True
    """
    system = system_of(mechanism_or_system, assembly_plan)
    d = division(system)
    names: list[list[str]] = [[] for _ in d.parts]
    for name, link in zip(system.body_names, system.bodies["link"][1:], strict=True):
        if d.part_of[link] >= 0:
            names[d.part_of[link]].append(name)
    for k, part in enumerate(d.parts):
        if part["share"] != 1.0 and not names[k]:  # a hub, of which the first copy has the names
            names[k] = [f"copy of {'+'.join(names[d.part_of[part['link']]])}"]
    return SystemPlan(
        d.plan, tuple("+".join(n) for n in names), tuple(_name(system, d.parts, g) for g in d.groups),
        tuple(int(n) for n in d.parts["size"]), tuple(_name(system, d.parts, g) for g in d.groups[d.groups["sorted"]]),
    )  # fmt: skip


def _name(system: System, parts: np.ndarray, group: np.void) -> str:
    """Joint or constraint behind a group of rows."""
    if group["kind"] == T.JOINT:
        part = parts[group["index"]]
        if part["share"] != 1.0 and part["nv"] == 0 and parts[part["parent"]]["link"] == part["link"]:
            return "weld of copies"
        return system.link_joints[int(parts[group["index"]]["link"])]
    behind = int(group["row"]) - system.n_loop_rows
    return system.cut_joints[int(group["index"])] if behind < 0 else system.extra_rows.owners[behind]
