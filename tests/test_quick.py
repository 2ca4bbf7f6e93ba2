"""The fast tier exists, and has a file of every layer that has tests."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTED = [line for line in (ROOT / "tests" / "quick.txt").read_text().splitlines() if not line.startswith("#")]
SLOW = {"gallery", "papers", "peers", "reference", "studies", "view"}  # simulations throughout


def test_files_are_there():
    assert [name for name in LISTED if not (ROOT / name).exists()] == []


def test_every_layer_is_tried():
    layers = {p.name for p in (ROOT / "tests").iterdir() if p.is_dir() and any(p.glob("test_*.py"))} - SLOW
    tried = {name.split("/")[1] for name in LISTED}
    assert len(layers & tried) >= 12
    assert {"lie", "kinematics", "dynamics", "constraints", "formulations", "integrate"} <= tried
