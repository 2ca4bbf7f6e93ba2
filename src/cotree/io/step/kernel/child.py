"""The process in which Open CASCADE works: a job comes on the standard input, the answer goes to a file."""

from __future__ import annotations

import sys
from itertools import islice
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
    from cotree.io.step.kernel.document import opened, parts
    from cotree.io.step.kernel.measure import measured
    from cotree.io.step.kernel.meshing import write_mesh
    from cotree.io.step.kernel.touching import touches

    document = opened(job.file)
    if document is None:
        return Answer(trouble="the file is damaged or contains nothing that Open CASCADE can read")
    found = list(islice(parts(document), MOST_SOLIDS + 1))
    if len(found) > MOST_SOLIDS:
        return Answer(trouble=f"there are more than {MOST_SOLIDS} solids, too many for a mechanism")
    solids: list[SolidData] = []
    for k, part in enumerate(found):
        data = measured(part, job.tolerance)
        if job.meshes is not None:
            data = msgspec.structs.replace(data, mesh=write_mesh(part, job.meshes, k))
        solids.append(data)
    return Answer(FileData(solids, touches([part.solid for part in found], solids, job.tolerance)))
