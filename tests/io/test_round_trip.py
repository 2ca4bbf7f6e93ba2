"""What is written and read again compiles to the same tables, bit for bit."""

import subprocess
import sys
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import cotree as ct
from cotree.io import from_json, to_json
from cotree.io.native import joint_structs, shape_structs
from cotree.io.native.describing import plain
from cotree.io.native.texts import JSON, TOML, YAML
from cotree.model import joints, shapes
from cotree.model.checks import rigid, unit
from tests.io.furnished import GALLERY, again, drawn, furnish, mechanisms, same, tables
from tests.random_mechanisms import pose, random_rotation


@settings(max_examples=150, deadline=None)
@given(mechanisms())
def test_mechanisms_come_back_bit_for_bit(mech):
    same(mech, again(mech))


def test_the_comparison_sees_the_last_bit():
    mech, other = ct.gallery.four_bar(), ct.gallery.four_bar()
    same(mech, other)
    p = other.bodies["crank"].properties
    other.bodies["crank"] = type(other.bodies["crank"])("crank", type(p)(np.nextafter(p.mass, 2), p.com, p.inertia))
    assert tables(mech) != tables(other)


@pytest.mark.parametrize("syntax", [JSON, YAML, TOML], ids=lambda s: s.name)
@settings(max_examples=25, deadline=None)
@given(mech=mechanisms())
def test_every_syntax_holds_the_same_document(syntax, mech):
    document = plain(mech)
    assert repr(ordered(syntax.read(syntax.write(document)))) == repr(ordered(document))


def ordered(value):
    """With sorted keys: TOML writes tables after numbers."""
    if isinstance(value, dict):
        return {key: ordered(value[key]) for key in sorted(value)}
    return [ordered(x) for x in value] if isinstance(value, list) else value


AWKWARD = [
    "1e-5",
    "1.5E+3",
    "yes",
    "null",
    "~",
    "-",
    "a: b",
    "#x",
    "é",
    "日本",
    "1:30",
    "  x ",
    '"',
    "[1]",
    "{}",
    "0o17",
    "\u200d",
    ".",
]


@pytest.mark.parametrize("extension", ["json", "yaml", "yml", "toml", "JSON"])
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_names_and_numbers_survive_in_files(tmp_path, extension, name):
    mech = ct.Mechanism(name, gravity=(1e-300, -1.7976931348623157e308, -0.0))
    mech.body(name, 5e-324, (1e22, 1e-5, 0.1 + 0.2), np.full(3, 1e16))
    mech.joint(name, "ground", name, ct.Revolute((3, 2**60, -1), (0, 0, np.float32(0.1))))
    path = tmp_path / f"model.{extension}"
    ct.save(mech, path)
    other = ct.load(str(path))
    assert list(other.bodies) == list(other.joints) == [name] == [other.name]
    assert other.gravity.tobytes() == mech.gravity.tobytes()
    same(mech, other)


@settings(max_examples=50, deadline=None)
@given(st.text(min_size=1), st.sampled_from([JSON, YAML, TOML]), st.floats(allow_nan=False, allow_infinity=False))
@example("\x85", YAML, 0.0)
@example("a\u2028 b\u2029\ufeffc", YAML, 0.0)
@example("a\u2028 b\u2029\ufeffc", TOML, 0.0)
def test_any_text_and_number_survives(text, syntax, number):
    try:
        text.encode()
    except UnicodeEncodeError:
        return  # half a character is no text
    plain = {"name": text, "entries": [{text: number}, [number, 1, True]]}
    assert repr(syntax.read(syntax.write(plain))) == repr(plain)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_directions_and_poses_settle(seed):
    """What the checks made of a user's numbers they leave as it is when it comes back from a file."""
    rng = np.random.default_rng(seed)
    a = unit(rng.normal(size=3) * 10.0 ** rng.integers(-9, 9), "axis", "test")
    assert unit(a, "axis", "test").tobytes() == a.tobytes()
    C = rigid(pose(random_rotation(rng) + 1e-8 * rng.normal(size=(3, 3)), rng.normal(size=3)), "pose", "test")
    assert rigid(C, "pose", "test").tobytes() == C.tobytes()
    assert np.abs(C[:3, :3] @ C[:3, :3].T - np.eye(3)).max() < 4e-15


@pytest.mark.parametrize("make", GALLERY, ids=lambda make: make.__name__)
def test_the_gallery_comes_back(make):
    mech = make()
    other = again(mech)
    same(mech, other)
    for which in ("q_start", "v_start"):
        assert np.array_equal(getattr(other, which), getattr(mech, which))  # None equals None
    for name, body in other.bodies.items():
        assert type(body.shape) is type(mech.bodies[name].shape)
        if body.shape is not None:
            assert repr(body.shape.mass_properties(2.0)) == repr(mech.bodies[name].shape.mass_properties(2.0))


def test_every_shape_comes_back():
    rng = np.random.default_rng(0)
    mech = ct.Mechanism("shapes")
    all_shapes = [
        ct.Box((1, 2, 3), (1, 1, 2), random_rotation(rng)), ct.Box((1, 2, 3), [1, 1, 2]),
        ct.Cylinder((0, 0, 0), (1, 0, 0), 0.1),
        ct.Rod((0, 0, 0), (1, 1, 0)), ct.Sphere((0, 0, 1), 2), ct.Mesh("a/b.stl", 0.001, pose(random_rotation(rng))),
    ]  # fmt: skip
    for k, shape in enumerate(all_shapes):
        mech.body(f"b{k}", 1, (0, 0, 0), shape=shape)
    again = from_json(to_json(mech))
    for k, shape in enumerate(all_shapes):
        other = again.bodies[f"b{k}"].shape
        assert type(other) is type(shape)
        for field in fields(shape):
            assert np.array_equal(np.array(getattr(other, field.name)), np.array(getattr(shape, field.name)))


def test_poses_by_joint_frames_and_start_values_come_back():
    mech = ct.Mechanism("framed")
    mech.body("arm", 1, (0.1, 0, 0), (1, 1, 1), pose="joints")
    mech.joint("j", "ground", "arm", ct.Revolute(frame_parent=pose(p=(1, 2, 3)), frame_child=pose(p=(0.5, 0, 0))))
    mech.q_start, mech.v_start = np.array([0.1]), np.array([1 / 3])
    again = from_json(to_json(mech))
    same(mech, again)
    assert again.bodies["arm"].frame == "joints"
    assert again.q_start.tobytes() == mech.q_start.tobytes()
    assert again.v_start.tobytes() == mech.v_start.tobytes()


def test_joints_to_cut_come_back():
    mech = ct.gallery.four_bar()
    usual = mech.compile().cut_joints
    mech.preferred_cut = ("A",)
    assert from_json(to_json(mech)).compile().cut_joints == ("A",) != usual
    assert "preferred_cut" not in to_json(ct.gallery.four_bar())


def test_without_start_values_none_appear():
    again = from_json(to_json(ct.gallery.four_bar()))
    assert getattr(again, "q_start", None) is None
    assert "q_start" not in to_json(again)


@pytest.mark.parametrize(
    ("models", "structs", "more"),
    [(joints, joint_structs, {"name", "parent", "child"}), (shapes, shape_structs, set())],
)
def test_structures_have_the_fields_of_the_catalogue(models, structs, more):
    """A class or a field added to the catalogue must be added to the files."""
    public = {
        n
        for n in ct.__all__
        if isinstance(getattr(models, n, None), type) and getattr(models, n).__module__ == models.__name__
    }
    assert len(public) >= 5
    for name in public:
        assert set(getattr(structs, name).__struct_fields__) - more == {f.name for f in fields(getattr(models, name))}


def test_files_hold_all_that_a_mechanism_does():
    """A new part of `Mechanism` must be added to the files, and then to this list."""
    held = {
        "name",
        "gravity",
        "bodies",
        "joints",
        "springs",
        "loads",
        "joint_forces",
        "elements",  # those of classes that files know; others are refused by name
        "constraints",
        "devices",
        "actions",
        "scenery_shapes",
        "traces",
        "floor_plane",
        "preferred_cut",
        "notes",
        "q_start",
        "v_start",
    }
    assert set(vars(ct.Mechanism())) - {"ground", "seen_order"} <= held


def test_reading_and_writing_loads_nothing_heavy(tmp_path):
    ct.save(furnish(drawn("gallery", 0, 1), 0, True), tmp_path / "model.json")
    code = (
        f"import sys, cotree as ct; ct.save(ct.load({str(tmp_path / 'model.json')!r}), {str(tmp_path / 'again.json')!r});"
        "print(sorted({'numba', 'scipy', 'h5py', 'xarray', 'pandas', 'yaml', 'tomli_w', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()


def test_a_file_written_again_is_the_same():
    mech = furnish(drawn("catalogue", 1, 3), 5, True)
    text = to_json(mech)
    assert to_json(from_json(text)) == text
