"""Laws in files: a function that is given again is the law that it was, or is refused."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import DocumentError


def held(angle):
    return -20.0 * angle


def integral(angle, x):
    return -20.0 * x, angle


def relay(angle, side):
    return -2.0 * side


def pendulum(law):
    mech = ct.Mechanism("pendulum", gravity=(0, -9.81, 0))
    mech.body("rod", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("A", mech.ground, "rod", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.motor("m", "A", law)
    return mech


LAWS = {"held": (held, ct.Law(held, period=0.2, offset=0.05)), "integral": (integral, ct.Law(integral, {"x": 0.3}))}


@pytest.mark.parametrize("ending", ["json", "yaml", "toml"])
@pytest.mark.parametrize("name", LAWS)
def test_a_function_becomes_the_law_that_it_was(name, ending, tmp_path):
    function, law = LAWS[name]
    ct.save(pendulum(law), tmp_path / f"m.{ending}")
    as_it_was = ct.simulate(pendulum(law), 0.5, output=3).q
    for given in (function, law):
        again = ct.load(tmp_path / f"m.{ending}", functions={name: given})
        assert np.array_equal(ct.simulate(again, 0.5, output=3).q, as_it_was)
    without = ct.load(tmp_path / f"m.{ending}", missing="zero")
    ct.save(without, tmp_path / f"again.{ending}")  # what is missing is still noted
    again = ct.load(tmp_path / f"again.{ending}", functions={name: function})
    assert np.array_equal(ct.simulate(again, 0.5, output=3).q, as_it_was)


def test_another_law_is_refused(tmp_path):
    path = tmp_path / "m.json"
    ct.save(pendulum(LAWS["held"][1]), path)
    for other in (
        ct.Law(held, period=0.1, offset=0.05),
        ct.Law(held),
        ct.Law(integral, {"x": 0.0}, period=0.2, offset=0.05),
    ):
        with pytest.raises(
            DocumentError, match=r"function 'held' was a law sampled every 0.2 s \(offset 0.05 s\) when"
        ):
            ct.load(path, functions={"held": other})
    ct.save(pendulum(ct.Law(relay, switching={"side": lambda angle: angle})), path)
    with pytest.raises(
        DocumentError, match=r"'relay' is a law with the switching functions 'side'; give it as ct\.Law"
    ):
        ct.load(path, functions={"relay": relay})
    ct.load(path, functions={"relay": ct.Law(relay, switching={"side": lambda angle: angle})})
    with pytest.raises(DocumentError, match=r"a law with switching functions 'side' .* is a law with states 'x'"):
        ct.load(path, functions={"relay": ct.Law(integral, {"x": 0.0})})


def test_runs_with_laws_are_resumed_with_them(tmp_path):
    path = tmp_path / "r.h5"
    for name, (function, law) in LAWS.items():
        whole = ct.simulate(pendulum(law), 0.6, output=[0.3, 0.6])
        ct.simulate(pendulum(law), 0.3).save(path)
        assert ct.load_run(path, functions={name: function}).resume(0.6).q[-1] == pytest.approx(whole.q[-1], abs=1e-7)


def test_a_run_whose_file_does_not_note_its_law(tmp_path):
    """As files were written before: the model names the function only."""
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "r.h5"
    ct.simulate(pendulum(LAWS["integral"][1]), 0.1, output=3).save(path)
    ct.save(pendulum(integral_free), tmp_path / "plain.json")
    with h5py.File(path, "r+") as file:
        del file["model"].attrs["crc32"]
        file["model"][()] = (tmp_path / "plain.json").read_text()
    with pytest.raises(
        DocumentError, match="states: a row has 1 numbers of laws, and the functions that are given keep 0"
    ):
        ct.load_run(path, functions={"integral_free": integral_free})


def integral_free(angle):
    return -angle
