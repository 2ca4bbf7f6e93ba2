"""Point, pin and cut joint of a four-bar, as a user names them."""

import numpy as np

import cotree as ct

run = ct.simulate(ct.gallery.four_bar(), 2.0, output=2001)
tip, pin = run.point("coupler", (1.5, 1.6, 0)), run.reaction("B")
speed, acceleration = (np.linalg.norm(x, axis=1).max() for x in (tip.velocity, tip.acceleration))
print(f"coupler point: at most {speed:.3f} m/s, {acceleration:.1f} m/s^2")
print(f"pin: {pin.magnitude.max():.1f} N, moment about its axis {np.abs(pin.moment[:, 2]).max():.0e} N m")
print(f"cut joint C: {run.joint('C').degrees[[0, -1]].round(2)} degrees")
