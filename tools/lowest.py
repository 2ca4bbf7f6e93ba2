"""Print the lowest versions that pyproject.toml promises, as constraints for pip: `make quick-lowest` installs these.

Where the tests want a later version of a package than a part of Cotree that uses it, the part's bound counts.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
REQUIREMENT = re.compile(r"([\w.-]+)>=([\d.]+)(;.*)?")
OURS = ("test", "bench", "check", "docs")  # what developers need comes last


def lowest(project: Path = PROJECT) -> dict[str, str]:
    """The lower bound of each package by its name."""
    table = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    extras = sorted(table["optional-dependencies"].items(), key=lambda item: item[0] in OURS)
    wanted = [*table["dependencies"], *(text for _, texts in extras for text in texts)]
    bounds: dict[str, str] = {}
    for text in wanted:
        if (found := REQUIREMENT.fullmatch(text)) is None:
            raise SystemExit(f"{project.name}: {text!r} is not of the form name>=version")
        bounds.setdefault(found[1], found[2])
    return bounds


if __name__ == "__main__":
    print(*(f"{name}=={bound}" for name, bound in sorted(lowest().items())), sep="\n")
