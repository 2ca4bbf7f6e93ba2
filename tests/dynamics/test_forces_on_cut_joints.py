"""Motors, springs and dampers on joints that are cut: the same motion and the same reactions as with the joint in the tree."""

import warnings

import numpy as np
import pytest

import cotree as ct
from cotree.errors import EquilibriumError, ForceError, RunWarning, StudyWarning
from tests.closed_mechanisms import X, Z, closed_pose, random_loop, single_loop, slider_crank
from tests.descriptions import same_state, worst_difference
from tests.random_mechanisms import error

FORMULATIONS = ("index1", "projection", "voronets", "odca")
MEASURED = {  # coordinates that can be measured across a cut joint, and those of them that may have a spring
    "Revolute": ((None,), (None,)),
    "Prismatic": ((None,), (None,)),
    "Helical": ((None,), (None,)),
    "Cylindrical": (("wz", "vz"), ("wz", "vz")),
    "Planar": (("wz",), ("wz",)),
    "PlanarTranslation": (("vx", "vy"), ("vx", "vy")),
    "Translation": (("vx", "vy", "vz"), ("vx", "vy", "vz")),
    "Schoenflies": (("wz",), ("wz",)),
}
ACTING = {
    "motor": lambda mech, joint, which: mech.motor("push", joint, -3.0, which),
    "motor of time": lambda mech, joint, which: mech.motor("push", joint, lambda t: 4.0 * np.cos(t), which),
    "damper": lambda mech, joint, which: mech.joint_damper("push", joint, 2.5, which),
    "spring": lambda mech, joint, which: mech.joint_spring("push", joint, 40.0, 0.15, which),
}


def force_all(mech, joint, kind):
    """Every kind of force on every coordinate of a joint that may have it."""
    rates, coordinates = MEASURED[kind]
    for k, which in enumerate(rates):
        mech.motor(f"motor {joint} {k}", joint, lambda t, k=k: 3.0 + k - 2.0 * t, which)
        mech.joint_damper(f"damper {joint} {k}", joint, 0.7 + k, which)
    for k, which in enumerate(coordinates):
        mech.joint_spring(f"spring {joint} {k}", joint, 20.0 + 3.0 * k, 0.1, which)


def rsup():
    """R S U P: a loop without redundancy, all reactions unique; a lump is welded to its rod."""
    data = single_loop(
        [
            ("Revolute", (0, 0, 0), X), ("Spherical", (0, 0, 0.2)),
            ("Universal", (1, 0.4, 0), Z, (0, 1, 0)), ("Prismatic", (1, 0.4, 0), X),
        ]
    )  # fmt: skip
    mech = data.mechanism()
    mech.body("lump", 2.0, (0.5, 0.5, 0.4), (0.1, 0.15, 0.2))
    mech.joint("weld", "lump", "b1", ct.Weld())
    return mech


def spatial_four_bar(first="Helical", coordinates="group"):
    """A screw or another joint and three cylindrical ones about axes in general position: one dof, all reactions unique."""
    rng = np.random.default_rng(8)
    where = [(np.round(rng.normal(size=3), 3), rng.normal(size=3)) for _ in range(4)]
    data = single_loop([(first, *where[0], None, 0.3), *(("Cylindrical", *w) for w in where[1:])])
    return data.with_joints(coordinates=coordinates).mechanism()


def state_of(system, seed, size=0.3):
    rng = np.random.default_rng(seed)
    q = closed_pose(system, rng, size)
    return q, ct.consistent_velocity(system, q, rng.normal(size=system.nv))


def ways(mech, *cuts):
    """The mechanism with each of some joints cut, and in absolute coordinates on both groups."""
    return [
        *(mech.compile(cut=[name]) for name in cuts), mech.compile(cut=list(cuts), regularize=False),
        mech.compile("absolute"), mech.compile("absolute", group="SO3xR3", regularize=False),
    ]  # fmt: skip


def accelerations(found):
    a = ct.accelerations(found.system, found.q, found.v, found.v_dot, "spatial")
    return dict(zip(("ground", *found.system.body_names), a, strict=True))


def check(system, q, v, others, t=0.4, tolerance=1e-8):
    """Accelerations and energy of the other descriptions are those of `system`; so are the reactions that are unique."""
    expected = ct.forward_dynamics(system, q, v, formulation="projection", t=t)
    A, free = accelerations(expected), set(expected.undetermined)
    size = max(1.0, *(np.abs(W).max() for W in expected.reactions.values()))
    energy = ct.energy(system, q, v)
    for other in others:
        x, u = same_state(other, system, q, v)
        assert ct.energy(other, x, u).total == pytest.approx(energy.total, abs=1e-9 * max(1.0, energy.kinetic))
        for formulation in FORMULATIONS:
            found = ct.forward_dynamics(other, x, u, formulation=formulation, t=t)
            assert worst_difference(accelerations(found), A) < tolerance, (other.cut_joints, formulation)
            for name, W in expected.reactions.items():
                near = np.abs(found.reactions[name] - W).max() < tolerance * size
                assert name in free or near, (other.cut_joints, formulation, name)
    return expected


# -- the same as in the tree -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("joint", "acting"), [(j, a) for j in ("j0", "j3") for a in ACTING if (j, a) != ("j0", "spring")]
)
def test_each_force_is_what_it_is_in_the_tree(joint, acting):
    mech = rsup()
    idle = mech.compile(cut=["j2"])
    ACTING[acting](mech, joint, None)
    system = mech.compile(cut=["j2"])
    q, v = state_of(system, 3)
    found = check(system, q, v, ways(mech, "j0", "j3"))
    assert found.unique
    without = ct.forward_dynamics(idle, q, v)
    assert error(found.v_dot, without.v_dot) > 1e-3  # it does something
    assert error(found.reactions[joint], without.reactions[joint]) > 1e-3


def test_all_forces_at_once():
    mech = rsup()
    force_all(mech, "j0", "Revolute")
    force_all(mech, "j3", "Prismatic")
    system = mech.compile(cut=["j2"])
    for seed in range(4):
        check(system, *state_of(system, seed), ways(mech, "j0", "j3", "j1"))


@pytest.mark.parametrize("coordinates", ["group", "second", "first", "cayley"])
@pytest.mark.parametrize("first", ["Helical", "Revolute"])
def test_screws_and_cylinders(first, coordinates):
    """A screw joint counts its turns, so that it may have a spring also where it is cut; a slide is measured in all kinds of
    coordinates."""
    mech = spatial_four_bar(first, coordinates)
    force_all(mech, "j0", first)
    turn, slide = ("wz", "vz") if coordinates == "group" else ("q1", "q2")
    mech.joint_spring("spring", "j2", 15.0, -0.2, slide)
    mech.joint_damper("damper", "j2", 1.5, slide)
    if coordinates != "cayley":  # half the tangent of an angle, which is not measured
        mech.motor("motor", "j2", 2.0, turn)
    system = mech.compile(cut=["j1"])
    found = check(system, *state_of(system, 2), ways(mech, "j0", "j2"))
    assert found.unique


def test_screw_after_many_turns():
    """A nut that has gone round three times pulls at the spring by all its way."""
    mech = ct.Mechanism("nut")
    mech.body("nut", 1.0, (0.2, 0, 0), (0.1, 0.1, 0.2))
    mech.joint("thread", mech.ground, "nut", ct.Helical((0, 0, 0), Z, 0.02))
    mech.joint_spring("spring", "thread", 3.0, 1.0)
    system = mech.compile()
    check(system, np.array([19.5]), np.array([0.7]), [mech.compile("absolute")])
    assert ct.energy(system, [19.5]).potential == pytest.approx(1.5 * 18.5**2 + 9.81 * 0.02 * 19.5)


@pytest.mark.parametrize("kind", MEASURED)
@pytest.mark.parametrize("seed", range(4))
def test_random_loops(seed, kind):
    """Two chains that meet in a joint with forces on all its coordinates, and a revolute with forces beside it; both are in
    the tree or cut. Redundant loops among them."""
    rng = np.random.default_rng([seed, *kind.encode()])
    families = [("spatial", "spatial"), ("schoenflies", "spatial"), ("planar", "planar"), ("spatial", "schoenflies")][
        seed
    ]
    mech = random_loop(rng, families, kind, (4, 4)).mechanism()
    mech.body("arm", 0.8, rng.normal(size=3), (0.1, 0.1, 0.1))
    mech.joint("elbow", "arm", "b13", ct.Revolute(rng.normal(size=3), rng.normal(size=3)))
    force_all(mech, "cut", kind)
    force_all(mech, "elbow", "Revolute")
    system = mech.compile(cut=["j00"])
    assert "cut" not in system.cut_joints
    q, v = state_of(system, seed, 0.2)
    check(system, q, v, [mech.compile(cut=["cut"]), *ways(mech, "cut", "elbow")[2:]], tolerance=1e-7)


def test_tree_in_absolute_coordinates():
    """Joints of a tree are cut, too, turned round and named like bodies."""
    mech = ct.Mechanism("arm")
    mech.body("plate", 1.0, (0.3, 0.1, 0), (0.1, 0.1, 0.2))
    mech.body("tip", 0.5, (1.0, 0.3, 0.2), (0.02, 0.03, 0.04))
    mech.joint("plate", mech.ground, "plate", ct.Planar((0, 0, 0), (0, 1, 1)))
    mech.joint("tip", "tip", "plate", ct.Revolute((0.6, 0, 0), X))
    mech.motor("spin", "plate", 1.5, "wz")  # plate.wz is a velocity of the free body, too
    mech.joint_damper("brake", "tip", 0.8)
    system = mech.compile()
    rng = np.random.default_rng(0)
    q, v = ct.displace(system, system.q0, rng.normal(size=system.nv)), rng.normal(size=system.nv)
    check(system, q, v, [mech.compile("absolute"), mech.compile("absolute", group="SO3xR3")])


def test_functions_of_the_state_read_the_coordinates_of_the_system():
    mech = rsup()
    system = mech.compile("absolute")
    row, asked = system.nv - 1, []

    def torque(t, q, v):
        asked.append((t, q.copy(), v.copy()))
        return 2.0 * v[row] - q[0]

    mech.motor("push", "j3", torque)
    system = mech.compile("absolute")
    q, v = state_of(system, 1)
    found = ct.forward_dynamics(system, q, v, t=0.25)
    assert asked[-1][0] == 0.25
    assert np.array_equal(asked[-1][1], q)
    assert np.array_equal(asked[-1][2], v)
    mech.joint_forces.clear()
    mech.motor("push", "j3", 2.0 * v[row] - q[0])
    assert error(found.v_dot, ct.forward_dynamics(mech.compile("absolute"), q, v).v_dot) < 1e-12


def test_the_motor_is_what_the_cut_joint_transmits_along_its_axis():
    """By hand: an arm at rest in absolute coordinates, with a motor that just carries its weight."""
    mech = ct.Mechanism("arm", gravity=(0, 0, -10))
    mech.body("arm", 2.0, (1.5, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("hinge", mech.ground, "arm", ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.motor("motor", "hinge", -30.0)
    system = mech.compile("absolute")
    for formulation in FORMULATIONS:
        found = ct.forward_dynamics(system, system.q0, formulation=formulation)
        assert np.abs(found.v_dot).max() < 1e-12
        assert np.allclose(found.reactions["hinge"], [0, -30, 0, 0, 0, 20])


def test_divided_and_dense_agree_off_the_closed_configurations():
    mech = rsup()
    force_all(mech, "j0", "Revolute")
    force_all(mech, "j3", "Prismatic")
    rng = np.random.default_rng(5)
    for system in ways(mech, "j0", "j3"):
        q, v = ct.displace(system, system.q0, 0.3 * rng.normal(size=system.nv)), rng.normal(size=system.nv)
        dense, divided = (ct.forward_dynamics(system, q, v, formulation=f, t=0.3) for f in ("index1", "odca"))
        assert error(divided.v_dot, dense.v_dot) < 1e-9
        assert error(divided.multipliers, dense.multipliers) < 1e-8


# -- books -----------------------------------------------------------------------------------------------------


def powered_four_bar():
    mech = ct.gallery.four_bar()
    mech.motor("motor", "C", 4.0)
    mech.joint_damper("damper", "C", 0.6)
    return mech


def powered_slider():
    """A slider-crank with all forces on its slide, whose work is measured by the way."""
    mech = slider_crank().mechanism()
    mech.motor("motor", "j3", lambda t: 20.0 * np.sin(5.0 * t))
    mech.joint_damper("damper", "j3", 1.2)
    mech.joint_spring("spring", "j3", 60.0, 0.1)
    return mech


@pytest.mark.parametrize("formulation", ["auto", "odca"])
@pytest.mark.parametrize(
    ("make", "joint", "other"), [(powered_four_bar, "C", "B"), (powered_slider, "j3", "j1")], ids=["four-bar", "slider"]
)
def test_books_of_energy(make, joint, other, formulation):
    """What motor and damper on the cut joint do is booked as it is in the tree."""
    words = {"rtol": 1e-11, "atol": 1e-11, "formulation": formulation, "output": 21}
    expected = ct.simulate(make().compile(cut=[other]), 1.0, **words)
    for system in (make().compile(cut=[joint]), make().compile("absolute")):
        assert joint in system.cut_joints
        run = ct.simulate(system, 1.0, **words)
        assert run.status == "done"
        assert np.abs(run.energy.balance).max() < 1e-8
        assert np.abs(run.energy.supplied).max() > 0.5
        assert run.energy.dissipated[-1] > 0.05
        assert np.abs(run.energy.supplied - expected.energy.supplied).max() < 1e-7
        assert np.abs(run.energy.dissipated - expected.energy.dissipated).max() < 1e-7
        assert np.abs(run.energy.potential - expected.energy.potential).max() < 1e-7


def test_work_of_friction_is_dissipated():
    """A slot marked as friction: the same motion, its work on the other side of the books."""
    runs = []
    for friction in (0, 1):
        mech = ct.gallery.four_bar()
        mech.motor("rub", "C", lambda t: -1.5 * np.cos(t))
        system = mech.compile("absolute")
        system.elements.joint_forces.setflags(write=True)
        system.elements.joint_forces["friction"] = friction
        runs.append(ct.simulate(system, 0.5, output=11))
    motor, rub = (run.energy for run in runs)
    assert np.array_equal(runs[0].v, runs[1].v)
    assert np.all(rub.supplied == 0.0)
    assert np.all(motor.dissipated == 0.0)
    assert np.abs(motor.supplied).max() > 0.1
    assert np.allclose(rub.dissipated, -motor.supplied, atol=1e-12)


def test_reactions_of_a_run():
    words = {"rtol": 1e-10, "atol": 1e-10, "output": 6}
    runs = [ct.simulate(powered_four_bar().compile(cut=[cut]), 0.5, **words) for cut in ("B", "C")]
    along, expected = (run.reactions("C")[:, 2:5] for run in runs)  # in the plane they are unique
    assert np.abs(along - expected).max() < 1e-6 * np.abs(expected).max()
    assert np.abs(expected).max() > 1.0


@pytest.mark.parametrize(
    "joint",
    [ct.Revolute(), ct.Helical(), ct.Cylindrical(), ct.Planar(), ct.Schoenflies()],
    ids=lambda j: type(j).__name__,
)
def test_springs_on_angles_of_cut_joints(joint):
    """The same swing in all coordinates; where the joint turns further than half a turn the run says so."""
    mech = ct.Mechanism("one", gravity=(0, 0, 0))
    mech.body("b", 1.0, (0.3, 0, 0), (1, 1, 1))
    mech.joint("turn", mech.ground, "b", joint)
    which = None if joint.dof == 1 else "wz"
    mech.joint_spring("coil", "turn", 2.0, 0.2, coordinate=which)
    relative, absolute = (mech.compile(kind) for kind in ("relative", "absolute"))
    name = relative.v_names[0] if which is None else "turn.wz"
    for speed, warned in ((1.0, []), (9.0, ["functions"])):
        one = ct.simulate(relative, 1.0, v={name: speed})
        q, v = relative.q0, ct.consistent_velocity(relative, relative.q0, {name: speed})
        other = ct.simulate(absolute, 1.0, v=np.concatenate([ct.twists(relative, q, v, "body")[-1]]))
        assert [w.kind for w in other.warnings if w.kind == "functions"] == warned
        assert not [w for w in one.warnings if w.kind == "functions"]
        if not warned:
            assert np.abs(ct.poses(absolute, other.q[-1]) - ct.poses(relative, one.q[-1])).max() < 1e-7


def test_springs_on_all_joints_of_a_loop():
    """As in models of compliant mechanisms: the motion, energy, rest position and frequency do not depend on the cut."""
    mech = ct.gallery.four_bar()
    for k, joint in enumerate(mech.joints):
        mech.joint_spring(f"spring {joint}", joint, 200.0 + 10.0 * k)
        mech.joint_damper(f"damper {joint}", joint, 0.3)
    systems = [mech.compile(cut=[joint]) for joint in mech.joints]
    runs = [ct.simulate(s, 1.0, v={"A": 1.5}, rtol=1e-10, atol=1e-10) for s in systems]
    for run in runs:
        assert np.abs(run.energy.balance).max() < 1e-7
        assert np.abs(run.joint("A").angle - runs[0].joint("A").angle).max() < 1e-7
        assert run.energy.potential == pytest.approx(runs[0].energy.potential, abs=1e-6)
    rest = [ct.equilibrium(s) for s in systems]
    found = [ct.linearize(s, r.q).frequencies for s, r in zip(systems, rest, strict=True)]
    assert np.ptp(found, axis=0).max() < 1e-6


# -- what is refused -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["joint_spring", "joint_damper", "motor"])
@pytest.mark.parametrize(
    ("joint", "which"),
    [
        (ct.Spherical(coordinates="second"), "q2"), (ct.Universal(), "w1"), (ct.Planar(coordinates="second"), "q2"),
        (ct.Cylindrical(coordinates="cayley"), "q1"),
    ],
    ids=lambda x: type(x).__name__,
)  # fmt: skip
def test_coordinates_that_cannot_be_measured(method, joint, which):
    mech = ct.Mechanism("one")
    mech.body("b", 1.0, (0.3, 0, 0), (1, 1, 1))
    mech.joint("both", mech.ground, "b", joint)
    getattr(mech, method)("push", "both", 1.0, coordinate=which)
    mech.compile()
    with pytest.raises(
        ForceError, match=rf"'push': joint 'both' is cut.*'both.{which}' cannot be measured.*cut= naming"
    ):
        mech.compile("absolute")


# -- springs that see angles without full turns -------------------------------------------------------------------


def wound(rest):
    """A rod on a torsion spring; in absolute coordinates its joint is cut."""
    mech = ct.Mechanism("rod", gravity=(0, 0, 0))
    mech.body("rod", 1.0, (0.2, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("A", mech.ground, "rod", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint_spring("coil", "A", 1.0, rest)
    return mech.compile(coordinates="absolute")


def test_a_stepper_says_once_where_such_a_spring_jumps():
    stepper = ct.Stepper(wound(3.5), 0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stepper.step(50)
    with pytest.warns(RunWarning, match=r"'coil' acts on joint 'A', which is cut.*jumped") as said:
        stepper.step(500)
    assert [(w.filename, w.message.kind) for w in said] == [(__file__, "functions")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stepper.copy().step(500)
        ct.Stepper(wound(1.0), 0.01).step(600)  # as far as 2 rad and back


def test_rest_of_such_a_spring():
    """Beyond half a turn there is none to be found, and the error says why; where the full turns are known and the spring
    does not see them, there is a warning."""
    with pytest.raises(EquilibriumError, match=r"'coil' acts on joint 'A', which is cut.*where the spring jumps"):
        ct.equilibrium(wound(3.5))
    assert ct.measure(wound(1.0), ct.equilibrium(wound(1.0)).q).joint("A").angle == pytest.approx(1.0, abs=1e-9)
    mech = ct.gallery.four_bar()
    mech.joint_spring("coil", "C", 20.0, 0.4)
    system = mech.compile(cut=["C"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rest = ct.equilibrium(system)
    with pytest.warns(
        StudyWarning, match=r"'coil' acts on joint 'C', which is cut.*the joint is at -5.557 rad"
    ) as said:
        ct.equilibrium(system, rest.q + 2.0 * np.pi * np.array([0.0, 1.0, 0.0]))
    assert [w.filename for w in said] == [__file__]
