"""`export_fmu`: functional mock-up units, with compiled code inside where a mechanism allows it."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from cotree.engine.native_code import code_for
from cotree.engine.targets import TARGETS
from cotree.errors import ExportError
from cotree.export.library import asset, identifier, own_target, write_folder
from cotree.export.model import DOORS
from cotree.export.preparing import Model, prepare
from cotree.io.atomic import replacing
from cotree.io.fmu.exporting import export_python_fmu
from cotree.io.paths import path_of
from cotree.model.checks import several
from cotree.model.mechanism import Mechanism
from cotree.system.system import System

QUANTITIES = {"angle": 0, "rate": 1, "acceleration": 2}
PLATFORMS = {"x86_64": "x86_64-linux", "aarch64": "aarch64-linux"}


def export_fmu(
    mech: Mechanism,
    path: str | PathLike[str],
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    step: float = 1e-3,
    method: str = "rk4",
    native: bool | None = None,
) -> Path:
    """Write an FMU (FMI 3.0, co-simulation) of a mechanism.

    Parameters
    ----------
    mech : Mechanism
        It starts at the mechanism's own start. User functions cannot be exported.
    path : str or path
        File to write.
    inputs : sequence of str, optional
        Names that `Stepper.set(torque=...)` takes for single numbers, held during a
        communication step.
    outputs : sequence of str, optional
        "joint.angle", ".rate", ".acceleration", "element.force", ".power", or states of
        laws, such as "servo.integral".
    step : float, optional
        Longest step within a communication step [s].
    method : str, optional
        Method with fixed steps.
    native : bool, optional
        True: a unit with the compiled mechanism inside, which needs no Python, for Linux and
        this machine's processor. Its state can be saved and set. It takes what
        `ct.export_library` takes, outputs of joints of the spanning tree with one
        coordinate, and a C compiler while it is written. False: a unit that is run by
        Python, where Cotree must be installed. It can have controllers (`mech.pid`) and all
        outputs, and needs the package pythonfmu3: pip install cotree[fmu]. None: the first
        where that is possible, else the second.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ExportError
        With native=True, if the mechanism or an output needs Python, or there is no C compiler.
    MissingPackageError
        Without pythonfmu3, for a unit that is run by Python.
    ModelError
        If the mechanism has user functions.

    Examples
    --------
    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/four_bar.fmu"
    >>> ct.export_fmu(ct.gallery.four_bar(), path, inputs=["A"], outputs=["A.angle"]).name
    'four_bar.fmu'
    """
    if native is False:
        return export_python_fmu(mech, path, inputs, outputs, step, method)
    try:
        return _native(mech, path, inputs, outputs, step, method)
    except ExportError:
        if native:
            raise
    return export_python_fmu(mech, path, inputs, outputs, step, method)


def _native(mech: Any, path: Any, inputs: Any, outputs: Any, step: float, method: Any) -> Path:
    target = Path(path_of(path, "export_fmu(mech, path)"))
    compiler = shutil.which("cc")
    if compiler is None:
        raise ExportError(
            "a unit without Python is made by a C compiler; there is no `cc` here: install one, or native=False"
        )
    machine = own_target()
    model = prepare(mech, list(several(inputs, "inputs")), step, method, "auto", "export_fmu")
    names = list(several(outputs, "outputs"))
    places = [_place(model.stepper.system, name) for name in names]
    with tempfile.TemporaryDirectory() as folder:
        name, token = identifier(target.stem), _token(model, names)
        library = _library(Path(folder), model, machine, places, token, compiler)
        with replacing(target) as draft, zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as unit:
            unit.writestr("modelDescription.xml", description(model, name, names, token))
            unit.write(library, f"binaries/{PLATFORMS[machine]}/{name}.so")
    return target


def _place(system: System, name: Any) -> tuple[int, int]:
    """(kind, place) of an output: 0 in q, 1 in v, 2 in the accelerations."""
    owner, _, quantity = name.rpartition(".") if isinstance(name, str) else ("", "", "")
    if quantity not in QUANTITIES or owner not in system.v_names or owner not in system.q_names:
        raise ExportError(
            f"output {name!r} is not computed without Python; name .angle, .rate or .acceleration of a joint of the spanning "
            f"tree with one coordinate, or native=False"
        )
    kind = QUANTITIES[quantity]
    return kind, system.q_index(owner) if kind == 0 else system.v_index(owner)


def _token(model: Model, outputs: list[str]) -> str:
    digest = blake2b(model.data, digest_size=16)
    digest.update(repr((outputs, model.stepper.step_size)).encode())
    return f"{{{digest.hexdigest()}}}"


def _library(
    folder: Path, model: Model, machine: str, places: list[tuple[int, int]], token: str, compiler: str
) -> Path:
    """The shared library of a unit."""
    write_folder(folder, model, {machine: code_for([*model.entries, *DOORS.values()], TARGETS[machine])})
    (folder / "fmi3.c").write_text(asset("fmi3.c"))
    (folder / "variables.h").write_text(variables_h(places, token, model.stepper.step_size))
    sources = ["fmi3.c", "cotree_model.c", "mechanism.c", f"objects/{machine}.o"]
    options = ["-std=c11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-s"]
    command = [compiler, *options, *sources, "-lm", "-o", "unit.so"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ExportError(f"the C compiler {compiler} has failed: {done.stderr.strip()[-500:]}")
    return folder / "unit.so"


def variables_h(places: list[tuple[int, int]], token: str, step: float) -> str:
    """Outputs by kind and place, for C."""
    kinds, at = ([str(x[k]) for x in places] or ["0"] for k in (0, 1))
    lines = [
        f"enum {{ CT_FMI_OUTPUTS = {len(places)} }};",
        f"#define CT_FMI_STEP {step!r}",
        f'#define CT_FMI_TOKEN "{token}"',
    ]
    lines += [
        f"static const int fmi_kinds[] = {{{', '.join(kinds)}}};",
        f"static const int fmi_places[] = {{{', '.join(at)}}};",
    ]
    return "\n".join(lines) + "\n"


def description(model: Model, name: str, outputs: list[str], token: str) -> str:
    """modelDescription.xml."""
    title = model.stepper.system.name or name
    rows = ['<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>']
    kinds = [(given, 'causality="input"', 'start="0"') for given, _ in model.inputs]
    kinds += [(given, 'causality="output"', 'initial="calculated"') for given in outputs]
    for k, (given, kind, start) in enumerate(kinds, start=1):
        rows.append(f'<Float64 name={quoteattr(given)} valueReference="{k}" {kind} variability="continuous" {start}/>')
    refs = range(1 + len(model.inputs), 1 + len(kinds))
    structure = [f'<Output valueReference="{k}"/>' for k in refs] + [
        f'<InitialUnknown valueReference="{k}"/>' for k in refs
    ]
    return "\n".join([
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<fmiModelDescription fmiVersion="3.0" modelName={quoteattr(name)} description={quoteattr(title)} '
        f'instantiationToken="{token}" generationTool="Cotree">',
        f'<CoSimulation modelIdentifier="{name}" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUState="true"/>',
        f'<DefaultExperiment startTime="0" stopTime="1" stepSize="{model.stepper.step_size!r}"/>',
        "<ModelVariables>", *rows, "</ModelVariables>", "<ModelStructure>", *structure, "</ModelStructure>",
        "</fmiModelDescription>", "",
    ])  # fmt: skip
