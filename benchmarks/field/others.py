"""Further published problems: the top of Brüls and Cardona, and a spatial loop of Modelica's library."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import cotree as ct
from benchmarks.field.newton_euler import watched_by_newton_euler
from benchmarks.field.problem import Known, Problem

Array = NDArray[np.float64]
TWO_WAYS = "Newton's and Euler's equations in absolute coordinates, SciPy's DOP853 at 1e-12"
COM = ("top", (0.0, 1.0, 0.0))


def displacement(run: ct.Run) -> Array:
    return run.point(*COM).position[np.searchsorted(run.t, 1.0)] - COM[1]


DENSITY, RADIUS = 7700.0, 0.025
END1, END2, SLIDER = np.array([0, 0.5, 0.1]), np.array([1.0, 0.2, 0.0]), np.array([1.0, 0.0, 0.0])


def modelica_loop() -> ct.Mechanism:
    """Crank about x, slider along x, a coupler between them with a ball and a universal joint; cylinders of steel."""
    mech = ct.Mechanism("Modelica Fourbar1", (0, -9.80665, 0))
    x, y, z = np.eye(3)
    b1 = mech.body("b1", shape=ct.Cylinder((0, 0, 0), END1, RADIUS), density=DENSITY)
    b2 = mech.body("b2", shape=ct.Cylinder(SLIDER, END2, RADIUS), density=DENSITY)
    b3 = mech.body("b3", shape=ct.Cylinder(END2, END1, RADIUS), density=DENSITY)
    mech.joint("j1", mech.ground, b1, ct.Revolute((0, 0, 0), x))
    mech.joint("j2", mech.ground, b2, ct.Prismatic(x, point=SLIDER))
    mech.joint("rev", b2, b3, ct.Universal(END2, y, z))
    mech.joint("ball", b1, b3, ct.Spherical(END1))
    return mech


def crank_angle(run: ct.Run) -> Array:
    return run.joint("j1").angle[-1:]


ENDS = (("b1", tuple(END1)), ("b2", tuple(END2)))
TURN = {"j1": 5.235987755982989}
DYMOLA = "Dymola, DASSL with tolerances of 1e-6, Modelica MAP-LIB_ReferenceResults v4.0.0: angle of j1 [rad]"
PROBLEMS = (
    Problem(
        "spinning top", "Heavy top of Brüls and Cardona",
        (
            "O. Brüls, A. Cardona, J. Comput. Nonlinear Dyn. 5 (2010) 031002",
            "O. Brüls, A. Cardona, M. Arnold, Mech. Mach. Theory 48 (2012) 121",
        ),
        "fast rotation in space, Lie-group methods", ct.gallery.spinning_top, 2.0, (COM,),
        lambda t: watched_by_newton_euler(ct.gallery.spinning_top(), (COM,), None, t[-1], t), TWO_WAYS,
        known=(
            Known(
                "kynema, heavy_top_kynema_material_0pt000002s.csv: generalized-alpha, steps of 2e-6 s; displacement at 1 s [m]",
                1.0, (0.1733440435722807, -0.3599112987333657, -0.7484906793466106), displacement, 1e-4,
            ),
        ),
    ),
    Problem(
        "Fourbar1", "Spatial loop of Modelica's library", ("Modelica Standard Library, MultiBody.Examples.Loops.Fourbar1",),
        "a spatial loop with a slider, 1 dof", modelica_loop, 5.0, ENDS,
        lambda t: watched_by_newton_euler(modelica_loop(), ENDS, TURN, t[-1], t), TWO_WAYS, v=TURN,
        known=(Known(DYMOLA, 5.0, (40.3282362223391,), crank_angle, 3e-3),),
        choices="The three hinges j3, j4, j5 without mass are one ball joint; rev and rev1 one universal joint.",
    ),
)  # fmt: skip
