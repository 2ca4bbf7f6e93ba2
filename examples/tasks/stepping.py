"""A four-bar under a controller of one's own, a millisecond at a time."""

import cotree as ct

stepper = ct.Stepper(ct.gallery.four_bar(), step=1e-3)
for _ in range(200):
    stepper.set(torque={"A": -5.0 * float(stepper.joint("A").rate)})
    stepper.step()
run = stepper.run()
print(
    f"{run.joint('A').rate[-1]:.4f} rad/s after {run.t[-1]:.1f} s, work of the brake {run.element('A torque').work[-1]:.3f} J"
)
