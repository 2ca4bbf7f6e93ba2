"""Files that are refused: the error names the place in the document and says what to do."""

import dataclasses
import sys

import pytest

import cotree as ct
from cotree import errors
from cotree.errors import ChoiceError, DocumentError, MissingPackageError, ShapeError, UnsafeFileError
from cotree.io import from_json, to_json
from cotree.io.native import bounded
from cotree.io.native.texts import JSON, TOML, YAML
from cotree.model.constraints import Constraint
from tests.io.furnished import drawn, furnish
from tests.model.builders import four_bar, pendulum, refused


def plain(mech=None):
    return JSON.read(to_json(furnish(drawn("catalogue", 1, 0), 1, True) if mech is None else mech))


def spoiled(path, value, document=None):
    """A document with one value replaced, or taken away."""
    document = plain() if document is None else document
    *front, last = path
    place = document
    for step in front:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return JSON.write(document)


CASES = [
    (("bodies", 2, "mass"), -1, DocumentError, "bodies[2].mass: must be positive or zero, got -1"),
    (("bodies", 2, "mass"), "heavy", DocumentError, "bodies[2].mass: must be a number or nothing, got 'heavy'"),
    (("bodies", 0, "mas"), 1.0, DocumentError, "bodies[0].mas: unknown field; did you mean 'mass'?"),
    (("bodies", 0, "zzz"), 1.0, DocumentError, "bodies[0].zzz: unknown field"),
    (("bodies", 1, "name"), None, DocumentError, "bodies[1].name: missing; it must be given"),
    (("bodies", 1, "name"), "", DocumentError, "bodies[1].name: must be non-empty text, got ''"),
    (("bodies", 1, "com"), [0, 1], DocumentError, "bodies[1].com: must be a list of length 3, got [0, 1]"),
    (("bodies", 1, "com"), [0, 1, "x"], DocumentError, "bodies[1].com[2]: must be a number, got 'x'"),
    (("bodies", 0, "inertia"), [1, 1, 5], errors.InertiaError, "bodies[0]: body 'b0': principal moments"),
    (("bodies", 0, "inertia"), [1, [1, 2, 3], 5], ShapeError, "bodies[0]: body 'b0': inertia must be"),
    (("bodies", 0, "pose"), "elsewhere", DocumentError, "bodies[0].pose: 'elsewhere' is not one of the allowed values"),
    (("bodies", 0, "pose"), [[1, 0, 0, 0]] * 4, errors.FrameError, "bodies[0]: body 'b0': pose is not a pose"),
    (("bodies", 1, "name"), "b0", errors.DuplicateNameError, "bodies[1]: body 'b0' exists already"),
    (("bodies", 0, "density"), 5.0, errors.MassError, "bodies[0]: body 'b0': density needs a shape"),
    (("bodies", 0, "shape"), {"type": "Sphere", "center": [0, 0, 0], "radius": 0}, DocumentError,
     "bodies[0].shape.radius: must be positive, got 0"),
    (("bodies", 0, "shape"), {"type": "Rod", "a": [0, 0, 0], "b": [0, 0, 0]}, errors.AxisError, "bodies[0]: Rod: the line"),
    (("joints", 1, "type"), "Revolut", DocumentError,
     "joints[1].type: 'Revolut' is not one of the allowed values; did you mean 'Revolute'?"),
    (("joints", 1, "type"), None, DocumentError, "joints[1].type: missing"),
    (("joints", 1, "axis"), [0, 0, 0], errors.AxisError, "joints[1]: Revolute: axis has zero length"),
    (("joints", 1, "coordinates"), "third", DocumentError, "joints[1].coordinates: 'third' is not one of the allowed values"),
    (("joints", 1, "coordinates"), "cayley", errors.CoordinatesError, "joints[1]: Revolute has no coordinates 'cayley'"),
    (("joints", 1, "parent"), "b9", errors.UnknownNameError, "joints[1]: joint 'j1': no body 'b9'"),
    (("forces", 0, "stiffness"), [1], DocumentError, "forces[0].stiffness: must be a number, got [1]"),
    (("forces", 0, "body_a"), "nobody", errors.UnknownNameError, "forces[0]: spring 'spring 0': no body 'nobody'"),
    (("constraints", 0, "length"), 0, DocumentError, "constraints[0].length: must be positive, got 0"),
    (("constraints", 3, "radius"), -2, DocumentError, "constraints[3].radius: must be positive, got -2"),
    (("constraints", 4, "motion"), {"fun": "f"}, DocumentError, "constraints[4].motion.fun: unknown field"),
    (("constraints", 6, "ratios"), [], DocumentError, "constraints[6].ratios: must be a list of length >= 1, got []"),
    (("constraints", 6, "ratios"), [{"joint": "j0", "ratio": 1}, {"joint": "j0", "ratio": 2}], errors.ConstraintError,
     "constraints[6]: coupling 'coupling' names a coordinate twice"),
    (("gravity",), 9.81, DocumentError, "gravity: must be a list, got 9.81"),
    (("gravity",), "down", DocumentError, "gravity: must be a list, got 'down'"),
    (("version",), 2, DocumentError, "version: 2 is not supported, only 1"),
    (("version",), None, DocumentError, "version: missing; give the format version, 1, at the top"),
    (("bodie",), [], DocumentError, "bodie: unknown field; did you mean 'bodies'?"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "error", "words"), CASES, ids=[c[3].split(":")[0] for c in CASES])
def test_the_place_is_named(path, value, error, words):
    with refused(error, words):
        from_json(spoiled(path, value))


def test_a_document_that_is_none():
    with refused(DocumentError, "the document: must be an object, got [1]"):
        from_json("[1]")


def test_numbers_that_are_none():
    document = plain(pendulum())
    text = YAML.write(document).replace("mass: 2.0", "mass: .nan")
    with refused(errors.NotFiniteError, "gravity: mechanism 'x'"):
        raw = {"version": 1, "name": "x", "gravity": [0, 0, float("inf")]}
        from_toml(TOML.write(raw))
    with refused(DocumentError, "bodies[0].mass: must be positive or zero, got nan"):
        from_yaml(text)


def from_toml(text):
    return read(TOML, text)


def from_yaml(text):
    return read(YAML, text)


def read(syntax, text):
    from cotree.io.model_file import read_text

    return read_text(syntax, text, None, "raise")


@pytest.mark.parametrize(
    ("extension", "text"),
    [
        ("json", "{"),
        ("json", '{"a": nan}'),
        ("json", '{"a": 1,}'),
        ("yaml", "a: [1"),
        ("yaml", "!!python/object:os.system x"),
        ("toml", "a ="),
    ],
)
def test_text_of_another_kind(tmp_path, extension, text):
    path = tmp_path / f"arm.{extension}"
    path.write_text(text)
    with refused(DocumentError, f"arm.{extension}: this is not valid {extension.upper()}"):
        ct.load(path)


def test_the_line_is_named(tmp_path):
    (tmp_path / "arm.json").write_text('{\n  "version": 1,\n  "name": arm\n}')
    with refused(DocumentError, "arm.json: this is not valid JSON: ", "line 3 column 11"):
        ct.load(tmp_path / "arm.json")
    (tmp_path / "arm.yaml").write_text("version: 1\nname: [arm\n")
    with refused(DocumentError, "arm.yaml: this is not valid YAML: ", "  in line 2, column 7:"):
        ct.load(tmp_path / "arm.yaml")
    (tmp_path / "arm.toml").write_text("version = 1\nname = arm\n")
    with refused(DocumentError, "arm.toml: this is not valid TOML: ", "line 2"):
        ct.load(tmp_path / "arm.toml")


DOUBLING = "\n".join(f"a{k}: &a{k} [*a{k - 1}, *a{k - 1}]" for k in range(1, 60))


@pytest.mark.parametrize(
    ("name", "text", "error", "words"),
    [
        ("arm.json", "[" * 100_000, UnsafeFileError, "nested deeper than any model needs"),
        ("arm.yaml", "[" * 100_000, UnsafeFileError, "nested deeper than any model needs"),
        ("arm.toml", "a = " + "[" * 100_000, UnsafeFileError, "nested deeper than any model needs"),
        ("arm.yaml", f"a0: &a0 [1]\n{DOUBLING}", UnsafeFileError, "more than 1000000 values, counting aliases"),
        ("arm.yaml", "a:\n  b: &b [*b]", UnsafeFileError, "line 2: an alias refers to itself"),
        ("arm.json", '{"version": NaN}', errors.NotFiniteError, "NaN is not a JSON number"),
        ("arm.json", '{"version": 1, "name": "a", "name": "b"}', errors.DuplicateNameError, "key 'name' occurs twice"),
        ("arm.yaml", "version: 1\nname: a\nname: b", errors.DuplicateNameError, "line 3: key 'name' occurs twice"),
        ("arm.yaml", "version: 1\n2: 3", DocumentError, "the document: a key is not text; put it in quotes"),
        ("arm.yaml", "version: 1\nbodies: [{2: 3}]", DocumentError, "bodies[0]: a key is not text"),
        ("arm.yaml", f"version: 0x1{'0' * 5000}", DocumentError, "version: a number of 20001 bits is not supported"),
        ("arm.json", f'{{"version": 1, "gravity": [{"9" * 400}, 0, 0]}}', DocumentError,
         "gravity[0]: number out of range, got a number of 1329 bits"),
        ("arm.json", f'{{"version": "{"1" * 5000}"}}', DocumentError, "version: must be a whole number, got '1111"),
        ("arm.toml", "a" + ".a" * 50_000 + " = 1", UnsafeFileError, "a key has more than 100 parts"),
        ("arm.yaml", "- " * 20_000, UnsafeFileError, "nested deeper than any model needs"),
    ],
)  # fmt: skip
def test_texts_beyond_bounds(tmp_path, name, text, error, words):
    (tmp_path / name).write_text(text)
    with refused(error, f"{name}: ", words) as caught:
        ct.load(tmp_path / name)
    assert len(str(caught.value)) < 300


def test_encodings(tmp_path):
    text = to_json(pendulum()).replace("bob", "bøb")
    (tmp_path / "arm.json").write_bytes(text.encode("latin-1"))
    with refused(DocumentError, "arm.json: this is not UTF-8 text (byte", "0xf8); save it as UTF-8"):
        ct.load(tmp_path / "arm.json")
    (tmp_path / "arm.json").write_bytes(text.encode("utf-8-sig"))  # as some editors do
    assert "bøb" in ct.load(tmp_path / "arm.json").bodies


def test_files_that_are_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(bounded, "MOST_VALUES", 10)
    (tmp_path / "arm.yaml").write_text("version: 1\na: &a [1, 2]\nb: {<<: [*a, *a]}")
    with refused(UnsafeFileError, "arm.yaml: line 1: more than 10 values"):
        ct.load(tmp_path / "arm.yaml")


def test_anchors_and_merged_keys_are_read(tmp_path):
    text = "version: 1\nbodies:\n- &a {name: a, mass: 1, com: &p [0, 0, 0], inertia: [1, 1, 1]}\n- {<<: *a, name: b, com: *p}\n"
    (tmp_path / "arm.yaml").write_text(text)
    assert [b.properties.mass for b in ct.load(tmp_path / "arm.yaml").bodies.values()] == [1, 1]


def test_errors_name_the_file(tmp_path):
    (tmp_path / "arm.json").write_text(spoiled(("bodies", 2, "mass"), -1))
    with refused(DocumentError, "arm.json: bodies[2].mass: must be positive or zero, got -1"):
        ct.load(tmp_path / "arm.json")


@pytest.mark.parametrize("name", ["arm.txt", "arm"])
def test_other_kinds_of_files(tmp_path, name):
    with refused(ChoiceError, name, "read", ".json, .yaml, .yml, .toml"):
        ct.load(tmp_path / name)
    with refused(ChoiceError, name, "write", ".json, .yaml, .yml, .toml"):
        ct.save(four_bar(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        ct.load(tmp_path / "arm.json")


@pytest.mark.parametrize(("extension", "package"), [("yaml", "yaml"), ("toml", "tomli_w")])
def test_a_package_that_is_not_installed(tmp_path, monkeypatch, extension, package):
    from cotree.io.native import texts

    texts._yaml.cache_clear()
    monkeypatch.setitem(sys.modules, package, None)
    with refused(MissingPackageError, f"the package {package}", "pip install 'cotree[files]'"):
        ct.save(four_bar(), tmp_path / f"arm.{extension}")
    if extension == "yaml":
        (tmp_path / "arm.yaml").write_text("a: 1")
        with refused(MissingPackageError, "arm.yaml: the package yaml"):
            ct.load(tmp_path / "arm.yaml")


# -- what no file can hold -----------------------------------------------------------------------------------


def test_only_mechanisms_are_saved():
    with refused(ShapeError, "only a Mechanism can be saved", "system.mechanism"):
        to_json(four_bar().compile())


@dataclasses.dataclass(frozen=True)
class Hinge(ct.Revolute):
    """A joint of the user's own."""


class Blob:
    def mass_properties(self, density):
        return ct.MassProperties(density, (0, 0, 0), (1, 1, 1))


def test_joints_and_shapes_of_the_user():
    mech = ct.Mechanism()
    mech.body("b", shape=Blob(), density=1.0)
    with refused(DocumentError, "shape of body 'b' is of class Blob", "catalogue"):
        to_json(mech)
    mech = pendulum()
    mech.body("b", 1, (0, 0, 0))
    mech.joint("j", "bob", "b", Hinge())
    with refused(DocumentError, "joint 'j' is of class Hinge"):
        to_json(mech)


def test_joint_forces_of_several_kinds_in_one():
    mech = pendulum()
    mech.joint_spring("s", "pivot", 3.0)
    mech.joint_forces["s"] = dataclasses.replace(mech.joint_forces["s"], damping=1.0)
    with refused(DocumentError, "joint force 's'", "one by one"):
        to_json(mech)


def test_constraints_of_an_unknown_class():
    mech = pendulum()
    mech.constraints["k"] = type("Latch", (Constraint,), {"name": "k"})()
    with refused(DocumentError, "constraint 'k' is of class Latch"):
        to_json(mech)


def test_a_coupling_names_each_coordinate_once():
    mech = four_bar()
    with refused(errors.ConstraintError, "coupling 'c'", "twice"):
        mech.coupling("c", {"A": 1.0, mech.joints["A"]: 2.0})
