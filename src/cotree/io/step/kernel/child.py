"""The process in which Open CASCADE works: a job comes on the standard input, the answer goes to a file."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from cotree.io.step.plain import Answer, FileData, Job, SolidData

MOST_SOLIDS = 20_000  # a few lines of STEP can nest assemblies into billions


def main() -> None:
    """Work off the job."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    try:
        answer = work(job)
    except Exception as error:  # the kernel's own errors have no common base
        answer = Answer(trouble=f"Open CASCADE: {type(error).__name__}: {error}")
    Path(job.answer).write_bytes(msgspec.json.encode(answer))


def work(job: Job) -> Answer:
    """Read, measure, look for faces that touch, and write the triangles if asked to."""
    from cotree.io.step.kernel.document import Part, read
    from cotree.io.step.kernel.measure import measured
    from cotree.io.step.kernel.meshing import write_mesh
    from cotree.io.step.kernel.touching import touches

    parts: list[Part] = []
    for part in read(job.file):
        if len(parts) == MOST_SOLIDS:
            return Answer(trouble=f"there are more than {MOST_SOLIDS} solids; export a part of the assembly")
        parts.append(part)
    whole = [part for part in parts if part.solid is not None]
    solids: list[SolidData] = []
    for k, part in enumerate(whole):
        data = measured(part, job.tolerance)
        if job.meshes is not None:
            data = msgspec.structs.replace(data, mesh=write_mesh(part, job.meshes, k))
        solids.append(data)
    loose = ["/".join(part.path) for part in parts if part.solid is None]
    found = touches([part.solid for part in whole], solids, job.tolerance)
    return Answer(FileData(solids, loose, found))
