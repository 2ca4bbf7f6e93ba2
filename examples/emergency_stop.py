"""Joints that lock and brakes that stick, at times and at events; where an arm comes to rest.

python examples/emergency_stop.py
"""

import cotree as ct

arm = ct.gallery.planar_3r()
low = ct.Event(lambda t, q, v: q[0] + 1.2, name="arm is low")
arm.lock("J2", when=low)  # momentum is kept: the other joints jump
arm.brake("J1", torque=60.0, at=0.9)
arm.brake("J3", torque=30.0, at=0.9)
run = ct.simulate(arm, t_end=3.0)
print(run)
for switch in run.switches:
    print(f"t = {switch.t:.3f} s: {switch.name}, energy lost {switch.energy_loss:.3f} J")

stop = ct.emergency_stop(ct.gallery.planar_3r(), at=0.7, locks={"J2": 0.7, "J3": 1.2, "J1": 1.6}, t_end=2.0)
print(stop)
