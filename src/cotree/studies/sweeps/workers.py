"""Where batches are computed: in this process, in a pool of processes of this machine (loky), or on a Dask cluster."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from cotree import __version__
from cotree.engine.together import cores
from cotree.errors import ArgumentError, CopyError, ShapeError, StudyError
from cotree.io.native.texts import package
from cotree.model.checks import shown
from cotree.studies.sweeps.task import Outcome, Point, Study, evaluate, evaluate_packed

PATIENCE = "20s"  # for a scheduler to answer


class Here:
    """This process, which computes a batch when it is submitted."""

    count = 1

    def __init__(self, study: Study) -> None:
        self.study = study

    def compute(self, indices: Sequence[int], points: Sequence[Point]) -> Future[list[Outcome]]:
        done: Future[list[Outcome]] = Future()
        done.set_result(evaluate(self.study, indices, points))
        return done

    def restart(self) -> None:
        """Nothing to be replaced."""

    def close(self) -> None:
        """Nothing to be ended."""


class Pool:
    """Processes of this machine."""

    def __init__(self, packed: bytes, count: int) -> None:
        self.packed, self.count = packed, count
        self.executor = self._started()

    def _started(self) -> Any:
        return package("loky", "sweep").ProcessPoolExecutor(self.count, timeout=None, initializer=_deaf)

    def compute(self, indices: Sequence[int], points: Sequence[Point]) -> Future[list[Outcome]]:
        submitted: Future[list[Outcome]] = self.executor.submit(
            evaluate_packed, self.packed, __version__, indices, points
        )
        return submitted

    def restart(self) -> None:
        """After a process of the pool has died, which ends all of them."""
        self.close()
        self.executor = self._started()

    def close(self) -> None:
        self.executor.shutdown(wait=True, kill_workers=True)


class Cluster:
    """Workers of a Dask cluster, by a client or by the address of its scheduler."""

    def __init__(self, packed: bytes, client: Any) -> None:
        distributed = package("distributed", "cluster")
        self.packed, self.own = packed, isinstance(client, str)
        if not isinstance(client, str | distributed.Client):
            raise ArgumentError(
                f"client is {shown(client)}; give a dask.distributed.Client or the address of a scheduler"
            )
        self.client = self._connected(distributed, client)
        self.executor = self.client.get_executor(pure=False)
        self.check()
        self.count = max(1, sum(self.client.nthreads().values()))

    @staticmethod
    def _connected(distributed: Any, client: Any) -> Any:
        try:
            return distributed.Client(client, timeout=PATIENCE) if isinstance(client, str) else client
        except (OSError, ValueError, TypeError) as error:
            raise StudyError(f"the Dask scheduler at {client} cannot be reached: {error}") from None

    def check(self) -> None:
        """Whether the scheduler is there."""
        if self.client.status != "running":
            raise StudyError("the connection to the Dask scheduler is closed; with path= the same call resumes")

    def compute(self, indices: Sequence[int], points: Sequence[Point]) -> Future[list[Outcome]]:
        self.check()
        submitted: Future[list[Outcome]] = self.executor.submit(
            evaluate_packed, self.packed, __version__, indices, points
        )
        return submitted

    def restart(self) -> None:
        """Dask replaces its workers by itself, as long as it is there."""
        self.check()

    def close(self) -> None:
        self.executor.shutdown(wait=False)
        if self.own:
            self.client.close()


Workers = Here | Pool | Cluster


def workers_for(study: Study, client: Any, workers: Any, batches: int) -> Workers:
    """What the arguments of `sweep` ask for."""
    if workers is not None and (type(workers) is not int or workers < 1):
        raise ShapeError(f"workers is {shown(workers)}; give a number of processes, 1 or more")
    if client is not None:
        if workers is not None:
            raise ArgumentError("give client= or workers=, not both: a cluster has its own number of workers")
        return Cluster(packed(study), client)
    if (workers or min(cores(), batches)) <= 1:
        return Here(study)
    return Pool(packed(study), max(1, min(workers or cores(), batches)))


def packed(study: Study) -> bytes:
    """The functions as bytes for other processes."""
    cloudpickle = package("cloudpickle", "sweep")
    for name in ("build", "measure", "options"):
        try:
            cloudpickle.dumps(getattr(study, name))
        except Exception as error:
            raise CopyError(
                f"{name} cannot be sent to other processes ({type(error).__name__}: {error}); let it not refer to open files, "
                "locks, generators and the like, or give workers=1"
            ) from None
    made: bytes = cloudpickle.dumps(study)
    return made


def _deaf() -> None:
    """Ctrl-C is for the process that waits for the results."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
