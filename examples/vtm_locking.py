"""Joints of a falling arm locked in turn, with and without the momentum-consistent switch: [VTM] figures 2 to 4.

The planar 3R of the gallery is released from rest; joint 2 is locked at 0.7 s, joint 3 at 1.2 s (the paper's times are lost).
A naive program sets the rate of a joint to zero where it locks, and leaves the others as they are. The consistent switch adds
the jump dv that the locking impulse causes, [VTM] (22), here in its general form and plain NumPy:

    M dv + J^T Lam = 0,    J (v + dv) = 0,

J being the rows of all joints locked from then on. Momenta M v of joints that stay free are then continuous, and the kinetic
energy falls by dv^T M dv / 2. Prints a table, draws out/vtm_locking.png; with a path, writes the states at the switches there.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import cotree as ct

LOCKS = ((0.7, "J2"), (1.2, "J3"))  # s
T_END = 2.5
TOLERANCE = 1e-12
SOURCE = "computed by the general form, NumPy, script examples/vtm_locking.py"


def locked_arm(joints, q):
    """A fresh arm on which `joints` are held where they are in q."""
    mech = ct.gallery.planar_3r()
    for name in joints:
        mech.drive(f"lock {name}", name, q[index(name)])
    return mech.compile()


def index(joint):
    return int(joint[1:]) - 1


def consistent(M, J, v):
    """v after the switch and the impulse: the general form of the transition condition."""
    m = len(J)
    A = np.block([[M, J.T], [J, np.zeros((m, m))]])
    x = np.linalg.solve(A, np.concatenate([np.zeros(len(v)), -J @ v]))
    return v + x[: len(v)], x[len(v) :]


def naive(M, J, v):
    """Rates of the locked joints set to zero; what was their momentum is nobody's."""
    return v - J.T @ (J @ v), None


def fall(switch):
    """(t, q, v, momenta, energy) sampled through all three phases, and what happened at the switches."""
    mech = ct.gallery.planar_3r()
    q, v, t, locked, phases, jumps = mech.q_start, mech.v_start, 0.0, [], [], []
    for end, joint in (*LOCKS, (T_END, None)):
        system = locked_arm(locked, q)
        run = ct.simulate(system, end, q, v, t_start=t, rtol=TOLERANCE, atol=TOLERANCE, output=201)
        momenta = np.array([ct.mass_matrix(system, a) @ b for a, b in zip(run.q, run.v, strict=True)])
        phases.append((run.t, run.q, run.v, momenta, run.energy.total))
        t, q, v = end, run.q[-1], run.v[-1]
        if joint:
            locked.append(joint)
            jump = at_switch(system, t, q, v, locked, switch)
            jumps.append(jump)
            v = np.array(jump["v_after"])
    series = [np.concatenate(part) for part in zip(*phases, strict=True)]
    return series, jumps


def at_switch(system, t, q, v, locked, switch):
    """State before and after, with what either costs."""
    M, J = ct.mass_matrix(system, q), np.eye(len(q))[[index(name) for name in locked]]
    after, impulse = switch(M, J, v)
    found = {
        "t": t,
        "locked": list(locked),
        "q": q,
        "v_before": v,
        "v_after": after,
        "momenta_before": M @ v,
        "momenta_after": M @ after,
        "impulse": impulse,
        "kinetic_before": v @ M @ v / 2,
        "kinetic_after": after @ M @ after / 2,
        "potential": ct.energy(system, q, v).potential,
    }
    return {key: x.tolist() if isinstance(x, np.ndarray) else x for key, x in found.items()}


def lost(jump, key, part=None):
    """Per cent of what there was before; negative where it grew."""
    before, after = jump[f"{key}_before"], jump[f"{key}_after"]
    return 100 * (1 - after / before) if part is None else 100 * (1 - after[part] / before[part])


def table(runs):
    print("lost at the switch, in per cent      base joint's momentum   kinetic energy")
    for name, (_, jumps) in runs.items():
        for jump in jumps:
            p, k = lost(jump, "momenta", 0), lost(jump, "kinetic")
            print(f"  {name:>10}, {jump['locked'][-1]} at {jump['t']:.1f} s {p:22.2f} {k:20.2f}")
    for name, (series, _) in runs.items():
        print(f"  {name:>10}: base joint at {T_END} s at {np.degrees(series[1][-1, 0]):8.2f} degrees")


def draw(runs, path):
    """Rows: joint angles, rates, momenta, energy; columns: naive ([VTM] figure 2), consistent (figures 3 and 4)."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(4, 2, figsize=(10, 11), sharex=True, sharey="row", layout="constrained")
    for column, (name, ((t, q, v, p, energy), _)) in enumerate(runs.items()):
        labels = ("angles [rad]", "rates [rad/s]", "momenta [kg m²/s]", "total energy [J]")
        for row, (x, label) in enumerate(zip((q, v, p, energy), labels, strict=True)):
            axes[row, column].plot(t, x, label=("J1", "J2", "J3") if x.ndim == 2 else None)
            for when, _ in LOCKS:
                axes[row, column].axvline(when, color="0.8", zorder=0)
            axes[row, 0].set_ylabel(label)
        axes[0, column].set_title(f"{name} switch")
        axes[-1, column].set_xlabel("t [s]")
    axes[0, 0].legend()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=120)
    print(f"picture: {path}")


def data(runs):
    mech = ct.gallery.planar_3r()
    out = {"source": SOURCE, "mechanism": "gallery.planar_3r", "tolerance": TOLERANCE, "t_end": T_END,
           "q_start": mech.q_start.tolist(), "v_start": mech.v_start.tolist()}  # fmt: skip
    for name, (series, jumps) in runs.items():
        _, q, v, _, energy = series
        out[name] = {"switches": jumps, "q_end": q[-1].tolist(), "v_end": v[-1].tolist(), "energy_end": energy[-1]}
    return out


def main() -> None:
    runs = {"naive": fall(naive), "consistent": fall(consistent)}
    table(runs)
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(data(runs), indent=1) + "\n")
    draw(runs, Path("out") / "vtm_locking.png")


if __name__ == "__main__":
    main()
