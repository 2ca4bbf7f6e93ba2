"""A STEP assembly on the bench: what is guessed, what can be chosen, what is refused in words, and what is saved."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError
from cotree.studio import Bench
from cotree.studio.cad import CadFile, plain_name

pytest.importorskip("OCP", reason="the package cadquery-ocp-novtk is not installed: no STEP files")
FILE = Path(__file__).resolve().parents[2] / "examples" / "four_bar.step"
NUMBER = {"frame-crank": 0, "frame-rocker": 1, "crank-coupler": 2, "coupler-rocker": 3}


@pytest.fixture(scope="module")
def read():
    return Bench.of_bytes("../Four bar.STEP", FILE.read_bytes())


@pytest.fixture
def cad(read):
    """With the first guesses."""
    return CadFile(read.cad.assembly)


def test_the_first_guess_is_the_mechanism_of_the_library(read):
    mech = ct.read_step(FILE, 7850.0).mechanism(ground="frame", accept="all")
    assert read.name == "Four bar"
    assert read.cad.ground == "frame"
    assert read.cad.kinds == dict.fromkeys(NUMBER.values(), "revolute")
    assert read.mobility().local == 1
    np.testing.assert_allclose(ct.mass_matrix(read.system, read.q), ct.mass_matrix(mech.compile(), read.q), rtol=1e-12)
    assert len(read.mech.scenery_shapes) == 1  # the frame can be seen
    grip = read.grip("coupler", np.array([0.15, 0.11, 0.0]))
    start = grip.place(read.system, read.q)
    read.drag(grip, start + np.array([0.02, 0.0, 0.0]))
    assert grip.place(read.system, read.q)[0] > start[0] + 0.005
    assert read.closure() < 1e-12


def test_choices_change_what_is_built(cad):
    cad.choose(2700.0, "-y", "rocker", {NUMBER["crank-coupler"]: "fixed"})
    bench = Bench.of_cad(cad)
    assert set(bench.mech.bodies) == {"frame", "coupler"}  # or what the crank is welded to
    assert bench.mobility().local == 0  # three bars
    assert bench.mech.gravity.tolist() == [0.0, -9.81, 0.0]
    solids = cad.assembly.solids
    welded = 2700.0 * (solids["crank"].volume + solids["coupler"].volume)
    assert bench.mech.bodies["coupler"].properties.mass == pytest.approx(welded, rel=1e-12)
    cad.choose(2700.0, "-y", "frame", {2: "no joint", 3: "no joint"})
    bench = Bench.of_cad(cad)
    assert set(bench.mech.bodies) == {"crank", "rocker"}
    assert "no joint leads to 'coupler'" in bench.words()
    assert len(bench.mech.scenery_shapes) == 2
    cad.choose(2700.0, "no gravity", "frame", {2: "revolute", 3: "prismatic"})
    assert isinstance(Bench.of_cad(cad).mech.joints["coupler-rocker"].joint, ct.Prismatic)


def test_what_is_wrong_is_refused_and_changes_nothing(cad, monkeypatch):
    before = dict(cad.__dict__)
    for wrong in (
        (-1.0, "-z", "frame", {}),
        (1.0, "down", "frame", {}),
        (1.0, "-z", "Frame", {}),
        (1.0, "-z", "frame", {0: "spherical"}),
        (1.0, "-z", "frame", {9: "revolute"}),
    ):
        with pytest.raises(ct.errors.CotreeError):
            cad.choose(*wrong)
    assert cad.__dict__ == before
    cad.choose(1.0, "-z", "frame", dict.fromkeys(range(4), "no joint"))
    with pytest.raises(ChoiceError, match="no joint leads from the fixed part 'frame'"):
        cad.mechanism()
    with pytest.raises(ChoiceError, match="no joints were found"):
        CadFile(replace(cad.assembly, matches=[]))
    monkeypatch.setattr("cotree.studio.cad.MOST_SOLIDS", 3)
    with pytest.raises(ChoiceError, match="has 4 solids; the studio opens assemblies of up to 3"):
        CadFile(cad.assembly)
    with pytest.raises(ct.errors.CotreeError, match="not a STEP file"):
        Bench.of_bytes("x.stp", b"solid")


def test_saved_it_has_boxes_and_moves_alike(cad):
    cad.choose(7850.0, "-y", "frame", {})
    bench = Bench.of_cad(cad)
    again = Bench.of_bytes("saved.json", bench.model_file())
    assert all(isinstance(body.shape, ct.Box) for body in again.mech.bodies.values())
    assert [type(shape) for shape in again.mech.scenery_shapes] == [ct.Box]
    np.testing.assert_allclose(again.run(0.2)[1].q, bench.run(0.2)[1].q, atol=1e-9)


def test_names_from_elsewhere_are_made_harmless():
    assert plain_name("../../etc/pass wd\0") == "_etc_pass wd_"
    assert plain_name("") == "model"
