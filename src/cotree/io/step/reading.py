"""`read_step`: the solids of a STEP assembly, their mass properties, and the joints that they suggest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from cotree.errors import DocumentError, UnknownNameError
from cotree.io.native.error_paths import located
from cotree.io.paths import path_of
from cotree.io.step.assembly import StepAssembly
from cotree.io.step.matching import find_matches
from cotree.io.step.naming import solid_names
from cotree.io.step.plain import FileData, Touch
from cotree.io.step.process import check_file, kernel_data
from cotree.io.step.solids import check_closed, densities, solid
from cotree.model.checks import names, positive
from cotree.model.naming import nearest

EXTENSIONS = (".step", ".stp", ".p21")


def read_step(
    path: str | Path,
    density: float | Mapping[str, float] | None = None,
    *,
    omit: Iterable[str] = (),
    tolerance: float = 1e-5,
    meshes: str | Path | None = None,
    size_limit: float = 200e6,
    time_limit: float = 600.0,
) -> StepAssembly:
    """Read the solids of a STEP file, in metres and the world frame, as assembled.

    Needs cadquery-ocp-novtk: pip install 'cotree[cad]'.

    Parameters
    ----------
    path : str or path
        STEP file (AP203, AP214, AP242).
    density : float or dict, optional
        Density [kg/m^3]: one number, or by name, "*" for all others.
    omit : iterable of str, optional
        Solids to leave out.
    tolerance : float, optional
        By how much axes, radii and planes that belong together may differ [m].
    meshes : str or path, optional
        Folder for the triangles of each solid, for pictures.
    size_limit : float, optional
        Largest file [bytes].
    time_limit : float, optional
        Longest time [s].

    Returns
    -------
    StepAssembly
        Solids and candidate joints; it builds the mechanism.

    Raises
    ------
    DocumentError
        If the file cannot be read.
    MissingPackageError
        Without cadquery-ocp-novtk.

    Examples
    --------
    >>> ct.read_step("missing.step")
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...
    """
    file = path_of(path, "read_step(path)")
    folder = None if meshes is None else path_of(meshes, "read_step(path, meshes=folder)", folder=True)
    omit = names(omit, "omit")
    with located(file.name):
        positive(tolerance, "tolerance", "read_step")
        check_file(file, size_limit)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        return assembled(file.stem, kernel_data(file, tolerance, folder, time_limit), density, omit, tolerance)


def assembled(
    name: str,
    data: FileData,
    density: float | Mapping[str, float] | None,
    omit: Iterable[str] = (),
    tolerance: float = 1e-5,
) -> StepAssembly:
    """The assembly from what the kernel has found."""
    names = solid_names([s.path for s in data.solids])
    left_out = {omit} if isinstance(omit, str) else set(omit)
    for one in sorted(left_out - set(names)):
        raise UnknownNameError(f"omit: there is no solid {one!r}{nearest(one, names)}")
    numbers = [k for k, n in enumerate(names) if n not in left_out]
    kept = {names[k]: data.solids[k] for k in numbers}
    if not kept:
        raise DocumentError("the file contains no solids; export solid bodies from the CAD program")
    check_closed(kept)
    table = densities(density, kept)
    solids = {n: solid(n, s, table[n]) for n, s in kept.items()}
    matches = find_matches(list(kept.values()), tolerance)
    return StepAssembly(name, solids, matches, _renumbered(data.touches, numbers), tolerance, tuple(solids))


def _renumbered(touches: list[Touch], kept: list[int]) -> list[Touch]:
    """Contacts among the solids that are kept, by their new numbers."""
    new = {old: k for k, old in enumerate(kept)}
    return [
        msgspec.structs.replace(t, first=new[t.first], second=new[t.second])
        for t in touches
        if t.first in new and t.second in new
    ]
