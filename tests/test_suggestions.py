"""Attributes that are not there, and what may have been meant by them."""

import copy
import pickle

import pytest

import cotree as ct
from cotree._suggested import Suggesting
from cotree.errors import MissingAttributeError
from tests.model.builders import pendulum, refused

PACKAGE = {
    "Hinge": "Revolute", "Fixed": "Weld", "Ball": "Spherical", "Slider": "Prismatic", "Screw": "Helical",
    "revolute": "Revolute", "mass_matrx": "mass_matrix", "forward_kinematics": "poses", "Model": "Mechanism",
}  # fmt: skip
OF_MECHANISM = {
    "friction": "brake",
    "bodis": "bodies",
    "mass_matrix": "ct.mass_matrix(...)",
    "simulate": "ct.simulate(...)",
}
OF_RUN = {"position": "q", "velocity": "v", "time": "t", "forces": "element(name)", "statuss": "status"}
OF_SYSTEM = {"coordinate_name": "coordinate_names", "forward_dynamics": "ct.forward_dynamics(...)"}


@pytest.mark.parametrize(("wrong", "right"), PACKAGE.items())
def test_words_of_other_programs(wrong, right):
    with refused(MissingAttributeError, f"module 'cotree' has no attribute {wrong!r}; did you mean {right!r}?"):
        getattr(ct, wrong)


def test_what_is_not_offered():
    for name in ("linearize", "contact", "equilibrium"):
        with refused(MissingAttributeError, "does not have it", "docs/limits.md"):
            getattr(ct, name)
    with refused(MissingAttributeError, "does not have it"):
        pendulum().contact  # noqa: B018
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
