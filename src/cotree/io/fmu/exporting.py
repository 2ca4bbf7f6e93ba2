"""A mechanism as a functional mock-up unit for co-simulation that is run by Python."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from cotree.errors import DocumentError, ShapeError
from cotree.integrate.stepper.stepper import STEPPER
from cotree.io.atomic import replacing
from cotree.io.fmu.model import INTERFACE, MECHANISM, reading
from cotree.io.model_file import save
from cotree.io.native.texts import package
from cotree.io.paths import path_of
from cotree.model.checks import several, shown
from cotree.model.features import Features, declare
from cotree.model.mechanism import Mechanism

SCRIPT = '''"""A functional mock-up unit made by Cotree."""

from pythonfmu3 import Fmi3Slave

from cotree.io.fmu.unit import attach


class {identifier}(Fmi3Slave):
    def __init__(self, **given):
        super().__init__(**given)
        self.description = {name}
        attach(self)

    def setup_experiment(self, start_time):
        self.model.begin(start_time)

    def do_step(self, current_time, step_size):
        return self.model.advance(step_size)
'''

FMU = declare(
    "ct.export_fmu",
    DocumentError,
    refuses={
        "user functions": "a unit does not have the code of functions; use numbers, tables or mech.pid",
        "switches": "steps of one size do not locate the instants at which they act; use ct.simulate",
    },
    on=(STEPPER,),
)


def export_python_fmu(
    mech: Mechanism,
    path: str | PathLike[str],
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    step: float = 1e-3,
    method: str = "rk4",
) -> Path:
    """Write an FMU that is run by Python, where Cotree must be installed; for the arguments see `ct.export_fmu`."""
    from cotree.integrate import Stepper

    package("pythonfmu3", "fmu")
    if not isinstance(mech, Mechanism):
        raise ShapeError(f"export_fmu takes a Mechanism, got {shown(mech)}")
    FMU.admit(Features(mech))
    stepper = Stepper(mech, step=step, method=method, record=False)
    names = {"inputs": list(several(inputs, "inputs")), "outputs": list(several(outputs, "outputs"))}
    stepper.set(torque=dict.fromkeys(names["inputs"], 0.0))
    for name in names["outputs"]:
        reading(stepper, name)
    given = {"step": float(step), "method": method, **names}
    target = path_of(path, "export_fmu(mech, path)")
    identifier = re.sub(r"\W", "_", target.stem) if re.match(r"[A-Za-z_]", target.stem) else f"unit_{target.stem}"
    with tempfile.TemporaryDirectory() as folder:
        made = _built(Path(folder), mech, re.sub(r"\W", "_", identifier), given)
        with replacing(target) as draft:
            shutil.copyfile(made, draft)
    return target


def script_of(name: str, identifier: str) -> str:
    """The code of a unit. Names of mechanisms may come from untrusted files: in it they are nothing but texts."""
    return SCRIPT.format(name=ascii(name), identifier=identifier)


def _built(folder: Path, mech: Mechanism, identifier: str, given: dict[str, object]) -> Path:
    """The unit in a folder, from its script and the files beside it."""
    from pythonfmu3 import FmuBuilder

    save(mech, folder / MECHANISM)
    (folder / INTERFACE).write_text(json.dumps(given), encoding="utf-8")
    script = folder / f"{identifier}.py"
    script.write_text(script_of(mech.name or identifier, identifier), encoding="ascii")
    files = {folder / MECHANISM, folder / INTERFACE}
    return Path(FmuBuilder.build_FMU(script, dest=folder, project_files=files))
