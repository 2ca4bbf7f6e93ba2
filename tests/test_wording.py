"""The checker of avoided wording finds planted phrases, passes plain ones, and the package is clean."""

import importlib.util
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "wording.py"


@pytest.fixture(scope="module")
def wording():
    spec = importlib.util.spec_from_file_location("wording", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PLANTED = [
    'raise E(f"{x} is no joint")\n',
    'raise E(\n    f"{x!r} is "\n    "no joint"\n)\n',
    '"""Angle [rad] or way [m]."""\n',
    "x = 1  # one row a body\n",
    'print(f"open in the balance at most {x} J")\n',
    'verdict = "agrees in kind"\n',
    '"""The catalogue, METHODS 3."""\n',
]
PLAIN = [
    'raise E(f"{x} is not a joint; there is no joint of that name")\n',
    '"""It is no longer than the run; one row per body."""\n',
    "found = is_no  # the way to ground\n",
    'x = {"kind": 1, "in": "kind"}\n',
]


@pytest.mark.parametrize("source", PLANTED)
def test_planted(wording, tmp_path, source):
    (tmp_path / "planted.py").write_text(source)
    assert len(wording.offences(tmp_path)) == 1


@pytest.mark.parametrize("source", PLAIN)
def test_plain(wording, tmp_path, source):
    (tmp_path / "plain.py").write_text(source)
    assert wording.offences(tmp_path) == []


def test_the_package_is_clean(wording):
    assert wording.offences() == []


def test_pages_are_clean(wording):
    assert wording.offences_in_pages() == []


def test_planted_in_a_page(wording, tmp_path):
    text = "Functions of yours.\n\n```text\nfunctions of yours\n```\n\n`functions of yours` is a literal.\n"
    (tmp_path / "README.md").write_text(text)
    assert len(wording.offences_in_pages(tmp_path)) == 1
