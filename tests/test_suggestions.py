"""Attributes that are not there, and what may have been meant by them."""

import copy
import inspect
import pickle

import pytest

import cotree as ct
from cotree._suggested import Suggesting
from cotree.errors import ArgumentError, MissingAttributeError
from tests.model.builders import pendulum, refused

PACKAGE = {
    "FreeFlyer": "Free", "Floating": "Free", "com": "center_of_mass", "retract": "displace",
    "Hinge": "Revolute", "Fixed": "Weld", "Ball": "Spherical", "Slider": "Prismatic", "Screw": "Helical",
    "revolute": "Revolute", "mass_matrx": "mass_matrix", "forward_kinematics": "poses", "Model": "Mechanism",
    "collision": "Mechanism().contact",
}  # fmt: skip
OF_MECHANISM = {
    "armature": "joint_inertia",
    "prescribe": "drive",
    "bodis": "bodies",
    "mass_matrix": "ct.mass_matrix(...)",
    "simulate": "ct.simulate(...)",
}
OF_RUN = {
    "positions": "q", "velocities": "v", "time": "t", "forces": "element(name)", "statuss": "status",
    "angle": "joint(name).angle", "force": "element(name).force", "trajectory": "point(body, point).position",
}  # fmt: skip
OF_SYSTEM = {"coordinate_name": "coordinate_names", "forward_dynamics": "ct.forward_dynamics(...)"}


@pytest.mark.parametrize(("wrong", "right"), PACKAGE.items())
def test_words_of_other_programs(wrong, right):
    with refused(MissingAttributeError, f"module 'cotree' has no attribute {wrong!r}; did you mean {right!r}?"):
        getattr(ct, wrong)


def test_what_is_not_offered():
    with refused(MissingAttributeError, "does not have it", "docs/limits.md"):
        ct.flexible  # noqa: B018
    with refused(MissingAttributeError, "does not have it"):
        pendulum().flexible  # noqa: B018
    with refused(MissingAttributeError, "dir(cotree) lists"):
        ct.zzzzzzzz  # noqa: B018


def test_of_objects():
    mech = pendulum()
    run = ct.simulate(mech, 0.01)
    for thing, words in ((mech, OF_MECHANISM), (run, OF_RUN), (run.system, OF_SYSTEM)):
        for wrong, right in words.items():
            with refused(MissingAttributeError, f"no attribute {wrong!r}; did you mean {right!r}?"):
                getattr(thing, wrong)
        assert not hasattr(thing, "zzzzzzzz")
        assert not hasattr(thing, "_ipython_canary_method_should_not_exist_")
    assert copy.copy(mech).name == mech.name
    assert pickle.loads(pickle.dumps(mech)).name == mech.name


def test_errors_within_properties_are_seen():
    class Broken(Suggesting):
        @property
        def value(self):
            return None.nothing

    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'nothing'"):
        Broken().value  # noqa: B018


MECHANISM_CALLS = {
    "simulate has no argument 'tend'; did you mean 't_end'?": lambda m: ct.simulate(m, tend=1.0),
    "simulate has no argument 'dt'; did you mean 'step'?": lambda m: ct.simulate(m, 1.0, dt=1e-3),
    "simulate has no argument 'tolernce'; it takes mechanism_or_system": lambda m: ct.simulate(m, 1.0, tolernce=1),
    "body has no argument 'centre'; did you mean 'com'?": lambda m: m.body("b", mass=1, centre=(0, 0, 0)),
    "motor has no argument 'torqe'; did you mean 'torque'?": lambda m: m.motor("m", "pivot", torqe=1.0),
    "compile has no argument 'coords'; did you mean 'coordinates'?": lambda m: m.compile(coords="absolute"),
    "Revolute has no argument 'pont'; did you mean 'point'?": lambda m: ct.Revolute(pont=(0, 0, 0)),
    "motor has no argument 'force'; did you mean 'torque'?": lambda m: m.motor("m", "A", force=3.0),
    "Prismatic has no argument 'direction'; did you mean 'axis'?": lambda m: ct.Prismatic(direction=(1, 0, 0)),
}


@pytest.mark.parametrize("words", MECHANISM_CALLS)
def test_keyword_arguments(words):
    with refused(ArgumentError, words):
        MECHANISM_CALLS[words](pendulum())


def test_other_type_errors_pass():
    """Errors from within are Python's own; a missing argument is named with the order of all that are needed."""
    with refused(ArgumentError, "simulate takes mechanism_or_system, t_end, ... in this order; t_end is missing"):
        ct.simulate(pendulum())

    def broken(t):
        raise TypeError("unexpected keyword argument 'x'")

    mech = pendulum()
    mech.motor("m", next(iter(mech.joints)), broken)
    with pytest.raises(TypeError, match="unexpected keyword argument 'x'"):
        ct.simulate(mech, 0.1)


def test_a_joint_with_its_own_arguments():
    """Keywords of an `__init__` that a user wrote are not refused."""

    class Geared(ct.Revolute):
        def __init__(self, ratio):
            super().__init__(point=(ratio, 0, 0))

    assert Geared(ratio=2.0).point == (2.0, 0.0, 0.0)


def test_options():
    system = pendulum().compile()
    with refused(ct.errors.ChoiceError, "choose one of", "(did you mean 'index1'?)"):
        ct.forward_dynamics(system, system.q0, formulation="index-1")


def test_old_names_warn():
    system = pendulum().compile()
    with pytest.warns(
        ct.errors.CotreeDeprecationWarning, match=r"ct\.mass_centre is now called ct\.center_of_mass"
    ) as seen:
        old = ct.mass_centre
    assert old is ct.center_of_mass
    assert seen[0].filename == __file__
    assert old(system, system.q0).position.shape == (3,)
    assert "mass_centre" not in dir(ct)


def test_every_method_of_a_mechanism_refuses_unknown_keywords_by_name():
    """Also those of kinds that come later: none is registered for it."""
    methods = {n: getattr(pendulum(), n) for n in dir(ct.Mechanism) if n[0] != "_"}
    taking = {n: m for n, m in methods.items() if callable(m) and inspect.signature(m).parameters}
    assert len(taking) > 45
    for name, method in taking.items():
        with refused(ct.errors.ArgumentError, f"{name} has no argument 'nonsense_of_mine'; it takes "):
            method(nonsense_of_mine=1)


def test_words_of_a_mechanism_and_results_by_name():
    with refused(ct.errors.ArgumentError, "Mechanism has no argument 'gravty'; did you mean 'gravity'?"):
        ct.Mechanism("x", gravty=(0, 0, -9.81))
    run = ct.simulate(pendulum(), 0.01)
    joint, body = run.system.joint_names[0], run.system.body_names[0]
    for name, words in (
        (joint, f"use run.joint({joint!r}) or run.reaction({joint!r})"),
        (body, f"use run.point({body!r})"),
        ("nothing", "use run.joint(name), run.point(body, point) or run.element(name)"),
        (0, "use run.q and run.v, whose rows belong to the times run.t"),
    ):
        with refused(ct.errors.ArgumentError, words):
            run[name]
    with refused(MissingAttributeError, "did you mean 'point(body, point).position'?"):
        _ = run.position


def test_errors_are_found_in_their_module():
    with pytest.raises(AttributeError, match=r"errors\.CotreeError"):
        _ = ct.CotreeError


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Spring", "Mechanism().spring"), ("Damper", "Mechanism().joint_damper"), ("Cable", "Mechanism().cable"),
        ("World", "Mechanism().ground"), ("Wheel", "Mechanism().rolling"), ("Solver", "simulate"),
        ("Motor", "Mechanism().motor"), ("Gear", "Mechanism().gear"), ("plot", "Run.plot"), ("show", "Run.html"),
        ("animate", "Run.movie"),
    ],
)  # fmt: skip
def test_names_that_are_methods(wrong, right):
    with refused(MissingAttributeError, f"did you mean {right!r}?"):
        getattr(ct, wrong)


def test_the_world_is_ground():
    with refused(ct.errors.UnknownNameError, "no body 'world'", "did you mean 'ground'?"):
        pendulum().joint("j", "world", next(iter(pendulum().bodies)), ct.Revolute())


def test_axes_by_letters():
    assert ct.Revolute((0, 0, 0), "z").axis == (0.0, 0.0, 1.0)
    assert ct.Prismatic(axis="-X").axis == (-1.0, 0.0, 0.0)
    with refused(ct.errors.ShapeError, "axis must be 3 numbers, got 'w'"):
        ct.Revolute((0, 0, 0), "w")
    with refused(ct.errors.ShapeError, "point must be 3 numbers, got 'z'"):
        ct.Revolute("z")


def test_arguments_that_are_missing():
    with refused(ArgumentError, "motor takes name, joint, torque, ... in this order; torque is missing"):
        pendulum().motor("A", 1.0)
    with refused(ArgumentError, "body_b and point_b and stiffness are missing"):
        pendulum().spring("s", "ground", (0, 0, 0))


def test_a_run_at_the_prompt_is_one_line():
    run = ct.simulate(pendulum(), 0.01)
    assert repr(run).startswith("<Run of '")
    assert "done, 0 to 0.01 s in" in repr(run)
    assert "\n" not in repr(run)


def test_masses_and_sizes_of_a_printed_mechanism():
    mech = ct.Mechanism("rods")
    for k, end in enumerate((600.0, 1200.0)):
        mech.body(f"rod {k}", shape=ct.Rod((end - 600.0, 0, 0), (end, 0, 0), 10.0), density=7850)
    mech.joint("A", "ground", "rod 0", ct.Revolute((0, 0, 0), "z"))
    mech.joint("B", "rod 0", "rod 1", ct.Revolute((600, 0, 0), "z"))
    assert "masses 1.48e+09 kg, 2.959e+09 kg in all; joints 600 m apart>" in str(mech)
    assert str(ct.Mechanism("none")) == repr(ct.Mechanism("none"))
