"""`export_library`: a mechanism as a C library."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Sequence
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from cotree.engine.native_code import code_for
from cotree.engine.targets import TARGETS
from cotree.errors import ChoiceError, ExportError
from cotree.export.answers import answers
from cotree.export.model import DOORS
from cotree.export.preparing import HEAD, MAGIC, Model, prepare
from cotree.formulations.choices import FormulationChoice
from cotree.integrate.choices import MethodChoice
from cotree.io.paths import path_of
from cotree.model.checks import several, shown
from cotree.model.mechanism import Mechanism

C_FILES = ("cotree_model.h", "cotree_model.c", "check.c")
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
ALIGN = 64  # of instances, and bytes in front of their images


def export_library(
    mech: Mechanism,
    folder: str | PathLike[str],
    inputs: Sequence[str] | None = None,
    *,
    step: float = 1e-3,
    method: str | MethodChoice = "rk4",
    formulation: str | FormulationChoice = "auto",
    targets: Sequence[str] = ("auto",),
) -> Path:
    """Write a mechanism as a C library that runs without Python.

    Parameters
    ----------
    mech : Mechanism
        A mechanism whose forces and constraints are numbers: functions in Python, laws, and devices that switch are refused.
    folder : str or path
        Where the files go: header, sources, compiled kernels, the mechanism as data, Makefile and CMake file. `make` there
        builds the shared and the static library, `make check` compares them with stored answers.
    inputs : sequence of str, optional
        What can be set while it runs, as `Stepper.set(torque=...)` takes it: coordinates of joints, motors and loads.
        By default the mechanism's own motors and loads, or where it has none all coordinates of the spanning tree.
    step, method, formulation : float, str or value, optional
        As for `Stepper`. The size of steps is an argument of `ct_step`; this one is that of the stored answers.
    targets : sequence of str, optional
        Processors that code is written for: "auto" (this machine's), "x86_64", "x86_64-v3", "aarch64".

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    ExportError
        The mechanism has what code without Python cannot do, or no code can be made.
    ChoiceError
        A target that is not known.

    Notes
    -----
    The first export compiles for about half a minute; the code is kept, so that later ones take seconds.

    Examples
    --------
    >>> import tempfile
    >>> ct.export_library(ct.gallery.four_bar(), tempfile.mkdtemp() + "/four_bar").name
    'four_bar'
    """
    names = _targets(targets)
    place = Path(path_of(folder, "export_library(mech, folder)"))
    model = prepare(mech, inputs, step, method, formulation, "export_library")
    code = {name: code_for([*model.entries, *DOORS.values()], TARGETS[name]) for name in names}
    write_folder(place, model, code)
    return place


def _targets(given: Any) -> list[str]:
    """Names of targets, "auto" replaced."""
    known = [name for name in TARGETS if TARGETS[name].threads]
    out = []
    for name in several(given, "targets"):
        if name not in ("auto", *known):
            raise ChoiceError(f"targets: {shown(name)} is not known; give {', '.join(map(repr, ('auto', *known)))}")
        out.append(own_target() if name == "auto" else name)
    if not out:
        raise ChoiceError("targets is empty; give 'auto' or names of processors")
    return list(dict.fromkeys(out))


def own_target() -> str:
    """That of this machine."""
    machine = MACHINES.get(platform.machine().lower())
    if machine is None or not sys.platform.startswith("linux"):
        raise ExportError(
            f"no code is made for {platform.system()} on {platform.machine()}; name targets for Linux, such as "
            "targets=['x86_64', 'aarch64']"
        )
    return machine


def identifier(name: str) -> str:
    """A name of a mechanism as one in C and for files."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_") or "mechanism"
    return plain if not plain[0].isdigit() else f"m_{plain}"


def write_folder(place: Path, model: Model, code: dict[str, bytes]) -> None:
    """All files of the folder; those that are there are replaced, others stay."""
    (place / "objects").mkdir(parents=True, exist_ok=True)
    shutil.rmtree(place / "build", ignore_errors=True)
    for name, binary in code.items():
        (place / "objects" / f"{name}.o").write_bytes(binary)
    system = model.stepper.system
    for name in C_FILES:
        (place / name).write_text(asset(name))
    words = {
        "NAME": identifier(system.name), "TITLE": re.sub(r"[^ -~]|\\", "?", system.name) or "a mechanism",
        "TARGET": next(iter(code)), "TARGETS": " ".join(code),
    }  # fmt: skip
    for name in ("Makefile", "CMakeLists.txt"):
        (place / name).write_text(re.sub(r"@([A-Z]+)@", lambda m: words[m[1]], asset(f"{name}.in")))
    (place / "entries.h").write_text(entries_h(model))
    (place / "mechanism.h").write_text(mechanism_h(model))
    (place / "mechanism.c").write_text(mechanism_c(model))
    (place / "model.ctm").write_bytes(model.data)
    (place / "answers.h").write_text(answers(model))
    os.utime(place / "Makefile")


def asset(name: str) -> str:
    """A file that lies beside the code."""
    return (files("cotree.export") / "assets" / name).read_text(encoding="utf-8")


def entries_h(model: Model) -> str:
    """Names of the compiled kernels, and the layout of the files of models."""
    lines = ["/* Made by Cotree: the compiled kernels, and the layout of model.ctm. */"]
    lines += [_list("CT_DOORS", [door.symbol for door in DOORS.values()])]
    lines += [_list("CT_ENTRIES", [entry.symbol for entry in model.entries])]
    lines += [f"#define CT_MAGIC 0x{MAGIC:x}u", f"#define CT_VERSION 0x{model.head['version']:x}u"]
    lines += ["enum {", *(f"    CT_HEAD_{name}," for name in HEAD), "    CT_HEAD_WORDS,"]
    lines += ["    CT_HEAD_FIRST_PLACE = CT_HEAD_model", "};"]
    return "\n".join(lines) + "\n"


def _list(name: str, symbols: list[str]) -> str:
    return f"#define {name}(X) " + " ".join(f"\\\n    X({symbol})" for symbol in symbols)


def mechanism_h(model: Model) -> str:
    """Sizes of the mechanism, and the places of its inputs and coordinates by name."""
    system, head = model.stepper.system, model.head
    sizes = {
        "NQ": head["nq"], "NV": head["nv"], "N_CONSTRAINTS": head["n_constraints"], "N_BODIES": head["n_bodies"],
        "N_INPUTS": head["n_inputs"], "MODEL_BYTES": len(model.data), "SIZE": 2 * ALIGN + head["size"],
    }  # fmt: skip
    lines = [
        f"/* Made by Cotree: sizes of {identifier(system.name)}, and its inputs, coordinates and bodies by name. */"
    ]
    lines += ["enum {", *(f"    CT_{name} = {value}," for name, value in sizes.items()), "};"]
    tables = {
        "INPUT": [name for name, _ in model.inputs], "Q": system.q_names, "V": system.v_names,
        "BODY": ["ground", *system.body_names],
    }  # fmt: skip
    for prefix, names in tables.items():
        lines += _enumerated(prefix, list(names))
    return "\n".join(lines) + "\n"


def _enumerated(prefix: str, names: list[str]) -> list[str]:
    """An enumeration of names; those that C would take for the same have their number behind them."""
    plain = [re.sub(r"\W", "_", name, flags=re.ASCII) for name in names]
    words = [f"{p}_{k}" if plain.count(p) > 1 else p for k, p in enumerate(plain)]
    return ["enum {", *(f"    CT_{prefix}_{w} = {k}," for k, w in enumerate(words)), "};"] if names else []


def mechanism_c(model: Model) -> str:
    """The file of the model as an array of words."""
    words = np.frombuffer(model.data, "<u8").tolist()
    rows = [", ".join(f"0x{w:x}u" for w in words[k : k + 8]) for k in range(0, len(words), 8)]
    text = ",\n    ".join(rows)
    return (
        '/* Made by Cotree: the mechanism as data. */\n#include "cotree_model.h"\n'
        f"const uint64_t ct_mechanism[] = {{\n    {text}}};\nconst size_t ct_mechanism_bytes = sizeof ct_mechanism;\n"
    )
