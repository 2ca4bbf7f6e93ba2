"""Machine code of entries that needs no Python: captured as Numba gives it to LLVM, optimized for a target, put together.

An entry's code is stored beside its machine code for this process, by a digest of all that it was made from, so that a second
mechanism of the same kinds waits for nothing. Capturing changes how Numba works, so that a process of its own does it.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba

from cotree.engine import claims, native_runtime
from cotree.engine.cache import with_sum, without_sum
from cotree.engine.dependencies import digest_of
from cotree.engine.entry import Entry
from cotree.engine.native_runtime import with_runtime, wrapper
from cotree.engine.plain_numba import PLAIN
from cotree.engine.signals import deliver
from cotree.engine.targets import TARGETS, Target
from cotree.errors import ExportError

FORMAT = 1  # of what is stored: to be raised with changes of `optimize`
KINDS = {"int64": "i64", "float64": "double"}


def code_for(entries: Iterable[Entry], target: Target) -> bytes:
    """One object file with these entries under their symbols; all else in it is private. It is stored, too."""
    own = sorted(set(entries), key=lambda e: e.symbol)
    parts = parts_of(own, target)
    digest = blake2b(" ".join(_file(e, target).name for e in own).encode(), digest_size=8).hexdigest()
    file = _folder(own[0]) / f"native.object.{target.name}.{digest}.nbc"
    code = without_sum(file)
    if code is None:
        code = _put_together(parts, target)
        _write(file, code)
    return code


def _put_together(parts: dict[str, bytes], target: Target) -> bytes:
    machine, whole = target.machine(), None
    for code in parts.values():
        module = llvm.parse_bitcode(code)
        if whole is None:
            whole = module
        else:
            whole.link_in(module)
    _hide(whole, set(parts))
    return bytes(machine.emit_object(whole))


def _write(file: Path, code: bytes) -> None:
    """A file with its check sum, there whole or not at all."""
    draft = file.with_suffix(f".{os.getpid()}.draft")
    draft.write_bytes(with_sum(code))
    draft.replace(file)


def version_of(entries: Iterable[Entry]) -> bytes:
    """Digest of all that entries are made from, with the layout of the records that they read: 8 bytes."""
    digest = blake2b(digest_size=8)
    for entry in sorted(set(entries), key=lambda e: e.symbol):
        digest.update(f"{entry.symbol} {_digest(entry)}".encode())
    return digest.digest()


def parts_of(entries: Sequence[Entry], target: Target) -> dict[str, bytes]:
    """Code of each entry for a target, by its symbol; made where it is not there."""
    if PLAIN:
        raise ExportError("code that runs without Python needs one of the versions of Numba that Cotree knows")
    missing = [e for e in entries if without_sum(_file(e, target)) is None]
    if missing:
        _make(missing, target)
    parts = {e.symbol: without_sum(_file(e, target)) for e in entries}
    for symbol, code in parts.items():
        if code is None:
            raise ExportError(f"code of {symbol} could not be made or stored; is {_folder(entries[0])} writable?")
    return parts  # type: ignore[return-value]


def _make(entries: Sequence[Entry], target: Target) -> None:
    """Let another process make what is missing."""
    orders = "\n".join(f"{e.function.__module__} {e.function.__qualname__}" for e in entries)
    command = [sys.executable, "-m", __name__, target.name]
    claim = f"{_folder(entries[0])} native {target.name}"
    claims.wait_for(claim, deliver)  # another process may be at it
    try:
        done = subprocess.run(command, input=orders, text=True, capture_output=True, check=False)
    finally:
        claims.give_back(claim)
    if done.returncode:
        raise ExportError(f"the compiler has failed: {done.stderr.strip()[-800:]}")


@cache
def _digest(entry: Entry) -> str:
    return digest_of(entry.function, {})


def _folder(entry: Entry) -> Path:
    """Where compiled code of an entry is stored."""
    return Path(entry.kernel._cache._cache_path)


def _file(entry: Entry, target: Target) -> Path:
    versions = llvmlite.__version__, numba.__version__, FORMAT, native_runtime.TEXTS
    digest = blake2b(repr((target, _digest(entry), versions)).encode(), digest_size=6).hexdigest()
    return _folder(entry) / f"native.{entry.symbol}.{target.name}.{digest}.nbc"


def _hide(module: Any, shown: set[str]) -> None:
    """Let nothing but these symbols be seen from outside."""
    for item in [*module.functions, *module.global_variables]:
        if not item.is_declaration and item.name not in shown and item.linkage.name not in ("internal", "private"):
            item.linkage = "internal"


# -- in the process that captures --------------------------------------------------------------------------------------------


def capture(entry: Entry) -> tuple[str, str]:
    """LLVM's text of an entry and all that it reaches, not optimized, and the name of its native function."""
    from numba.core.codegen import CPUCodeLibrary

    from cotree.engine.kernel import kernel
    from cotree.engine.linking import link, linked_only

    dispatcher = kernel(entry.function)
    with linked_only():
        setattr(CPUCodeLibrary, "_optimize_functions", _leave)  # noqa: B010  nothing of this machine gets into the code
        made = dispatcher._for_kernels.compile(entry.signature.args, None)
        link(made.library)
    return str(made.library._final_module), made.fndesc.llvm_func_name


def _leave(library: Any, module: Any) -> None:
    """In the place of a part of Numba that optimizes."""


def optimize(entry: Entry, target: Target) -> bytes:
    """LLVM's code of an entry, for a target."""
    machine = target.machine()
    text, native = capture(entry)
    kinds = [KINDS[str(kind)] for kind in entry.signature.args]
    around = wrapper(entry.symbol, native, kinds, getattr(entry, "scratch", None))
    module = llvm.parse_assembly(with_runtime(text, target, str(machine.target_data)) + around)
    _hide(module, {entry.symbol, native_runtime.SHARED})
    for vectorized in (False, True):
        tuning = llvm.create_pipeline_tuning_options(3)
        tuning.loop_vectorization, tuning.slp_vectorization = True, vectorized
        builder = llvm.create_pass_builder(machine, tuning)
        passes = builder.getModulePassManager()
        if not vectorized:
            passes.add_refprune_pass()
        passes.run(module, builder)
    return bytes(module.as_bitcode())


def main(target: Target, orders: Iterable[str]) -> None:
    """Make and store the code of entries named "module name"."""
    for order in orders:
        module, name = order.split()
        entry: Any = importlib.import_module(module)
        for part in name.split("."):
            entry = getattr(entry, part)
        file = _file(entry, target)
        if without_sum(file) is not None:  # another process was faster
            continue
        _write(file, optimize(entry, target))
        for old in file.parent.glob(f"native.{entry.symbol}.{target.name}.*.nbc"):
            if old != file:
                with suppress(OSError):
                    old.unlink()


if __name__ == "__main__":
    main(TARGETS[sys.argv[1]], [line for line in sys.stdin.read().splitlines() if line])
