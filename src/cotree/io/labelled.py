"""A run as labelled tables: an xarray Dataset, a pandas DataFrame."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cotree.io.results import as_json
from cotree.io.texts import package

if TYPE_CHECKING:
    from cotree.integrate.run import Run

Array = NDArray[np.float64]


def to_xarray(run: Run) -> Any:
    """Dataset over time: q, v, pose (4x4) and mass_centre of each body, energies, violations, work; units as attributes."""
    from cotree.io.labels import coordinate_labels, velocity_labels

    xarray = package("xarray", "results")
    system = run.system
    q, v = coordinate_labels(system), velocity_labels(system)
    poses = run.poses()[:, 1:]
    variables = {
        "q": (("time", "coordinate"), run.q, {"long_name": "coordinates"}),
        "v": (("time", "velocity"), run.v, {"long_name": "velocities"}),
        "pose": (("time", "body", "row", "column"), poses, {"long_name": "pose of the body's frame"}),
        "mass_centre": (("time", "body", "axis"), _mass_centres(run, poses), {"units": "m"}),
        **{name: ("time", values, {"units": unit}) for name, (values, unit) in _histories(run).items()},
    }
    coordinates = {
        "time": ("time", run.t, {"units": "s"}),
        "coordinate": q.names,
        "coordinate_units": ("coordinate", q.units),
        "velocity": v.names,
        "velocity_units": ("velocity", v.units),
        "body": list(system.body_names),
        "axis": list("xyz"),
    }
    return xarray.Dataset(variables, coordinates, _about(run))


def to_dataframe(run: Run) -> Any:
    """Table over time with the columns q[name], v[name], the energies, violations and work."""
    from cotree.io.labels import coordinate_labels, velocity_labels

    pandas = package("pandas", "results")
    q, v = coordinate_labels(run.system).names, velocity_labels(run.system).names
    columns = {f"q[{name}]": run.q[:, i] for i, name in enumerate(q)}
    columns |= {f"v[{name}]": run.v[:, i] for i, name in enumerate(v)}
    columns |= {name: values for name, (values, _) in _histories(run).items()}
    return pandas.DataFrame(columns, index=pandas.Index(run.t, name="time"))


def _histories(run: Run) -> dict[str, tuple[Array, str]]:
    """Numbers over time, with their units; violations are in metres and radians alike."""
    e = run.energy
    return {
        "kinetic_energy": (e.kinetic, "J"),
        "potential_energy": (e.potential, "J"),
        "total_energy": (e.total, "J"),
        "supplied_work": (e.supplied, "J"),
        "dissipated_work": (e.dissipated, "J"),
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
