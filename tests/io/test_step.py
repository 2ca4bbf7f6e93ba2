"""STEP assemblies through Open CASCADE: mass properties in closed form, joints found, mechanisms that move."""

import os
import random
import re
import subprocess
import sys

import numpy as np
import pytest

import cotree as ct
from cotree.errors import CotreeError, DocumentError
from cotree.io import read_step
from cotree.io.step.plain import Job
from cotree.io.step.reading import assembled
from tests.model.builders import refused

pytest.importorskip("OCP", reason="cadquery-ocp-novtk is not installed: STEP files cannot be made or read")

from tests.io import step_files as made

DENSITY = 2700.0


def read(path, density=DENSITY, tolerance=1e-5, omit=()):
    """As read_step, but in this process, which has loaded the kernel already."""
    from cotree.io.step.kernel.child import work

    answer = work(Job(str(path), "", tolerance, None, []))
    assert not answer.trouble
    return assembled(path.stem, answer.data, density, omit, tolerance)


def pair(tmp_path, **pieces):
    return read(made.write_step(tmp_path / "pair.step", pieces))


@pytest.fixture(scope="module")
def four_bar(tmp_path_factory):
    folder = tmp_path_factory.mktemp("step")
    path = made.write_step(folder / "four_bar.step", made.four_bar(), colours={"crank": (1.0, 0.0, 0.0)})
    return read_step(path, DENSITY, meshes=folder / "meshes")


def by_hand():
    """The same four-bar in closed form, at the joints as drawn."""
    mech = ct.Mechanism("by hand", gravity=(0, -9.81, 0))
    for name, piece in made.four_bar().items():
        if name != "frame":
            mech.body(name, *piece.properties(DENSITY))
    ends = {"A": ("ground", "crank", made.A), "D": ("ground", "rocker", made.D)}
    ends |= {"B": ("crank", "coupler", made.B), "C": ("rocker", "coupler", made.C)}
    for name, (a, b, (x, y)) in ends.items():
        mech.joint(name, a, b, ct.Revolute((x / 1e3, y / 1e3, 0), (0, 0, 1)))
    return mech


def check_properties(assembly, pieces, rel=1e-9):
    assert list(assembly.solids) == list(pieces)
    for name, piece in pieces.items():
        m, c, inertia = piece.properties(DENSITY)
        solid = assembly.solids[name]
        assert solid.mass == pytest.approx(m, rel=rel)
        np.testing.assert_allclose(solid.centre, c, rtol=0, atol=rel * np.ptp(solid.box, axis=0).max())
        np.testing.assert_allclose(solid.inertia, inertia, rtol=0, atol=rel * np.abs(inertia).max())


# -- the four-bar ------------------------------------------------------------------------------------------------


def test_mass_properties_are_those_in_closed_form(four_bar):
    check_properties(four_bar, made.four_bar())
    assert four_bar.solids["crank"].colour == (1.0, 0.0, 0.0)
    assert four_bar.solids["frame"].colour is None
    np.testing.assert_allclose(four_bar.solids["frame"].box, [(-0.015, -0.015, 0), (0.265, 0.015, 0.024)], atol=1e-9)


def test_the_four_axes_are_found(four_bar):
    found = {p.name: p for p in four_bar.proposals}
    at = {"frame-crank": made.A, "crank-coupler": made.B, "coupler-rocker": made.C, "frame-rocker": made.D}
    assert found.keys() == at.keys()
    for name, (x, y) in at.items():
        p = found[name]
        assert p.kind == "revolute"
        assert p.radius == pytest.approx(0.005)
        np.testing.assert_allclose(p.point[:2], (x / 1e3, y / 1e3), atol=1e-12)
        np.testing.assert_allclose(p.axis, (0, 0, 1), atol=1e-12)
    assert "shaft of 'rocker' in a hole of 'coupler', radius 5 mm, over 10 mm" in found["coupler-rocker"].reason
    assert len(str(four_bar.proposals).splitlines()) == 5
    assert "0.235384 kg" in str(four_bar)


def test_the_mechanism_moves_as_the_one_by_hand(four_bar):
    names = {"A": 0, "B": "crank-coupler", "C": "coupler-rocker", "D": 1}
    mech = four_bar.mechanism("frame", names, gravity=(0, -9.81, 0))
    assert set(mech.joints) == set("ABCD")
    assert (mech.joints["C"].parent, mech.joints["B"].child) == ("rocker", "coupler")
    assert ct.mobility(mech).differential == 1
    ours, theirs = (ct.simulate(m, t_end=1.0, output=0.1) for m in (mech, by_hand()))
    assert ours.status == theirs.status
    last = [dict(zip(("ground", *r.system.body_names), r.poses()[-1], strict=True)) for r in (ours, theirs)]
    assert np.abs(last[0]["crank"][:3, :3] - np.eye(3)).max() > 0.1  # it has moved
    for name in ("crank", "coupler", "rocker"):
        np.testing.assert_allclose(last[0][name], last[1][name], atol=1e-7)


def test_meshes_are_closed_surfaces_in_their_place(four_bar):
    """Divergence theorem over the triangles: the volume, within what straight edges lose on circles."""
    mech = four_bar.mechanism("frame", accept="all", weld=[("rocker", "coupler")])
    for name, solids in (("crank", ["crank"]), ("coupler", ["coupler", "rocker"])):
        shape = mech.bodies[name].shape
        raw = shape.path.read_bytes()
        dtype = np.dtype([("n", "<3f4"), ("x", "<3f4", (3,)), ("w", "<u2")])
        x = np.frombuffer(raw[84:], dtype)["x"].astype(float) * shape.scale
        assert len(x) == int.from_bytes(raw[80:84], "little")
        volume = np.einsum("ni,ni->", x[:, 0], np.cross(x[:, 1], x[:, 2])) / 6
        assert volume == pytest.approx(sum(four_bar.solids[n].volume for n in solids), rel=0.01)


@pytest.mark.parametrize("unit", ["INCH", "M"])
def test_units(tmp_path, unit):
    path = made.write_step(tmp_path / "slider.stp", made.slider_crank(), unit=unit)
    text = path.read_text()
    assert ("INCH" in text) == (unit == "INCH")
    assert "MILLI" not in text or unit == "INCH"  # the inch is defined by millimetres
    assembly = read(path)
    check_properties(assembly, made.slider_crank())
    assert [p.radius for p in assembly.proposals] == pytest.approx([0.005, 0.02, 0.005, 0.004], rel=1e-9)


def test_a_slider_crank_with_a_cylindrical_joint(tmp_path):
    assembly = pair(tmp_path, **made.slider_crank())
    kinds = {p.name: p.kind for p in assembly.proposals}
    assert kinds == {
        "frame-crank": "revolute", "frame-piston": "cylindrical", "crank-rod": "revolute", "rod-piston": "revolute",
    }  # fmt: skip
    slide = assembly.proposals["frame-piston"]
    np.testing.assert_allclose(slide.axis, (1, 0, 0), atol=1e-12)
    np.testing.assert_allclose(slide.point, (0.23, 0, 0), atol=1e-9)
    assert "nothing blocks sliding" in slide.reason
    mech = assembly.mechanism("frame", accept="all")
    assert ct.mobility(mech).differential == 1
    assert isinstance(mech.joints["frame-piston"].joint, ct.Cylindrical)
    mech = assembly.mechanism("frame", accept="all", kinds={"frame-piston": "prismatic"})
    assert isinstance(mech.joints["frame-piston"].joint, ct.Prismatic)
    assert ct.mobility(mech).differential == 1


# -- what is proposed, and what is not ---------------------------------------------------------------------------------


def test_without_heads_links_can_slide_off(tmp_path):
    assembly = pair(tmp_path, **made.four_bar(head=False))
    assert {p.kind for p in assembly.proposals} == {"cylindrical"}
    assert all("at one end only" in p.reason for p in assembly.proposals)


@pytest.mark.parametrize(
    ("radius", "shift", "count"), [(5, 0, 1), (4.9, 0, 0), (5.1, 0, 0), (5, 0.1, 0), (5.005, 0, 1)]
)
def test_radius_and_axis_must_agree(tmp_path, radius, shift, count):
    plate, shaft = (
        made.box((-20, -20, 0), (20, 20, 10)) - made.hole((0, 0), 0),
        made.cylinder((shift, 0, -5), (0, 0, 1), radius, 30),
    )
    assert len(pair(tmp_path, plate=plate, shaft=shaft).proposals) == count


def test_cylinders_one_after_the_other_make_no_joint(tmp_path):
    plate, shaft = (
        made.box((-20, -20, 0), (20, 20, 10)) - made.hole((0, 0), 0),
        made.cylinder((0, 0, 10), (0, 0, 1), 5, 30),
    )
    assert len(pair(tmp_path, plate=plate, shaft=shaft).proposals) == 0


def test_a_cradle_holds_nothing(tmp_path):
    """A half-round groove: its cylinder goes round by half a turn only."""
    block = made.box((-20, -20, 0), (20, 0, 10)) - made.hole((0, 0), 0)
    assert len(pair(tmp_path, block=block, shaft=made.cylinder((0, 0, 0), (0, 0, 1), 5, 10)).proposals) == 0


def test_an_axis_in_any_direction(tmp_path):
    e = (1.0, -2.0, 0.5)
    block = made.ball((0, 0, 0), 40) - made.cylinder((-50, 100, -25), e, 6, 250)
    shaft = made.cylinder((-30, 60, -15), e, 6, 130)
    (p,) = pair(tmp_path, block=block, shaft=shaft).proposals
    np.testing.assert_allclose(p.axis, np.array((-1.0, 2.0, -0.5)) / np.linalg.norm(e), atol=1e-12)
    np.testing.assert_allclose(np.cross(p.point, e), 0, atol=1e-12)
    assert p.kind == "cylindrical"


def test_a_ball_in_a_socket(tmp_path):
    stud = made.ball((10, 20, 30), 8) + made.cylinder((10, 20, 30), (0, 0, 1), 3, 40)
    cup = made.box((-5, 5, 15), (25, 35, 33)) - made.ball((10, 20, 30), 8)
    (p,) = pair(tmp_path, cup=cup, stud=stud).proposals
    assert (p.kind, p.bodies) == ("spherical", ("cup", "stud"))
    assert "ball of 'stud' in a socket of 'cup', radius 8 mm" in p.reason
    np.testing.assert_allclose(p.point, (0.01, 0.02, 0.03), atol=1e-12)


def test_surfaces_that_were_written_as_splines(tmp_path):
    """Programs without cylinders of their own write them as splines."""
    from OCP.BRepBuilderAPI import BRepBuilderAPI_NurbsConvert

    pieces = made.four_bar()
    splines = {name: BRepBuilderAPI_NurbsConvert(piece.shape, True).Shape() for name, piece in pieces.items()}
    path = made.write_step(tmp_path / "splines.step", splines)
    assert "CYLINDRICAL_SURFACE" not in path.read_text()
    assembly = read(path)
    check_properties(assembly, pieces, rel=1e-7)  # the kernel integrates over splines less exactly
    exact = read(made.write_step(tmp_path / "exact.step", pieces))
    for a, b in zip(assembly.proposals, exact.proposals, strict=True):
        np.testing.assert_allclose(a.point[:2], b.point[:2], atol=1e-9)
        np.testing.assert_allclose(a.axis, b.axis, atol=1e-9)
        assert (a.name, a.radius) == (b.name, pytest.approx(b.radius, rel=1e-9))


# -- pins that are solids, names, places ---------------------------------------------------------------------------------


def test_a_pin_is_welded_to_one_of_the_links(tmp_path):
    """The pin's head above and the crank below hold the coupler: a revolute only once the two are one body."""
    pin = made.cylinder((0, 0, 0), (0, 0, 1), 5, 20) + made.cylinder((0, 0, 20), (0, 0, 1), 8, 4)
    links = {
        "crank": made.box((-10, -10, 0), (50, 10, 10)) - made.hole((0, 0), 0),
        "coupler": made.box((-50, -10, 10), (10, 10, 20)) - made.hole((0, 0), 10),
    }
    assembly = pair(tmp_path, pin=pin, **links)
    assert {p.name: p.kind for p in assembly.proposals} == {"pin-crank": "cylindrical", "pin-coupler": "cylindrical"}
    welded = assembly.welded(("pin", "crank"))
    (p,) = welded.proposals
    assert (p.number, p.name, p.kind, p.bodies) == (1, "pin-coupler", "revolute", ("crank", "coupler"))
    mech = assembly.mechanism("coupler", ["pin-coupler"], weld=[("pin", "crank")])
    assert list(mech.bodies) == ["crank"]
    m, c, inertia = (pin + links["crank"]).properties(DENSITY)
    got = mech.bodies["crank"].properties
    assert got.mass == pytest.approx(m, rel=1e-9)
    np.testing.assert_allclose(got.com, c, atol=1e-12)
    np.testing.assert_allclose(got.inertia, inertia, atol=1e-9 * np.abs(inertia).max())


def test_instances_have_their_own_names_and_places(tmp_path):
    pieces = {"post": made.cylinder((0, 0, 0), (0, 0, 1), 5, 30)}
    places = {
        "left": ("post", (0, 0, 0)),
        "Füße 右": ("post", (100, 0, 0)),
        "7": ("post", (0, 50, 0)),
        "8": ("post", (0, 0, 90)),
    }
    assembly = read(made.write_step(tmp_path / "posts.step", pieces, instances=places))
    assert list(assembly.solids) == ["left", "Füße 右", "post", "post.2"]  # a bare number is no name
    shifts = [np.array(shift) / 1e3 for _, shift in places.values()]
    for solid, shift in zip(assembly.solids.values(), shifts, strict=True):
        np.testing.assert_allclose(solid.centre, np.add(shift, (0, 0, 0.015)), atol=1e-12)


def test_far_from_the_origin(tmp_path):
    """A kilometre away the inertia keeps its digits."""
    pieces = {"post": made.cylinder((0, 0, 0), (0, 0, 1), 5, 30)}
    near = read(made.write_step(tmp_path / "near.step", pieces)).solids["post"]
    far = read(made.write_step(tmp_path / "far.step", pieces, instances={"post": ("post", (1e6, -1e6, 1e6))})).solids[
        "post"
    ]
    np.testing.assert_allclose(far.centre, np.add(near.centre, (1e3, -1e3, 1e3)), rtol=1e-12)
    np.testing.assert_allclose(far.inertia, near.inertia, atol=1e-7 * near.inertia.max())


# -- files that are refused ----------------------------------------------------------------------------------------------


def without_a_face(text):
    """The first solid loses one of its faces."""
    return re.sub(r"(CLOSED_SHELL\('',\()#\d+,", r"\1", text, count=1)


def test_solids_that_are_not_closed(tmp_path):
    pieces = {"can": made.box((0, 0, 0), (10, 10, 10)), "lid": made.box((0, 0, 10), (10, 10, 11))}
    path = made.write_step(tmp_path / "open.step", pieces)
    path.write_text(without_a_face(path.read_text()))
    with refused(DocumentError, "open.step: these parts are not closed", "sew their faces", "omit=['can']"):
        read_step(path, DENSITY)
    assert list(read(path, omit=["can"]).solids) == ["lid"]


def test_surfaces_are_no_solids(tmp_path):
    from OCP.TopAbs import TopAbs_FACE

    from cotree.io.step.kernel.document import explore

    skin = next(explore(made.box((0, 0, 0), (10, 10, 10)).shape, TopAbs_FACE))
    path = made.write_step(tmp_path / "skin.step", {"skin": skin, "block": made.box((0, 0, 0), (1, 1, 1))})
    with refused(DocumentError, "these parts are not closed", "'skin'", "omit=['skin']"):
        read(path)
    assert list(read(path, omit=["skin"]).solids) == ["block"]


def test_a_file_with_a_head_only(tmp_path):
    path = tmp_path / "head.step"
    path.write_text("ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n")
    with refused(DocumentError, "head.step", "export"):
        read_step(path, DENSITY)


FORKS = """
import os, signal, sys
sys.path[:] = {path!r}
import msgspec
from cotree.io.step.kernel import document, measure, touching
from cotree.io.step.kernel.child import work
from cotree.io.step.plain import Answer, Job
for k in range({count}):
    if os.fork():
        os.wait()
        continue
    signal.alarm(60)
    try:
        answer = work(Job({folder!r} + f"/{{k}}.step", "", 1e-5, None, []))
    except Exception as error:
        answer = Answer(trouble=str(error))
    open({folder!r} + f"/{{k}}.json", "wb").write(msgspec.json.encode(answer))
    os._exit(0)
"""


def mutated(text, rng):
    """A line lost, doubled, or with a number, a reference or some letters changed."""
    lines = text.split("\n")
    for _ in range(rng.choice([1, 3, 10])):
        k = rng.randrange(len(lines))
        kind = rng.randrange(5)
        if kind == 0:
            del lines[k]
        elif kind == 1:
            lines.insert(k, rng.choice(lines))
        elif kind == 2:
            lines[k] = lines[k].replace("#", f"#{rng.randrange(9)}", 1)
        elif kind == 3:
            lines[k] = lines[k].replace("0.", rng.choice(["-7.", "1.E300", "NAN", "", "0.0000001"]), 1)
        else:
            at = rng.randrange(len(lines[k]) + 1)
            lines[k] = lines[k][:at] + "".join(rng.choices("(),#$*'.;\\\xff9", k=3)) + lines[k][at + 2 :]
    return "\n".join(lines)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="one process for each file takes too long without fork")
def test_mutated_files(tmp_path):
    """Each is read or refused with a named error; of those that bring the kernel down, one goes through read_step."""
    text = made.write_step(tmp_path / "good.step", made.four_bar()).read_text()
    rng, count = random.Random(7), 50
    for k in range(count):
        (tmp_path / f"{k}.step").write_text(mutated(text, rng), encoding="latin-1")
    program = FORKS.format(path=sys.path, count=count, folder=str(tmp_path))
    subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    answers = [tmp_path / f"{k}.json" for k in range(count)]
    outcomes = [outcome(answer.read_bytes()) if answer.exists() else "crash" for answer in answers]
    assert outcomes.count("read") > 0
    assert outcomes.count("refused") > 0
    if "crash" in outcomes:
        name = f"{outcomes.index('crash')}.step"
        with refused(DocumentError, f"{name}: ", "export"):
            read_step(tmp_path / name, DENSITY, time_limit=60.0)


def outcome(answer):
    from cotree.io.step.process import _decoded

    try:
        assembly = assembled("x", _decoded(answer), DENSITY)
        assembly.mechanism(next(iter(assembly.solids)), accept="all")
    except CotreeError:
        return "refused"
    return "read"
