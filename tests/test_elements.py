"""Every element on its own: energy balance in explicit and implicit methods, sensor, files, picture, docs/elements.md."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError, RowsWarning
from cotree.io.native.function_names import names_of_functions
from cotree.model.functions import functions_of
from cotree.sensors.sampled import instants_between_rows
from cotree.view.movie.rendering import Renderer
from cotree.view.scene import scene_of
from cotree.view.scene.arrows import arrows
from cotree.view.scene.belts import tangents
from cotree.view.scene.frames import frames, still

ROOT = Path(__file__).resolve().parent.parent
TABLE = runpy.run_path(str(ROOT / "tools" / "element_table.py"))
ELEMENTS, bare, looks = TABLE["ELEMENTS"], TABLE["bare"], TABLE["looks"]
EXACT = {"rtol": 1e-11, "atol": 1e-11}
ROWS = {"cable": 401, "tyre": 401}  # for the work between them


@pytest.fixture(scope="module")
def runs():
    """One run of each, made when it is first asked for."""
    made = {}

    def run(name):
        if name not in made:
            one = ELEMENTS[name]()
            made[name] = one, ct.simulate(one.mech, one.t_end, v=one.v, output=ROWS.get(name, 201), **EXACT)
        return made[name]

    return run


@pytest.mark.parametrize("name", ELEMENTS)
def test_work_of_the_element_is_what_the_bodies_gain(name, runs):
    """Energy of bodies and gravity by a mechanism without the element; work by the sensor, balance by the run."""
    one, run = runs(name)
    assert run.status == "done"
    assert np.abs(run.energy.balance).max() < 1e-8
    system = bare(one.mech).compile()
    e = np.array([ct.energy(system, q, v).total for q, v in zip(run.q, run.v, strict=True)])
    done = sum(run.element(n).work for n in ("it", "engine") if n == "it" or n in one.mech.joint_forces)
    lost = np.array([sum(event.energy_loss for event in run.events if event.t <= t) for t in run.t])
    assert np.abs(e - e[0] + lost - done).max() < 1e-6
    assert np.abs(done).max() + lost.max() > 0.02  # it acts
    it = run.element("it")
    force = np.linalg.norm(it.force.reshape(len(run.t), -1), axis=1)
    assert it.force.shape in {run.t.shape, (len(run.t), 3)}
    assert force.max() > 0.05
    assert np.all(np.isfinite(it.power))


@pytest.mark.parametrize("name", ["spring", "rope", "cable", "central_gravity", "bump_stop", "force_between"])
def test_lines_tell_their_length_and_rate(name, runs):
    """The rate is the slope of the length, and power is force times rate."""
    _, run = runs(name)
    it = run.element("it")
    slope = (it.length[2:] - it.length[:-2]) / (run.t[2:] - run.t[:-2])
    np.testing.assert_allclose(slope, it.rate[1:-1], atol=2e-3)
    sign = 1.0 if name in ("bump_stop", "force_between") else -1.0
    np.testing.assert_allclose(it.power, sign * it.force * it.rate, atol=1e-11)


def test_work_of_a_sampled_law_needs_a_row_at_each_instant(recwarn):
    """Rows that rounding puts beside an instant (120 / 800 is less than 3 * 0.05) show what is held from then on."""
    one = ELEMENTS["sampled_law"]()
    for rows, instants in ((401, 0), (11, 0), (6, 5), (38, 9)):
        run = ct.simulate(one.mech, 0.5, output=rows, **EXACT)
        recwarn.clear()
        done = run.element("it").work[-1]
        said = [str(w.message) for w in recwarn if w.category is RowsWarning]
        assert len(said) == (instants > 0)
        assert all(f"was sampled {instants} times between output rows" in text for text in said)
        assert (abs(done - run.energy.supplied[-1]) < 1e-9) == (instants == 0)
    assert instants_between_rows(run, "none") == 0


@pytest.mark.parametrize("name", ELEMENTS)
def test_a_file_keeps_it(name, runs, tmp_path):
    one, run = runs(name)
    ct.save(one.mech, tmp_path / "it.json")
    names = names_of_functions(one.mech)
    functions = {names[id(use.function)]: use.function for use in functions_of(one.mech)}
    again = ct.load(tmp_path / "it.json", functions=functions)
    t = run.t[:11]
    other = ct.simulate(again, t[-1], v=one.v, output=t, **EXACT)
    np.testing.assert_allclose(other.q, run.q[:11], atol=1e-10)
    np.testing.assert_allclose(other.element("it").force, run.element("it").force[:11], atol=1e-7)


@pytest.mark.parametrize("name", ELEMENTS)
def test_a_picture_shows_it(name, runs):
    """It is drawn, with an arrow where it has a force at points of bodies, and the pixels differ from those without it."""
    one, run = runs(name)
    assert looks(run) == LOOKS[name]
    if looks(run) != ["arrow"]:
        shown, without = (picture(mech) for mech in (one.mech, bare(one.mech)))
        assert np.any(np.abs(shown.astype(int) - without.astype(int)) > 20)


def picture(mech):
    """Pixels of the reference assembly."""
    system = mech.compile()
    return Renderer(scene_of(system, still(system, system.q0)), 120, 80).image(0.0)


LOOKS = {
    "spring": ["spring", "arrow"], "nonlinear_spring": ["spring", "arrow"], "rope": ["rope", "arrow"],
    "bump_stop": ["bump stop", "arrow"], "force_between": ["actuator", "arrow"], "actuator": ["actuator", "arrow"],
    "cable": ["cable", "arrow"], "belt": ["belt", "arrow"], "bushing": ["bushing", "arrow"], "tyre": ["tyre", "arrow"],
    "force": ["arrow"], "torque": ["arrow"], "drag": ["arrow"], "central_gravity": ["arrow"],
    "joint_spring": ["joint spring"], "nonlinear_joint_spring": ["joint spring"], "joint_damper": ["joint damper"],
    "motor": ["motor"], "motor_curve": ["motor"], "pid": ["motor"], "law": ["motor"], "sampled_law": ["motor"],
    "joint_inertia": ["motor"], "drive": ["drive"], "friction": ["brake"], "loaded_friction": ["brake"],
    "brake": ["brake"], "limit": ["limit"],
}  # fmt: skip


@pytest.mark.parametrize("name", ELEMENTS)
def test_the_page_has_it(name, runs):
    assert TABLE["row"](name, *runs(name)) in TABLE["PAGE"].read_text(encoding="utf-8"), (
        "run python tools/element_table.py"
    )


def turned(e, angle):
    """A vector turned about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ e


def test_arrows_are_the_forces(runs):
    """The sum of the arrows on a body does the power that the sensor reads."""
    for name in ("cable", "drag", "central_gravity", "rope", "nonlinear_spring"):
        _, run = runs(name)
        drawn = [a for a in arrows(run, frames(run), ["it"]) if run.system.body_names[a.body - 1] == "ball"]
        power = np.einsum("ki,ki->k", sum(a.vectors for a in drawn), run.v)
        assert np.abs(power - run.element("it").power).max() < 1e-9
    _, run = runs("belt")
    first, second = arrows(run, frames(run), ["it"])
    assert (first.unit, second.unit) == ("N m", "N m")
    power = np.einsum("ki,k->k", first.vectors, run.joint("A").rate) + second.vectors[:, 2] * run.joint("B").rate
    assert np.abs(power - run.element("it").power).max() < 1e-9
    _, run = runs("bushing")
    (one,) = arrows(run, frames(run), ["it"])
    np.testing.assert_allclose(one.vectors, run.element("it").force)
    np.testing.assert_allclose(one.point, (-0.2, 0, 0), atol=1e-12)


def test_strands_touch_the_pulleys():
    """Both ends lie on the circles, and the strand is normal to the radii there; a crossed belt passes between them."""
    p, o, axis = np.zeros(3), np.array([0.5, 0.2, 0.0]), np.array([0.0, 0.0, 1.0])
    for r, s in ((0.1, 0.05), (0.1, -0.05)):
        found = tangents(p, o, axis, r, s)
        for a, b in found:
            assert np.linalg.norm(a - p) == pytest.approx(abs(r))
            assert np.linalg.norm(b - o) == pytest.approx(abs(s))
            assert abs((b - a) @ (a - p)) + abs((b - a) @ (b - o)) < 1e-14
        sides = [np.cross(o - p, b - p)[2] * np.cross(o - p, a - p)[2] for a, b in found]
        assert all(x > 0 for x in sides) == (s > 0)
    assert tangents(p, 0.1 * axis, axis, 0.1, 0.05) == []
    assert tangents(p, o / 20, axis, 0.1, 0.05) == []


def test_pegs_are_where_the_arm_would_be(runs):
    _, run = runs("limit")
    found = frames(run)
    (stop,) = [x for x in scene_of(run.system, found).drawing.fittings if x["name"] == "it"]
    (peg,) = stop["parts"]
    middle = (np.array(peg["a"]) + peg["b"]) / 2 + found.origin
    np.testing.assert_allclose(middle / np.linalg.norm(middle), turned(np.array([1.0, 0, 0]), -0.5), atol=1e-6)


# length of the run and step of generalized-alpha; laws in Python cost more a step
PLANS = {
    "actuator": (0.01, 1e-4), "force_between": (0.02, 1e-4), "pid": (0.02, 1e-4), "law": (0.02, 5e-5),
    "tyre": (0.05, 5e-5), "rope": (0.05, 4e-5), "cable": (0.05, 5e-5), "bushing": (0.05, 5e-5),
}  # fmt: skip
NOT_IMPLICIT = ("loaded_friction",)


@pytest.mark.parametrize("name", [name for name in ELEMENTS if name not in NOT_IMPLICIT])
def test_balance_of_an_implicit_method_closes_to_second_order(name):
    """Work and motion are of the same order: half the step leaves a quarter, and 1e-8 of the energy is reached."""
    t_end, step = PLANS.get(name, (0.05, 1e-4))
    left = []
    for h in (step, step / 2):
        one = ELEMENTS[name]()
        run = ct.simulate(one.mech, t_end, v=one.v, method="generalized-alpha", step=h, output=3, **EXACT)
        assert run.status == "done"
        left.append(np.abs(run.energy.balance).max() / max(1.0, run.energy.kinetic.max()))
    assert left[1] < 1e-8
    if name != "limit":  # the instant of an impact lies elsewhere in the step
        assert left[0] / left[1] == pytest.approx(4.0, abs=0.1)


def test_one_element_is_not_for_the_implicit_method():
    one = ELEMENTS["loaded_friction"]()
    with pytest.raises(ChoiceError, match="does not know load-dependent friction"):
        ct.simulate(one.mech, 0.1, method="generalized-alpha", step=1e-3)
