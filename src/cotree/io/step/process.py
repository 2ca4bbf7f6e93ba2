"""Run the CAD kernel in a process of its own: whatever a file does to it, this one lives and gets an error with a name."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from cotree.errors import DocumentError, MissingPackageError
from cotree.io.step.plain import Answer, FileData, Job

# the search path first: tests and notebooks change theirs, and the new process has not
PROGRAM = """
import io, json, sys
text = sys.stdin.buffer.read()
sys.path[:] = json.loads(text)["search"]
sys.stdin = io.TextIOWrapper(io.BytesIO(text))
from cotree.io.step.kernel.child import main
main()
"""
MAGIC = b"ISO-10303-21"


def check_file(file: Path, size_limit: float) -> None:
    """A STEP file of a size that can be read."""
    size = file.stat().st_size
    if size > size_limit:
        raise DocumentError(
            f"{size / 1e6:.0f} MB are more than {size_limit / 1e6:.0f} MB; export a part of the assembly, or allow it with "
            "read_step(..., size_limit=bytes)"
        )
    with file.open("rb") as stream:
        if MAGIC not in stream.read(4096):
            raise DocumentError(
                "this is not a STEP file (it does not begin with ISO-10303-21); export STEP, AP203 or later"
            )


def kernel_data(file: Path, tolerance: float, meshes: Path | None, time_limit: float) -> FileData:
    """What Open CASCADE finds in a file."""
    if importlib.util.find_spec("OCP") is None:
        raise MissingPackageError(
            "the package cadquery-ocp-novtk is needed to read STEP and is not installed; pip install 'cotree[cad]'"
        )
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        where = None if meshes is None else str(meshes.resolve())
        job = Job(
            str(file.resolve()), str(answer), tolerance, where, [entry for entry in sys.path if isinstance(entry, str)]
        )
        end = _run(msgspec.json.encode(job), time_limit)
        if not answer.exists():
            raise DocumentError(
                f"Open CASCADE failed on this file ({end}); it is damaged or contains invalid geometry; export it "
                f"again from the CAD program"
            )
        return _decoded(answer.read_bytes())


def _run(job: bytes, time_limit: float) -> str:
    """How the process ended: its exit code and last word."""
    try:
        done = subprocess.run([sys.executable, "-c", PROGRAM], input=job, capture_output=True, timeout=time_limit)
    except subprocess.TimeoutExpired:
        raise DocumentError(
            f"reading took more than {time_limit:g} s; export a part of the assembly, or allow more with "
            "read_step(..., time_limit=seconds)"
        ) from None
    words = done.stderr.decode(errors="replace").strip().splitlines()
    return f"exit code {done.returncode}{f', {words[-1]}' if words else ''}"


def _decoded(text: bytes) -> FileData:
    try:
        answer = msgspec.json.decode(text, type=Answer)
    except msgspec.DecodeError as error:  # NaN and infinity do not pass as numbers
        raise DocumentError(
            f"a solid has dimensions that are not finite ({error}); the file is damaged; export it again"
        ) from None
    if answer.data is None:
        raise DocumentError(f"{answer.trouble}; export the file again from the CAD program, as AP214 or AP242")
    return answer.data
