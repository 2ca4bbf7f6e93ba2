"""Local dof where constraints touch along the whole motion: by hand, and on lattices against numbers of outside programs."""

from dataclasses import replace

import numpy as np
import pytest

import cotree as ct
from cotree.constraints.germs import germ_dimension
from cotree.constraints.local_dof import local_dof, local_dof_nearby
from cotree.constraints.measured_rank import rank
from cotree.constraints.reduced_rows import ReducedRows
from cotree.constraints.slices import slice_dimension
from cotree.constraints.tangents import Rows, Tangent
from cotree.gallery.linkages import bennett_axes
from tests.closed_mechanisms import GROUND, Sketch, X, Z, bennett, bricard, revolutes, sarrus, single_loop, viviani
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


# seed: (differential, local, singular all along), by slices and by second-order obstruction outside of the package; the last
# lines: contacts of third and fourth order, by slices with sixty digits, and those where slices in doubles are wrong
# (docs/findings.md, "Where planes with doubles miscount")
LATTICES = {
    0: (1, 1, False), 2: (2, 2, False), 5: (4, 3, False), 7: (10, 8, False), 11: (1, 1, False), 47: (3, 2, True),
    67: (2, 1, True), 88: (2, 2, False), 121: (3, 2, True), 142: (1, 1, False), 204: (2, 1, True), 226: (4, 3, True),
    395: (4, 2, True),
    260: (5, 4, True), 311: (2, 1, True), 351: (4, 3, True), 560: (3, 2, True), 733: (4, 3, True), 1372: (3, 2, True),
    72: (3, 2, False), 1403: (6, 5, True), 1550: (8, 6, True), 1843: (7, 6, True),
}  # fmt: skip


@pytest.mark.parametrize("seed", LATTICES)
def test_lattices(seed):
    report = ct.mobility(lattice(seed).mechanism())
    assert (report.differential, report.local, report.singular_everywhere) == LATTICES[seed]


@pytest.mark.parametrize("seed", [5, 7, 47, 67, 88, 121, 204, 226, 395])
def test_reduced_rows_against_configurations_nearby(seed):
    """Two routes that share nothing but the rows."""
    system = lattice(seed).compile()
    n = system.nv - rank(system, system.q0)
    germ = germ_dimension(Rows.of(system, 0.0), system.q0, n)
    assert germ.decided
    assert germ.least == local_dof_nearby(system, system.q0, n).dof


def test_reduced_rows_are_exact():
    """Regular rows stay closed to rounding along displacements, what is left is of second order, and slopes are those of
    differences up to what is open: the Jacobian is the derivative of the gap where it is closed."""
    system = ball_pin_table().compile()
    f = ReducedRows.at(Rows.of(system, 0.0), system.q0, 3)
    x, sizes = np.array([0.6, -0.5, 0.62]), []
    for r in (0.1, 0.05):
        q = f.moved(f.q, r * x)
        assert np.abs(f.R @ f.rows.residual(q)).max() < 1e-15
        sizes.append(np.linalg.norm(f.value(q)))
        ahead, back = (f.value(f.moved(q, h * x)) for h in (1e-5, -1e-5))
        assert np.abs(f.slope(q) @ x - (ahead - back) / 2e-5).max() < 3.0 * sizes[-1]
    assert 3.5 < sizes[0] / sizes[1] < 4.5


def test_branches_farther_away_do_not_hide_that_a_set_is_singular_all_along():
    """About this table planes at the larger radius meet another branch of the four rods, which is regular."""
    data = rods(4)
    middle = data.joints[1].point - data.joints[0].point + np.array([0.15, 0.1, 0.0])
    heavy = tuple(replace(b, com=middle if b.name == "table" else 0.98 * b.com) for b in data.bodies)
    for table in (data, replace(data, bodies=heavy)):
        system = table.compile()
        found = local_dof(system, system.q0, system.nv - rank(system, system.q0))
        assert (found.dof, found.everywhere) == (2, True)


def test_a_count_in_doubt_is_said(monkeypatch):
    """Without the reduced rows neither second derivatives nor planes decide this one, and the report says so."""
    monkeypatch.setattr("cotree.constraints.germs.MOST", 0)
    report = ct.mobility(lattice(351).mechanism())
    least, most = report.bounds
    assert least < most == 3
    assert f"uncertain: between {least} and 3 DOF" in str(report)
    assert str(report).startswith(f"tree: {least} to 3 DOF, {report.kind} mobility, ")


def test_not_singular_by_rows_alone():
    """A regular configuration of dependent rows is not taken for a singular one."""
    system = bennett().compile(regularize=False)
    assert local_dof(system, system.q0, system.nv - rank(system, system.q0)).everywhere is False


@pytest.mark.parametrize("radius", [0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
def test_next_to_the_limit_of_an_angle(radius):
    """Bennett's linkage and a spherical four-bar with a common axis, which is removed: a loop of six hinges that moves. A tenth
    of a radian on, its coordinates turn back; a search that leaps there to another branch finds the loop open, and rigid."""
    A, centre = bennett_axes(1.0, np.sin(1.2) / np.sin(0.7), 0.7, 1.1), np.array([0.0, 0.0, 0.3])
    D = np.array([(-0.212, -0.302, 0.929), (0.196, 0.528, 0.826), (-0.382, -0.631, 0.676)])
    report = ct.mobility(revolutes([*A[1:], *((centre + radius * d, d) for d in D)]).mechanism())
    assert (report.local, report.kind, report.words) == (1, "paradoxical", "regular configuration")
