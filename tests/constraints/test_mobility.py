"""The mobility report: counts, kinds, singular configurations, rigid and shaky structures, and its words."""

from dataclasses import replace

import numpy as np
import pytest

import cotree as ct
from tests.closed_mechanisms import (
    CATALOGUE,
    GROUND,
    Sketch,
    bennett,
    double_parallelogram,
    flat_parallelogram,
    four_bar,
    ladder,
    named,
    perturbed,
    prrr3,
    reg_spherical,
    revolutes,
    sarrus,
    single_loop,
    triangle,
    viviani,
)


@pytest.mark.parametrize("name", CATALOGUE)
def test_dof_by_null_space_off_the_reference(name):
    """local is what the null space has at closed configurations in general position."""
    system, rng = CATALOGUE[name][0]().compile(), np.random.default_rng(1)
    q = ct.assemble(system, ct.displace(system, system.q0, 0.2 * rng.normal(size=system.nv)))
    J = ct.constraint_jacobian(system, q, regularized=False)
    assert ct.mobility(system, q).local == system.nv - np.linalg.matrix_rank(J, 1e-6) == CATALOGUE[name][3]


@pytest.mark.parametrize("options", [{"coordinates": "absolute"}, {"regularize": False}], ids=str)
@pytest.mark.parametrize("name", CATALOGUE)
def test_same_report_otherwise(name, options):
    """Measured numbers do not depend on coordinates or on regularization."""
    data = CATALOGUE[name][0]()
    one, other = ct.mobility(data.compile()), ct.mobility(data.compile(**options))
    assert (one.grubler, one.differential, one.local) == (other.grubler, other.differential, other.local)


GRUBLER = {
    "four-bar": -2,
    "spherical four-bar": -2,
    "Sarrus": 0,
    "3-PRRR": 0,
    "Bennett": -2,
    "Bricard": 0,
    "Stewart": 6,
    "3-UPU": 3,
}


@pytest.mark.parametrize("name", GRUBLER)
def test_grubler(name):
    """Freedoms of the joints minus six a loop, by hand."""
    assert ct.mobility(CATALOGUE[name][0]().mechanism()).grubler == GRUBLER[name]


@pytest.mark.parametrize("name", CATALOGUE)
def test_regularized_count(name):
    """Coordinates minus rows, and the dof unless dimensions have a say."""
    build, kept, _, dof, kind = CATALOGUE[name]
    system = build().compile()
    report = ct.mobility(system)
    assert report.regularized == system.nv - kept
    assert (report.regularized < dof) == (kind == "paradoxical")


def test_words_of_a_four_bar():
    text = str(ct.mobility(named(four_bar(), "linkage")))
    assert text.splitlines() == [
        "linkage: 1 DOF, trivial mobility, regular configuration",
        "  Grübler -2, regularized 1, differential 1, local 1",
        "  trivial: each loop stays within one motion group (a plane, a sphere, ...), which explains its redundant equations",
        "  loop 1, cut at 'j2': 2 of 5 constraint equations kept, 3 redundant in every configuration (sides: "
        "planar about (0, 0, 1); rotation about the axis through (2.5, 0, 0) along (0, 0, 1))",
    ]


def test_words_of_loops_without_redundant_constraints():
    text = str(ct.mobility(ct.gallery.delta()))
    assert "trivial: Grübler's formula gives the mobility: no constraint equation of a loop is redundant" in text
    assert "motion group" not in text


def test_words_of_sarrus():
    text = str(ct.mobility(named(sarrus(), "Sarrus")))
    assert "Sarrus: 1 DOF, exceptional mobility, regular configuration" in text
    assert (
        "4 of 5 constraint equations kept, 1 redundant in every configuration (sides: planar about (0, 1, 0); "
        "planar about (1, 0, 0))" in text
    )


def test_words_of_3_prrr():
    lines = str(ct.mobility(named(prrr3(), "3-PRRR"))).splitlines()
    assert lines[0] == "3-PRRR: 3 DOF, exceptional mobility, regular configuration"
    assert lines[1] == "  Grübler 0, regularized 3, differential 3, local 3"
    assert "loop 1, cut at 'J13': 4 of 5 constraint equations kept" in lines[3]
    assert "loop 2, cut at 'J23': 3 of 5 constraint equations kept" in lines[4]
    assert "all translations" in lines[4]


@pytest.mark.parametrize("build", [bennett, double_parallelogram])
def test_words_of_paradoxical_linkages(build):
    text = str(ct.mobility(named(build(), "linkage")))
    assert "linkage: 1 DOF, paradoxical mobility, regular configuration" in text
    assert "paradoxical: the mobility depends on special dimensions and is lost when they change slightly" in text


def test_words_without_a_name():
    assert str(ct.mobility(named(triangle(), ""))).startswith("mechanism: 0 DOF")


# -- singular, rigid, shaky ----------------------------------------------------------------------------------


def test_flat_parallelogram():
    """Two velocities where two branches cross, each of one dof."""
    report = ct.mobility(named(flat_parallelogram(), "flat"))
    assert (report.differential, report.local, report.singular) == (2, 1, True)
    assert str(report).startswith("flat: 1 DOF, trivial mobility, singular configuration")


@pytest.mark.parametrize("start", [(0.4, -0.4, -0.5), (0.4, -1.1, 1.2)], ids=["parallel", "antiparallel"])
def test_flat_parallelogram_on_its_branches(start):
    """Off the crossing: one dof, regular. The cranks turn alike on one branch and against each other on the other."""
    system = flat_parallelogram().compile(cut=["j2"])
    assert system.coordinate_names == ("j0", "j1", "j3")
    q = ct.assemble(system, start, fixed="j0")
    assert (abs(q[0] + q[2]) < 1e-9) == (start[2] < 0)  # j3 leads to ground
    report = ct.mobility(system, q)
    assert (report.differential, report.local, report.singular) == (1, 1, False)


def test_flat_spherical_linkage():
    report = ct.mobility(reg_spherical(flat=True).mechanism())
    assert (report.regularized, report.differential, report.local, report.singular) == (1, 2, 1, True)


def test_flat_double_parallelogram():
    """All joints on a line: the parallel branch alone goes through, found though most directions lead nowhere."""
    sketch = Sketch()
    for i in range(3):
        sketch.joint(f"A{i}", "Revolute", "ground", f"crank{i}", (3 * i, 0, 0))
        sketch.joint(f"B{i}", "Revolute", f"crank{i}", "coupler", (3 * i + 1, 0, 0))
    report = ct.mobility(sketch.data().mechanism())
    assert (report.differential, report.local, report.singular) == (2, 1, True)


def test_viviani_at_its_double_point():
    report = ct.mobility(viviani().mechanism())
    assert (report.regularized, report.differential, report.local, report.singular) == (2, 3, 2, True)


def test_triangle_is_rigid():
    report = ct.mobility(named(triangle(), "triangle"))
    assert (report.regularized, report.differential, report.local, report.singular) == (0, 0, 0, False)
    assert "nothing can move" in str(report)


def test_shaky_triangle():
    """Collinear joints: a velocity that leads nowhere, though the triangle turned over is another assembly."""
    report = ct.mobility(named(triangle(collinear=True), "triangle"))
    assert (report.differential, report.local, report.singular) == (1, 0, True)
    assert "nothing can move" in str(report)


def test_stretched_four_bar_is_shaky():
    """Ground as long as the other three links together: the only assembly."""
    system = revolutes(((x, 0.0, 0.0), (0, 0, 1)) for x in (0.0, 0.5, 1.4, 2.0)).compile()
    report = ct.mobility(system)
    assert (report.differential, report.local) == (2, 0)


def test_over_closed_structure():
    """Two bodies joined by three revolutes in general position, and a truss of two triangles."""
    sketch = Sketch()
    for i, (point, axis) in enumerate([((0, 0, 0), (0, 0, 1)), ((1, 0, 0.2), (1, 0, 1)), ((0, 1, 0.5), (0, 1, 0))]):
        sketch.joint(f"j{i}", "Revolute", "ground", "b0", point, axis)
    report = ct.mobility(sketch.data().mechanism())
    assert (report.local, report.differential) == (0, 0)
    assert "nothing can move" in str(report)


def test_one_hinge_in_two_parts():
    """Two hinges on one axis, as on any door: a dof where the count says -4, and no row needed."""
    report = ct.mobility(
        single_loop([("Revolute", (0, 0, 0), (0, 0, 1)), ("Revolute", (0, 0, 1), (0, 0, 1))]).mechanism()
    )
    assert (report.grubler, report.regularized, report.local, report.kind) == (-4, 1, 1, "trivial")
    assert report.rows[0].kept == 0


def test_axis_through_a_ball():
    """A hinge whose axis meets the ball joint's centre spins freely: its column is rounding, not a constraint."""
    p = np.array([1.2, 0.1, 0.7])
    joints = [
        ("Revolute", (0, 0, 0), (0.1, 0.2, 1)),
        ("Revolute", (0.3, 0.4, 0.1), p - (0.3, 0.4, 0.1)),
        ("Spherical", p),
    ]
    system = single_loop([*joints, ("Cylindrical", (0, 0, 0), (0.1, 0.2, 1))]).compile(cut=["j2"])
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = ct.assemble(system, ct.displace(system, system.q0, 0.5 * rng.normal(size=system.nv)))
        J = ct.constraint_jacobian(system, q)
        assert np.linalg.norm(J[:, system.coordinate_names.index("j1")]) < 1e-12
        assert ct.mobility(system, q).local == system.nv - np.linalg.matrix_rank(J, 1e-6)


def test_open_chain():
    sketch = Sketch()
    sketch.joint("j0", "Spherical", "ground", "b0", (0, 0, 0))
    sketch.joint("j1", "Revolute", "b0", "b1", (1, 0, 0))
    report = ct.mobility(sketch.data().mechanism())
    assert (report.grubler, report.regularized, report.differential, report.local) == (4, 4, 4, 4)
    assert report.rows == ()
    assert report.kind == "trivial"


def test_at_an_open_configuration():
    """q need not be closed: the report is of the closed configuration nearby."""
    system = four_bar().compile()
    assert ct.mobility(system, [0.3, 0.1, -0.2]).local == 1


def test_long_ladder():
    report = ct.mobility(ladder(30).mechanism())
    assert (report.regularized, report.local, len(report.rows)) == (1, 1, 30)


# -- words that agree with the doubt -------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1e-8, 1e-9])
def test_words_where_the_count_is_in_doubt(size):
    """Bennett's linkage with dimensions that are off by so little: neither rigid nor mobile is said, nor singular."""
    report = ct.mobility(named(perturbed(bennett(), np.random.default_rng(1), size), "linkage"))
    text = str(report)
    assert (report.bounds, report.kind, report.owed_to) == ((0, 1), "uncertain", ())
    assert text.startswith("linkage: 0 to 1 DOF, uncertain mobility, perhaps a singular configuration\n")
    assert "local 0 to 1" in text
    assert text.count("uncertain: between 0 and 1 DOF") == 1
    for wrong in ("structure", "nothing can move", "there are more admissible velocities", "more if axes"):
        assert wrong not in text
    assert ("the larger number if axes and dimensions are accurate to" in text) == (report.nearly > 0) == (size == 1e-8)


def test_words_that_the_doubt_leaves_open():
    """Also beside a four-bar, which moves."""
    sketch, loop = Sketch(), perturbed(bennett(), np.random.default_rng(1), 1e-8)
    for tag, data in (("a", loop), ("b", four_bar())):
        for j in data.joints:
            ends = (x if x == GROUND else f"{tag} {x}" for x in (j.inner, j.outer))
            sketch.joint(f"{tag} {j.name}", j.kind, *ends, j.point, j.axis, j.other, j.pitch)
    report = ct.mobility(sketch.data().mechanism())
    assert (report.bounds[1], report.kind) == (2, "uncertain")


def test_a_structure_that_is_nearly_mobile():
    """One DOF more with less accurate numbers: what cannot move is so with the numbers as given."""
    four = four_bar()
    j = four.joints[0]
    tilted = replace(j, axis=np.asarray(j.axis) + 1e-4 * np.cross(j.axis, (0.3, 0.5, 0.8)))
    text = str(ct.mobility(replace(four, joints=(tilted, *four.joints[1:])).mechanism()))
    assert "0 DOF, structure, " in text
    assert "structure: with the numbers as given nothing can move" in text
    assert "uncertain: 1 DOF more" in text
    assert "structure: nothing can move: a rigid structure" in str(ct.mobility(triangle().mechanism()))


def test_motion_in_doubt_is_not_said_to_be_prescribed():
    mech = perturbed(bennett(), np.random.default_rng(1), 1e-9).mechanism()
    report = replace(ct.mobility(mech), extra_rows=1)
    assert "prescribed by drivers" not in str(report)
    assert "prescribed by drivers" in str(replace(report, bounds=None))
