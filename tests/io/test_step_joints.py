"""Proposed joints and what is made of them, on faces given as numbers: no CAD kernel is needed here."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cotree as ct
from cotree.errors import (
    ChoiceError,
    DocumentError,
    DuplicateNameError,
    MassError,
    MissingPackageError,
    ShapeError,
    UnconnectedError,
    UnknownNameError,
)
from cotree.io import read_step
from cotree.io.step import process
from cotree.io.step.journals import journals, union
from cotree.io.step.naming import numbered, solid_names
from cotree.io.step.plain import CylinderFace, FileData, SolidData, SphereFace, Touch
from cotree.io.step.reading import assembled
from tests.model.builders import refused

Z = (0.0, 0.0, 1.0)


def tube(convex, point=(0.0, 0.0, 0.0), axis=Z, radius=0.01, low=0.0, high=0.02, turn=2 * math.pi):
    return CylinderFace(tuple(point), tuple(axis), radius, low, high, turn * radius * (high - low), convex)


def solid(name, *faces, path=(), closed=True, volume=1e-3):
    cylinders = [f for f in faces if isinstance(f, CylinderFace)]
    spheres = [f for f in faces if isinstance(f, SphereFace)]
    moments = ((1e-5, 0.0, 0.0), (0.0, 1e-5, 0.0), (0.0, 0.0, 1e-5))
    corner = (1.0, 1.0, 1.0)
    low = tuple(-x for x in corner)
    return SolidData((*path, name), volume, (0.0, 0.0, 0.0), moments, low, corner, closed, None, cylinders, spheres)


def assembly(*solids, touches=(), density=1000.0, **options):
    return assembled("drawn", FileData(list(solids), list(touches)), density, **options)


def hinge(*touches, density=1000.0):
    """A pin in a plate, and a ball of the plate in a cup."""
    ball, cup = (SphereFace((0.1, 0.2, 0.3), 0.02, 0.9 * 4 * math.pi * 0.02**2, convex) for convex in (True, False))
    return assembly(
        solid("plate", tube(False), ball), solid("pin", tube(True)), solid("cup", cup), touches=touches, density=density
    )


# -- finding -------------------------------------------------------------------------------------------------------------

unit_numbers = st.floats(-1, 1)


@given(st.tuples(*[unit_numbers] * 3), st.tuples(*[unit_numbers] * 3), st.integers(1, 5), st.booleans())
def test_a_shaft_in_a_hole_is_found_in_any_place(turn, shift, pieces, swap):
    """Moved rigidly, its faces cut into sectors, drawn from the other end: the same joint, moved."""
    axis = np.array(
        (math.sin(turn[0]) * math.cos(3 * turn[1]), math.sin(turn[0]) * math.sin(3 * turn[1]), math.cos(turn[0]))
    )
    at = np.array(shift)
    sectors = [tube(False, at, axis, turn=2 * math.pi / pieces) for _ in range(pieces)]
    shaft = tube(True, at + 0.05 * axis, -axis, low=0.035, high=0.08)  # from 0.015 down to -0.03 along the axis
    solids = [solid("plate", *sectors), solid("shaft", shaft)]
    (p,) = assembly(*(solids[::-1] if swap else solids)).proposals
    np.testing.assert_allclose(p.point, at + 0.0075 * axis, atol=1e-12)
    np.testing.assert_allclose(np.cross(p.axis, axis), 0, atol=1e-12)
    assert p.axis[np.argmax(np.abs(p.axis))] > 0
    assert p.reason.startswith("shaft of 'shaft' in a hole of 'plate', radius 10 mm, over 15 mm; nothing blocks")


@pytest.mark.parametrize(
    "other",
    [
        tube(False),  # two holes
        tube(True, radius=0.0101),
        tube(True, point=(2e-5, 0, 0)),  # beside
        tube(True, axis=(0.002, 0, math.sqrt(1 - 4e-6))),  # aslant: 20 micrometres off at the edge of the bore
        tube(True, axis=(1.0, 0, 0)),
        tube(True, low=0.02, high=0.03),  # end to end
        tube(True, turn=math.pi),  # a rounded edge
    ],
)
def test_what_makes_no_joint(other):
    found = assembly(solid("plate", tube(False)), solid("shaft", other)).proposals
    assert len(found) == 0
    assert "no joints proposed" in str(found)


def test_a_tolerance_for_clearances():
    pair = [solid("plate", tube(False, radius=0.0101)), solid("shaft", tube(True))]
    assert len(assembly(*pair).proposals) == 0
    assert len(assembly(*pair, tolerance=2e-4).proposals) == 1


def test_both_ears_of_a_fork_and_a_stepped_shaft_are_one_joint():
    fork = solid("fork", tube(False), tube(False, low=0.05, high=0.07), tube(False, radius=0.02, low=0.08, high=0.09))
    shaft = solid("shaft", tube(True, low=-1, high=0.08), tube(True, radius=0.02, low=0.08, high=0.2))
    (p,) = assembly(fork, shaft).proposals
    np.testing.assert_allclose(p.point, (0, 0, 0.035), atol=1e-15)
    assert (p.radius, "over 40 mm" in p.reason) == (0.01, True)


def test_two_axes_between_the_same_solids_are_told():
    faces = [(tube(c), tube(c, point=(0.1, 0, 0))) for c in (True, False)]
    found = assembly(solid("a", *faces[0]), solid("b", *faces[1])).proposals
    assert [p.name for p in found] == ["a-b", "a-b.2"]
    assert all("share 2 axes; if they are fixed to each other, weld them" in p.reason for p in found)


def test_journals_and_intervals():
    faces = [tube(False, turn=math.pi), tube(False, turn=math.pi), tube(False, low=0.05, high=0.07), tube(True)]
    bore, shaft = journals(faces, 1e-5)
    assert bore.intervals == [(0.0, 0.02), (0.05, 0.07)]
    assert bore.turn == pytest.approx(2 * math.pi)
    assert (bore.convex, shaft.convex) == (False, True)
    assert union([(3, 4), (0, 1), (0.5, 2)]) == [(0, 2), (3, 4)]


def test_balls_and_their_corners():
    """A rounded corner is an eighth of a sphere and no joint; halves of a ball make one."""
    whole = 4 * math.pi * 0.02**2
    for parts, count in (((0.125,), 0), ((0.4, 0.4), 1)):
        ball = [SphereFace((0, 0, 0), 0.02, f * whole, True) for f in parts]
        found = assembly(solid("a", *ball), solid("b", SphereFace((0, 0, 0), 0.02, 0.6 * whole, False))).proposals
        assert [p.kind for p in found] == ["spherical"] * count


@pytest.mark.parametrize(
    ("normals", "kind", "words"),
    [
        ([], "cylindrical", "nothing blocks sliding"),
        ([(0, 0, 1)], "cylindrical", "at one end only"),
        ([(0, 0, 1), (0, 0, 1)], "cylindrical", "at one end only"),
        ([(0, 0, 1), (0, 0, -1)], "revolute", "touch at both ends"),
        ([(0, 0, 1), (1, 0, 0), (0, 0.6, -0.8)], "cylindrical", "at one end only"),
    ],
)
def test_what_blocks_sliding(normals, kind, words):
    p = hinge(*(Touch(0, 1, tuple(map(float, n)), 1e-4) for n in normals)).proposals["plate-pin"]
    assert p.kind == kind
    assert words in p.reason


def test_a_contact_told_from_either_side_blocks_the_same_way():
    p = hinge(Touch(0, 1, Z, 1e-4), Touch(1, 0, (0.0, 0.0, -1.0), 1e-4)).proposals["plate-pin"]
    assert p.kind == "cylindrical"


# -- names ----------------------------------------------------------------------------------------------------------------


def test_names():
    paths = [("top", "leg", "pin"), ("top", "arm", "pin"), ("top", "arm", "bar"), ("top", "arm", "pin")]
    assert solid_names(paths) == ["leg/pin", "arm/pin", "bar", "arm/pin.2"]
    assert numbered(["a", "a", "a.2", "a"]) == ["a", "a.3", "a.2", "a.4"]


# -- building -----------------------------------------------------------------------------------------------------------


def test_what_is_confirmed_is_built():
    drawn = hinge()
    mech = drawn.mechanism("plate", accept="all")
    assert {n: type(j.joint) for n, j in mech.joints.items()} == {
        "plate-pin": ct.Cylindrical,
        "plate-cup": ct.Spherical,
    }
    assert mech.joints["plate-cup"].joint.point == (0.1, 0.2, 0.3)
    assert mech.bodies["pin"].properties.mass == pytest.approx(1.0)
    assert isinstance(mech.bodies["pin"].shape, ct.Box)
    one = drawn.mechanism("cup", {"ball": "plate-cup", "hinge": 0}, kinds={"hinge": "revolute"})
    assert (one.joints["hinge"].parent, one.joints["hinge"].child) == ("plate", "pin")
    assert type(one.joints["hinge"].joint) is ct.Revolute
    assert list(drawn.mechanism("plate", 0).joints) == ["plate-pin"]
    both = drawn.mechanism(["plate", "cup"], accept="all", kinds="prismatic")
    assert (list(both.bodies), list(both.joints)) == (["pin"], ["plate-pin"])
    assert type(both.joints["plate-pin"].joint) is ct.Prismatic


def test_welds_make_one_body_and_one_joint():
    """Two plates of a fork welded: what the pin shares with either becomes one joint, held from both sides."""
    above, below = tube(False, low=0.05, high=0.07), tube(False)
    touches = [Touch(0, 2, Z, 1e-4), Touch(1, 2, (0.0, 0.0, -1.0), 1e-4)]
    drawn = assembly(solid("low", below), solid("up", above), solid("pin", tube(True, low=-1, high=1)), touches=touches)
    assert [p.kind for p in drawn.proposals] == ["cylindrical", "cylindrical"]
    (p,) = drawn.welded(("up", "low")).proposals
    assert (p.numbers, p.kind, p.bodies) == ((0, 1), "revolute", ("low", "pin"))
    mech = drawn.mechanism("pin", [1, "low-pin"], weld=[("up", "low")])
    assert (list(mech.bodies), list(mech.joints)) == (["low"], ["low-pin"])
    assert mech.bodies["low"].properties.mass == pytest.approx(2.0)
    with refused(UnknownNameError, "between solids that are welded"):
        drawn.mechanism("low", ["low-pin"], weld=[("pin", "low")])


def test_printing():
    drawn = hinge()
    lines = str(drawn).splitlines()
    assert lines[0] == "StepAssembly 'drawn': 3 solids, 2 proposed joints"
    assert lines[1] == "Solid 'plate': 1000 cm^3, 1 kg"
    assert lines[5].split()[:4] == ["no.", "name", "kind", "between"]
    assert lines[6].split()[:3] == ["0", "plate-pin", "cylindrical"]
    assert "no density" in repr(hinge(density=None).solids["pin"])


CHOICES = [
    ({}, ChoiceError, "joints=[numbers or names"),
    ({"joints": [0], "accept": "all"}, ChoiceError, "accept='all'"),
    ({"accept": "some"}, ChoiceError, "accept is 'some'"),
    ({"joints": [7]}, UnknownNameError, "no proposed joint 7"),
    ({"joints": ["plate-pim"]}, UnknownNameError, "did you mean 'plate-pin'?"),
    ({"joints": [True]}, UnknownNameError, "no proposed joint True"),
    ({"joints": {"A": 0, "B": "plate-pin"}}, ChoiceError, "named twice, 'A' and 'B'"),
    ({"accept": "all", "kinds": {0: "screw"}}, ChoiceError, "joint 0 cannot be 'screw'; choose 'revolute' or"),
    ({"accept": "all", "kinds": "screw"}, ChoiceError, "joint 'plate-pin' cannot be 'screw'"),
    ({"accept": "all", "kinds": {1: "revolute"}}, ChoiceError, "choose 'spherical'"),
    ({"joints": [0], "kinds": {1: "spherical"}}, ChoiceError, "1 is not among the confirmed"),
    ({"accept": "all", "weld": [("pin", "plat")]}, UnknownNameError, "no solid 'plat'; did you mean 'plate'?"),
    ({"accept": "all", "weld": [("pin", "plate"), ("plate", "pin")]}, UnconnectedError, "already one body"),
    ({"accept": "all", "weld": ["pin"]}, ShapeError, "'pin' is not a pair of names"),
]


@pytest.mark.parametrize(("options", "error", "words"), CHOICES, ids=[c[2] for c in CHOICES])
def test_choices_that_are_refused(options, error, words):
    with refused(error, words):
        hinge().mechanism("plate", **options)


def test_ground_must_be_a_solid():
    with refused(UnknownNameError, "drawn: there is no solid 'base'; there are 'plate', 'pin', 'cup'"):
        hinge().mechanism("base", accept="all")
    with refused(UnknownNameError, "no solid 5"):
        hinge().mechanism(5, accept="all")
    moving = assembly(solid("ground", tube(False)), solid("pin", tube(True)))
    assert list(moving.mechanism("ground", accept="all").bodies) == ["pin"]
    with refused(DuplicateNameError, "the solid 'ground' moves"):
        moving.mechanism("pin", accept="all")


# -- densities and what is left out -------------------------------------------------------------------------------------


def test_densities_by_name():
    drawn = hinge(density={"pin": 7850.0, "*": 2700.0})
    assert [s.mass for s in drawn.solids.values()] == pytest.approx([2.7, 7.85, 2.7])
    with refused(UnknownNameError, "density: there is no solid 'pim'; did you mean 'pin'?"):
        hinge(density={"pim": 1.0})
    with refused(MassError, "solid 'pin': density is -1.0"):
        hinge(density={"pin": -1.0})
    with refused(MassError, "density is 0.0"):
        hinge(density=0.0)
    with refused(ShapeError, "density must be a number"):
        hinge(density="steel")


def test_a_density_is_asked_for_where_a_mass_is_needed():
    drawn = hinge(density={"pin": 7850.0, "cup": 1000.0})
    assert list(drawn.mechanism("plate", accept="all").bodies) == ["pin", "cup"]  # ground needs none
    with refused(MassError, "solid 'plate' has no density", "read_step(path, density=...)"):
        drawn.mechanism("cup", accept="all")


def test_solids_left_out():
    parts = [solid("frame", tube(False)), solid("screw"), solid("pin", tube(True))]
    kept = assembly(*parts, omit="screw", touches=[Touch(0, 2, Z, 1.0), Touch(1, 2, Z, 1.0)])
    assert list(kept.solids) == ["frame", "pin"]
    assert kept.touches == [Touch(0, 1, Z, 1.0)]
    with refused(UnknownNameError, "omit: there is no solid 'nut'"):
        assembly(*parts, omit=["nut"])
    with refused(DocumentError, "the file contains no solids"):
        assembly()
    with refused(DocumentError, "not closed", "'leak'", "omit=['leak', 'flat']"):
        assembly(solid("leak", closed=False), solid("good"), solid("flat", volume=0.0))


# -- files ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A file that looks like STEP, and a kernel that seems to be there."""
    path = tmp_path / "arm.step"
    path.write_text("ISO-10303-21;\n")
    monkeypatch.setitem(sys.modules, "OCP", __import__("types").ModuleType("OCP"))
    sys.modules["OCP"].__spec__ = object()
    return path


def test_files_that_are_none(tmp_path, file):
    file.write_text("solid arm\n")
    with refused(DocumentError, "arm.step: this is not a STEP file", "ISO-10303-21"):
        read_step(file, 1.0)
    with refused(DocumentError, "arm.step: 0 MB are more than 0 MB", "size_limit="):
        read_step(file, 1.0, size_limit=5)
    with refused(MassError, "arm.step: read_step: tolerance is -1.0"):
        read_step(file, 1.0, tolerance=-1)
    with pytest.raises(FileNotFoundError):
        read_step(tmp_path / "leg.step", 1.0)


def test_a_kernel_that_is_not_installed(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "OCP", None)
    with refused(MissingPackageError, "arm.step: the package cadquery-ocp-novtk", "pip install 'cotree[cad]'"):
        read_step(file, 1.0)


ANSWER = "import json, sys; job = json.load(sys.stdin); open(job['answer'], 'w').write({!r})"


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import os; os.abort()", ("Open CASCADE failed on this file (exit code", "export it again")),
        ("raise ValueError('no idea')", ("exit code 1, ValueError: no idea", "export it again")),
        ("import time; time.sleep(60)", ("reading took more than 0.5 s", "time_limit=")),
        (ANSWER.format('{"trouble": "nothing in it"}'), ("nothing in it; export the file again",)),
        (ANSWER.format('{"data": {"solids": [{"path": ["a"], "volume": null}]}}'), ("dimensions that are not finite",)),
        (ANSWER.format('{"data": {"solids": [], "touches": []}}'), ("the file contains no solids",)),
    ],
)
def test_whatever_becomes_of_the_kernel(file, monkeypatch, program, words):
    monkeypatch.setattr(process, "PROGRAM", program)
    limit = 0.5 if "sleep" in program else 60.0
    with refused(DocumentError, "arm.step: ", *words):
        read_step(file, 1.0, time_limit=limit)


@pytest.mark.parametrize("name", ["arm.step", "arm.STP"])
def test_load_says_what_to_do_with_step(tmp_path, name):
    with refused(
        ChoiceError, f"'{name}': a STEP file has solids but no joints", f"ct.read_step('{name}', density=...)"
    ):
        ct.load(tmp_path / name)
