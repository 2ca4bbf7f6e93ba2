"""Spoiled model files by number: the same bytes for the same number, every time.

`FILES` says how many of each kind there are; `spoiled(kind, number)` makes one.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from cotree.io import to_json
from cotree.io.native.texts import JSON, TOML, YAML
from tests.io.furnished import drawn, furnish
from tests.io.robot_files import joint, link, random_urdf, robot
from tests.io.test_sdf import AXES
from tests.io.test_sdf import joint as sdf_joint
from tests.io.test_sdf import link as sdf_link
from tests.io.test_sdf import sdf as sdf_text
from tests.io.test_urdf_loops import BARS, FORMS

FILES = {"native": 600, "robot": 300, "mjcf": 200}
SYNTAXES = (("json", JSON), ("yaml", YAML), ("toml", TOML))
WORDS = [
    "nan",
    "inf",
    "1e308",
    "-1e308",
    "0",
    "-1",
    "1e-320",
    "",
    "9" * 5000,
    "a",
    "b",
    "world",
    "${x}",
    "1 2",
    "\u0663",
]
TAGS = ("link", "joint", "origin", "axis", "parent", "child", "pose", "inertia", "mass")
SDF = sdf_text(
    sdf_link("a"), sdf_link("b", "<pose relative_to='a'>1 0 0 0 0 1</pose>"), sdf_link("c"),
    '<frame name="f" attached_to="a"><pose>1 0 0 0 0 1</pose></frame>', sdf_joint("j", "revolute", "a", "b"),
    sdf_joint("k", "universal", "b", "c", AXES), sdf_joint("l", "ball", "world", "c"),
)  # fmt: skip
LAUGHS = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
BOMB = f'<!DOCTYPE robot [<!ENTITY l0 "ha">{LAUGHS}]><robot name="&l9;"><link name="a"/></robot>'
SQUARE = f'<!DOCTYPE robot [<!ENTITY a "{"a" * 100_000}">]><robot name="{"&a;" * 10_000}"/>'
THIEF = '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/hostname">]><robot name="r"><link name="&x;"/></robot>'
FETCH = '<!DOCTYPE robot SYSTEM "http://example.com/x.dtd"><robot name="r"><link name="a"/></robot>'


def spoiled(kind: str, number: int) -> tuple[str, bytes]:
    """Name and bytes of one file."""
    rng = np.random.default_rng([list(FILES).index(kind), number])
    return {"native": native, "robot": robot_file, "mjcf": mjcf_file}[kind](rng, number)


# -- bytes of any kind ---------------------------------------------------------------------------------------


def damaged(rng: Any, data: bytearray) -> bytearray:
    """A bit turned, a piece lost, doubled or put in, the end lost, or another encoding."""
    i, length = int(rng.integers(max(1, len(data)))), int(rng.integers(1, 60))
    kind = int(rng.choice(6, p=[0.3, 0.2, 0.15, 0.15, 0.15, 0.05]))
    if kind == 0 and data:
        data[i] ^= 1 << int(rng.integers(8))
    elif kind == 1:
        del data[i : i + length]
    elif kind == 2:
        data[i:i] = data[i : i + length]
    elif kind == 3:
        data[i:i] = bytes(rng.integers(0, 256, 3, dtype=np.uint8))
    elif kind == 4:
        del data[i:]
    else:
        text = data.decode("utf-8", "replace").replace("e", "é", 3)
        data = bytearray(text.encode(str(rng.choice(["utf-16", "latin-1", "utf-32", "utf-8-sig"])), "replace"))
    return data


# -- XML -----------------------------------------------------------------------------------------------------


def robot_file(rng: Any, number: int) -> tuple[str, bytes]:
    """URDF, with loops and without, and SDF; then bombs and nests."""
    hostile = [BOMB, SQUARE, THIEF, FETCH, "<a>" * 100_000, robot("<a/>" * 100_001), robot(*map(link, "a" * 500))]
    if number < 2 * len(hostile):
        return f"robot.{('urdf', 'sdf')[number % 2]}", hostile[number // 2].encode()
    chain = robot(
        *(link(f"b{k}") for k in range(9)), *(joint(f"j{k}", "prismatic", f"b{k}", f"b{k + 1}") for k in range(8))
    )
    bases = [random_urdf(rng, 4), robot(*BARS, FORMS["loop_joint"].format("revolute")), SDF, chain]
    return f"robot.{'sdf' if number % 4 == 2 else 'urdf'}", mutated(rng, bases[number % 4])


def mjcf_file(rng: Any, number: int) -> tuple[str, bytes]:
    return "m.xml", mutated(rng, mjcf_bases(rng)[number % 4])


def mjcf_bases(rng: Any) -> list[str]:
    """With equalities of every kind; MuJoCo is loaded for them only."""
    from tests.io import mjcf_files
    from tests.io.test_mjcf_loops import BARS, FIXED, LINE, OTHER, POINT, SECOND, WELD

    both = '<tendon tendon1="l"/><joint joint1="A" joint2="D"/>'
    start = '<keyframe><key qpos="0 0 0"/></keyframe><actuator><motor joint="A"/></actuator>'
    return [
        mjcf_files.random_mjcf(rng, 3), mjcf_files.model(BARS, f"<equality>{POINT}{SECOND}{WELD}</equality>"),
        mjcf_files.model(BARS, f'<equality><tendon tendon1="f" tendon2="g"/></equality>{FIXED}{OTHER}'),
        mjcf_files.model(BARS, f"<equality>{both}</equality>{LINE}{start}"),
    ]  # fmt: skip


def mutated(rng: Any, text: str) -> bytes:
    """One to three changes: bytes, numbers, tags; half of the files remain XML."""
    data, still_xml = bytearray(text.encode()), rng.random() < 0.5
    for _ in range(rng.integers(1, 4)):
        kind = int(rng.integers(2 if still_xml else 0, 4))
        data = (damaged(rng, data) if kind < 2 else _piece(rng, data, kind == 2)) or bytearray(b" ")
    return bytes(data)


def _piece(rng: Any, data: bytearray, numbers: bool) -> bytearray:
    """Another word for a quoted value, or a tag renamed."""
    text = data.decode("utf-8", "replace")
    if numbers:
        parts = text.split('"')
        if len(parts) > 2:
            parts[1 + 2 * int(rng.integers((len(parts) - 1) // 2))] = str(rng.choice(WORDS))
        return bytearray('"'.join(parts).encode())
    return bytearray(text.replace(str(rng.choice(TAGS)), str(rng.choice(TAGS)), int(rng.choice([1, 2, -1]))).encode())


# -- JSON, YAML, TOML ----------------------------------------------------------------------------------------

DOUBLING = "\n".join(f"a{k}: &a{k} [*a{k - 1}, *a{k - 1}]" for k in range(1, 60))
MERGING = "\n".join(f"m{k}: &m{k} {{<<: [*m{k - 1}, *m{k - 1}]}}" for k in range(1, 60))
HOSTILE = {
    "yaml": [
        f"a0: &a0 [ha, ha]\n{DOUBLING}\nversion: *a59", f"version: 1\nm0: &m0 {{ha: ha}}\n{MERGING}", "a: &a [*a]",
        "a: &a {b: *a}\nversion: *a", "[" * 100_000, "{a: " * 3_000, "- " * 20_000, "!!python/object/apply:os.getcwd []",
        "version: 0x" + "f" * 100_000, "1: 2", "? [a, b]\n: c", "version: 2001-13-45", "--- 1\n--- 2", "&a " * 1_000, "*a", "",
    ],
    "json": [
        "[" * 1_000_000, '{"a":' * 100_000, '{"version": ' + "9" * 100_000 + "}", '{"version": 1e999}', '{"version": NaN}',
        '{"version": 1, "version": 2}', '{"version": 1, "name": "\\ud800"}', "null", "1", '"' + "a" * 9_000 + '"', "[1]" * 9,
        '{"version": 1, "gravity": [' + "9" * 400 + ", 0, 0]}", '{"version": 1, "bodies": ' + "[" * 500 + "]" * 500 + "}",
    ],
    "toml": [
        "a" + ".a" * 50_000 + " = 1", "a = " + "[" * 100_000, "a = " + "{b = " * 3_000, "version = " + "9" * 100_000,
        "version = 1e999", "version = 1\nversion = 2", "[[bodies]]\n" * 5_000, "version = 2001-01-01", "version = nan", "",
        "[" + "a." * 50_000 + "a]", "a = {a" + " . a" * 50_000 + " = 1}", "a" + ".a" * 90 + " = 1",
    ],
}  # fmt: skip
VALUES: list[Any] = [
    None, True, 0, -1, 1e308, -1e308, 1e-320, 10**400, float("nan"), float("inf"), "", "ground", "b0", "j0", "x" * 100_000,
    "\x7f", [], [1, 2], [0.0, 0.0, 0.0], [[1.0] * 4] * 4, {}, {"type": "Revolute"}, {"function": "f"}, [[[[[[]]]]]],
]  # fmt: skip


def native(rng: Any, number: int) -> tuple[str, bytes]:
    """Every third in each syntax: first what is meant to hurt, then keys and values changed, then bytes."""
    extension, syntax = SYNTAXES[number % 3]
    hostile = HOSTILE[extension]
    if number // 3 < len(hostile):
        return f"arm.{extension}", hostile[number // 3].encode("utf-8", "surrogatepass")
    kinds = ("tree", "loop", "catalogue", "gallery")
    mech = drawn(kinds[number % 4], number % 40, 1 + number % 8)
    document = JSON.read(to_json(furnish(mech, number % 40, False) if number % 2 else mech))
    if rng.random() < 0.75:
        for _ in range(rng.choice([1, 1, 2, 4])):
            document = _changed(rng, copy.deepcopy(document))
        return f"arm.{extension}", _written(syntax, document).encode("utf-8", "surrogatepass")
    data = bytearray(_written(syntax, document).encode())
    for _ in range(rng.choice([1, 1, 2, 4])):
        data = damaged(rng, data)
    return f"arm.{extension}", bytes(data)


def _written(syntax: Any, document: Any) -> str:
    """The document in a syntax; in YAML if that cannot say it."""
    try:
        return str(syntax.write(document))
    except Exception:
        return str(YAML.write(document))


def _changed(rng: Any, document: Any) -> Any:
    """A key or entry somewhere lost, renamed, doubled, or with another value."""
    places = list(_places(document))
    if not places:
        return document
    owner, key = places[int(rng.integers(len(places)))]
    kind = int(rng.integers(5))
    if kind == 0:
        del owner[key]
    elif kind == 1 and isinstance(owner, dict):
        owner[key[:-1] + str(rng.choice(["", "x", "é", " "]))] = owner.pop(key)
    elif kind == 1:
        owner.append(copy.deepcopy(owner[key]))
    elif kind == 2:
        other, there = places[int(rng.integers(len(places)))]
        owner[key] = copy.deepcopy(other[there])
    else:
        owner[key] = copy.deepcopy(VALUES[int(rng.integers(len(VALUES)))])
    return document


def _places(value: Any) -> Any:
    """Every entry of every dict and list in a document, with what it is in."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(pairs):
        yield value, key
        yield from _places(inner)
