"""Functional mock-up units, simulated by FMPy, against runs of the same mechanism."""

import ast
import sys

import numpy as np
import pytest

import cotree as ct
from cotree.io.fmu.exporting import script_of
from cotree.io.fmu.model import UnitModel
from tests.integrate.test_law_states import arm

pythonfmu3 = pytest.importorskip("pythonfmu3")
fmpy = pytest.importorskip("fmpy")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="units need the interpreter's library")


def machine():
    mech = ct.gallery.four_bar()
    mech.pid("servo", "D", 0.2, kp=40.0, ki=20.0, kd=8.0)
    return mech


@pytest.fixture(scope="module")
def unit(tmp_path_factory):
    path = tmp_path_factory.mktemp("units") / "four_bar.fmu"
    return ct.export_fmu(machine(), path, ["A"], ["D.angle", "A.rate", "servo.force", "servo.integral"], step=1e-3)


def test_the_unit_says_what_it_has(unit):
    told = fmpy.read_model_description(str(unit))
    assert (told.fmiVersion, told.modelName) == ("3.0", "four_bar")
    kinds = {v.name: v.causality for v in told.modelVariables}
    assert kinds == {
        "time": "independent", "A": "input", "D.angle": "output", "A.rate": "output", "servo.force": "output",
        "servo.integral": "output",
    }  # fmt: skip


@linux
def test_units_run_as_the_mechanism_does(unit):
    """Inputs are held over a communication step: halving it halves the difference to a torque that varies all along."""

    def torque(t):
        return 3.0 * np.sin(5.0 * t)

    driven = machine()
    driven.motor("torque", "A", torque)
    expected = ct.simulate(driven, 0.5, rtol=1e-11, atol=1e-11, output=[0.5])
    errors = []
    for size in (0.02, 0.01):
        times = np.arange(0.0, 0.5 + size, size)
        signal = np.array(list(zip(times, torque(times), strict=True)), dtype=[("time", float), ("A", float)])
        found = fmpy.simulate_fmu(
            str(unit), stop_time=0.5, step_size=size, output_interval=size, input=signal, fmi_type="CoSimulation"
        )  # fmt: skip
        errors.append(abs(found["D.angle"][-1] - expected.joint("D").angle[-1]))
    assert errors[1] < 1e-2
    assert 0.3 < errors[1] / errors[0] < 0.7


@linux
def test_without_inputs_they_are_the_same(unit):
    found = fmpy.simulate_fmu(str(unit), stop_time=0.2, step_size=0.01, output_interval=0.01, fmi_type="CoSimulation")
    run = ct.simulate(machine(), 0.2, step=1e-3, output=21)
    assert np.abs(found["D.angle"] - run.joint("D").angle).max() < 1e-9
    assert np.abs(found["A.rate"] - run.joint("A").rate).max() < 1e-9
    assert np.abs(found["servo.integral"] - run.state("servo.integral")).max() < 1e-9
    assert np.abs(found["servo.force"] - run.element("servo").force).max() < 1e-7


def test_the_model_of_a_unit(unit, tmp_path):
    """The same without FMPy: steps that are no multiple of the unit's own are divided evenly."""
    model = UnitModel(fmpy.extract(str(unit), str(tmp_path)) and tmp_path / "resources")
    model.begin(1.0)
    model.put("A", 2.0)
    model.advance(2.5e-3)
    stepper = ct.Stepper(machine(), step=2.5e-3 / 3)
    stepper.set(torque={"A": 2.0})
    stepper.step(3)
    assert abs(model.stepper.t - 1.0025) < 1e-15
    assert abs(model.get("D.angle") - float(stepper.joint("D").angle)) < 1e-14


def test_what_cannot_be_exported_is_named(tmp_path):
    with pytest.raises(ct.errors.DocumentError, match=r"user functions of mechanism 'arm' \(motor 'servo'\)"):
        ct.export_fmu(arm(lambda t: 0.0), tmp_path / "x.fmu")
    with pytest.raises(ct.errors.ShapeError, match="takes a Mechanism"):
        ct.export_fmu(arm(1.0).compile(), tmp_path / "x.fmu")
    with pytest.raises(ct.errors.ShapeError, match="takes a Mechanism"):
        ct.export_fmu(arm(1.0).compile(), tmp_path / "x.fmu", native=False)
    with pytest.raises(ct.errors.UnknownNameError, match=r"no output 'A.angel'"):
        ct.export_fmu(arm(1.0), tmp_path / "x.fmu", outputs=["A.angel"])
    with pytest.raises(ct.errors.UnknownNameError, match="no input 'B'"):
        ct.export_fmu(arm(1.0), tmp_path / "x.fmu", inputs=["B"])
    with pytest.raises(ct.errors.ArgumentError, match="give the name of a file"):
        ct.export_fmu(arm(1.0), 10**70)


@pytest.mark.parametrize(
    "name", ['"""; import os; os.abort(); """', "'; raise ValueError #", "\\", "{identifier}", "\ud800"]
)
def test_names_are_texts_in_the_code_of_a_unit(name):
    """Whatever the name of a mechanism is, it is not run."""
    made = ast.parse(script_of(name, "unit"))
    assert [type(x) for x in made.body] == [ast.Expr, ast.ImportFrom, ast.ImportFrom, ast.ClassDef]
    begin = made.body[3].body[0]
    (told,) = [x.value for x in begin.body if isinstance(x, ast.Assign)]
    assert ast.literal_eval(told) == name
    assert len(begin.body) == 3
