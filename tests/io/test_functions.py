"""Functions in Python: named in files, given when loading, or stood in for."""

import functools
import operator

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError, MissingFunctionError
from cotree.io import from_json, to_json
from tests.io.furnished import same
from tests.model.builders import four_bar, refused


def ramp(t):
    return 0.1 * t


def turning_force(t, omega):
    return np.array([t, 0.0, 0.0]) - omega


def jacobian(q):
    return np.array([[1.0, 0.0, -q[0]]])


def residual(q, t):
    return q[0] - 0.5 * q[0] * q[2] - t


def driven():
    """Functions wherever there can be one."""
    mech = four_bar()
    mech.motor("m", "A", ramp)
    mech.force("push", "coupler", turning_force, point=(1, 1, 0))
    mech.torque("turn", "rocker", lambda t: (0, 0, t))
    mech.drive("d", "A", ramp, rate=lambda t: 0.1, acceleration=functools.partial(operator.mul, 0.0))
    mech.coupling("c", {"A": 1, "B": 2}, offset=lambda t: t)
    mech.distance("rod", "crank", (0.1, 0, 0), "rocker", (2, 1, 0), length=lambda t: 2 + 0.1 * t)
    mech.constraint("u", jacobian, residual, rate=lambda q: [0.0], bias=lambda q, v: [v[0] * v[2]])
    return mech


NAMES = {"ramp", "turning_force", "turn.moment", "d.rate", "d.acceleration", "c.offset", "rod.length", "jacobian",
         "residual", "u.rate", "u.bias"}  # fmt: skip


def given(mech):
    """The functions of `driven` by the names that a file gives them."""
    d, u = mech.constraints["d"].motion, mech.constraints["u"]
    return {
        "ramp": ramp, "turning_force": turning_force, "turn.moment": mech.loads["turn"].value.function,
        "d.rate": d.rate, "d.acceleration": d.acceleration, "c.offset": mech.constraints["c"].motion.value,
        "rod.length": mech.constraints["rod"].length.value, "jacobian": jacobian, "residual": residual,
        "u.rate": u.rate.function, "u.bias": u.bias.function,
    }  # fmt: skip


def numbers(system, t=0.7):
    """Residual, Jacobian, rate, bias and force of a state, by way of all functions."""
    q, v = system.q0 + 0.1, np.array([0.3, -0.2, 0.5])
    rows = (ct.constraint_residual, ct.constraint_jacobian, ct.theory.constraint_rate)
    return [
        *(f(system, q, t) for f in rows),
        ct.constraint_bias(system, q, v, t),
        ct.inverse_dynamics(system, q, v, None, t),
    ]


def test_given_functions_are_put_in_place():
    mech = driven()
    again = from_json(to_json(mech), functions=given(mech))
    same(mech, again)
    for a, b in zip(numbers(mech.compile()), numbers(again.compile()), strict=True):
        assert a.tobytes() == b.tobytes()
    assert "without" not in repr(again)


def test_without_them_loading_names_them_all(tmp_path):
    ct.save(driven(), tmp_path / "driven.yaml")
    with refused(
        MissingFunctionError,
        "driven.yaml",
        "'ramp' for motor 'm' (torque), drive 'd' (motion)",
        "functions={",
        "'zero'",
    ) as caught:
        ct.load(tmp_path / "driven.yaml")
    for name in NAMES:
        assert repr(name) in str(caught.value)


def test_one_that_is_left_out_is_named():
    mech = driven()
    functions = given(mech)
    del functions["c.offset"]
    with refused(MissingFunctionError, "'c.offset' for coupling 'c' (offset); pass functions={'c.offset': ...}"):
        from_json(to_json(mech), functions)


def test_a_mechanism_can_do_without_and_says_so():
    mech = driven()
    again = from_json(to_json(mech), missing="zero")
    for words in (
        "without the functions of",
        "motor 'm' (torque)",
        "distance 'rod' (length)",
        "constraint 'u' (jacobian)",
    ):
        assert words in repr(again)
    system, other = mech.compile(), again.compile()
    q = system.q0 + 0.2
    assert ct.poses(other, q).tobytes() == ct.poses(system, q).tobytes()
    assert other.constraint_names == system.constraint_names
    g, J, rate, bias, tau = numbers(other)
    assert np.all(np.isfinite(np.concatenate([g, J.ravel(), rate, bias, tau])))
    user = other.constraint_names.index("u")
    assert g[user] == 0.0
    assert not J[user].any()
    assert not rate.any()
    rod = other.constraint_names.index("rod")
    assert abs(ct.constraint_residual(other, other.q0)[rod]) < 1e-15  # as assembled
    bare = four_bar()
    v = np.array([0.3, -0.2, 0.5])
    np.testing.assert_allclose(tau, ct.inverse_dynamics(bare.compile(), other.q0 + 0.1, v), atol=1e-12)


def test_missing_functions_keep_their_names():
    text = to_json(driven())
    assert to_json(from_json(text, missing="zero")) == text
    for name in NAMES:
        assert f'"{name}"' in text


def test_a_length_of_zero_as_assembled_still_loads():
    mech = four_bar()
    mech.distance("rod", "crank", (0.1, 0, 0), "rocker", (0.1, 0, 0), length=lambda t: 1 + t)
    system = from_json(to_json(mech), missing="zero").compile()
    assert np.isfinite(ct.constraint_residual(system, system.q0)).all()


def test_functions_of_one_name_are_told_apart():
    def make(size):
        def torque(t):
            return size

        return torque

    mech = four_bar()
    one = make(1.0)
    mech.motor("m1", "A", one)
    mech.motor("m2", "B", make(2.0))
    mech.motor("m3", "C", one)
    mech.motor("m2.torque", "D", lambda t: 4.0)
    again = from_json(to_json(mech), functions={"torque": ramp, "m2.torque": one, "m2.torque.torque": make(3.0)})
    found = {name: f.torque.function for name, f in again.joint_forces.items()}
    assert found["m1"] is found["m3"] is ramp
    assert found["m2"] is one
    assert found["m2.torque"](0.0) == 3.0


def test_a_name_that_a_missing_function_has_is_taken():
    mech = from_json(to_json(driven()), missing="zero")

    def ramp(t):
        return 1.0

    mech.motor("n", "B", ramp)
    mech.motor("c", "B", lambda t: 0.0)
    text = to_json(mech)
    assert '"n.torque"' in text
    assert '"c.torque"' in text


def test_names_never_meet():
    mech = four_bar()
    mech.torque("m", "crank", lambda t: (0, 0, 0))
    named = from_json(to_json(mech).replace("m.moment", "k.torque"), missing="zero")
    named.motor("k", "A", lambda t: 1.0)
    assert '"k.torque\'"' in to_json(named)


def test_only_two_ways_with_missing_functions():
    with refused(ChoiceError, "missing is 'skip'", "'raise', 'zero', 'late'"):
        from_json(to_json(four_bar()), missing="skip")


def test_functions_that_a_file_does_not_name_do_no_harm():
    same(four_bar(), from_json(to_json(four_bar()), functions={"f": ramp}))


def test_a_function_with_the_wrong_parameters_is_placed():
    with pytest.raises(ct.errors.ForceError, match=r"forces\[2\]: motor 'm', torque"):
        from_json(
            to_json(driven()).replace('"function": "ramp"', '"function": "x"'),
            functions={**given(driven()), "x": lambda a: 1},
        )
