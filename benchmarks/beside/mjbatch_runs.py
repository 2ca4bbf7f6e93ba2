"""Many runs by mjbatch, in an environment of its own, since it wants one version of MuJoCo: `FOLDER` has model.xml and
given.npz, and is given kept.npy, (rows, runs, nq + nv), and spent.txt, processor seconds of all runs."""

from __future__ import annotations

import sys
import time
from importlib.metadata import version
from pathlib import Path

import mujoco
import numpy as np
from mjbatch import Batch

from benchmarks.peers.mujoco_stiff import set_stiff


def main(folder: Path) -> None:
    given = np.load(folder / "given.npz")
    model = mujoco.MjModel.from_xml_path(str(folder / "model.xml"))
    set_stiff(model, float(given["h"]), float(given["constant"]))
    v, rows, per_row = given["v"], int(given["rows"]), int(given["per_row"])
    batch = Batch(model, num_sims=len(v), num_threads=int(given["threads"]))
    qpos, qvel = batch.bind("qpos"), batch.bind("qvel")
    qvel[:] = v
    kept = np.empty((rows, len(v), model.nq + model.nv))
    kept[0] = np.concatenate([qpos, qvel], axis=1)
    begin = time.process_time()
    for row in range(1, rows):
        batch.step(nstep=per_row)
        kept[row] = np.concatenate([qpos, qvel], axis=1)
    (folder / "spent.txt").write_text(f"{time.process_time() - begin} {version('mjbatch')} {mujoco.__version__}")
    np.save(folder / "kept.npy", kept)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
