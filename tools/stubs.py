"""Write src/cotree/__init__.pyi: the public names with their homes, as type checkers and editors read them.

`cotree/__init__.py` loads names when they are first used, which no type checker can follow. Run `python tools/stubs.py` after
adding a public name; a test compares.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "src" / "cotree" / "__init__.pyi"
sys.path.insert(0, str(ROOT / "src"))

import cotree  # noqa: E402


def text() -> str:
    """The whole stub."""
    parts = "".join(f"from cotree import {name} as {name}\n" for name in sorted(cotree._SUBPACKAGES))
    modules = {**cotree._MODULES, "cotree.theory": cotree._ALSO_THERE}
    homes = "".join(_imports(module, names) for module, names in sorted(modules.items()))
    listed = "".join(f'    "{name}",\n' for name in sorted(cotree.__all__, key=_order))
    return f"# made by tools/stubs.py\n{parts}{homes}\n__version__: str\n__all__ = [\n{listed}]\n"


def _order(name: str) -> tuple[bool, str]:
    """As the linter sorts: names in capitals first."""
    return not name.isupper(), name


def _imports(module: str, names: tuple[str, ...]) -> str:
    """A form in which the names are public to type checkers."""
    return "".join(f"from {module} import {name} as {name}\n" for name in sorted(names, key=_order))


if __name__ == "__main__":
    STUB.write_text(text(), encoding="utf-8")
    print(f"{STUB.relative_to(ROOT)}: {len(cotree.__all__)} names")
