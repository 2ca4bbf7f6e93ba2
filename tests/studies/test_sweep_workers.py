"""Sweeps on several processes and on a Dask cluster: the same to the bit as in one, also when workers die."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, StudyError, StudyWarning
from cotree.studies.sweeps import workers
from cotree.studies.sweeps.journal import Journal
from tests.model.builders import refused
from tests.studies.sweep_rigs import Kills, KillsOnce, motion, pendulum

pytest.importorskip("xarray")
LENGTHS = {"length": np.linspace(0.5, 1.6, 12), "mass": [1.0, 2.0]}


def test_a_pool_gives_the_same():
    pytest.importorskip("loky")
    given = {"length": [0.5, 1.0, 2.0], "mass": [1.0, 2.0]}
    found = []
    for count in (1, 2):
        with pytest.warns(StudyWarning, match="2 of 6 points failed"):
            found.append(ct.sweep(pendulum, given, motion, t_end=0.3, workers=count, batch=2))
    assert found[0].identical(found[1])


def test_processes_of_a_pool_that_die(tmp_path):
    """Each time at one point: that point is lost, and is tried again by the next call."""
    pytest.importorskip("loky")
    mark, path = tmp_path / "mark", tmp_path / "x.sweep"
    given = {"length": [0.5, 1.0, 1.5]}
    with pytest.warns(StudyWarning, match="1 of 3 points failed, at first length=1"):
        always = ct.sweep(pendulum, given, Kills(mark, 1.0), workers=2, batch=3, path=path)
    assert always.status.values.tolist() == ["done", "failed", "done"]
    assert "the worker process ended" in always.message[1].item()
    assert ct.load_sweep(path).status.values.tolist() == ["done", "missing", "done"]


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
        yield made


def test_a_cluster_that_loses_a_worker_and_is_interrupted(cluster, tmp_path, monkeypatch):
    mark, path = tmp_path / "mark", tmp_path / "x.sweep"
    measure = KillsOnce(mark, float(LENGTHS["length"][5]))
    batches, add = [], Journal.add

    def stopped(journal, outcomes):
        if len(batches) >= 17 and mark.exists():  # whichever worker is late, the one that was lost has had its turn
            raise KeyboardInterrupt
        batches.append(1)
        add(journal, outcomes)

    monkeypatch.setattr(Journal, "add", stopped)
    with pytest.warns(StudyWarning, match=r"interrupted after \d+ of 24 points"):
        ct.sweep(pendulum, LENGTHS, measure, client=cluster.scheduler_address, path=path)
    assert mark.exists()
    monkeypatch.undo()
    assert 17 <= len(batches) == (ct.load_sweep(path).status == "done").sum() < 24
    resumed = ct.sweep(pendulum, LENGTHS, measure, cluster.get_client(), path)
    assert (resumed.status == "done").all()
    assert resumed.identical(ct.sweep(pendulum, LENGTHS, measure, workers=1))


def test_clients_that_are_none(monkeypatch, cluster):
    with refused(ArgumentError, "client is 5", "address of a scheduler"):
        ct.sweep(pendulum, LENGTHS, motion, client=5)
    monkeypatch.setattr(workers, "PATIENCE", "1s")
    with refused(StudyError, "the Dask scheduler at tcp://127.0.0.1:9 cannot be reached"):
        ct.sweep(pendulum, LENGTHS, motion, client="tcp://127.0.0.1:9")
    client = cluster.get_client()
    client.close()
    with refused(StudyError, "connection to the Dask scheduler is closed"):
        ct.sweep(pendulum, LENGTHS, motion, client=client)
