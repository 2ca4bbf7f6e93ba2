"""A run with a controller: tables, files, and a run that goes on."""

import tempfile
from pathlib import Path

import cotree as ct

mech = ct.gallery.four_bar()
mech.motor("pd", "A", lambda angle, rate: -5.0 * angle - rate)
run = ct.simulate(mech, 1.0)
table = run.to_dataframe()
with tempfile.TemporaryDirectory() as folder:
    run.save(Path(folder) / "run.h5")
    again = ct.load_run(Path(folder) / "run.h5", functions={"pd.torque": mech.joint_forces["pd"].torque.function})
print(list(table.columns)[:4], f"{float(run.to_xarray().q.sel(coordinate='A')[-1]):.4f} rad")
print(f"{again.resume(2.0).joint('A').angle[-1]:.4f} rad at 2 s")
