"""Numbers of a mechanism by name: which there are, and that they can only be changed to what a mechanism accepts."""

import pytest

import cotree as ct
from cotree.errors import ArgumentError, ChoiceError, ConstraintError, ForceError, ModelError, ShapeError, SwitchError


def rubbing():
    mech = ct.gallery.pendulum_chain(2)
    mech.friction("J1", coulomb=2.0, static=3.0, viscous=0.1, stribeck=0.5, name="dry")
    mech.friction("J2", coefficient=0.2, radius=0.01, thrust_radius=0.02, span=0.3, name="loaded")
    mech.limit("J2", -1.0, 2.0, restitution=0.5, name="stop")
    mech.spring("coil", "ground", (0, 1, 0), list(mech.bodies)[-1], (0, 0, 0), stiffness=3.0, length=0.5)
    mech.distance("rod", "ground", (3, 1, 0), list(mech.bodies)[-1], (0, 0, 0), length=2.0)
    return mech


def test_friction_has_all_its_numbers():
    found = {n: x for n, x in ct.parameters(rubbing()).items() if n.startswith(("dry", "loaded"))}
    assert found == {
        "dry.torque": 2.0, "dry.static_ratio": 1.5, "dry.viscous": 0.1, "dry.stribeck": 0.5,
        "loaded.torque": 0.0, "loaded.static_ratio": 1.0, "loaded.viscous": 0.0, "loaded.coefficient": 0.2,
        "loaded.radius": 0.01, "loaded.thrust_radius": 0.02, "loaded.span": 0.3,
    }  # fmt: skip
    changed = ct.with_parameters(rubbing(), {name: 2.0 * x for name, x in found.items() if name != "dry.torque"})
    assert changed.devices["loaded"].coefficient == 0.4
    assert changed.devices["dry"].viscous == 0.2
    assert changed.devices["dry"].static_ratio == 3.0


@pytest.mark.parametrize(
    ("error", "name", "value"),
    [
        (SwitchError, "dry.torque", -1.0),
        (SwitchError, "dry.torque", 0.0),
        (SwitchError, "dry.static_ratio", 0.9),
        (SwitchError, "dry.viscous", -0.1),
        (SwitchError, "dry.stribeck", -0.1),
        (SwitchError, "loaded.coefficient", -0.1),
        (SwitchError, "loaded.span", -0.1),
        (SwitchError, "stop.restitution", 1.1),
        (SwitchError, "stop.upper", -1.0),
        (ForceError, "coil.length", -0.1),
        (ConstraintError, "rod.length", 0.0),
    ],
)
def test_values_that_a_mechanism_refuses(error, name, value):
    with pytest.raises(error, match=f"'{name.split('.')[0]}'"):
        ct.with_parameters(rubbing(), {name: value})


@pytest.mark.parametrize("name", ["shoe.viscous", "shoe.stribeck"])
def test_numbers_of_friction_without_closed_forms(name):
    """Derivatives by them are refused, and not zero."""
    mech = ct.gallery.pendulum_chain(2)
    mech.friction("J1", coulomb=1.0, static=1.5, viscous=0.2, stribeck=0.5, name="shoe")
    with pytest.raises(ArgumentError, match=r"'shoe'.*not known in closed form"):
        ct.parameter_derivatives(mech, [0.2, 0.1], [0.1, 0.2], parameters=[name])


def test_what_optimize_refuses():
    mech = ct.gallery.pendulum_chain(1)
    name = f"{next(iter(mech.bodies))}.mass"

    def wrong(error, words, objective=lambda m: 1.0, **given):
        with pytest.raises(error, match=words):
            ct.optimize(mech, objective, [name], **given)

    wrong(ShapeError, "most is", most="b1")
    wrong(ShapeError, "most is", most=0)
    wrong(ModelError, "tolerance", tolerance=-1.0)
    wrong(ShapeError, "tolerance", tolerance=10**400)
    wrong(ChoiceError, "method is", method=["slsqp"])
    wrong(ArgumentError, "functions of a mechanism", objective=3)
    wrong(ArgumentError, "functions of a mechanism", constraints=[3])
    wrong(ArgumentError, "must return one number", objective=lambda m: "much")
    wrong(ArgumentError, "give a dict of numbers", objective=lambda m: (1.0, 2.0))
    wrong(ArgumentError, "lack the parameter", objective=lambda m: (1.0, {}))
    wrong(ArgumentError, "one finite number for each", objective=lambda m: (1.0, {name: "x"}))
