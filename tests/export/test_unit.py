"""Units for co-simulation with compiled code inside, simulated by FMPy."""

import zipfile

import numpy as np
import pytest

import cotree as ct
from tests.export.native import needs_cc

fmpy = pytest.importorskip("fmpy")
OUTPUTS = ["D.angle", "A.rate", "A.acceleration"]


@pytest.fixture(scope="module")
def unit(tmp_path_factory):
    return ct.export_fmu(
        ct.gallery.four_bar(), tmp_path_factory.mktemp("units") / "four_bar.fmu", ["A"], OUTPUTS, native=True
    )


def stepper(torque):
    s = ct.Stepper(ct.gallery.four_bar(), 1e-3, record=False)
    s.set(torque={"A": torque})
    return s


@needs_cc
def test_it_is_a_unit_without_python(unit):
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(unit)) == []
    with zipfile.ZipFile(unit) as whole:
        assert len(whole.namelist()) == 2
        assert not [name for name in whole.namelist() if name.endswith(".py")]
    kinds = {v.name: v.causality for v in fmpy.read_model_description(str(unit)).modelVariables}
    assert kinds == {"time": "independent", "A": "input"} | dict.fromkeys(OUTPUTS, "output")


@needs_cc
def test_it_moves_as_a_stepper(unit):
    rows = fmpy.simulate_fmu(
        str(unit), stop_time=1.0, step_size=1e-2, output_interval=1e-2, fmi_type="CoSimulation", start_values={"A": 0.5}
    )
    s = stepper(0.5)
    s.step(1000)
    told = [s.joint("D").angle, s.joint("A").rate, s.joint("A").acceleration]
    assert np.allclose([rows[name][-1] for name in OUTPUTS], told, rtol=1e-10, atol=1e-11)


@needs_cc
def test_its_state_is_kept_and_set(unit, tmp_path):
    """A step, back, and the same step again, also in another instance."""
    told = fmpy.read_model_description(str(unit))
    folder = fmpy.extract(str(unit), str(tmp_path / "unit"))
    identifier = told.coSimulation.modelIdentifier
    given = {"guid": told.guid, "unzipDirectory": folder, "modelIdentifier": identifier}
    first, second = (fmpy.fmi3.FMU3Slave(instanceName=name, **given) for name in ("a", "b"))
    for one in (first, second):
        one.instantiate()
        one.enterInitializationMode()
        one.exitInitializationMode()
    first.setFloat64([1], [2.0])
    first.doStep(0.0, 0.1)
    kept = first.getFMUState()
    first.doStep(0.1, 0.1)
    expected = first.getFloat64([0, 2, 3, 4])
    first.setFMUState(kept)
    first.doStep(0.1, 0.1)
    assert first.getFloat64([0, 2, 3, 4]) == expected
    second.setFMUState(kept)
    second.doStep(0.1, 0.1)
    assert second.getFloat64([0, 2, 3, 4]) == expected
    first.freeFMUState(kept)
    first.reset()
    assert first.getFloat64([0]) == [0.0]
    for one in (first, second):
        one.terminate()
        one.freeInstance()


def test_what_it_cannot_have_is_said(tmp_path, monkeypatch):
    """Where `native` is asked for; else the unit is run by Python."""
    mech = ct.gallery.four_bar()
    with pytest.raises(ct.errors.ExportError, match=r"output 'C.angle' is not computed without Python"):
        ct.export_fmu(mech, tmp_path / "x.fmu", outputs=["C.angle"], native=True)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(ct.errors.ExportError, match="there is no `cc` here"):
        ct.export_fmu(mech, tmp_path / "x.fmu", native=True)
    pytest.importorskip("pythonfmu3")
    path = ct.export_fmu(mech, tmp_path / "y.fmu", outputs=["C.angle"])
    with zipfile.ZipFile(path) as whole:
        assert [name for name in whole.namelist() if name.endswith(".py")]


@needs_cc
def test_a_compiler_that_fails(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: "/bin/false")
    with pytest.raises(ct.errors.ExportError, match="the C compiler /bin/false has failed"):
        ct.export_fmu(ct.gallery.four_bar(), tmp_path / "x.fmu", native=True)
