"""What a system contains, and what each consumer makes of it: every pair of a feature and a consumer is tried."""

import runpy
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import cotree as ct
from cotree.errors import CotreeError, StudyWarning
from cotree.io.mjcf.writing import mjcf_text
from cotree.io.urdf.writing import urdf_text
from cotree.model.features import FEATURES, Features

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "api_tables.py"))
CONSUMERS = TOOL["load_declarations"]()
Z = (0, 0, 1)


def pendulum():
    mech = ct.Mechanism("pendulum", gravity=(0, -9.81, 0))
    mech.body("rod", mass=1.0, com=(0, -0.5, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("A", mech.ground, "rod", ct.Revolute((0, 0, 0), Z))
    return mech


def slow(angle, rate):
    return -angle - 0.1 * rate


def _user_rows(mech):
    mech.body("cart", 1.0, (0, 1, 0), (1, 1, 1))
    mech.joint("C", "ground", "cart", ct.Prismatic(axis=(1, 0, 0), point=(0, 1, 0)))
    J, nothing = np.array([[1.0, -1.0]]), np.zeros(1)
    mech.constraint("tie", jacobian=lambda q: J, residual=lambda q: q[:1] - q[1:], bias=lambda q, v: nothing)


def _cart(mech):
    """A body that moves in a level plane."""
    mech.body("slide", 1.0, (0, 1, 0), (1, 1, 1))
    mech.body("cart", 1.0, (0, 1, 0), (1, 1, 1))
    mech.joint("C", "ground", "slide", ct.Prismatic(axis=(1, 0, 0), point=(0, 1, 0)))
    mech.joint("D", "slide", "cart", ct.Prismatic(axis=Z, point=(0, 1, 0)))


def _knife(mech):
    _cart(mech)
    mech.knife_edge("k", "cart", (0, 1, 0), (1, 0, 1))


def _conserved(mech):
    _cart(mech)
    mech.conserve("p", "linear momentum", (1, 0, 0), 0.0)


def _cut_spring(mech):
    mech.body("bar", 1.0, (1.5, 0.5, 0), (0.1, 0.1, 0.1))
    mech.joint("B", "rod", "bar", ct.Revolute((1, 0, 0), Z))
    mech.joint("D", "ground", "bar", ct.Revolute((2, 1, 0), Z))
    mech.joint_spring("s", "D", 1.0)
    mech.preferred_cut = ("D",)


ADD = {
    "locks": lambda m: m.lock("A"),
    "brakes": lambda m: m.brake("A", 0.5),
    "stops": lambda m: m.limit("A", lower=-2.0, upper=0.0),
    "docks": lambda m: m.dock("d", "ground", "rod", ct.Revolute((0, 9.0, 0), Z)),
    "impulses": lambda m: m.joint_impulse("hit", "A", 0.1, at=5.0),
    "breaking parts": lambda m: (m.lock("A"), m.breaks("lock A", moment=1e6)),
    "contacts": lambda m: m.contact("c", "rod", ct.Point((1, 0, 0)), "ground", ct.Plane((0, -9, 0), (0, 1, 0))),
    "contacts by functions": lambda m: m.contact_function("g", lambda q: 9.0 - q[0], normal=lambda q: [-1.0]),
    "switched constraints": lambda m: (m.drive("d", "A", 0.0), m.activate("d", at=5.0)),
    "switched forces": lambda m: (m.motor("m", "A", 1.0), m.activate("m", at=5.0)),
    "timed devices": lambda m: m.lock("A", at=0.0),
    "load-dependent friction": lambda m: m.friction("A", coefficient=0.1, radius=0.01),
    "laws with states": lambda m: m.motor("m", "A", ct.Law(lambda angle, s: (s - angle, -s), states={"s": 0.1})),
    "sampled laws": lambda m: m.motor("m", "A", ct.Law(lambda angle: -angle, period=0.01)),
    "switching laws": lambda m: m.motor("m", "A", ct.Law(lambda up: -0.1 * up, switching={"up": lambda rate: rate + 9})),
    "controllers": lambda m: m.pid("c", "A", target=-1.0, kp=1.0, kd=0.1),
    "functions of the state": lambda m: m.motor("m", "A", slow),
    "laws over time": lambda m: m.motor("m", "A", ct.Harmonic(0.1, 1.0)),
    "user functions": lambda m: m.motor("m", "A", lambda t: 0.1 * t),
    "user rows": _user_rows,
    "non-holonomic rows": _knife,
    "conserved quantities": _conserved,
    "drives": lambda m: m.drive("d", "A", 0.0),
    "springs": lambda m: m.spring("s", "ground", (0, 1, 0), "rod", (1, 0, 0), 1.0),
    "loads": lambda m: m.force("f", "rod", (0.0, 9.81, 0.0), (0, -0.5, 0)),
    "force elements": lambda m: m.rope("r", "ground", (0, 1, 0), "rod", (1, 0, 0), 10.0, length=1.0),
    "beams": lambda m: m.beam("b", (0, 0, 0), (1, 0, 0), ct.Section([1e3] * 6, 1.0, (0.1, 0.1, 0.1)), 1, start_on="rod"),
    "springs on cut joints": _cut_spring,
}  # fmt: skip


@cache
def system_with(feature):
    mech = pendulum()
    ADD[feature](mech)
    return mech.compile()


def names_of(features):
    return {feature: features.elements(feature) for feature in features}


@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_is_noted(feature):
    features = system_with(feature).features
    assert feature in features
    assert features.elements(feature)
    assert feature not in pendulum().compile().features
    assert f"{feature}: {FEATURES[feature].meaning}" in str(features)
    assert "pendulum" in repr(features)
    assert features & {feature} == {feature}


def test_systems_without_features_have_none():
    features = pendulum().compile().features
    assert (len(features), str(features), repr(features)) == (0, "", "<features of 'pendulum': none>")


def test_many_elements_are_counted():
    mech = pendulum()
    for k in range(5):
        mech.force(f"f{k}", "rod", (0, 0, 0))
    assert str(Features(mech)).endswith("(force 'f0', force 'f1', force 'f2' and 2 more)")


@pytest.mark.parametrize("name", CONSUMERS)
def test_declarations_are_said_in_one_wording(name):
    consumer = CONSUMERS[name]
    for feature in FEATURES:
        features = system_with(feature).features
        texts = [text for verdict, text in consumer.objections(features) if verdict == consumer.verdict(feature)]
        word = consumer.verdict(feature).word
        if word == "handles":
            assert not texts
        else:
            verb = "does not know" if word == "refuses" else "leaves out"
            assert texts[0].startswith(f"{name} {verb} ")
            assert feature in texts[0]
            assert "of mechanism 'pendulum' (" in texts[0]
            assert texts[0].endswith(consumer.verdict(feature).reason)


def run(system):
    return ct.simulate(system, 0.01, step=0.005, output=2, progress=False)


def along(system):
    ct.linearize_along(ct.simulate(system, 0.01, step=0.005, output=2, progress=False), times=[0.01])


CALLS = {
    "ct.simulate": run,
    "ct.simulate_many": lambda s: ct.simulate_many(s, 0.01, q=[s.q0, s.q0], step=0.005, output=2, threads=1),
    "ct.Stepper": lambda s: ct.Stepper(s, 0.005).step(),
    "ct.BatchStepper": lambda s: ct.BatchStepper(s, 0.005, count=2).step(),
    "ct.equilibrium": ct.equilibrium,
    "ct.linearize": ct.linearize,
    "ct.linearize_along": along,
    "ct.steady_motion": ct.steady_motion,
    "ct.residual": ct.residual,
    "ct.jacobian": ct.jacobian,
    "ct.dynamics_function": ct.dynamics_function,
    "ct.sensitivities": lambda s: ct.sensitivities(s, 0.01, parameters=["rod.mass"]),
    "ct.theory.inverse_dynamics_second_derivatives": lambda s: ct.theory.inverse_dynamics_second_derivatives(
        s, s.q0, np.zeros(s.nv), np.zeros(s.nv)
    ),
    "method 'rattlie'": lambda s: ct.simulate(
        s.mechanism.compile(coordinates="absolute"), 0.01, step=0.005, method="rattlie", output=2
    ),
    "an implicit method": lambda s: ct.simulate(s, 0.01, step=0.005, method="generalized-alpha", output=2),
    "formulation 'odca'": lambda s: ct.simulate(s, 0.01, step=0.005, formulation="odca", output=2),
    "MJCF": lambda s: mjcf_text(s.mechanism),
    "URDF": lambda s: urdf_text(s.mechanism),
}


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("name", CALLS)
def test_each_pair(name, feature):
    """What is refused raises, what is left out is warned of, and all else runs."""
    system, consumer = system_with(feature), CONSUMERS[name]
    expected = consumer.objections(system.features)
    if name in BY_RUNS:
        expected = [*expected, *CONSUMERS["ct.simulate"].objections(system.features)]
    refused = [(verdict, text) for verdict, text in expected if verdict.word == "refuses"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            CALLS[name](system)
            said = None
        except CotreeError as error:
            said = error
    if refused:
        assert isinstance(said, refused[0][0].error), said
        assert " does not know " in str(said)
    else:
        assert " does not know " not in str(said)
        if name not in OTHERWISE.get(feature, ()):
            assert said is None, said
    left_out = [
        str(w.message) for w in caught if issubclass(w.category, StudyWarning) and "leaves out" in str(w.message)
    ]
    if consumer.verdict(feature).word == "leaves out" and not refused and feature not in WAITING:
        assert any(text.startswith(f"{name} leaves out") and feature in text for text in left_out), left_out


BY_RUNS = {"ct.linearize_along", "method 'rattlie'", "an implicit method", "formulation 'odca'"}
WAITING = {
    "stops",
    "docks",
    "impulses",
    "breaking parts",
    "timed devices",
}  # they do not act at the state that is asked for
OTHERWISE = {
    "user rows": ("method 'rattlie'",),  # the functions are written for relative coordinates
    "conserved quantities": ("ct.sensitivities",),  # masses change the momentum: refused by parameter
}
