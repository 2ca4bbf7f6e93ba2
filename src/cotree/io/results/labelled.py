"""A run as labelled tables: an xarray Dataset, a pandas DataFrame."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cotree.io.native.texts import as_json, package

if TYPE_CHECKING:
    from cotree.integrate.phases.phase import Switch
    from cotree.integrate.results.run import Run

Array = NDArray[np.float64]


def to_xarray(run: Run) -> Any:
    """Dataset over time: q, v, pose (4x4) and mass_centre of each body, states of laws, contacts, energies, violations, work;
    units as attributes.

    Where locks and the like change the topology, `topology` is the number of the phase, with their names in `phases`.
    """
    from cotree.system.coordinate_labels import coordinate_labels, velocity_labels

    xarray = package("xarray", "results")
    system = run.system
    q, v = coordinate_labels(system), velocity_labels(system)
    poses = run.poses()[:, 1:]
    variables: dict[str, Any] = {
        "q": (("time", "coordinate"), run.q, {"long_name": "coordinates"}),
        "v": (("time", "velocity"), run.v, {"long_name": "velocities"}),
        "pose": (("time", "body", "row", "column"), poses, {"long_name": "pose of the body's frame"}),
        "mass_centre": (("time", "body", "axis"), _mass_centres(run, poses), {"units": "m"}),
        **{name: ("time", values, {"units": unit}) for name, (values, unit) in _histories(run).items()},
    }
    if run.phases:
        variables["topology"] = ("time", _phase_numbers(run), {"phases": _phase_names(run)})
    coordinates = {
        "time": ("time", run.t, {"units": "s"}),
        "coordinate": q.names,
        "coordinate_units": ("coordinate", q.units),
        "velocity": v.names,
        "velocity_units": ("velocity", v.units),
        "body": list(system.body_names),
        "axis": list("xyz"),
    }
    if _has_states(run):
        variables["state"] = (("time", "law_state"), run.states, {"long_name": "states of laws"})
        coordinates["law_state"] = list(system.state_names)
    if _contacts(run):
        coordinates["contact"] = _contacts(run)
        for name, (x, unit) in _readings(run).items():
            variables[f"contact_{name}"] = (("time", "contact", "axis")[: x.ndim], x, {"units": unit} if unit else {})
    return xarray.Dataset(variables, coordinates, _about(run))


def to_dataframe(run: Run) -> Any:
    """Table over time with the columns q[name], v[name], state[name] of laws, the energies, violations, work, contact_gap[name]
    and the like, and `topology` as in `to_xarray`."""
    from cotree.system.coordinate_labels import coordinate_labels, velocity_labels

    pandas = package("pandas", "results")
    q, v = coordinate_labels(run.system).names, velocity_labels(run.system).names
    columns: dict[str, Any] = {f"q[{name}]": run.q[:, i] for i, name in enumerate(q)}
    columns |= {f"v[{name}]": run.v[:, i] for i, name in enumerate(v)}
    if _has_states(run):
        columns |= {f"state[{name}]": run.states[:, i] for i, name in enumerate(run.system.state_names)}
    columns |= {name: values for name, (values, _) in _histories(run).items()}
    for name, (x, _) in _readings(run).items():
        columns |= {f"contact_{name}[{own}]": x[:, k] for k, own in enumerate(_contacts(run)) if x.ndim == 2}
    if run.phases:
        columns["topology"] = _phase_numbers(run)
    table = pandas.DataFrame(columns, index=pandas.Index(run.t, name="time"))
    if run.phases:
        table.attrs["phases"] = _phase_names(run)
    return table


def _has_states(run: Run) -> bool:
    """Whether laws have states, and their names are known."""
    return 0 < run.states.size == len(run.t) * run.system.n_states


def _contacts(run: Run) -> list[str]:
    """Names of the contacts that the run knows of."""
    return [] if run.contacts is None else list(dict.fromkeys(run.contacts.contacts))


def _readings(run: Run) -> dict[str, tuple[NDArray[Any], str]]:
    """Of contacts (k, contacts), forces and points (k, contacts, 3), with their units."""
    read = [run.contact(name) for name in _contacts(run)]
    units = {"gap": "m", "force": "N", "normal_force": "N", "point": "m", "slip": "m/s", "state": ""}
    return {name: (np.stack([getattr(r, name) for r in read], axis=1), unit) for name, unit in units.items() if read}


def switch_table(run: Run) -> Any:
    """Table of the changes of topology: when and what, energy lost and work of drivers [J], the dof that are left, impulses."""
    pandas = package("pandas", "results")
    rows = [
        (s.t, "; ".join(f"{name} {what}" for name, what in s.changes), s.energy_loss, s.supplied, s.dof, _impulses(s))
        for s in run.switches
    ]
    return pandas.DataFrame(rows, columns=["t", "what", "energy_loss", "supplied", "dof", "impulses"])


def _impulses(switch: Switch) -> str:
    """As "lock A: 1.5, limit B: -0.25" [N m s or N s]."""
    return ", ".join(f"{name}: {' '.join(f'{x:.9g}' for x in p)}" for name, p in switch.impulses.items())


def _phase_numbers(run: Run) -> NDArray[np.int64]:
    """(k,): the phase that each row belongs to."""
    numbers = np.zeros(len(run.t), dtype=np.int64)
    for k, phase in enumerate(run.phases):
        numbers[slice(*phase.rows)] = k
    return numbers


def _phase_names(run: Run) -> list[str]:
    return [", ".join(phase.names) for phase in run.phases]


def _histories(run: Run) -> dict[str, tuple[Array, str]]:
    """Numbers over time, with their units; violations are in metres and radians alike."""
    e = run.energy
    return {
        "kinetic_energy": (e.kinetic, "J"),
        "potential_energy": (e.potential, "J"),
        "total_energy": (e.total, "J"),
        "supplied_work": (e.supplied, "J"),
        "dissipated_work": (e.dissipated, "J"),
        "lost_work": (e.lost, "J"),
        "violation": (run.violation, "m, rad"),
        "velocity_violation": (run.velocity_violation, "m/s, rad/s"),
    }


def _mass_centres(run: Run, poses: Array) -> Array:
    """(k, bodies, 3): R com + p, com in the frame of the body's data."""
    bodies = run.system.mechanism.bodies
    com = np.array([bodies[name].properties.com for name in run.system.body_names])
    return np.einsum("kbij,bj->kbi", poses[..., :3, :3], com) + poses[..., :3, 3]


def _about(run: Run) -> dict[str, str]:
    about = {"name": run.system.name, "status": run.status, "message": run.message}
    return {**about, "settings": as_json(asdict(run.settings)), "statistics": as_json(run.statistics)}
