"""Names: no control characters in them, wherever they come from; and texts of files do not reach a terminal as they are."""

import json

import pytest

import cotree as ct
from cotree.cli import main
from cotree.errors import DocumentError, EventError, ModelError
from cotree.io import from_json, to_json
from cotree.io.step.naming import solid_names
from cotree.model.naming import printable, unknown
from tests.model.builders import pendulum, refused

BAD = [
    "a\nb",
    "a\rb",
    "\t",
    "a\x00b",
    "\x1b]0;title\x07",
    "\x7f",
    "a\x9bb",
    "a\u2028b",
    "\u202eabc",
    "\u2066x",
    "\uffff",
]
GOOD = ["é", "e\u0301", "👩‍👩‍👧‍👦", " ", "a\u200db", "\ud800", "日本語", "a b", "\ufeffa", "𝒜"]


def made(name):
    """Every call that gives something a name."""
    mech = pendulum()
    return {
        "a mechanism": lambda: ct.Mechanism(name),
        "a body": lambda: mech.body(name, 1, (0, 0, 0), (1, 1, 1)),
        "a joint": lambda: mech.joint(name, "ground", next(iter(mech.bodies)), ct.Weld()),
        "a motor": lambda: mech.motor(name, "pivot", 1.0),
        "a drive": lambda: mech.drive(name, "pivot", 1.0),
    }


@pytest.mark.parametrize("name", BAD)
def test_control_characters_are_refused(name):
    for what, make in made(name).items():
        with refused(ModelError, f"the name of {what}, ", "contains the character U+", "leave it out"):
            make()
    with refused(EventError, "the name of an event", "U+"):
        ct.Event(lambda t: t, name)


@pytest.mark.parametrize("name", GOOD)
def test_other_characters_are_not(name):
    for make in made(name).values():
        make()


def test_in_files_too(tmp_path):
    text = to_json(pendulum()).replace('"pivot"', '"\\u001b[2Jpivot"')
    with refused(ModelError, "joints[0]: the name of a joint", "U+001B"):
        from_json(text)
    assert solid_names([("x", "a\x1bb")]) == ["a\\x1bb"]


def test_texts_are_shown_with_their_control_characters_written_out():
    assert printable("a\x1b[2J\nb\u202e \ud800é") == "a\\x1b[2J\nb\\u202e \\ud800é"


@pytest.mark.parametrize("name", [" ", "x" * 201])
@pytest.mark.parametrize("extension", ["urdf", "xml"])
def test_names_that_robots_cannot_have(tmp_path, name, extension):
    mech = ct.Mechanism("arm")
    mech.joint("J", mech.ground, mech.body(name, 1, (0, 0, 0), (1, 1, 1)), ct.Revolute((0, 0, 0), (0, 0, 1)))
    with refused(DocumentError, "body '", "only blanks" if name == " " else "a name of 201 characters", "rename it"):
        ct.save(mech, tmp_path / f"a.{extension}")
    assert not list(tmp_path.iterdir())


def test_nothing_acts_on_the_terminal(tmp_path, capsys):
    document = {**json.loads(to_json(pendulum())), "notes": ["\x1b[2Jnote"]}
    (tmp_path / "a.json").write_text(json.dumps(document))
    assert main(["check", str(tmp_path / "a.json")]) == 0
    assert main(["run", str(tmp_path / "a.json"), "--t-end", "0.01"]) == 0
    (tmp_path / "b.json").write_text(json.dumps({**document, "\x1b[31mkey": 1}))
    assert main(["check", str(tmp_path / "b.json")]) == 2
    assert main(["check", str(tmp_path / "\x1b.json")]) == 2
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert out.count("note: \\x1b[2Jnote") == 2
    assert "\\x1b[31mkey: unknown field" in err


def test_halves_of_characters_and_long_names_are_drawn(tmp_path):
    mech = ct.Mechanism("\ud800" + "x" * 5000)
    mech.joint("\udc80", mech.ground, mech.body("b", 1, (1, 0, 0), (1, 1, 1)), ct.Revolute((0, 0, 0), (0, 0, 1)))
    figure = ct.simulate(mech, 0.01, output=2).plot(tmp_path / "x.png")
    assert figure.get_suptitle().startswith("\\ud800xxx")
    assert len(figure.get_suptitle()) == 200


class Unshown:
    def __repr__(self):
        raise RuntimeError("no repr")


def test_names_of_blows_that_cannot_be_shown():
    mech = ct.gallery.four_bar()
    for give in (lambda: mech.impulse(Unshown(), "crank"), lambda: mech.joint_impulse(Unshown(), "A", 1.0)):
        with pytest.raises(ct.errors.ModelError, match="must be a non-empty string, got an object of class Unshown"):
            give()


def test_words_for_names_that_are_not_known():
    """The nearest one, or those that there are; long ones and what is not text are cut short."""
    assert unknown("elbw", "joint", ["elbow", "wrist"]) == "'elbw' is not a joint; did you mean 'elbow'?"
    assert unknown("x", "joint", ["elbow", "wrist"]) == "'x' is not a joint; the joints are 'elbow', 'wrist'"
    assert unknown("x", "body", ["arm"], "the bodies are") == "'x' is not a body; the bodies are 'arm'"
    assert unknown(3, "joint", []) == "3 is not a joint; it has none"
    assert len(unknown("x" * 10_000, "joint", ["elbow"])) < 300
