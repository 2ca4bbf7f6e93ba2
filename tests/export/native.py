"""Exported libraries, built by the machine's own compiler and called through ctypes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

COMPILER = shutil.which("cc")
needs_cc = pytest.mark.skipif(
    COMPILER is None or shutil.which("make") is None, reason="there is no C compiler, or no make"
)


class Library:
    """A library with the mechanism that it was exported with, at its start."""

    def __init__(self, folder: Path) -> None:
        subprocess.run(["make", "-s", "-C", str(folder), "CFLAGS=-O1"], check=True, capture_output=True)
        (file,) = folder.glob("lib*.so")
        self.lib = ctypes.CDLL(str(file))
        for name in ("ct_init", "ct_q", "ct_v", "ct_a", "ct_status_text"):
            getattr(self.lib, name).restype = ctypes.c_void_p
        for name in ("ct_size", "ct_scratch_used", "ct_scratch_size"):
            getattr(self.lib, name).restype = ctypes.c_size_t
        self.lib.ct_time.restype = ctypes.c_double
        self.data = np.fromfile(folder / "model.ctm", np.uint64)
        self.at = self.instance(self.data)

    def instance(self, data: np.ndarray) -> ctypes.c_void_p | None:
        """Another instance of a model."""
        size = self.lib.ct_size(pointer(data), ctypes.c_size_t(data.nbytes))
        self.memory = [*getattr(self, "memory", []), memory := ctypes.create_string_buffer(max(size, 1)), data]
        at = self.lib.ct_init(memory, ctypes.c_size_t(size), pointer(data), ctypes.c_size_t(data.nbytes))
        return ctypes.c_void_p(at) if at else None

    def check(self, data: np.ndarray) -> int:
        return self.lib.ct_check(pointer(data), ctypes.c_size_t(data.nbytes))

    def state(self, name: str, n: int) -> np.ndarray:
        """A copy of the coordinates "q", velocities "v" or accelerations "a"."""
        at = getattr(self.lib, f"ct_{name}")(self.at)
        return np.array((ctypes.c_double * n).from_address(at))

    @property
    def t(self) -> float:
        return self.lib.ct_time(self.at)

    def step(self, size: float, count: int = 1) -> int:
        return self.lib.ct_step(self.at, ctypes.c_double(size), count)

    def set_inputs(self, values: np.ndarray) -> None:
        self.lib.ct_set_inputs(self.at, pointer(np.ascontiguousarray(values, float)))

    def call(self, name: str, *given: object) -> int:
        """A function of the instance; arrays by their address, numbers as doubles."""
        return getattr(self.lib, name)(self.at, *map(_passed, given))


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _passed(x: object) -> object:
    return pointer(x) if isinstance(x, np.ndarray) else ctypes.c_double(x) if isinstance(x, float) else x
