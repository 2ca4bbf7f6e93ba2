"""The file of a sweep: each batch of results is one line, written and flushed as soon as it is there.

Lines begin with a check sum. What was cut off by an interruption, or damaged, is recognised and computed again. The first
line describes the study; a file of another study is refused.
"""

from __future__ import annotations

import json
import os
import warnings
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cotree import __version__
from cotree.errors import DocumentError, StudyError, StudyWarning
from cotree.io.paths import path_of
from cotree.studies.sweeps.dataset import dataset
from cotree.studies.sweeps.design import Design
from cotree.studies.sweeps.fingerprint import UNKNOWN
from cotree.studies.sweeps.task import Outcome

if TYPE_CHECKING:
    import xarray

FORMAT = "cotree sweep 1"


class Journal:
    """A file that is open for one sweep at a time."""

    def __init__(self, path: Any, about: dict[str, Any]) -> None:
        self.path = path_of(path, "sweep(path=...)")
        self.about = json.loads(json.dumps({"format": FORMAT, "cotree": __version__, **about}))
        self.file = self.path.open("a+b")
        try:
            _lock(self.file, self.path)
            self.outcomes = self._begin()
        except BaseException:
            self.file.close()
            raise

    def _begin(self) -> dict[int, Outcome]:
        """Results of earlier calls; what follows the last whole line is cut off."""
        self.file.seek(0)
        data = self.file.read()
        whole = data.rfind(b"\n") + 1
        lines = [_checked(line) for line in data[:whole].split(b"\n")[:-1]]
        if not lines:
            if data and not _ours(data):
                raise _foreign(self.path)
            for words in self._doubts():
                text = f"{self.path.name} cannot be resumed, because {words}; ct.load_sweep reads it"
                warnings.warn(text, StudyWarning, stacklevel=5)
            self.file.truncate(0)
            self._append(self.about)
            return {}
        if lines[0] is None or lines[0].get("format") != FORMAT:
            raise _foreign(self.path)
        self._compare(lines[0])
        self.file.truncate(whole)
        damaged = sum(line is None for line in lines)
        if damaged:
            warnings.warn(f"{self.path.name}: {damaged} damaged lines are computed again", StudyWarning, stacklevel=5)
        return {o.index: o for line in lines[1:] if line is not None for o in map(_outcome, line["outcomes"])}

    def _compare(self, stored: dict[str, Any]) -> None:
        different = [key for key in self.about if key != "cotree" and self.about[key] != stored.get(key)]
        for words in self._doubts():
            raise StudyError(
                f"{self.path.name} cannot be resumed, because {words}; ct.load_sweep reads it; give another path, or remove "
                "the file to begin again"
            )
        if different:
            raise StudyError(
                f"{self.path.name} holds results of another study: {', '.join(different)} differ; give another path, or "
                "remove the file to begin again"
            )
        if stored.get("cotree") != __version__:
            warnings.warn(
                f"{self.path.name} was begun with Cotree {stored.get('cotree')}; results of {__version__} are added to it",
                StudyWarning,
                stacklevel=6,
            )

    def _doubts(self) -> list[str]:
        """What cannot be known to be the same at the next call, in words."""
        given = {**self.about, **self.about.get("options", {})}
        unknown = {key: x.split(";")[0] for key, x in given.items() if isinstance(x, str) and x.startswith(UNKNOWN)}
        return [f"{key} refers to what {reason}" for key, reason in unknown.items()]

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Store results of a batch."""
        self._append({"outcomes": [_plain(o) for o in outcomes]})

    def _append(self, content: dict[str, Any]) -> None:
        text = json.dumps(content).encode()
        self.file.write(b"%08x %s\n" % (zlib.crc32(text), text))
        self.file.flush()
        os.fsync(self.file.fileno())

    def close(self) -> None:
        self.file.close()


def load_sweep(path: str | Path) -> xarray.Dataset:
    """Read the dataset of a sweep's file, finished or not.

    Parameters
    ----------
    path : str or path
        The file that `sweep` wrote.

    Returns
    -------
    xarray.Dataset
        Points that are missing have the status "missing".

    Examples
    --------
    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/sweep.h5"
    >>> _ = ct.sweep(ct.gallery.pendulum_chain, {"n": [1, 2]}, lambda m: len(m.bodies), path=path, workers=1, progress=False)
    >>> ct.load_sweep(path).sizes["n"]
    2
    """
    file = path_of(path, "load_sweep(path)")
    lines = [_checked(line) for line in file.read_bytes().split(b"\n")[:-1]]
    if not lines or lines[0] is None or lines[0].get("format") != FORMAT:
        raise _foreign(file)
    about = lines[0]
    columns, axes = ({k: np.asarray(x) for k, x in about[part].items()} for part in ("columns", "axes"))
    design = Design(about["sampling"], columns, axes, about["fixed"], about["samples"], about["seed"])
    outcomes = [o for line in lines[1:] if line is not None for o in map(_outcome, line["outcomes"])]
    return dataset(design, {o.index: o for o in outcomes})


def described(design: Design) -> dict[str, Any]:
    """A design as plain data."""
    lists = {"columns": design.columns, "axes": design.axes}
    plain = {part: {name: x.tolist() for name, x in columns.items()} for part, columns in lists.items()}
    return {**plain, "fixed": design.fixed, "sampling": design.sampling, "samples": design.samples, "seed": design.seed}


def _plain(o: Outcome) -> dict[str, Any]:
    values = {
        name: {"type": x.dtype.str, "shape": x.shape, "data": _numbers(x)} for name, x in o.values.items()
    }  # fmt: skip
    return {"index": o.index, "status": o.status, "message": o.message, "warnings": o.warnings, "values": values}


def _numbers(x: Any) -> list[Any]:
    return list(np.ascontiguousarray(x.ravel()).view(float).tolist() if x.dtype.kind == "c" else x.ravel().tolist())


def _outcome(plain: dict[str, Any]) -> Outcome:
    values = {}
    for name, x in plain["values"].items():
        kind = np.dtype(x["type"])
        flat = np.array(x["data"], dtype=float).view(kind) if kind.kind == "c" else np.array(x["data"], dtype=kind)
        values[name] = flat.reshape(x["shape"])
    return Outcome(plain["index"], plain["status"], plain["message"], plain["warnings"], values)


def _checked(line: bytes) -> dict[str, Any] | None:
    """The content of a line; None if it is damaged."""
    try:
        if int(line[:8], 16) == zlib.crc32(line[9:]):
            content: dict[str, Any] = json.loads(line[9:])
            return content
    except ValueError:
        pass
    return None


def _ours(data: bytes) -> bool:
    """Whether a file without a whole line may be one whose first line was cut off."""
    begins = f'{{"format": "{FORMAT}"'.encode()
    return all(c in b"0123456789abcdef" for c in data[:8]) and begins.startswith(data[9:][: len(begins)])


def _foreign(path: Path) -> DocumentError:
    return DocumentError(f"{path.name} is not a file of a sweep; give another path")


def _lock(file: Any, path: Path) -> None:
    """One process at a time; the lock ends with the process."""
    try:
        import fcntl
    except ImportError:  # not on this system
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise StudyError(f"{path.name} is in use by another sweep; wait for it, or give another path") from None
