"""Reactions and constraint forces: the balance of every body, statics by hand, the same by every route, and uniqueness."""

import numpy as np
import pytest

import cotree as ct
from tests.closed_mechanisms import FAMILIES, bennett, closed_pose, four_bar, random_loop, stewart
from tests.descriptions import same_configuration, same_velocity, spatial_twists
from tests.random_mechanisms import ONE_DOF, direction

from .balance import left_over, size_of
from .test_forward import MECHANISMS, admissible_state, in_system

CUTS = ("Revolute", "Prismatic", "Helical", "Cylindrical", "Universal", "Spherical", "Planar", "Weld", "Schoenflies")
Z = (0.0, 0.0, 1.0)


def furnished(seed):
    """A loop of two random chains with welded lumps and every kind of constraint on it; None of them need agree."""
    rng = np.random.default_rng(seed)
    families = [str(x) for x in rng.choice(FAMILIES, 2)]
    data = random_loop(rng, (families[0], families[1]), str(rng.choice(CUTS)))
    mech, names = data.mechanism(), [b.name for b in data.bodies]
    before = str(rng.choice(names))
    for k in range(3):  # a tree of welds, one joint reversed, and a post on ground
        mech.body(f"lump{k}", 0.5 + k, rng.normal(size=3), (0.1, 0.2, 0.25))
        ends = ("ground" if k == 2 else before, f"lump{k}")
        mech.joint(f"weld{k}", *(ends[::-1] if k == 1 else ends), ct.Weld())
        before = f"lump{k}" if k == 0 else before
    a, b = (str(x) for x in rng.choice(names, 2, replace=False))
    mech.distance("rod", a, rng.normal(size=3), "lump1", rng.normal(size=3) + 3.0)
    mech.distance("stay", "ground", rng.normal(size=3) - 3.0, b, rng.normal(size=3))
    mech.knife_edge("edge", b, rng.normal(size=3), direction(rng))
    mech.rolling("ball", a, rng.normal(size=3), 0.3, surface="lump2" if seed % 2 else b, plane_normal=direction(rng))
    mech.rolling("disk", b, rng.normal(size=3), 0.4, axis=(1, 0, 0), plane_normal=(0.2, 0.3, 1.0))
    one_dof = [j.name for j in data.joints if j.kind in ONE_DOF]
    if one_dof:
        mech.drive("drive", one_dof[0], 0.0)
    if len(one_dof) > 1:
        mech.gear("gear", one_dof[-1], one_dof[0], 2.0)
    return mech, rng


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize("seed", range(24))
def test_every_body_in_random_mechanisms(seed, coordinates):
    """The multipliers' wrenches act on two bodies each and balance all of them: at any state, loops closed or not; in absolute
    coordinates with closed joints, whose forces are on one line then."""
    mech, rng = furnished(seed)
    system = mech.compile(coordinates, regularize=bool(seed % 3))
    moved = 0.4 * rng.standard_normal(system.nv)
    q = ct.displace(system, system.q0, moved) if coordinates == "relative" else system.q0
    tau = rng.standard_normal(system.nv) if coordinates == "relative" else None
    for formulation in ("projection", "index1"):
        found = ct.forward_dynamics(system, q, rng.standard_normal(system.nv), tau, formulation)
        for name, rest in left_over(system, found).items():
            assert np.abs(rest).max() < 1e-9 * size_of(found), name


@pytest.mark.parametrize("name", MECHANISMS)
def test_ideal_joints_do_no_work(name):
    """The reaction of every joint without a motor has no power on admissible velocities, tree joint or cut joint."""
    mech = MECHANISMS[name]()
    system = mech.compile()
    q, v = admissible_state(system, 4)
    found = ct.forward_dynamics(system, q, v)
    V = ct.twists(system, q, v, "spatial")
    for joint in mech.joints.values():
        relative = V[system.row_of(joint.child)] - V[system.row_of(joint.parent)]
        assert abs(relative @ found.reactions[joint.name]) < 1e-9 * size_of(found)


@pytest.mark.parametrize("cut", ["A", "B", "C", "D"])
def test_power_of_drivers_and_couplings(cut):
    """A driven joint transmits the driver's moment along its axis, whether it is in the tree or cut; so do gears."""
    mech = ct.gallery.four_bar()
    mech.drive("drive", "A", lambda t: 2.0 * t)
    mech.gear("gear", "B", "D", -1.0)  # redundant force path: what both do together is unique
    system = mech.compile(cut=[cut])
    found = ct.forward_dynamics(system, system.q0)
    moment = {"A": found.constraint_forces["drive"].along["A"], "C": 0.0}
    moment |= found.constraint_forces["gear"].along
    for joint, point in zip("ABCD", ((0, 0, 0), (0.6, 0.8, 0), (2.4, 1.4, 0), (2.5, 0, 0)), strict=True):
        assert found.reaction(joint, point)[2] == pytest.approx(moment[joint], abs=1e-9)
    assert moment["B"] == pytest.approx(moment["D"])  # ratios 1 and +1: q_B = -q_D


def spatial_slider():
    """R S U P, a loop without redundancy, with a lump welded to the rod and a post to ground."""
    mech = ct.Mechanism("RSUP")
    crank = mech.body("crank", 1, (0, 0, 0.1), (0.1, 0.1, 0.1))
    rod = mech.body("rod", 1, (0.5, 0.2, 0.1), (0.1, 0.1, 0.1))
    slide = mech.body("slide", 1, (1, 0.4, 0), (0.1, 0.1, 0.1))
    lump = mech.body("lump", 2, (0.5, 0.5, 0.4), (0.1, 0.15, 0.2))
    post = mech.body("post", 3, (1, 2, 3), (0.1, 0.1, 0.1))
    mech.joint("R", mech.ground, crank, ct.Revolute((0, 0, 0), (1, 0, 0)))
    mech.joint("S", crank, rod, ct.Spherical((0, 0, 0.2)))
    mech.joint("U", rod, slide, ct.Universal((1, 0.4, 0), (0, 0, 1), (0, 1, 0)))
    mech.joint("P", mech.ground, slide, ct.Prismatic((1, 0, 0)))
    mech.joint("W", lump, rod, ct.Weld())
    mech.joint("foot", mech.ground, post, ct.Weld())
    return mech


def reactions_by_every_route(mech, q, v, system):
    """Reactions in relative coordinates with each joint cut that can be, and in absolute ones."""
    others = [mech.compile(cut=[name]) for name in mech.joints if name not in ("W", "foot")]
    others += [mech.compile("absolute"), mech.compile("absolute", group="SO3xR3")]
    target = {name: (ct.poses(system, q)[system.row_of(name)]) for name in system.body_names}
    for other in others:
        x = same_configuration(other, target)
        yield other, ct.forward_dynamics(other, x, same_velocity(other, x, spatial_twists(system, q, v)))


def test_reactions_are_the_same_by_every_route():
    """Where they are unique: whatever joint is cut and whatever the coordinates, welds and a driver among them."""
    mech = spatial_slider()
    mech.drive("hold", "R", 0.0)
    system = mech.compile(cut=["U"])
    expected = ct.forward_dynamics(system, system.q0)
    assert expected.unique
    assert expected.undetermined == ()
    for other, found in reactions_by_every_route(mech, system.q0, np.zeros(system.nv), system):
        assert found.unique
        for name, W in expected.reactions.items():
            assert np.allclose(found.reactions[name], W, atol=1e-9), (other.cut_joints, name)
        assert found.constraint_forces["hold"].along["R"] == pytest.approx(
            expected.constraint_forces["hold"].along["R"]
        )


def test_moving_reactions_are_the_same_by_every_route():
    mech = spatial_slider()
    system = mech.compile(cut=["U"])
    rng = np.random.default_rng(0)
    q = closed_pose(system, rng)
    v = ct.consistent_velocity(system, q, rng.standard_normal(system.nv))
    expected = ct.forward_dynamics(system, q, v)
    for other, found in reactions_by_every_route(mech, q, v, system):
        for name, W in expected.reactions.items():
            assert np.allclose(found.reactions[name], W, atol=1e-8 * size_of(expected)), (other.cut_joints, name)


def test_stewart_platform_by_two_routes():
    mech = ct.gallery.stewart()
    system, other = mech.compile(), mech.compile("absolute")
    q, v = admissible_state(system, 5)
    expected, found = ct.forward_dynamics(system, q, v), ct.forward_dynamics(other, *in_system(system, other, q, v))
    assert expected.unique
    assert found.unique
    for name, W in expected.reactions.items():
        assert np.allclose(found.reactions[name], W, atol=1e-9 * size_of(expected))


# -- by hand -------------------------------------------------------------------------------------------------


def test_boom_on_a_cable():
    """Moments about the ball joint: T sin(angle) L = m g x."""
    mech, L, x, h, m, g = ct.Mechanism("boom"), 2.0, 1.5, 1.2, 3.0, 9.81
    boom = mech.body("boom", m, (x, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("foot", mech.ground, boom, ct.Spherical((0, 0, 0)))
    mech.distance("cable", mech.ground, (0, 0, h), boom, (L, 0, 0))
    system = mech.compile()
    found = ct.forward_dynamics(system, system.q0)
    cable = found.constraint_forces["cable"]
    T = m * g * x / L / (h / np.hypot(h, L))
    pull = T * np.array([-L, 0, h]) / np.hypot(h, L)
    assert np.abs(found.v_dot).max() < 1e-12
    assert cable.multipliers == pytest.approx([T])
    assert np.allclose(cable.wrenches["boom"], [*np.cross((L, 0, 0), pull), *pull])
    assert np.allclose(cable.wrenches["ground"], -cable.wrenches["boom"])
    assert np.allclose(found.reactions["foot"], [0, 0, 0, -pull[0], 0, m * g - pull[2]])


def test_ball_on_a_slope():
    """Rolling down: friction 2/7 m g sin, normal force m g cos."""
    angle, m, r, g = 0.4, 2.0, 0.5, 9.81
    mech = ct.Mechanism("slope", gravity=(g * np.sin(angle), 0, -g * np.cos(angle)))
    ball = mech.body("ball", m, (0, 0, r), np.full(3, 0.4 * m * r * r))
    mech.joint("free", mech.ground, ball, ct.Free())
    mech.rolling("contact", ball, (0, 0, r), r)
    system = mech.compile()
    found = ct.forward_dynamics(system, system.q0)
    push = found.constraint_forces["contact"].wrenches["ball"]
    assert np.allclose(push[3:], [-2 / 7 * m * g * np.sin(angle), 0, m * g * np.cos(angle)])
    assert np.allclose(push[:3], 0.0)
    assert np.allclose(found.reactions["free"], 0.0)


def test_sleigh_in_a_curve():
    """A blade under the mass centre holds m v w across the track."""
    mech = ct.Mechanism("sleigh", gravity=(0, 0, 0))
    sleigh = mech.body("sleigh", 2.0, (0, 0, 0), (0.2, 0.2, 0.3))
    mech.joint("ice", mech.ground, sleigh, ct.Planar())
    mech.knife_edge("blade", sleigh, (0, 0, 0), (0, 1, 0))
    system = mech.compile()
    v = [{"ice.wz": 1.5, "ice.vx": 4.0, "ice.vy": 0.0}[name] for name in system.coordinate_names]
    found = ct.forward_dynamics(system, system.q0, v)
    assert np.allclose(found.constraint_forces["blade"].wrenches["sleigh"], [0, 0, 0, 0, 2.0 * 4.0 * 1.5, 0])


def test_rows_of_the_user_act_within_the_joints_of_the_tree():
    """A row that holds a pendulum is a motor in its hinge: the hinge transmits the moment of the weight."""
    mech = ct.Mechanism("pendulum", gravity=(0, 0, -10))
    arm = mech.body("arm", 2.0, (1.5, 0, 0), (0.1, 0.1, 0.1))
    tip = mech.body("tip", 1.0, (3.0, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("hinge", mech.ground, arm, ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.joint("elbow", arm, tip, ct.Revolute((2, 0, 0), (0, 1, 0)))
    mech.constraint("held", jacobian=lambda q: np.array([[2.0, 0.0], [0.0, 1.0]]), rows=2)
    system = mech.compile()
    found = ct.forward_dynamics(system, system.q0)
    held = found.constraint_forces["held"]
    assert held.along == pytest.approx({"hinge": -(2 * 1.5 + 3.0) * 10, "elbow": -10.0})
    assert held.wrenches == {}
    assert np.allclose(held.multipliers, [30.0, 10.0])
    assert np.allclose(found.reactions["hinge"], [0, -60, 0, 0, 0, 30])


def test_welded_post_carries_its_load():
    """A mast of three parts welded on each other, the middle one drawn the other way round; with a motor it turns."""
    mech = ct.Mechanism("mast", gravity=(0, 0, -10))
    for k in range(3):
        mech.body(f"part{k}", 1.0 + k, (0.1 * k, 0, k + 0.5), (0.1, 0.1, 0.1))
    mech.joint("base", mech.ground, "part0", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("low", "part0", "part1", ct.Weld())
    mech.joint("high", "part2", "part1", ct.Weld())
    found = ct.forward_dynamics(mech.compile(), [0.0])
    assert np.allclose(found.reactions["base"], [0, -(2 * 0.1 + 3 * 0.2) * 10, 0, 0, 0, 60])
    assert np.allclose(found.reactions["low"], [0, -(2 * 0.1 + 3 * 0.2) * 10, 0, 0, 0, 50])
    assert np.allclose(found.reactions["high"], [0, 3 * 0.2 * 10, 0, 0, 0, -30])
    assert found.unique
    assert found.undetermined == ()
    assert found.constraint_forces == {}
    assert found.self_stress["low"].shape == (0, 6)


# -- uniqueness ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"cut": ["A"]}, {"regularize": False}, {"coordinates": "absolute"}])
def test_planar_loop_in_space(options):
    """Out of the plane the load may be shared in three ways; in it all is determined, and so is a pendulum on the coupler."""
    mech = ct.gallery.four_bar()
    mech.body("bob", 1.0, (1.5, 0.1, 0), (0.1, 0.1, 0.1))
    mech.joint("pendulum", "coupler", "bob", ct.Revolute((1.5, 1.1, 0), (0, 0, 1)))
    system = mech.compile(**options)
    found = ct.forward_dynamics(system, system.q0)
    assert not found.unique
    assert found.undetermined == ("A", "B", "C", "D")
    stress = found.self_stress
    assert stress["pendulum"].shape == (3, 6)
    assert np.abs(stress["pendulum"]).max() < 1e-9
    for name in "ABCD":
        assert np.linalg.matrix_rank(stress[name], tol=1e-6) == 3
        assert np.abs(stress[name][:, [2, 3, 4]]).max() < 1e-9  # moment along z, forces along x and y


@pytest.mark.parametrize("name", ["four_bar", "bennett", "sarrus", "double_parallelogram"])
def test_self_stress_balances_every_body(name):
    """Whatever is added of it, every body stays in balance; and all formulations and coordinates differ by it only."""
    mech = MECHANISMS[name]()
    system = mech.compile()
    q, v = admissible_state(system, 6)
    found = ct.forward_dynamics(system, q, v)
    stress = found.self_stress
    for body in mech.bodies:
        signs = {j.name: (j.child == body) - float(j.parent == body) for j in mech.joints.values()}
        assert np.abs(sum(signs[j] * stress[j] for j in stress)).max() < 1e-6
    basis = np.concatenate(list(stress.values()), axis=1)
    for other, formulation in ((mech.compile("absolute"), "index1"), (mech.compile(regularize=False), "voronets")):
        state = in_system(system, other, q, v)
        W = ct.forward_dynamics(other, *state, formulation=formulation).reactions
        difference = np.concatenate([W[j] - found.reactions[j] for j in stress])
        left = difference - basis.T @ np.linalg.lstsq(basis.T, difference, rcond=None)[0]
        assert np.abs(left).max() < 1e-6 * size_of(found)


def test_ring_of_welds():
    """Three bodies welded in a ring on a hinge: six states of self-stress, which the hinge does not feel."""
    mech = ct.Mechanism("ring")
    for k in range(3):
        mech.body(f"b{k}", 1.0, (k, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("hinge", mech.ground, "b0", ct.Revolute((0, 0, 0), (0, 1, 0)))
    for k in range(3):
        mech.joint(f"w{k}", f"b{k}", f"b{(k + 1) % 3}", ct.Weld())
    system = mech.compile()
    found = ct.forward_dynamics(system, system.q0, [0.5])
    assert found.undetermined == ("w0", "w1", "w2")
    assert found.self_stress["w0"].shape == (6, 6)
    assert np.linalg.matrix_rank(found.self_stress["w1"]) == 6
    for rest in left_over(system, found).values():
        assert np.abs(rest).max() < 1e-12


def test_redundant_driver():
    """Two drivers of one joint: the joint's reaction is unique, their shares are not."""
    mech = ct.Mechanism("arm", gravity=(0, 0, -10))
    mech.body("arm", 1.0, (1, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("hinge", mech.ground, "arm", ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.drive("one", "hinge", 0.0)
    mech.drive("two", "hinge", 0.0)
    system = mech.compile()
    found = ct.forward_dynamics(system, system.q0)
    assert found.undetermined == ()
    assert not found.unique
    assert not found.constraint_forces["one"].unique
    total = sum(found.constraint_forces[name].along["hinge"] for name in ("one", "two"))
    assert total == pytest.approx(-10.0)
    assert np.allclose(found.reactions["hinge"], [0, -10, 0, 0, 0, 10])


def test_regular_loop_of_bennett_is_not_unique():
    system = bennett().compile()
    found = ct.forward_dynamics(system, system.q0)
    assert found.undetermined == system.joint_names


# -- states and places ---------------------------------------------------------------------------------------


def test_a_result_keeps_its_own_state():
    """Changing the caller's arrays afterwards changes no reaction."""
    for mech in (ct.gallery.four_bar(), four_bar().mechanism()):
        system = mech.compile()
        q, v = admissible_state(system, 7)
        found = ct.forward_dynamics(system, q, v)
        before = found.reactions
        q[:], v[:] = 0.0, 0.0
        for name, W in found.reactions.items():
            assert np.array_equal(W, before[name])
    tree = ct.Mechanism("pendulum")
    tree.body("bob", 1.0, (0, 0, -1), (0.1, 0.1, 0.1))
    tree.joint("hinge", tree.ground, "bob", ct.Revolute((0, 0, 0), (0, 1, 0)))
    q, v = np.array([0.4]), np.array([2.0])
    found = ct.forward_dynamics(tree.compile(), q, v)
    before = found.reactions["hinge"]
    q[:], v[:] = 0.0, 0.0
    assert np.array_equal(found.reactions["hinge"], before)


def test_far_from_home():
    """A thousand kilometres away the forces are the same."""
    T = np.eye(4)
    T[:3, 3] = (1e6, -5e5, 2e5)
    near, far = stewart().mechanism(), stewart().moved(T).mechanism()
    results = []
    for mech in (near, far):
        mech.drive("drive", "leg1", 0.0)
        mech.distance("tie", "lower2", mech.joints["base2"].joint.point, "platform", mech.joints["ball3"].joint.point)
        system = mech.compile()
        results.append(ct.forward_dynamics(system, system.q0))
    for name, W in results[0].reactions.items():
        assert np.allclose(results[1].reactions[name][3:], W[3:], atol=1e-7 * size_of(results[0]))
