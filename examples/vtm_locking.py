"""Joints locked in turn, with momentum kept and with rates just set to zero: [VTM] figures 2 to 4 and 6 to 8.

A planar 3R arm falls from rest; joint 2 locks at 0.7 s, joint 3 at 1.2 s, the base at 1.6 s. A six-joint industrial arm of the
class of the Stäubli RX130 is stopped in a fast motion: its wrist locks at 0.1 s, then joints 1, 2, 3 in turn. The paper's times,
posture and masses are not given or lost; what they show is compared, not their digits. Prints where the arms halt, draws
out/vtm_3r.png and out/vtm_rx130.png (motor angles are a hundred times the joint angles drawn there).
"""

from pathlib import Path

import numpy as np

import cotree as ct

arm = ct.emergency_stop(
    ct.gallery.planar_3r(), at=0.7, locks={"J2": 0.7, "J3": 1.2, "J1": 1.6}, watch=("link3", (3.0, 0.0, 0.0)), t_end=2.0
)
wrist = {"J4": 0.1, "J5": 0.1, "J6": 0.1}
robot = ct.emergency_stop(ct.gallery.rx130(), at=0.1, locks={**wrist, "J1": 0.15, "J2": 0.2, "J3": 0.3}, t_end=0.5)

out = Path("out")
out.mkdir(exist_ok=True)
for name, stop in (("3r", arm), ("rx130", robot)):
    print(stop)
    for word, run in (("momentum kept", stop.consistent.run), ("rates set to zero", stop.naive.run)):
        for s in run.switches:
            M = ct.mass_matrix(run.system, s.q)
            before, after = M @ s.v_before, M @ s.v
            T = 0.5 * s.v_before @ before
            base = f"base momentum {before[0]:.4f} -> {after[0]:.4f}"
            print(f"    {word}, {s.t:.2f} s, {s.name}: {base}, kinetic energy lost {100 * s.energy_loss / T:.2f} %")
    stop.plot(out / f"vtm_{name}.png")
    rest = [np.rad2deg(s.run.q[-1]) for s in (stop.consistent, stop.naive)]
    print(f"    halt at {rest[0].round(2)} deg, and {rest[1].round(2)} deg when rates are set to zero")
