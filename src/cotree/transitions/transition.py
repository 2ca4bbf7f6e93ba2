"""`transition`: what happens to velocities when constraints are switched on [VTM 4, 5]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._shown import Shown
from cotree.constraints.api import constraint_jacobian, constraint_rate
from cotree.constraints.assembly import mass_root
from cotree.constraints.assembly_errors import concerned
from cotree.constraints.units import contradiction
from cotree.dynamics.api import energy, mass_matrix
from cotree.errors import MotionError
from cotree.formulations.choice import divides_large
from cotree.formulations.reactions.self_stress import self_stress
from cotree.judge import CONSISTENT
from cotree.model.checks import choice, several
from cotree.system.arguments import coordinates, of_system, require_finite, velocities
from cotree.system.sizes import JUDGED
from cotree.system.switched import switched
from cotree.system.system import System
from cotree.transitions.blow import Blow, blow_of, require_in_force
from cotree.transitions.closing import activated
from cotree.transitions.contacts.cones import LAWS
from cotree.transitions.divided import jump_by_division
from cotree.transitions.forms import FORMS
from cotree.transitions.regularity import differential_dof, either_singular
from cotree.transitions.transmitted import transmitted_impulses

if TYPE_CHECKING:
    from cotree.transitions.contacts.beside import ContactBlow

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Transition(Shown):
    """A jump of velocities at a configuration, as `transition` returns it.

    Attributes
    ----------
    before : System
        Without what was activated.
    system : System
        With what was activated.
    v_before : ndarray of shape (nv,)
        Velocities before the jump.
    v : ndarray of shape (nv,)
        Velocities after it.
    impulse : ndarray
        Impulses of the added rows, in their order [N m s or N s].
    multipliers : ndarray
        Impulses of all rows of `system`.
    impulses : dict
        By constraint, as they act on the child along the coordinate.
    energy_loss : float
        dv^T M dv / 2 of the constraints and what contacts took, never negative [J].
    supplied : float
        Work of drives, whose impulses act on moving rows [J].
    impulse_work : float
        Work of the prescribed impulse [J]. The kinetic energy changes by supplied +
        impulse_work - energy_loss.
    contacts : ContactBlow or None
        What contacts did: `.impulses`, `.law`, `.hits`.
    """

    before: System = field(repr=False)
    system: System = field(repr=False)
    q: Array = field(repr=False)
    v_before: Array
    v: Array
    multipliers: Array
    added: tuple[int, ...]
    energy_loss: float
    supplied: float
    t: float = 0.0
    form: str = "general"
    impulse_work: float = 0.0
    blow: Blow | None = field(default=None, repr=False)
    contacts: ContactBlow | None = field(default=None, repr=False)

    @property
    def dv(self) -> Array:
        return self.v - self.v_before

    @property
    def impulse(self) -> Array:
        return self.multipliers[list(self.added)]

    @property
    def impulses(self) -> dict[str, Array]:
        """By constraint that was activated, what acts on its child along the coordinate, length or direction that it holds,
        positive as these are: minus Lam."""
        names, first = self.system.extra_rows.owners, self.system.n_constraints - len(self.system.extra_rows.owners)
        out: dict[str, list[float]] = {}
        for row in self.added:
            out.setdefault(names[row - first], []).append(0.0 - float(self.multipliers[row]))
        return {name: np.array(x) for name, x in out.items()}

    @property
    def contact_impulses(self) -> dict[str, Array]:
        """By contact that took part, what acts on its body_a [N s], (3,) in world axes."""
        return {} if self.contacts is None else self.contacts.impulses

    @property
    def law(self) -> str:
        """The law that contacts followed, "newton", "poisson" or "plastic"; empty where none hit."""
        return "" if self.contacts is None else self.contacts.law

    @cached_property
    def joint_impulses(self) -> dict[str, Array]:
        """(moment, force) [N m s, N s] that each joint transmits to its child, in world axes about the world's origin."""
        outside = [x.on_bodies for x in (self.blow, self.contacts) if x is not None]
        on_bodies = sum(outside[1:], outside[0]) if outside else None
        return transmitted_impulses(self.system, self.q, self.dv, self.multipliers, on_bodies, self.t)

    @property
    def momentum_before(self) -> Array:
        """M v before the switch."""
        return mass_matrix(self.before, self.q) @ self.v_before

    @property
    def momentum(self) -> Array:
        """M v after it."""
        return mass_matrix(self.before, self.q) @ self.v

    @property
    def balance(self) -> Array:
        """Error of the momentum balance, M dv + J^T Lam less the prescribed impulse and those of contacts."""
        J = constraint_jacobian(self.system, self.q, self.t)
        outside = sum((x.generalized for x in (self.blow, self.contacts) if x is not None), np.zeros(self.system.nv))
        return self.momentum - self.momentum_before + J.T @ self.multipliers - outside

    @cached_property
    def dof_before(self) -> int:
        return differential_dof(self.before, self.q, self.t)

    @cached_property
    def dof(self) -> int:
        """Dimension of the velocities that are left."""
        return differential_dof(self.system, self.q, self.t)

    @cached_property
    def singular(self) -> bool | None:
        """Whether the topology change is singular [VTM, Definition 1]: q is not regular before or after it; None if
        the system is too large to check."""
        return either_singular((self.before, self.system), self.q, self.t)

    @cached_property
    def undetermined(self) -> tuple[str, ...]:
        """Joints, constraints and points of contact whose impulses are one choice among many, as rows depend on each other."""
        found = self_stress(self.system, self.q, self.t)
        return (*found.undetermined, *found.constraints, *(self.contacts.undetermined if self.contacts else ()))

    def __str__(self) -> str:
        words = [f"{name}: impulse {np.array2string(x, precision=6)}" for name, x in self.impulses.items()]
        dofs = f"{self.dof_before} DOF before, {self.dof} after"
        by = ", ".join((*self.impulses, *(self.contacts.hits if self.contacts else ()))) or "nothing"
        lines = [
            f"transition of {self.system.name or 'mechanism'} by {by}: {dofs}",
            *words,
            *(self.contacts.lines if self.contacts else ()),
            f"energy lost {self.energy_loss:.6g} J, supplied by drivers {self.supplied:.6g} J"
            + (f", by the impulse {self.impulse_work:.6g} J" if self.blow else ""),
        ]
        if self.dof == 0:
            lines.append("no degrees of freedom remain" if not self.supplied else "all motion is prescribed by drivers")
        if self.singular:
            lines.append("singular topology change: the configuration is singular before or after it")
        if self.singular is None:
            lines.append(f"not checked whether the configuration is singular: more than {JUDGED} coordinates")
        return "\n  ".join(lines)


@of_system
def transition(
    system: System,
    q: ArrayLike,
    v: ArrayLike,
    activate: str | Iterable[str] = (),
    form: str = "general",
    t: float = 0.0,
    deactivate: str | Iterable[str] = (),
    impulse: ArrayLike | Mapping[str, ArrayLike] | None = None,
    contacts: bool | str | Iterable[str] | Mapping[str, float] | None = None,
    law: str = "newton",
) -> Transition:
    """Compute the velocities after constraints are switched, an impulse acts or contacts hit; momentum is balanced.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,)
        Velocities.
    activate : str, iterable of str or array_like
        Joints (all coordinates lock), coordinates, locks, docks, inactive constraints, or
        rows (m, nv).
    form : str, optional
        "general" (all rows at once), "redundant" (projector of the persistent rows) or
        "minimal" (Voronets coordinates); they agree.
    t : float, optional
        Time [s], for drives and functions of time.
    deactivate : str or iterable of str, optional
        Constraints or cut joints that are released first.
    impulse : array_like or dict, optional
        Prescribed impulse, before anything is activated: (nv,) [N m s or N s]; or by name,
        a number for a coordinate and a wrench (moment about the world's origin, force) for
        a body.
    contacts : bool, str, iterable of str or dict, optional
        Contacts that take part, with friction, after all else: True for those whose gap is
        closed, names, or {name: restitution}. None by default.
    law : str, optional
        "newton", "poisson" or "plastic" (no restitution). Where Newton's law would create
        energy Poisson's is taken, and `.law` says so.

    Returns
    -------
    Transition
        `.dv`, `.impulse`, `.energy_loss`, `.contact_impulses` and more.

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> jump = ct.transition(system, system.q0, [1.0, 0.5], activate=["J2"])
    >>> bool(jump.energy_loss > 0)
    True
    """
    choice(form, FORMS, "form")
    choice(law, LAWS, "law")
    q, v = coordinates(system, q), velocities(system, v)
    require_finite(system, q=q, v=v)
    blow = blow_of(system, q, impulse)
    released = _without(system, several(deactivate, "deactivate"))
    new = activated(released, q, activate, t)
    after = switched(released, {**released.constraints, **new}) if new else released
    if blow is None:
        end = jump(system, after, q, v, tuple(new), form, t)
    else:
        struck = jump(released, released, q, v + blow.free_velocity(released, q), (), form, t)
        last = jump(released, after, q, struck.v, tuple(new), form, t) if new else None
        end = _after_blow(system, v, blow, struck, last)
    if contacts is None or contacts is False:
        return end
    from cotree.transitions.contacts.beside import with_contacts  # which only systems with contacts need

    return with_contacts(system, end, tuple(new), contacts, law)


def _without(system: System, names: tuple[str, ...]) -> System:
    """The system after these constraints and cut joints have been let go."""
    for name in names:
        require_in_force(system, name)
    if not names:
        return system
    left = {name: c for name, c in system.constraints.items() if name not in names}
    return switched(system, left, [name for name in names if name in system.cut_joints])


def _after_blow(system: System, v: Array, blow: Blow, struck: Transition, last: Transition | None) -> Transition:
    """One transition of the blow, with the constraints that persist, and of what is activated after it."""
    at, q, t = struck.system, struck.q, struck.t
    gap = constraint_jacobian(at, q, t) @ v - constraint_rate(at, q, t)
    loss = max(0.0, 0.5 * float(struck.multipliers @ gap))  # of velocities that did not fulfil the constraints before
    work = 0.5 * float(blow.generalized @ (v + struck.v))
    end = struck if last is None else last
    Lam = end.multipliers.copy()
    if last is not None:
        Lam[np.delete(np.arange(len(Lam)), last.added)] += struck.multipliers
        loss += last.energy_loss
    supplied = struck.supplied + (0.0 if last is None else last.supplied)
    return replace(
        end,
        before=system,
        v_before=v.copy(),
        multipliers=Lam,
        energy_loss=loss,
        supplied=supplied,
        impulse_work=work,
        blow=blow,
    )


def jump(
    before: System, after: System, q: Array, v: Array, new: tuple[str, ...], form: str = "general", t: float = 0.0
) -> Transition:
    """The transition from one system to another that has the constraints `new` besides."""
    b, rows = constraint_rate(after, q, t), after.n_constraints
    first = rows - len(after.extra_rows.owners)
    added = [first + k for k, name in enumerate(after.extra_rows.owners) if name in new]
    if form == "general" and divides_large(after):
        dv, Lam, left = jump_by_division(after, q, v, t)
    else:
        dv, Lam, left = _by_matrices(after, q, v, b, added, form, t)
    if contradiction(after, left, b, v) > CONSISTENT:
        raise MotionError(
            f"{concerned(after, left)} require contradictory velocities at t = {t:g} s; residual "
            f"{np.abs(left).max():.3g}; leave one out, or release the other first"
        )
    loss = energy(after, q, dv).kinetic
    return Transition(before, after, q.copy(), v.copy(), v + dv, Lam, tuple(added), loss, 0.0 - float(Lam @ b), t, form)


def _by_matrices(
    system: System, q: Array, v: Array, b: Array, added: list[int], form: str, t: float
) -> tuple[Array, Array, Array]:
    """(dv, impulses of all rows, what is left of J v = b) in one of the three forms."""
    mass_root(system, q)  # complains by name where it is singular
    M, J = mass_matrix(system, q), constraint_jacobian(system, q, t)
    rest, rhs = np.delete(np.arange(len(J)), added), b - J @ v
    found = FORMS[form](M, J[rest], J[added], np.concatenate([rhs[rest], rhs[added]]))
    Lam = np.zeros(len(J))
    Lam[rest], Lam[added] = found.first, found.added
    return found.dv, Lam, J @ (v + found.dv) - b
