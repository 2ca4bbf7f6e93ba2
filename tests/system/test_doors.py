"""What public functions take as their first argument, as times and as choices; what they refuse, and by which words."""

import inspect
from functools import partial

import numpy as np
import pytest

import cotree as ct
from cotree.errors import (
    ArgumentError,
    ChoiceError,
    ConstraintError,
    CoordinatesError,
    CotreeError,
    EventError,
    ForceError,
    MassError,
    ModelError,
    ShapeError,
    SwitchError,
    UnknownNameError,
)
from cotree.io import import_mjcf, import_sdf, import_urdf
from cotree.model.checks import floats, shown
from tests.model.builders import four_bar, pendulum, refused

Q, V = np.zeros(3), [0.1, 0.2, 0.3]
OF_SYSTEM = {  # the other arguments of each function whose first one is a system
    "accelerations": (V, V), "actuator_forces": (), "assemble": (), "block_matrices": (V,), "body_jacobian": ("crank",),
    "christoffel": (), "energy_by_body": (V,), "momentum_by_body": (V,),
    "consistent_velocity": (V,), "constraint_bias": (V,), "constraint_jacobian": (), "constraint_jacobian_rate": (V,),
    "constraint_rate": (), "constraint_residual": (), "coordinate_rates": (V,), "coriolis_matrix": (V,),
    "displace": (V,), "energy": (V,), "equilibrium": (), "inverse_kinematics": (), "forward_dynamics": (V,),
    "forward_dynamics_derivatives": (V,), "inverse_dynamics_derivatives": (V,), "linearize": (), "steady_motion": (),
    "inverse_dynamics_second_derivatives": (V,), "energy_derivatives": (V,),
    "reading_derivatives": (lambda s: s.joint("A").rate,),
    "parameter_derivatives": (V, ["crank.mass"]),
    "handle_equations": (V, ["crank"]), "joint_gaps": (), "joint_spaces": ("A",),
    "inverse_dynamics": (V,), "is_holonomic": (), "jacobian_derivative": (V, "crank"),
    "jacobian_partials": ("crank",), "jacobian_second_partials": ("crank",), "center_of_mass": (V,), "mass_matrix": (),
    "mobility": (), "momentum": (V,), "normalize": (), "object_of_nonholonomy": (), "poses": (),
    "projection_lengths": (), "reduced": (V,), "redundant_rows": (), "spatial_jacobian": ("crank",),
    "transition": (V,), "twists": (V,), "measure": (V,), "self_stress": (),
}  # fmt: skip
NOT_AFTER_Q = {"inverse_kinematics": {"crank": np.eye(4)}}  # what comes before q
OPTIONS = {"actuator_forces": {"actuators": ["A"]}}


def result(name, first):
    if name in NOT_AFTER_Q:
        return public(name)(first, NOT_AFTER_Q[name], Q).q
    return public(name)(first, Q, *OF_SYSTEM[name], **OPTIONS.get(name, {}))


def public(name):
    """A function of the package, or of its theory."""
    return getattr(ct.theory if name in ct.theory.__all__ else ct, name)


def numbers(x):
    """Something of a result that can be compared."""
    for part in ("dq", "A", "v_dot", "forces", "Z", "D", "free", "kinetic", "position", "K", "v", "local", "potential"):
        x = getattr(x, part, x)
    if hasattr(x, "joints"):
        return np.concatenate(list(x.joints.values()))
    if isinstance(x, dict) and all(isinstance(y, np.ndarray) for y in x.values()):
        return np.array(list(x.values()))
    return list(x.items()) if isinstance(x, dict) else x


def test_all_functions_of_a_system_are_here():
    every = {n: getattr(ct, n) for n in ct.__all__} | {n: getattr(ct.theory, n) for n in ct.theory.__all__}
    named = {n for n, f in every.items() if next(iter(inspect.signature(f).parameters), "") == "system"}
    not_of_states = {"Run", "Sensors", "simulate_many", "dynamics_function", "residual", "jacobian", "least_effort"}
    assert named - not_of_states == OF_SYSTEM.keys() - {"mobility"}


@pytest.mark.parametrize("name", OF_SYSTEM)
def test_functions_take_a_mechanism(name):
    mech = four_bar()
    np.testing.assert_array_equal(numbers(result(name, mech)), numbers(result(name, mech.compile())))


@pytest.mark.parametrize("name", OF_SYSTEM)
@pytest.mark.parametrize("first", [None, 1.0, np.zeros(3), ct.Revolute(), ct.System], ids=type)
def test_functions_refuse_anything_else(name, first):
    with refused(ArgumentError, f"{name} needs a Mechanism or a System", f"call it as {name}("):
        result(name, first)


def test_the_first_argument_may_be_named_and_the_others_may_be_missing():
    mech = pendulum()
    np.testing.assert_array_equal(ct.mass_matrix(system=mech, q=[0.0]), ct.mass_matrix(mech.compile(), [0.0]))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'q'"):
        ct.mass_matrix(mech)
    assert str(inspect.signature(ct.poses)).startswith("(system")
    assert ct.poses.__doc__


def test_arguments_in_another_order():
    mech = four_bar()
    with refused(ArgumentError, "got 1.0", "simulate(mechanism_or_system, t_end, q, ...)"):
        ct.simulate(1.0, mech)
    with refused(ArgumentError, "got 'four_bar.json'", "read a file with ct.load first"):
        ct.simulate("four_bar.json", 1.0)
    with refused(ArgumentError, "assembly_plan(mechanism_or_system)"):
        ct.theory.assembly_plan(3)
    with refused(ModelError, "'coupler' is not a joint", "joint(name, parent, child, joint)"):
        mech.joint("x", ct.Revolute(), "crank", "coupler")


TIMED = [n for n in OF_SYSTEM if "t" in inspect.signature(getattr(ct, n)).parameters and n not in NOT_AFTER_Q]


@pytest.mark.parametrize("name", TIMED)
def test_times(name):
    assert len(TIMED) > 10
    system, rest, options = four_bar().compile(), OF_SYSTEM[name], OPTIONS.get(name, {})
    for t in ("x", None, [1.0, 2.0], float("nan"), np.inf, 10**400, True, 1j):
        with refused(ShapeError, "t is", "give a time in seconds"):
            public(name)(system, Q, *rest, **options, t=t)
    public(name)(system, Q, *rest, **options, t=np.float32(0.5))
    place = list(inspect.signature(public(name)).parameters).index("t")
    if place == 2 + len(rest):
        with refused(ShapeError, "t is 'x'"):
            public(name)(system, Q, *rest, "x")
        public(name)(system, Q, *rest, 0.5)


ODD = (np.array(["a", "b"]), ["SE3"], None, 3, {}, np.zeros(0))


@pytest.mark.parametrize("odd", ODD, ids=shown)
def test_choices_that_are_not_words(odd):
    mech = four_bar()
    system = mech.compile()
    for option in ("method", "formulation", "stabilize", "transitions"):
        with refused(ChoiceError, f"{option} is", "choose one of"):
            ct.simulate(system, 0.1, **{option: odd})
    for option in ("coordinates", "group"):
        with refused(CoordinatesError, f"{option} is"):
            mech.compile(**{option: odd})
    with refused(CoordinatesError, "Spherical has no coordinates"):
        ct.Spherical(coordinates=odd)
    with refused(ChoiceError, "form is"):
        ct.transition(system, Q, V, form=odd)
    with refused(ChoiceError, "branches is"):
        ct.consistent_velocity(system, Q, V, branches=odd)
    with refused(ForceError, "force 'f': frame is"):
        mech.force("f", "crank", (1, 0, 0), frame=odd)
    if odd is not None:
        with refused(ArgumentError, "partition is"):
            ct.simulate(system, 0.1, stabilize="partition", partition=[odd])


def test_flags_are_true_or_false():
    """ "no" counted as true."""
    mech = four_bar()
    system = mech.compile()
    with refused(ChoiceError, "regularize is 'no'", "give True or False"):
        mech.compile(regularize="no")
    with refused(ChoiceError, "regularized is 1"):
        ct.constraint_residual(system, Q, regularized=1)
    with refused(ChoiceError, "least_squares is"):
        ct.actuator_forces(system, Q, actuators=["A"], least_squares="yes")
    with refused(ChoiceError, "event 'e': terminal is"):
        ct.Event(lambda t: t, "e", terminal="yes")
    grid = np.eye(3)
    with refused(ChoiceError, "strict is array"):
        ct.simulate(system, 0.1, strict=grid)
    with refused(ChoiceError, "progress is 'no'"):
        ct.simulate(system, 0.1, progress="no")
    with refused(ChoiceError, "progress is 'no'"):
        ct.simulate(system, 0.01, output=2, progress=False).resume(0.02, progress="no")
    for name in ("model.json", "model.urdf"):  # before it is seen whether the file exists
        with refused(ChoiceError, "limits is array"):
            ct.load(name, limits=grid)
        with refused(ChoiceError, "floating is 'no'"):
            ct.load(name, floating="no")
    for read in (import_urdf, import_sdf, import_mjcf):
        with refused(ChoiceError, "floating is array"):
            read("model", floating=grid)
    with refused(ChoiceError, "limits is 1"):
        import_mjcf("model.xml", limits=1)
    with refused(ArgumentError, "the path is 5"):
        import_mjcf(5)
    with refused(ModelError, "the name of a mechanism must be a string, got 5"):
        ct.Mechanism(5)
    assert mech.compile(regularize=np.False_).n_constraints > system.n_constraints


def test_lists_of_names():
    mech = four_bar()
    system = mech.compile()
    with refused(ArgumentError, "fixed is 5", "a list of names"):
        ct.assemble(system, Q, fixed=5)
    with refused(ArgumentError, "fixed: ['A'] is not a name"):
        ct.assemble(system, Q, fixed=[["A"]])
    with refused(ArgumentError, "cut is 5"):
        mech.compile(cut=5)
    with refused(ArgumentError, "activate is None"):
        ct.transition(system, Q, V, activate=None)
    with refused(ArgumentError, "actuators is 1.5"):
        ct.actuator_forces(system, Q, actuators=1.5)
    with refused(ArgumentError, "events is 7"):
        ct.simulate(system, 0.1, events=7)
    assert mech.compile(cut=mech.joints["B"]).cut_joints == ("B",)


@pytest.mark.parametrize("name", [["x"], {}, None, np.zeros(2), 5, ""], ids=shown)
def test_names_that_are_not_texts(name):
    mech = four_bar()
    mech.lock("A", at=0.5)
    for make in (
        lambda: mech.body(name, 1.0), lambda: mech.joint(name, "crank", "rocker", ct.Weld()),
        lambda: mech.motor(name, "A", 1.0), lambda: mech.gear(name, "A", "B", 1.0),
        lambda: mech.constraint(name, lambda q: [[1, 0, 0]]),
        lambda: mech.dock(name, "crank", "rocker", ct.Weld()),
    ):  # fmt: skip
        with refused(ModelError, "must be a non-empty string"):
            make()
    for act in (
        (mech.lock, partial(mech.brake, torque=1.0), partial(mech.limit, lower=-9.0)) if name is not None else ()
    ):
        with refused(ModelError, "must be a non-empty string"):
            act(joint="B", name=name)
    for make in (lambda: mech.unlock(name, at=1.0), lambda: mech.deactivate(name, at=1.0)):
        with refused(UnknownNameError, "of that name"):
            make()
    if not isinstance(name, str):
        with refused(EventError, "must be a string"):
            ct.Event(lambda t: t, name)
        with refused(ForceError, "say which with coordinate="):
            spherical().motor("m", "S", 1.0, coordinate=name)


def spherical():
    mech = ct.Mechanism("ball")
    mech.body("b", 1.0, (1, 0, 0), (1, 1, 1))
    mech.joint("S", "ground", "b", ct.Spherical())
    return mech


def test_numbers_that_are_none():
    class NoFloat:
        def __float__(self):
            raise RuntimeError

    masked = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    for value in (
        True,
        np.ones(3, dtype=bool),
        masked,
        np.ma.masked,
        10**400,
        [10**400],
        NoFloat(),
        [NoFloat()],
        None,
        1j,
    ):
        assert floats(value) is None
    np.testing.assert_array_equal(floats(np.ma.array([1.0, 2.0], mask=[0, 0])), [1.0, 2.0])
    with refused(ShapeError, "body 'x': mass must be a number, got 1000"):
        ct.Mechanism().body("x", mass=10**400)
    for value in (2**70, 1e308, True):
        with refused(ShapeError, "restarts is", "an integer from 0 to"):
            ct.assemble(four_bar(), Q, restarts=value)
    with refused(ShapeError, "rtol is 1000"):
        ct.simulate(pendulum(), 1.0, rtol=10**400)
    with refused(ConstraintError, "constraint 'c': rows is 1000000000", "from 1 to 10000"):
        four_bar().constraint("c", lambda q: [[1, 0, 0]], rows=10**9)
    with refused(EventError, "when must be a function"):
        four_bar().lock("A", when=type("Odd", (), {"function": len, "direction": "up"})())
    with refused(SwitchError, "is not a joint"):
        four_bar().dock("d", "crank", "rocker", "weld")
    with refused(ArgumentError, "Mesh: path is 5"):
        ct.Mesh(5)
    with refused(ShapeError, "Rod: radius must be a number"):
        ct.Rod((0, 0, 0), (1, 0, 0), radius=np.zeros(3))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_of_time_and_sizes_beyond_numbers():
    with refused(ConstraintError, "drive 'd': rate must be a function of t alone"):
        pendulum_of(lambda m, j: m.drive("d", j, lambda t: t, rate=lambda q, v, t: 0.0))
    with refused(ConstraintError, "drive 'd': motion must be a function of t alone"):
        pendulum_of(lambda m, j: m.drive("d", j, lambda: 0.0))
    pendulum_of(lambda m, j: m.drive("d", j, np.sin))
    far, long = ct.Box((0, 0, 0), (1e200, 1, 1)), ct.Cylinder((0, 0, 0), (1, 0, 0), 1e200)
    for shape in (ct.Sphere((0, 0, 0), 1e200), far, long):
        with refused(MassError, type(shape).__name__, "not finite"):
            shape.mass_properties(1e3)


def pendulum_of(add):
    mech = pendulum()
    add(mech, next(iter(mech.joints)))


def test_values_in_messages_are_short_and_safe():
    class NoRepr:
        def __repr__(self):
            raise RuntimeError

    assert shown(NoRepr()) == "an object of class NoRepr"
    assert len(shown("a" * 10**6)) == 200
    with refused(ShapeError, "an object of class NoRepr"):
        ct.poses(pendulum(), NoRepr())
    with refused(UnknownNameError, "no reaction at joint an object of class NoRepr"):
        ct.forward_dynamics(pendulum(), [0.0]).reaction(NoRepr())
    with refused(ShapeError, "inertia must be", "an object of class NoRepr"):
        pendulum().body("b", 1.0, (0, 0, 0), NoRepr())


MANY = {  # functions that take leading axes of q
    "accelerations", "body_jacobian", "center_of_mass", "christoffel", "constraint_bias", "constraint_jacobian",
    "constraint_jacobian_rate", "constraint_rate", "constraint_residual", "coordinate_rates", "coriolis_matrix", "displace",
    "energy", "forward_dynamics", "inverse_dynamics", "jacobian_derivative", "jacobian_partials", "jacobian_second_partials",
    "mass_matrix", "momentum", "normalize", "poses", "spatial_jacobian", "twists",
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in OF_SYSTEM if name not in NOT_AFTER_Q])
def test_many_states_are_taken_or_refused(name):
    """Two states: the second result is that of the second state, or an error of the package says what is wrong."""
    system, q = four_bar().compile(), np.array([[0.1, 0.2, 0.3], Q])
    arguments = OF_SYSTEM[name], OPTIONS.get(name, {})
    if name not in MANY:
        with pytest.raises(CotreeError):
            public(name)(system, q, *arguments[0], **arguments[1])
        return
    both = public(name)(system, q, *arguments[0], **arguments[1])
    alone = public(name)(system, Q, *arguments[0], **arguments[1])
    np.testing.assert_allclose(numbers(both)[1], numbers(alone), atol=1e-12)
