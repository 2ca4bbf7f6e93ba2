"""Links that bend: a slider-crank with a flexible coupler, and a table on four legs whose loads elasticity determines.

python examples/flexible_links.py
"""

from __future__ import annotations

import numpy as np

import cotree as ct

Z = (0, 0, 1)


def slider_crank(elements: int = 4) -> ct.Mechanism:
    """Crank of 0.1 m, coupler of 0.4 m: a steel rod of 6 mm, or a rigid one for no elements."""
    mech = ct.Mechanism("slider-crank", gravity=(0, 0, 0))
    crank = mech.body("crank", 0.2, (0.05, 0, 0), (1e-5, 2e-4, 2e-4), shape=ct.Rod((0, 0, 0), (0.1, 0, 0)))
    piston = mech.body("piston", 0.3, (0.5, 0, 0), (1e-4, 1e-4, 1e-4), shape=ct.Box((0.5, 0, 0), (0.04, 0.03, 0.03)))
    mech.joint("A", mech.ground, crank, ct.Revolute((0, 0, 0), Z))
    mech.joint("slide", mech.ground, piston, ct.Prismatic(axis=(1, 0, 0), point=(0.5, 0, 0)))
    steel = ct.Section.circle(0.003, youngs_modulus=210e9, poisson=0.3, density=7850)
    if elements:
        beam = mech.beam("coupler", (0.1, 0, 0), (0.5, 0, 0), steel, elements=elements, damping=2e-5)
        ends = beam.nodes[0], beam.nodes[-1]
    else:
        m, L = 0.4 * steel.mass, 0.4
        rod = mech.body("coupler", m, (0.3, 0, 0), (1e-7, m * L**2 / 12, m * L**2 / 12))
        ends = rod, rod
    mech.joint("B", crank, ends[0], ct.Revolute((0.1, 0, 0), Z))
    mech.joint("C", piston, ends[1], ct.Revolute((0.5, 0, 0), Z))
    mech.motor("motor", "A", 3.0)
    return mech


def table(stiffness: float) -> ct.Mechanism:
    """A plate of 40 kg on four legs, loaded off its centre: rigid legs leave their loads undetermined, elastic ones do not.
    However stiff the legs are, the loads tend to one limit: the plate sinks and tilts, each leg shortens in proportion."""
    mech = ct.Mechanism("table")
    plate = mech.body("plate", 40.0, (0.1, 0.05, 1.0), (3, 3, 5), shape=ct.Box((0, 0, 1.0), (1, 1, 0.04)))
    leg = ct.Section((1e6 * stiffness, 1e5, 1e5, 500.0, 800.0, 800.0), mass=0.5, inertia=(1e-4, 5e-5, 5e-5))
    for k, (x, y) in enumerate(((-0.4, -0.4), (0.4, -0.4), (0.4, 0.4), (-0.4, 0.4))):
        mech.beam(f"leg {k}", (x, y, 0), (x, y, 1.0), leg, elements=2, start_on=mech.ground, end_on=plate)
    return mech


def main() -> None:
    run = ct.simulate(slider_crank(), 0.06, step=2e-4, method="generalized-alpha")
    line = run.beam("coupler").shape()
    chord = line[:, -1] - line[:, 0]
    middle = line[:, 2] - line[:, 0]
    sag = np.abs(np.cross(chord, middle)[:, 2]) / np.linalg.norm(chord, axis=1)
    print(
        f"coupler: {run.status}, bends by at most {1e3 * sag.max():.3f} mm, balance {np.abs(run.energy.balance).max():.1e} J"
    )
    for stiffness in (1.0, 10.0, 100.0):
        rest = ct.equilibrium(table(stiffness))
        loads = [rest.reactions[f"leg {k}.clamp0"][5] for k in range(4)]
        print(f"table, EA times {stiffness:g}: legs carry {np.round(loads, 1)} N, sum {sum(loads):.1f} N")


if __name__ == "__main__":
    main()
