"""The layer rule: its checker finds planted offences, and the package is clean."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "layers.py"


@pytest.fixture(scope="module")
def layers():
    spec = importlib.util.spec_from_file_location("layers", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plant(root, file, text):
    path = root / "cotree" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


OFFENCES = {
    "from": ("lie/a.py", "from cotree.model import Mechanism\n", "lie imports the higher layer model"),
    "import": ("topology/a.py", "import cotree.system.tables\n", "topology imports the higher layer system"),
    "package": ("model/a.py", "from cotree import dynamics\n", "model imports the higher layer dynamics"),
    "inside": ("system/a.py", "def f():\n    from cotree.io import x\n", "system imports the higher layer io"),
    "types only": (
        "screws/a.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from cotree.model import Body\n",
        "screws imports the higher layer model",
    ),
    "deep": ("model/sub/a.py", "from cotree.view.scene import x\n", "model imports the higher layer view"),
}
ALLOWED = {
    "lower": ("dynamics/a.py", "from cotree.lie import se3\nimport cotree.topology\n"),
    "same": ("model/a.py", "from cotree.model.checks import number\n"),
    "outside": ("lie/a.py", "import numpy\nfrom model import x\n"),
    "above all": ("cli.py", "from cotree.integrate import x\n"),
    "no layer": ("lie/a.py", "from cotree._shown import Shown\nfrom cotree.errors import ShapeError\n"),
}


@pytest.mark.parametrize(("file", "text", "message"), OFFENCES.values(), ids=OFFENCES)
def test_an_offence_is_found(layers, tmp_path, file, text, message):
    plant(tmp_path, "lie/fine.py", "import math\n")
    plant(tmp_path, file, text)
    found = layers.offences(tmp_path / "cotree")
    assert len(found) == 1
    line = 1 + text[: text.index("cotree")].count("\n")
    assert found[0] == f"cotree/{file}:{line}: {message}"


@pytest.mark.parametrize(("file", "text"), ALLOWED.values(), ids=ALLOWED)
def test_what_is_allowed(layers, tmp_path, file, text):
    plant(tmp_path, file, text)
    assert layers.offences(tmp_path / "cotree") == []


def test_the_repository_is_clean(layers):
    assert layers.offences() == []
    assert list(layers.ROOT.rglob("*.py"))


def test_every_folder_is_a_layer(layers):
    folders = {p.name for p in layers.ROOT.iterdir() if p.is_dir() and not p.name.startswith("_")}
    assert folders <= set(layers.ORDER)


def test_the_command_fails_for_an_offence(tmp_path):
    assert subprocess.run([sys.executable, str(TOOL)], capture_output=True, check=False).returncode == 0
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/layers.py").write_text(TOOL.read_text())
    plant(tmp_path / "src", "lie/a.py", "import cotree.model\n")
    command = [sys.executable, str(tmp_path / "tools/layers.py")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "lie imports the higher layer model" in result.stdout
