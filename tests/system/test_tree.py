"""Spanning tree, cut joints, welds and names; the numbers do not depend on how a mechanism was written down."""

from dataclasses import replace

import numpy as np
import pytest

import cotree as ct
from cotree.lie import exp_se3, inverse, pose, quaternion_of
from tests.model.builders import A, B, C, D, Z, four_bar
from tests.random_mechanisms import random_tree

# -- the tree ------------------------------------------------------------------------------------------------


def graph(edges, n, joint=ct.Revolute, **joints):
    """Bodies 1 to n and joints named like "01": from body 0 (ground) to body 1."""
    mech = ct.Mechanism("graph")
    for k in range(1, n + 1):
        mech.body(str(k), 1, (k, k * k, 0), (1, 1, 1))
    for edge in edges:
        parent, child = ("ground" if c == "0" else c for c in edge)
        mech.joint(edge, parent, child, joints.get(f"j{edge}") or joint(point=(int(edge[0]), int(edge[1]), 0)))
    return mech


@pytest.mark.parametrize(("edges", "cut"), [
    (["01", "12", "23", "03"], "23"),  # a square: both ways are as long, the first joint wins
    (["03", "23", "12", "01"], "12"),
    (["01", "12", "02"], "12"),  # least depth
    (["12", "02", "01"], "12"),
    (["01", "12", "23", "34", "40"], "23"),  # five around: the joint opposite ground
])  # fmt: skip
def test_the_shallowest_tree_then_the_users_order(edges, cut):
    system = graph(edges, max(int(c) for e in edges for c in e)).compile()
    assert system.cut_joints == (cut,)
    assert system.n_loops == 1
    assert set(system.coordinate_names) == set(edges) - {cut}


def test_every_choice_of_cut_joints_is_honoured():
    for cut in "ABCD":
        system = four_bar().compile(cut=[cut])
        assert system.cut_joints == (cut,)
        assert set(system.coordinate_names) == set("ABCD") - {cut}
        assert system.nq == system.nv == 3


def test_the_names_of_the_four_bar():
    system = four_bar().compile()
    assert system.name == "four-bar"
    assert system.body_names == ("crank", "coupler", "rocker")
    assert system.joint_names == ("A", "B", "C", "D")
    assert system.coordinate_names == ("A", "B", "D")
    assert system.cut_joints == ("C",)
    assert (system.nq, system.nv, system.n_bodies, system.n_loops) == (3, 3, 3, 1)
    assert np.array_equal(system.q0, np.zeros(3))
    other = four_bar().compile(cut="A")
    assert other.body_names == ("rocker", "coupler", "crank")
    assert other.coordinate_names == ("D", "C", "B")
    assert other.joint_names == ("A", "B", "C", "D")


def test_a_loop_has_a_root_and_two_sides():
    system = graph(["01", "12", "23", "24", "34"], 4).compile()
    (loop,) = system.loops
    assert (loop.root, loop.tail_chain, loop.head_chain) == (2, (3,), (4,))


def test_rows_of_bodies_come_after_their_parents():
    system = graph(["45", "34", "01", "13", "02", "26"], 6).compile()
    assert system.body_names == ("1", "3", "4", "5", "2", "6")
    assert np.all(system.links["parent"][1:] < np.arange(1, len(system.links)))


def test_names_of_all_coordinates():
    mech = ct.Mechanism()
    joints = {"turn": ct.Revolute(), "ball": ct.Spherical(), "cross": ct.Universal(), "table": ct.Planar(),
              "float": ct.Free(), "fix": ct.Weld(), "second": ct.Spherical(coordinates="second")}  # fmt: skip
    for name, joint in joints.items():
        mech.body(f"b {name}", 1, (1, 2, 3), (1, 1, 1))
        mech.joint(name, "ground", f"b {name}", joint)
    system = mech.compile()
    names = "turn ball.wx ball.wy ball.wz cross.w1 cross.w2 table.wz table.vx table.vy float.wx float.wy float.wz"
    names += " float.vx float.vy float.vz second.q1 second.q2 second.q3"
    assert system.coordinate_names == tuple(names.split())
    assert system.joint_names == tuple(joints)
    assert (system.nq, system.nv) == (20, 18)
    assert np.array_equal(system.q0, [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])


# -- absolute and mixed coordinates --------------------------------------------------------------------------


def test_absolute_coordinates_of_world_frame_data():
    system = four_bar().compile(coordinates="absolute")
    assert (system.nq, system.nv, system.n_loops) == (21, 18, 1)
    assert system.cut_joints == system.joint_names == ("A", "B", "C", "D")
    assert system.body_names == ("crank", "coupler", "rocker")
    twist = ("wx", "wy", "wz", "vx", "vy", "vz")
    assert system.coordinate_names == tuple(f"{b}.{x}" for b in system.body_names for x in twist)
    assert np.array_equal(system.q0, [1, 0, 0, 0, 0, 0, 0] * 3)
    assert np.allclose(ct.poses(system, system.q0), np.eye(4), atol=1e-15)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3", "auto"])
def test_absolute_coordinates_of_body_frame_data(group):
    frame = exp_se3([0.3, -0.4, 0.5, 1, 2, 3])
    mech = four_bar()
    mech.body("tool", 1, (0, 0, 0), (1, 1, 1), pose=frame)
    mech.joint("T", "coupler", "tool", ct.Spherical((1, 1, 1)))
    system = mech.compile("absolute", group=group)
    assert np.allclose(system.q0[21:], [*quaternion_of(frame[:3, :3]), *frame[:3, 3]], atol=1e-15)
    assert np.allclose(ct.poses(system, system.q0)[4], frame, atol=1e-14)
    moved = exp_se3([1.0, 0.2, -0.3, 4, 5, 6])
    q = system.q0.copy()
    q[21:] = [*quaternion_of(moved[:3, :3]), *moved[:3, 3]]
    assert np.allclose(ct.poses(system, q)[4], moved, atol=1e-14)
    assert np.allclose(ct.poses(system, q)[:4], np.eye(4), atol=1e-15)


def test_what_a_cut_leaves_behind_floats():
    system = four_bar().compile(cut=["A", "D"])
    assert system.cut_joints == ("A", "D")
    assert (system.nq, system.nv, system.n_loops) == (9, 8, 1)
    assert system.coordinate_names[:6] == tuple(f"crank.{x}" for x in ("wx", "wy", "wz", "vx", "vy", "vz"))
    assert system.coordinate_names[6:] == ("B", "C")
    assert np.allclose(ct.poses(system, system.q0), np.eye(4), atol=1e-15)


def test_several_parts_float():
    system = four_bar().compile(cut=["A", "B", "D"])
    assert (system.nq, system.nv) == (15, 13)
    assert system.coordinate_names[0] == "crank.wx"
    assert system.coordinate_names[6] == "coupler.wx"
    assert system.coordinate_names[-1] == "C"


def test_a_floating_body_does_not_take_the_name_of_a_joint():
    mech = ct.Mechanism()
    for k, name in enumerate("ab"):
        mech.body(name, 1, (k, 0, 0), (1, 1, 1))
    mech.joint("hang", "ground", "a", ct.Revolute())
    mech.joint("a", "a", "b", ct.Spherical((1, 0, 0)))
    system = mech.compile(cut="hang")
    assert len(set(system.coordinate_names)) == system.nv == 9
    assert system.coordinate_names[0] == "a (free).wx"
    assert system.coordinate_names[6:] == ("a.wx", "a.wy", "a.wz")
    assert set(ct.forward_dynamics(system, system.q0).reactions) == {"a", "hang"}


def to_absolute(relative, absolute, q, v):
    """The same state in absolute coordinates."""
    poses, twists = ct.poses(relative, q), ct.twists(relative, q, v)
    rows = [relative.row_of(name) for name in absolute.body_names]
    q_a = np.concatenate([[*quaternion_of(poses[k][:3, :3]), *poses[k][:3, 3]] for k in rows])
    return q_a, np.concatenate([twists[k] for k in rows])


@pytest.mark.parametrize("cut", ["A", "B", "C", ["A", "D"], ["A", "C"]])
def test_relative_mixed_and_absolute_coordinates_describe_one_motion(cut):
    mech = four_bar()
    relative, absolute = mech.compile(cut=cut), mech.compile("absolute")
    rng = np.random.default_rng(7)
    q, v = ct.displace(relative, relative.q0, rng.normal(size=relative.nv)), rng.normal(size=relative.nv)
    q_a, v_a = to_absolute(relative, absolute, q, v)
    one, two = ct.energy(relative, q, v), ct.energy(absolute, q_a, v_a)
    assert one.kinetic == pytest.approx(two.kinetic, rel=1e-12)
    assert one.potential == pytest.approx(two.potential, rel=1e-12)
    assert np.allclose(ct.momentum(relative, q, v), ct.momentum(absolute, q_a, v_a), rtol=0, atol=1e-12)
    K = np.concatenate([ct.body_jacobian(relative, q, name) for name in absolute.body_names])
    M = K.T @ ct.mass_matrix(absolute, q_a) @ K
    assert np.allclose(ct.mass_matrix(relative, q), M, rtol=0, atol=1e-12)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_absolute_bodies_fall(group):
    """Nothing of the cut joints is in the tree: left alone, every body falls freely, whatever its spin."""
    system = four_bar().compile("absolute", group=group)
    rng = np.random.default_rng(8)
    q, v = ct.displace(system, system.q0, rng.normal(size=18)), rng.normal(size=18)
    before = ct.center_of_mass(system, q, v)
    v_dot = ct.dynamics.forward_dynamics(system, q, v).v_dot
    after = ct.center_of_mass(system, ct.displace(system, q, 1e-6 * v), v + 1e-6 * v_dot)
    assert np.allclose((after.velocity - before.velocity) / 1e-6, (0, -9.81, 0), atol=1e-3)


def test_the_auto_group():
    """SE(3) for bodies joined to ground by a lower pair, SO(3) x R3 elsewhere, [Lie] 6."""
    mech = four_bar()
    rng = np.random.default_rng(9)
    auto, se3, direct = (mech.compile("absolute", group=g) for g in ("auto", "SE3", "SO3xR3"))
    q = ct.displace(se3, se3.q0, rng.normal(size=18))
    J = {g: [ct.spatial_jacobian(s, q, b) for b in s.body_names] for g, s in
         {"auto": auto, "SE3": se3, "SO3xR3": direct}.items()}  # fmt: skip
    for k, expected in enumerate(["SE3", "SO3xR3", "SE3"]):
        other = "SO3xR3" if expected == "SE3" else "SE3"
        assert np.allclose(J["auto"][k], J[expected][k], atol=1e-14)
        assert not np.allclose(J["auto"][k], J[other][k], atol=1e-3)


# -- welds ---------------------------------------------------------------------------------------------------

PARTS = {"a": (2.0, (1, 0, 0), (1, 1, 1.5)), "b": (0.5, (0, 2, 1), (0.2, 0.3, 0.4)), "c": (3.0, (-1, 1, 2), (2, 2, 3))}


def cluster(parts, edges=()):
    """Bodies of which the first is free and the others welded along the edges."""
    mech = ct.Mechanism(gravity=(1, 2, 3))
    for name in parts:
        mech.body(name, *PARTS[name])
    mech.joint("float", "ground", parts[0], ct.Free())
    for a, b in edges:
        mech.joint(f"{a}{b}", a, b, ct.Weld())
    return mech.compile()


@pytest.mark.parametrize("edges", [["ab", "bc"], ["ab", "ac"], ["ba", "cb"], ["cb", "ba"]])
def test_welded_bodies_move_as_one(edges):
    """In a common frame the mass matrix of a rigid cluster is the sum of its parts'."""
    whole, alone = cluster("abc", edges), [cluster(name) for name in "abc"]
    assert (whole.nq, whole.nv, whole.n_bodies, len(whole.links)) == (7, 6, 3, 2)
    assert whole.n_loops == 0
    rng = np.random.default_rng(2)
    q, v = ct.displace(whole, whole.q0, rng.normal(size=6)), rng.normal(size=6)
    assert np.allclose(ct.mass_matrix(whole, q), sum(ct.mass_matrix(s, q) for s in alone), atol=1e-13)
    assert np.allclose(ct.momentum(whole, q, v), sum(ct.momentum(s, q, v) for s in alone), atol=1e-13)
    assert ct.energy(whole, q, v).total == pytest.approx(sum(ct.energy(s, q, v).total for s in alone), rel=1e-13)
    assert np.allclose(ct.poses(whole, q)[1:], ct.poses(alone[0], q)[1], atol=1e-15)


def test_the_composite_of_a_cluster():
    system = cluster("abc", ["ab", "bc"])
    masses = np.array([PARTS[n][0] for n in "abc"])
    points = np.array([PARTS[n][1] for n in "abc"])
    com = masses @ points / masses.sum()
    d = points - com
    spread = np.einsum("n,nij->ij", masses, (d * d).sum(1)[:, None, None] * np.eye(3) - d[:, :, None] * d[:, None, :])
    inertia = spread + sum(np.diag(PARTS[n][2]) for n in "abc")
    link = system.links[1]
    assert link["mass"] == masses.sum()
    assert np.allclose(link["com"] + system.world[0]["origin"], com, atol=1e-14)
    assert np.allclose(link["inertia"], inertia[np.triu_indices(3)], atol=1e-13)


def test_welded_to_ground():
    mech = four_bar()
    mech.body("frame", 50, (1, 1, 1), (5, 5, 5))
    mech.joint("bolt", "ground", "frame", ct.Weld())
    mech.body("motor", 3, (0, 0, 1), (1, 1, 1))
    mech.joint("screw", "motor", "frame", ct.Weld())
    system, bare = mech.compile(), four_bar().compile()
    q, v = [0.1, 0.2, 0.3], [1, 2, 3]
    assert system.body_names == ("crank", "coupler", "rocker", "frame", "motor")
    assert np.allclose(ct.poses(system, q)[4:], np.eye(4), atol=1e-15)
    assert np.allclose(ct.forward_dynamics(system, q, v).v_dot, ct.forward_dynamics(bare, q, v).v_dot, atol=1e-12)
    assert not ct.spatial_jacobian(system, q, "motor").any()


@pytest.mark.parametrize("flip", [False, True])
def test_a_joint_on_a_welded_body_is_a_joint_on_ground(flip):
    mech = ct.Mechanism()
    mech.body("frame", 50, (1, 1, 1), (5, 5, 5))
    mech.body("bob", 2, (0.5, 0, 0), (0.1, 0.2, 0.2))
    mech.joint("bolt", *(("frame", "ground") if flip else ("ground", "frame")), ct.Weld())
    mech.joint("pivot", "frame", "bob", ct.Revolute((0, 0, 0), (0, 1, 0)))
    system = mech.compile()
    assert len(system.links) == 2
    assert ct.mass_matrix(system, [0.4])[0, 0] == pytest.approx(0.2 + 2 * 0.25)


def test_everything_welded():
    mech = ct.Mechanism("statue")
    mech.body("stone", 1000, (0, 0, 1), (10, 10, 10))
    mech.joint("mortar", "ground", "stone", ct.Weld())
    system = mech.compile()
    assert (system.nq, system.nv, system.n_bodies) == (0, 0, 1)
    assert np.array_equal(ct.poses(system, system.q0), [np.eye(4)] * 2)
    assert ct.mass_matrix(system, []).shape == (0, 0)
    assert ct.forward_dynamics(system, []).v_dot.shape == (0,)
    assert ct.energy(system, []).total == 0.0


def test_welds_are_followed_before_other_joints():
    """A weld adds no depth: of a weld and a hinge around a triangle the hinge is cut."""
    mech = graph(["01", "02", "12"], 2, j12=ct.Weld())
    assert mech.compile().cut_joints == ("02",)
    assert mech.compile(cut="12").cut_joints == ("12",)


# -- the order of construction -------------------------------------------------------------------------------


def zoo(order=None, turned=()):
    """A tree of many joints, bodies and joints added in some order, some joints pointing the other way."""
    edges = {
        "turn": ("ground", "a", ct.Revolute((0, 0, 0), (0, 0, 1))),
        "ball": ("a", "b", ct.Spherical((1, 0, 0))),
        "slide": ("a", "c", ct.Prismatic((1, 1, 0))),
        "cross": ("b", "d", ct.Universal((1, 1, 0))),
        "float": ("ground", "e", ct.Free()),
        "glue": ("e", "f", ct.Weld()),
        "table": ("f", "g", ct.Planar((0, 0, 1))),
    }
    names = list("abcdefg")
    if order is not None:
        names = [names[k] for k in order.permutation(7)]
        edges = {name: edges[name] for name in order.permutation(list(edges))}
    rng = np.random.default_rng(11)
    data = {name: (rng.uniform(1, 2), rng.normal(size=3), rng.uniform(1, 1.3, 3)) for name in "abcdefg"}
    mech = ct.Mechanism("zoo", gravity=(1, 2, -9))
    for name in names:
        mech.body(name, *data[name])
    for name, (parent, child, joint) in edges.items():
        mech.joint(name, *((child, parent) if name in turned else (parent, child)), joint)
    mech.spring("s", "d", (1, 0, 0), "g", (0, 1, 0), 10.0, damping=1.0)
    mech.joint_damper("d", "turn", 0.5)
    return mech.compile()


def numbers(system, step, rates):
    """Results by name at the state reached by steps along named coordinates."""
    v = np.array([rates[n] for n in system.coordinate_names])
    q = ct.displace(system, system.q0, np.array([step[n] for n in system.coordinate_names]))
    names = system.coordinate_names
    M, a, found = ct.mass_matrix(system, q), ct.forward_dynamics(system, q, v), {}
    found.update({(x, y): M[i, j] for i, x in enumerate(names) for j, y in enumerate(names)})
    found.update({(x, "v_dot"): a.v_dot[i] for i, x in enumerate(names)})
    found.update({(b, "pose"): C for b, C in zip(system.body_names, ct.poses(system, q)[1:], strict=True)})
    found.update({(j, "reaction"): W for j, W in a.reactions.items()})
    return found


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_construction_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    first, second = zoo(), zoo(rng)
    step, rates = (dict(zip(first.coordinate_names, rng.normal(size=first.nv), strict=True)) for _ in range(2))
    one, two = numbers(first, step, rates), numbers(second, step, rates)
    assert set(one) == set(two)
    for key in one:
        assert np.allclose(one[key], two[key], rtol=1e-10, atol=1e-10), key


def test_the_order_was_changed():
    assert zoo(np.random.default_rng(0)).coordinate_names != zoo().coordinate_names


@pytest.mark.parametrize("joint", ["turn", "slide", "ball", "float", "table", "cross"])
def test_a_joint_that_points_against_the_tree_keeps_its_meaning(joint):
    """Its coordinate moves the user's parent against the child: the inverse of the motion in the other direction."""
    straight, turned = zoo(), zoo(turned=(joint,))
    assert turned.coordinate_names == straight.coordinate_names
    step = np.array([0.3 * (n == joint or n.startswith(joint + ".")) for n in straight.coordinate_names])
    tail, head = {"turn": (0, "a"), "slide": ("a", "c"), "ball": ("a", "b"), "float": (0, "e"), "table": ("f", "g"),
                  "cross": ("b", "d")}[joint]  # fmt: skip
    motions = []
    for system, (a, b) in ((straight, (tail, head)), (turned, (head, tail))):
        C = ct.poses(system, ct.displace(system, system.q0, step))
        motions.append(inverse(C[system.row_of(a)]) @ C[system.row_of(b)])
    assert np.abs(motions[0] - np.eye(4)).max() > 0.1
    assert np.allclose(motions[0], motions[1], atol=1e-14)


def test_the_origin_of_the_world_is_of_no_account():
    """The same linkage a kilometre away moves alike."""
    mech = ct.Mechanism("far", gravity=(0, -9.81, 0))
    shift = np.array([1000.0, -2000.0, 500.0])
    near = four_bar()
    for name, body in near.bodies.items():
        p = body.properties
        mech.body(name, p.mass, p.com + shift, p.inertia)
    for name, point in zip("ABCD", (A, B, C, D), strict=True):
        c = near.joints[name]
        mech.joint(name, c.parent, c.child, ct.Revolute(point + shift, Z))
    q, v = [0.1, -0.4, 0.3], [1, 2, 3]
    one, two = ct.forward_dynamics(near.compile(), q, v), ct.forward_dynamics(mech.compile(), q, v)
    assert np.allclose(one.v_dot, two.v_dot, rtol=1e-11)
    moved = ct.poses(mech.compile(), q)
    assert np.allclose(pose(p=-shift) @ moved @ pose(p=shift), ct.poses(near.compile(), q), atol=1e-11)


def test_revolutes_do_not_slide_at_all():
    """Not by a rounding error either, by which the first link would be taken for one that travels."""
    system = ct.gallery.spherical_four_bar().compile()
    assert not system.dofs["slide"].any()
    assert system.world["base"][0] == 0


def test_many_joints_at_once_get_what_each_gets_alone():
    """Two copies of a tree with every kind of joint, side by side in one mechanism, have the rows of one, to the last bit."""
    for seed in range(6):
        data = random_tree(np.random.default_rng(seed), 20, root=("Spherical", "Free", "Revolute")[seed % 3])
        once, twice = data.mechanism(), data.mechanism()
        frames = data.frames()
        for b in data.bodies:
            replace(b, name=f"{b.name}'").add_to(twice)
        for j in data.joints:
            ends = (n if n == "ground" else f"{n}'" for n in (j.parent, j.child))
            twice.joint(f"{j.name}'", *ends, j.joint(frames))
        one, two = once.compile(), twice.compile()
        for name in one.joint_links:
            for copy in (name, f"{name}'"):
                mine, theirs = one.links[list(one.joint_links[name])], two.links[list(two.joint_links[copy])]
                for key in (
                    "kind",
                    "nv",
                    "rotations",
                    "translations",
                    "inverted",
                    "vectorial",
                    "mass",
                    "inertia",
                    "com",
                ):
                    assert np.array_equal(mine[key], theirs[key]), key
                assert np.array_equal(mine["before"], theirs["before"])
                assert np.array_equal(mine["after"], theirs["after"])
        for i, name in enumerate(one.coordinate_names):
            joint, dot, suffix = name.partition(".")
            for k in (two.velocity_index(name), two.velocity_index(f"{joint}'{dot}{suffix}")):
                for key in ("Y", "foot", "slide", "carried"):
                    assert np.array_equal(one.dofs[key][i], two.dofs[key][k]), key


def test_frames_follow_from_joint_frames_in_any_order():
    """Poses of a chain whose joints are told from its end to its beginning: each round of a search would find one."""
    n, rng = 60, np.random.default_rng(0)
    steps = [exp_se3(rng.normal(size=6)) for _ in range(n)]
    mech = ct.Mechanism("chain")
    for k in range(n):
        mech.body(f"b{k}", 1.0, (0.1, 0.2, 0.3), (1.0, 1.1, 1.2), pose="joints")
    for k in reversed(range(n)):
        ends = (f"b{k - 1}" if k else "ground", f"b{k}")
        if k % 2:
            joint, step = ct.Revolute(frame_parent=steps[k], frame_child=exp_se3(np.ones(6))), exp_se3(-np.ones(6))
        else:
            joint, step = ct.Revolute(frame_child=inverse(steps[k])), np.eye(4)
        mech.joint(f"j{k}", *ends, joint)
        steps[k] = steps[k] @ step
    system, frame = mech.compile(), np.eye(4)
    for k in range(n):
        frame = frame @ steps[k]
        row = system.bodies[system.row_of(f"b{k}")]["frame"]
        assert np.abs(row[:9].reshape(3, 3) - frame[:3, :3]).max() < 1e-12
        assert np.abs(row[9:] + system.world["origin"][0] - frame[:3, 3]).max() < 1e-11
