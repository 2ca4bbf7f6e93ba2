"""Local dof where constraints touch along the whole motion: by hand, and on lattices against numbers of outside programs."""

import numpy as np
import pytest

import cotree as ct
from cotree.constraints.mobility import local_dof, rank
from cotree.constraints.slices import slice_dimension
from cotree.constraints.tangents import Rows, Tangent
from tests.closed_mechanisms import GROUND, Sketch, X, Z, bennett, bricard, sarrus, single_loop, viviani
from tests.lattice_mechanisms import lattice


def ball_pin_table():
    """The pin, at the distance 1 from the ball, must stay at the height 1: the arm turns about z, the plate slides along it."""
    return single_loop([("Spherical", (0, 0, 0)), ("Cylindrical", (1, 0, 1), X), ("Planar", (2, 0, 1), Z)])


def touching_cylinder():
    """A ball in a plane that touches the cylinder on which the ball moves: it goes along the line, and spins."""
    return single_loop([("Planar", (0, 0, 0), Z), ("Spherical", (0, 0, 0)), ("Cylindrical", (0, 0, 0.5), X)])


def rods(n, d=(0.3, 0.1, 1.0)):
    """A table on n equal parallel rods: it moves on a sphere without turning; with three rods it may turn as well."""
    sketch, d = Sketch(), np.array(d) / np.linalg.norm(d)
    e = np.cross(d, (1, 0.2, 0.1))
    for i in range(n):
        b = 0.6 * np.array([np.cos(2 * np.pi * i / n), np.sin(2 * np.pi * i / n), 0.0])
        sketch.joint(f"U{i}", "Universal", GROUND, f"rod{i}", b, e / np.linalg.norm(e), np.cross(d, e))
        sketch.joint(f"S{i}", "Spherical", f"rod{i}", "table", b + d)
    return sketch.data()


CASES = {
    "ball, pin, table": (ball_pin_table, 3, 2, True),
    "touching cylinder": (touching_cylinder, 3, 2, True),
    "four rods": (lambda: rods(4), 3, 2, True),
    "six rods": (lambda: rods(6), 3, 2, True),
    "three rods": (lambda: rods(3), 3, 3, False),
    "Viviani": (viviani, 3, 2, False),
    "Bennett": (bennett, 1, 1, False),
    "Bricard": (bricard, 1, 1, False),
    "Sarrus": (sarrus, 1, 1, False),
}


@pytest.mark.parametrize("options", [{}, {"coordinates": "absolute"}, {"regularize": False}], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_local_dof_by_hand(name, options):
    """In every choice of coordinates and rows."""
    build, differential, local, everywhere = CASES[name]
    report = ct.mobility(build().compile(**options))
    assert (report.differential, report.local, report.singular_everywhere) == (differential, local, everywhere)
    assert report.singular == (differential != local)
    assert ("singular in all configurations nearby" in str(report)) == everywhere


@pytest.mark.parametrize("name", CASES)
def test_two_routes_at_a_configuration_in_general_position(name):
    """Second derivatives and planes give the same dimension, and the derivatives alone, or ranks alone, may not."""
    build, _, local, everywhere = CASES[name]
    system = build().compile()
    rows, rng = Rows.of(system, 0.0), np.random.default_rng(3)
    tangent = Tangent.at(rows, closed_nearby(system, rng))
    assert slice_dimension(tangent, tangent.dimension) == tangent.unobstructed().shape[1] == local
    assert (tangent.dimension > local) == everywhere


def closed_nearby(system, rng):
    """A closed configuration next to the reference; farther off other branches of the rods begin."""
    while True:
        try:
            return ct.assemble(system, ct.displace(system, system.q0, 0.05 * rng.normal(size=system.nv)), restarts=0)
        except ct.errors.AssemblyError:
            continue


def test_obstruction_of_higher_order():
    """A slider whose end is led along y = x^4 in one guide and along y = 0 in another: no second derivative tells that it
    cannot move, planes do."""
    mech = ct.Mechanism("quartic", gravity=(0, 0, 0))
    body = mech.body("b", 1.0, (0, 0, 0), (1, 1, 1))
    mech.joint("plane", mech.ground, body, ct.PlanarTranslation(normal=Z))
    mech.constraint("line", lambda q, t: [[0.0, 1.0]], residual=lambda q, t: [q[1]])
    mech.constraint("curve", lambda q, t: [[-4.0 * q[0] ** 3, 1.0]], residual=lambda q, t: [q[1] - q[0] ** 4])
    system = mech.compile()
    tangent = Tangent.at(Rows.of(system, 0.0), system.q0)
    assert tangent.unobstructed().shape[1] == 1
    assert slice_dimension(tangent, 1) == 0
    assert ct.mobility(system).local == 0


# seed: (differential, local, singular all along), by slices and by second-order obstruction outside of the package
LATTICES = {
    0: (1, 1, False), 2: (2, 2, False), 5: (4, 3, False), 7: (10, 8, False), 11: (1, 1, False), 47: (3, 2, True),
    67: (2, 1, True), 88: (2, 2, False), 121: (3, 2, True), 142: (1, 1, False), 204: (2, 1, True), 226: (4, 3, True),
    395: (4, 2, True),
}  # fmt: skip


@pytest.mark.parametrize("seed", LATTICES)
def test_lattices(seed):
    report = ct.mobility(lattice(seed).mechanism())
    assert (report.differential, report.local, report.singular_everywhere) == LATTICES[seed]


def test_not_singular_by_rows_alone():
    """A regular configuration of dependent rows is not taken for a singular one."""
    system = bennett().compile(regularize=False)
    assert local_dof(system, system.q0, system.nv - rank(system, system.q0)).everywhere is False
