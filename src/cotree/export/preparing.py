"""A mechanism made ready for export: a stepper of it with its inputs, all of whose memory becomes an image."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.entry import Entry
from cotree.engine.images import Image, UnknownAddressError, image_of
from cotree.engine.native_code import version_of
from cotree.engine.records import address_of, as_table, put_array
from cotree.errors import ExportError, ShapeError
from cotree.export.model import DOORS, model_t
from cotree.integrate.stepper.stepper import STEPPER, Stepper
from cotree.integrate.stepper.stepping import Rows, rows_t
from cotree.model.checks import several, shown
from cotree.model.features import declare
from cotree.model.mechanism import Mechanism
from cotree.system.rows import all_kinds
from cotree.system.views import system_t

OF_PYTHON = "code without Python does not have them; use numbers"
WITHOUT_PYTHON = declare(
    "ct.export_library",
    ExportError,
    refuses={
        "functions": OF_PYTHON,
        "user rows": OF_PYTHON,
        "switches": "exported code does not step through contacts, brakes, limits and locks yet; use ct.Stepper",
        "laws": "their values and states are computed in Python; use numbers that the caller sets",
        "time": "exported code does not know where they have their kinks yet; set inputs from outside",
        "friction": "it is solved for together with the loads, which exported code cannot do yet",
    },
    leaves_out={"springs on cut joints": "nothing tells where they jump, past half a turn of their joint"},
    on=(STEPPER,),
)
MAGIC = struct.unpack("<Q", b"COTREEM1")[0]
HEAD = (
    "magic", "version", "sum", "words", "size", "stored", "n_inside", "n_outside", "n_inputs", "nq", "nv", "n_constraints",
    "n_bodies", "scratch", "model", "scratch_at", "count_at", "stale_at", "time_at", "state_at", "poses_at", "mass_at",
    "energy_at", "fixed_at", "lam_at",
)  # fmt: skip  # words at the beginning of the file of a model; those that end in _at and `model` are places in bytes
SUMMED = HEAD.index("sum") + 1  # the check sum is over all words behind it


@dataclass(frozen=True)
class Model:
    """head: by the names of HEAD; inputs: (name, place) of each number that can be set; entries: all that the image refers to,
    in the order of their numbers; data: the file of the model."""

    stepper: Stepper
    head: dict[str, int]
    inputs: list[tuple[str, int]]
    entries: list[Entry]
    data: bytes


def prepare(mech: Any, inputs: Sequence[str] | None, step: float, method: Any, formulation: Any, who: str) -> Model:
    """The model of a mechanism at its start."""
    if not isinstance(mech, Mechanism):
        raise ShapeError(f"{who} takes a Mechanism, got {shown(mech)}")
    WITHOUT_PYTHON.admit(mech.compiled().features, stacklevel=5)
    stepper = _stepper(mech, step, method, formulation)
    names = _chosen(stepper) if inputs is None else list(several(inputs, "inputs"))
    start = {name: value for name in names for value in [_value(stepper, name)]}
    for name, value in start.items():  # gives torques along coordinates their places
        stepper.set(torque={name: value})
    stepper.reset()
    for name, value in start.items():
        stepper.set(torque={name: value})
    return _model(stepper, names)


def _stepper(mech: Mechanism, step: float, method: Any, formulation: Any) -> Stepper:
    """A stepper that works with matrices, whatever the size of the system."""
    stepper = Stepper(mech, step, method, formulation=formulation, record=False)
    if stepper._driver.divided:
        stepper = Stepper(mech, step, method, formulation="projection", record=False)
    return stepper


def _chosen(stepper: Stepper) -> list[str]:
    """Inputs of a mechanism for which none are named: its motors and loads, or without such all coordinates of its tree."""
    system = stepper.system
    own = [name for name in stepper.inputs if name in system.mechanism.motors_and_loads]
    return own or [name for name in stepper.inputs if name in system.v_names]


def _value(stepper: Stepper, name: str) -> Any:
    """What an input is at the start."""
    if name in stepper._coordinates:
        return 0.0
    row, size = stepper._slot(name)
    given = stepper._driver.state.values[row, :size]
    return float(given[0]) if size == 1 else given.copy()


def _model(stepper: Stepper, names: list[str]) -> Model:
    system, state = stepper.system, stepper._driver.state
    n, nq, m, bodies = system.nv, system.nq, system.n_constraints, system.n_bodies + 1
    rows = Rows(nq, n, 2 + system.n_states, False)
    room = scratch_bytes(nq, n, m)
    own: dict[str, NDArray[Any]] = {
        "scratch": np.zeros(room // 8, dtype=np.int64), "poses": np.zeros((bodies, 12)), "mass": np.zeros((n, n)),
        "force": np.zeros(n), "energy": np.zeros(4), "fixed": np.zeros(n, dtype=np.int64), "change": np.zeros(n),
        "moved": np.zeros(nq),
    }  # fmt: skip
    own["scratch"][0] = room
    root = np.zeros(1, model_t)
    root["here"], root["nq"], root["nv"] = address_of(root), nq, n
    root["run"], root["rows"] = state.here, rows.here
    put_array(root[0]["scratch"], own["scratch"])
    for name in model_t["arrays"].names or ():
        put_array(root[0]["arrays"][name], own[name])
    image = _image(root, [*own.values(), *_memory(stepper), as_table(rows.record, rows_t), *rows.arrays])
    entries = sorted({entry for _, entry in image.outside}, key=lambda e: e.symbol)
    fields: Any = model_t.fields
    begin, now = image.place(root), state.kept["now"]
    clock: Any = state.record_t.fields["clock"]  # type: ignore[index]
    head = dict.fromkeys(HEAD, 0) | {
        "magic": MAGIC, "version": int.from_bytes(version_of([*entries, *DOORS.values()]), "little"),
        "size": image.size, "nq": nq, "nv": n, "n_constraints": m, "n_bodies": bodies, "scratch": room, "model": begin,
        "scratch_at": image.place(own["scratch"]),
        "count_at": begin + fields["count"][1], "stale_at": begin + fields["stale"][1],
        "time_at": image.places[state.here] + clock[1] + clock[0].fields["t_now"][1], "state_at": image.place(now),
        "poses_at": image.place(own["poses"]), "mass_at": image.place(own["mass"]), "energy_at": image.place(own["energy"]),
        "fixed_at": image.place(own["fixed"]), "lam_at": image.place(state.lam) if m else 0,
    }  # fmt: skip
    inputs = list(_input_places(stepper, image, names))
    return Model(stepper, head, inputs, entries, file_of(head, image, entries, [place for _, place in inputs]))


def scratch_bytes(nq: int, nv: int, rows: int) -> int:
    """Room for the arrays that kernels make for themselves; `tests/export` measures what is used."""
    n = nv + rows
    return (2048 + 8 * (4 * n * n + 16 * (n + nq)) + 63) // 64 * 64


def _image(root: NDArray[np.void], arrays: list[NDArray[Any]]) -> Image:
    try:
        return image_of(root, arrays)
    except UnknownAddressError as error:
        raise ExportError(f"the mechanism has code of this process that cannot be exported ({error})") from None


def _memory(stepper: Stepper) -> Iterator[NDArray[Any]]:
    """All arrays that a stepper's compiled code may reach."""
    state, system = stepper._driver.state, stepper.system
    yield as_table(state.record, state.record_t)
    yield from state.kept.values()
    yield as_table(system.own.record, system_t)
    yield from system.own.tables.values()
    yield from (table for _, table, _ in all_kinds(system.cuts, system.extra_rows))
    yield from (table for _, table in system.elements.kinds)


def _input_places(stepper: Stepper, image: Image, names: list[str]) -> Iterator[tuple[str, int]]:
    """(name, place) of the numbers of all inputs; a load has three."""
    values = stepper._driver.state.kept["values"]
    for name in names:
        row, size = stepper._slot(name)
        for k in range(size):
            place = image.place(values) + row * values.strides[0] + k * values.strides[1]
            yield (name if size == 1 else f"{name}.{'xyz'[k]}"), place


def file_of(head: dict[str, int], image: Image, entries: list[Entry], inputs: list[int]) -> bytes:
    """Head, places of the inputs, words that point into the image, words that hold addresses of entries, words of the image up
    to the last that is not zero."""
    number = {entry: k for k, entry in enumerate(entries)}
    words = np.frombuffer(image.content, np.uint64)
    kept = int(np.flatnonzero(words).max(initial=-1)) + 1
    inside = [x for pair in image.inside for x in pair]
    outside = [x for word, entry in image.outside for x in (word, number[entry])]
    body = np.concatenate([np.array([*inputs, *inside, *outside], np.uint64), words[:kept]])
    head |= {
        "words": len(HEAD) + len(body), "stored": kept, "n_inside": len(image.inside), "n_outside": len(image.outside),
        "n_inputs": len(inputs),
    }  # fmt: skip
    whole = np.concatenate([np.array([head[name] for name in HEAD], np.uint64), body])
    whole[SUMMED - 1] = head["sum"] = check_sum(whole[SUMMED:])
    return whole.astype("<u8").tobytes()


def check_sum(words: NDArray[np.uint64]) -> int:
    """FNV-1a of words, 64 bits."""
    total, prime, mask = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
    for word in words.tolist():
        total = ((total ^ word) * prime) & mask
    return total
